//! The form of a tournament: who is to play whom, given what was played.

use crate::{Entrant, GameResult, Pairing, Points};

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

/// Somebody came or went while a tournament was on. No result says so, so another run has to be told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// An entrant came late.
    Join {
        /// Its number: the next one.
        entrant: Entrant,
        /// It plays no game with a lower [`Pairing::id`].
        from: u64,
    },
    /// An entrant left.
    Leave {
        /// Who.
        entrant: Entrant,
        /// It plays no game with this [`Pairing::id`] or a higher one.
        from: u64,
    },
}

/// Points without a game, for an entrant that could not be paired in a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bye {
    /// Who has it.
    pub entrant: Entrant,
    /// In which round, from 1.
    pub round: u32,
    /// What it is worth.
    pub points: Points,
    /// The points that the entrant had before.
    pub before: Points,
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

    /// Whether who meets whom later, or whether they meet at all, follows from how games end. A game without a result then
    /// holds up what comes behind it.
    fn follows_results(&self) -> bool {
        false
    }

    /// Somebody comes late and takes part from now on; `None` if the format takes nobody any more.
    fn join(&mut self) -> Option<Entrant> {
        None
    }

    /// Who came and went so far. To go on in another run, tell it these in their order ([`change`](Self::change)), and
    /// then the results. Empty for a format that does not tell.
    fn changes(&self) -> Vec<Change> {
        vec![]
    }

    /// Somebody came or went in an earlier run.
    fn change(&mut self, change: &Change) {
        if let Change::Leave { entrant, .. } = change {
            self.leave(*entrant);
        }
    }

    /// The last round that began, if the format has rounds.
    fn round(&self) -> Option<Round> {
        None
    }

    /// Who had points without a game so far.
    fn byes(&self) -> Vec<Bye> {
        vec![]
    }

    /// Who plays no more because it failed too often, in order.
    fn suspended(&self) -> Vec<Entrant> {
        vec![]
    }

    /// The places that the format itself decides, as far as they are decided: from the first, equals together. Empty where
    /// points decide.
    fn ranking(&self) -> Vec<Vec<Entrant>> {
        vec![]
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

    fn follows_results(&self) -> bool {
        (**self).follows_results()
    }

    fn join(&mut self) -> Option<Entrant> {
        (**self).join()
    }

    fn changes(&self) -> Vec<Change> {
        (**self).changes()
    }

    fn change(&mut self, change: &Change) {
        (**self).change(change);
    }

    fn round(&self) -> Option<Round> {
        (**self).round()
    }

    fn byes(&self) -> Vec<Bye> {
        (**self).byes()
    }

    fn suspended(&self) -> Vec<Entrant> {
        (**self).suspended()
    }

    fn ranking(&self) -> Vec<Vec<Entrant>> {
        (**self).ranking()
    }

    fn winners(&self) -> Vec<Entrant> {
        (**self).winners()
    }
}
