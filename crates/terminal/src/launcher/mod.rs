//! The first screen: what to play, on what board, against whom.

mod drawing;
mod items;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::layout::{Position, Rect};
use rookery_catalog::CATALOG;

use items::{Act, LEVELS, Page};

use crate::app::Hot;
use crate::chosen::Chosen;
use crate::popup::edit;
use crate::results::Results;
use crate::run::Screen;
use crate::{Look, clean};

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
    /// To see what went wrong in the match of this record.
    Review(PathBuf),
    /// The rules of this game.
    Rules(&'static str),
    /// A first game, in which each step is explained.
    Guide,
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

/// The state of the first screen.
#[derive(Debug)]
pub struct Launcher {
    look: Look,
    recent: Vec<Recent>,
    page: Page,
    at: usize,
    results: Results,
    /// Whether the computer begins.
    swapped: bool,
    /// The level on the page of a game.
    level: usize,
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
    pub fn new(recent: Vec<Recent>, results: Results, look: Look) -> Self {
        // Who has never played is offered the first game before all others.
        let at = if results.is_empty() { CATALOG.len() } else { 0 };
        Self {
            look,
            recent,
            page: Page::Home,
            at,
            results,
            swapped: false,
            level: 0,
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

    /// Changes what the line under the cursor offers, one way or the other. Whether it offers something.
    fn change(&mut self, forward: bool) -> bool {
        let other = match self.items().get(self.at).map(|item| &item.act) {
            Some(Act::Players) => self.chosen.other_players(forward),
            Some(Act::Size) => self.chosen.other_size(forward),
            Some(Act::Level(_)) => {
                let step = if forward { 1 } else { LEVELS.len() - 1 };
                self.level = (self.level + step) % LEVELS.len();
                None
            }
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
            KeyCode::Char('r') if self.page == Page::Records => {
                self.wish = self.recent.get(self.at).map(|recent| Wish::Review(recent.path.clone()));
            }
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
            self.level = self.next_level(CATALOG[idx].name());
        }
        self.page = page;
        self.at = 0;
    }

    /// The lowest level that was not won against yet.
    fn next_level(&self, game: &str) -> usize {
        let is_won = |level: &str| self.results.against(game, level).is_some_and(|tally| tally.won > 0);
        LEVELS.iter().position(|level| !is_won(level)).unwrap_or(LEVELS.len() - 1)
    }

    fn choose(&mut self, number: usize) {
        self.at = number;
        match self.items().into_iter().nth(number).map(|item| item.act) {
            Some(Act::Open(page)) => self.open(page),
            Some(Act::Swap | Act::Players | Act::Size) => drop(self.change(true)),
            Some(Act::Type) => self.input = Some(self.chosen.options()),
            Some(Act::Go(wish) | Act::Level(wish)) => self.wish = Some(wish),
            None => {}
        }
    }
}

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
        self.draw_in(frame.area(), frame.buffer_mut());
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
