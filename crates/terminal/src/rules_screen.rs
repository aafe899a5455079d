//! The rules of a game on the full screen, with boards to move on.

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use ratatui::layout::{Position, Rect};
use rookery_catalog::AnyGame;

use crate::app::Hot;
use crate::bars::title_bar;
use crate::popup::Reply;
use crate::reading::Reader;
use crate::run::Screen;
use crate::screen::{inset, line};
use crate::{App, Leave, Look, Runner, Table};

/// A rules page on the full screen.
#[derive(Debug)]
pub struct RulesScreen {
    game: &'static dyn AnyGame,
    runner: Runner,
    look: Look,
    reader: Reader,
    /// The board on which moves are tried.
    trial: Option<Box<App>>,
    /// Why a board cannot be tried.
    problem: String,
    hot: Vec<(Rect, Hot)>,
    left: Option<Leave>,
}

/// The widest text that is easily read.
const WIDTH: u16 = 100;

impl RulesScreen {
    /// The rules of a game; what is tried there runs where the runner says.
    pub fn new(game: &'static dyn AnyGame, runner: impl Into<Runner>, look: Look) -> Self {
        let reader = Reader::new("", Some(game));
        let runner = runner.into();
        Self { game, runner, look, reader, trial: None, problem: String::new(), hot: vec![], left: None }
    }

    /// Whether the screen was left, and why.
    pub fn leave(&self) -> Option<Leave> {
        self.left
    }

    fn reply(&mut self, reply: Reply) {
        self.problem.clear();
        match reply {
            Reply::Try(position) => match Table::trial(&self.runner, self.game.name(), &position) {
                Ok(table) => {
                    self.trial = Some(Box::new(App::trying(table, self.look, Instant::now())));
                }
                Err(problem) => self.problem = problem,
            },
            Reply::Close => self.left = Some(Leave::Quit),
            _ => {}
        }
    }

    fn key(&mut self, key: KeyEvent) {
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => self.interrupt(),
            KeyCode::Esc | KeyCode::Char('q') => self.left = Some(Leave::Quit),
            code => {
                // Any other key is for a text before a board, which goes then; here there is nothing behind it.
                let reply = self.reader.key(code);
                self.reply(if reply == Reply::Close { Reply::Stay } else { reply });
            }
        }
    }
}

impl Screen for RulesScreen {
    fn tick(&mut self, now: Instant) {
        if let Some(trial) = &mut self.trial {
            trial.tick(now);
        }
    }

    fn update(&mut self, event: &Event) {
        if let Some(trial) = &mut self.trial {
            trial.update(event);
            match trial.leave() {
                Some(Leave::Interrupted) => self.interrupt(),
                Some(Leave::Quit) => self.trial = None,
                None => {}
            }
            return;
        }
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(*key),
            Event::Mouse(mouse) => match mouse.kind {
                MouseEventKind::ScrollUp => self.key(KeyCode::Up.into()),
                MouseEventKind::ScrollDown => self.key(KeyCode::Down.into()),
                MouseEventKind::Down(MouseButton::Left) => {
                    let at = Position { x: mouse.column, y: mouse.row };
                    if let Some(&(_, Hot::Row(number))) = self.hot.iter().find(|(area, _)| area.contains(at))
                        && let Some(position) = self.reader.position(number).map(str::to_owned)
                    {
                        self.reply(Reply::Try(position));
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>) {
        if let Some(trial) = &mut self.trial {
            return crate::screen::draw(trial, frame);
        }
        let (area, buffer) = (frame.area(), frame.buffer_mut());
        let bar = Rect { height: 1.min(area.height), ..area };
        let name = format!(" {}", self.game.title());
        title_bar(&name, "rules", " q leave ", bar, self.look, buffer);
        let below = Rect { y: area.y + bar.height, height: area.height - bar.height, ..area };
        let page = inset(Rect { width: below.width.min(WIDTH), ..below }, 1);
        self.hot = self.reader.draw(page, self.look, buffer);
        if !self.problem.is_empty() {
            line(buffer, page, page.height.saturating_sub(1), &self.problem, self.look.wrong());
        }
        self.look.simplify(buffer);
    }

    fn is_done(&self) -> bool {
        self.left.is_some()
    }

    fn interrupt(&mut self) {
        self.left = Some(Leave::Interrupted);
    }

    fn patience(&self) -> Duration {
        self.trial.as_ref().map_or(Duration::from_millis(250), |trial| trial.patience())
    }
}
