//! Built-in players by name: the *player spec*, `random`, `mcts:playouts=500`.
//!
//! Some players know any game ([`GENERAL`]); others belong to one game and stand in its [`Game::PLAYERS`].

use std::fmt;
use std::str::FromStr;

use rookery_record::Limits;
use rookery_referee::{Player, Strategist};
use rookery_rules::{GameSpec, Key, Kind, Options, Position, SetupError, nearest};
use rookery_search::{First, Lasting, Mcts, Playouts, Random, Strategy};

use crate::Game;
use crate::matches::PositionOf;

/// What the catalog says about a built-in player.
#[derive(Clone, Copy, Debug)]
pub struct PlayerInfo {
    /// Its name in a player spec.
    pub name: &'static str,
    /// The keys it takes.
    pub keys: &'static [Key],
    /// What it does and how strong it is, in one line.
    pub summary: &'static str,
    /// Whether it answers at once, so that it needs no thread of its own to be stopped.
    pub quick: bool,
}

/// The players that know any game, from weak to strong.
pub static GENERAL: &[PlayerInfo] = &[
    PlayerInfo { name: "random", keys: &[], summary: "any legal move, each equally likely", quick: true },
    PlayerInfo { name: "first", keys: &[], summary: "the first move of the game's list", quick: true },
    PlayerInfo {
        name: "playouts",
        keys: &[Key {
            name: "games",
            kind: Kind::Number(1, 10_000_000),
            default: "1000",
            help: "random games for each answer, when neither time nor --playouts limits it",
        }],
        summary: "random games after every move, then the move with the best results; beats random, no match for a person",
        quick: false,
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
        quick: false,
    },
];

/// A player as written on a command line, in a file or in a record; not yet checked against a game.
///
/// ```
/// use rookery_catalog::{PlayerSpec, game};
/// let player: PlayerSpec = "minimax:depth=2".parse()?;
/// assert!(game("fish")?.check_player(&player).is_ok());
/// let error = game("hexapawn")?.check_player(&player).unwrap_err();
/// assert!(error.to_string().starts_with("hexapawn has no player `minimax`; its players are random, first,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerSpec {
    text: String,
    spec: GameSpec,
}

impl FromStr for PlayerSpec {
    type Err = PlayerError;

    fn from_str(text: &str) -> Result<Self, PlayerError> {
        // The form of a game spec, for another kind of thing.
        let spec = GameSpec::parse(text).map_err(|_| PlayerError::Malformed)?;
        Ok(Self { text: text.to_owned(), spec })
    }
}

impl PlayerSpec {
    /// Whether a person sits there.
    pub fn is_person(&self) -> bool {
        self.text == crate::PERSON
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The players of a game: its own, then those that know any game.
pub(crate) fn of_game<G: Game>() -> impl Iterator<Item = &'static PlayerInfo> {
    GENERAL.iter().chain(G::PLAYERS)
}

/// The player, ready to sit down. Where there is a time control it thinks in a thread of its own, so that it can be
/// stopped.
pub fn seat<G: Game>(
    player: &PlayerSpec,
    limits: Limits,
    timed: bool,
) -> Result<Box<dyn Player<PositionOf<G>>>, PlayerError> {
    let (strategy, info) = strategy::<G>(player)?;
    let player =
        if timed && !info.quick { Strategist::threaded(strategy) } else { Strategist::inline(strategy) };
    Ok(Box::new(player.with_work(limits.nodes.or(limits.playouts)).with_depth(limits.depth)))
}

/// A strategy, and what the catalog says about it.
pub type Named<P> = (Box<dyn Strategy<P>>, &'static PlayerInfo);

/// The strategy that a player spec names, with the types of its game, and what the catalog says about it.
///
/// ```
/// use rookery_catalog::{Renpaarden, strategy};
/// use rookery_games::renpaarden::Setup;
/// use rookery_rules::Setup as _;
/// use rookery_search::Budget;
///
/// let (mut player, info) = strategy::<Renpaarden>(&"first".parse()?)?;
/// assert!(info.quick);
/// assert_eq!(player.choose(&Setup::default().start(), &Budget::default()).to_string(), "a2-c3");
/// # Ok::<(), rookery_catalog::PlayerError>(())
/// ```
pub fn strategy<G: Game>(player: &PlayerSpec) -> Result<Named<PositionOf<G>>, PlayerError> {
    let name = player.spec.game.as_str();
    let known = || of_game::<G>().map(|info| info.name).collect::<Vec<_>>();
    let info = of_game::<G>().find(|info| info.name == name).ok_or_else(|| PlayerError::Unknown {
        game: <G::Setup as rookery_rules::Setup>::GAME,
        name: name.chars().take(40).collect(),
        nearest: nearest(name, &known()),
        known: known(),
    })?;
    let options = player.spec.check(info.name, info.keys).map_err(PlayerError::Option)?;
    let own = G::PLAYERS.iter().any(|own| own.name == info.name);
    Ok((if own { G::strategy(info.name, &options) } else { general(info.name, &options) }, info))
}

fn general<P: Position>(name: &str, options: &Options<'_>) -> Box<dyn Strategy<P>> {
    match name {
        "random" => Box::new(Random),
        "first" => Box::new(First),
        "playouts" => Box::new(Playouts { games: options.number("games") }),
        "mcts" => Box::new(Lasting::new(Mcts::new(options.number("playouts")))),
        _ => unreachable!("{name} stands in the table without a strategy"),
    }
}

/// A text that names no player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerError {
    /// It is not of the form `name:key=value,...`.
    Malformed,
    /// The game has no player of this name.
    Unknown { game: &'static str, name: String, nearest: Option<&'static str>, known: Vec<&'static str> },
    /// An option is wrong.
    Option(SetupError),
}

impl fmt::Display for PlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("it is no player spec; expected NAME or NAME:KEY=VALUE,KEY=VALUE"),
            Self::Unknown { game, name, nearest, known } => {
                let hint = nearest.map(|nearest| format!("did you mean `{nearest}`? ")).unwrap_or_default();
                write!(f, "{game} has no player `{name}`; {hint}its players are {}", known.join(", "))
            }
            Self::Option(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlayerError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CATALOG, game};

    #[test]
    fn every_player_of_every_game_can_be_seated() {
        for game in CATALOG {
            for info in game.players() {
                let player = info.name.parse().unwrap();
                assert_eq!(game.check_player(&player), Ok(()), "{} at {}", info.name, game.name());
            }
        }
    }

    #[test]
    fn mistakes_are_explained() {
        assert_eq!("".parse::<PlayerSpec>().unwrap_err(), PlayerError::Malformed);
        for (text, expected) in [
            (
                "radnom",
                "hexapawn has no player `radnom`; did you mean `random`? its players are random, first, playouts, mcts",
            ),
            (
                "playouts:games=0",
                "playouts: `games=0` is not possible; `games` takes a number from 1 to 10000000",
            ),
            ("random:games=1", "random has no key `games`; it takes none"),
        ] {
            let player = text.parse().unwrap();
            let error = game("hexapawn").unwrap().check_player(&player).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{text:?}: {error}");
        }
    }
}
