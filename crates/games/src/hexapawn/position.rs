//! A board with a turn, and the removal of pawns before play.

use std::fmt;

use rookery_rules::{
    Keyed, Notation, Outcome, ParseMoveError, ParsePositionError, Rng, Seat, Status, below, mix,
};

use super::board::{Cell, Movers, ahead};
use super::moves::read_square;
use super::{Board, Eliminate, Move, Square};

pub(super) const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// One moment of a game of Hexapawn.
///
/// ```
/// use rookery_games::hexapawn::Position;
/// use rookery_rules::{Notation, Position as _};
///
/// let mut position = Position::from_text("p1 111/.../222")?;
/// position.play(position.parse_move("b2")?)?;
/// assert_eq!(position.to_text(), "p2 1.1/.1./222");
/// assert_eq!(position.legal_moves().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["c3xb2", "c3-c2", "a3xb2", "a3-a2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The pawns of the player to move, and of the other one; one bit a square, as in [`Board`]. They change places
    /// with every move, so that nothing in a playout asks whose turn it is.
    pub(super) mine: u64,
    pub(super) theirs: u64,
    key: u64,
    /// The first and the last row.
    edges: u64,
    pub(super) rows: u8,
    pub(super) cols: u8,
    pub(super) to_move: Seat,
    pub(super) stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Player 1 says how many pawns each takes off.
    Choosing,
    /// So many pawns are still to be taken off, by both together.
    Eliminating(u8),
    /// The pawns move; or the player to move is blocked and has lost, which is seen when it is asked for.
    Playing,
    /// Won by reaching the far row.
    Reached(Seat),
    /// The other player was removed.
    Left(Seat),
}

impl Position {
    /// The game on this board, player 1 to move.
    pub fn new(board: Board, eliminate: Eliminate) -> Self {
        let stage = match eliminate {
            Eliminate::Choose => Stage::Choosing,
            Eliminate::Exactly(0) => Stage::Playing,
            Eliminate::Exactly(k) => Stage::Eliminating(2 * k),
        };
        Self::of(&board, SEATS[0], stage)
    }

    fn of(board: &Board, to_move: Seat, stage: Stage) -> Self {
        let mut position = Self {
            mine: board.pawns(to_move),
            theirs: board.pawns(to_move.next(2)),
            key: 0,
            edges: board.edges(),
            rows: board.rows(),
            cols: board.cols(),
            to_move,
            stage,
        };
        position.settle();
        position.key = position.full_key();
        position
    }

    /// The pawns.
    pub fn board(&self) -> Board {
        let pawns =
            if self.to_move == SEATS[0] { [self.mine, self.theirs] } else { [self.theirs, self.mine] };
        Board::with_pawns(self.rows, self.cols, pawns)
    }

    /// Ends the game if somebody stands on the far row, the one who moved last first.
    fn settle(&mut self) {
        if self.stage == Stage::Playing {
            let reached = |&seat: &Seat| self.board().has_reached(seat);
            if let Some(winner) = [self.to_move.next(2), self.to_move].into_iter().find(reached) {
                self.stage = Stage::Reached(winner);
            }
        }
    }

    /// What the player to move can do, while the game goes on.
    #[inline]
    pub(super) fn movers(&self) -> Movers {
        Movers::new(self.mine, self.theirs, ahead(self.to_move))
    }

    #[inline]
    fn move_pawn(&mut self, from: Square, to: Square) {
        let (me, other) = (self.to_move, self.to_move.next(2));
        let taken = self.theirs & to.mask();
        (self.mine, self.theirs) = (self.theirs ^ taken, self.mine ^ from.mask() ^ to.mask());
        self.key ^= pawn_key(me, from) ^ pawn_key(me, to) ^ TURN_KEY;
        if taken != 0 {
            self.key ^= pawn_key(other, to);
        }
        self.to_move = other;
        if to.mask() & self.edges != 0 {
            self.stage = Stage::Reached(me);
        }
    }

