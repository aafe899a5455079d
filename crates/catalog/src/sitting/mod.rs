//! A sitting: a match with persons in it, without loops, threads or clocks of its own.
//!
//! Whoever shows it decides when things happen: it hands in what persons type ([`AnySitting::play`]), lets computers
//! think where it likes ([`AnySitting::ask`]) and says how much time went by. A sitting can go back and forth, and keeps
//! a record that is right at every moment.
//!
//! ```
//! use rookery_catalog::{MatchOrder, Sitter, sit};
//! use rookery_rules::Seat;
//! use std::time::Duration;
//!
//! let mut sitting = sit(&MatchOrder::new("hexapawn:rows=3,cols=3", &["human", "first"])?)?;
//! sitting.play("b2", Duration::ZERO)?;
//! assert_eq!(sitting.sitter(Seat::new(1)), Sitter::Computer);
//! let thought = sitting.ask(None).expect("a computer is to move").think();
//! assert!(sitting.answer(thought));
//! assert_eq!(sitting.history().len(), 2);
//! sitting.undo()?;
//! assert_eq!(sitting.history().len(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod erased;
mod keeping;
mod thinking;
mod typed;

use std::fmt;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rookery_record::{Header, Lines, RecordError};
use rookery_referee::{Clock, Verdict};
use rookery_rules::{GameSpec, Scene, Seat, scene};

pub use keeping::free_path;
pub use thinking::{Hint, HintQuestion, Question, Thought};
pub(crate) use typed::Sitting;

use crate::{AnyPosition, MatchOrder, OrderError, PlayError, game};

/// The player spec of a person.
pub const PERSON: &str = "human";

/// Who sits at a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sitter {
    /// Somebody who types.
    Person,
    /// A built-in player.
    Computer,
    /// Somebody of a record whom we cannot seat; such a match can only be looked at.
    Stranger,
}

/// One line of the list of moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Whose it is.
    pub seat: Seat,
    /// The move's text, or what else happened.
    pub text: String,
    /// Whether it is a move.
    pub is_move: bool,
}

/// A match with persons in it, of some game. Implemented for every game, never by hand.
pub trait AnySitting: Send {
    /// What was decided before.
    fn header(&self) -> &Header;
    /// The position now.
    fn position(&self) -> &dyn AnyPosition;
    /// The scene now.
    fn scene(&self) -> Scene;
    /// The last move as one sees it on the board.
    fn last_move(&self) -> Option<scene::Move>;
    /// Who is asked for a move; `None` exactly when there is a verdict.
    fn to_ask(&self) -> Option<Seat>;
    /// Who sits there.
    fn sitter(&self, seat: Seat) -> Sitter;
    /// How the match ended, if it did.
    fn verdict(&self) -> Option<&Verdict>;
    /// Everything that happened, in order.
    fn history(&self) -> Vec<Entry>;
    /// The clocks as they stood when the one to move was asked.
    fn clock(&self) -> &Clock;

    /// Plays a move for the person to move, who has thought for so long. A text that is no legal move changes nothing.
    fn play(&mut self, text: &str, used: Duration) -> Result<(), SittingError>;
    /// The person to move gives up.
    fn resign(&mut self) -> Result<(), SittingError>;
    /// The person to move has used up the time. Does nothing if there is time left.
    fn run_out(&mut self, used: Duration);

    /// Back to the last decision of a person.
    fn undo(&mut self) -> Result<(), SittingError>;
    /// Forth to the next decision of a person.
    fn redo(&mut self) -> Result<(), SittingError>;
    /// Back by one event, whoever's it was. Whether there was one.
    fn step_back(&mut self) -> bool;
    /// Forth by one event that was taken back. Whether there was one.
    fn step_forward(&mut self) -> bool;
    /// Whether something was taken back.
    fn can_redo(&self) -> bool;
    /// A new match of the same kind, with another seed and, where the board was drawn at random, another board; its
    /// record goes into a new file.
    fn restart(&mut self);

    /// The question for the computer to move, if it is one's turn. `think` limits its time, beside the clock.
    fn ask(&mut self, think: Option<Duration>) -> Option<Question>;
    /// Takes an answer. One to a question that no longer stands is forgotten, and the result is `false`.
    fn answer(&mut self, thought: Thought) -> bool;
    /// The question for a hint, if a person is to move.
    fn ask_hint(&self) -> Option<HintQuestion>;

    /// From now on every event is written to this file. It is rewritten, or comes into being, with the next event or
    /// with [`save`](AnySitting::save).
    fn keep(&mut self, path: Option<PathBuf>);
    /// Where the record is, or will be.
    fn path(&self) -> Option<&Path>;
    /// Whether the record has its file.
    fn is_kept(&self) -> bool;
    /// Writes the record now, all of it.
    fn save(&mut self) -> Result<(), SittingError>;
    /// Writes a copy of the record into another file, which must not exist.
    fn save_as(&self, path: &Path) -> Result<(), SittingError>;
    /// Why the record is not on disk as it should be.
    fn keeping_problem(&self) -> Option<String>;
}

impl fmt::Debug for dyn AnySitting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sitting of {}", self.header().game)
    }
}

/// Begins a sitting.
pub fn sit(order: &MatchOrder) -> Result<Box<dyn AnySitting>, OrderError> {
    game(&order.spec.game).map_err(OrderError::Setup)?.sit(order)
}

/// A sitting from a record: one to go on with, or a finished one to look at. The file is not kept up to date unless
/// [`AnySitting::keep`] says so.
pub fn load_sitting(source: impl BufRead) -> Result<Box<dyn AnySitting>, RecordError> {
    let source: Box<dyn BufRead + '_> = Box::new(source);
    let mut lines = Lines::new(source);
    let first = lines.first_line()?.to_vec();
    let found = Header::parse(&first).and_then(|header| {
        let spec = GameSpec::parse(&header.game).and_then(|spec| game(&spec.game));
        Ok((spec.map_err(|error| rookery_record::Problem::Wrong(format!("`game`: {error}")))?, header))
    });
    let (game, header) = found.map_err(|problem| lines.error(problem))?;
    game.load_sitting(header, &first, &mut lines)
}

/// Something that cannot be done in a sitting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SittingError {
    /// The text is no legal move.
    Play(PlayError),
    /// The match is over.
    Over,
    /// It is not a person's turn.
    NotAPerson,
    /// The time was over before the answer came.
    TimeOver,
    /// No person has decided anything yet.
    NothingToUndo,
    /// Nothing was taken back.
    NothingToRedo,
    /// The record cannot be written.
    Record(PathBuf, String),
}

impl fmt::Display for SittingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Play(error) => error.fmt(f),
            Self::Over => f.write_str("the match is over; take a move back or begin a new match"),
            Self::NotAPerson => f.write_str("it is the computer's turn; wait for its move"),
            Self::TimeOver => f.write_str("the time was over before the move came"),
            Self::NothingToUndo => f.write_str("there is no move of yours to take back"),
            Self::NothingToRedo => f.write_str("no move was taken back, so there is none to play again"),
            Self::Record(path, problem) => write!(f, "cannot write {}: {problem}", path.display()),
        }
    }
}

impl std::error::Error for SittingError {}
