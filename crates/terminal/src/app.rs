//! The state of the full screen, and what changes it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use rookery_live::Hint;
use rookery_record::free_path;
use rookery_referee::TimeControl;
use rookery_rules::scene::{Move, Scene};

use crate::command::Command;
use crate::plan::Plan;
use crate::popup::{Action, Popup, Purpose, Reply};
use crate::table::{Announcement, Undone};
use crate::telling::capital;
use crate::watch::Watch;
use crate::{Palette, Table, clean, quoted};

/// Why the screen was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave {
    /// Somebody wanted to.
    Quit,
    /// Ctrl-C, or the end of the terminal.
    Interrupted,
}

/// How a message is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tone {
    Calm,
    Loud,
    Wrong,
}

/// Something that can be clicked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hot {
    /// As if this key was pressed.
    Key(KeyCode),
    /// This line of a list.
    Row(usize),
}

/// Which part of a board is seen that is larger than the window.
#[derive(Clone, Default, Debug)]
pub(crate) struct View {
    /// How far the board is moved to the left and up.
    pub(crate) offset: (i32, i32),
    /// The cells that it followed last and the room it had. As long as they stay, so does the board.
    pub(crate) followed: Option<(Vec<usize>, Rect)>,
}

/// A match on the full screen.
#[derive(Debug)]
pub struct App {
    pub(crate) table: Table,
    pub(crate) palette: Palette,
    /// The scene of the position shown.
    pub(crate) scene: Scene,
    /// The last move.
    pub(crate) last: Option<Move>,
    /// The cell of the cursor, by its number in the scene.
    pub(crate) cursor: usize,
    /// The cell whose piece is to move.
    pub(crate) selected: Option<String>,
    /// What is being typed.
    pub(crate) input: Option<String>,
    pub(crate) popup: Option<Popup>,
    pub(crate) message: (Tone, String),
    pub(crate) watch: Option<Watch>,
    pub(crate) now: Instant,
    /// Counts ticks while something is thought about.
    pub(crate) spinner: usize,
    pub(crate) view: View,
    /// Where the cells were when the screen was drawn last.
    pub(crate) plan: Option<Plan>,
    /// What else could be clicked at then.
    pub(crate) hot: Vec<(Rect, Hot)>,
    pub(crate) leave: Option<Leave>,
}

impl App {
    /// A match to be played.
    pub fn new(table: Table, palette: Palette, now: Instant) -> Self {
        let mut app = Self {
            scene: table.scene(),
            table,
            palette,
            last: None,
            cursor: 0,
            selected: None,
            input: None,
            popup: None,
            message: (Tone::Calm, String::new()),
            watch: None,
            now,
            spinner: 0,
            view: View::default(),
            plan: None,
            hot: vec![],
            leave: None,
        };
        app.refresh();
        app.cursor = app.first_cell();
        app.say_notice();
        app
    }

    fn say_notice(&mut self) {
        if let Some(notice) = self.table.notice() {
            self.say(Tone::Loud, format!("{}.", capital(notice)));
        }
    }

    /// A match to be watched from its beginning: a record, or a live one between computers.
    pub fn watching(mut table: Table, delay: Duration, palette: Palette, now: Instant) -> Self {
        table.to_start();
        let mut app = Self::new(table, palette, now);
        app.watch = Some(Watch::new(delay, now));
        app
    }

    /// The match, when the screen is left.
    pub fn into_table(self) -> Table {
        self.table
    }

    /// The match.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Whether the screen is to be left, and why.
    pub fn leave(&self) -> Option<Leave> {
        self.leave
    }

    /// How long nothing changes unless somebody presses a key.
    pub fn patience(&self) -> Duration {
        let timed = self.table.spec().time != TimeControl::Untimed;
        let busy = self.table.is_busy() || self.watch.is_some();
        Duration::from_millis(if busy {
            40
        } else if timed {
            100
        } else {
            250
        })
    }

    /// Time goes by: computers answer, clocks run, a match that is watched goes on.
    pub fn tick(&mut self, now: Instant) {
        self.now = now;
        self.spinner = self.spinner.wrapping_add(1);
        while let Some(announcement) = self.table.poll() {
            match announcement {
                // Who watches sees it when its time has come.
                _ if self.watch.is_some() => {}
                Announcement::Moved => {
                    self.message.1.clear();
                    self.refresh();
                }
                Announcement::Changed => self.refresh(),
                Announcement::Hint(hint) => self.show_hint(&hint),
            }
        }
        self.tick_watch();
    }

