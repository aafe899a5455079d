//! What players are told: messages, and the state after each.

use std::fmt;

use rookery_games::stones::{self, Neighbours, Tile};
use rookery_rules::{MAX_SEATS, Notation, ParsePositionError, Seat};
use serde::{Deserialize, Serialize};

/// A player's number, from 0 in turn order.
pub type PlayerId = u8;

/// The rows of a board: -1 for a free tile, else the player whose stone stands there.
pub type Rows = Vec<Vec<i8>>;

/// A free tile.
pub const FREE: i8 = -1;

/// A tile by row and column, in JSON `[row, column]`. It may lie outside the board, so that a wrong move can be
/// expressed, and refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "[i32; 2]", into = "[i32; 2]")]
pub struct Point {
    /// The row, from 0 at the top.
    pub row: i32,
    /// The column, from 0 at the left.
    pub col: i32,
}

impl Point {
    /// The tile in a row and a column.
    pub const fn new(row: i32, col: i32) -> Self {
        Self { row, col }
    }

    /// The same tile for the rules, which know none beyond 255.
    pub fn tile(self) -> Option<Tile> {
        Some(Tile::new(u8::try_from(self.row).ok()?, u8::try_from(self.col).ok()?))
    }
}

impl From<[i32; 2]> for Point {
    fn from([row, col]: [i32; 2]) -> Self {
        Self { row, col }
    }
}

impl From<Point> for [i32; 2] {
    fn from(point: Point) -> Self {
        [point.row, point.col]
    }
}

impl From<Tile> for Point {
    fn from(tile: Tile) -> Self {
        Self::new(tile.row.into(), tile.col.into())
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.row, self.col)
    }
}

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "message", deny_unknown_fields)]
pub enum Message {
    /// The game begins on this board.
    GameStart {
        /// Its rows.
        board: Rows,
    },
    /// A player has the turn.
    TurnTo {
        /// Who.
        player: PlayerId,
    },
    /// A player lost a stone.
    Hit {
        /// Whose stone it was.
        player: PlayerId,
        /// Where it stood.
        at: Point,
        /// Who hit it; `None` if its owner was removed from the game, or gave up.
        by: Option<PlayerId>,
    },
    /// A player has no stone left.
    PlayerLost {
        /// Who.
        player: PlayerId,
    },
    /// A player moved a stone. It comes after the hit that it made.
    Move(Move),
    /// Only one player is left.
    PlayerWon {
        /// Who.
        player: PlayerId,
    },
    /// The game ended although nobody is the only one left: a draw, or a player made an error.
    GameOver {
        /// Who shares the first place, if it is a draw.
        winners: Vec<PlayerId>,
        /// Why, for people.
        reason: String,
    },
}

/// A player moves a stone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Who.
    pub player: PlayerId,
    /// Where the stone stands.
    pub from: Point,
    /// Where it goes.
    pub to: Point,
}

impl Move {
    /// The same move for the rules, which know no tiles beyond 255.
    pub fn of_rules(self) -> Option<stones::Move> {
        Some(stones::Move { from: self.from.tile()?, to: self.to.tile()? })
    }
}

/// As in the original's text: the message's name, the player, the tiles.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameStart { board } => {
                let rows: Vec<String> =
                    board.iter().map(|row| row.iter().map(|&tile| sign(tile)).collect()).collect();
                write!(f, "GameStart {}", rows.join("/"))
            }
            Self::TurnTo { player } => write!(f, "TurnTo {player}"),
            Self::Hit { player, at, .. } => write!(f, "Hit {player} {at}"),
            Self::PlayerLost { player } => write!(f, "PlayerLost {player}"),
            Self::Move(Move { player, from, to }) => write!(f, "Move {player} {from} {to}"),
            Self::PlayerWon { player } => write!(f, "PlayerWon {player}"),
            Self::GameOver { reason, .. } => write!(f, "GameOver: {reason}"),
        }
    }
}

/// A tile of a board for people: `-`, or the number of a player.
pub fn sign(tile: i8) -> char {
    u32::try_from(tile).ok().and_then(|id| char::from_digit(id, 10)).unwrap_or('-')
}

/// How far a game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Nobody had the turn yet.
    Unstarted,
    /// It goes on.
    Playing,
    /// It is over.
    Finished,
}

