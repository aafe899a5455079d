//! Built-in players by name, and what is said about them.

use std::fmt;

use rookery_rules::{Game, Key, Kind, Options, Position, PositionOf, Setup as _, SetupError, nearest};
use rookery_search::{First, Lasting, Mcts, PlayerSpec, PlayerSpecError, Playouts, Random, Strategy};

use crate::Expertise;
use crate::levels::level;

/// What is said about a built-in player.
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
    PlayerInfo {
        name: "easy",
        keys: &[],
        summary: "thinks a little, and now and then plays anything: for a first game",
        quick: false,
    },
    PlayerInfo {
        name: "medium",
        keys: &[],
        summary: "thinks about each move for a moment: for people who know the game",
        quick: false,
    },
    PlayerInfo {
        name: "hard",
        keys: &[],
        summary: "searches as long as the budget allows: the strongest that needs no knowledge of the game",
        quick: false,
    },
];

/// The players of a game, each name once: those that know any game, then its own. An own player takes the place of a
/// general one of the same name.
pub fn players<P: Position>(expertise: &Expertise<P>) -> impl Iterator<Item = &'static PlayerInfo> + use<P> {
    let own = expertise.players;
    let is_own = move |general: &&PlayerInfo| own.iter().any(|player| player.name == general.name);
    GENERAL.iter().filter(move |general| !is_own(general)).chain(own)
}

/// A strategy, and what is said about it.
pub type Named<P> = (Box<dyn Strategy<P>>, &'static PlayerInfo);

/// The strategy that a player spec names, with the types of its game, and what is said about it.
pub fn strategy<G: Game>(
    expertise: &Expertise<PositionOf<G>>,
    player: &PlayerSpec,
) -> Result<Named<PositionOf<G>>, PlayerError> {
    let name = player.name();
    let known = || players(expertise).map(|info| info.name).collect::<Vec<_>>();
    let info = players(expertise).find(|info| info.name == name).ok_or_else(|| PlayerError::Unknown {
        game: G::Setup::GAME,
        name: name.chars().take(40).collect(),
        nearest: nearest(name, &known()),
        known: known(),
    })?;
    let options = player.spec().check(info.name, info.keys).map_err(PlayerError::Option)?;
    let own = expertise.players.iter().any(|own| own.name == info.name);
    let found =
        if own { (expertise.strategy)(info.name, &options) } else { general::<G>(info.name, &options) };
    Ok((found.expect("every player of a table has its strategy"), info))
}

fn general<G: Game>(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<PositionOf<G>>>> {
    Some(match name {
        "random" => Box::new(Random),
        "first" => Box::new(First),
        "playouts" => Box::new(Playouts { games: options.number("games") }),
        "mcts" => Box::new(Lasting::new(Mcts::new(options.number("playouts")))),
        _ => return level::<G>(name),
    })
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
            Self::Malformed => PlayerSpecError.fmt(f),
            Self::Unknown { game, name, nearest, known } => {
                let hint = nearest.map(|nearest| format!("did you mean `{nearest}`? ")).unwrap_or_default();
                write!(f, "{game} has no player `{name}`; {hint}its players are {}", known.join(", "))
            }
            Self::Option(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlayerError {}

impl From<PlayerSpecError> for PlayerError {
    fn from(_: PlayerSpecError) -> Self {
        Self::Malformed
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rookery_games::hexapawn::{Hexapawn, Position};

    use super::*;
    use crate::hexapawn;

    fn find(expertise: &Expertise<Position>, text: &str) -> Result<&'static PlayerInfo, PlayerError> {
        Ok(strategy::<Hexapawn>(expertise, &text.parse()?)?.1)
    }

    #[test]
    fn a_game_without_players_of_its_own_has_every_level() {
        for name in ["easy", "medium", "hard"] {
            let general = find(&Expertise::NONE, name).unwrap();
            let own = find(&hexapawn::EXPERTISE, name).unwrap();
            assert_ne!(general.summary, own.summary, "the game's own {name} comes first");
        }
    }

    #[test]
    fn every_name_is_listed_once() {
        for expertise in [Expertise::NONE, hexapawn::EXPERTISE] {
            let names: Vec<&str> = players(&expertise).map(|info| info.name).collect();
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
            assert!(names.contains(&"medium"));
        }
    }

    #[test]
    fn mistakes_are_explained() {
        assert_eq!(find(&Expertise::NONE, "").unwrap_err(), PlayerError::Malformed);
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
            let error = find(&hexapawn::EXPERTISE, text).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{text:?}: {error}");
        }
    }
}
