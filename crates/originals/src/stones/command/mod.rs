//! `rookery stones`: what only this game has, its messages and its dialogue.

mod game;
mod person;
mod player;
mod questions;
mod screen;

use std::io::{self, BufRead, Write};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rookery_catalog::SeatSpec;
use rookery_games::stones::Setup;
use rookery_referee::{Conduct, TimeControl, parse_duration};
use rookery_rules::{Seed, Setup as _};

use crate::UsageError;
use crate::stones::Table;
use game::Game;
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
    #[arg(long, value_name = "TIME", value_parser = delay)]
    delay: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  rookery stones
  rookery stones --width 5 --height 5 --player human --player cautious
  rookery stones referee --width 8 --height 8 --player \"cmd:python3 bot.py\" --player hard --time 2s
  rookery stones player --connect 127.0.0.1:4000 --player medium

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 a player's error ended the game.";

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
Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 a player's error ended the game.")]
struct RefereeArgs {
    #[command(flatten)]
    table: TableArgs,

    /// Print every message as one JSON object a line, and the verdict last
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct TableArgs {
    /// Columns of the board
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u8).range(1..=16))]
    width: Option<u8>,

    /// Rows of the board
    #[arg(long, value_name = "H", value_parser = clap::value_parser!(u8).range(2..=16))]
    height: Option<u8>,

    /// More of the setup, for example layout=corners,neighbours=4,quiet=50 (`rookery games` lists the keys)
    #[arg(long, value_name = "KEY=VALUE,..")]
    setup: Option<String>,

    /// Who plays, once for each player: human, cmd:COMMAND, tcp:PORT, or a built-in (`rookery players`)
    #[arg(long = "player", value_name = "SPEC")]
    players: Vec<SeatSpec>,

    /// Time for each move [default: 2s if programs play among themselves, else none]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,

    /// Keep a record of the game, with what was said, in this new file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// An error costs a player all stones, and the others play on, instead of ending the game
    #[arg(long)]
    forfeit: bool,

    /// Tell programs nothing more once they have lost
    #[arg(long)]
    no_notify: bool,

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The address on which tcp:PORT listens
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    listen: IpAddr,

    /// How long players of tcp:PORT are waited for
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    wait: Duration,
}

/// The time for each move of programs, if nobody says.
const PROGRAM_TIME: Duration = Duration::from_secs(2);

fn duration(text: &str) -> Result<Duration, rookery_referee::ParseTimeError> {
    parse_duration(text)
}

fn delay(text: &str) -> Result<Duration, rookery_referee::ParseTimeError> {
    if text == "0" { Ok(Duration::ZERO) } else { parse_duration(text) }
}

/// Carries it out. `on_terminal` says whether people see `out` as it is written.
pub fn run(
    args: &Args,
    out: &mut dyn Write,
    err: &mut dyn Write,
    on_terminal: bool,
) -> anyhow::Result<ExitCode> {
    let clears = on_terminal && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
    let mut input = io::stdin().lock();
    match &args.what {
        None => {
            let usual = Duration::from_millis(if on_terminal { 100 } else { 0 });
            let view = View::Board { clears, delay: args.delay.unwrap_or(usual) };
            dialogue(&args.table, view, &mut input, out, err)
        }
        Some(What::Referee(referee)) => {
            let view = if referee.json { View::Json } else { View::Lines };
            let table = referee.table.table(&referee.table.setup_text(), referee.table.players.clone())?;
            play(&referee.table, table, view, &mut input, out, err)
        }
        Some(What::Player(player)) => player::run(player, &mut input, out),
    }
}

/// Asks for what the flags leave open, and plays.
fn dialogue(
    args: &TableArgs,
    view: View,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let Some((setup, players)) = questions::ask_missing(args, input, out)? else {
        writeln!(out, "\nThe input ended; no game was played.")?;
        return Ok(ExitCode::SUCCESS);
    };
    let table = args.table(&setup, players)?;
    play(args, table, view, input, out, err)
}

fn play(
    args: &TableArgs,
    table: Table,
    view: View,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let game = Game { table, host: args.listen, wait: args.wait, record: args.record.clone() };
    game.play(&mut Screen::new(view), input, out, err)
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

    fn table(&self, setup: &str, players: Vec<SeatSpec>) -> anyhow::Result<Table> {
        let n_players = players.len();
        if !(2..=8).contains(&n_players) {
            let problem =
                format!("{n_players} players are named; give --player once for each of 2 to 8 players");
            return Err(UsageError(problem).into());
        }
        let comma = if setup.is_empty() { "" } else { "," };
        let setup = Setup::parse(&format!("{setup}{comma}players={n_players}"))
            .map_err(|error| UsageError(error.to_string()))?;
        let is_program = |spec: &SeatSpec| matches!(spec, SeatSpec::Command(_) | SeatSpec::Tcp(_));
        let programs_only = players.iter().any(is_program) && !players.contains(&SeatSpec::Human);
        let time = self.time.or(programs_only.then_some(PROGRAM_TIME));
        let mut table = Table::new(setup, players);
        table.seed = Seed(self.seed);
        table.time = time.map_or(TimeControl::Untimed, TimeControl::PerMove);
        table.tell_eliminated = !self.no_notify;
        if self.forfeit {
            table.conduct = Conduct::removing();
        }
        table.check().map_err(|error| UsageError(error.to_string()))?;
        Ok(table)
    }
}

#[cfg(test)]
mod tests;
