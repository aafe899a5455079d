//! Time controls and what a player has used of its time. Pure: somebody else reads the clock.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rookery_rules::{
    BySeat, ParseDurationError, Seat, parse_duration, parse_duration_or_zero, write_duration,
};

/// How much time the players have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// As much as they like, up to the cap on any answer. Times are then not kept in the record, so that it depends
    /// on nothing but seeds.
    Untimed,
    /// So much for each move: `500ms`.
    PerMove(Duration),
    /// So much for all moves, and something added after each: `10s+100ms`.
    Fischer { base: Duration, increment: Duration },
    /// So much for each move, and a bank for all moves that go beyond it: `1s/30s`.
    Bank { per_move: Duration, bank: Duration },
}

impl TimeControl {
    /// The most time that one player can use for so many moves; `None` without a clock.
    ///
    /// ```
    /// use std::time::Duration;
    /// use rookery_referee::TimeControl;
    ///
    /// let control: TimeControl = "10s+1s".parse()?;
    /// assert_eq!(control.most_for(5), Some(Duration::from_secs(15)));
    /// # Ok::<(), rookery_referee::ParseTimeError>(())
    /// ```
    pub fn most_for(&self, moves: u32) -> Option<Duration> {
        match *self {
            Self::Untimed => None,
            Self::PerMove(time) => Some(time.saturating_mul(moves)),
            Self::Fischer { base, increment } => Some(base.saturating_add(increment.saturating_mul(moves))),
            Self::Bank { per_move, bank } => Some(bank.saturating_add(per_move.saturating_mul(moves))),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Untimed => f.write_str("untimed"),
            Self::PerMove(time) => f.write_str(&write_duration(time)),
            Self::Fischer { base, increment } => {
                write!(f, "{}+{}", write_duration(base), write_duration(increment))
            }
            Self::Bank { per_move, bank } => {
                write!(f, "{}/{}", write_duration(per_move), write_duration(bank))
            }
        }
    }
}

/// A text that is no time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseTimeError;

impl fmt::Display for ParseTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected a time such as 500ms, 2s, 1.5s or 3m (a number without a unit means seconds; from 1 ms to 24 h), \
             10s+0.1s (for the game, and added after each move) or 1s/30s (a move, and a bank)",
        )
    }
}

impl std::error::Error for ParseTimeError {}

impl From<ParseDurationError> for ParseTimeError {
    fn from(_: ParseDurationError) -> Self {
        Self
    }
}

impl FromStr for TimeControl {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Self, ParseTimeError> {
        if text == "untimed" {
            Ok(Self::Untimed)
        } else if let Some((base, increment)) = text.split_once('+') {
            Ok(Self::Fischer { base: parse_duration(base)?, increment: parse_duration_or_zero(increment)? })
        } else if let Some((per_move, bank)) = text.split_once('/') {
            Ok(Self::Bank { per_move: parse_duration(per_move)?, bank: parse_duration(bank)? })
        } else {
            Ok(Self::PerMove(parse_duration(text)?))
        }
    }
}

/// What one answer cost its player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The time used, the platform's own delays taken off.
    pub used: Duration,
    /// What is left for the moves to come; for a time a move, that time.
    pub left: Duration,
}

/// The clocks of all seats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    /// What is left of the base or of the bank.
    left: BySeat<Duration>,
}

impl Clock {
    /// All clocks full.
    pub fn new(control: TimeControl, n_seats: usize) -> Self {
        let full = match control {
            TimeControl::Untimed => Duration::MAX,
            TimeControl::PerMove(time) => time,
            TimeControl::Fischer { base, .. } => base,
            TimeControl::Bank { bank, .. } => bank,
        };
        Self { control, left: BySeat::filled(n_seats, full) }
    }

    /// The time control.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// What is left of a seat's base or bank; for a time a move, that time. `None` without a time control.
    pub fn left(&self, seat: Seat) -> Option<Duration> {
        (self.control != TimeControl::Untimed).then(|| self.left[seat])
    }

    /// The time a seat has for its next answer; `None` without a time control.
    #[inline]
    pub fn allowance(&self, seat: Seat) -> Option<Duration> {
        match self.control {
            TimeControl::Untimed => None,
            TimeControl::PerMove(time) => Some(time),
            TimeControl::Fischer { .. } => Some(self.left[seat]),
            TimeControl::Bank { per_move, .. } => Some(per_move + self.left[seat]),
        }
    }

    /// How long a seat does well to think about its next answer: all of a time a move, a share of what is left for the
    /// whole game.
    pub fn suggestion(&self, seat: Seat) -> Option<Duration> {
        match self.control {
            TimeControl::Untimed => None,
            TimeControl::PerMove(time) => Some(time),
            TimeControl::Fischer { increment, .. } => {
                Some((self.left[seat] / 25 + increment).min(self.left[seat]))
            }
            TimeControl::Bank { per_move, .. } => Some(per_move + self.left[seat] / 25),
        }
    }

    /// What an answer would cost that has taken so long and is not a move.
    pub fn preview(&self, seat: Seat, used: Duration) -> Option<Charge> {
        self.clone().charge(seat, used, false)
    }

    /// Takes the time of an answer off a seat's clock, and adds the increment if the answer was a move. `None`
    /// without a time control. Whole milliseconds only, as a record keeps them, so that both agree.
    pub fn charge(&mut self, seat: Seat, used: Duration, moved: bool) -> Option<Charge> {
        let used = Duration::from_millis(u64::try_from(used.as_millis()).unwrap_or(u64::MAX));
        let left = &mut self.left[seat];
        match self.control {
            TimeControl::Untimed => return None,
            TimeControl::PerMove(_) => {}
            TimeControl::Fischer { increment, .. } => {
                *left = left.saturating_sub(used);
                if moved {
                    *left += increment;
                }
            }
            TimeControl::Bank { per_move, .. } => *left = left.saturating_sub(used.saturating_sub(per_move)),
        }
        Some(Charge { used, left: *left })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEAT: Seat = Seat::new(1);
    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn time_controls_read_back() {
        for text in ["untimed", "500ms", "2s", "10s+100ms", "10s+0s", "1s/30s"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        assert_eq!("10+0.1".parse(), Ok(TimeControl::Fischer { base: ms(10_000), increment: ms(100) }));
        for bad in ["", "s", "0", "-1s", "1e9s", "25h", "10s+", "/", "1x", "1ss", "nan", "inf"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad:?} is refused");
        }
    }

    #[test]
    fn fischer_adds_after_a_move_only() {
        let mut clock = Clock::new("1s+200ms".parse().unwrap(), 2);
        assert_eq!(clock.allowance(SEAT), Some(ms(1000)));
        assert_eq!(clock.charge(SEAT, ms(300), true), Some(Charge { used: ms(300), left: ms(900) }));
        assert_eq!(clock.charge(SEAT, ms(300), false), Some(Charge { used: ms(300), left: ms(600) }));
        assert_eq!(clock.allowance(Seat::new(0)), Some(ms(1000)), "the other clock stands still");
    }

    #[test]
    fn a_bank_pays_what_goes_beyond() {
        let mut clock = Clock::new("100ms/1s".parse().unwrap(), 2);
        assert_eq!(clock.allowance(SEAT), Some(ms(1100)));
        assert_eq!(clock.charge(SEAT, ms(80), true).map(|charge| charge.left), Some(ms(1000)));
        assert_eq!(clock.charge(SEAT, ms(700), true).map(|charge| charge.left), Some(ms(400)));
        assert_eq!(clock.allowance(SEAT), Some(ms(500)));
    }
}
