//! The first screen: what to play, against whom.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use rookery_catalog::{AnyGame, CATALOG, PERSON};

use crate::app::Hot;
use crate::run::Screen;
use crate::screen::{key_bar, line};
use crate::{Palette, clean, quoted};

/// What somebody has chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wish {
    /// A match of this game between these players.
    Play { game: &'static str, players: Vec<String> },
    /// The same, to be watched.
    Watch { game: &'static str, players: Vec<String> },
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

/// Lines above the list, and below it.
const TOP: u16 = 4;
const BOTTOM: u16 = 3;

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
            Page::Game(idx) => self.game_items(CATALOG[idx]),
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

    fn game_items(&self, game: &'static dyn AnyGame) -> Vec<Item> {
        let name = game.name();
        let known = game.players();
        let levels = LEVELS.iter().filter_map(|level| known.iter().find(|info| info.name == *level));
        let mut items: Vec<Item> = levels
            .clone()
            .map(|info| {
                let mut players = vec![PERSON.to_owned(), info.name.to_owned()];
                if self.swapped {
                    players.reverse();
                }
                Item {
                    text: format!("You against {}", info.name),
                    note: info.summary.to_owned(),
                    act: Act::Go(Wish::Play { game: name, players }),
                }
            })
            .collect();
        let begins = if self.swapped { "Begins: the computer" } else { "Begins: you" };
        items.push(Item { text: begins.to_owned(), note: "Enter changes it".to_owned(), act: Act::Swap });
        items.push(Item {
            text: "Two persons".to_owned(),
            note: "by turns at this terminal".to_owned(),
            act: Act::Go(Wish::Play { game: name, players: vec![PERSON.to_owned(); 2] }),
        });
        let strong: Vec<String> = levels.rev().take(2).map(|info| info.name.to_owned()).collect();
        items.push(Item {
            text: "Watch".to_owned(),
            note: format!("a match between {}", strong.join(" and ")),
            act: Act::Go(Wish::Watch { game: name, players: strong }),
        });
        items.push(Item { text: "Back".to_owned(), note: String::new(), act: Act::Open(Page::Home) });
        items
    }

    fn press(&mut self, key: KeyCode) {
        let items = self.items();
        match key {
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
        self.page = page;
        self.at = 0;
    }

    fn choose(&mut self, number: usize) {
        self.at = number;
        match self.items().into_iter().nth(number).map(|item| item.act) {
            Some(Act::Open(page)) => self.open(page),
            Some(Act::Swap) => self.swapped = !self.swapped,
            Some(Act::Go(wish)) => self.wish = Some(wish),
            None => {}
        }
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
rookery play fish:players=3 human easy human   more players
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
        line(buffer, area, 2, &format!(" {}", self.title()), bold);
        let room = Rect {
            y: area.y + TOP.min(area.height),
            height: area.height.saturating_sub(TOP + BOTTOM),
            ..area
        };
        let items = self.items();
        let skipped = (self.at + 1).saturating_sub(room.height.into());
        for (row, (number, item)) in (0..room.height).zip(items.iter().enumerate().skip(skipped)) {
            let chosen = number == self.at;
            let style = if chosen { self.palette.loud() } else { Style::default() };
            let sign = if chosen { '>' } else { ' ' };
            line(
                buffer,
                room,
                row,
                &format!(" {sign} {:>2}  {:22} {}", number + 1, item.text, item.note),
                style,
            );
            self.hot.push((Rect { y: room.y + row, height: 1, ..room }, Hot::Row(number)));
        }
        if self.page == Page::Help {
            for (row, text) in (2..).zip(HELP.lines()) {
                line(buffer, room, row, &format!("   {text}"), Style::default());
            }
        }
        let bottom = area.bottom().saturating_sub(1);
        let same = items.get(self.at).map(|item| command(&item.act)).unwrap_or_default();
        if !same.is_empty() && area.height > TOP + BOTTOM {
            line(
                buffer,
                Rect { y: bottom - 1, height: 1, ..area },
                0,
                &format!(" {same}"),
                self.palette.faint(),
            );
        }
        let bar = Rect { y: bottom, height: 1.min(area.height), ..area };
        buffer.set_style(bar, self.palette.bar());
        self.hot.extend(key_bar(KEYS, bar, self.palette.bar(), buffer));
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
