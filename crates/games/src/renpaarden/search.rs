//! Where a hop may lead, and where a chain of hops can end.
//!
//! Only enemy pieces are stepping stones, so a turn is a walk over the cells with enemy pieces to an empty one. A
//! walk to an end exists if and only if one without a cell twice exists; so which cells can be reached is a matter
//! of spreading over the stones, also under the rule that bars the cells of the chain.

use rookery_rules::Position as _;

use super::geometry::{Geometry, Mask};
use super::position::Position;
use super::{Cell, Move, Turn, WinTest};

/// What the pieces on the board are for one chain.
#[derive(Clone, Copy)]
struct Walk {
    geometry: &'static Geometry,
    /// Cells on which the turn, or the game, ends.
    ends: Mask,
    /// Enemy pieces from which the walk goes on.
    stones: Mask,
    /// Cells that may not be entered from outside of them.
    closed_home: Mask,
}

impl Walk {
    /// The cells a piece can enter from a cell.
    #[inline]
    fn exits(&self, cell: Cell) -> Mask {
        let near = self.geometry.near(cell) & (self.ends | self.stones);
        if self.closed_home.has(cell) { near } else { near & !self.closed_home }
    }

    /// All ends that can be reached from a cell, in one hop or more.
    fn ends_from(&self, from: Cell) -> Mask {
        let (mut seen, mut ends) = (Mask::EMPTY, Mask::EMPTY);
        let mut front = Mask::only(from);
        while !front.is_empty() {
            let reached = front.cells().fold(Mask::EMPTY, |reached, cell| reached | self.exits(cell));
            ends = ends | (reached & self.ends);
            front = reached & self.stones & !seen;
            seen = seen | front;
        }
        ends
    }

    /// Whether a chain that stands on this cell has an end, here or later.
    fn has_end(&self, cell: Cell) -> bool {
        self.ends.has(cell) || !self.ends_from(cell).is_empty()
    }
}

/// The cells of one turn, the first one included.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// In reverse: the last cell first.
    cells: [Cell; Path::MOST],
    len: usize,
}

impl Path {
    /// The first cell, at most 22 stones, the last cell.
    const MOST: usize = 24;

    /// The hops in order.
    pub fn hops(&self) -> impl Iterator<Item = Move> + '_ {
        self.cells[..self.len].windows(2).rev().map(|pair| Move { from: pair[1], to: pair[0] })
    }
}

impl Position {
    /// The cells that the chain may not enter again once its piece has hopped from this cell.
    #[inline]
    pub(super) fn barred_after(&self, from: Cell) -> Mask {
        if !self.rules.revisit {
            self.barred | Mask::only(from)
        } else if self.rules.null_turn {
            Mask::EMPTY
        } else if self.chain.is_some() {
            self.barred
        } else {
            Mask::only(from)
        }
    }

    /// The board for a chain of the piece on this cell.
    fn walk(&self, from: Cell) -> Walk {
        let (me, goal) = (self.me(), self.me() ^ 1);
        let open = !self.barred_after(from) & self.geometry.board;
        let others = self.pieces[me] & !Mask::only(from);
        let enemies = self.pieces[me ^ 1] & open;
        let others_in_goal = self.counts[me][goal] - u8::from(self.geometry.bases[goal].has(from));
        // With all others at their goal, the first goal cell that this piece enters wins at once.
        let winning = if self.rules.win == WinTest::Hop && others_in_goal + 1 == self.rules.n_pieces() {
            enemies & self.geometry.bases[goal]
        } else {
            Mask::EMPTY
        };
        Walk {
            geometry: self.geometry,
            ends: open & !others & !enemies | winning,
            stones: enemies & !winning,
            closed_home: if self.rules.return_home { Mask::EMPTY } else { self.geometry.bases[me] },
        }
    }

