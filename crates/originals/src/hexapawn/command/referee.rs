//! `rookery hexapawn referee`: one match in the game's own protocol.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Mutex;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::ValueEnum;
use rookery_catalog::{Hexapawn, SeatSpec, seat};
use rookery_games::hexapawn::{Position, Setup};
use rookery_record::{Header, Limits, RecordWriter};
use rookery_referee::{
    Event, EventOf, LagProbe, Observer, Terms, TimeControl, Verdict, parse_duration, write_duration,
};
use rookery_rules::text::clean;
use rookery_rules::{Seed, Setup as _};
use serde::Serialize;
use tokio::sync::oneshot;

use super::printer::{Printer, print_all};
use super::seats::Seating;
use super::{Dialect, duration_or_zero};
use crate::hexapawn::host::{Agreed, CONDUCT, Chair, Protocol, agree, host};
use crate::hexapawn::log::{ClassicLog, PlainLog, winner};
use crate::hexapawn::{elimination, records};
use crate::{ErrorOutput, UsageError, write_json};

/// Referee a match between players that speak the game's own protocol
///
/// A player is `human` (asked on this terminal), `cmd:COMMAND` (a program that is started and talks by its standard
/// input and output), `tcp:PORT` (a program that connects), or one of our own (`rookery players hexapawn` lists them).
/// docs/hexapawn-protocol.md describes what is sent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Player 1, who moves first
    #[arg(long, value_name = "PLAYER")]
    p1: SeatSpec,

    /// Player 2
    #[arg(long, value_name = "PLAYER")]
    p2: SeatSpec,

    /// Rows of the board, 3 to 8; by default 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=8))]
    rows: Option<u8>,

    /// Columns of the board, 3 to 8; by default 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=8))]
    cols: Option<u8>,

    /// Time for each turn; by default 1s, and 10 minutes for people
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,

    /// More time for the first answer of a program that was just started
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = duration_or_zero)]
    warm_up: Duration,

    /// What is printed while the match runs
    #[arg(long, value_enum, default_value = "plain", conflicts_with = "json")]
    log: Log,

    /// Which protocol is spoken
    #[arg(long, value_enum, default_value = "seed")]
    protocol: Spoken,

    /// Which spelling of moves is spoken
    #[arg(long, value_enum, default_value = "readme")]
    dialect: Dialect,

    /// Keep a record of the match in this file, which must not exist yet
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,

    /// The address on which `tcp:PORT` is awaited; 0.0.0.0 lets other machines in
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    listen: String,

    /// How long to wait for `tcp:PORT`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    connect_timeout: Duration,

    /// Where the randomness of built-in players comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  rookery hexapawn referee --p1 human --p2 heuristic
  rookery hexapawn referee --p1 cmd:./player.py --p2 first --rows 3 --cols 3 --log classic
  rookery hexapawn referee --p1 tcp:4001 --p2 tcp:4002 --record game.rookery.jsonl
  rookery hexapawn referee --p1 heuristic --p2 heuristic --protocol elimination --rows 8 --cols 8

Exit codes: 0 done, whoever won; 1 failed, 2 the command line is wrong, 3 stopped by our own failure, 130 interrupted.";

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Log {
    /// The console text of the original
    Classic,
    /// One line a move
    Plain,
    /// Nothing
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Spoken {
    /// Requests with the board
    Seed,
    /// Player 2 chooses the size, then both take pawns off, then they play
    Elimination,
}

/// The time of a turn if nothing else is said.
const TURN: Duration = Duration::from_secs(1);
/// The same for people.
const PATIENCE: Duration = Duration::from_mins(10);
/// How long a player may take to be told something.
const TO_TAKE_NOTE: Duration = Duration::from_secs(2);

#[derive(Serialize)]
struct Report<'a> {
    protocol: &'static str,
    rows: u8,
    cols: u8,
    players: [String; 2],
    winner: Option<String>,
    cause: &'static str,
    blame: Option<&'static str>,
    sentence: &'a str,
    plies: u64,
    moves: Vec<String>,
}

/// What came of a match.
struct Played {
    agreed: Agreed,
    verdict: Verdict,
    events: Vec<EventOf<Position>>,
}

