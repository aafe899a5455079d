//! `rookery fish xserver`: tournaments over TCP.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use indicatif::MultiProgress;
use rookery_live::Stopping;
use rookery_record::ArchiveError;
use rookery_referee::parse_duration;
use rookery_rules::Setup as _;
use rookery_wire::raise_file_limit;

use super::notices::{Notices, Style};
use crate::fish::{Config, Manner, ResumeError, Server, Tally, write_standings};
use crate::{ErrorOutput, StopArgs, UsageError};

/// Wait for players on a port, hold a tournament of Fish, and print how many won and failed
///
/// Players connect over TCP, say their names and are then called with JSON (docs/fish-server.md). With the most players
/// the tournament begins at once, else after a waiting period if there are enough. The result is one line on standard
/// output: how many have won, and how many have cheated or failed. Everything else goes to standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "they are flags of a command line")]
pub struct Args {
    /// The port to listen on; 0 takes any that is free
    #[arg(value_name = "PORT")]
    port: u16,

    /// The address to listen on; the default is reached from everywhere, 127.0.0.1 only from this machine
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0")]
    host: IpAddr,

    /// With fewer players there is no tournament
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = players)]
    min_players: usize,

    /// With so many players it begins at once
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = players)]
    max_players: usize,

    /// A waiting period for players
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_duration)]
    wait: Duration,

    /// How many waiting periods, as long as there are not enough
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    tries: u32,

    /// The time for the name, from the beginning of a connection
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    name_timeout: Duration,

    /// The time for every call
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = parse_duration)]
    timeout: Duration,

    /// The time for a player's first turn in a game
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    first_timeout: Duration,

    /// Rows of the board
    #[arg(long, value_name = "N", default_value = "5")]
    rows: String,

    /// Columns of the board
    #[arg(long, value_name = "N", default_value = "5")]
    cols: String,

    /// Fish on every tile, 1 to 5 or random
    #[arg(long, value_name = "N", default_value = "2")]
    fish: String,

    /// Cells without a tile
    #[arg(long, value_name = "N", default_value = "0")]
    holes: String,

    /// Where the random choices of the boards come from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Hold one tournament after the other; who comes meanwhile waits for the next
    #[arg(long)]
    repeat: bool,

    /// Accept names without quotes, with digits or with hyphens, and void without quotes
    #[arg(long)]
    lenient: bool,

    /// Do not tell players what the others did since their last turn
    #[arg(long)]
    no_actions: bool,

    /// End every message with a newline
    #[arg(long)]
    newline: bool,

    /// Play the games of a round one after the other
    #[arg(long)]
    sequential: bool,

    /// Keep a record of every game in a new folder in this one
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,

    /// Go on with the last tournament in that folder, if it was interrupted: wait for its players, by their names; finished
    /// games count, and who does not come back has failed
    #[arg(long, requires = "record")]
    resume: bool,

    /// Print the final ranking behind the result
    #[arg(long)]
    standings: bool,

    #[command(flatten)]
    stop: StopArgs,

    /// Show all tables with their scores while they play
    #[arg(long, conflicts_with_all = ["json_log", "quiet"])]
    observe: bool,

    /// Print what happens as one JSON object a line on standard error
    #[arg(long, conflicts_with = "quiet")]
    json_log: bool,

    /// Print nothing on standard error but what goes wrong
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery fish xserver 12345
  rookery fish xserver 12345 --min-players 2 --wait 5s --observe
  rookery fish xserver 12345 --repeat --record games --json-log
  rookery fish xserver 12345 --record games --resume --standings

Exit codes: 0 done (also without a tournament, which prints [0,0]), 1 failed, or a record could not be kept, 2 the command
line is wrong, 75 another program writes there, 98 the port cannot be had, 130 interrupted, 143 ended by the system.";

/// The port cannot be had.
const NO_PORT: u8 = 98;
/// Another program writes to the records.
const LOCKED: u8 = 75;
/// Files and sockets that are needed beside those of players.
const OTHER_FILES: usize = 64;
/// The fewest tiles on which everybody finds room: three players have nine penguins.
const FEWEST_TILES: u32 = 9;

fn players(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 2..=50_000) => Ok(n),
        _ => Err("expected a number of players from 2 to 50000".to_owned()),
    }
}

