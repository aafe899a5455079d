//! A bot of a folder, and what can be wrong with one.

use std::fmt;
use std::path::{Path, PathBuf};

use rookery_live::Surroundings;
use rookery_referee::SeatSpec;
use rookery_rules::nearest;
use rookery_rules::text::clean;
use rookery_sandbox::{Level, Sandbox};
use rookery_tournament::EntrantSpec;
use rookery_wire::{Protocol, Protocols};

/// How bots of a folder are confined unless somebody says otherwise: their authors are not at this keyboard.
pub const LEVEL: Level = Level::Auto;

/// How many digits of a hash tell versions apart.
const SHORT_HASH: usize = 16;
/// The most characters of what is shown of a text that somebody else chose.
const MAX_SHOWN: usize = 80;

/// A bot that was found in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundBot {
    /// What it is called: 1 to 24 letters, digits, `_` and `-`, the first a letter or a digit.
    pub name: String,
    /// The folder that it runs in, from the root: its own, or a copy in which it was built.
    pub home: PathBuf,
    /// The command that starts it there.
    pub run: String,
    /// The command that builds it, if it has to be built.
    pub build: Option<String>,
    /// The games it plays, by name; all if it does not say.
    pub games: Option<Vec<String>>,
    /// The name of the protocol it speaks, if not the bot protocol.
    pub protocol: Option<String>,
    /// What its author calls this version.
    pub version: Option<String>,
    /// SHA-256 over everything in its folder, in hexadecimal digits.
    pub hash: String,
}

impl FoundBot {
    /// Whoever takes part in a tournament. The command means the folder that [`place`](Self::place) names.
    pub fn entrant(&self) -> EntrantSpec {
        EntrantSpec {
            name: self.name.clone(),
            player: SeatSpec::Command(self.run.clone()),
            version: Some(self.full_version()),
        }
    }

    /// Its version, unlike that of any other contents: what its author says, and the beginning of the hash.
    pub fn full_version(&self) -> String {
        let hash = &self.hash[..self.hash.len().min(SHORT_HASH)];
        self.version.as_ref().map_or_else(|| hash.to_owned(), |version| format!("{version}+{hash}"))
    }

    /// Where it is started, for [`Opening::places`](rookery_live::Opening): in its folder, in this sandbox.
    pub fn place(&self, sandbox: &Sandbox) -> (String, Surroundings) {
        let place = Surroundings {
            cwd: Some(self.home.clone()),
            sandbox: Some(sandbox.clone()),
            command: Some(self.run.clone()),
            ..Surroundings::default()
        };
        (self.name.clone(), place)
    }

    /// Whether it plays a game, by the game's name.
    pub fn plays(&self, game: &str) -> bool {
        self.games.as_ref().is_none_or(|games| games.iter().any(|known| known == game))
    }

    /// What it speaks in a game.
    pub fn protocol_in(&self, game: &str, protocols: &Protocols) -> Result<Protocol, BotProblem> {
        match self.protocol.as_deref() {
            None => Ok(rookery_bots::PROTOCOL),
            Some(name) if name == rookery_bots::PROTOCOL.name => Ok(rookery_bots::PROTOCOL),
            Some(name) => protocols.find(game, Some(name)).map_err(|_| {
                let known: Vec<&str> = protocols.of_game(game).map(|protocol| protocol.name).collect();
                let problem = format!("`protocol`: {game} has no protocol {:?}", shown(name));
                BotProblem::new(
                    &self.name,
                    problem,
                    one_of(name, &[&[rookery_bots::PROTOCOL.name], &known[..]].concat()),
                )
            }),
        }
    }
}

/// The same sandbox for commands that somebody else has written: what they name is not shown.
#[must_use]
pub fn foreign(sandbox: Sandbox) -> Sandbox {
    sandbox.without_named()
}

/// What is wrong with one bot. It stops no other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BotProblem {
    /// The bot, or its folder as far as that can be shown.
    pub name: String,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub expected: String,
    /// What a program said about it, the beginning of it; safe to show, in lines.
    pub output: Option<String>,
}

impl BotProblem {
    pub(super) fn new(name: &str, problem: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { name: name.to_owned(), problem: problem.into(), expected: expected.into(), output: None }
    }
}

impl fmt::Display for BotProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, problem, expected, .. } = self;
        write!(f, "{name}: {problem}; expected {expected}")
    }
}

impl std::error::Error for BotProblem {}

/// How far bots are built or tried: told of each when it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress<'a> {
    /// The bot.
    pub name: &'a str,
    /// Whether all was well with it.
    pub is_fine: bool,
    /// How many are done.
    pub done: usize,
    /// Of how many.
    pub of: usize,
}

/// A problem before it is known whose it is: what is wrong, and what would be right.
pub(super) type Wrong = (String, String);

/// What can be shown of a text of somebody else.
pub(super) fn shown(text: &str) -> String {
    shown_within(text, MAX_SHOWN)
}

/// The same of a longer text.
pub(super) fn shown_within(text: &str, most: usize) -> String {
    let mut shown = clean(text);
    if let Some((at, _)) = shown.char_indices().nth(most) {
        shown.truncate(at);
        shown.push('…');
    }
    shown
}

/// The same of a file's name.
pub(super) fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

/// The known words, and the one that was probably meant.
pub(super) fn one_of(mistyped: &str, known: &[&str]) -> String {
    let all: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
    let hint = nearest(mistyped, known).map(|word| format!("; did you mean `{word}`?"));
    format!("{}{}", all.join(" or "), hint.unwrap_or_default())
}
