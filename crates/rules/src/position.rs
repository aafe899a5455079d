//! The one trait a game implements.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::{BySeat, Rng, Seat, Seats, Status, below};

/// One moment of one game, with everything the rules need to go on from here.
///
/// The rules own the turn: extra turns, skipped turns, phases and eliminations happen inside
/// [`play_unchecked`](Position::play_unchecked); nobody outside counts turns.
///
/// Two positions are equal when no sequence of moves and removals can tell them apart by the rules. Moves made
/// on the way are not part of a position, except where a rule asks for them (repetition).
///
/// Six methods are required. The provided ones may be replaced by faster or more talkative versions that give
/// the same answers; the laws in `rookery-testkit` check that they do.
pub trait Position: Clone + Eq + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// One decision of one seat. Its text is context-free and unique among the legal moves of a position.
    type Move: Copy
        + Eq
        + Ord
        + Hash
        + fmt::Debug
        + fmt::Display
        + FromStr<Err = ParseMoveError>
        + Send
        + Sync
        + 'static;

    /// How many seats the table has, removed ones included. It never changes during a game.
    fn n_seats(&self) -> usize;

    /// Who is to move, or how the game ended.
    fn status(&self) -> Status;

    /// The moves of the seat to move, each once, in an order that the game documents. Empty when the game is over.
    fn legal_moves(&self) -> impl Iterator<Item = Self::Move>;

    /// Plays a legal move.
    ///
    /// # Panics
    /// May panic, or leave a position without meaning, if the move is not legal; use [`play`](Position::play)
    /// for moves that come from outside.
    fn play_unchecked(&mut self, mv: Self::Move);

    /// Takes a seat out of the game; the rules say what becomes of its pieces and of the game. Afterwards the
    /// seat is never to move. Does nothing if the game is over or the seat was removed before.
    fn remove(&mut self, seat: Seat);

    /// An upper bound on the number of moves that can still be made: every game ends.
    fn max_plies(&self) -> u64;

    /// The seats that can still win, as far as the rules know: not those that were removed or eliminated.
    fn playing(&self) -> Seats {
        Seats::all(self.n_seats())
    }

    /// Whether the seats still prepare the board: what they decide now comes before the first move proper. Once play
    /// has begun it stays `false`.
    fn is_preparing(&self) -> bool {
        false
    }

    /// The seat to move, if the game goes on.
    #[inline]
    fn to_move(&self) -> Option<Seat> {
        match self.status() {
            Status::ToMove(seat) => Some(seat),
            Status::Over(_) => None,
        }
    }

    /// Whether the move is among the legal ones.
    fn is_legal(&self, mv: Self::Move) -> bool {
        self.legal_moves().any(|legal| legal == mv)
    }

    /// How many legal moves there are.
    fn count_moves(&self) -> usize {
        self.legal_moves().count()
    }

    /// What each seat has to show for itself so far, counted as in the [`Outcome`](crate::Outcome) if the game ended now; 0
    /// for all where only the end counts.
    fn scores(&self) -> BySeat<i32> {
        match self.status() {
            Status::Over(outcome) => outcome.scores,
            Status::ToMove(_) => BySeat::filled(self.n_seats(), 0),
        }
    }

    /// Why a move is not legal, for people: a clause without a full stop. The answer for a legal move has no
    /// meaning.
    fn reason(&self, mv: Self::Move) -> String {
        format!("{mv} is not among the legal moves")
    }

    /// Plays a move that may be illegal; an illegal one changes nothing.
    fn play(&mut self, mv: Self::Move) -> Result<(), IllegalMove<Self::Move>> {
        if self.is_legal(mv) {
            self.play_unchecked(mv);
            Ok(())
        } else {
            let reason = if let Status::Over(_) = self.status() {
                "the game is over".to_owned()
            } else {
                self.reason(mv)
            };
            Err(IllegalMove { mv, reason })
        }
    }

    /// One of the legal moves, each equally likely; `None` when the game is over.
    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move> {
        let n = self.count_moves();
        if n == 0 { None } else { self.legal_moves().nth(below(rng, n as u32) as usize) }
    }
}

/// Positions that carry a hash of themselves, kept up to date move by move.
pub trait Keyed: Position {
    /// The hash. Equal positions have equal keys; keys of different setups may be equal.
    fn key(&self) -> u64;

    /// The same hash computed from nothing, to check the one kept up to date.
    fn full_key(&self) -> u64;
}

/// Positions that can be written as one line of text and read back.
pub trait Notation: Position {
    /// The position as one line; [`from_text`](Notation::from_text) gives back an equal position.
    fn to_text(&self) -> String;

    /// Reads what [`to_text`](Notation::to_text) wrote, or a person did.
    fn from_text(text: &str) -> Result<Self, ParsePositionError>;

    /// Reads a move, also in a short form that only has a meaning in this position. The move need not be legal.
    fn parse_move(&self, text: &str) -> Result<Self::Move, ParseMoveError> {
        text.parse()
    }
}

/// A move the rules do not allow here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IllegalMove<M> {
    /// The move that was tried.
    pub mv: M,
    /// Why not.
    pub reason: String,
}

impl<M: fmt::Display> fmt::Display for IllegalMove<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "illegal move {}: {}", self.mv, self.reason)
    }
}

impl<M: fmt::Display + fmt::Debug> std::error::Error for IllegalMove<M> {}

/// A text that is no move of this game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseMoveError {
    /// What was read, shortened if it was long.
    pub text: String,
    /// What a move of this game looks like.
    pub expected: &'static str,
}

impl ParseMoveError {
    /// `text` is not what was `expected`.
    pub fn new(text: &str, expected: &'static str) -> Self {
        Self { text: shorten(text), expected }
    }
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no move; expected {}", self.text, self.expected)
    }
}

impl std::error::Error for ParseMoveError {}

/// A text that is no position of this game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParsePositionError {
    /// What was read, shortened if it was long.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl ParsePositionError {
    /// `text` is no position because of `problem`.
    pub fn new(text: &str, problem: impl Into<String>) -> Self {
        Self { text: shorten(text), problem: problem.into() }
    }
}

impl fmt::Display for ParsePositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no position: {}", self.text, self.problem)
    }
}

impl std::error::Error for ParsePositionError {}

/// The first part of a text from outside, so that an error message stays readable.
pub(crate) fn shorten(text: &str) -> String {
    const KEEP: usize = 60;
    match text.char_indices().nth(KEEP) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
