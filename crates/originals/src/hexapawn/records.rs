//! The records of the protocol: players, boards, moves, requests, the end.

use std::fmt;
use std::str::FromStr;

use rookery_games::hexapawn::{Board, Cell, Move, Position, Square};
use rookery_referee::{Fault, Offence};
use rookery_rules::{Notation, Seat};
use rookery_wire::excerpt;

use super::oz::Value;

/// Rows of a board. The original's course has 3 to 8 of both, its program asks for nothing; two rows and one column are a
/// game too, but more than 8 of either are not: a board is kept in 64 bits, one for each square.
pub const ROWS: std::ops::RangeInclusive<u8> = 2..=8;
/// Columns of a board.
pub const COLS: std::ops::RangeInclusive<u8> = 1..=8;

/// A player, `p1` or `p2`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlayerType {
    /// Starts on row 1 and has the first move.
    P1,
    /// Starts on the last row.
    P2,
}

impl PlayerType {
    /// Both, in turn order.
    pub const BOTH: [Self; 2] = [Self::P1, Self::P2];

    /// The player's seat.
    pub const fn seat(self) -> Seat {
        Seat::new(self as u8)
    }

    /// The player at a seat.
    ///
    /// # Panics
    /// If it is not one of the two seats.
    pub fn at(seat: Seat) -> Self {
        Self::BOTH[seat.index()]
    }

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::P1 => Self::P2,
            Self::P2 => Self::P1,
        }
    }

    /// The player whose atom this is.
    pub fn of_value(value: &Value) -> Option<Self> {
        value.as_atom()?.parse().ok()
    }
}

impl fmt::Display for PlayerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::P1 => "p1",
            Self::P2 => "p2",
        })
    }
}

impl FromStr for PlayerType {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let found = Self::BOTH.into_iter().find(|player| player.to_string() == text);
        found.ok_or("expected p1 or p2")
    }
}

/// Which spelling of the original is spoken: its description and its program differ in names.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Dialect {
    /// The description: `move(..)`, `ports(..)`, `refereeFor`.
    #[default]
    Readme,
    /// The program: `mv(..)`, `p(..)`, `createReferee`.
    Code,
}

impl Dialect {
    /// The label of a move.
    pub const fn mv(self) -> &'static str {
        match self {
            Self::Readme => "move",
            Self::Code => "mv",
        }
    }

    /// The label of the pair of ports that the referee returns.
    pub const fn ports(self) -> &'static str {
        match self {
            Self::Readme => "ports",
            Self::Code => "p",
        }
    }

    /// The function that makes a referee.
    pub const fn referee(self) -> &'static str {
        match self {
            Self::Readme => "refereeFor",
            Self::Code => "createReferee",
        }
    }
}

/// What the referee sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// `request(board: B)`: a move is wanted on this board.
    Request(Board),
    /// `gameEnded(winner: P)`.
    GameEnded(PlayerType),
}

impl Order {
    /// The record.
    pub fn to_value(self) -> Value {
        match self {
            Self::Request(board) => Value::record("request", [("board", board_value(&board))]),
            Self::GameEnded(winner) => {
                Value::record("gameEnded", [("winner", Value::atom(winner.to_string()))])
            }
        }
    }

    /// Reads the record.
    pub fn of_value(value: &Value) -> Option<Self> {
        if let Some([board]) = value.as_record("request", ["board"]) {
            return read_board(board).map(Self::Request);
        }
        let [winner] = value.as_record("gameEnded", ["winner"])?;
        PlayerType::of_value(winner).map(Self::GameEnded)
    }
}

/// `board(row(p1 p1 p1) row(empty empty empty) row(p2 p2 p2))`.
pub fn board_value(board: &Board) -> Value {
    let atom = |cell: Cell| {
        Value::atom(match cell {
            Cell::P1 => "p1",
            Cell::P2 => "p2",
            Cell::Empty => "empty",
        })
    };
    let row = |cells: Vec<Cell>| Value::tuple("row", cells.into_iter().map(atom));
    Value::tuple("board", board.to_list().into_iter().map(row))
}

