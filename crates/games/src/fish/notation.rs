//! The text of a position, and its picture.

use std::fmt;

use rookery_rules::{Notation, ParsePositionError, Position as _, Seat};

use super::position::MAX_PLAYERS;
use super::{Board, Cell, Invalid, Phase, Player, Position};

/// The sign of a seat's penguins in every text of this game.
fn sign(seat: Seat) -> char {
    char::from(b'a' + seat.index() as u8)
}

impl Notation for Position {
    /// `p1 1a23/405b/110 3,0 place=4`: who is to move (`-` when the game is over); the rows from row 0, a digit of
    /// fish a cell, behind it `a` to `d` for a penguin; the scores, `-` for a removed player; while penguins are
    /// being placed, how many each player gets.
    fn to_text(&self) -> String {
        let mut text = match self.to_move() {
            Some(seat) => format!("p{} ", seat.index() + 1),
            None => "- ".to_owned(),
        };
        for cell in self.board().cells() {
            if cell.row > 0 && cell.col == 0 {
                text.push('/');
            }
            text.push(char::from(b'0' + self.board().fish(cell)));
            text.extend(self.penguin_at(cell).map(sign));
        }
        for seat in Seat::all(self.n_seats()) {
            text.push(if seat.index() == 0 { ' ' } else { ',' });
            text += &if self.is_removed(seat) { "-".to_owned() } else { self.score(seat).to_string() };
        }
        match self.penguins_each() {
            Some(each) => format!("{text} place={each}"),
            None => text,
        }
    }

    fn from_text(text: &str) -> Result<Self, ParsePositionError> {
        read(text).map_err(|invalid| ParsePositionError::new(text, invalid.problem))
    }
}

fn read(text: &str) -> Result<Position, Invalid> {
    let mut words = text.split_ascii_whitespace();
    let turn = words.next().unwrap_or_default();
    let to_move = match turn.as_bytes() {
        b"-" => Seat::new(0),
        [b'p', digit @ b'1'..=b'4'] => Seat::new(digit - b'1'),
        _ => return Err(Invalid::new("it begins with p1 to p4, the player to move, or - when it is over")),
    };
    let (board, mut penguins) = read_board(words.next().unwrap_or_default())?;
    let mut players = vec![];
    for (idx, score) in words.next().unwrap_or_default().split(',').enumerate() {
        let penguins = penguins.get_mut(idx).map(std::mem::take).unwrap_or_default();
        players.push(match score {
            "-" if penguins.is_empty() => None,
            "-" => return Err(Invalid::new("a removed player has no penguins")),
            _ => {
                let score = score.parse().map_err(|_| {
                    Invalid::new(
                        "behind the board stand the scores, for example `3,0`, with - for a removed player",
                    )
                })?;
                Some(Player { score, penguins })
            }
        });
    }
    if penguins.iter().any(|penguins| !penguins.is_empty()) {
        return Err(Invalid::new("there is a penguin of a player without a score"));
    }
    let placing = match words.next() {
        None => None,
        Some(word) => {
            let each = word.strip_prefix("place=").and_then(|each| each.parse().ok());
            Some(each.ok_or_else(|| {
                Invalid::new("behind the scores there is nothing, or `place=1` to `place=5`")
            })?)
        }
    };
    if words.next().is_some() {
        return Err(Invalid::new("there is something behind its end"));
    }
    let position = Position::set_up(board, &players, to_move, placing)?;
    if turn == "-" && position.to_move().is_some() {
        return Err(Invalid::new("the game is not over, so it begins with p1 to p4, the player to move"));
    }
    Ok(position)
}

/// Splits rows of digits and penguins into a board and the penguins of each player.
fn read_board(text: &str) -> Result<(Board, [Vec<Cell>; MAX_PLAYERS]), Invalid> {
    let mut penguins: [Vec<Cell>; MAX_PLAYERS] = Default::default();
    let mut rows: Vec<Vec<u8>> = vec![];
    for row in text.split('/') {
        let mut fish = vec![];
        for sign in row.bytes() {
            match sign {
                b'0'..=b'9' => fish.push(sign - b'0'),
                b'a'..=b'd' if !fish.is_empty() => {
                    // A board too large is refused below; until then its far cells may share a number.
                    penguins[usize::from(sign - b'a')]
                        .push(Cell::new(rows.len() as u8, (fish.len() - 1) as u8));
                }
                _ => {
                    return Err(Invalid::new(
                        "a row is made of digits, each perhaps with a penguin a to d behind it",
                    ));
                }
            }
        }
        rows.push(fish);
    }
    Ok((Board::from_rows(&rows)?, penguins))
}

impl fmt::Display for Position {
    /// The hexagons, each with its fish and the sign of a penguin, then a line for each player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, cols) = (self.board().rows(), self.board().cols());
        let numbers = (0..cols).map(|col| format!("{col:<10}")).collect::<Vec<_>>().concat();
        writeln!(f, "      {}", numbers.trim_end())?;
        writeln!(f, "    {}", vec![" ____"; cols.into()].join("     "))?;
        for row in 0..rows {
            let tiles = (0..cols).map(|col| self.tile_sign(Cell::new(row, col)));
            // Between the tiles of a row run the edges that the rows above and below have in common.
            let line = if row % 2 == 1 {
                let line = tiles.map(|tile| format!("\\____/ {tile} ")).collect::<Vec<_>>().concat();
                line + "\\"
            } else {
                let line = tiles.map(|tile| format!("/ {tile} \\")).collect::<Vec<_>>().join("____");
                line + if rows == 1 { "" } else { "____" } + if row == 0 { "" } else { "/" }
            };
            writeln!(f, "{row:3} {line}")?;
        }
        let bottom = vec!["\\____/"; cols.into()].join("    ");
        writeln!(f, "    {}{bottom}", if rows % 2 == 1 { "" } else { "     " })?;
        for seat in Seat::all(self.n_seats()) {
            write!(f, "{seat}, {} ({}): ", self.color(seat), sign(seat), seat = super::label(seat))?;
            if self.is_removed(seat) {
                writeln!(f, "removed")?;
            } else {
                writeln!(f, "{} fish", self.score(seat))?;
            }
        }
        match (self.to_move(), self.phase()) {
            (Some(seat), Phase::Placing) => {
                write!(f, "{seat} places a penguin, {} to go", self.to_place(seat), seat = super::label(seat))
            }
            (Some(seat), _) => write!(f, "{seat} to move", seat = super::label(seat)),
            (None, _) => write!(f, "the game is over"),
        }
    }
}

impl Position {
    /// Two characters for a cell: its fish, and whose penguin stands there.
    fn tile_sign(&self, cell: Cell) -> String {
        match (self.board().fish(cell), self.penguin_at(cell)) {
            (0, _) => "  ".to_owned(),
            (fish, None) => format!("{fish} "),
            (fish, Some(seat)) => format!("{fish}{}", sign(seat)),
        }
    }
}
