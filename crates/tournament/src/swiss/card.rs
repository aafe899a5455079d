//! What the pairing rules want to know of a player.

use std::collections::BTreeSet;

use crate::Points;

/// What a player did in one round of a Swiss tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PastRound {
    /// It met somebody.
    Met {
        /// Whom.
        opponent: usize,
        /// Whether it sat on the first seat; `None` if both sat equally often on each.
        first: Option<bool>,
        /// What it got.
        points: Points,
    },
    /// It had points without a game.
    Bye {
        /// How many.
        points: Points,
    },
    /// It was not there.
    Absent,
}

impl PastRound {
    pub(super) fn points(&self) -> Points {
        match self {
            Self::Met { points, .. } | Self::Bye { points } => *points,
            Self::Absent => Points::ZERO,
        }
    }
}

/// How much a player wants a seat.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Strength {
    None,
    /// It sat equally often on both, and alternates.
    Mild,
    /// Once more on the other one.
    Strong,
    /// More often, or twice in a row.
    Absolute,
}

/// Everything about one player before a round.
#[derive(Clone, Debug)]
pub(super) struct Card {
    pub(super) score: Points,
    pub(super) met: BTreeSet<usize>,
    /// Whether it wants the first seat.
    pub(super) wants_first: bool,
    pub(super) strength: Strength,
    /// First seats minus second seats.
    pub(super) difference: i64,
    /// The seat in each round in which it had one.
    seats: Vec<Option<bool>>,
    pub(super) had_bye: bool,
    pub(super) unplayed: u64,
    /// Whether it met somebody with fewer points, or had a bye, in the last round and in the one before.
    pub(super) down: [bool; 2],
    /// Whether it met somebody with more points.
    pub(super) up: [bool; 2],
}

impl Card {
    /// The cards of all players from their past, in which everybody has the same number of rounds.
    pub(super) fn all(past: &[Vec<PastRound>]) -> Vec<Self> {
        let n_rounds = past.iter().map(Vec::len).max().unwrap_or(0);
        let before = |player: usize, round: usize| -> Points {
            past[player].iter().take(round).map(PastRound::points).sum()
        };
        let of = |player: usize| {
            let rounds = &past[player];
            let seats: Vec<Option<bool>> = rounds
                .iter()
                .map(|round| if let PastRound::Met { first, .. } = round { *first } else { None })
                .collect();
            let met = rounds.iter().filter_map(|round| match round {
                PastRound::Met { opponent, .. } => Some(*opponent),
                _ => None,
            });
            let float = |back: usize| {
                let Some(round) = n_rounds.checked_sub(back) else { return (false, false) };
                match rounds.get(round) {
                    Some(PastRound::Met { opponent, .. }) => {
                        let (own, other) = (before(player, round), before(*opponent, round));
                        (own > other, own < other)
                    }
                    Some(PastRound::Bye { .. }) => (true, false),
                    _ => (false, false),
                }
            };
            let floats = [float(1), float(2)];
            let mut card = Self {
                score: before(player, n_rounds),
                met: met.collect(),
                wants_first: false,
                strength: Strength::None,
                difference: 0,
                seats,
                had_bye: rounds.iter().any(|round| matches!(round, PastRound::Bye { .. })),
                unplayed: rounds.iter().filter(|round| !matches!(round, PastRound::Met { .. })).count()
                    as u64,
                down: floats.map(|float| float.0),
                up: floats.map(|float| float.1),
            };
            card.find_preference();
            card
        };
        (0..past.len()).map(of).collect()
    }

    fn find_preference(&mut self) {
        let had: Vec<bool> = self.seats.iter().flatten().copied().collect();
        let [.., last] = had[..] else { return };
        self.difference = had.iter().map(|&first| if first { 1 } else { -1 }).sum();
        let twice = had.len() > 1 && had[had.len() - 2] == last;
        (self.wants_first, self.strength) = match self.difference {
            2.. => (false, Strength::Absolute),
            ..=-2 => (true, Strength::Absolute),
            _ if twice => (!last, Strength::Absolute),
            1 => (false, Strength::Strong),
            -1 => (true, Strength::Strong),
            0 => (!last, Strength::Mild),
        };
    }

    /// Whether both want the same seat.
    pub(super) fn clashes(&self, other: &Self) -> bool {
        self.strength > Strength::None
            && other.strength > Strength::None
            && self.wants_first == other.wants_first
    }

    /// Whether one of two players sits first, the one who stands higher and the other one. `odd` is whether the higher one
    /// has an odd number.
    pub(super) fn sits_first(&self, other: &Self, odd: bool) -> bool {
        let wish = |card: &Self| (card.strength > Strength::None).then_some(card.wants_first);
        match (wish(self), wish(other)) {
            (None, None) => return odd,
            (Some(first), None) => return first,
            (None, Some(first)) => return !first,
            (Some(one), Some(two)) if one != two => return one,
            _ => {}
        }
        // Both want the same: the stronger wish, and of two absolute ones the larger difference.
        let force = |card: &Self| {
            let wider = if card.strength == Strength::Absolute { card.difference.abs() } else { 0 };
            (card.strength, wider)
        };
        match force(self).cmp(&force(other)) {
            std::cmp::Ordering::Greater => return self.wants_first,
            std::cmp::Ordering::Less => return !other.wants_first,
            std::cmp::Ordering::Equal => {}
        }
        // The opposite of the last time when they sat on different seats, counted by the seats they had.
        let mine: Vec<bool> = self.seats.iter().flatten().copied().collect();
        let theirs: Vec<bool> = other.seats.iter().flatten().copied().collect();
        let differed = mine.iter().rev().zip(theirs.iter().rev()).find(|(one, two)| one != two);
        differed.map_or(self.wants_first, |(one, _)| !one)
    }

    /// What it would be to sit there: a difference beyond two, and the third time in a row.
    pub(super) fn strain(&self, first: bool) -> (bool, bool) {
        let difference = self.difference + if first { 1 } else { -1 };
        let mut last = self.seats.iter().rev().flatten();
        let thrice = last.next() == Some(&first) && last.next() == Some(&first);
        (difference.abs() > 2, thrice)
    }
}
