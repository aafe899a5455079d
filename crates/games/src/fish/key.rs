//! The hash that a position carries.

use rookery_rules::{Keyed, Seat, mix};

use super::Position;
use super::position::MAX_PLAYERS;
use super::shape::MAX_CELLS;

impl Position {
    /// The part of the key that tells whose turn it is and for what.
    pub(super) fn stage_key(&self) -> u64 {
        let each = u64::from(self.penguins_each().unwrap_or(0));
        KEYS.turn[self.to_move.index()].wrapping_add(KEYS.each.wrapping_mul(each))
    }
}

impl Keyed for Position {
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    fn full_key(&self) -> u64 {
        let mut key = self.stage_key();
        let mut add = |number: u64, unit: u64| key = key.wrapping_add(unit.wrapping_mul(number));
        for (&fish, unit) in self.board.fish.iter().zip(KEYS.tiles) {
            add(fish.into(), unit);
        }
        for seat in Seat::all(self.n_seats.into()) {
            let idx = seat.index();
            add(self.scores[idx].into(), KEYS.score[idx]);
            add(self.is_removed(seat).into(), KEYS.removed[idx]);
            for (bit, unit) in KEYS.penguins[idx].into_iter().enumerate() {
                add((self.penguins[idx] >> bit & 1) as u64, unit);
            }
        }
        key
    }
}

/// The summands of a position's key. Sums instead of exclusive ors, so that fish and scores are simply multiples.
pub(super) struct Keys {
    /// For each fish on a cell.
    pub(super) tiles: [u64; MAX_CELLS],
    pub(super) penguins: [[u64; MAX_CELLS]; MAX_PLAYERS],
    /// For each fish of a player.
    pub(super) score: [u64; MAX_PLAYERS],
    /// For each fish that the first of two players is ahead, where the scores themselves do not matter.
    pub(super) lead: u64,
    removed: [u64; MAX_PLAYERS],
    pub(super) turn: [u64; MAX_PLAYERS],
    /// For each penguin that a player gets, while they are being placed.
    each: u64,
}

pub(super) static KEYS: Keys = {
    let mut keys = Keys {
        tiles: [0; MAX_CELLS],
        penguins: [[0; MAX_CELLS]; MAX_PLAYERS],
        score: [0; MAX_PLAYERS],
        lead: mix(0xf15_6000),
        removed: [0; MAX_PLAYERS],
        turn: [0; MAX_PLAYERS],
        each: mix(0xf15_0000),
    };
    let mut cell = 0;
    while cell < MAX_CELLS {
        keys.tiles[cell] = mix(0xf15_1000 + cell as u64);
        let mut seat = 0;
        while seat < MAX_PLAYERS {
            keys.penguins[seat][cell] = mix(0xf15_2000 + (seat * MAX_CELLS + cell) as u64);
            seat += 1;
        }
        cell += 1;
    }
    let mut seat = 0;
    while seat < MAX_PLAYERS {
        keys.score[seat] = mix(0xf15_3000 + seat as u64);
        keys.removed[seat] = mix(0xf15_4000 + seat as u64);
        keys.turn[seat] = mix(0xf15_5000 + seat as u64);
        seat += 1;
    }
    keys
};
