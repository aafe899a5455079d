//! The scoring player of Hexapawn.

use rookery_games::hexapawn::{Board, Cell, Eliminate, Move, Position, Square};
use rookery_rules::{Position as _, Seat};
use rookery_search::{Budget, Strategy};

/// The scoring player of the original's second version. It looks at each move alone: how far it has come, what it
/// takes, whether it could be taken, whether the way is free. Of equally good moves it plays the last of the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heuristic;

impl Strategy<Position> for Heuristic {
    fn choose(&mut self, position: &Position, _: &Budget) -> Move {
        let seat = position.to_move().expect("a strategy is asked only while the game goes on");
        let board = position.board();
        // Keys in the order: which kind of decision, then the score; of equals the last one listed wins.
        let worth = |mv: &Move| match *mv {
            Move::Choose(k) => i32::from(k == Eliminate::limit(board.cols())),
            Move::Off(square) => i32::from(prefers_off(&board, seat, square)),
            Move::Pawn { from, to } => score(&board, seat, from, to),
        };
        position.legal_moves().max_by_key(worth).expect("who is to move has a move")
    }
}

/// Player 1 takes off its pawns in the columns M - 1, M - 3 and so on, player 2 in the columns 2, 4 and so on, both
/// counted from 1; each takes the first of its list that still stands.
fn prefers_off(board: &Board, seat: Seat, square: Square) -> bool {
    let cols = board.cols();
    let stands = |col: &u8| board.get(Square::new(square.row(), *col)) != Cell::Empty;
    let next = if seat.index() == 0 {
        (0..cols.saturating_sub(1)).rev().step_by(2).find(stands)
    } else {
        (1..cols).step_by(2).find(stands)
    };
    next == Some(square.col())
}

fn score(board: &Board, seat: Seat, from: Square, to: Square) -> i32 {
    let (home, ahead, enemy) =
        if seat.index() == 0 { (0, 1, Cell::P2) } else { (board.rows() as i8 - 1, -1, Cell::P1) };
    let rows = board.rows() as i8;
    let row = to.row() as i8;
    let at = |row: i8, col: i8| {
        let inside = (0..rows).contains(&row) && (0..board.cols() as i8).contains(&col);
        if inside { board.get(Square::new(row as u8, col as u8)) } else { Cell::Empty }
    };
    let col = to.col() as i8;
    let distance = i32::from((row - home).abs());
    let mut score = distance;
    if from.col() != to.col() {
        score += 10 * (i32::from(rows) - distance + 1);
    }
    if at(row + ahead, col - 1) == enemy || at(row + ahead, col + 1) == enemy {
        score -= 100;
    }
    let rows_ahead = || {
        std::iter::successors(Some(row + ahead), |row| Some(row + ahead))
            .take_while(|row| (0..rows).contains(row))
    };
    if rows_ahead().all(|row| (col - 1..=col + 1).all(|col| at(row, col) == Cell::Empty)) {
        score += 10 * (distance + 1);
    }
    score
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn::Setup;
    use rookery_rules::{Setup as _, Status};

    use super::*;

    /// Winner from 1, moves of pawns, whether by reaching the far row.
    fn self_play(options: &str) -> (usize, u32, bool) {
        let mut position = Setup::parse(options).unwrap().start();
        let mut moves = 0;
        while position.to_move().is_some() {
            let mv = Heuristic.choose(&position, &Budget::default());
            moves += u32::from(matches!(mv, Move::Pawn { .. }));
            position.play(mv).unwrap();
        }
        let Status::Over(outcome) = position.status() else { panic!("the game has an end") };
        let winner = outcome.winners.iter().next().unwrap();
        (winner.index() + 1, moves, position.board().has_reached(winner))
    }

    #[test]
    fn self_play_of_the_original() {
        assert_eq!(self_play("rows=8,cols=8,eliminate=choose"), (2, 34, true));
        assert_eq!(self_play("rows=5,cols=5,eliminate=choose"), (1, 9, false));
    }
}