    /// Where the piece on this cell, which the player to move may move, can hop.
    #[inline]
    pub(super) fn targets(&self, from: Cell) -> Mask {
        if self.plain {
            return self.geometry.near(from) & !self.pieces[self.me()];
        }
        let walk = self.walk(from);
        walk.exits(from).cells().filter(|&to| walk.has_end(to)).collect()
    }

    /// Whether the optional rules leave a hop that the plain ones allow.
    pub(super) fn is_open(&self, mv: Move) -> bool {
        let walk = self.walk(mv.from);
        walk.exits(mv.from).has(mv.to) && walk.has_end(mv.to)
    }

    /// Where the piece on this cell, which the player to move may move, can end its turn.
    pub(super) fn turn_ends(&self, from: Cell) -> Mask {
        self.walk(from).ends_from(from)
    }

    /// A shortest way to play a turn; among equally short ones the first in reading order. `None` if the turn is not
    /// legal.
    pub fn path(&self, turn: Turn) -> Option<Path> {
        if !self.may_leave(turn.from) {
            return None;
        }
        let walk = self.walk(turn.from);
        let mut queue = [turn.from; Path::MOST];
        let (mut read, mut written) = (0, 1);
        // For each cell the one it was first entered from.
        let mut before = [turn.from; 128];
        let mut seen = Mask::EMPTY;
        while read < written {
            let cell = queue[read];
            read += 1;
            let exits = walk.exits(cell);
            if walk.ends.has(turn.to) && exits.has(turn.to) {
                return Some(trace(&before, cell, turn));
            }
            for next in (exits & walk.stones & !seen).cells() {
                // A chain may come again over the cell where it stands, but no shortest way does.
                if next != turn.from {
                    seen = seen | Mask::only(next);
                    before[next.bit()] = cell;
                    queue[written] = next;
                    written += 1;
                }
            }
        }
        None
    }

    pub(super) fn reason_against(&self, mv: Move) -> String {
        let (me, Move { from, to }) = (self.to_move, mv);
        let closed_home = if self.rules.return_home { Mask::EMPTY } else { self.geometry.bases[self.me()] };
        if let Some(chain) = self.chain.filter(|&chain| chain != from) {
            format!("{me} must jump on with the piece on {chain}", me = super::label(me))
        } else if !self.pieces[self.me()].has(from) {
            format!("{me} has no piece on {from}", me = super::label(me))
        } else if !self.geometry.board.has(to) {
            format!("{to} lies outside the board")
        } else if !self.geometry.near(from).has(to) {
            format!("a piece hops like a chess knight, so not from {from} to {to}")
        } else if self.pieces[self.me()].has(to) {
            format!("{me} has a piece of its own on {to}", me = super::label(me))
        } else if self.barred_after(from).has(to) && !self.rules.revisit {
            format!("the piece has been on {to} in this turn, and may not return to a cell")
        } else if self.barred_after(from).has(to) {
            format!("the turn began on {to}, and may not end there")
        } else if !closed_home.has(from) && closed_home.has(to) {
            "a piece that has left its home rows may not return to them".to_owned()
        } else {
            format!("from {to} the chain could not end on any cell that the rules allow")
        }
    }

    /// Plays a turn that ends with a win on top of an enemy piece, hop by hop, or any other as one step.
    pub(super) fn advance_turn(&mut self, turn: Turn) {
        if !self.pieces[self.me() ^ 1].has(turn.to) {
            self.advance(Move { from: turn.from, to: turn.to });
            return;
        }
        let path = self.path(turn).expect("the turn is legal");
        for hop in path.hops() {
            if self.to_move().is_some() {
                self.advance(hop);
            }
        }
    }
}

/// The way back from the last stone of a turn to its first cell.
fn trace(before: &[Cell; 128], last_stone: Cell, turn: Turn) -> Path {
    let mut path = Path { cells: [turn.to; Path::MOST], len: 1 };
    let mut cell = last_stone;
    loop {
        path.cells[path.len] = cell;
        path.len += 1;
        if cell == turn.from {
            return path;
        }
        cell = before[cell.bit()];
    }
}
