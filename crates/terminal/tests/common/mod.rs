//! A match on a screen in memory, driven by keys.
#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod svg;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use rookery_catalog::agree;
use rookery_referee::MatchSpec;
use rookery_rules::{GameSpec, Seed};
use rookery_terminal::{App, Keep, Look, Table, screen};
use tokio::runtime::{Builder, Handle, Runtime};

/// A match, a screen, and a clock that only moves when told.
pub(crate) struct Stage {
    pub(crate) app: App,
    pub(crate) terminal: Terminal<TestBackend>,
    pub(crate) now: Instant,
}

/// Where the matches of all tests run.
pub(crate) fn runtime() -> &'static Handle {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap());
    RUNTIME.handle()
}

/// What is agreed at a screen.
pub(crate) fn agreed(spec: &str, players: &[&str]) -> MatchSpec {
    let entries: Vec<_> = players.iter().map(|player| player.parse().unwrap()).collect();
    MatchSpec { casual: true, ..agree(&GameSpec::parse(spec).unwrap(), &entries, Seed(1)).unwrap() }
}

/// A match of which no record is kept.
pub(crate) fn table(spec: &str, players: &[&str]) -> Table {
    Table::begin(runtime(), agreed(spec, players), &Keep::No).unwrap()
}

impl Stage {
    pub(crate) fn new(spec: &str, players: &[&str]) -> Self {
        Self::with(table(spec, players), (80, 24), Look::DARK)
    }

    pub(crate) fn with(table: Table, size: (u16, u16), look: Look) -> Self {
        let now = Instant::now();
        Self::of(App::new(table, look, now), size, now)
    }

    pub(crate) fn of(app: App, (width, height): (u16, u16), now: Instant) -> Self {
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut stage = Self { app, terminal, now };
        stage.settle();
        stage
    }

    /// Waits until nothing is under way any more, then draws.
    pub(crate) fn settle(&mut self) {
        let patience = Instant::now() + Duration::from_mins(1);
        loop {
            self.app.tick(self.now);
            if !self.app.is_busy() {
                break;
            }
            assert!(Instant::now() < patience, "whatever is under way ends");
            std::thread::sleep(Duration::from_millis(1));
        }
        self.draw();
    }

    pub(crate) fn draw(&mut self) {
        self.terminal.draw(|frame| screen::draw(&mut self.app, frame)).unwrap();
    }

    pub(crate) fn resize(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
        self.draw();
    }

    pub(crate) fn press(&mut self, code: KeyCode) {
        self.app.update(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        self.settle();
    }

    /// Types letters; `\n` is Enter.
    pub(crate) fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.press(if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) });
        }
    }

    pub(crate) fn click(&mut self, column: u16, row: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        self.app.update(&Event::Mouse(mouse));
        self.settle();
    }

    /// Clicks at the middle of a cell.
    pub(crate) fn click_cell(&mut self, id: &str) {
        let (x, y) = self.app.place_of(id).expect("the cell is on the screen");
        self.click(x, y);
    }

    /// Turns the wheel of the mouse.
    pub(crate) fn wheel(&mut self, down: bool) {
        let kind = if down { MouseEventKind::ScrollDown } else { MouseEventKind::ScrollUp };
        let mouse = MouseEvent { kind, column: 0, row: 0, modifiers: KeyModifiers::NONE };
        self.app.update(&Event::Mouse(mouse));
        self.settle();
    }

    pub(crate) fn wait(&mut self, time: Duration) {
        self.now += time;
        self.settle();
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    /// What the screen says, without the spaces at the ends of lines.
    pub(crate) fn text(&self) -> String {
        let buffer = self.buffer();
        let rows = buffer.area.rows().map(|row| {
            let line: String = row.columns().map(|cell| buffer[(cell.x, cell.y)].symbol()).collect();
            line.trim_end().to_owned() + "\n"
        });
        rows.collect()
    }

    /// Whether the screen says this.
    #[track_caller]
    pub(crate) fn shows(&self, text: &str) {
        assert!(self.text().contains(text), "the screen says {text:?}:\n{}", self.text());
    }

    /// Where a text stands.
    #[track_caller]
    pub(crate) fn find(&self, text: &str) -> (u16, u16) {
        let shown = self.text();
        let (row, line) =
            shown.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap_or_else(|| {
                panic!("the screen says {text:?}:\n{shown}");
            });
        let col = line.split(text).next().unwrap().chars().count();
        (col as u16, row as u16)
    }

    pub(crate) fn moves(&self) -> Vec<String> {
        let table = self.app.table();
        table.history().iter().map(|entry| table.deed(entry)).collect()
    }
}
