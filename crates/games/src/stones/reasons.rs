//! What speaks for a move, in the words of the game.

use rookery_rules::{Position as _, Reason as Why, Seat};

use super::{Move, Position, Tile};

/// See [`rookery_rules::Game::REASONS`].
pub(super) fn reasons(position: &Position, mv: Move) -> Vec<Why> {
    let Some(seat) = position.to_move() else { return vec![] };
    let mut after = position.clone();
    after.play_unchecked(mv);
    let (before, board) = (position.board(), after.board());
    let mut found = vec![];
    if let Some(hit) = before.get(mv.to) {
        let last = before.count(hit) == 1;
        let what = if last { "the last stone" } else { "a stone" };
        found.push(Why::new("hits", format!("hits {what} of player {}", hit.index())));
    }
    let in_danger = |board: &super::Board, tile: Tile| {
        board.neighbours(tile).any(|next| board.get(next).is_some_and(|other| other != seat))
    };
    if in_danger(before, mv.from) && !in_danger(board, mv.to) {
        found.push(Why::new("escapes", "gets out of reach of the others"));
    } else if !in_danger(board, mv.to) {
        let near = nearest(board, seat, mv.to);
        if near.is_some_and(|near| near == 2) {
            found.push(Why::new("waits", "keeps just out of reach: whoever comes closer can be hit"));
        }
    }
    found
}

/// How many steps the nearest stone of somebody else is away.
fn nearest(board: &super::Board, seat: Seat, from: Tile) -> Option<u8> {
    let distance = |tile: Tile| tile.row.abs_diff(from.row).max(tile.col.abs_diff(from.col));
    let others = board.tiles().filter(|&tile| board.get(tile).is_some_and(|other| other != seat));
    others.map(distance).min()
}
