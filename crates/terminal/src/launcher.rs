//! The first screen: what to play, on what board, against whom.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use rookery_catalog::CATALOG;
use rookery_referee::SeatSpec;

use crate::app::Hot;
use crate::chosen::Chosen;
use crate::list::List;
use crate::popup::edit;
use crate::rich::{text_width, wrap};
use crate::run::Screen;
use crate::screen::{key_bar, line, tail};
use crate::{Palette, clean, quoted};

/// What somebody has chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wish {
    /// A match with this game spec between these players.
    Play { game: String, players: Vec<String> },
    /// The same, to be watched.
    Watch { game: String, players: Vec<String> },
    /// To go on with the match of this record.
    Resume(PathBuf),
    /// To see the match of this record again.
    Replay(PathBuf),
    /// To leave.
    Quit,
}

/// A record of an earlier match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recent {
    /// Its file.
    pub path: PathBuf,
    /// What it is, in a few words.
    pub text: String,
    /// Whether the match is over.
    pub finished: bool,
}

/// The levels that are offered, as far as a game has them.
const LEVELS: [&str; 3] = ["easy", "medium", "hard"];

/// Lines above the list beside those of the title, and lines below it.
const TOP: u16 = 3;
const BOTTOM: u16 = 3;
/// The column of an item's name; what is said about it stands beside.
const NAME: usize = 22;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Page {
    Home,
    Game(usize),
    Records,
    Help,
}

/// What a line of the list does.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Act {
    Open(Page),
    /// Changes who begins.
    Swap,
    /// Another number of players.
    Players,
    /// Another board.
    Size,
    /// A line to type a setup.
    Type,
    Go(Wish),
}

/// One line of the list.
struct Item {
    text: String,
    note: String,
    act: Act,
}

/// The state of the first screen.
#[derive(Debug)]
pub struct Launcher {
    palette: Palette,
    recent: Vec<Recent>,
    page: Page,
    at: usize,
    /// Whether the computer begins.
    swapped: bool,
    /// The setup on the page of a game.
    chosen: Chosen,
    /// The setup that is being typed.
    input: Option<String>,
    /// What is wrong with it.
    problem: String,
    hot: Vec<(Rect, Hot)>,
    wish: Option<Wish>,
    interrupted: bool,
}

impl Launcher {
    /// The first screen, with records of earlier matches, the newest first.
    pub fn new(recent: Vec<Recent>, palette: Palette) -> Self {
        Self {
            palette,
            recent,
            page: Page::Home,
            at: 0,
            swapped: false,
            chosen: Chosen::usual(CATALOG[0]),
            input: None,
            problem: String::new(),
            hot: vec![],
            wish: None,
            interrupted: false,
        }
    }

    /// What was chosen; `None` if the screen was interrupted.
    pub fn wish(self) -> Option<Wish> {
        self.wish.filter(|_| !self.interrupted)
    }

    fn items(&self) -> Vec<Item> {
        let item =
            |text: &str, note: &str, act: Act| Item { text: text.to_owned(), note: note.to_owned(), act };
        match self.page {
            Page::Home => {
                let games = CATALOG.iter().enumerate();
                let mut items: Vec<Item> = games
                    .map(|(idx, game)| item(game.title(), game.summary(), Act::Open(Page::Game(idx))))
                    .collect();
                if !self.recent.is_empty() {
                    items.push(item(
                        "Matches of yours",
                        "go on with one, or see it again",
                        Act::Open(Page::Records),
                    ));
                }
                items.push(item("Help", "what else there is", Act::Open(Page::Help)));
                items.push(item("Quit", "", Act::Go(Wish::Quit)));
                items
            }
            Page::Game(idx) => self.game_items(idx),
            Page::Records => {
                let records = self.recent.iter().map(|recent| {
                    let path = recent.path.clone();
                    let (note, wish) = if recent.finished {
                        ("see it again", Wish::Replay(path))
                    } else {
                        ("go on", Wish::Resume(path))
                    };
                    item(&clean(&recent.text), note, Act::Go(wish))
                });
                records.chain([item("Back", "", Act::Open(Page::Home))]).collect()
            }
            Page::Help => vec![item("Back", "", Act::Open(Page::Home))],
        }
    }

