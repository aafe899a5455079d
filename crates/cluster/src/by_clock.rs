//! Whether a game depends on how fast the machine is that plays it.

use rookery_referee::{MatchSpec, SeatSpec, TimeControl};
use rookery_rules::{GameSpec, Kind};

/// Whether anything of a match is by the clock: its time control, its time to think, or a player that limits its own time.
pub(crate) fn is_by_clock(spec: &MatchSpec) -> bool {
    spec.time != TimeControl::Untimed
        || spec.limits.think.is_some()
        || spec.seats.iter().any(|entry| limits_its_time(&spec.game, &entry.player))
}

/// Whether a built-in player has an option that is a time, such as `alphabeta:time=200ms`.
fn limits_its_time(game: &str, player: &SeatSpec) -> bool {
    let SeatSpec::BuiltIn(player) = player else { return false };
    let game = GameSpec::parse(game).and_then(|spec| rookery_catalog::game(&spec.game));
    let known = game.map(rookery_catalog::AnyGame::players).unwrap_or_default();
    let Some(info) = known.into_iter().find(|info| info.name == player.name()) else { return false };
    let Ok(options) = player.spec().check(info.name, info.keys) else { return false };
    let mut times = info.keys.iter().filter(|key| matches!(key.kind, Kind::TimeOr(_)));
    times.any(|key| options.time(key.name).is_some())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use std::time::Duration;

    use rookery_rules::Seed;

    use super::*;

    fn by_clock(game: &str, player: &str) -> bool {
        is_by_clock(&MatchSpec::new(game, ["easy", player], Seed(1)).unwrap())
    }

    #[test]
    fn a_clock_a_time_to_think_and_a_player_with_a_time_of_its_own_are_by_the_clock() {
        let untimed = MatchSpec::new("hexapawn", ["easy", "level:8"], Seed(1)).unwrap();
        assert!(!is_by_clock(&untimed));
        assert!(is_by_clock(&MatchSpec { time: "1s".parse().unwrap(), ..untimed.clone() }));
        let mut thinks = untimed;
        thinks.limits.think = Some(Duration::from_millis(10));
        assert!(is_by_clock(&thinks));
        for game in rookery_catalog::CATALOG {
            assert!(by_clock(game.name(), "alphabeta:nodes=10,time=200ms"), "{}", game.name());
            for player in ["alphabeta", "alphabeta:time=none", "alphabeta:depth=3", "mcts:playouts=10"] {
                assert!(!by_clock(game.name(), player), "{player} in {}", game.name());
            }
        }
        assert!(by_clock("stones:rows=5,cols=5", "alphabeta:time=1s"), "whatever the setup is");
        assert!(!by_clock("hexapawn", "bundle:ann@0123abcd"), "nothing is known of a bot");
    }
}