    #[inline]
    fn change_turn(&mut self) {
        std::mem::swap(&mut self.mine, &mut self.theirs);
        self.to_move = self.to_move.next(2);
    }

    /// Everything that happens before the first pawn moves; rare, so it need not be fast.
    #[cold]
    fn prepare(&mut self, mv: Move) {
        self.stage = match (mv, self.stage) {
            (Move::Choose(0), _) => Stage::Playing,
            (Move::Choose(k), _) => Stage::Eliminating(2 * k),
            (Move::Off(square), Stage::Eliminating(left)) => {
                self.mine &= !square.mask();
                self.change_turn();
                if left == 1 { Stage::Playing } else { Stage::Eliminating(left - 1) }
            }
            _ => panic!("{mv} was played although it is not legal"),
        };
        self.settle();
        self.key = self.full_key();
    }

    /// How many preparations there are; by value, because what is lent to a function lives in memory.
    #[cold]
    fn count_preparations(self) -> u32 {
        self.preparations().count() as u32
    }

    /// Preparation number `n`.
    #[cold]
    fn nth_preparation(self, n: u32) -> Option<Move> {
        self.preparations().nth(n as usize)
    }

    /// The winner, if the game is over.
    #[inline]
    fn winner(&self) -> Option<Seat> {
        match self.stage {
            Stage::Playing => self.movers().is_empty().then(|| self.to_move.next(2)),
            Stage::Reached(seat) | Stage::Left(seat) => Some(seat),
            Stage::Choosing | Stage::Eliminating(_) => None,
        }
    }

    /// The choices of the stages before play; at most eight.
    fn preparations(&self) -> impl Iterator<Item = Move> + use<> {
        let choices = (self.stage == Stage::Choosing).then(|| 0..=Eliminate::limit(self.cols));
        let mut pawns = if let Stage::Eliminating(_) = self.stage { self.mine } else { 0 };
        let removals = std::iter::from_fn(move || {
            let lowest = pawns.trailing_zeros();
            pawns &= pawns.wrapping_sub(1);
            (lowest < 64).then(|| Move::Off(Square::of_bit(lowest)))
        });
        choices.into_iter().flatten().map(Move::Choose).chain(removals)
    }
}

impl rookery_rules::Position for Position {
    type Move = Move;

    fn n_seats(&self) -> usize {
        2
    }

    #[inline]
    fn status(&self) -> Status {
        match self.winner() {
            None => Status::ToMove(self.to_move),
            Some(winner) => Status::Over(Outcome::win(2, winner)),
        }
    }

