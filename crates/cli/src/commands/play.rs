//! `rookery play`: a match at the terminal.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use rookery_catalog::{AnySitting, MatchOrder, PERSON, PlayerSpec, free_path, sit};
use rookery_record::Limits;
use rookery_referee::{TimeControl, parse_duration};
use rookery_rules::Seed;
use rookery_terminal::{App, Leave, Palette, Table, open_to_play, plain, quoted, run};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::data_folder::games_folder;
use crate::spec::{CheckedSpec, UsageError};

/// Play against computers or people, at this terminal
///
/// A person is the player `human`; every other player of `rookery players` can take a seat, too. Without players you sit
/// first and `medium` everywhere else. Each move is written to a record at once, so that nothing is lost.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game and its setup, for example `hexapawn:rows=4,cols=5`
    #[arg(value_name = "GAME-SPEC", required_unless_present = "resume", conflicts_with = "resume")]
    spec: Option<CheckedSpec>,

    /// Who sits where, in turn order: `human` or a player; seats left open get `medium`
    #[arg(value_name = "PLAYER", num_args = 0..=8)]
    players: Vec<PlayerSpec>,

    /// Time control: 10m+5s (for the game, and added after each move), 30s/5m (a move, and a bank) or 30s (a move)
    #[arg(long, value_name = "TC", conflicts_with = "resume")]
    time: Option<TimeControl>,

    /// How long computers think about a move at most, for example 1s; by default as long as their level takes
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    think: Option<Duration>,

    /// Where all randomness comes from; by default another one each time
    #[arg(long, value_name = "S", conflicts_with = "resume")]
    seed: Option<u64>,

    /// Keep the record in this file instead of one in your data folder
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "no_record"])]
    record: Option<PathBuf>,

    /// Keep no record
    #[arg(long, conflicts_with = "resume")]
    no_record: bool,

    /// Go on with the match of this record
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Line by line instead of a full screen: for pipes and screen readers
    #[arg(long)]
    plain: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery play hexapawn                          you against medium
  rookery play fish:players=3 human easy human   two persons and a computer
  rookery play stones hard human --time 10m+5s   the computer begins, with clocks
  rookery play --resume match.rookery.jsonl      go on with a match

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted (the match is kept).";

impl Args {
    /// A match of a game's own subcommand.
    pub(crate) fn new(spec: CheckedSpec, players: Vec<PlayerSpec>, plain: bool) -> Self {
        Self {
            spec: Some(spec),
            players,
            time: None,
            think: None,
            seed: None,
            record: None,
            no_record: false,
            resume: None,
            plain,
        }
    }
}

/// The code of a program that was interrupted.
const INTERRUPTED: u8 = 130;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let sitting = args.sitting()?;
    let table = Table::new(sitting, args.think, Instant::now());
    if args.plain || !has_screen() { play_plainly(table, out) } else { play_on_screen(table, out) }
}

/// Plays on the full screen, and says afterwards how to go on.
fn play_on_screen(table: Table, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let app = show_app(App::new(table, palette(), Instant::now()))?;
    leave(app, out)
}

/// Shows a match until it is left.
pub(crate) fn show_app(mut app: App) -> anyhow::Result<App> {
    let stop = stop_signals()?;
    run::show(&mut app, io::stdout, &stop)?;
    Ok(app)
}

/// The last words of a screen that was left, and the exit code.
pub(crate) fn leave(app: App, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let was_interrupted = app.leave() != Some(Leave::Quit);
    let told = write!(out, "{}", plain::farewell(&app.into_table())).and_then(|()| out.flush());
    match told {
        // The terminal may be gone, and nobody there to be told anything.
        _ if was_interrupted => Ok(interrupted()),
        told => Ok(told.map(|()| ExitCode::SUCCESS)?),
    }
}

/// The exit code of a program that was interrupted.
pub(crate) fn interrupted() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}

/// The colours that the environment asks for.
pub(crate) fn palette() -> Palette {
    let var = |name| std::env::var(name).ok();
    Palette::of(var("NO_COLOR").as_deref(), var("TERM").as_deref(), var("COLORTERM").as_deref())
}

