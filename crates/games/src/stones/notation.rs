//! Positions and boards as text.

use std::fmt;

use rookery_rules::{MAX_SEATS, Notation, ParsePositionError, Position as _, Seat, Status};

use super::layout::Tiles;
use super::{Board, Limits, MAX_SIDE, Neighbours, Position, Tile};

const FREE: char = '.';

fn sign(tile: Option<Seat>) -> char {
    tile.map_or(FREE, |seat| char::from(b'0' + seat.index() as u8))
}

/// Rows joined by `/`, digits for players, `.` or `-` for free tiles.
pub(super) fn read_tiles(text: &str) -> Result<Tiles, &'static str> {
    let sides = 1..=usize::from(MAX_SIDE);
    let read = |sign: char| match sign {
        FREE | '-' => Ok(None),
        '0'..='7' => Ok(Some(Seat::new(sign as u8 - b'0'))),
        _ => Err("a tile is a digit from 0 to 7, or `.` if it is free"),
    };
    let tiles: Tiles =
        text.split('/').map(|row| row.chars().map(read).collect()).collect::<Result<_, _>>()?;
    if tiles.len() < 2 || !sides.contains(&tiles.len()) || !sides.contains(&tiles[0].len()) {
        return Err("a board has 2 to 16 rows, separated by `/`, of 1 to 16 tiles");
    }
    if tiles.iter().any(|row| row.len() != tiles[0].len()) {
        return Err("all rows have the same number of tiles");
    }
    Ok(tiles)
}

/// The inverse of [`read_tiles`].
pub(super) fn write_tiles(tiles: &Tiles) -> String {
    let rows: Vec<String> = tiles.iter().map(|row| row.iter().map(|&tile| sign(tile)).collect()).collect();
    rows.join("/")
}

impl Board {
    /// The rows as text, joined by `/`.
    pub fn to_rows(&self) -> String {
        let row = |row| (0..self.cols()).map(|col| self.get(Tile { row, col })).collect();
        write_tiles(&(0..self.rows()).map(row).collect())
    }
}

/// Rows and columns are numbered, as in the text of a move.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Two places for a column only where a number needs them.
        let width = if self.cols() > 10 { 3 } else { 2 };
        write!(f, "  ")?;
        for col in 0..self.cols() {
            write!(f, "{col:width$}")?;
        }
        for row in 0..self.rows() {
            write!(f, "\n{row:2}")?;
            for col in 0..self.cols() {
                write!(f, "{:>width$}", sign(self.get(Tile { row, col })))?;
            }
        }
        Ok(())
    }
}

impl Notation for Position {
    /// `0 000/.../111`: the player to move and the rows; then, where they are not as at the start of a usual game,
    /// `neighbours=4`, `turn=40/10000`, `quiet=12/1000` and `out=2,0`. A usual limit is left out: `turn=40`.
    fn to_text(&self) -> String {
        let mut words = vec![self.to_move.index().to_string(), self.board.to_rows()];
        if self.board.adjacency() == Neighbours::Four {
            words.push("neighbours=4".to_owned());
        }
        let usual = Limits::default();
        for (name, count, limit, usual) in [
            ("turn", self.turn, self.limits.turns, usual.turns),
            ("quiet", self.quiet(), self.limits.quiet, usual.quiet),
        ] {
            if limit != usual {
                words.push(format!("{name}={count}/{limit}"));
            } else if count > 0 {
                words.push(format!("{name}={count}"));
            }
        }
        let out: Vec<String> = self.out().map(|seat| seat.index().to_string()).collect();
        if !out.is_empty() {
            words.push(format!("out={}", out.join(",")));
        }
        words.join(" ")
    }

    fn from_text(text: &str) -> Result<Self, ParsePositionError> {
        read_position(text).map_err(|problem| ParsePositionError::new(text, problem))
    }
}

