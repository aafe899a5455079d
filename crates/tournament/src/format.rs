//! The form of a tournament: who is to play whom, given what was played.

use crate::{Entrant, GameResult, Pairing};

/// What a [`Format`] wants now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// These may be played now, at the same time or one after the other. Never empty.
    Play(Vec<Pairing>),
    /// First the results of games that were given must be there, or there must be room.
    Wait,
    /// It is over. Games that were given and not begun are not needed any more.
    End,
}

/// A round of a format that has rounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// Its number, from 1.
    pub number: u32,
    /// Who plays with whom, by table and seat, also at tables that did not begin yet.
    pub tables: Vec<Vec<Entrant>>,
}

/// The form of a tournament, which pulls: it takes results and gives the pairings that may be played now. Entrants are
/// numbers from 0 to [`n_entrants`](Self::n_entrants).
///
/// Pure, and a fold: it keeps nothing of a game that it will not need again, so that a million games need no list. Its
/// laws (`tests/laws.rs`), which make resuming nothing but taking the results of an archive:
///
/// - What it wants follows from the set of results that it took, not from their order, nor from the room it was given.
/// - It gives every pairing once, and no pairing whose result it took before.
/// - It waits only for results of pairings that it gave.
/// - A result it took before, or that fits none of its pairings, changes nothing.
///
/// ```
/// use rookery_referee::Cause;
/// use rookery_rules::Outcome;
/// use rookery_tournament::{Format, GameResult, Next, Series};
///
/// let mut first_run = Series::new(2, 4);
/// let Next::Play(pairings) = first_run.next(3) else { panic!("four games are to be played") };
/// // Only the second of three games ended before that run was stopped.
/// let ended = GameResult::new(&pairings[1], Some(Outcome::draw(2)), Cause::Normal);
///
/// let mut second_run = Series::new(2, 4);
/// second_run.take(&ended);
/// let Next::Play(missing) = second_run.next(10) else { panic!("three games are missing") };
/// assert!(missing.iter().map(|pairing| pairing.id).eq([0, 2, 3]));
/// assert_eq!(second_run.next(10), Next::Wait);
/// ```
pub trait Format: Send {
    /// How many signed up.
    fn n_entrants(&self) -> usize;

    /// A game ended: one that was given, or one of an earlier run.
    fn take(&mut self, result: &GameResult);

    /// An entrant takes no further part. Who leaves before its first game must be told again, and first, when the
    /// tournament goes on in another run: no result says so.
    fn leave(&mut self, entrant: Entrant);

    /// What is to be done now; at most `room` pairings. Without room it gives none, and changes nothing.
    fn next(&mut self, room: usize) -> Next;

    /// The last round that began, if the format has rounds.
    fn round(&self) -> Option<Round> {
        None
    }

    /// Who has won, in order, once it is over; never who left. Nobody, if the format leaves that to a table of results.
    fn winners(&self) -> Vec<Entrant> {
        vec![]
    }
}

impl<F: Format + ?Sized> Format for Box<F> {
    fn n_entrants(&self) -> usize {
        (**self).n_entrants()
    }

    fn take(&mut self, result: &GameResult) {
        (**self).take(result);
    }

    fn leave(&mut self, entrant: Entrant) {
        (**self).leave(entrant);
    }

    fn next(&mut self, room: usize) -> Next {
        (**self).next(room)
    }

    fn round(&self) -> Option<Round> {
        (**self).round()
    }

    fn winners(&self) -> Vec<Entrant> {
        (**self).winners()
    }
}
