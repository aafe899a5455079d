//! How a game stands: somebody is to move, or it is over with an [`Outcome`].

use crate::{BySeat, Seat, Seats};

/// Whether the game goes on. A finished game with somebody to move cannot be expressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// This seat owes a move, and has at least one.
    ToMove(Seat),
    /// Nobody can move any more.
    Over(Outcome),
}

/// How a finished game ended.
///
/// `winners` says who won: one seat, or several that share the result (a draw, a tie), or nobody at all (every
/// player was removed). `scores` ranks the seats and is what the game counts: fish, stones, one point for a win.
///
/// ```
/// use rookery_rules::{BySeat, Outcome, Seat};
///
/// let tie = Outcome::by_score([10, 6, 8, 10].into_iter().collect());
/// assert_eq!(tie.winners.len(), 2);
/// assert_eq!(tie.places().as_slice(), [1, 4, 3, 1]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// What each seat has to show for itself; higher is better.
    pub scores: BySeat<i32>,
    /// Who shares the first place.
    pub winners: Seats,
}

impl Outcome {
    /// Everybody with the highest score wins.
    pub fn by_score(scores: BySeat<i32>) -> Self {
        let best = scores.as_slice().iter().max().copied();
        let winners =
            scores.iter().filter(|&(_, &score)| Some(score) == best).map(|(seat, _)| seat).collect();
        Self { scores, winners }
    }

    /// One seat wins with one point, the others have none.
    pub fn win(n_seats: usize, winner: Seat) -> Self {
        Self::by_score(BySeat::new(n_seats, |seat| i32::from(seat == winner)))
    }

    /// All share the result, without points.
    pub fn draw(n_seats: usize) -> Self {
        Self::by_score(BySeat::filled(n_seats, 0))
    }

    /// What each seat gets, all together 0: with two seats 1 for the winner, -1 for the loser and 0 for a draw. With more,
    /// whoever does not win pays its share of what the winners get.
    ///
    /// ```
    /// use rookery_rules::{Outcome, Seat};
    ///
    /// assert_eq!(Outcome::win(3, Seat::new(1)).returns().collect::<Vec<_>>(), [-0.5, 1.0, -0.5]);
    /// assert_eq!(Outcome::draw(2).returns().collect::<Vec<_>>(), [0.0, 0.0]);
    /// ```
    pub fn returns(&self) -> impl Iterator<Item = f32> + use<> {
        let (winners, n_seats) = (self.winners, self.scores.as_slice().len());
        let others = (n_seats.max(2) - 1) as f32;
        let won = (n_seats as f32 / winners.len().max(1) as f32 - 1.0) / others;
        let lost = if winners.is_empty() { 0.0 } else { -1.0 / others };
        Seat::all(n_seats).map(move |seat| if winners.contains(seat) { won } else { lost })
    }

    /// The place of each seat, from 1: winners first, then by score; equals share a place.
    pub fn places(&self) -> BySeat<usize> {
        let rank = |seat: Seat| (self.winners.contains(seat), self.scores[seat]);
        self.scores.map(|seat, _| {
            if self.winners.contains(seat) {
                1
            } else {
                1 + self.scores.iter().filter(|&(other, _)| rank(other) > rank(seat)).count()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_wins_when_all_were_removed() {
        let outcome = Outcome { scores: BySeat::filled(2, 0), winners: Seats::NONE };
        assert_eq!(outcome.places().as_slice(), [1, 1]);
        assert!(outcome.winners.is_empty());
    }

    #[test]
    fn winners_share_the_first_place_whatever_their_scores() {
        let outcome = Outcome {
            scores: [3, 5, 0].into_iter().collect(),
            winners: [Seat::new(0), Seat::new(1)].into_iter().collect(),
        };
        assert_eq!(outcome.places().as_slice(), [1, 1, 3]);
    }
}
