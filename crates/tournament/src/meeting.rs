//! A meeting: a table of entrants who play some games, with their numbers and seats.

use rookery_rules::MAX_SEATS;

use crate::{Entrant, Pairing, Reason, Seating};

/// The most rounds of a tournament.
pub const MAX_ROUNDS: u32 = (1 << 13) - 1;
/// The most tables of a round.
pub const MAX_TABLES: usize = 1 << 16;
/// The most games of a meeting.
pub const MAX_GAMES: u64 = 1 << 24;

const GAME_BITS: u32 = 24;
const TABLE_BITS: u32 = 16;

/// The number of a pairing: round, table and game, each with digits of its own. So it says nothing of how many played
/// before, grows with the rounds, and stays below 2^53, which every reader of JSON keeps.
pub(crate) const fn id(round: u32, table: usize, game: u64) -> u64 {
    (round as u64) << (TABLE_BITS + GAME_BITS) | (table as u64) << GAME_BITS | game
}

/// The round, table and game of a number.
pub(crate) const fn parts(id: u64) -> (u64, usize, u64) {
    let (table, game) = (id >> GAME_BITS, id & (MAX_GAMES - 1));
    (table >> TABLE_BITS, (table & (MAX_TABLES as u64 - 1)) as usize, game)
}

/// A table of entrants of one round, who play some games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Meeting {
    pub(crate) round: u32,
    pub(crate) table: usize,
    /// By their seats in the first game.
    pub(crate) entrants: Vec<Entrant>,
    /// The number of the first start.
    pub(crate) start: u64,
}

impl Meeting {
    /// How many games one start has.
    pub(crate) fn block_games(&self) -> u64 {
        Seating::block_games(self.entrants.len())
    }

    /// Who sits where in a game.
    pub(crate) fn seated(&self, game: u64) -> Vec<Entrant> {
        let Seating { players, .. } = Seating::of_game(game, self.entrants.len());
        players.into_iter().map(|player| self.entrants[player]).collect()
    }

    /// One of its games, from 0.
    pub(crate) fn pairing(&self, game: u64, reason: Reason) -> Pairing {
        let first = game - game % self.block_games();
        Pairing {
            id: id(self.round, self.table, game),
            entrants: self.seated(game),
            block: id(self.round, self.table, first),
            start: self.start + game / self.block_games(),
            round: Some(self.round),
            reason,
        }
    }
}

/// How many sit at a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableSize {
    /// At least.
    pub min: usize,
    /// At most, and as many as possible.
    pub max: usize,
}

impl TableSize {
    /// Two.
    pub const PAIR: Self = Self { min: 2, max: 2 };

    /// Tables of so many seats, none of which may be empty.
    pub const fn full(seats: usize) -> Self {
        Self { min: seats, max: seats }
    }

    pub(crate) const fn is_valid(self) -> bool {
        2 <= self.min && self.min <= self.max && self.max <= MAX_SEATS
    }

    /// The sizes of the tables of so many players, as equal as can be, and how many have to rest: as few as possible.
    pub(crate) fn sizes(self, players: usize) -> (Vec<usize>, usize) {
        let seated = (0..=players).rev().find(|&seated| {
            let tables = seated.div_ceil(self.max);
            seated == 0 || seated / tables >= self.min
        });
        let seated = seated.expect("nobody needs no table");
        let tables = seated.div_ceil(self.max);
        let sizes = (0..tables).map(|table| seated / tables + usize::from(table < seated % tables)).collect();
        (sizes, players - seated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_and_every_reader_keeps_them() {
        let last = id(MAX_ROUNDS, MAX_TABLES - 1, MAX_GAMES - 1);
        assert_eq!(parts(last), (u64::from(MAX_ROUNDS), MAX_TABLES - 1, MAX_GAMES - 1));
        assert!(last < 1 << 53);
        assert_eq!(parts(id(3, 7, 9)), (3, 7, 9));
    }

    #[test]
    fn sizes_are_as_equal_as_can_be_and_few_rest() {
        let size = |min, max, players| TableSize { min, max }.sizes(players);
        assert_eq!(size(2, 2, 7), (vec![2, 2, 2], 1));
        assert_eq!(size(3, 4, 30), (vec![4, 4, 4, 4, 4, 4, 3, 3], 0));
        assert_eq!(size(3, 4, 5), (vec![4], 1));
        assert_eq!(size(4, 4, 11), (vec![4, 4], 3));
        assert_eq!(size(2, 3, 7), (vec![3, 2, 2], 0));
        assert_eq!(size(3, 3, 2), (vec![], 2));
    }
}
