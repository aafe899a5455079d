//! How a game of a tournament ended, with everything a format or a table of results may want to know.

use rookery_referee::{Cause, Offence};
use rookery_rules::{Outcome, Seat};

use crate::{Entrant, Pairing};

/// How one game ended. A pairing has one result, however often it was tried.
///
/// ```
/// use rookery_referee::Cause;
/// use rookery_rules::{Outcome, Seat};
/// use rookery_tournament::{Entrant, Format, GameResult, Next, Series};
///
/// let Next::Play(pairings) = Series::new(2, 2).next(2) else { panic!("two games are to be played") };
/// let result = GameResult::new(&pairings[1], Some(Outcome::win(2, Seat::new(0))), Cause::Normal);
/// assert_eq!(result.winners(), [Entrant(1)], "the seats are swapped in the second game");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// The [`Pairing::id`].
    pub pairing: u64,
    /// The [`Pairing::block`].
    pub block: u64,
    /// Who played, by seat.
    pub entrants: Vec<Entrant>,
    /// Winners and scores by seat, and so the places; `None` if the game was aborted and does not count.
    pub outcome: Option<Outcome>,
    /// Why it ended.
    pub cause: Cause,
    /// Who was removed for misconduct, also if the others played on.
    pub failed: Vec<Entrant>,
    /// What they did, as far as it is known.
    pub faults: Vec<(Entrant, Offence)>,
}

impl GameResult {
    /// The result of a pairing in which nobody failed.
    pub fn new(pairing: &Pairing, outcome: Option<Outcome>, cause: Cause) -> Self {
        let Pairing { id, block, entrants, .. } = pairing;
        Self {
            pairing: *id,
            block: *block,
            entrants: entrants.clone(),
            outcome,
            cause,
            failed: vec![],
            faults: vec![],
        }
    }

    /// Who won, by seat; nobody if all were removed or the game was aborted.
    pub fn winners(&self) -> Vec<Entrant> {
        let at = |seat: Seat| self.entrants.get(seat.index()).copied();
        self.outcome.iter().flat_map(|outcome| outcome.winners.iter()).filter_map(at).collect()
    }

    /// Where an entrant sat; `None` if it did not play.
    pub fn seat_of(&self, entrant: Entrant) -> Option<Seat> {
        let seat = self.entrants.iter().position(|&other| other == entrant)?;
        Some(Seat::new(u8::try_from(seat).ok()?))
    }

    /// Whether entrants 0 to `n_entrants` each sat on one seat, and an outcome has all of these seats. What was read
    /// from an archive need not be so.
    pub(crate) fn seats_all(&self, n_entrants: usize) -> bool {
        self.entrants.len() == n_entrants
            && Entrant::all(n_entrants).all(|entrant| self.entrants.contains(&entrant))
            && self.outcome.as_ref().is_none_or(|outcome| outcome.scores.n_seats() == n_entrants)
    }
}
