//! What a game is worth, in whole numbers, so that sums are exact in any order.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

use rookery_rules::{MAX_SEATS, Outcome, Seat};
use serde::{Deserialize, Serialize};

/// Points, exactly: a share of a point is a whole number of parts, however many share it.
///
/// ```
/// use rookery_tournament::Points;
///
/// assert_eq!((Points::ONE + Points::HALF).to_string(), "1.5");
/// assert_eq!((Points::ONE * 4).value(), 4.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Points(i64);

/// The parts of a point: it can be divided by twice the other seats, and by all who share a first place.
const PARTS: i64 = 840;
const _: () = assert!(MAX_SEATS == 8, "840 is divisible by 2 to 8 and by twice 1 to 7");

impl Points {
    /// None.
    pub const ZERO: Self = Self(0);
    /// Half of one.
    pub const HALF: Self = Self(PARTS / 2);
    /// One.
    pub const ONE: Self = Self(PARTS);

    /// As a number.
    pub fn value(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }

    /// In parts of which [`Points::ONE`] has 840.
    pub const fn parts(self) -> i64 {
        self.0
    }
}

impl Add for Points {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Mul<u64> for Points {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0 * times as i64)
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Self::add)
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Two decimals say as much as anybody reads, and whole numbers and halves need fewer.
        let text = format!("{:.2}", self.value());
        f.pad(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// What a game is worth to those who played it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointRule {
    /// By place: 1 for the first, 0 for the last, evenly between them; who share a place share its points. With two
    /// players: 1, ½, 0.
    #[default]
    Places,
    /// 1 for the first place, shared by those who share it, and nothing else.
    Wins,
}

impl PointRule {
    /// The points of a seat. Where nobody has won, because all were removed, nobody has any.
    ///
    /// ```
    /// use rookery_rules::{Outcome, Seat};
    /// use rookery_tournament::{PointRule, Points};
    ///
    /// let outcome = Outcome::by_score([7, 3, 3].into_iter().collect());
    /// let points = |rule: PointRule, seat| rule.points(&outcome, Seat::new(seat)).value();
    /// assert_eq!((points(PointRule::Places, 0), points(PointRule::Places, 2)), (1.0, 0.25));
    /// assert_eq!((points(PointRule::Wins, 0), points(PointRule::Wins, 2)), (1.0, 0.0));
    /// assert_eq!(PointRule::Places.points(&Outcome::draw(2), Seat::new(1)), Points::HALF);
    /// ```
    pub fn points(self, outcome: &Outcome, seat: Seat) -> Points {
        if outcome.winners.is_empty() {
            return Points::ZERO;
        }
        if self == Self::Wins {
            let shared_by = outcome.winners.len() as i64;
            return Points(if outcome.winners.contains(seat) { PARTS / shared_by } else { 0 });
        }
        let places = outcome.places();
        let n_seats = places.n_seats();
        if n_seats < 2 {
            return Points::ONE;
        }
        let better = places.iter().filter(|&(_, &place)| place < places[seat]).count();
        let worse = places.iter().filter(|&(_, &place)| place > places[seat]).count();
        // Twice the mean place of those who share it, counted from the last.
        let twice = (n_seats - 1 + worse - better) as i64;
        Points(PARTS / (2 * (n_seats as i64 - 1)) * twice)
    }
}

#[cfg(test)]
mod tests {
    use rookery_rules::{BySeat, Seats};

    use super::*;

    #[test]
    fn a_game_gives_away_half_a_point_a_seat_however_it_ends() {
        for n_seats in 2..=MAX_SEATS {
            for first in 1..=n_seats {
                let winners: Seats = Seat::all(n_seats).take(first).collect();
                let scores = BySeat::new(n_seats, |seat| -(seat.index() as i32 / 2));
                let outcome = Outcome { scores, winners };
                let all: Points =
                    Seat::all(n_seats).map(|seat| PointRule::Places.points(&outcome, seat)).sum();
                assert_eq!(all, Points::HALF * n_seats as u64);
                let all: Points = Seat::all(n_seats).map(|seat| PointRule::Wins.points(&outcome, seat)).sum();
                assert_eq!(all, Points::ONE);
            }
        }
    }

    #[test]
    fn where_all_were_removed_nobody_has_points() {
        let outcome = Outcome { scores: BySeat::filled(3, 0), winners: Seats::NONE };
        for rule in [PointRule::Places, PointRule::Wins] {
            assert_eq!(rule.points(&outcome, Seat::new(1)), Points::ZERO);
        }
    }
}