/// Reads a board of 2 to 8 rows and 1 to 8 columns.
pub fn read_board(value: &Value) -> Option<Board> {
    let rows: Vec<Vec<&Value>> =
        value.tuple_fields("board")?.into_iter().map(|row| row.tuple_fields("row")).collect::<Option<_>>()?;
    let cols = rows.first()?.len();
    if !(2..=8).contains(&rows.len()) || !(1..=8).contains(&cols) || rows.iter().any(|row| row.len() != cols)
    {
        return None;
    }
    let mut board = Board::init(rows.len() as u8, cols as u8);
    for (row, cells) in rows.iter().enumerate() {
        for (col, cell) in cells.iter().enumerate() {
            let cell = match cell.as_atom()? {
                "p1" => Cell::P1,
                "p2" => Cell::P2,
                "empty" => Cell::Empty,
                _ => return None,
            };
            board = board.set(cell, Square::new(row as u8, col as u8));
        }
    }
    Some(board)
}

/// The position in which a player has to move on a board.
pub fn position(board: &Board, player: PlayerType) -> Position {
    let row = |cells: Vec<Cell>| cells.into_iter().map(Cell::sign).collect::<String>();
    let rows: Vec<String> = board.to_list().into_iter().map(row).collect();
    Position::from_text(&format!("{player} {}", rows.join("/"))).expect("a board is a board")
}

/// The record of a move of a pawn: `move(f(1 5) t(2 5))`.
pub fn pawn_value(from: Square, to: Square, label: &str) -> Value {
    let place = |label, square: Square| {
        Value::tuple(label, [i64::from(square.row()) + 1, i64::from(square.col()) + 1])
    };
    Value::tuple(label, [place("f", from), place("t", to)])
}

/// Reads the record of a move of a pawn. A place outside every board is illegal, anything else malformed.
pub fn read_pawn(value: &Value, label: &str) -> Result<Move, Fault> {
    let place = |value: &Value, label| {
        let [row, col] = value.as_tuple(label)?;
        Some((row.as_int()?, col.as_int()?))
    };
    let read = || {
        let [from, to] = value.as_tuple(label)?;
        Some((place(from, "f")?, place(to, "t")?))
    };
    let Some((from, to)) = read() else {
        let expected = format!("{label}(f(row col) t(row col))");
        return Err(unexpected(value, &expected));
    };
    Ok(Move::Pawn { from: square(from, value)?, to: square(to, value)? })
}

/// The square with these coordinates, which count from 1.
pub(super) fn square((row, col): (i64, i64), value: &Value) -> Result<Square, Fault> {
    if (1..=8).contains(&row) && (1..=8).contains(&col) {
        return Ok(Square::new(row as u8 - 1, col as u8 - 1));
    }
    let sent = excerpt(value.to_string().as_bytes());
    Err(Fault::new(Offence::IllegalMove, format!("no board has a square ({row} {col})")).sent(sent))
}

/// What is wrong with a record that is another than expected.
pub(super) fn unexpected(value: &Value, expected: &str) -> Fault {
    let sent = excerpt(value.to_string().as_bytes());
    Fault::new(Offence::Malformed, "it is another record").sent(sent).expected(expected)
}

/// Reads a message as a record.
pub(super) fn read(message: &[u8], expected: &str) -> Result<Value, Fault> {
    Value::try_from(message).map_err(|error| {
        let problem = if message.is_empty() { "an empty line".to_owned() } else { error.to_string() };
        let fault = Fault::new(Offence::Malformed, format!("which is no record: {problem}"));
        fault.sent(excerpt(message)).expected(expected)
    })
}

/// A record as a line.
pub(super) fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// The board in a frame, as the original printed it, without a newline at the end. (`Board.show`)
///
/// ```
/// use rookery_games::hexapawn::Board;
/// use rookery_originals::hexapawn::records::show;
///
/// assert_eq!(show(&Board::init(2, 2)), "+-----+\n| 1 1 |\n| 2 2 |\n+-----+");
/// ```
pub fn show(board: &Board) -> String {
    let border = format!("+{}+", "-".repeat(2 * usize::from(board.cols()) + 1));
    let mut lines = vec![border.clone()];
    for row in board.to_list() {
        let cells: Vec<String> = row.iter().map(|cell| cell.sign().to_string()).collect();
        lines.push(format!("| {} |", cells.join(" ")));
    }
    lines.push(border);
    lines.join("\n")
}

