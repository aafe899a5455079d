//! `rookery hexapawn learn`: a machine of matchboxes.

use std::io::Write;

use rookery_catalog::game;
use rookery_players::PlayerSpec;
use rookery_players::hexapawn::Course;
use rookery_rules::{GameSpec, Seat, Seed, SetupError};
use serde::Serialize;

use crate::{UsageError, write_json};

/// Let a machine of matchboxes learn, and show how it gets on
///
/// The machine has a box for every position and a bead for every move. It draws its moves from the boxes, and after a
/// loss the bead of its last move is taken away.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery hexapawn learn
  rookery hexapawn learn --games 500 --against heuristic --seed 3
  rookery hexapawn learn hexapawn:rows=4,cols=3 --seat 1 --json")]
pub(super) struct Args {
    /// The board; small ones are learned soonest
    #[arg(value_name = "GAME-SPEC", default_value = "hexapawn:rows=3,cols=3", value_parser = read_board)]
    board: Board,

    /// Where the machine sits
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    seat: u8,

    /// Who plays against it
    #[arg(long, value_name = "PLAYER", default_value = "random")]
    against: PlayerSpec,

    /// How many games it plays
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A game spec as given, and the shortest that means the same.
#[derive(Clone, Debug)]
struct Board {
    spec: GameSpec,
    text: String,
}

fn read_board(text: &str) -> Result<Board, SetupError> {
    let spec = GameSpec::parse(text)?;
    Ok(Board { text: game(&spec.game)?.canonical(&spec)?, spec })
}

#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    seat: u8,
    against: String,
    games: u64,
    /// Whether the machine won, game by game.
    won: Vec<bool>,
    boxes: usize,
    beads: usize,
}

/// How many lines the table has at the most.
const LINES: u64 = 20;

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let seat = Seat::new(args.seat - 1);
    let mut course =
        Course::new(&args.board.spec, seat, &args.against).map_err(|error| UsageError(error.to_string()))?;
    if !args.json {
        let (spec, seat, against) = (&args.board.text, args.seat, &args.against);
        writeln!(out, "{spec}: a machine of matchboxes as player {seat} against {against}")?;
        writeln!(out, "{:>8} {:>6} {:>6} {:>6} {:>6}", "games", "wins", "losses", "boxes", "beads")?;
    }
    let block = args.games.div_ceil(LINES);
    let mut won = vec![];
    for game in 0..args.games {
        won.push(course.lesson(Seed(args.seed).derive(game)).won);
        let n_done = won.len() as u64;
        if !args.json && (n_done.is_multiple_of(block) || n_done == args.games) {
            let of_block = &won[((n_done - 1) / block * block) as usize..];
            let wins = of_block.iter().filter(|&&won| won).count();
            let (boxes, beads) = (course.machine().n_boxes(), course.machine().n_beads());
            writeln!(out, "{n_done:>8} {wins:>6} {:>6} {boxes:>6} {beads:>6}", of_block.len() - wins)?;
        }
    }
    if args.json {
        let report = Report {
            game: &args.board.text,
            seat: args.seat,
            against: args.against.to_string(),
            games: args.games,
            won,
            boxes: course.machine().n_boxes(),
            beads: course.machine().n_beads(),
        };
        return write_json(out, &report);
    }
    Ok(())
}
