//! `rookery stones`: what only this game has, its messages and its dialogue.

mod game;
mod person;
mod player;
mod questions;
mod screen;

use std::io::{self, BufReader, Write};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rookery_catalog::agree;
use rookery_games::stones::{MAX_SIDE, Setup};
use rookery_live::Stopping;
use rookery_referee::{Conduct, Entry, MatchSpec, TimeControl, parse_duration, parse_duration_or_zero};
use rookery_rules::{GameSpec, Seed, Setup as _};

use crate::keyboard::{CalledAway, Keyboard};
use crate::{ErrorOutput, StopArgs, UsageError, open_trace};
use game::{Game, Place};
use screen::{Screen, View};

/// Play Stones at this terminal, or let programs play it by its own messages
///
/// Without flags it asks for the size of the board and for the players. After every message it shows the board and how
/// many stones each player has.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,

    #[command(flatten)]
    table: TableArgs,

    /// How long each message is shown [default: 100ms on a terminal, else 0]
    #[arg(long, value_name = "TIME", value_parser = parse_duration_or_zero)]
    delay: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  rookery stones
  rookery stones --width 5 --height 5 --player human --player cautious
  rookery stones referee --width 8 --height 8 --player \"cmd:python3 bot.py\" --player hard --time 2s
  rookery stones player --connect 127.0.0.1:4000 --player medium

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 a player's error ended the game, 130 interrupted (143 by the
system): a record can go on with --resume.";

#[derive(Debug, clap::Subcommand)]
enum What {
    Referee(RefereeArgs),
    Player(player::Args),
}

/// Let programs play one game, and print its messages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery stones referee --width 3 --height 3 --player aggressive --player aggressive
  rookery stones referee --player tcp:4000 --player \"cmd:python3 bot.py\" --record game.rookery.jsonl
  rookery stones referee --player random --player hard --setup quiet=50 --json

Programs talk in JSON lines; docs/stones-protocol.md has them all.
Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 a player's error ended the game, 130 interrupted (143 by the
system): a record can go on with --resume.")]
struct RefereeArgs {
    #[command(flatten)]
    table: TableArgs,

