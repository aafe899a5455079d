//! `rookery hexapawn player`: a player for a referee that runs elsewhere.

use std::io::{ErrorKind, Read, Write, stdin};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rookery_catalog::{Hexapawn, strategy};
use rookery_games::hexapawn::{Move, Position};
use rookery_referee::{SeatSpec, parse_duration, words};
use rookery_rules::{Position as _, Seed};
use rookery_search::{Budget, Strategy};
use rookery_wire::{Framing, Inbox};

use super::Dialect;
use super::human::{Decision, interpret, question, question_again, read_line};
use crate::hexapawn::Spoken;
use crate::hexapawn::client::{Client, Told};
use crate::hexapawn::records::PlayerType;
use crate::{ErrorOutput, UsageError};

/// Play for a referee elsewhere, in either of the game's own protocols
///
/// The player notices by itself which protocol the referee speaks and, unless --as says it, which player it is.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("where").required(true).args(["connect", "stdio"]))]
pub(super) struct Args {
    /// Where the referee waits
    #[arg(long, value_name = "HOST:PORT")]
    connect: Option<String>,

    /// Talk by the standard input and output, for a referee that starts this program
    #[arg(long)]
    stdio: bool,

    /// Which player this is
    #[arg(long = "as", value_name = "P")]
    player_type: Option<PlayerType>,

    /// Who chooses the moves: one of our own, or `human` with --connect
    #[arg(long, value_name = "PLAYER", default_value = "first")]
    player: SeatSpec,

    /// The time of a turn; our own players use a part of it
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration)]
    time: Duration,

    /// Which spelling of moves is spoken
    #[arg(long, value_enum, default_value = "readme")]
    dialect: Dialect,

    /// Rows to choose when the referee asks for the size
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(5..=8))]
    rows: u8,

    /// Columns to choose when the referee asks for the size
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(5..=8))]
    cols: u8,

    /// How long to try to connect
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    connect_timeout: Duration,

    /// Where the randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  rookery hexapawn player --connect localhost:4001 --player heuristic
  rookery hexapawn player --connect localhost:4002 --player human --as p2
  rookery hexapawn referee --p1 \"cmd:rookery hexapawn player --stdio\" --p2 random";

/// A referee that is silent for so long has gone.
const SILENCE: Duration = Duration::from_mins(10);
/// How long to wait between two attempts to connect.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(50);

/// Whoever chooses the moves.
enum Mind {
    BuiltIn(Box<dyn Strategy<Position>>),
    /// Somebody who is asked on this.
    Human(ErrorOutput),
}

pub(super) fn run(args: &Args, out: &mut dyn Write, err: &ErrorOutput) -> anyhow::Result<()> {
    let mut mind = args.mind(err)?;
    let mut client = Client::new(args.player_type, args.dialect.into(), (args.rows, args.cols));
    let Some(address) = &args.connect else {
        args.talk(&mut client, &mut mind, &mut stdin().lock(), out)?;
        return Ok(());
    };
    let stream = args.connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE))?;
    let winner = args.talk(&mut client, &mut mind, &mut &stream, &mut &stream)?;
    let me = client.player().map_or_else(String::new, |player| format!("{player}: "));
    Ok(writeln!(out, "{me}{winner} has won")?)
}

impl Args {
    fn mind(&self, err: &ErrorOutput) -> Result<Mind, UsageError> {
        match &self.player {
            SeatSpec::BuiltIn(player) => match strategy::<Hexapawn>(player) {
                Ok((strategy, _)) => Ok(Mind::BuiltIn(strategy)),
                Err(error) => Err(UsageError(format!("--player {player}: {error}"))),
            },
            SeatSpec::Human if self.stdio => {
                let problem = "--player human needs the terminal; use it with --connect, not with --stdio";
                Err(UsageError(problem.to_owned()))
            }
            SeatSpec::Human => Ok(Mind::Human(err.clone())),
            _ => Err(UsageError("--player takes one of our own players or human".to_owned())),
        }
    }

    /// Connects; the referee may not be there yet.
    fn connect(&self, address: &str) -> anyhow::Result<TcpStream> {
        let start = Instant::now();
        loop {
            match TcpStream::connect(address) {
                Ok(stream) => return Ok(stream),
                Err(error) if error.kind() == ErrorKind::InvalidInput => {
                    return Err(UsageError(format!("--connect {address}: expected HOST:PORT")).into());
                }
                Err(error) if start.elapsed() >= self.connect_timeout => {
                    return Err(error).with_context(|| format!("{address}: no referee is there"));
                }
                Err(_) => sleep(BETWEEN_ATTEMPTS),
            }
        }
    }

    /// Talks until the game is over, and says who has won.
    fn talk(
        &self,
        client: &mut Client,
        mind: &mut Mind,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> anyhow::Result<PlayerType> {
        let mut inbox = Inbox::new(Framing::Lines, Spoken::Elimination.protocol().bounds);
        let mut chunk = [0; 2048];
        let mut decisions = 0;
        loop {
            while let Some(message) = inbox.next() {
                let message = message.map_err(|fault| {
                    anyhow::anyhow!("the referee {}", words::offence(fault.offence, &fault.evidence))
                })?;
                let mut told = client.hear(&message).map_err(|problem| anyhow::anyhow!(problem))?;
                while let Told::Decide(position) = told {
                    decisions += 1;
                    told = client.decided(self.decide(mind, &position, decisions)?);
                }
                match told {
                    Told::Ended(winner) => return Ok(winner),
                    Told::Send(record) => {
                        let sent = output.write_all(format!("{record}\n").as_bytes());
                        let gone = |error| anyhow::anyhow!("the referee has gone: {error}");
                        sent.and_then(|()| output.flush()).map_err(gone)?;
                    }
                    Told::Decide(_) => unreachable!("all decisions are made above"),
                }
            }
            match input.read(&mut chunk) {
                Ok(0) => bail!("the referee has gone before the game was over"),
                Ok(n) => inbox.push(&chunk[..n]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error).context("nothing more is heard of the referee"),
            }
        }
    }

    fn decide(&self, mind: &mut Mind, position: &Position, number: u64) -> anyhow::Result<Move> {
        match mind {
            Mind::BuiltIn(strategy) => {
                // The rest is for the way of the answer, and for a machine that is busy.
                let deadline = Some(Instant::now() + self.time * 6 / 10);
                let seed = Seed(self.seed).derive(number);
                Ok(strategy.choose(position, &Budget { deadline, seed, ..Budget::default() }))
            }
            Mind::Human(err) => {
                let seat = position.to_move().expect("a decision is asked for only while the game goes on");
                let player = PlayerType::at(seat);
                write!(err, "{}", question(position, player))?;
                loop {
                    let line = read_line().context("the standard input ended")?;
                    match interpret(&line, position) {
                        Decision::Move(mv) => return Ok(mv),
                        Decision::Resign => {
                            writeln!(err, "{player} leaves")?;
                            bail!("the game was given up");
                        }
                        Decision::Again(problem) => {
                            write!(err, "{}", question_again(&problem, player))?;
                        }
                    }
                }
            }
        }
    }
}
