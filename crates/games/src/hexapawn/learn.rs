//! Moves by number, and the board as planes.

use rookery_rules::{Actions, Frame, Learnable, Position as _, Seat, to_byte};

use super::position::{SEATS, Stage};
use super::{Eliminate, Move, Position, Square};

impl Position {
    /// Steps and captures between two neighbouring rows, in one direction.
    const fn steps_between_rows(&self) -> usize {
        3 * self.cols as usize - 2
    }

    /// The numbers of what the pawns of the player to move can do: by the bit of a square and the columns to the right. Those of
    /// one pawn stand side by side, because the columns from and to are added.
    #[inline]
    fn numbers(&self) -> impl Fn(usize, isize) -> usize + use<> {
        let (between, down) = (self.steps_between_rows(), self.to_move.index());
        // Who moves down comes from the upper of two rows, whose second half of numbers it has.
        move |from, sideways| {
            ((2 * (from / 8) - down) * between + 3 * (from % 8)).wrapping_add_signed(sideways)
        }
    }

    fn n_steps(&self) -> usize {
        2 * (usize::from(self.rows) - 1) * self.steps_between_rows()
    }
}

impl Learnable for Position {
    /// For each two neighbouring rows the moves up the ranks, then those down, each from file a on; removals of each
    /// square, since a position may begin with pawns anywhere; choices.
    fn all_moves(&self) -> Vec<Move> {
        let (rows, cols) = (self.rows, self.cols);
        let between = |from: u8, to: u8| {
            (0..cols).flat_map(move |col| {
                (col.saturating_sub(1)..=(col + 1).min(cols - 1)).map(move |target| Move::Pawn {
                    from: Square::new(from, col),
                    to: Square::new(to, target),
                })
            })
        };
        let steps = (1..rows).flat_map(|row| between(row - 1, row).chain(between(row, row - 1)));
        let removals = (0..rows).flat_map(|row| (0..cols).map(move |col| Move::Off(Square::new(row, col))));
        steps.chain(removals).chain((0..=Eliminate::limit(cols)).map(Move::Choose)).collect()
    }

    #[inline]
    fn number(&self, mv: Move) -> Option<usize> {
        Some(match mv {
            Move::Pawn { from, to } => {
                let (lower, down) = (from.row().min(to.row()), usize::from(to.row() < from.row()));
                let start = (2 * usize::from(lower) + down) * self.steps_between_rows();
                start + 2 * usize::from(from.col()) + usize::from(to.col())
            }
            Move::Off(square) => {
                self.n_steps()
                    + usize::from(square.row()) * usize::from(self.cols)
                    + usize::from(square.col())
            }
            Move::Choose(k) => {
                self.n_steps() + usize::from(self.rows) * usize::from(self.cols) + usize::from(k)
            }
        })
    }

    #[inline]
    fn mark_legal(&self, actions: &Actions<Self>, mask: &mut [u8]) {
        if self.stage != Stage::Playing {
            actions.legal(self).for_each(|number| mask[number] = 1);
            return;
        }
        let number = self.numbers();
        self.movers().mark(|from, sideways| mask[number(from, sideways)] = 1);
    }

    #[inline]
    fn list_legal(&self, actions: &Actions<Self>, numbers: &mut Vec<u32>) {
        if self.stage != Stage::Playing {
            actions.legal(self).for_each(|number| numbers.push(number as u32));
            return;
        }
        let number = self.numbers();
        self.movers().each(|from, sideways| numbers.push(number(from, sideways) as u32));
    }

    fn frame(&self) -> Frame {
        Frame::new(self.rows.into(), self.cols.into(), 2, Self::KINDS, &["pawns still to be taken off"])
    }

    #[inline]
    fn observe(&self, viewer: Seat, frame: &Frame, planes: &mut [u8]) {
        frame.clear(self.to_move() == Some(viewer), planes);
        let (plane, cols) = (frame.plane(), frame.cols);
        for seat in SEATS {
            let pawns = if seat == self.to_move { self.mine } else { self.theirs };
            let own = &mut planes[frame.of_seat(viewer, seat) * plane..][..plane];
            for (row, bits) in own.chunks_exact_mut(cols).zip(pawns.to_le_bytes()) {
                let bytes = spread(bits).to_le_bytes();
                // The usual width by a single store.
                match <&mut [u8; 8]>::try_from(&mut *row) {
                    Ok(row) => *row = bytes,
                    Err(_) => row.copy_from_slice(&bytes[..cols]),
                }
            }
        }
        let left = match self.stage {
            // More than can be taken off: how many is still to be said.
            Stage::Choosing => u8::MAX,
            Stage::Eliminating(left) => to_byte(left.into()),
            _ => return,
        };
        planes[4 * plane..].fill(left);
    }
}

/// The bits of a byte as bytes, the lowest first.
#[inline]
const fn spread(bits: u8) -> u64 {
    // Each byte of the product's mask has another bit of the eight; adding 127 to a byte that is not 0 sets its highest bit.
    let one_each = (bits as u64 * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((one_each + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101
}
