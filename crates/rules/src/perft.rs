//! Counting move sequences: the quickest proof that a move generator is right.

use crate::Position;

/// The number of move sequences of exactly `depth` moves. A game that ends earlier is not extended and does not
/// count.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves() as u64,
        _ => position
            .legal_moves()
            .map(|mv| {
                let mut child = position.clone();
                child.play_unchecked(mv);
                perft(&child, depth - 1)
            })
            .sum(),
    }
}

/// [`perft`] at each depth from 1 to `depth`.
///
/// ```
/// use rookery_games::hexapawn;
/// use rookery_rules::{Setup, perft_all};
///
/// let start = hexapawn::Setup::parse("rows=3,cols=4")?.start();
/// assert_eq!(perft_all(&start, 3), [4, 18, 76]);
/// # Ok::<(), rookery_rules::SetupError>(())
/// ```
pub fn perft_all<P: Position>(position: &P, depth: u32) -> Vec<u64> {
    (1..=depth).map(|depth| perft(position, depth)).collect()
}