    /// The position may be another one.
    pub(crate) fn refresh(&mut self) {
        self.scene = self.table.scene();
        self.last = self.table.last_move();
        self.selected = None;
        self.cursor = self.cursor.min(self.scene.cells.len().saturating_sub(1));
        // A piece that must move needs not be chosen.
        if self.table.person_to_move().is_some() && self.watch.is_none() {
            let mut from = self.scene.moves.iter().map(|mv| mv.from.clone());
            let first = from.next().flatten();
            if first.is_some()
                && from.all(|from| from == first)
                && self.scene.moves.iter().all(|mv| mv.to.is_some())
            {
                self.selected = first;
            }
        }
        if let Some(problem) = self.table.record_problem() {
            self.say(Tone::Wrong, format!("The record is not as it should be: {problem}"));
        }
    }

    pub(crate) fn say(&mut self, tone: Tone, text: impl AsRef<str>) {
        self.message = (tone, clean(text.as_ref()));
    }

    pub(crate) fn say_error(&mut self, error: &dyn std::fmt::Display) {
        let text = capital(&error.to_string());
        self.say(Tone::Wrong, format!("{text}."));
    }

    /// A cell where a move begins.
    fn first_cell(&self) -> usize {
        let mut ids = self.scene.moves.iter().filter_map(|mv| mv.from.as_ref().or(mv.to.as_ref()));
        ids.find_map(|id| self.cell_number(id)).unwrap_or(0)
    }

    pub(crate) fn cell_number(&self, id: &str) -> Option<usize> {
        self.scene.cells.iter().position(|cell| cell.id == id)
    }

    /// The cells that should be seen, the most important one last: where the last move led, and the cursor.
    pub(crate) fn to_follow(&self) -> Vec<usize> {
        let last = self.last.as_ref().and_then(|mv| mv.to.as_ref().or(mv.from.as_ref()));
        let last = last.and_then(|id| self.cell_number(id));
        last.into_iter().chain(self.has_cursor().then_some(self.cursor)).collect()
    }

    /// Whether a cursor is shown: somebody plays here.
    pub(crate) fn has_cursor(&self) -> bool {
        self.watch.is_none() && self.table.is_present() && self.table.verdict().is_none()
    }

    /// The id of the cursor's cell.
    pub(crate) fn cursor_id(&self) -> Option<&str> {
        self.scene.cells.get(self.cursor).map(|cell| cell.id.as_str())
    }

    fn show_hint(&mut self, hint: &Hint) {
        if let Some(mv) = self.scene.find_move(&hint.mv).cloned() {
            let cell = mv.to.as_ref().or(mv.from.as_ref()).and_then(|id| self.cell_number(id));
            self.cursor = cell.unwrap_or(self.cursor);
            self.selected = mv.from.filter(|_| mv.to.is_some());
        }
        self.say(Tone::Loud, format!("Hint: {}.", hint.reason));
    }

    /// Plays a move of the person to move. Whether it was one.
    pub(crate) fn play(&mut self, text: &str) -> bool {
        let played = self.table.play(text);
        match &played {
            Ok(()) => {
                self.message.1.clear();
                self.refresh();
            }
            Err(error) => self.say_error(error),
        }
        played.is_ok()
    }

    /// What came of something that was tried.
    fn after<E: std::fmt::Display>(&mut self, done: Result<(), E>, what: &str) {
        match done {
            Ok(()) => {
                self.refresh();
                self.say(Tone::Calm, what);
            }
            Err(error) => self.say_error(&error),
        }
    }

    fn undo(&mut self) {
        match self.table.undo() {
            Ok(Undone::TakenBack) => self.say(Tone::Calm, "Taken back."),
            Ok(Undone::NewMatch) => {
                self.refresh();
                self.say(Tone::Calm, "Taken back: a new match goes on from here.");
            }
            Err(error) => self.say_error(&error),
        }
    }

