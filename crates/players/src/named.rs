//! Built-in players by name, and what is said about them.

use std::fmt;

use rookery_rules::{Game, Key, Kind, Options, Position, PositionOf, Seat, Setup as _, SetupError, nearest};
use rookery_search::{
    Analysis, Budget, Cut, First, Lasting, Mcts, PlayerSpec, PlayerSpecError, Playouts, Random, Strategy,
};

use crate::levels::{self, Bounded, LEVEL_NAMES, judged};
use crate::strength::{ALPHABETA_KEYS, Searcher, Strength};
use crate::{Expertise, Level};

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

/// How many random games tree search plays.
pub(crate) const PLAYOUTS: Key = Key {
    name: "playouts",
    kind: Kind::Number(1, 100_000_000),
    default: "10000",
    help: "random games for each answer, when neither time nor --playouts limits it",
};

/// Tree search by random games.
pub(crate) const MCTS: PlayerInfo = PlayerInfo {
    name: "mcts",
    keys: &[PLAYOUTS],
    summary: "grows a tree of the most promising moves by random games, and proves what it can; far stronger than playouts",
    quick: false,
};

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
    MCTS,
    PlayerInfo {
        name: "alphabeta",
        keys: ALPHABETA_KEYS,
        summary: "looks ahead with the game's evaluation; where there is none, only for wins and losses",
        quick: false,
    },
    level(
        "level:1",
        "overlooks most of what comes, but takes a win that lies in front of it: for the first game ever",
        true,
    ),
    level("level:2", "overlooks much, and misjudges the rest: for children", true),
    level(
        "level:3",
        "from here on no loss in one move is allowed that can be avoided; overlooks many replies",
        true,
    ),
    level("level:4", "overlooks some replies: for people who have played a few games", false),
    level("level:5", "looks some moves ahead, with a few holes: for people who know the game", false),
    level("level:6", "overlooks little, and only what is some moves ahead", false),
    level("level:7", "looks far ahead: for people who play well", false),
    level(
        "level:8",
        "the strongest level for the game and the time given, on all threads that it may use",
        false,
    ),
    level(LEVEL_NAMES[0].0, "level:2, overlooks much: for children", true),
    level(LEVEL_NAMES[1].0, "level:5, for people who know the game", false),
    level(LEVEL_NAMES[2].0, "level:8, the strongest level", false),
];

const fn level(name: &'static str, summary: &'static str, quick: bool) -> PlayerInfo {
    PlayerInfo { name, keys: &[], summary, quick }
}

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
    if name == "level" || name.starts_with("level:") && Level::of_name(name).is_none() {
        return Err(PlayerError::Level { name: name.chars().take(40).collect() });
    }
    let info = players(expertise).find(|info| info.name == name).ok_or_else(|| PlayerError::Unknown {
        game: G::Setup::GAME,
        name: name.chars().take(40).collect(),
        nearest: nearest(name, &known()),
        known: known(),
    })?;
    let options = player.spec().check(info.name, info.keys).map_err(PlayerError::Option)?;
    let own = expertise.players.iter().any(|own| own.name == info.name);
    let found = match Level::of_name(info.name) {
        _ if own => (expertise.strategy)(info.name, &options),
        Some(level) => Some(leveled::<G>(expertise, level)),
        None => general::<G>(expertise, info.name, &options),
    };
    Ok((found.expect("every player of a table has its strategy"), info))
}

/// The strongest player of a game.
pub fn strongest<G: Game>(expertise: &Expertise<PositionOf<G>>) -> Box<dyn Strategy<PositionOf<G>>> {
    leveled::<G>(expertise, Level::TOP)
}

/// A level of a game: its own, or that of any game.
fn leveled<G: Game>(expertise: &Expertise<PositionOf<G>>, level: Level) -> Box<dyn Strategy<PositionOf<G>>> {
    match expertise.level {
        Some(own) => own(level),
        None => levels::level::<G>(level),
    }
}

