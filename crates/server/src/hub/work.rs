//! How much computers may work for visitors: this machine has others to serve.

use std::time::Duration;

use rookery_referee::Limits;
use rookery_rules::parse_duration;
use rookery_search::PlayerSpec;

use crate::http::ApiError;

/// The most positions that a computer looks at for an answer.
const NODES: u64 = 5_000_000;
/// The most random games it plays for one.
const PLAYOUTS: u64 = 200_000;
/// How many moves it looks ahead without a number of positions beside it.
const DEPTH: u64 = 8;
/// The most memory it takes, in MiB.
const MEBIBYTES: u64 = 64;
/// The longest time it thinks without a clock.
const TIME: Duration = Duration::from_secs(30);

/// Whether a computer may be seated with these options; else what is too much.
pub(crate) fn check_work(player: &PlayerSpec) -> Result<(), String> {
    let options = &player.spec().options;
    let has_nodes = options.iter().any(|(key, _)| key == "nodes");
    for (key, value) in options {
        let number = || value.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<u64>().ok();
        let (is_more, most) = match key.as_str() {
            "playouts" | "games" => (number() > Some(PLAYOUTS), PLAYOUTS.to_string()),
            "nodes" => (number() > Some(NODES), NODES.to_string()),
            "depth" => (!has_nodes && number() > Some(DEPTH), format!("{DEPTH}, or `nodes` beside it")),
            "tt" => (number() > Some(MEBIBYTES), format!("{MEBIBYTES}MiB")),
            "time" => (parse_duration(value).is_ok_and(|time| time > TIME), format!("{}s", TIME.as_secs())),
            _ => continue,
        };
        if is_more {
            return Err(format!("`{player}` is too much work here; expected {key} of at most {most}"));
        }
    }
    Ok(())
}

/// The same for the limits of a whole match.
pub(crate) fn checked_limits(limits: Limits) -> Result<Limits, ApiError> {
    let is_more = limits.nodes > Some(NODES)
        || limits.playouts > Some(PLAYOUTS)
        || limits.think.is_some_and(|time| time > TIME);
    if is_more {
        let seconds = TIME.as_secs();
        return Err(ApiError::field(
            "limits",
            format!(
                "that is too much work here; expected nodes of at most {NODES}, playouts of at most {PLAYOUTS}, think of at most {seconds}s"
            ),
        ));
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_w05_computers_do_not_work_for_ever_for_visitors() {
        for player in [
            "mcts:playouts=200001",
            "playouts:games=10000000",
            "alphabeta:nodes=5000001",
            "alphabeta:depth=9",
            "alphabeta:tt=65MiB",
            "alphabeta:tt=65",
            "alphabeta:time=31s",
        ] {
            let why = check_work(&player.parse().expect("it is a player spec")).expect_err(player);
            assert!(why.contains("at most"), "{player}: {why}");
        }
        for player in [
            "hard",
            "level:8",
            "mcts:playouts=200000",
            "alphabeta:depth=64,nodes=100000",
            "alphabeta:time=none",
        ] {
            check_work(&player.parse().expect("it is a player spec")).expect(player);
        }
        let limits = Limits { nodes: Some(NODES + 1), ..Limits::default() };
        assert!(checked_limits(limits).is_err());
        let limits = Limits { think: Some(2 * TIME), ..Limits::default() };
        assert!(checked_limits(limits).is_err());
        assert!(checked_limits(Limits { playouts: Some(1000), ..Limits::default() }).is_ok());
    }
}
