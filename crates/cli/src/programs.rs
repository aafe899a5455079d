//! Programs at the table, for every command that seats them: what they speak, where they are awaited.

use std::collections::HashMap;
use std::io::{Write as _, stderr};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rookery_arena::bots::{BUNDLE_LEVEL, Bundles};
use rookery_live::{Opening, Programs, Surroundings};
use rookery_originals::ErrorOutput;
use rookery_referee::{MatchSpec, SeatSpec, TimeControl, parse_duration};
use rookery_rules::GameSpec;
use rookery_sandbox::{Level, Sandbox};
use rookery_wire::{Protocols, Trace, raise_file_limit};

use crate::sandbox_args::SandboxArgs;
use crate::spec::UsageError;

/// The heading of flags for programs.
pub(crate) const PROGRAMS: &str = "Programs (cmd:COMMAND, tcp:PORT, ws:PORT)";

/// The flags of every command that seats programs.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = PROGRAMS)]
pub(crate) struct ProgramArgs {
    /// What programs speak: rookery (docs/protocol.md), or the game's name for the protocol of its original; NAME=PROTOCOL for
    /// one player
    #[arg(long, value_name = "PROTOCOL", value_delimiter = ',')]
    protocol: Vec<Speaks>,

    /// The address on which `tcp:PORT` and `ws:PORT` listen
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    listen: IpAddr,

    /// How long players of `tcp:PORT` and `ws:PORT` are waited for
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    wait: Duration,

    /// A file whose first line bots of `tcp:PORT` and `ws:PORT` have to say to be let in
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

    #[command(flatten)]
    sandbox: SandboxArgs,

    /// The folder that programs of cmd: run in; NAME=DIR for one player
    #[arg(long, value_name = "DIR")]
    cwd: Vec<String>,

    /// A variable that programs of cmd: get; NAME:KEY=VALUE for one player
    #[arg(long, value_name = "KEY=VALUE")]
    env: Vec<String>,

    /// Write every line to and from programs, with its time in microseconds, into this file; - is standard error
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// Nobody is ever late: for programs in a debugger
    #[arg(long)]
    no_clock: bool,
}

/// How many programs that have asked to live on may wait for their next game.
const MAX_KEPT: usize = 16;

/// A protocol, for all programs or for the player of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Speaks {
    name: Option<String>,
    protocol: String,
}

impl FromStr for Speaks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, protocol) = match text.split_once('=') {
            None => (None, text),
            Some((name, protocol)) => (Some(name.to_owned()), protocol),
        };
        let fits = |text: &str| !text.is_empty() && text.len() <= 64 && !text.contains(char::is_control);
        if fits(protocol) && name.as_deref().is_none_or(fits) {
            Ok(Self { name, protocol: protocol.to_owned() })
        } else {
            Err("expected PROTOCOL or NAME=PROTOCOL, for example rookery or mine=hexapawn".to_owned())
        }
    }
}

impl Default for ProgramArgs {
    fn default() -> Self {
        let Opening { host, wait, .. } = Opening::default();
        Self {
            protocol: vec![],
            listen: host,
            wait,
            secret_file: None,
            sandbox: SandboxArgs::default(),
            cwd: vec![],
            env: vec![],
            trace: None,
            no_clock: false,
        }
    }
}

impl ProgramArgs {
    /// The time control, unless nobody is to be late.
    pub(crate) fn time(&self, time: Option<TimeControl>) -> TimeControl {
        time.filter(|_| !self.no_clock).unwrap_or(TimeControl::Untimed)
    }

    /// The sandbox for programs of a folder: at the level of `--sandbox`, else the one that is demanded, else the usual one.
    pub(crate) fn folder_sandbox(&self, demanded: Option<Level>) -> Result<Sandbox, UsageError> {
        self.sandbox.prepare_at(demanded.unwrap_or(rookery_arena::bots::LEVEL))
    }

    /// Where bundles are unpacked, and the sandbox for them: at the level of `--sandbox`, else the one that is demanded, else
    /// the full one.
    pub(crate) fn bundles(&self, demanded: Option<&str>) -> Result<Bundles, UsageError> {
        crate::commands::bot::bundles(&self.sandbox, level(demanded)?.unwrap_or(BUNDLE_LEVEL))
    }

    /// Finds the protocols that were asked for.
    pub(crate) fn programs(&self, agreed: &MatchSpec) -> Result<Programs, UsageError> {
        if let Some(entry) = agreed.seats.iter().find(|entry| matches!(entry.player, SeatSpec::Bundle { .. }))
        {
            return Err(UsageError(format!(
                "{}: bundles are seated by `rookery tournament run`, which has a store; here name the bot's program as \
                 cmd:COMMAND",
                entry.player
            )));
        }
        self.programs_and_bundles(agreed, None)
    }

