//! What an exact search wants to know of a game: [`Worth`] and [`Solvable`].

use std::fmt;

use crate::Keyed;

/// What a position is worth to a seat when both sides play as well as can be: who wins, and in how many moves from
/// here, the winner hurrying and the loser delaying. Larger is better: a quick win before a slow one, a win before a
/// draw, a draw before a loss, a late loss before an early one.
///
/// ```
/// use rookery_rules::Worth;
/// assert!(Worth::win(3) > Worth::win(5));
/// assert!(Worth::loss(6) > Worth::loss(4));
/// assert_eq!(Worth::win(5).flip(), Worth::loss(5));
/// assert_eq!(Worth::loss(4).older(), Worth::loss(5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Worth(u8);

impl Worth {
    /// The longest game that can be told apart, in moves.
    pub const MAX_PLIES: u32 = 124;
    /// Nobody wins.
    pub const DRAW: Self = Self(127);
    /// No position is worth less.
    pub const LEAST: Self = Self(0);
    /// No position is worth more.
    pub const MOST: Self = Self(254);

    /// A win after so many moves of both sides together.
    ///
    /// # Panics
    /// If there are more than [`MAX_PLIES`](Worth::MAX_PLIES).
    #[inline]
    pub const fn win(plies: u32) -> Self {
        assert!(plies <= Self::MAX_PLIES, "games that long are not told apart");
        Self(254 - plies as u8)
    }

    /// A loss after so many moves of both sides together.
    ///
    /// # Panics
    /// If there are more than [`MAX_PLIES`](Worth::MAX_PLIES).
    #[inline]
    pub const fn loss(plies: u32) -> Self {
        Self::win(plies).flip()
    }

    /// The same for the other side.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        Self(254 - self.0)
    }

    /// The same seen from one move earlier.
    #[inline]
    #[must_use]
    pub const fn older(self) -> Self {
        match self.0 {
            n if n < 127 => Self(n + 1),
            127 => self,
            n => Self(n - 1),
        }
    }

    /// The least worth that is at least this one when it is [`older`](Worth::older).
    #[inline]
    #[must_use]
    pub const fn younger(self) -> Self {
        match self.0 {
            0 => self,
            n if n < 127 => Self(n - 1),
            127 | 254 => self,
            n => Self(n + 1),
        }
    }

    /// The next better worth.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Self {
        Self(if self.0 < 254 { self.0 + 1 } else { 254 })
    }

    /// Whether it is a win.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > 127
    }

    /// Whether it is a loss.
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < 127
    }

    /// How many moves the game lasts, unless it is a draw.
    pub const fn plies(self) -> Option<u32> {
        match self.0 {
            127 => None,
            n if n < 127 => Some(n as u32),
            n => Some(254 - n as u32),
        }
    }

    /// A number below 256 for it.
    #[inline]
    pub const fn to_byte(self) -> u8 {
        self.0
    }

    /// The worth of a number; the best one for 255, which has none.
    #[inline]
    pub const fn from_byte(byte: u8) -> Self {
        Self(if byte == 255 { 254 } else { byte })
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies() {
            None => f.write_str("draw"),
            Some(plies) if self.is_win() => write!(f, "win in {plies}"),
            Some(plies) => write!(f, "loss in {plies}"),
        }
    }
}

impl fmt::Debug for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Positions of a game between two seats that an exact search can work on. No position ever comes back, and what a
/// position is worth follows from its code.
pub trait Solvable: Keyed {
    /// Whether positions with the same code are worth the same to the seat to move beyond doubt. Otherwise the code is a
    /// hash, and two positions in 2^64 share one by chance.
    const EXACT: bool;

    /// A number for the position. Positions that are symmetric, so that they are worth the same to the seat to move,
    /// may and should share one. Only asked while the game goes on.
    fn code(&self) -> u128;

    /// A number for what never changes during a game and is not part of the code, such as the size of the board: codes
    /// are compared only within one family.
    fn family(&self) -> u64;

    /// How many bits [`code`](Solvable::code) needs in any position that can follow from this one.
    fn code_bits(&self) -> u32;

    /// Bounds, lower and upper, on what the position is worth to the seat to move, as far as they are seen at once. Only
    /// asked while the game goes on.
    #[inline]
    fn foresee(&self) -> (Worth, Worth) {
        (Worth::LEAST, Worth::MOST)
    }

    /// What the position promises the seat to move at first sight; the number of its moves unless a game knows better.
    /// A search tries moves first that promise the other side little. Nothing but its speed depends on it, so what
    /// counts is less who is better than which try is soon settled.
    #[inline]
    fn promise(&self) -> i32 {
        self.count_moves() as i32
    }
}

/// Positions of a game between two seats in which positions come back, and in which endless play is a draw because a cap
/// ends it sooner or later.
pub trait Recurring: Keyed {
    /// For so many moves from here no cap can end the game, and what can be played and who wins follows from the
    /// [`key`](Keyed::key) alone; 0 if some rule asks for more than the key tells.
    fn free_plies(&self) -> u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn younger_undoes_older() {
        for byte in 1..254 {
            let worth = Worth::from_byte(byte);
            // The least worth that becomes at least this one.
            let least = (0..=254).map(Worth::from_byte).find(|w| {
                // A loss in 126 moves does not exist: it would become a draw.
                w.to_byte() != 126 && w.to_byte() != 128 && w.older() >= worth
            });
            if ![126, 127, 128].contains(&byte) {
                assert_eq!(Some(worth.younger()), least, "{worth}");
            }
        }
    }
}