/// A flag that is raised when the system wants us to end, so that the terminal is given back first.
pub(crate) fn stop_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [
        SIGTERM,
        SIGINT,
        #[cfg(unix)]
        signal_hook::consts::SIGHUP,
    ] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("signals cannot be watched")?;
    }
    Ok(stop)
}

impl Args {
    fn sitting(&self) -> anyhow::Result<Box<dyn AnySitting>> {
        if let Some(path) = &self.resume {
            return open_to_play(path).map_err(|problem| anyhow!(problem));
        }
        let spec = self.spec.as_ref().expect("clap asks for a spec unless there is a record to go on with");
        let mut sitting = begin(spec, &self.players, self.seed.map(Seed), self.time)?;
        if let Some(path) = &self.record {
            keep_at(&mut *sitting, path.clone())?;
        } else if !self.no_record {
            sitting.keep(Some(new_record(spec.game.name())));
        }
        Ok(sitting)
    }
}

/// A new match.
pub(crate) fn begin(
    spec: &CheckedSpec,
    players: &[PlayerSpec],
    seed: Option<Seed>,
    time: Option<TimeControl>,
) -> anyhow::Result<Box<dyn AnySitting>> {
    let n_seats = spec.n_seats();
    if players.len() > n_seats {
        let (text, given) = (&spec.text, players.len());
        return Err(UsageError(format!(
            "{text} has {n_seats} seats, and {given} players are given; name at most one for each seat"
        ))
        .into());
    }
    let parse = |name: &str| name.parse::<PlayerSpec>().expect("the name is well formed");
    let mut players = players.to_vec();
    if players.is_empty() {
        players.push(parse(PERSON));
    }
    players.resize(n_seats, parse(OPPONENT));
    for player in players.iter().filter(|player| !player.is_person()) {
        spec.game
            .check_player(player)
            .map_err(|error| UsageError(format!("{player}: {error}; a person is `{PERSON}`")))?;
    }
    let seed = seed.unwrap_or_else(random_seed);
    let order = MatchOrder {
        spec: spec.game.vary(&spec.spec, seed),
        players,
        seed,
        control: time.unwrap_or(TimeControl::Untimed),
        limits: Limits::default(),
        conduct: spec.game.conduct(),
        max_turns: None,
        number: None,
    };
    Ok(sit(&order)?)
}

/// Who sits where nobody was named.
const OPPONENT: &str = "medium";

/// Different each time, and small, so that it is easily typed.
fn random_seed() -> Seed {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Seed(since.map_or(0, |since| since.as_millis() as u64) % 1_000_000)
}

fn keep_at(sitting: &mut dyn AnySitting, path: PathBuf) -> anyhow::Result<()> {
    if path.exists() {
        let file = quoted(&path);
        return Err(UsageError(format!(
            "--record {file}: there is such a file already; choose another name, or go on with it by `rookery play --resume {file}`"
        ))
        .into());
    }
    sitting.keep(Some(path));
    Ok(sitting.save()?)
}

/// A new name in the folder of the person's games. That the folder cannot be made is told when the record is written.
pub(crate) fn new_record(game: &str) -> PathBuf {
    let folder = games_folder();
    let _ = std::fs::create_dir_all(&folder);
    free_path(&folder.join(format!("{game}.rookery.jsonl")))
}

fn play_plainly(mut table: Table, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let note = Arc::new(Mutex::new(String::new()));
    let last_words = Arc::clone(&note);
    ctrlc::set_handler(move || {
        // The match is on disk; only the way back to it is left to tell.
        if let Ok(text) = last_words.lock() {
            let _ = write!(io::stderr(), "\n{text}");
        }
        std::process::exit(INTERRUPTED.into());
    })
    .context("Ctrl-C cannot be watched")?;
    let mut keep_note = |text| {
        if let Ok(mut note) = note.lock() {
            *note = text;
        }
    };
    plain::play(&mut table, &mut io::stdin().lock(), out, &mut keep_note)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a full screen makes sense.
pub(crate) fn has_screen() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !is_dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}