pub(super) fn run(args: &Args, out: &mut dyn Write, err: &ErrorOutput) -> anyhow::Result<ExitCode> {
    args.check()?;
    let mut err = err.clone();
    let interrupted = interrupts()?;
    let (printer, pieces) = Printer::new();
    let played = thread::scope(|scope| {
        // The match has a thread of its own, so that a slow reader of what is printed takes nobody's time.
        let running = {
            let err = err.clone();
            scope.spawn(move || args.play(printer, err, interrupted))
        };
        let printing = print_all(pieces, out, &mut err);
        let played = running.join().expect("a match does not panic")?;
        printing?;
        anyhow::Ok(played)
    })?;
    let Some(played) = played else {
        writeln!(err, "interrupted; the players were stopped")?;
        return Ok(ExitCode::from(130));
    };
    if args.json {
        write_json(out, &args.report(&played))?;
    }
    Ok(if played.verdict.outcome.is_none() { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

impl Args {
    fn check(&self) -> Result<(), UsageError> {
        for (name, spec) in [("--p1", &self.p1), ("--p2", &self.p2)] {
            if let SeatSpec::BuiltIn(player) = spec {
                let known = seat::<Hexapawn>(player, Limits::default(), false);
                known.map_err(|error| {
                    UsageError(format!("{name} {player}: {error}; or human, cmd:COMMAND, tcp:PORT"))
                })?;
            }
        }
        if let (SeatSpec::Tcp(one @ 1..), SeatSpec::Tcp(two)) = (&self.p1, &self.p2)
            && one == two
        {
            return Err(UsageError(format!("tcp:{one} is named twice; give each player a port of its own")));
        }
        if self.protocol == Spoken::Seed {
            return Ok(());
        }
        if self.dialect == Dialect::Code {
            let problem = "the elimination protocol has one spelling; leave --dialect away";
            return Err(UsageError(problem.to_owned()));
        }
        if let SeatSpec::Command(_) | SeatSpec::Tcp(_) = self.p2
            && self.rows.or(self.cols).is_some()
        {
            let problem =
                "in the elimination protocol player 2 chooses the size; leave --rows and --cols away";
            return Err(UsageError(problem.to_owned()));
        }
        for (name, size) in [("--rows", self.rows), ("--cols", self.cols)] {
            if let Some(size) = size.filter(|size| !elimination::SIZES.contains(size)) {
                return Err(UsageError(format!("{name} {size}: the elimination protocol takes 5 to 8")));
            }
        }
        Ok(())
    }

    fn protocol(&self) -> Protocol {
        match self.protocol {
            Spoken::Seed => Protocol::Seed(self.dialect.into()),
            Spoken::Elimination => Protocol::Elimination,
        }
    }

    /// Plays the match; `None` if it was interrupted. Whatever was started has ended then.
    fn play(
        &self,
        printer: Printer,
        err: ErrorOutput,
        interrupted: oneshot::Receiver<()>,
    ) -> anyhow::Result<Option<Played>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut playing = pin!(self.play_to_the_end(printer, err));
            let mut interrupted = pin!(interrupted);
            std::future::poll_fn(|cx| {
                if let Poll::Ready(Ok(())) = interrupted.as_mut().poll(cx) {
                    return Poll::Ready(Ok(None));
                }
                playing.as_mut().poll(cx).map_ok(Some)
            })
            .await
        })
    }

    async fn play_to_the_end(&self, mut printer: Printer, err: ErrorOutput) -> anyhow::Result<Played> {
        if let Some(path) = self.record.as_ref().filter(|path| path.exists()) {
            bail!("{}: there is a file already; choose another name", path.display());
        }
        let mut seating = Seating {
            specs: [&self.p1, &self.p2],
            host: &self.listen,
            connect_timeout: self.connect_timeout,
            warm_up: self.warm_up,
            printer: &printer,
            err,
            patience: if self.time.is_some() { Duration::ZERO } else { PATIENCE },
        };
        let mut chairs = seating.fill().await?;
        if chairs.iter().all(|chair| matches!(chair, Chair::Absent(_))) {
            bail!("nobody connected within {}; there was no match", write_duration(self.connect_timeout));
        }
        let time = self.time.unwrap_or(TURN);
        let (rows, cols) = (self.rows.unwrap_or(5), self.cols.unwrap_or(5));
        let agreed = agree(&mut chairs, self.protocol(), rows, cols, time).await;
        let control = TimeControl::PerMove(time);
        let mut terms = Terms { startup: TO_TAKE_NOTE, ..Terms::new(control, Seed(self.seed)) };
        terms.lag = LagProbe::start();
        let mut record = self.record(agreed.setup, control)?;
        self.announce(&agreed, &mut printer)?;
        let mut log = self.log_into(printer);
        let mut watching = (&mut *log, (Recording(&mut record), vec![]));
        let verdict = host(chairs, &agreed, &terms, &mut watching).await;
        let events = watching.1.1;
        if let (Some(record), Some(path)) = (record, &self.record) {
            record.finish().with_context(|| format!("{}: the record is not whole", path.display()))?;
        }
        Ok(Played { agreed, verdict, events })
    }

    /// What is played, for people.
    fn announce(&self, agreed: &Agreed, printer: &mut Printer) -> io::Result<()> {
        if self.log != Log::Plain || self.json {
            return Ok(());
        }
        let Setup { rows, cols, .. } = agreed.setup;
        match agreed.protocol {
            Protocol::Seed(dialect) => {
                let (referee, ports) = (dialect.referee(), dialect.ports());
                writeln!(printer, "{ports}(PR1 PR2) = {{Referee.{referee} P1 P2 {rows} {cols}}}")?;
            }
            Protocol::Elimination if agreed.offender.is_some() => writeln!(printer, "no size was agreed on")?,
            Protocol::Elimination => {
                writeln!(printer, "{rows} rows, {cols} columns, pawns are taken off first")?;
            }
        }
        writeln!(printer, "P1: {}\nP2: {}", self.name(0), self.name(1))?;
        printer.flush()
    }

    /// A seat as it was given, safe to show.
    fn name(&self, seat: usize) -> String {
        clean(&[&self.p1, &self.p2][seat].to_string())
    }

    fn log_into(&self, printer: Printer) -> Box<dyn Observer<Position> + Send> {
        match self.log {
            _ if self.json => Box::new(()),
            Log::Classic => Box::new(ClassicLog(printer)),
            Log::Plain => Box::new(PlainLog { out: printer, dialect: records::Dialect::from(self.dialect) }),
            Log::None => Box::new(()),
        }
    }

    fn record(&self, setup: Setup, time: TimeControl) -> anyhow::Result<Option<RecordWriter<File>>> {
        let Some(path) = &self.record else { return Ok(None) };
        let file = File::create_new(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => anyhow::anyhow!("there is a file already; choose another name"),
            _ => error.into(),
        });
        let file = file.with_context(|| path.display().to_string())?;
        let seats = [&self.p1, &self.p2].map(|spec| (spec.to_string(), spec.to_string()));
        let header = Header::new(&setup, &setup.start(), seats, Seed(self.seed));
        Ok(Some(RecordWriter::new(file, Header { time, conduct: CONDUCT, ..header })))
    }

    fn report<'a>(&self, played: &'a Played) -> Report<'a> {
        let verdict = &played.verdict;
        let moves = played.events.iter().filter_map(|event| match event {
            Event::Moved { mv, .. } => Some(mv.to_string()),
            _ => None,
        });
        Report {
            protocol: match self.protocol {
                Spoken::Seed => "seed",
                Spoken::Elimination => "elimination",
            },
            rows: played.agreed.setup.rows,
            cols: played.agreed.setup.cols,
            players: [&self.p1, &self.p2].map(ToString::to_string),
            winner: winner(verdict).map(|player| player.to_string()),
            cause: verdict.ending.cause.word(),
            blame: verdict.ending.blame().map(rookery_referee::Blame::word),
            sentence: &verdict.ending.sentence,
            plies: verdict.plies,
            moves: moves.collect(),
        }
    }
}

/// A record, if one is kept.
struct Recording<'a>(&'a mut Option<RecordWriter<File>>);

impl Observer<Position> for Recording<'_> {
    fn see(&mut self, event: &EventOf<Position>, position: &Position) {
        if let Some(record) = self.0 {
            record.see(event, position);
        }
    }
}

/// Tells of the first Ctrl-C; the second ends the program at once.
fn interrupts() -> anyhow::Result<oneshot::Receiver<()>> {
    let (first, interrupted) = oneshot::channel();
    let first = Mutex::new(Some(first));
    ctrlc::set_handler(move || match first.lock().ok().and_then(|mut first| first.take()) {
        Some(first) => {
            // The match may be over.
            let _ = first.send(());
        }
        None => std::process::exit(130),
    })
    .context("Ctrl-C cannot be watched")?;
    Ok(interrupted)
}
