//! `rookery watch`: a record again, or a match between computers, move by move.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use rookery_record::open_record;
use rookery_referee::{Entry, Limits, MatchSpec, parse_duration};
use rookery_rules::{Seed, SetupError};
use rookery_terminal::{App, Keep, Leave, Runner, Table, clean, plain, quoted};

use super::play::{Here, LookArgs, OPPONENT, agree_at_screen, has_screen, keep_of, say_farewell};
use super::review;
use crate::programs::{ProgramArgs, say_where};
use crate::spec::{CheckedSpec, UsageError};

/// Watch a recorded match, or one between computers
///
/// On a terminal it can be stopped, and gone through forth and back. Nothing is recorded; `s` saves what was played.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A record (a file), or a game and its setup
    #[arg(value_name = "RECORD|GAME-SPEC")]
    what: String,

    /// The players of a new match, in turn order; seats left open get `medium`
    #[arg(value_name = "PLAYER", num_args = 0..=8)]
    players: Vec<Entry>,

    /// The time between two moves
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = parse_duration)]
    delay: Duration,

    /// How long computers think about a move at most, for example 1s; by default as long as their level takes
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    think: Option<Duration>,

    /// Where all randomness of a new match comes from; by default another one each time
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Line by line instead of a full screen
    #[arg(long)]
    plain: bool,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    programs: ProgramArgs,
}

const EXAMPLES: &str = "\
Examples:
  rookery watch match.rookery.jsonl
  rookery watch fish:players=3 easy medium hard --delay 1s
  rookery watch stones --plain --delay 1ms

Keys: space stops, right and left step, + and - change the speed, q leaves.";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let here = Here::new()?;
    let path = Path::new(&args.what);
    let mut table = if path.is_file() {
        if !args.players.is_empty() {
            return Err(UsageError(format!(
                "{}: a record names its players; give none beside it",
                clean(&args.what)
            ))
            .into());
        }
        look_at(&here, path)?
    } else {
        let spec = args.new_match(path)?;
        let runner = Runner::from(here.runtime()).with_programs(args.programs.programs(&spec)?, say_where);
        Table::begin(runner, spec, &Keep::No).map_err(|problem| anyhow!(problem))?
    };
    let left = if args.plain || !has_screen() {
        plain::watch(&mut table, args.delay, out, here.stop())?
    } else {
        watch_on_screen(&here, App::watching(table, args.delay, args.look.look(), Instant::now()), out)?
    };
    Ok(here.exit_code(left))
}

/// The match of a record, to look at; what is played on from there is kept with the person's own games.
pub(crate) fn look_at(here: &Here, path: &Path) -> anyhow::Result<Table> {
    let keep = |spec: &MatchSpec| spec.game.parse().map_or(Keep::No, |spec| keep_of(&spec));
    let table = Table::look(here.runtime(), path, keep).map_err(|problem| anyhow!(problem))?;
    Ok(table.keeping_reviews(review::keep))
}

/// Shows it until it is left. Somebody may have begun to play from there, which is kept.
pub(crate) fn watch_on_screen(here: &Here, mut app: App, out: &mut dyn Write) -> anyhow::Result<Leave> {
    here.show(&mut app)?;
    if app.is_watching() {
        return Ok(app.leave().unwrap_or(Leave::Interrupted));
    }
    say_farewell(app, out)
}

/// Why something that is neither a record nor a game spec cannot be watched, and what can.
fn not_to_watch(path: &Path, error: &SetupError) -> UsageError {
    let name = clean(&path.display().to_string());
    UsageError(if path.is_dir() {
        match first_record(path) {
            Some(record) => {
                let record = quoted(&record);
                format!("{name} is a folder; name a record in it, for example `rookery watch {record}`")
            }
            None => format!("{name} is a folder without records; expected a record or a game spec"),
        }
    } else if let Some(problem) = path.exists().then(|| open_record(path).err()).flatten() {
        format!("{name}: {problem}")
    } else if name.contains(['/', '.']) {
        format!("{name}: there is no such record, and it is no game spec either: {error}")
    } else {
        format!("{name}: {error}")
    })
}

/// The record of a folder whose name comes first.
fn first_record(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    files.filter(|path| path.to_string_lossy().ends_with(".rookery.jsonl")).min()
}

impl Args {
    fn new_match(&self, path: &Path) -> Result<MatchSpec, UsageError> {
        let spec: CheckedSpec = self.what.parse().map_err(|error| not_to_watch(path, &error))?;
        if let Some(player) = self.players.iter().find(|player| player.seat.is_person()) {
            return Err(UsageError(format!(
                "{player}: only computers are watched; take a seat with `rookery play {}`",
                spec.text
            )));
        }
        let opponent = || OPPONENT.parse().expect("the name is well formed");
        let mut players = self.players.clone();
        players.resize_with(players.len().max(spec.n_seats()), opponent);
        let agreed = agree_at_screen(&spec, &players, self.seed.map(Seed))?;
        Ok(MatchSpec { limits: Limits { think: self.think, ..Limits::default() }, ..agreed })
    }
}