/// What [`analyse`] finds out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Situation {
    /// For each player, whether one of its pawns stands on the far row.
    pub finished: [bool; 2],
    /// For each player, its moves as if it had the turn, in the order of [`Board::valid_moves_for`].
    pub moves: [Vec<Move>; 2],
}

/// Who stands on the far row, and each player's moves. It names no winner: that depends on the turn. (`Board.analyse`)
pub fn analyse(board: &Board) -> Situation {
    Situation {
        finished: PlayerType::BOTH.map(|player| board.has_reached(player.seat())),
        moves: PlayerType::BOTH.map(|player| board.valid_moves_for(player.seat()).collect()),
    }
}

/// The board with one square changed, by the original's numbers: rows and columns from 1. With coordinates outside of
/// the board it is the same board. (`Board.set NewElem RowNum ColNum Board`)
pub fn set(cell: Cell, row: i64, col: i64, board: Board) -> Board {
    let inside = (1..=i64::from(board.rows())).contains(&row) && (1..=i64::from(board.cols())).contains(&col);
    if inside { board.set(cell, Square::new(row as u8 - 1, col as u8 - 1)) } else { board }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_read_back() {
        for (rows, cols) in [(2, 1), (3, 3), (5, 5), (8, 8), (3, 8)] {
            let board = set(Cell::P2, 2, 1, Board::init(rows, cols));
            for order in [Order::Request(board), Order::GameEnded(PlayerType::P2)] {
                let text = order.to_value().to_string();
                assert_eq!(Order::of_value(&text.parse().expect(&text)), Some(order), "{text}");
            }
        }
        let text = Order::Request(Board::init(3, 3)).to_value().to_string();
        let rows = "row(p1 p1 p1) row(empty empty empty) row(p2 p2 p2)";
        assert_eq!(text, format!("request(board:board({rows}))"));
    }

    #[test]
    fn boards_that_are_none() {
        for bad in [
            "board",
            "board(row(p1))",
            "board(row(p1) row)",
            "board(row(p1 p1) row(p2))",
            "board(row(p1) row(p3))",
            "board(row(p1) row(1))",
            "board(row(p1) cow(p2))",
            "board(1:row(p1) 3:row(p2))",
            "boord(row(p1) row(p2))",
            "[[p1] [p2]]",
            "board(row(p1 p1 p1 p1 p1 p1 p1 p1 p1) row(p2 p2 p2 p2 p2 p2 p2 p2 p2))",
        ] {
            assert_eq!(read_board(&bad.parse().expect(bad)), None, "{bad}");
        }
    }

    #[test]
    fn outside_the_board_nothing_is_set() {
        let board = Board::init(3, 4);
        for (row, col) in [(0, 1), (4, 1), (1, 0), (1, 5), (-1, -1), (i64::MAX, i64::MIN)] {
            assert_eq!(set(Cell::Empty, row, col, board), board);
        }
        assert_eq!(
            show(&set(Cell::Empty, 3, 4, board)),
            "+---------+\n| 1 1 1 1 |\n| . . . . |\n| 2 2 2 . |\n+---------+"
        );
    }

    #[test]
    fn moves_read_back_and_others_are_refused() {
        let (from, to) = (Square::new(0, 4), Square::new(1, 4));
        for dialect in [Dialect::Readme, Dialect::Code] {
            let value = pawn_value(from, to, dialect.mv());
            assert_eq!(read_pawn(&value, dialect.mv()), Ok(Move::Pawn { from, to }));
        }
        let offence = |text: &str| read_pawn(&text.parse().expect(text), "move").expect_err(text).offence;
        for bad in
            ["mv(f(1 5) t(2 5))", "move(t(1 5) f(2 5))", "move(f(1 5))", "move(f(1 a) t(2 5))", "move", "17"]
        {
            assert_eq!(offence(bad), Offence::Malformed, "{bad}");
        }
        for bad in ["move(f(9 9) t(1 1))", "move(f(1 1) t(0 1))", "move(f(~1 1) t(1 1))"] {
            assert_eq!(offence(bad), Offence::IllegalMove, "{bad}");
        }
    }
}