/// What the best moves of a position are worth and how the game would go on from each, at most `max_lines`: reports
/// again and again until the budget is spent or all is certain; the last one is the result. By the search of the
/// strongest level: the game's own, or a tree of random games, which the game's evaluation judges if it has one.
pub fn analyse<G: Game>(
    expertise: &Expertise<PositionOf<G>>,
    position: &PositionOf<G>,
    budget: &Budget,
    max_lines: usize,
    report: &mut dyn FnMut(&Analysis<MoveOf<G>>),
) {
    match (expertise.analyse, G::EVALUATION) {
        (Some(own), _) => own(position, budget, max_lines, report),
        (None, Some(evaluation)) => {
            let mcts = judged::<G>(evaluation, ANALYSED);
            mcts.analyse(position, budget, max_lines, report);
        }
        (None, None) => {
            let policy = random_games::<G>(expertise);
            let mcts = Mcts { playouts: ANALYSED, exploration: Mcts::new(1).exploration, policy };
            mcts.analyse(position, budget, max_lines, report);
        }
    }
}

type MoveOf<G> = <PositionOf<G> as Position>::Move;

/// The value with which three games of four are won, where nobody knows.
const UNKNOWN: i32 = 200;

/// Random games of an analysis that nothing limits.
const ANALYSED: u64 = 20_000;

/// Random games as `mcts` plays them: those of a game that hardly ends by itself are cut short and judged.
pub fn random_games<G: Game>(expertise: &Expertise<PositionOf<G>>) -> Cut<fn(&PositionOf<G>, Seat) -> i32> {
    let known = expertise.judge.or(G::EVALUATION.map(|value| (value, UNKNOWN)));
    Cut::long_games(known.map(|(value, _)| value), known.map_or(UNKNOWN, |(_, three_of_four)| three_of_four))
}

fn general<G: Game>(
    expertise: &Expertise<PositionOf<G>>,
    name: &str,
    options: &Options<'_>,
) -> Option<Box<dyn Strategy<PositionOf<G>>>> {
    let policy = random_games::<G>(expertise);
    Some(match name {
        "random" => Box::new(Random),
        "first" => Box::new(First),
        "playouts" => Box::new(Playouts { games: options.number("games"), policy }),
        "mcts" => {
            let exploration = Mcts::new(1).exploration;
            Box::new(Lasting::new(Mcts { playouts: options.number("playouts"), exploration, policy }))
        }
        "alphabeta" => {
            let evaluation = Bounded(G::EVALUATION.unwrap_or(|_, _| 0));
            Box::new(Searcher::new(evaluation, Strength::from_options(options)))
        }
        _ => return None,
    })
}

/// A text that names no player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerError {
    /// It is not of the form `name:key=value,...`.
    Malformed,
    /// The game has no player of this name.
    Unknown { game: &'static str, name: String, nearest: Option<&'static str>, known: Vec<&'static str> },
    /// There is no such level.
    Level { name: String },
    /// An option is wrong.
    Option(SetupError),
}

impl fmt::Display for PlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => PlayerSpecError.fmt(f),
            Self::Unknown { game, name, nearest, known } => {
                // What follows a question is a new sentence.
                let its =
                    nearest.map_or("its".to_owned(), |nearest| format!("did you mean `{nearest}`? Its"));
                write!(f, "{game} has no player `{name}`; {its} players are {}", known.join(", "))
            }
            Self::Level { name } => {
                write!(f, "there is no {name}; the levels are level:1 to level:8, from weak to strong")
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
    fn every_name_is_listed_once() {
        for expertise in [Expertise::NONE, hexapawn::EXPERTISE] {
            let names: Vec<&str> = players(&expertise).map(|info| info.name).collect();
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
            for (name, level) in LEVEL_NAMES {
                let info = players(&expertise).find(|info| info.name == name).unwrap();
                assert!(info.summary.starts_with(&format!("{level}, ")), "{name}: {}", info.summary);
            }
        }
    }

    #[test]
    fn mistakes_are_explained() {
        assert_eq!(find(&Expertise::NONE, "").unwrap_err(), PlayerError::Malformed);
        for (text, expected) in [
            (
                "radnom",
                "hexapawn has no player `radnom`; did you mean `random`? Its players are random, first, playouts, mcts, level:1",
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