/// What a player sees of the game, always as it is after the message that comes with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The stones, row by row.
    pub board: Rows,
    /// Who has the turn, from one `TurnTo` to the next.
    pub player: Option<PlayerId>,
    /// How many turns were made before this one.
    pub turn: u32,
    /// Who is still in the game, by number.
    pub playing: Vec<bool>,
    /// How far the game is.
    pub stage: Stage,
    /// How many tiles are adjacent to one: 8, or 4 if diagonals do not count.
    pub neighbours: u8,
}

impl State {
    /// The state before the first turn.
    pub(super) fn of(position: &stones::Position) -> Self {
        let board = position.board();
        let tile = |row, col| board.get(Tile::new(row, col)).map_or(FREE, |seat| seat.index() as i8);
        let n_seats = rookery_rules::Position::n_seats(position);
        Self {
            board: (0..board.rows())
                .map(|row| (0..board.cols()).map(|col| tile(row, col)).collect())
                .collect(),
            player: None,
            turn: position.turn(),
            playing: Seat::all(n_seats).map(|seat| position.playing().contains(seat)).collect(),
            stage: Stage::Unstarted,
            neighbours: if board.adjacency() == Neighbours::Four { 4 } else { 8 },
        }
    }

    /// Who stands on a tile: `None` outside the board.
    pub fn get(&self, point: Point) -> Option<i8> {
        let row = self.board.get(usize::try_from(point.row).ok()?)?;
        row.get(usize::try_from(point.col).ok()?).copied()
    }

    pub(super) fn put(&mut self, tile: Tile, value: i8) {
        self.board[usize::from(tile.row)][usize::from(tile.col)] = value;
    }

    /// Where a player's stones stand, row by row.
    pub fn stones(&self, player: PlayerId) -> impl Iterator<Item = Point> {
        let rows = (0..).zip(&self.board);
        let points = rows
            .flat_map(|(row, tiles)| (0..).zip(tiles).map(move |(col, &tile)| (Point { row, col }, tile)));
        points.filter(move |&(_, tile)| i16::from(tile) == i16::from(player)).map(|(point, _)| point)
    }

    /// The same for the rules, which can list the legal moves. It is for whoever has the turn. A state does not say
    /// everything: who is out counts as gone in the order of the numbers, and the caps are as in a usual game.
    ///
    /// ```
    /// use rookery_originals::stones::{Stage, State};
    /// use rookery_rules::Position;
    ///
    /// let state = State {
    ///     board: vec![vec![0, -1], vec![-1, 1]],
    ///     player: Some(1),
    ///     turn: 3,
    ///     playing: vec![true, true],
    ///     stage: Stage::Playing,
    ///     neighbours: 4,
    /// };
    /// let moves: Vec<String> = state.position()?.legal_moves().map(|mv| mv.to_string()).collect();
    /// assert_eq!(moves, ["1.1-0.1", "1.1-1.0"]);
    /// # Ok::<(), rookery_rules::ParsePositionError>(())
    /// ```
    pub fn position(&self) -> Result<stones::Position, ParsePositionError> {
        let rows: Vec<String> =
            self.board.iter().map(|row| row.iter().map(|&tile| sign(tile)).collect()).collect();
        let player = self.player.unwrap_or_default();
        // A cap that is not reached yet, whatever the real one is: the game goes on, or nobody would be asked.
        let max_turns = self.turn.saturating_add(1_000).max(10_000);
        let mut text = format!("{player} {} turn={}/{max_turns}", rows.join("/"), self.turn);
        if self.neighbours == 4 {
            text.push_str(" neighbours=4");
        }
        let out = self.playing.iter().take(MAX_SEATS).enumerate().filter(|&(_, playing)| !playing);
        let out: Vec<String> = out.map(|(id, _)| id.to_string()).collect();
        if !out.is_empty() {
            text.push_str(" out=");
            text.push_str(&out.join(","));
        }
        stones::Position::from_text(&text)
    }
}

/// A message and the state after it: what a player is told, and in JSON one object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Update {
    /// What happened.
    #[serde(flatten)]
    pub message: Message,
    /// How the game is now.
    pub state: State,
}