pub(super) fn run(
    args: &Args,
    out: &mut dyn Write,
    err: &ErrorOutput,
    screen: Option<MultiProgress>,
    stop: &Stopping,
    go_on: &str,
) -> anyhow::Result<ExitCode> {
    let config = args.config()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let notices = Notices::start(args.style(screen), err.clone());
    let mut err = err.clone();
    let done = runtime.block_on(async {
        let address = SocketAddr::new(args.host, args.port);
        let mut server = match Server::stoppable(address, config, notices.log(), stop.clone()) {
            Ok(server) => server,
            Err(error) => {
                let hint = "choose another port, or end whatever uses it";
                writeln!(err, "error: cannot listen on {address}: {error}; {hint}")?;
                return Ok(Ended::Code(NO_PORT));
            }
        };
        match args.resume.then(|| server.resume()).transpose() {
            Ok(_) => {}
            Err(error @ ResumeError::Archive(ArchiveError::Locked { .. })) => {
                writeln!(err, "error: {error}")?;
                return Ok(Ended::Code(LOCKED));
            }
            Err(error) => return Err(anyhow::Error::new(error).context("--resume")),
        }
        serve(&mut server, args, stop, out).await?;
        Ok(if server.records_failed() { Ended::RecordsFailed } else { Ended::Well })
    });
    // What is still connected is closed with the runtime.
    drop(runtime);
    notices.finish();
    let done = done?;
    if let Ended::RecordsFailed = done {
        writeln!(err, "error: not every record could be kept; the lines above say which and why")?;
    }
    if let Some(code) = stop.exit_code() {
        if args.record.is_some() {
            writeln!(err, "interrupted; to go on:\n{go_on}")?;
        } else {
            writeln!(err, "interrupted; with --record DIR a tournament can go on")?;
        }
        return Ok(ExitCode::from(code));
    }
    Ok(match done {
        Ended::Well => ExitCode::SUCCESS,
        Ended::RecordsFailed => ExitCode::FAILURE,
        Ended::Code(code) => ExitCode::from(code),
    })
}

/// How a server ended.
enum Ended {
    Well,
    RecordsFailed,
    Code(u8),
}

async fn serve(server: &mut Server, args: &Args, stop: &Stopping, out: &mut dyn Write) -> anyhow::Result<()> {
    loop {
        let (Tally { winners, failed }, complete) = server.tournament_or_stop().await;
        if complete {
            writeln!(out, "[{winners},{failed}]")?;
            if args.standings {
                write_standings(server.standings(), out)?;
            }
            out.flush()?;
        }
        if stop.is_requested() {
            return Ok(());
        }
        if !args.repeat {
            server.drain().await;
            return Ok(());
        }
    }
}

impl Args {
    pub(super) fn grace(&self) -> Duration {
        self.stop.grace()
    }

    fn style(&self, screen: Option<MultiProgress>) -> Style {
        match (self, screen) {
            (Self { quiet: true, .. }, _) => Style::Quiet,
            (Self { json_log: true, .. }, _) => Style::Json,
            (Self { observe: true, .. }, Some(screen)) => Style::Observe(screen),
            _ => Style::Lines,
        }
    }

    fn config(&self) -> anyhow::Result<Config> {
        let Self { min_players, max_players, .. } = *self;
        if min_players > max_players {
            return Err(UsageError(format!(
                "--min-players {min_players} is more than --max-players {max_players}; expected at most as many"
            ))
            .into());
        }
        let files = raise_file_limit();
        let room = self.room(files);
        if max_players > room {
            return Err(UsageError(format!(
                "--max-players {max_players} does not fit: this process may open {files} files and sockets, which is \
                 enough for {room} players; raise the limit with `ulimit -n`, or take fewer"
            ))
            .into());
        }
        if let Some(dir) = &self.record {
            std::fs::create_dir_all(dir)
                .with_context(|| format!("--record {}: the folder cannot be made", dir.display()))?;
        }
        Ok(Config {
            min_players,
            max_players,
            wait: self.wait,
            tries: self.tries,
            name_timeout: self.name_timeout,
            manner: Manner {
                timeout: self.timeout,
                first_timeout: self.first_timeout.max(self.timeout),
                actions: !self.no_actions,
                newline: self.newline,
                lenient: self.lenient,
            },
            board: self.board()?,
            repeat: self.repeat,
            sequential: self.sequential,
            record: self.record.clone(),
            watch_moves: self.observe,
            max_unnamed: (files / 10).clamp(16, 4096),
            max_unnamed_each: (files / 20).clamp(8, 2048),
        })
    }

    /// For how many players the files and sockets will do: a tenth is for those who have not said their names, and each
    /// player needs its own, half of a record, and twice as many when others wait for the next tournament.
    fn room(&self, files: usize) -> usize {
        let halves_each = if self.repeat { 7 } else { 3 };
        files.saturating_sub(OTHER_FILES + files / 10) * 2 / halves_each
    }

    /// The keys of a game spec say what is possible.
    fn board(&self) -> Result<rookery_games::fish::Setup, UsageError> {
        let Self { rows, cols, fish, holes, seed, .. } = self;
        let spec = format!("rows={rows},cols={cols},fish={fish},holes={holes},seed={seed}");
        let setup =
            rookery_games::fish::Setup::parse(&spec).map_err(|error| UsageError(error.to_string()))?;
        let tiles = setup.start().free_tiles().count_ones();
        if tiles < FEWEST_TILES {
            return Err(UsageError(format!(
                "a board of {tiles} tiles is too small; the penguins of three players need {FEWEST_TILES}"
            )));
        }
        Ok(setup)
    }
}
