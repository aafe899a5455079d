//! `rookery hexapawn referee`: one match in the game's own protocol.

use std::io::{self, Write};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::bail;
use clap::ValueEnum;
use rookery_catalog::agree;
use rookery_games::hexapawn::{Eliminate, Position, Setup};
use rookery_live::{Guest, Opened, Opening, Stopping, Wanted, open, prepare, read_story};
use rookery_record::{Archive as _, ArchiveError, Key, OneFile, Slot};
use rookery_referee::{
    Entry, Event, EventOf, MatchSpec, Observer, SeatSpec, Terms, TimeControl, Verdict, parse_duration,
    parse_duration_or_zero, write_duration,
};
use rookery_rules::text::clean;
use rookery_rules::{GameSpec, Seed, Setup as _};
use rookery_wire::Protocols;
use serde::Serialize;

use super::Dialect;
use super::human::{Human, Lines};
use super::printer::{Printer, print_all};
use crate::StopArgs;
use crate::command::launcher;
use crate::hexapawn::Spoken;
use crate::hexapawn::elimination::{self, settle_size};
use crate::hexapawn::log::{ClassicLog, PlainLog, winner};
use crate::hexapawn::records::{self, COLS, PlayerType, ROWS};
use crate::running::run_until;
use crate::{ErrorOutput, UsageError, open_trace, write_json};

/// Referee a match between players that speak the game's own protocol
///
/// A player is `NAME=SPEC` or only `SPEC`: `human` (asked on this terminal), `cmd:COMMAND` (a program that is started and talks by its standard
/// input and output), `tcp:PORT` (a program that connects), or one of our own (`rookery players hexapawn` lists them).
/// docs/hexapawn-protocol.md describes what is sent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Player 1, who moves first
    #[arg(long, value_name = "PLAYER")]
    p1: Entry,

    /// Player 2
    #[arg(long, value_name = "PLAYER")]
    p2: Entry,

    /// Rows of the board, 2 to 8; by default 5
    #[arg(long, value_name = "N", value_parser = rows)]
    rows: Option<u8>,

    /// Columns of the board, 1 to 8; by default 5
    #[arg(long, value_name = "N", value_parser = cols)]
    cols: Option<u8>,

    /// Time for each turn; by default 1s, and 10 minutes for people
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,

    /// More time for the first answer of a program that was just started
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = parse_duration_or_zero)]
    warm_up: Duration,

    /// What is printed while the match runs
    #[arg(long, value_enum, default_value = "plain", conflicts_with = "json")]
    log: Log,

    /// Which protocol is spoken
    #[arg(long, value_enum, default_value = "seed")]
    protocol: Protocol,

    /// Which spelling of moves is spoken
    #[arg(long, value_enum, default_value = "readme")]
    dialect: Dialect,

    /// Keep a record of the match in this file, which must not exist yet
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Go on with the match in the record, where it was stopped
    #[arg(long, requires = "record")]
    resume: bool,

    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,

    /// Write every line to and from programs, with its time in microseconds, into this file; - is standard error
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// The address on which `tcp:PORT` is awaited; 0.0.0.0 lets other machines in
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    listen: IpAddr,

    /// How long to wait for `tcp:PORT`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    connect_timeout: Duration,

    /// Where the randomness of built-in players comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    pub(super) stop: StopArgs,
}

const EXAMPLES: &str = "\
Examples:
  rookery hexapawn referee --p1 human --p2 heuristic
  rookery hexapawn referee --p1 cmd:./player.py --p2 first --rows 3 --cols 3 --log classic
  rookery hexapawn referee --p1 tcp:4001 --p2 tcp:4002 --record game.rookery.jsonl
  rookery hexapawn referee --p1 heuristic --p2 heuristic --protocol elimination --rows 8 --cols 8

