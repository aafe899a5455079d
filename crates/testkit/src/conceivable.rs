//! Every move a text could express, legal or not, so that the laws can try them all.

use rookery_games::hexapawn;
use rookery_rules::Position;

/// Positions that know the whole space of moves of their kind.
pub trait Conceivable: Position {
    /// Every move that has a text and could be meant for a board like this one, also those that lead just outside.
    fn conceivable_moves(&self) -> Vec<Self::Move>;
}

impl Conceivable for hexapawn::Position {
    fn conceivable_moves(&self) -> Vec<hexapawn::Move> {
        let (rows, cols) = ((self.board().rows() + 1).min(8), (self.board().cols() + 1).min(8));
        let squares: Vec<_> =
            (0..rows).flat_map(|row| (0..cols).map(move |col| hexapawn::Square::new(row, col))).collect();
        let pawns =
            squares.iter().flat_map(|&from| squares.iter().map(move |&to| hexapawn::Move::Pawn { from, to }));
        let removals = squares.iter().map(|&square| hexapawn::Move::Off(square));
        pawns.chain(removals).chain((0..=9).map(hexapawn::Move::Choose)).collect()
    }
}