    /// Before play: choices upwards, removals from a to h. In play: the order of [`Board::valid_moves_for`].
    #[inline]
    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let playing = (self.stage == Stage::Playing).then(|| self.movers().list());
        self.preparations().chain(playing.into_iter().flatten())
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        match mv {
            Move::Pawn { from, to } => self.move_pawn(from, to),
            Move::Off(_) | Move::Choose(_) => self.prepare(mv),
        }
    }

    fn remove(&mut self, seat: Seat) {
        if self.winner().is_none() {
            self.stage = Stage::Left(seat.next(2));
            self.key = self.full_key();
        }
    }

    fn max_plies(&self) -> u64 {
        let (rows, cols) = (u64::from(self.rows), u64::from(self.cols));
        match self.stage {
            Stage::Reached(_) | Stage::Left(_) => 0,
            // Every move takes a pawn one row ahead; before that, at most one choice and all but the last removals.
            Stage::Choosing | Stage::Eliminating(_) => 2 * cols * (rows - 1) + 1 + cols,
            Stage::Playing => {
                let pawns = |seat: u8, row: u64| {
                    let mask = self.board().pawns(Seat::new(seat)) >> (8 * row) & 0xff;
                    u64::from(mask.count_ones())
                };
                (0..rows).map(|row| pawns(0, row) * (rows - 1 - row) + pawns(1, row) * row).sum()
            }
        }
    }

    /// Until the pawns move.
    fn is_preparing(&self) -> bool {
        matches!(self.stage, Stage::Choosing | Stage::Eliminating(_))
    }

    #[inline]
    fn to_move(&self) -> Option<Seat> {
        if self.winner().is_none() { Some(self.to_move) } else { None }
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        match (mv, self.stage) {
            (Move::Pawn { from, to }, Stage::Playing) => self.movers().allows(from, to),
            _ => self.preparations().any(|legal| legal == mv),
        }
    }

    fn count_moves(&self) -> usize {
        match self.stage {
            Stage::Playing => self.movers().count() as usize,
            _ => self.preparations().count(),
        }
    }

    fn reason(&self, mv: Move) -> String {
        let me = self.to_move;
        let own = |square: Square| self.mine & square.mask() != 0;
        match (mv, self.stage) {
            (Move::Choose(_), Stage::Choosing) => {
                format!("k is at most {}, fewer than half of the columns", Eliminate::limit(self.cols))
            }
            (_, Stage::Choosing) => {
                "player 1 first chooses how many pawns are taken off, for example `k=1`".to_owned()
            }
            (Move::Off(square), Stage::Eliminating(_)) => {
                format!("{me} has no pawn on {square}", me = super::label(me))
            }
            (_, Stage::Eliminating(_)) => "own pawns are taken off first, for example `off=a1`".to_owned(),
            (Move::Choose(_) | Move::Off(_), _) => "the pawns are moving already".to_owned(),
            (Move::Pawn { from, .. }, _) if !own(from) => {
                format!("{me} has no pawn on {from}", me = super::label(me))
            }
            (Move::Pawn { to, .. }, _) if !self.board().contains(to) => {
                format!("{to} lies outside the board")
            }
            (Move::Pawn { from, to }, _) if from.col() == to.col() => {
                format!(
                    "a pawn steps one row towards the far side onto an empty square, so not from {from} to {to}"
                )
            }
            (Move::Pawn { from, to }, _) => {
                format!("a pawn takes an enemy pawn one square diagonally ahead, so not from {from} on {to}")
            }
        }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        if self.stage == Stage::Playing {
            return self.movers().random(rng);
        }
        match self.clone().count_preparations() {
            0 => None,
            n => self.clone().nth_preparation(below(rng, n)),
        }
    }
}

impl Keyed for Position {
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    fn full_key(&self) -> u64 {
        let pawns = SEATS.map(|seat| {
            let mut mask = self.board().pawns(seat);
            let mut key = 0;
            while mask != 0 {
                key ^= pawn_key(seat, Square::of_bit(mask.trailing_zeros()));
                mask &= mask - 1;
            }
            key
        });
        // Playing and reached have the same key: the pawns tell them apart.
        let stage = match self.stage {
            Stage::Playing | Stage::Reached(_) => 0,
            Stage::Choosing => mix(0x100),
            Stage::Eliminating(left) => mix(0x200 + u64::from(left)),
            Stage::Left(seat) => mix(0x300 + seat.index() as u64),
        };
        pawns[0] ^ pawns[1] ^ stage ^ if self.to_move == SEATS[1] { TURN_KEY } else { 0 }
    }
}

impl Notation for Position {
    /// `p1 111/.../222`: who is to move, the rows from row 1; then, where it applies, `choose`, `off=3` (removals
    /// still owed) or `left=p2` (the player who was removed).
    fn to_text(&self) -> String {
        let rows: Vec<String> =
            self.board().to_list().iter().map(|row| row.iter().map(|cell| cell.sign()).collect()).collect();
        let stage = match self.stage {
            Stage::Choosing => " choose".to_owned(),
            Stage::Eliminating(left) => format!(" off={left}"),
            Stage::Left(winner) => format!(" left=p{}", winner.next(2).index() + 1),
            Stage::Playing | Stage::Reached(_) => String::new(),
        };
        format!("p{} {}{stage}", self.to_move.index() + 1, rows.join("/"))
    }