Exit codes: 0 done, whoever won; 1 failed, 2 the command line is wrong, 3 stopped by our own failure,
130 interrupted (143 by the system): the record can go on with --resume.";

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
enum Protocol {
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

fn rows(text: &str) -> Result<u8, String> {
    side(text, ROWS)
}

fn cols(text: &str) -> Result<u8, String> {
    side(text, COLS)
}

fn side(text: &str, range: std::ops::RangeInclusive<u8>) -> Result<u8, String> {
    let (low, high) = (range.start(), range.end());
    text.parse().ok().filter(|n| range.contains(n)).ok_or_else(|| {
        format!("expected a number from {low} to {high}; a board has 64 squares at the most, 8 by 8")
    })
}

#[derive(Serialize)]
struct Report {
    protocol: &'static str,
    rows: u8,
    cols: u8,
    players: [String; 2],
    winner: Option<String>,
    cause: &'static str,
    blame: Option<&'static str>,
    sentence: String,
    plies: u64,
    moves: Vec<String>,
}

/// What came of a match.
struct Outcome {
    spec: MatchSpec,
    setup: Setup,
    verdict: Verdict,
    moves: Vec<String>,
}

pub(super) fn run(
    args: &Args,
    out: &mut dyn Write,
    err: &ErrorOutput,
    stop: &Stopping,
    go_on: &str,
) -> anyhow::Result<ExitCode> {
    args.check()?;
    let mut err = err.clone();
    let (printer, pieces) = Printer::new();
    let played = thread::scope(|scope| {
        // The match has a thread of its own, so that a slow reader of what is printed takes nobody's time.
        let running = {
            let err = err.clone();
            scope.spawn(move || args.play(printer, err, stop))
        };
        let printing = print_all(pieces, out, &mut err);
        let played = running.join().expect("a match does not panic")?;
        printing?;
        anyhow::Ok(played)
    })?;
    let Some(played) = played else {
        writeln!(err, "stopped; the players were stopped too")?;
        if self::can_go_on(args) {
            writeln!(err, "this goes on with it:\n{go_on}")?;
        }
        return Ok(ExitCode::from(stop.exit_code().unwrap_or(130)));
    };
    if args.json {
        write_json(out, &args.report(&played))?;
    }
    Ok(if played.verdict.outcome.is_none() { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// Whether there is a record to go on with.
fn can_go_on(args: &Args) -> bool {
    args.record.as_ref().is_some_and(|path| path.exists()) && args.check_resume(true).is_ok()
}

impl Args {
    fn entries(&self) -> [&Entry; 2] {
        [&self.p1, &self.p2]
    }

    fn check(&self) -> Result<(), UsageError> {
        self.spec(Setup::default())?;
        if let (SeatSpec::Tcp(one @ 1..), SeatSpec::Tcp(two)) = (&self.p1.seat, &self.p2.seat)
            && one == two
        {
            return Err(UsageError(format!("tcp:{one} is named twice; give each player a port of its own")));
        }
        if self.protocol == Protocol::Seed {
            return Ok(());
        }
        if self.dialect == Dialect::Code {
            let problem = "the elimination protocol has one spelling; leave --dialect away";
            return Err(UsageError(problem.to_owned()));
        }
        if self.p2.seat.is_program() && self.rows.or(self.cols).is_some() {
            let problem =
                "in the elimination protocol player 2 chooses the size; leave --rows and --cols away";
            return Err(UsageError(problem.to_owned()));
        }
        for (name, size) in [("--rows", self.rows), ("--cols", self.cols)] {
            if let Some(size) = size.filter(|size| !elimination::SIZES.contains(size)) {
                return Err(UsageError(format!("{name} {size}: the elimination protocol takes 5 to 8")));
            }
        }
        self.check_resume(self.resume)
    }

    /// In the second protocol the board is never sent, so a program cannot come back to a game.
    fn check_resume(&self, resume: bool) -> Result<(), UsageError> {
        let programs = self.entries().into_iter().any(|entry| entry.seat.is_program());
        if resume && programs && self.protocol == Protocol::Elimination {
            let problem =
                "in the elimination protocol programs are never told the board, so --resume cannot be";
            return Err(UsageError(problem.to_owned()));
        }
        Ok(())
    }

    fn spoken(&self) -> Spoken {
        match self.protocol {
            Protocol::Seed => Spoken::Seed(self.dialect.into()),
            Protocol::Elimination => Spoken::Elimination,
        }
    }

    /// What is agreed, on a board of this size.
    fn spec(&self, setup: Setup) -> Result<MatchSpec, UsageError> {
        let wrong = |error: &dyn std::fmt::Display| UsageError(error.to_string());
        let game = GameSpec::parse(&setup.spec()).map_err(|error| wrong(&error))?;
        let entries = self.entries().map(Clone::clone);
        let mut spec = agree(&game, &entries, Seed(self.seed)).map_err(|error| wrong(&error))?;
        spec.time = TimeControl::PerMove(self.time());
        Ok(spec)
    }

    fn time(&self) -> Duration {
        self.time.unwrap_or(TURN)
    }

    /// Plays the match; `None` if it was stopped. Whatever was started has ended then.
    fn play(&self, printer: Printer, err: ErrorOutput, stop: &Stopping) -> anyhow::Result<Option<Outcome>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            if let Some(path) = self.record.as_ref().filter(|path| path.exists() && !self.resume) {
                return Err(ArchiveError::Exists(path.clone()).into());
            }
            // Before the match nothing is lost by stopping at once.
            let opened = tokio::select! {
                opened = self.open(&printer, err) => opened?,
                () = stop.requested() => return Ok(None),
            };
            self.play_with(opened, printer, stop).await
        })
    }

    /// Brings whoever is to play, and lets player 2 choose the size where it does.
    async fn open(&self, printer: &Printer, mut err: ErrorOutput) -> anyhow::Result<(Opened, Option<Setup>)> {
        let sandbox = Some(launcher()?);
        let trace = self.trace.as_deref().map(|path| open_trace(path, err.clone())).transpose()?;
        let (host, wait) = (self.listen, self.connect_timeout);
        let opening = Opening { host, wait, trace, sandbox, ..Opening::default() };
        let protocol = self.spoken().protocol();
        let entries = self.entries();
        let names = ["p1", "p2"];
        let seats: [Wanted<'_>; 2] =
            std::array::from_fn(|idx| Wanted { seat: &entries[idx].seat, name: names[idx], protocol });
        let mut announce = |idx: usize, address| {
            // Without an error output nobody can be told.
            let _ = writeln!(err, "{}: waiting for a player on {address}", PlayerType::BOTH[idx]);
        };
        let mut opened = open(&seats, &opening, &mut announce).await?;
        if opened.guests.iter().all(|guest| matches!(guest, Guest::Absent(_))) {
            bail!("nobody connected within {}; there was no match", write_duration(self.connect_timeout));
        }
        self.seat_persons(&mut opened.guests, printer);
        let given = (self.rows.unwrap_or(5), self.cols.unwrap_or(5));
        let (eliminate, size) = match self.protocol {
            Protocol::Seed => (Eliminate::Exactly(0), Some(given)),
            Protocol::Elimination => {
                let started = matches!(self.p2.seat, SeatSpec::Command(_));
                let time = self.time() + if started { self.warm_up } else { Duration::ZERO };
                (Eliminate::Choose, settle_size(&mut opened.guests, given, time).await)
            }
        };
        Ok((opened, size.map(|(rows, cols)| Setup { rows, cols, eliminate })))
    }

    /// People at this terminal have more time than programs, and slips of the tongue are not offences.
    fn seat_persons(&self, guests: &mut [Guest], printer: &Printer) {
        let mut lines = None;
        for guest in guests.iter_mut().filter(|guest| matches!(guest, Guest::Person)) {
            let lines = lines.get_or_insert_with(Lines::start).clone();
            let printer = printer.clone();
            let show = Box::new(move |text| printer.show_person(text));
            let extra = if self.time.is_some() { Duration::ZERO } else { PATIENCE };
            *guest = Guest::own(Human { lines, show, extra });
        }
    }

    async fn play_with(
        &self,
        (opened, settled): (Opened, Option<Setup>),
        mut printer: Printer,
        stop: &Stopping,
    ) -> anyhow::Result<Option<Outcome>> {
        let Opened { guests, closing, .. } = opened;
        let setup = settled.unwrap_or(Setup { eliminate: Eliminate::Choose, ..Setup::default() });
        let spec = self.spec(setup)?;
        let mut protocols = Protocols::default();
        self.spoken().register(&mut protocols, self.warm_up);
        let ready = prepare(spec.clone(), guests, &protocols, self.slot()?)?;
        self.announce(settled, &mut printer)?;
        let (seen, moves) = std::sync::mpsc::channel();
        let terms = Terms { startup: TO_TAKE_NOTE, ..Terms::default() };
        let ready = ready.with_terms(terms).with_observer(self.log_into(printer)).with_observer(Moves(seen));
        let played = run_until(ready, stop.urgent()).await;
        closing.done().await;
        let played = played?;
        let Some(verdict) = played.end.clone().verdict() else { return Ok(None) };
        let moves = match played.path.as_ref().filter(|_| self.resume) {
            Some(path) => moves_of(path)?,
            None => moves.try_iter().collect(),
        };
        Ok(Some(Outcome { spec, setup, verdict, moves }))
    }

    fn slot(&self) -> Result<Option<Slot>, ArchiveError> {
        self.record.as_ref().map(|path| OneFile::new(path, self.resume).open(&Key::first(1))).transpose()
    }

    /// What is played, for people.
    fn announce(&self, settled: Option<Setup>, printer: &mut Printer) -> io::Result<()> {
        if self.log != Log::Plain || self.json {
            return Ok(());
        }
        match (self.spoken(), settled) {
            (Spoken::Seed(dialect), Some(Setup { rows, cols, .. })) => {
                let (referee, ports) = (dialect.referee(), dialect.ports());
                writeln!(printer, "{ports}(PR1 PR2) = {{Referee.{referee} P1 P2 {rows} {cols}}}")?;
            }
            (_, Some(Setup { rows, cols, .. })) => {
                writeln!(printer, "{rows} rows, {cols} columns, pawns are taken off first")?;
            }
            (_, None) => writeln!(printer, "no size was agreed on")?,
        }
        let [one, two] = self.entries().map(|entry| clean(&entry.to_string()));
        writeln!(printer, "P1: {one}\nP2: {two}")?;
        printer.flush()
    }

    fn log_into(&self, printer: Printer) -> Box<dyn Observer<Position> + Send> {
        match self.log {
            _ if self.json => Box::new(()),
            Log::Classic => Box::new(ClassicLog(printer)),
            Log::Plain => Box::new(PlainLog { out: printer, dialect: records::Dialect::from(self.dialect) }),
            Log::None => Box::new(()),
        }
    }

    fn report(&self, played: &Outcome) -> Report {
        let Outcome { spec, setup, verdict, moves } = played;
        Report {
            protocol: match self.protocol {
                Protocol::Seed => "seed",
                Protocol::Elimination => "elimination",
            },
            rows: setup.rows,
            cols: setup.cols,
            players: self.entries().map(ToString::to_string),
            winner: winner(verdict).map(|player| player.to_string()),
            cause: verdict.ending.cause.word(),
            blame: verdict.ending.blame().map(rookery_referee::Blame::word),
            sentence: spec.sentence(verdict),
            plies: verdict.plies,
            moves: moves.clone(),
        }
    }
}

/// Keeps the moves for the report.
struct Moves(std::sync::mpsc::Sender<String>);

impl Observer<Position> for Moves {
    fn see(&mut self, event: &EventOf<Position>, _: &Position) {
        if let Event::Moved { mv, .. } = event {
            // Whoever wants to know waits until the match is over.
            let _ = self.0.send(mv.to_string());
        }
    }
}

/// All moves of a match that went on with its record.
fn moves_of(path: &std::path::Path) -> anyhow::Result<Vec<String>> {
    let story = read_story(io::BufReader::new(std::fs::File::open(path)?))?;
    Ok(story.entries.iter().filter_map(|entry| entry.deed.as_move().map(str::to_owned)).collect())
}
