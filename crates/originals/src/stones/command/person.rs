//! A person who types moves.

use std::io::{self, BufRead, Write};

use rookery_games::stones::{Move, Position, Tile};
use rookery_rules::Position as _;

use super::questions::{read_line, short};

/// What a person decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    Move(Move),
    Resign,
    /// The person, or the input, has gone.
    Leave,
}

const HELP: &str = "\
  1,0 2,1     moves the stone in row 1, column 0 to row 2, column 1 (also 1.0-2.1)
  moves       lists the legal moves
  say TEXT    says something to all
  resign      gives up; the others play on
  quit        leaves the game";

/// Asks a person for a move until there is a legal one, or another decision.
pub(super) fn ask_move(
    position: &Position,
    player: usize,
    say: &mut dyn FnMut(&str),
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<Decision> {
    loop {
        write!(out, "Player {player}, your move (help for help): ")?;
        out.flush()?;
        let Some(line) = read_line(input)? else { return Ok(Decision::Leave) };
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "quit" => return Ok(Decision::Leave),
            "resign" => return Ok(Decision::Resign),
            "help" | "?" => writeln!(out, "{HELP}")?,
            "say" => say(rest.trim()),
            "moves" => {
                let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
                writeln!(out, "{}", moves.join(" "))?;
            }
            _ => match read_move(&line) {
                Some(mv) if position.is_legal(mv) => return Ok(Decision::Move(mv)),
                Some(mv) => writeln!(out, "{mv} is not possible: {}", position.reason(mv))?,
                None => writeln!(
                    out,
                    "`{}` is no move; type two tiles, each a row and a column: 1,0 2,1 (`moves` lists what is possible)",
                    short(&line)
                )?,
            },
        }
    }
}

/// Reads `1,0 2,1`, and the usual text of a move.
pub(super) fn read_move(text: &str) -> Option<Move> {
    if let Ok(mv) = text.parse() {
        return Some(mv);
    }
    let mut tiles = text.split_whitespace().map(|tile| {
        let (row, col) = tile.split_once([',', '.'])?;
        Some(Tile::new(row.parse().ok()?, col.parse().ok()?))
    });
    match (tiles.next(), tiles.next(), tiles.next()) {
        (Some(from), Some(to), None) => Some(Move { from: from?, to: to? }),
        _ => None,
    }
}
