//! What speaks for a move, in the words of the game.

use rookery_rules::{Position as _, Reason, Seat};

use super::{Board, Cell, Move, Position, Square};

/// See [`rookery_rules::Game::REASONS`].
pub(super) fn reasons(position: &Position, mv: Move) -> Vec<Reason> {
    let (Some(seat), Move::Pawn { from, to }) = (position.to_move(), mv) else { return vec![] };
    let mut after = position.clone();
    after.play_unchecked(mv);
    let mut found = vec![];
    if from.col() != to.col() {
        found.push(Reason::new("takes", format!("takes the pawn on {to}")));
    }
    let board = after.board();
    if let Some(ahead) = ahead(&board, seat, to) {
        if owner(&board, ahead) == Some(seat.next(2)) {
            found.push(Reason::new("blocks", format!("blocks the pawn on {ahead}")));
        } else if is_free(&board, seat, to) {
            let steps = if seat == Seat::new(0) { board.rows() - 1 - to.row() } else { to.row() };
            let moves = if steps == 1 { "one move".to_owned() } else { format!("{steps} moves") };
            found.push(Reason::new("runs", format!("has a free way to the last row, {moves} off")));
        }
    }
    let is_safe = !takers(&board, seat, to).any(|square| owner(&board, square) == Some(seat.next(2)));
    if found.is_empty() && is_safe {
        found.push(Reason::new("safe", "cannot be taken there"));
    }
    found
}

fn owner(board: &Board, square: Square) -> Option<Seat> {
    match board.get(square) {
        Cell::Empty => None,
        Cell::P1 => Some(Seat::new(0)),
        Cell::P2 => Some(Seat::new(1)),
    }
}

/// The square in front of a pawn.
fn ahead(board: &Board, seat: Seat, square: Square) -> Option<Square> {
    let row = if seat == Seat::new(0) { square.row() + 1 } else { square.row().checked_sub(1)? };
    (row < board.rows()).then(|| Square::new(row, square.col()))
}

/// The squares from which a pawn can be taken.
fn takers(board: &Board, seat: Seat, square: Square) -> impl Iterator<Item = Square> {
    let (ahead, cols) = (ahead(board, seat, square), board.cols());
    let beside = [square.col().checked_sub(1), square.col().checked_add(1)];
    beside.into_iter().flatten().filter(move |&col| col < cols).filter_map(move |col| {
        let row = ahead?.row();
        Some(Square::new(row, col))
    })
}

/// Whether nobody can stop the pawn on its way, as the pawns stand now.
fn is_free(board: &Board, seat: Seat, square: Square) -> bool {
    let other = Some(seat.next(2));
    let mut next = ahead(board, seat, square);
    let mut on = square;
    while let Some(square) = next {
        let guarded = takers(board, seat, on).any(|taker| owner(board, taker) == other);
        if guarded || owner(board, square).is_some() {
            return false;
        }
        on = square;
        next = ahead(board, seat, square);
    }
    true
}

#[cfg(test)]
mod tests {
    use rookery_rules::Notation as _;

    use super::*;

    #[test]
    fn moves_have_reasons() {
        for (position, mv, expected) in [
            ("p1 111/.../222", "b1-b2", "blocks the pawn on b3"),
            ("p1 1.1/.1./222", "b2xc3", "takes the pawn on c3"),
            ("p1 111./..../.2../2.22", "b1-b2", "blocks the pawn on b3"),
            ("p1 ...1/..../..../2...", "d1-d2", "has a free way to the last row, 2 moves off"),
            ("p1 1..1/..../..../222.", "d1-d2", "cannot be taken there"),
        ] {
            let position = Position::from_text(position).unwrap();
            let found = reasons(&position, mv.parse().unwrap());
            assert_eq!(found.first().map_or("", |reason| &reason.text), expected, "{mv} in {position}");
        }
    }
}
