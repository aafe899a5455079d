//! The pieces of each player as lists, from which a random one is quickly drawn.

use super::Cell;
use super::geometry::Mask;

/// The most pieces a player has.
const MOST: usize = 22;

/// The cells of each player's pieces, in no particular order. It says the same as the masks of a position, which are
/// better at everything but drawing a piece at random.
#[derive(Clone, Debug)]
pub(super) struct Roster {
    cells: [[Cell; MOST]; 2],
    /// For each cell with a piece its place in the list of its owner; for a pile, of the upper piece.
    places: [u8; 128],
    /// While there is a pile, the place of the covered piece; at other times without meaning.
    covered: u8,
}

impl Roster {
    /// The pieces of these masks; in a pile the one of player `upper` is on top.
    pub(super) fn new(pieces: &[Mask; 2], upper: usize) -> Self {
        let mut roster = Self { cells: [[Cell::of_bit(0); MOST]; 2], places: [0; 128], covered: 0 };
        for player in [upper ^ 1, upper] {
            for (idx, cell) in pieces[player].cells().enumerate() {
                if player == upper && pieces[upper ^ 1].has(cell) {
                    roster.covered = roster.places[cell.bit()];
                }
                roster.cells[player][idx] = cell;
                roster.places[cell.bit()] = idx as u8;
            }
        }
        roster
    }

    /// The cell of a player's piece number `n`.
    #[inline]
    pub(super) fn cell(&self, player: usize, n: u32) -> Cell {
        self.cells[player][n as usize]
    }

    /// Moves a piece, which may leave a covered piece behind or cover another.
    #[inline]
    pub(super) fn shift(&mut self, player: usize, from: Cell, to: Cell) {
        let place = self.places[from.bit()];
        self.places[from.bit()] = self.covered;
        self.covered = self.places[to.bit()];
        self.places[to.bit()] = place;
        self.cells[player][usize::from(place)] = to;
    }
}

impl PartialEq for Roster {
    /// The order of a list is not part of a position, and all else is in the masks.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Roster {}