fn read_position(text: &str) -> Result<Position, String> {
    let mut words = text.split_ascii_whitespace();
    let to_move =
        words.next().and_then(read_seat).ok_or("it begins with a digit from 0 to 7, the player to move")?;
    let tiles = read_tiles(words.next().unwrap_or_default())?;
    let mut neighbours = Neighbours::Eight;
    let mut limits = Limits::default();
    let (mut turn, mut quiet) = (0, 0);
    let mut out = vec![];
    let mut names = vec![];
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        if names.contains(&name) {
            return Err(format!("`{name}` is given twice"));
        }
        names.push(name);
        match (name, value) {
            ("neighbours", "8") => {}
            ("neighbours", "4") => neighbours = Neighbours::Four,
            ("turn", _) => (turn, limits.turns) = read_count(name, value, limits.turns)?,
            ("quiet", _) => (quiet, limits.quiet) = read_count(name, value, limits.quiet)?,
            ("out", _) => out = read_out(value)?,
            _ => {
                return Err(format!(
                    "behind the board there may be `neighbours=4`, `turn=40/10000`, `quiet=12/1000` and `out=2,0`, not `{word}`"
                ));
            }
        }
    }
    if quiet > turn {
        return Err("there are more quiet turns than turns".to_owned());
    }
    let board = Board::new(&tiles, neighbours);
    let n_seats = count_seats(&board, &out)?;
    if board.count(to_move) == 0 {
        return Err("the player to move has no stone".to_owned());
    }
    Ok(Position::resume(board, limits, to_move, (turn, quiet), &out, n_seats))
}

/// Every player has stones or is out, not both.
fn count_seats(board: &Board, out: &[Seat]) -> Result<usize, String> {
    let n_seats = Seat::all(MAX_SEATS)
        .filter(|seat| board.count(*seat) > 0 || out.contains(seat))
        .map(|seat| seat.index() + 1)
        .max()
        .unwrap_or(0);
    if n_seats < 2 {
        return Err("there are at least 2 players".to_owned());
    }
    for seat in Seat::all(n_seats) {
        let id = seat.index();
        match (board.count(seat) > 0, out.contains(&seat)) {
            (false, false) => return Err(format!("{id} has no stone and is not among those who are out")),
            (true, true) => return Err(format!("{id} is out but has a stone")),
            _ => {}
        }
    }
    Ok(n_seats)
}

fn read_seat(text: &str) -> Option<Seat> {
    match text.as_bytes() {
        [digit @ b'0'..=b'7'] => Some(Seat::new(digit - b'0')),
        _ => None,
    }
}

fn read_out(text: &str) -> Result<Vec<Seat>, String> {
    let mut out = vec![];
    for part in text.split(',') {
        let seat = read_seat(part)
            .ok_or_else(|| "`out` has the players who are out, in order, such as `out=2,0`".to_owned())?;
        if out.contains(&seat) {
            return Err(format!("{part} is out twice"));
        }
        out.push(seat);
    }
    Ok(out)
}

/// A count and its limit, or a count alone under the usual limit.
fn read_count(name: &str, text: &str, usual: u32) -> Result<(u32, u32), String> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| !text.starts_with('+'));
    let (count, limit) = text.split_once('/').unwrap_or((text, ""));
    let limit = if text.contains('/') { number(limit) } else { Some(usual) };
    match (number(count), limit) {
        (Some(count), Some(limit)) if count <= limit && (1..=Limits::MOST).contains(&u64::from(limit)) => {
            Ok((count, limit))
        }
        _ => Err(format!("`{name}` is a count up to its limit, `{name}=12` or `{name}=12/{usual}`")),
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.board)?;
        let names = |seats: Vec<Seat>| {
            seats.iter().map(|seat| seat.index().to_string()).collect::<Vec<_>>().join(", ")
        };
        match self.status() {
            Status::ToMove(seat) => write!(f, "{} to move", seat.index())?,
            Status::Over(outcome) if outcome.winners.len() == 1 => {
                write!(f, "{} has won", names(outcome.winners.iter().collect()))?;
            }
            Status::Over(outcome) => {
                write!(f, "a draw between {}", names(outcome.winners.iter().collect()))?;
            }
        }
        write!(f, "; turn {}, quiet {}; stones", self.turn(), self.quiet())?;
        for seat in self.playing().iter() {
            write!(f, " {}:{}", seat.index(), self.board.count(seat))?;
        }
        if self.out().len() > 0 {
            write!(f, "; out {}", names(self.out().collect()))?;
        }
        Ok(())
    }
}
