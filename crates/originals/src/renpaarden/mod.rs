//! `rookery renpaarden`: the game at the terminal.

mod classic;
mod dialogue;
mod entry;
mod game;
mod prompt;
mod terms;
#[cfg(test)]
mod tests;
mod view;

use std::cell::Cell;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rookery_catalog::PlayerSpec;
use rookery_games::renpaarden::Setup;
use rookery_live::Stopping;
use rookery_referee::parse_duration;
use rookery_rules::{GameSpec, Seat, Seed, Setup as _, SetupError};

use crate::keyboard::Keyboard;
use crate::{StopArgs, UsageError};
use dialogue::Choices;
use game::{House, Terms};
use prompt::Terminal;

/// Play Renpaarden at the terminal, with people and computers
///
/// A menu asks who plays and how strong the computer is. A piece is chosen by X (to the right) and Y (down), then one
/// of its hops from a list; or whole chains are typed at once. `help` works at every question.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The board and the rules
    #[arg(long, value_name = "GAME-SPEC", default_value = "renpaarden", value_parser = read_setup)]
    game: Setup,

    /// Who plays, instead of the menu
    #[arg(long)]
    mode: Option<Mode>,

    /// The computer's level, instead of asking: random, homing, easy, medium, hard, or any player of the game; twice for
    /// two computers
    #[arg(long, value_name = "PLAYER")]
    level: Vec<PlayerSpec>,

    /// How long the computer thinks about a move
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = parse_duration)]
    think: Duration,

    /// Where all randomness comes from; by default the time of day
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    #[command(flatten)]
    stop: StopArgs,

    /// Keep a record of the game in this new file; further games get numbers
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Call a game a draw after so many hops
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_turns: Option<u64>,

    /// Speak as the original program does: its questions, lists and boards, answers as Prolog terms (`4.`)
    #[arg(long, conflicts_with_all = ["game", "mode", "level", "think", "max_turns"])]
    classic: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery renpaarden
  rookery renpaarden --mode player-computer --level hard --think 1s
  rookery renpaarden --game renpaarden:width=5,height=5 --record game.rookery.jsonl
  rookery renpaarden --mode computer-computer --level easy --level hard --seed 7 </dev/null
  rookery renpaarden --classic";

/// Who sits where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Mode {
    PlayerPlayer,
    PlayerComputer,
    ComputerPlayer,
    ComputerComputer,
}

impl Mode {
    /// In the order of the menu.
    const ALL: [Self; 4] =
        [Self::PlayerPlayer, Self::PlayerComputer, Self::ComputerPlayer, Self::ComputerComputer];

    const fn title(self) -> &'static str {
        match self {
            Self::PlayerPlayer => "Player / Player",
            Self::PlayerComputer => "Player / Computer",
            Self::ComputerPlayer => "Computer / Player",
            Self::ComputerComputer => "Computer / Computer",
        }
    }

    fn is_person(self, seat: Seat) -> bool {
        match self {
            Self::PlayerPlayer => true,
            Self::PlayerComputer => seat.index() == 0,
            Self::ComputerPlayer => seat.index() == 1,
            Self::ComputerComputer => false,
        }
    }
}

fn read_setup(text: &str) -> Result<Setup, SetupError> {
    Setup::from_spec(&GameSpec::parse(text)?)
}

impl Args {
    /// How long a running game may go on after the first request to stop.
    pub fn grace(&self) -> Duration {
        self.stop.grace()
    }
}

/// Carries it out. A game that goes on has the grace when everything is to stop.
pub fn run(args: &Args, out: &mut dyn Write, stop: &Stopping) -> anyhow::Result<ExitCode> {
    let echo = !io::stdin().is_terminal();
    let playing = Cell::new(false);
    let is_called = || if playing.get() { stop.is_urgent() } else { stop.is_requested() };
    let mut keyboard = Keyboard::new(BufReader::new(io::stdin()), is_called);
    let house = House::new(stop, &playing)?;
    converse(args, &house, &mut Terminal { input: &mut keyboard, out, echo })?;
    Ok(stop.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from))
}

fn converse(args: &Args, house: &House<'_>, terminal: &mut Terminal<'_>) -> anyhow::Result<()> {
    let this_game = rookery_catalog::game(Setup::GAME)?;
    if args.level.len() > 2 {
        let n = args.level.len();
        return Err(UsageError(format!("--level is given {n} times; there are two seats")).into());
    }
    for level in &args.level {
        this_game.check_player(level).map_err(|error| UsageError(format!("--level {level}: {error}")))?;
    }
    let seed = Seed(args.seed.unwrap_or_else(time_of_day));
    let mut terms = Terms { setup: args.game, seed, think: Some(args.think), max_plies: args.max_turns };
    if args.classic {
        terms.think = None;
        return classic::converse(&terms, args.record.as_deref(), house, terminal);
    }
    let (mode, levels, record) = (args.mode, args.level.clone(), args.record.clone());
    dialogue::converse(&Choices { terms, mode, levels, record }, house, terminal)
}

/// Another number every time.
fn time_of_day() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_micros() as u64 % 1_000_000_000
}
