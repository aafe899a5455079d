//! Built-in players by name: the *player spec*, `random`, `playouts:games=500`.

use std::fmt;
use std::str::FromStr;

use rookery_referee::{Player, Strategist};
use rookery_rules::{GameSpec, Key, Kind, Position, SetupError, nearest};
use rookery_search::{First, Mcts, Playouts, Random, Strategy};

/// What the catalog says about a built-in player.
#[derive(Clone, Copy, Debug)]
pub struct PlayerInfo {
    /// Its name in a player spec.
    pub name: &'static str,
    /// The keys it takes.
    pub keys: &'static [Key],
    /// What it does and how strong it is, in one line.
    pub summary: &'static str,
}

/// Every built-in player, from weak to strong.
pub static PLAYERS: &[PlayerInfo] = &[
    PlayerInfo { name: "random", keys: &[], summary: "any legal move, each equally likely" },
    PlayerInfo { name: "first", keys: &[], summary: "the first move of the game's list" },
    PlayerInfo {
        name: "playouts",
        keys: &[Key {
            name: "games",
            kind: Kind::Number(1, 10_000_000),
            default: "1000",
            help: "random games for each answer, when neither time nor --playouts limits it",
        }],
        summary: "random games after every move, then the move with the best results; beats random, no match for a person",
    },
    PlayerInfo {
        name: "mcts",
        keys: &[Key {
            name: "playouts",
            kind: Kind::Number(1, 100_000_000),
            default: "10000",
            help: "random games for each answer, when neither time nor --playouts limits it",
        }],
        summary: "grows a tree of the most promising moves by random games, and proves what it can; far stronger than playouts",
    },
];

/// How much built-in players may think about one answer, beside the time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Positions searched or random games played, as the player counts.
    pub work: Option<u64>,
    /// Moves looked ahead.
    pub depth: Option<u32>,
}

/// A player as written on a command line, in a file or in a record.
///
/// ```
/// use rookery_catalog::PlayerSpec;
/// let player: PlayerSpec = "playouts:games=500".parse()?;
/// assert_eq!(player.to_string(), "playouts:games=500");
/// assert!("playuots".parse::<PlayerSpec>().unwrap_err().to_string().contains("did you mean `playouts`?"));
/// # Ok::<(), rookery_catalog::PlayerError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerSpec {
    text: String,
    mind: Mind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mind {
    Random,
    First,
    Playouts { games: u64 },
    Mcts { playouts: u64 },
}

impl PlayerSpec {
    /// The player, ready to sit down. Where there is a time control it thinks in a thread of its own, so that it can
    /// be stopped.
    pub fn seat<P: Position>(&self, limits: Limits, timed: bool) -> Box<dyn Player<P>> {
        match self.mind {
            Mind::Random => strategist(Random, limits, false),
            Mind::First => strategist(First, limits, false),
            Mind::Playouts { games } => strategist(Playouts { games }, limits, timed),
            Mind::Mcts { playouts } => strategist(Mcts::new(playouts), limits, timed),
        }
    }
}

fn strategist<P: Position>(
    strategy: impl Strategy<P> + 'static,
    limits: Limits,
    threaded: bool,
) -> Box<dyn Player<P>> {
    let player = if threaded { Strategist::threaded(strategy) } else { Strategist::inline(strategy) };
    Box::new(player.with_work(limits.work).with_depth(limits.depth))
}

impl FromStr for PlayerSpec {
    type Err = PlayerError;

    fn from_str(text: &str) -> Result<Self, PlayerError> {
        let spec = GameSpec::parse(text).map_err(|_| PlayerError::Malformed)?;
        let info =
            PLAYERS.iter().find(|info| info.name == spec.game).ok_or_else(|| PlayerError::Unknown {
                name: spec.game.chars().take(40).collect(),
                nearest: nearest(&spec.game, &PLAYERS.iter().map(|info| info.name).collect::<Vec<_>>()),
            })?;
        let options = spec.check(info.name, info.keys).map_err(PlayerError::Option)?;
        let mind = match info.name {
            "random" => Mind::Random,
            "first" => Mind::First,
            "playouts" => Mind::Playouts { games: options.number("games") },
            "mcts" => Mind::Mcts { playouts: options.number("playouts") },
            name => unreachable!("{name} stands in the table without a mind"),
        };
        Ok(Self { text: text.to_owned(), mind })
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text that names no player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerError {
    /// It is not of the form `name:key=value,...`.
    Malformed,
    /// There is no player of this name.
    Unknown { name: String, nearest: Option<&'static str> },
    /// An option is wrong.
    Option(SetupError),
}

impl fmt::Display for PlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("it is no player spec; expected NAME or NAME:KEY=VALUE,KEY=VALUE"),
            Self::Unknown { name, nearest } => {
                let hint = nearest.map(|nearest| format!("did you mean `{nearest}`? ")).unwrap_or_default();
                let known: Vec<&str> = PLAYERS.iter().map(|info| info.name).collect();
                write!(f, "there is no player `{name}`; {hint}The players are {}", known.join(", "))
            }
            Self::Option(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlayerError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_player_of_the_table_can_be_named() {
        for info in PLAYERS {
            assert!(info.name.parse::<PlayerSpec>().is_ok(), "{}", info.name);
        }
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, expected) in [
            ("", "it is no player spec; expected NAME or NAME:KEY=VALUE,KEY=VALUE"),
            ("nobody", "there is no player `nobody`; The players are random, first, playouts, mcts"),
            (
                "playouts:games=0",
                "playouts: `games=0` is not possible; `games` takes a number from 1 to 10000000",
            ),
            ("random:games=1", "random has no key `games`; it takes none"),
        ] {
            assert_eq!(text.parse::<PlayerSpec>().unwrap_err().to_string(), expected, "{text:?}");
        }
    }
}
