//! `rookery fish observe`: one game between computers, move by move.

use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

use rookery_catalog::{Fish, PlayerSpec};
use rookery_games::fish;
use rookery_referee::parse_duration;
use rookery_rules::{GameSpec, Position, Seat, Seed, Setup, Status};
use rookery_search::Budget;

use crate::UsageError;

/// Watch one game between computer players, move by move
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  rookery fish observe
  rookery fish observe hard minimax:depth=2 random --delay 500ms
  rookery fish observe minimax minimax --setup rows=4,cols=4,fish=2")]
pub struct Args {
    /// Who plays, in turn order: 2 to 4 players (`rookery players fish` lists all) [default: four minimax]
    #[arg(value_name = "PLAYER", num_args = 0..=4)]
    players: Vec<PlayerSpec>,

    /// The board, as in a game spec behind `fish:`; the number of players comes from the list
    #[arg(long, value_name = "KEY=VALUE,..", default_value = "fish=2")]
    setup: String,

    /// How long to wait after each move, for example 500ms
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    delay: Option<Duration>,

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let usage = |error: &dyn std::fmt::Display| UsageError(error.to_string());
    let house = ["minimax"; 4].map(|name| name.parse().expect("it has the form of a player"));
    let players = if args.players.is_empty() { &house[..] } else { &args.players };
    if players.len() < 2 {
        return Err(UsageError("a game needs 2 to 4 players; name one more".to_owned()).into());
    }
    let mut strategies = players
        .iter()
        .map(|player| Ok(rookery_catalog::strategy::<Fish>(player)?.0))
        .collect::<Result<Vec<_>, rookery_catalog::PlayerError>>()
        .map_err(|error| usage(&error))?;
    let spec = format!("fish:{},players={}", args.setup, players.len());
    let spec = GameSpec::parse(&spec).map_err(|error| usage(&error))?;
    let setup = fish::Setup::from_spec(&spec).map_err(|error| usage(&error))?;

    let mut position = setup.start();
    for (seat, player) in Seat::all(players.len()).zip(players) {
        writeln!(out, "{seat} ({}): {player}", position.color(seat))?;
    }
    writeln!(out, "\n{position}")?;
    for ply in 0.. {
        let seat = match position.status() {
            Status::ToMove(seat) => seat,
            Status::Over(outcome) => {
                let winners: Vec<_> = outcome.winners.iter().map(|seat| seat.to_string()).collect();
                let winners = if winners.is_empty() { "nobody".to_owned() } else { winners.join(" and ") };
                writeln!(out, "\n{winners} won")?;
                break;
            }
        };
        out.flush()?;
        sleep(args.delay.unwrap_or_default());
        let budget =
            Budget { seed: Seed(args.seed).derive(seat.index() as u64).derive(ply), ..Budget::default() };
        let mv = strategies[seat.index()].choose(&position, &budget);
        position.play_unchecked(mv);
        writeln!(out, "\n{}. {seat}: {mv}\n{position}", ply + 1)?;
    }
    Ok(())
}