    fn game_items(&self, idx: usize) -> Vec<Item> {
        let item = |text: String, note: &str, act: Act| Item { text, note: note.to_owned(), act };
        let known = CATALOG[idx].players();
        let person = SeatSpec::Human.to_string();
        let levels = LEVELS.iter().filter_map(|level| known.iter().find(|info| info.name == *level));
        let (spec, n_seats) = (self.chosen.text(), self.chosen.n_seats());
        let play = |players: Vec<String>| Act::Go(Wish::Play { game: spec.clone(), players });
        let mut items: Vec<Item> = levels
            .clone()
            .map(|info| {
                let mut players = vec![info.name.to_owned(); n_seats - 1];
                players.insert(if self.swapped { n_seats - 1 } else { 0 }, person.clone());
                item(format!("You against {}", info.name), info.summary, play(players))
            })
            .collect();
        let begins = if self.swapped { "Begins: the computer" } else { "Begins: you" };
        items.push(item(begins.to_owned(), "Enter changes it", Act::Swap));
        if let Some(players) = self.chosen.players() {
            items.push(item(format!("Players: {players}"), "left and right change it", Act::Players));
        }
        if let Some((rows, cols)) = self.chosen.size() {
            items.push(item(format!("Board: {rows} x {cols}"), "left and right change it", Act::Size));
        }
        items.push(item("Setup".to_owned(), &format!("{spec}; Enter types another"), Act::Type));
        let persons = if n_seats == 2 { "Two persons".to_owned() } else { format!("{n_seats} persons") };
        items.push(item(persons, "by turns at this terminal", play(vec![person.clone(); n_seats])));
        let strong: Vec<String> = levels.rev().take(2).map(|info| info.name.to_owned()).collect();
        let note = format!("a match between {}", strong.join(" and "));
        let players = strong.iter().cycle().take(n_seats).cloned().collect();
        items.push(item("Watch".to_owned(), &note, Act::Go(Wish::Watch { game: spec.clone(), players })));
        items.push(item("Back".to_owned(), "", Act::Open(Page::Home)));
        items
    }

    /// Changes what the line under the cursor offers, one way or the other. Whether it offers something.
    fn change(&mut self, forward: bool) -> bool {
        let other = match self.items().get(self.at).map(|item| &item.act) {
            Some(Act::Players) => self.chosen.other_players(forward),
            Some(Act::Size) => self.chosen.other_size(forward),
            Some(Act::Swap) => {
                self.swapped = !self.swapped;
                None
            }
            _ => return false,
        };
        if let Some(other) = other {
            self.chosen = other;
        }
        true
    }

    /// A key while a setup is typed.
    fn type_key(&mut self, key: KeyCode) {
        let Some(input) = &mut self.input else { return };
        match key {
            KeyCode::Esc => self.input = None,
            KeyCode::Enter => match self.chosen.read(input) {
                Ok(chosen) => {
                    self.chosen = chosen;
                    self.input = None;
                    // There may be other lines above it now.
                    let at = self.items().iter().position(|item| item.act == Act::Type);
                    self.at = at.unwrap_or(0);
                }
                Err(error) => {
                    self.problem = clean(&error.to_string());
                    return;
                }
            },
            key => edit(input, key),
        }
        self.problem.clear();
    }