    /// Print every message as one JSON object a line, and the verdict last
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct TableArgs {
    /// Columns of the board, 1 to 16
    #[arg(long, value_name = "W", value_parser = width)]
    width: Option<u8>,

    /// Rows of the board, 2 to 16
    #[arg(long, value_name = "H", value_parser = height)]
    height: Option<u8>,

    /// More of the setup, for example layout=corners,neighbours=4,quiet=50 (`rookery games` lists the keys)
    #[arg(long, value_name = "KEY=VALUE,..")]
    setup: Option<String>,

    /// Who plays, once for each player, as SPEC or NAME=SPEC: human, cmd:COMMAND, tcp:PORT, or a built-in (`rookery
    /// players`)
    #[arg(long = "player", value_name = "SPEC")]
    players: Vec<Entry>,

    /// Time for each move [default: 2s if programs play among themselves, else none]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,

    /// Keep a record of the game, with what was said, in this new file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Go on with the game in the record, where it was stopped
    #[arg(long, requires = "record")]
    resume: bool,

    /// An error costs a player all stones, and the others play on, instead of ending the game
    #[arg(long)]
    forfeit: bool,

    /// Tell programs nothing more once they have lost
    #[arg(long)]
    no_notify: bool,

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Write every line to and from programs, with its time in microseconds, into this file; - is standard error
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    #[command(flatten)]
    stop: StopArgs,

    /// The address on which tcp:PORT listens
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    listen: IpAddr,

    /// How long players of tcp:PORT are waited for
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    wait: Duration,
}

/// The time for each move of programs, if nobody says.
const PROGRAM_TIME: Duration = Duration::from_secs(2);

fn width(text: &str) -> Result<u8, String> {
    side(text, 1)
}

fn height(text: &str) -> Result<u8, String> {
    side(text, 2)
}

fn side(text: &str, least: u8) -> Result<u8, String> {
    text.parse().ok().filter(|n| (least..=MAX_SIDE).contains(n)).ok_or_else(|| {
        format!(
            "expected a number from {least} to {MAX_SIDE}; a board has 256 tiles at the most, {MAX_SIDE} by {MAX_SIDE}"
        )
    })
}

impl Args {
    /// How long a running game may go on after the first request to stop; `None` where a signal just ends the program.
    pub fn grace(&self) -> Option<Duration> {
        match &self.what {
            None => Some(self.table.stop.grace()),
            Some(What::Referee(args)) => Some(args.table.stop.grace()),
            Some(What::Player(_)) => None,
        }
    }
}

/// Carries it out. `on_terminal` says whether people see `out` as it is written. A game ends early when it is to stop;
/// `go_on` is the command that goes on with its record.
pub fn run(
    args: &Args,
    out: &mut dyn Write,
    err: &ErrorOutput,
    on_terminal: bool,
    stop: &Stopping,
    go_on: &str,
) -> anyhow::Result<ExitCode> {
    if let Some(What::Player(player)) = &args.what {
        return player::run(player, &mut io::stdin().lock(), out);
    }
    let clears = on_terminal && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
    let mut keyboard = Keyboard::new(BufReader::new(io::stdin()), || stop.is_requested());
    let mut place = Place { keyboard: &mut keyboard, out, err: err.clone(), stop, go_on };
    if let Some(What::Referee(referee)) = &args.what {
        let view = if referee.json { View::Json } else { View::Lines };
        let table = &referee.table;
        let game = table.game(&table.setup_text(), &table.players, err)?;
        return game.play(&mut Screen::new(view), &mut place);
    }
    let usual = Duration::from_millis(if on_terminal { 100 } else { 0 });
    let view = View::Board { clears, delay: args.delay.unwrap_or(usual) };
    dialogue(&args.table, view, &mut place)
}

/// Asks for what the flags leave open, and plays.
fn dialogue(args: &TableArgs, view: View, place: &mut Place<'_, '_>) -> anyhow::Result<ExitCode> {
    let (setup, players) = match questions::ask_missing(args, place.keyboard, place.out) {
        Ok(Some(answers)) => answers,
        Ok(None) => {
            writeln!(place.out, "\nThe input ended; no game was played.")?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) if CalledAway::is_reason_of(&error) => {
            writeln!(place.out, "\nStopped; no game was played.")?;
            return Ok(ExitCode::from(place.stop.exit_code().unwrap_or(130)));
        }
        Err(error) => return Err(error.into()),
    };
    args.game(&setup, &players, &place.err)?.play(&mut Screen::new(view), place)
}

impl TableArgs {
    /// The options of the setup that the flags name.
    fn setup_text(&self) -> String {
        let mut words = vec![];
        words.extend(self.height.map(|height| format!("rows={height}")));
        words.extend(self.width.map(|width| format!("cols={width}")));
        words.extend(self.setup.clone());
        words.join(",")
    }

    fn game(&self, setup: &str, players: &[Entry], err: &ErrorOutput) -> anyhow::Result<Game> {
        let trace = self.trace.as_deref().map(|path| open_trace(path, err.clone())).transpose()?;
        Ok(Game {
            spec: self.spec(setup, players)?,
            tell_eliminated: !self.no_notify,
            host: self.listen,
            wait: self.wait,
            trace,
            record: self.record.clone(),
            resume: self.resume,
        })
    }

    /// What is agreed.
    fn spec(&self, setup: &str, players: &[Entry]) -> Result<MatchSpec, UsageError> {
        let n_players = players.len();
        if !(2..=8).contains(&n_players) {
            let problem =
                format!("{n_players} players are named; give --player once for each of 2 to 8 players");
            return Err(UsageError(problem));
        }
        let wrong = |error: &dyn std::fmt::Display| UsageError(error.to_string());
        let comma = if setup.is_empty() { "" } else { "," };
        let setup = Setup::parse(&format!("{setup}{comma}players={n_players}"));
        let game = setup.and_then(|setup| GameSpec::parse(&setup.spec())).map_err(|error| wrong(&error))?;
        let mut spec = agree(&game, players, Seed(self.seed)).map_err(|error| wrong(&error))?;
        let among_themselves = players.iter().any(|entry| entry.seat.is_program())
            && !players.iter().any(|entry| entry.seat.is_person());
        let time = self.time.or(among_themselves.then_some(PROGRAM_TIME));
        spec.time = time.map_or(TimeControl::Untimed, TimeControl::PerMove);
        if self.forfeit {
            spec.conduct = Conduct::removing();
        }
        Ok(spec)
    }
}

#[cfg(test)]
mod tests;