    /// Does what a command says. Whether the input line is done with.
    pub(crate) fn obey(&mut self, command: Command) -> bool {
        let running = self.table.is_live() && self.table.n_moves() > 0;
        if !matches!(
            command,
            Command::Nothing | Command::Quit | Command::Help | Command::Rules | Command::Save(_)
        ) {
            self.return_to_present();
        }
        match command {
            Command::Nothing | Command::Board => {}
            Command::Move(text) => return self.play(&text),
            Command::Undo => self.undo(),
            Command::Hint if self.table.ask_hint() => self.say(Tone::Calm, "Looking for a good move ..."),
            Command::Hint => self.say(Tone::Wrong, "There is no hint now: it is not your move."),
            Command::Resign if self.table.is_live() => {
                self.popup = Some(Popup::Ask { question: "Resign this match?", action: Action::Resign });
            }
            Command::Draw if self.table.is_live() => {
                self.popup = Some(Popup::Ask { question: "Do all agree on a draw?", action: Action::Draw });
            }
            Command::Resign | Command::Draw => self.say_error(&self.table.not_now()),
            Command::Accept(yes) => {
                let done = self.table.accept(yes);
                self.after(done, "");
            }
            Command::Say(text) => {
                let done = self.table.say(&text);
                self.after(done, "");
            }
            Command::Restart if running => {
                self.popup = Some(Popup::Ask { question: "Begin a new match?", action: Action::Restart });
            }
            Command::Restart => self.act(Action::Restart),
            Command::Quit if running && self.watch.is_none() => {
                self.popup = Some(Popup::Ask { question: "Leave this match?", action: Action::Quit });
            }
            Command::Quit => self.act(Action::Quit),
            Command::Help | Command::Rules => self.show_rules(),
            Command::Moves => {
                let moves: Vec<(String, String)> =
                    self.scene.moves.iter().map(|mv| (mv.id.clone(), mv.label.clone())).collect();
                if !moves.is_empty() && self.table.person_to_move().is_some() {
                    self.popup = Some(Popup::Choice { moves, at: 0 });
                }
            }
            Command::Save(None) => self.ask_file(Purpose::Save),
            Command::Load(None) => self.ask_file(Purpose::Load),
            Command::Save(Some(path)) => match self.table.save_as(&path) {
                Ok(()) => self.say(Tone::Calm, format!("Saved as {}.", quoted(&path))),
                Err(problem) => self.say_error(&problem),
            },
            Command::Load(Some(path)) => match self.table.load(&path) {
                Ok(()) => {
                    self.view = View::default();
                    self.refresh();
                    self.say(Tone::Calm, format!("Loaded {}.", quoted(&path)));
                    self.say_notice();
                }
                Err(problem) => self.say_error(&problem),
            },
        }
        true
    }

    fn ask_file(&mut self, purpose: Purpose) {
        let offered = match purpose {
            Purpose::Save => self.name_of_copy(),
            Purpose::Load => String::new(),
        };
        self.popup = Some(Popup::File { purpose, text: String::new(), offered });
    }

    /// A name in this folder that no file has: the record's own, or one after the game.
    fn name_of_copy(&self) -> String {
        let game = self.table.spec().game.split(':').next().unwrap_or_default();
        let own = self.table.record().and_then(Path::file_name).map(PathBuf::from);
        let name = own.unwrap_or_else(|| PathBuf::from(format!("{game}.rookery.jsonl")));
        free_path(&name).to_string_lossy().into_owned()
    }

    fn show_rules(&mut self) {
        let keys = if self.watch.is_some() { crate::keys::WATCH_HELP } else { crate::keys::PLAY_HELP };
        let text = format!("{keys}\n{}", self.table.rules());
        self.popup = Some(Popup::Text { title: "Keys and rules", text, scroll: 0 });
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Quit => self.leave = Some(Leave::Quit),
            Action::Resign => {
                let done = self.table.resign();
                self.after(done, "");
            }
            Action::Draw => {
                let done = self.table.offer_draw().and_then(|()| self.table.accept(true));
                self.after(done, "");
            }
            Action::Restart => {
                let done = self.table.restart();
                let began = done.is_ok();
                self.after(done, "A new match.");
                if began {
                    self.cursor = self.first_cell();
                }
            }
        }
    }

    /// What came of a key in a popup.
    pub(crate) fn reply(&mut self, reply: Reply) {
        if reply != Reply::Stay {
            self.popup = None;
        }
        match reply {
            Reply::Stay | Reply::Close => {}
            Reply::Do(action) => self.act(action),
            Reply::Play(id) => {
                self.play(&id);
            }
            Reply::File(purpose, name) => {
                let path = Some(name.into());
                self.obey(match purpose {
                    Purpose::Save => Command::Save(path),
                    Purpose::Load => Command::Load(path),
                });
            }
        }
    }
}