    fn press(&mut self, key: KeyCode) {
        if self.input.is_some() {
            return self.type_key(key);
        }
        let items = self.items();
        match key {
            KeyCode::Right | KeyCode::Left if self.change(key == KeyCode::Right) => {}
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => {
                self.at = self.at.checked_sub(1).unwrap_or(items.len() - 1);
            }
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => self.at = (self.at + 1) % items.len(),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = items.len() - 1,
            KeyCode::Enter | KeyCode::Char(' ') | KeyCode::Right => self.choose(self.at),
            KeyCode::Esc | KeyCode::Left | KeyCode::Backspace if self.page != Page::Home => {
                self.open(Page::Home);
            }
            KeyCode::Char('q') => self.wish = Some(Wish::Quit),
            KeyCode::Char('?') | KeyCode::F(1) => self.open(Page::Help),
            KeyCode::Char(c) => {
                let number = c.to_digit(10).and_then(|n| (n as usize).checked_sub(1));
                if let Some(number) = number.filter(|&number| number < items.len()) {
                    self.choose(number);
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, page: Page) {
        if let Page::Game(idx) = page {
            self.chosen = Chosen::usual(CATALOG[idx]);
        }
        self.page = page;
        self.at = 0;
    }

    fn choose(&mut self, number: usize) {
        self.at = number;
        match self.items().into_iter().nth(number).map(|item| item.act) {
            Some(Act::Open(page)) => self.open(page),
            Some(Act::Swap | Act::Players | Act::Size) => drop(self.change(true)),
            Some(Act::Type) => self.input = Some(self.chosen.options()),
            Some(Act::Go(wish)) => self.wish = Some(wish),
            None => {}
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

    fn title(&self) -> String {
        match self.page {
            Page::Home => "What would you like to play?".to_owned(),
            Page::Game(idx) => {
                let game = CATALOG[idx];
                format!("{} ({} players): {}", game.title(), game.seats(), game.summary())
            }
            Page::Records => "Matches of yours, the newest first".to_owned(),
            Page::Help => "Everything here is also a command:".to_owned(),
        }
    }
}

impl Launcher {
    /// The command that does the same, or what is wrong with what is typed; and the keys, or what is typed.
    fn draw_bottom(&mut self, act: &Act, top: u16, area: Rect, buffer: &mut Buffer) {
        let bar = Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area };
        let (text, style) = if self.problem.is_empty() {
            (command(act), self.palette.faint())
        } else {
            (self.problem.clone(), self.palette.wrong())
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
        buffer.set_style(bar, self.palette.bar());
        if let Some(input) = &self.input {
            let room = usize::from(area.width).saturating_sub(44);
            let text = format!(" setup: {}_   (Enter takes it, Esc does not)", clean(&tail(input, room)));
            line(buffer, bar, 0, &text, self.palette.bar().add_modifier(Modifier::BOLD));
        } else {
            let change = matches!(act, Act::Swap | Act::Players | Act::Size).then_some(CHANGE);
            let keys: Vec<_> = change.into_iter().chain(KEYS.iter().copied()).collect();
            self.hot.extend(key_bar(&keys, bar, self.palette.bar(), buffer));
        }
    }
}

/// The command that does the same.
fn command(act: &Act) -> String {
    match act {
        Act::Go(Wish::Play { game, players }) => format!("rookery play {game} {}", players.join(" ")),
        Act::Go(Wish::Watch { game, players }) => format!("rookery watch {game} {}", players.join(" ")),
        Act::Go(Wish::Resume(path)) => format!("rookery play --resume {}", quoted(path)),
        Act::Go(Wish::Replay(path)) => format!("rookery watch {}", quoted(path)),
        _ => String::new(),
    }
}

const HELP: &str = "\
rookery play fish:players=3 human easy human   players of your choice
rookery play hexapawn:rows=8,cols=8            other boards
rookery play stones --time 10m+5s              clocks
rookery play fish --plain                      for screen readers
rookery games                                  games and their keys
rookery players                                who can be seated
rookery rules fish                             how it is played
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

impl Screen for Launcher {
    fn tick(&mut self, _: Instant) {}

    fn update(&mut self, event: &Event) {
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => {}
            Event::Key(key) if !key.modifiers.contains(KeyModifiers::CONTROL) => self.press(key.code),
            Event::Key(key) if key.code == KeyCode::Char('c') => self.interrupt(),
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
                let at = Position { x: mouse.column, y: mouse.row };
                match self.hot.iter().find(|(area, _)| area.contains(at)) {
                    Some((_, Hot::Key(key))) => self.press(*key),
                    Some((_, Hot::Row(row))) => self.choose(*row),
                    None => {}
                }
            }
            _ => {}
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let buffer = frame.buffer_mut();
        self.hot.clear();
        let bar = Rect { height: 1.min(area.height), ..area };
        buffer.set_style(bar, self.palette.bar());
        let bold = Style::default().add_modifier(Modifier::BOLD);
        line(buffer, bar, 0, " Rookery", self.palette.bar().patch(bold));
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
            let style = if chosen { self.palette.loud() } else { Style::default() };
            line(buffer, room, row, text, style);
            self.hot.push((Rect { y: room.y + row, height: 1, ..room }, Hot::Row(number)));
        }
        if self.page == Page::Help {
            for (row, text) in (2..).zip(HELP.lines()) {
                line(buffer, room, row, &format!("   {text}"), Style::default());
            }
        }
        if let Some(item) = items.get(self.at) {
            self.draw_bottom(&item.act, top, area, buffer);
        }
    }

    fn is_done(&self) -> bool {
        self.wish.is_some() || self.interrupted
    }

    fn interrupt(&mut self) {
        self.interrupted = true;
    }

    fn patience(&self) -> Duration {
        Duration::from_millis(250)
    }
}
