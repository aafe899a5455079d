//! How long a game can last, by what was agreed: whoever plays for longer than that does not play.

use std::time::Duration;

use rookery_catalog::start;
use rookery_referee::MatchSpec;

use crate::player::{DELAY, LONGEST_MOVE, LONGEST_PREPARING};
use crate::scale::MOST;

/// How long a game without a clock may take, however many moves it can have.
const LONGEST: Duration = Duration::from_hours(24);

/// How long a game can last, in milliseconds: bots are brought, and then every seat uses up all of its time, which may be scaled if
/// that was agreed. Our own delays have as much room as a worker gives them.
pub(crate) fn longest(spec: &MatchSpec, may_scale: bool) -> u64 {
    let Ok(start) = start(&spec.game) else { return millis(LONGEST) };
    let plies = u32::try_from(start.max_plies()).unwrap_or(u32::MAX);
    let seats = u32::try_from(start.n_seats()).unwrap_or(u32::MAX).max(1);
    let played = match spec.time.most_for(plies.div_ceil(seats)) {
        None => LONGEST_MOVE.saturating_mul(plies).min(LONGEST),
        Some(most) => {
            let clocks = most.saturating_mul(seats).saturating_mul(if may_scale { MOST / 1000 } else { 1 });
            clocks.saturating_add(DELAY.saturating_mul(plies))
        }
    };
    millis(LONGEST_PREPARING.saturating_add(played))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use rookery_rules::Seed;

    use super::*;

    #[test]
    fn a_game_lasts_as_long_as_all_clocks_and_has_an_end_without_them() {
        let spec = MatchSpec::new("hexapawn:rows=3,cols=3", ["first", "first"], Seed(1)).unwrap();
        let plies = start(&spec.game).unwrap().max_plies();
        let minutes = |time: &str, may_scale| {
            longest(&MatchSpec { time: time.parse().unwrap(), ..spec.clone() }, may_scale) / 60_000
        };
        assert!((4..40).contains(&plies), "{plies}");
        assert_eq!(minutes("untimed", false), 10 + 5 * plies);
        assert_eq!(minutes("60m", false), 10 + 60 * plies + 5 * plies / 60, "an hour for each move");
        assert_eq!(minutes("60m+0s", false), 10 + 2 * 60 + 5 * plies / 60, "an hour for each seat");
        assert_eq!(
            minutes("60m+0s", true),
            10 + 4 * 2 * 60 + 5 * plies / 60,
            "four times, if it may be scaled"
        );
        let long = MatchSpec { game: "stones".to_owned(), ..spec.clone() };
        assert!(start(&long.game).unwrap().max_plies() > 12 * 24, "more than a day, five minutes each");
        assert_eq!(longest(&long, false), millis(LONGEST_PREPARING + LONGEST), "never more than a day");
    }
}
