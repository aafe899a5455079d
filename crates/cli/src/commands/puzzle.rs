//! `rookery puzzle`: a position with exactly one winning move, to be found.

use std::io::{BufRead, BufReader, Write, stdin};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};
use rookery_catalog::{AnyPosition, game};
use rookery_rules::Status;
use rookery_rules::scene::Scene;
use rookery_rules::text::{Typed, clean, read_typed};
use rookery_study::{Attempt, Grade, Puzzle, attempt, of_the_day, puzzle, way_on};

use super::write_json;
use crate::spec::UsageError;

/// Solve a puzzle: exactly one move wins
///
/// Positions come from real play and are checked by the solver. Type a move; `hint` helps, `solution` shows it, `quit` ends. A
/// number names a puzzle, and without one it is the puzzle of the day.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery puzzle                         the puzzle of the day
  rookery puzzle hexapawn --seed 7
  rookery puzzle fish --grade 3 --seed 1

Exit codes: 0 done, 1 failed, 2 the command line is wrong.")]
pub(crate) struct Args {
    /// The game: hexapawn, fish or stones; by default that of the number
    #[arg(value_name = "GAME")]
    game: Option<String>,

    /// The number of the puzzle; by default that of the day
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// How hard: from 1, a win in three moves of both, to 5; looking for one takes some seconds, and a number may have none
    #[arg(long, value_name = "G", value_parser = clap::value_parser!(u8).range(1..=5))]
    grade: Option<u8>,

    /// Print one JSON object, with the solution
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // A number names a game, too, so that it names the same puzzle on any day.
    let (of_number, seed) = of_the_day(args.seed.unwrap_or(since.as_secs() / 86_400));
    let name = args.game.as_deref().unwrap_or(of_number);
    // Seen at a terminal only, and gone when there is one.
    let waiting = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{msg}")?);
    if args.grade.is_some() {
        waiting.set_message("Looking for one ...");
        waiting.tick();
    }
    let found = puzzle(name, seed, args.grade.and_then(Grade::new));
    waiting.finish_and_clear();
    let puzzle = found.map_err(|error| UsageError(error.to_string()))?;
    if args.json {
        return write_json(out, &puzzle);
    }
    ask(&puzzle, BufReader::new(stdin()), out)
}

/// Shows the puzzle, and reads moves until it is solved.
fn ask(puzzle: &Puzzle, mut input: impl BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
    let game = game(&puzzle.game)?;
    let mut position = game.position(&puzzle.position)?;
    let who = label(&position.scene(), puzzle.seat);
    let Puzzle { seed, grade, plies, .. } = puzzle;
    writeln!(
        out,
        "{} puzzle {seed}, grade {grade} of 5: {who} to move and win in {plies} moves of both players together.",
        game.title()
    )?;
    writeln!(out, "Exactly one move wins. Type it, or: hint, solution, quit.\n")?;
    loop {
        writeln!(out, "{}\n", position.board())?;
        let Some(typed) = read(&mut input, out)? else { return Ok(()) };
        match typed.as_str() {
            "quit" | "q" => return Ok(()),
            "hint" | "h" => hint(puzzle, &*position, out)?,
            "solution" | "s" => return walk(puzzle, out),
            mv => match attempt(&puzzle.game, &position.text(), mv) {
                Err(error) => writeln!(out, "{}\n", clean(&error))?,
                Ok(Attempt::Solved) => {
                    writeln!(
                        out,
                        "Solved. Next: rookery puzzle {} --seed {}",
                        puzzle.game,
                        seed.wrapping_add(1)
                    )?;
                    return Ok(());
                }
                Ok(Attempt::Right { reply, position: next }) => {
                    writeln!(out, "Right. The answer is {reply}; go on.\n")?;
                    position = game.position(&next)?;
                }
                Ok(Attempt::Wrong { reply: Some(reply) }) => {
                    writeln!(out, "No: {reply} answers, and the win is gone. Try again.\n")?;
                }
                Ok(Attempt::Wrong { reply: None }) => {
                    let mut after = position.boxed_clone();
                    after.play(mv)?;
                    let is_over = matches!(after.status(), Status::Over(_));
                    let why = if is_over { "that ends the game without a win" } else { "the win is gone" };
                    writeln!(out, "No: {why}. Try again.\n")?;
                }
            },
        }
    }
}

/// The next line, without white space around it; nothing at the end of the input.
fn read(input: &mut impl BufRead, out: &mut dyn Write) -> anyhow::Result<Option<String>> {
    write!(out, "> ")?;
    out.flush()?;
    match read_typed(input, MOST_TYPED)? {
        Typed::Line(line) | Typed::TooLong(line) => {
            Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
        }
        Typed::End => {
            writeln!(out)?;
            Ok(None)
        }
    }
}

/// The most bytes of a typed line.
const MOST_TYPED: usize = 1000;

fn label(scene: &Scene, seat: usize) -> String {
    scene.pieces.iter().find(|piece| piece.seat.index() == seat).map_or_else(
        || format!("player {}", seat + 1),
        |piece| piece.label.rsplit(" of ").next().unwrap_or_default().to_owned(),
    )
}

/// The piece that moves, and a reason: not yet the move.
fn hint(puzzle: &Puzzle, position: &dyn AnyPosition, out: &mut dyn Write) -> anyhow::Result<()> {
    let (best, reasons) = way_on(&puzzle.game, &position.text()).map_err(|problem| anyhow!(problem))?;
    let from = position.scene().find_move(&best).and_then(|mv| mv.from.clone());
    let reason = reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>().join(", ");
    match (from, reason.is_empty()) {
        (Some(from), true) => writeln!(out, "Look at {from}.\n")?,
        (Some(from), false) => writeln!(out, "Look at {from}: the move {reason}.\n")?,
        (None, false) => writeln!(out, "The move {reason}.\n")?,
        (None, true) => writeln!(out, "It begins with {}.\n", best.chars().next().unwrap_or_default())?,
    }
    Ok(())
}

/// The solution, position by position.
fn walk(puzzle: &Puzzle, out: &mut dyn Write) -> anyhow::Result<()> {
    let game = game(&puzzle.game)?;
    let mut position = game.position(&puzzle.position)?;
    writeln!(out, "\nThe solution: {}\n", puzzle.solution.join(" "))?;
    for mv in &puzzle.solution {
        position.play(mv)?;
        writeln!(out, "{mv}\n{}\n", position.board())?;
    }
    Ok(())
}