    fn from_text(text: &str) -> Result<Self, ParsePositionError> {
        let problem = |problem: &str| ParsePositionError::new(text, problem);
        let mut words = text.split_ascii_whitespace();
        let to_move = match words.next() {
            Some("p1") => SEATS[0],
            Some("p2") => SEATS[1],
            _ => return Err(problem("it begins with p1 or p2, the player to move")),
        };
        let board = read_board(words.next().unwrap_or_default()).map_err(problem)?;
        let stage = match words.next() {
            None => Stage::Playing,
            Some("choose") => Stage::Choosing,
            Some("left=p1") => Stage::Left(SEATS[1]),
            Some("left=p2") => Stage::Left(SEATS[0]),
            Some(word) => {
                let left = word.strip_prefix("off=").and_then(|left| left.parse().ok());
                Stage::Eliminating(left.filter(|left| (1..=6).contains(left)).ok_or_else(|| {
                    problem("behind the board there is nothing, `choose`, `off=1` to `off=6`, `left=p1` or `left=p2`")
                })?)
            }
        };
        if words.next().is_some() {
            return Err(problem("there is something behind its end"));
        }
        if let Stage::Eliminating(left) = stage
            && SEATS.iter().any(|&seat| board.pawns(seat).count_ones() <= u32::from(left.div_ceil(2)))
        {
            return Err(problem("too few pawns for the removals still owed"));
        }
        Ok(Self::of(&board, to_move, stage))
    }

    /// Also `b2` for the step to b2, and `axb2` for the capture from file a.
    fn parse_move(&self, text: &str) -> Result<Move, ParseMoveError> {
        let back = if self.to_move == SEATS[0] { -1 } else { 1 };
        let behind = |to: Square, col: u8| {
            let row = to.row().checked_add_signed(back).filter(|&row| row < 8)?;
            Some(Move::Pawn { from: Square::new(row, col), to })
        };
        let short = match text.as_bytes() {
            square @ [_, _] => read_square(square).and_then(|to| behind(to, to.col())),
            [file @ b'a'..=b'h', b'x', square @ ..] => {
                read_square(square).and_then(|to| behind(to, file - b'a'))
            }
            _ => None,
        };
        short.map_or_else(|| text.parse(), Ok)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.board())?;
        match (self.winner(), self.stage) {
            (Some(winner), _) => write!(f, "{winner} has won", winner = super::label(winner)),
            (None, Stage::Choosing) => {
                write!(f, "{} chooses how many pawns each takes off", super::label(self.to_move))
            }
            (None, Stage::Eliminating(_)) => {
                write!(f, "{} takes one of its pawns off", super::label(self.to_move))
            }
            (None, _) => write!(f, "{} to move", super::label(self.to_move)),
        }
    }
}

fn read_board(text: &str) -> Result<Board, &'static str> {
    let rows: Vec<&str> = text.split('/').collect();
    let cols = rows[0].len();
    if !(2..=8).contains(&rows.len()) || !(1..=8).contains(&cols) {
        return Err("a board has 2 to 8 rows, separated by `/`, of 1 to 8 cells");
    }
    let mut board = Board::empty(rows.len() as u8, cols as u8);
    for (row, cells) in rows.iter().enumerate() {
        if cells.len() != cols {
            return Err("all rows have the same number of cells");
        }
        for (col, sign) in cells.chars().enumerate() {
            let cell = Cell::of_sign(sign).ok_or("a cell is 1, 2 or .")?;
            board = board.set(cell, Square::new(row as u8, col as u8));
        }
    }
    Ok(board)
}

const TURN_KEY: u64 = mix(0x7);

#[inline]
const fn pawn_key(seat: Seat, square: Square) -> u64 {
    PAWN_KEYS[seat.index() & 1][square.bit()]
}

static PAWN_KEYS: [[u64; 64]; 2] = {
    let mut keys = [[0; 64]; 2];
    let mut n = 0;
    while n < 128 {
        keys[n / 64][n % 64] = mix(0x1000 + n as u64);
        n += 1;
    }
    keys
};
