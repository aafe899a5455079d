//! The state of the full screen, and what changes it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use rookery_record::free_path;
use rookery_referee::TimeControl;
use rookery_rules::scene::{Move, Scene};

use crate::board;
use crate::command::Command;
use crate::ended::Ended;
use crate::listed::{Listed, listed};
use crate::look::SLAB;
use crate::matches::game_name;
use crate::plan::Plan;
use crate::popup::{Action, Popup, Purpose, Reply};
use crate::reviewing::Reviewing;
use crate::table::{Announcement, Undone};
use crate::telling::capital;
use crate::watch::Watch;
use crate::{Look, Table, clean, quoted};

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
    pub(crate) look: Look,
    /// The scene of the position shown.
    pub(crate) scene: Scene,
    /// The last move.
    pub(crate) last: Option<Move>,
    /// The move of the hint, until the next one.
    pub(crate) hint: Option<Move>,
    /// Whether each step is explained.
    pub(crate) guide: bool,
    /// The history as it is listed.
    pub(crate) listed: Vec<Listed>,
    /// Whether pieces are only ever dropped onto the board.
    is_slab: bool,
    /// The cell of the cursor, by its number in the scene.
    pub(crate) cursor: usize,
    /// The cell whose piece is to move.
    pub(crate) selected: Option<String>,
    /// What is being typed.
    pub(crate) input: Option<String>,
    pub(crate) popup: Option<Popup>,
    pub(crate) message: (Tone, String),
    pub(crate) watch: Option<Watch>,
    /// What was right and wrong in a match that is over.
    pub(crate) review: Option<Reviewing>,
    /// What the end of the match has changed in the person's results.
    pub(crate) ended: Ended,
    /// An example of the rules on which moves are tried, before everything else.
    pub(crate) trial: Option<Box<App>>,
    /// Whether this is one.
    pub(crate) is_trial: bool,
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
    pub fn new(table: Table, look: Look, now: Instant) -> Self {
        let mut app = Self {
            scene: table.scene(),
            table,
            look,
            last: None,
            hint: None,
            guide: false,
            listed: vec![],
            is_slab: false,
            cursor: 0,
            selected: None,
            input: None,
            popup: None,
            message: (Tone::Calm, String::new()),
            watch: None,
            review: None,
            ended: Ended::default(),
            trial: None,
            is_trial: false,
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
    pub fn watching(mut table: Table, delay: Duration, look: Look, now: Instant) -> Self {
        table.to_start();
        let mut app = Self::new(table, look, now);
        app.watch = Some(Watch::new(delay, now));
        app
    }

    /// Whether a match is watched; who plays on from one watches no longer.
    pub fn is_watching(&self) -> bool {
        self.watch.is_some()
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

    /// Whether something is under way that will be seen soon: a computer thinks, a hint or a review comes.
    pub fn is_busy(&self) -> bool {
        let trial = self.trial.as_ref().is_some_and(|trial| trial.is_busy());
        self.table.is_busy() || self.is_judging() || trial
    }

    /// How long nothing changes unless somebody presses a key.
    pub fn patience(&self) -> Duration {
        let timed = self.table.spec().time != TimeControl::Untimed;
        Duration::from_millis(if self.is_busy() || self.watch.is_some() {
            40
        } else if timed || self.table.is_hinting() {
            100
        } else {
            250
        })
    }

    /// Time goes by: computers answer, clocks run, a match that is watched goes on.
    pub fn tick(&mut self, now: Instant) {
        self.now = now;
        if let Some(trial) = &mut self.trial {
            trial.tick(now);
        }
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
        self.tick_review();
    }

    /// The position may be another one.
    pub(crate) fn refresh(&mut self) {
        self.scene = self.table.scene();
        self.last = self.table.last_move();
        self.hint = None;
        self.listed = listed(&self.table, self.watch.is_none() || self.reviewed().is_some());
        self.is_slab = board::is_slab(&self.table.position_after(0).scene());
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
        if let Some(judged) = self.judged() {
            let (played, better) =
                (self.scene.find_move(&judged.mv).cloned(), self.scene.find_move(&judged.best).cloned());
            self.hint = better.filter(|better| played.as_ref().is_none_or(|played| played.id != better.id));
            self.last = played;
        }
        self.see_end();
        if let Some(problem) = self.table.record_problem() {
            self.say(Tone::Wrong, format!("Problem with the record: {problem}"));
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
    pub(crate) fn first_cell(&self) -> usize {
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
        self.watch.is_none()
            && self.table.is_present()
            && self.table.verdict().is_none()
            && self.reviewed().is_none()
    }

    /// Where the middle of a cell was when the screen was drawn last, if it was seen.
    pub fn place_of(&self, id: &str) -> Option<(u16, u16)> {
        let plan = self.plan.as_ref()?;
        let &(x, y) = plan.corners.get(self.cell_number(id)?)?;
        let (width, height) = plan.tile.size();
        let (x, y) = (x + i32::from(width / 2), y + i32::from(height - 1) / 2);
        let place = (u16::try_from(x).ok()?, u16::try_from(y).ok()?);
        plan.view.contains(place.into()).then_some(place)
    }

    /// What lies under the cells.
    pub(crate) fn ground(&self) -> &'static str {
        if self.is_slab { SLAB } else { self.scene.ground }
    }

    /// The id of the cursor's cell.
    pub(crate) fn cursor_id(&self) -> Option<&str> {
        self.scene.cells.get(self.cursor).map(|cell| cell.id.as_str())
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
            Ok(Undone::TakenBack) => {
                // It may have taken effect already, and then nothing else tells of it.
                self.refresh();
                self.say(Tone::Calm, "Taken back.");
            }
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
            Command::Hint => self.ask_hint(),
            Command::Review => self.open_review(),
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
            Command::Chat => {
                self.input = Some("say ".to_owned());
                return false;
            }
            Command::Say(text) => {
                let done = self.table.say(&text);
                self.after(done, "");
            }
            Command::Restart if self.is_trial => self.act(Action::Restart),
            Command::Restart if running => {
                self.popup = Some(Popup::Ask { question: "Begin a new match?", action: Action::Restart });
            }
            Command::Restart => self.act(Action::Restart),
            Command::Quit if running && self.watch.is_none() && !self.is_trial => {
                self.popup = Some(Popup::Ask { question: "Leave this match?", action: Action::Quit });
            }
            Command::Quit => self.act(Action::Quit),
            Command::Guide => self.toggle_guide(),
            Command::Help | Command::Rules => self.show_rules(),
            Command::Moves => {
                let moves: Vec<(String, String)> =
                    self.scene.moves.iter().map(|mv| (mv.id.clone(), mv.label.clone())).collect();
                if !moves.is_empty() && self.table.person_to_move().is_some() {
                    self.popup = Some(Popup::Choice { title: "Which move?", items: moves, at: 0 });
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
                    self.review = None;
                    self.ended = Ended::default();
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
        let game = game_name(self.table.spec());
        let own = self.table.record().and_then(Path::file_name).map(PathBuf::from);
        let name = own.unwrap_or_else(|| PathBuf::from(format!("{game}.rookery.jsonl")));
        free_path(&name).to_string_lossy().into_owned()
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
                let done = if self.is_trial { self.table.try_again() } else { self.table.restart() };
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
        // A board of the rules stands before them only for a while.
        if !matches!(reply, Reply::Stay | Reply::Try(_)) {
            self.popup = None;
        }
        match reply {
            Reply::Stay | Reply::Close => {}
            Reply::Do(action) => self.act(action),
            Reply::Choose(ply) if self.reviewed().is_some() => self.choose_mistake(&ply),
            Reply::Choose(id) => {
                self.play(&id);
            }
            Reply::Try(position) => self.try_board(&position),
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
