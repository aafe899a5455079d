//! Stones on the board and whose turn it is.

use rookery_rules::{Keyed, Outcome, Rng, Seat, Status, below, mix};

use super::lines::{FIRST_COL, has_line, open_lines};
use super::{Move, Setup};

pub(super) const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// One moment of a game of Four in a row.
///
/// ```
/// use rookery_games::four::Position;
/// use rookery_rules::{Notation, Position as _};
///
/// let mut position = Position::from_text("p1 .../22./11. line=3")?;
/// assert_eq!(position.legal_moves().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["a", "b", "c"]);
/// position.play("c".parse()?)?;
/// assert_eq!(position.to_text(), "p2 .../22./111 line=3");
/// assert_eq!(position.to_move(), None, "player 1 has won");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The stones of the player to move, and of the other one, as masks of cells (see `lines.rs`). They change places
    /// with every move, so that nothing in a playout asks whose turn it is.
    mine: u64,
    theirs: u64,
    key: u64,
    pub(super) setup: Setup,
    pub(super) to_move: Seat,
    pub(super) stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Playing,
    /// Won by a line.
    Won(Seat),
    /// The board is full, without a line.
    Full,
    /// Won because the other player was removed.
    Left(Seat),
}

impl Position {
    /// The position with these stones of the first and of the second seat, all within the board. The turn follows from
    /// their number.
    pub(super) fn of(setup: Setup, stones: [u64; 2]) -> Self {
        let to_move = SEATS[(stones[0] | stones[1]).count_ones() as usize % 2];
        let (mine, theirs) = (stones[to_move.index()], stones[to_move.next(2).index()]);
        let mut position = Self { mine, theirs, key: 0, setup, to_move, stage: Stage::Playing };
        position.settle();
        position.key = position.full_key();
        position
    }

    /// Ends the game if the player who moved last has a line, or if there is no room for another move.
    #[inline]
    fn settle(&mut self) {
        if has_line(self.theirs, self.setup.line) {
            self.stage = Stage::Won(self.to_move.next(2));
        } else if self.columns() == 0 {
            self.stage = Stage::Full;
        }
    }

    /// The stones of a seat, as a mask of cells.
    pub(super) fn stones(&self, seat: Seat) -> u64 {
        if seat == self.to_move { self.mine } else { self.theirs }
    }

    /// Whose stone lies on a cell, both numbers from 0 and row 0 at the bottom.
    pub(super) fn owner(&self, row: u8, col: u8) -> Option<Seat> {
        SEATS.into_iter().find(|&seat| self.stones(seat) >> (8 * row + col) & 1 != 0)
    }

    /// The columns that have room, one bit each; none when the game is over.
    #[inline]
    fn columns(&self) -> u64 {
        if self.stage != Stage::Playing {
            return 0;
        }
        !(self.mine | self.theirs) >> (8 * (self.setup.rows - 1)) & (0xff >> (8 - self.setup.cols))
    }

    /// The bit of the cell where a stone lands: the lowest free one of the column.
    #[inline]
    pub(super) const fn landing(&self, mv: Move) -> u32 {
        (FIRST_COL << mv.col() & !(self.mine | self.theirs)).trailing_zeros()
    }

    /// How well a seat stands, by the lines that each can still fill.
    pub fn prospects(&self, seat: Seat) -> i32 {
        let free = self.setup.cells() & !(self.mine | self.theirs);
        let worth = |seat| open_lines(self.stones(seat), free, self.setup.line);
        worth(seat) - worth(seat.next(2))
    }
}

impl rookery_rules::Position for Position {
    type Move = Move;

    fn n_seats(&self) -> usize {
        2
    }

    #[inline]
    fn status(&self) -> Status {
        match self.stage {
            Stage::Playing => Status::ToMove(self.to_move),
            Stage::Won(winner) | Stage::Left(winner) => Status::Over(Outcome::win(2, winner)),
            Stage::Full => Status::Over(Outcome::draw(2)),
        }
    }

    /// From the first column to the last.
    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let mut columns = self.columns();
        std::iter::from_fn(move || {
            let first = columns.trailing_zeros();
            columns &= columns.wrapping_sub(1);
            (first < 8).then(|| Move::new(first as u8))
        })
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let (me, cell) = (self.to_move, self.landing(mv));
        (self.mine, self.theirs) = (self.theirs, self.mine | 1 << cell);
        self.key ^= stone_key(me, cell);
        self.to_move = me.next(2);
        self.settle();
    }

    fn remove(&mut self, seat: Seat) {
        if self.stage == Stage::Playing {
            self.stage = Stage::Left(seat.next(2));
            self.key = self.full_key();
        }
    }

    fn max_plies(&self) -> u64 {
        match self.stage {
            Stage::Playing => (self.setup.cells() & !(self.mine | self.theirs)).count_ones().into(),
            Stage::Won(_) | Stage::Full | Stage::Left(_) => 0,
        }
    }

    #[inline]
    fn to_move(&self) -> Option<Seat> {
        (self.stage == Stage::Playing).then_some(self.to_move)
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        self.columns() >> mv.col() & 1 != 0
    }

    #[inline]
    fn count_moves(&self) -> usize {
        self.columns().count_ones() as usize
    }

    fn reason(&self, mv: Move) -> String {
        if mv.col() < self.setup.cols {
            format!("column {mv} is full")
        } else {
            format!("the board has columns a to {last}, and no {mv}", last = Move::new(self.setup.cols - 1))
        }
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        let mut columns = self.columns();
        if columns == 0 {
            return None;
        }
        for _ in 0..below(rng, columns.count_ones()) {
            columns &= columns - 1;
        }
        Some(Move::new(columns.trailing_zeros() as u8))
    }
}

impl Keyed for Position {
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    /// The stones say whose turn it is, and whether there is a line; the setup and who left are to be added.
    fn full_key(&self) -> u64 {
        let left = if let Stage::Left(winner) = self.stage { 1 + winner.index() as u8 } else { 0 };
        let Setup { rows, cols, line } = self.setup;
        let mut key = mix(u32::from_be_bytes([rows, cols, line, left]).into());
        for seat in SEATS {
            let mut stones = self.stones(seat);
            while stones != 0 {
                key ^= stone_key(seat, stones.trailing_zeros());
                stones &= stones - 1;
            }
        }
        key
    }
}

#[inline]
const fn stone_key(seat: Seat, cell: u32) -> u64 {
    STONE_KEYS[seat.index() & 1][cell as usize & 63]
}

static STONE_KEYS: [[u64; 64]; 2] = {
    let mut keys = [[0; 64]; 2];
    let mut n = 0;
    while n < 128 {
        keys[n / 64][n % 64] = mix(0x1000 + n as u64);
        n += 1;
    }
    keys
};
