//! `rookery moves`: the legal moves.

use std::io::Write;

use rookery_catalog::AnyPosition;
use rookery_rules::{Seat, Status};
use serde::Serialize;

use super::write_json;
use crate::spec::PositionArgs;

/// Print the legal moves, one a line, in the game's order
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery moves hexapawn
  rookery moves renpaarden:width=5,height=5 --moves \"b2-c4\" --json";

/// A position as JSON.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    game: &'a str,
    position: String,
    /// Only `rookery show` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) board: Option<String>,
    /// The seat to move, from 0; null when the game is over.
    to_move: Option<usize>,
    moves: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<OutcomeReport>,
}

#[derive(Serialize)]
struct OutcomeReport {
    winners: Vec<usize>,
    scores: Vec<i32>,
}

impl<'a> Report<'a> {
    pub(super) fn new(game: &'a str, position: &dyn AnyPosition) -> Self {
        let (to_move, outcome) = match position.status() {
            Status::ToMove(seat) => (Some(seat.index()), None),
            Status::Over(outcome) => {
                let winners = outcome.winners.iter().map(Seat::index).collect();
                (None, Some(OutcomeReport { winners, scores: outcome.scores.as_slice().to_vec() }))
            }
        };
        Self { game, position: position.text(), board: None, to_move, moves: position.moves(), outcome }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let position = args.position.position()?;
    if args.json {
        return write_json(out, &Report::new(&args.position.spec.text, &*position));
    }
    for mv in position.moves() {
        writeln!(out, "{mv}")?;
    }
    Ok(())
}