    /// The same where whoever asks brings the bundles, and may demand a level of the sandbox for commands.
    pub(crate) fn programs_and_bundles(
        &self,
        agreed: &MatchSpec,
        demanded: Option<Level>,
    ) -> Result<Programs, UsageError> {
        let mut protocols = Protocols::default();
        rookery_originals::register(&mut protocols);
        let game = GameSpec::parse(&agreed.game).map_err(|error| UsageError(error.to_string()))?.game;
        let find = |name: &str| match name {
            "rookery" => Ok(rookery_bots::PROTOCOL),
            name if name == game => protocols.find(&game, None),
            name => protocols.find(&game, Some(name)),
        };
        let mut spoken: Vec<_> =
            agreed.seats.iter().map(|entry| (entry.name.clone(), rookery_bots::PROTOCOL)).collect();
        for Speaks { name, protocol } in &self.protocol {
            let protocol = find(protocol)
                .map_err(|error| UsageError(format!("--protocol {protocol}: {error}, or `rookery`")))?;
            let mut found = false;
            for (player, speaks) in &mut spoken {
                if name.as_ref().is_none_or(|name| name == player) {
                    *speaks = protocol;
                    found = true;
                }
            }
            if !found {
                let names: Vec<_> = spoken.iter().map(|(name, _)| name.as_str()).collect();
                return Err(UsageError(format!(
                    "--protocol {}=..: no player has this name; they are {}",
                    name.as_deref().unwrap_or_default(),
                    names.join(", ")
                )));
            }
        }
        let trace = self.trace.as_deref().map(open_trace).transpose()?;
        let secret = self.secret_file.as_deref().map(read_secret).transpose()?;
        let starts = agreed.seats.iter().any(|entry| matches!(entry.player, SeatSpec::Command(_)));
        let level = demanded.unwrap_or(Level::None);
        let sandbox = if starts { Some(self.sandbox.prepare_at(level)?) } else { None };
        let places = Arc::new(self.places(agreed)?);
        let opening = Opening {
            host: self.listen,
            wait: self.wait,
            trace,
            secret,
            sandbox,
            places,
            ..Opening::default()
        };
        // Each holds five files open, and games leave at least three of those that are reckoned for a program of theirs.
        let max_kept = (raise_file_limit() / 64).min(MAX_KEPT);
        Ok(Programs::new(protocols, opening, spoken, self.no_clock).keeping(max_kept))
    }

    /// Where the program of each player runs, and with which variables. What is said for one player wins over what is said
    /// for all.
    fn places(&self, agreed: &MatchSpec) -> Result<HashMap<String, Surroundings>, UsageError> {
        let wrong = |flag, text: &str, expected| {
            Err(UsageError(format!("{flag} {}: {expected}", rookery_terminal::clean(text))))
        };
        let mut places = HashMap::new();
        for entry in &agreed.seats {
            let mut place = Surroundings::default();
            for text in in_order(&self.cwd, '=', agreed) {
                let (name, folder) = named(text, '=', agreed);
                if !Path::new(folder).is_dir() {
                    let expected = "expected a folder that is there, or NAME=DIR with the name of a player";
                    return wrong("--cwd", text, expected);
                }
                if name.is_none_or(|name| name == entry.name) {
                    place.cwd = Some(folder.into());
                }
            }
            for text in in_order(&self.env, ':', agreed) {
                let (name, variable) = named(text, ':', agreed);
                let Some((key, value)) = variable.split_once('=').filter(|(key, _)| !key.is_empty()) else {
                    let expected = "expected KEY=VALUE, or NAME:KEY=VALUE with the name of a player";
                    return wrong("--env", text, expected);
                };
                if name.is_none_or(|name| name == entry.name) {
                    place.env.push((key.to_owned(), value.to_owned()));
                }
            }
            places.insert(entry.name.clone(), place);
        }
        Ok(places)
    }
}

/// The name of a player and what is said for it. A part before the mark is a name only if somebody has it: folders and
/// values may hold the mark too.
fn named<'a>(text: &'a str, mark: char, agreed: &MatchSpec) -> (Option<&'a str>, &'a str) {
    match text.split_once(mark) {
        Some((name, rest)) if agreed.seats.iter().any(|entry| entry.name == name) => (Some(name), rest),
        _ => (None, text),
    }
}

/// What is said for all, and then what is said for one.
fn in_order<'a>(texts: &'a [String], mark: char, agreed: &'a MatchSpec) -> impl Iterator<Item = &'a String> {
    let is_for_one = move |text: &&String| named(text, mark, agreed).0.is_some();
    texts.iter().filter(move |text| !is_for_one(text)).chain(texts.iter().filter(is_for_one))
}

/// Says where a program is awaited. Without an error output nobody can be told.
pub(crate) fn say_where(name: &str, address: SocketAddr) {
    let _ = writeln!(stderr(), "waiting for {} on {address}", rookery_terminal::clean(name));
}

/// The level of the sandbox that a tournament demands.
pub(crate) fn level(demanded: Option<&str>) -> Result<Option<Level>, UsageError> {
    demanded.map(str::parse).transpose().map_err(|error: String| UsageError(format!("sandbox: {error}")))
}

/// The secret in a file: its first line.
pub(crate) fn read_secret(path: &Path) -> Result<String, UsageError> {
    let shown = rookery_terminal::clean(&path.display().to_string());
    let text = std::fs::read_to_string(path)
        .map_err(|error| UsageError(format!("--secret-file {shown}: {error}")))?;
    let first = text.lines().next().unwrap_or_default().trim();
    if (1..=200).contains(&first.len()) {
        Ok(first.to_owned())
    } else {
        Err(UsageError(format!("--secret-file {shown}: expected a first line of 1 to 200 bytes")))
    }
}

/// A trace into a file, or to standard error.
pub(crate) fn open_trace(path: &Path) -> Result<Trace, UsageError> {
    rookery_originals::open_trace(path, ErrorOutput::new(stderr()))
}
