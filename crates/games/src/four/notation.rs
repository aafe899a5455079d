//! Positions and moves as text.

use std::fmt;

use rookery_rules::{Notation, ParseMoveError, ParsePositionError, Position as _, Seat, Status};

use super::lines::has_line;
use super::moves::EXPECTED;
use super::position::{SEATS, Stage};
use super::{Move, Position, Setup};

/// The name of a cell: its column from `a`, its row from 1 at the bottom.
pub(super) fn cell_name(row: u8, col: u8) -> String {
    format!("{}{}", Move::new(col), row + 1)
}

const fn sign(owner: Option<Seat>) -> char {
    match owner {
        None => '.',
        Some(seat) if seat.index() == 0 => '1',
        Some(_) => '2',
    }
}

impl Notation for Position {
    /// `p2 .../.../.1. line=3`: who is to move, the rows from the top; then, where it applies, `line=3` (not 4) and
    /// `left=p2` (the player who was removed).
    fn to_text(&self) -> String {
        let Setup { rows, cols, line } = self.setup;
        let row = |row: u8| (0..cols).map(|col| sign(self.owner(row, col))).collect();
        let rows: Vec<String> = (0..rows).rev().map(row).collect();
        let line = if line == Setup::default().line { String::new() } else { format!(" line={line}") };
        let left = match self.stage {
            Stage::Left(winner) => format!(" left=p{}", winner.next(2).index() + 1),
            Stage::Playing | Stage::Won(_) | Stage::Full => String::new(),
        };
        format!("p{} {}{line}{left}", self.to_move.index() + 1, rows.join("/"))
    }

    fn from_text(text: &str) -> Result<Self, ParsePositionError> {
        read(text).map_err(|problem| ParsePositionError::new(text, problem))
    }

    /// Also `d1`, the cell where the stone lands.
    fn parse_move(&self, text: &str) -> Result<Move, ParseMoveError> {
        let Some((letter, [row])) = text.split_at_checked(1).map(|(letter, row)| (letter, row.as_bytes()))
        else {
            return text.parse();
        };
        let mv: Move = letter.parse().map_err(|_| ParseMoveError::new(text, EXPECTED))?;
        let lands = self.is_legal(mv) && u32::from(row.wrapping_sub(b'1')) == self.landing(mv) / 8;
        if lands { Ok(mv) } else { Err(ParseMoveError::new(text, EXPECTED)) }
    }
}

fn read(text: &str) -> Result<Position, &'static str> {
    let mut words = text.split_ascii_whitespace().peekable();
    let to_move = match words.next() {
        Some("p1") => SEATS[0],
        Some("p2") => SEATS[1],
        _ => return Err("it begins with p1 or p2, the player to move"),
    };
    let (mut setup, stones) = read_board(words.next().unwrap_or_default())?;
    if let Some(line) = words.peek().and_then(|word| word.strip_prefix("line=")) {
        setup.line = line.parse().ok().filter(|line| (3..=6).contains(line)).ok_or("`line` is 3 to 6")?;
        words.next();
    }
    if setup.line > setup.longest() {
        return Err(
            "a line is longer than both sides of the board; it is 4 unless `line=3` or so says otherwise",
        );
    }
    if stones[0].count_ones() != stones[1].count_ones() + to_move.index() as u32 {
        return Err("p1 is to move when both have as many stones, p2 when p1 has one more");
    }
    if has_line(stones[to_move.index()], setup.line) {
        return Err("the player to move has a line, so the game ended before the other's last stone");
    }
    let mut position = Position::of(setup, stones);
    match words.next() {
        None => return Ok(position),
        Some(_) if position.stage != Stage::Playing => {
            return Err("the game is over; nothing stands behind it");
        }
        Some("left=p1") => position.remove(SEATS[0]),
        Some("left=p2") => position.remove(SEATS[1]),
        Some(_) => {
            return Err("behind the board there is nothing, or `line=3` and then `left=p1` or `left=p2`");
        }
    }
    if words.next().is_some() { Err("there is something behind its end") } else { Ok(position) }
}

/// The size of a board, with the usual line, and the stones of both seats.
fn read_board(text: &str) -> Result<(Setup, [u64; 2]), &'static str> {
    let rows: Vec<&str> = text.split('/').collect();
    let cols = rows[0].len();
    if !(3..=8).contains(&rows.len()) || !(3..=8).contains(&cols) {
        return Err("a board has 3 to 8 rows, separated by `/`, of 3 to 8 cells");
    }
    let mut stones = [0; 2];
    for (row, cells) in rows.iter().rev().enumerate() {
        if cells.len() != cols {
            return Err("all rows have the same number of cells");
        }
        for (col, sign) in cells.bytes().enumerate() {
            let cell = 1_u64 << (8 * row + col);
            match sign {
                b'.' => {}
                b'1' => stones[0] |= cell,
                b'2' => stones[1] |= cell,
                _ => return Err("a cell is 1, 2 or ."),
            }
        }
    }
    let all = stones[0] | stones[1];
    if all & !(all << 8 | 0xff) != 0 {
        return Err("a stone hangs in the air: there is none below it; the last row is the bottom");
    }
    Ok((Setup { rows: rows.len() as u8, cols: cols as u8, ..Setup::default() }, stones))
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..self.setup.rows).rev() {
            write!(f, " {}", row + 1)?;
            for col in 0..self.setup.cols {
                write!(f, " {}", sign(self.owner(row, col)))?;
            }
            writeln!(f)?;
        }
        write!(f, "  ")?;
        for col in 0..self.setup.cols {
            write!(f, " {}", Move::new(col))?;
        }
        writeln!(f)?;
        match (self.status(), self.stage) {
            (Status::ToMove(seat), _) => write!(f, "{} to move", super::label(seat)),
            (_, Stage::Won(winner) | Stage::Left(winner)) => write!(f, "{} has won", super::label(winner)),
            _ => write!(f, "a draw: the board is full"),
        }
    }
}
