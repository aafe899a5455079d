//! How the first screen looks.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use rookery_catalog::CATALOG;

use super::Launcher;
use super::items::{Act, Item, LEVELS, Page, command};
use crate::app::Hot;
use crate::bars::{key_bar, title_bar};
use crate::clean;
use crate::list::List;
use crate::palette::Role;
use crate::rich::{text_width, wrap};
use crate::screen::{line, tail};

/// Lines above the list beside those of the title, and lines below it.
const TOP: u16 = 3;
const BOTTOM: u16 = 3;
/// The column of an item's name; what is said about it stands beside.
const NAME: usize = 22;

const HELP: &str = "\
rookery play fish:players=3 human easy human   players of your choice
rookery play hexapawn:rows=8,cols=8            other boards
rookery play stones --time 10m+5s              clocks
rookery play fish --plain                      for screen readers
rookery games                                  games and their keys
rookery players                                who can be seated
rookery puzzle                                 find the only winning move
rookery history                                your games, with their reviews
rookery --help                                 everything else";

const KEYS: &[(&str, KeyCode)] = &[
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("Enter choose", KeyCode::Enter),
    ("Esc back", KeyCode::Esc),
    ("? help", KeyCode::Char('?')),
    ("q quit", KeyCode::Char('q')),
];

/// The same on a line that offers something to choose from. Elsewhere a click on it would begin a match.
const CHANGE: (&str, KeyCode) = ("← → change", KeyCode::Right);

/// The same on a record.
const REVIEW: (&str, KeyCode) = ("r review", KeyCode::Char('r'));

impl Launcher {
    pub(super) fn draw_in(&mut self, area: Rect, buffer: &mut Buffer) {
        self.hot.clear();
        let bar = Rect { height: 1.min(area.height), ..area };
        let bold = self.look.ink(Role::Ink).add_modifier(Modifier::BOLD);
        title_bar(" Rookery", "", "", bar, self.look, buffer);
        let title = wrap(&self.title(), usize::from(area.width).saturating_sub(2));
        for (row, text) in (2..).zip(&title) {
            line(buffer, area, row, &format!(" {text}"), bold);
        }
        let top = TOP + title.len() as u16;
        let room = Rect {
            y: area.y + top.min(area.height),
            height: area.height.saturating_sub(top + BOTTOM),
            ..area
        };
        let items = self.items();
        let list = List::new(self.list_items(&items), usize::from(area.width).saturating_sub(1));
        for (row, number, text) in list.visible(self.at, room.height) {
            let chosen = number == self.at;
            let style = if chosen { self.look.loud() } else { Style::default() };
            line(buffer, room, row, text, style);
            self.hot.push((Rect { y: room.y + row, height: 1, ..room }, Hot::Row(number)));
        }
        let n_lines = (list.len() as u16).min(room.height);
        let rest = room.height.saturating_sub(n_lines + 1);
        self.draw_results(Rect { y: room.y + room.height - rest, height: rest, ..room }, buffer);
        if self.page == Page::Help {
            for (row, text) in (2..).zip(HELP.lines()) {
                line(buffer, room, row, &format!("   {text}"), Style::default());
            }
        }
        if let Some(item) = items.get(self.at) {
            self.draw_bottom(&item.act, top, area, buffer);
        }
        self.look.simplify(buffer);
    }

    /// Results against each level, below the list of a game's page.
    fn draw_results(&self, room: Rect, buffer: &mut Buffer) {
        let Page::Game(idx) = self.page else { return };
        let tallies = LEVELS.iter().enumerate().filter_map(|(number, level)| {
            Some((number, *level, self.results.against(CATALOG[idx].name(), level)?))
        });
        let tallies: Vec<_> = tallies.collect();
        if tallies.is_empty() || usize::from(room.height) < tallies.len() + 1 {
            return;
        }
        line(buffer, room, 0, "       Your results", self.look.soft());
        for (row, (number, level, tally)) in (1..).zip(tallies) {
            let style = if number == self.level { self.look.loud() } else { self.look.soft() };
            line(buffer, room, row, &format!("       {level:NAME$} {tally}"), style);
        }
    }

    /// What each item begins with, and what may take several lines.
    fn list_items<'a>(&self, items: &'a [Item]) -> impl Iterator<Item = (String, String)> + use<'a> {
        let at = self.at;
        items.iter().enumerate().map(move |(number, Item { text, note, .. })| {
            let sign = if number == at { '>' } else { ' ' };
            let number = number + 1;
            if text_width(text) <= NAME {
                (format!(" {sign} {number:>2}  {text:NAME$} "), note.clone())
            } else {
                (format!(" {sign} {number:>2}  "), format!("{text}; {note}"))
            }
        })
    }

    /// The command that does the same, or what is wrong with what is typed; and the keys, or what is typed.
    fn draw_bottom(&mut self, act: &Act, top: u16, area: Rect, buffer: &mut Buffer) {
        let bar = Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area };
        let (text, style) = if self.problem.is_empty() {
            (command(act), self.look.soft())
        } else {
            (self.problem.clone(), self.look.wrong())
        };
        if area.height > top + BOTTOM {
            let lines = wrap(&text, usize::from(area.width).saturating_sub(2));
            let n_lines = lines.len().min(usize::from(area.height - top)) as u16;
            let place = Rect { y: bar.y - n_lines, height: n_lines, ..area };
            // A long problem covers the end of the list.
            ratatui::widgets::Widget::render(ratatui::widgets::Clear, place, buffer);
            for (row, text) in (0..n_lines).zip(&lines) {
                line(buffer, place, row, &format!(" {text}"), style);
            }
        }
        buffer.set_style(bar, self.look.bar());
        if let Some(input) = &self.input {
            let room = usize::from(area.width).saturating_sub(44);
            let text = format!(" setup: {}_   (Enter takes it, Esc does not)", clean(&tail(input, room)));
            line(buffer, bar, 0, &text, self.look.bar().add_modifier(Modifier::BOLD));
        } else {
            let change =
                matches!(act, Act::Level(_) | Act::Swap | Act::Players | Act::Size).then_some(CHANGE);
            let review = (self.page == Page::Records && *act != Act::Open(Page::Home)).then_some(REVIEW);
            let keys: Vec<_> = change.into_iter().chain(review).chain(KEYS.iter().copied()).collect();
            self.hot.extend(key_bar(&keys, bar, self.look, buffer));
        }
    }
}
