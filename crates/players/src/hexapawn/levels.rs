//! The players of Hexapawn that search.

use rookery_games::hexapawn::{Move, Position};
use rookery_rules::{Options, Position as _, Seat, Solvable as _};
use rookery_search::{Analysis, Budget, Evaluation, Goal, LIMIT, Perfect, Strategy};

use crate::Level;
use crate::care::Alert;
use crate::levels::{Ladder, ladder};
use crate::strength::{Searcher, Strength, lines};

/// A pawn.
const PAWN: i32 = 100;
/// By rows still to go, from 0: how much a pawn is worth for having come that far.
const ADVANCE: [i32; 8] = [0, 200, 90, 50, 28, 14, 5, 0];
/// A pawn that no enemy stands in the way of, by rows to go.
const FREE_WAY: [i32; 8] = [0, 400, 250, 160, 100, 60, 30, 0];
/// A pawn that another would avenge.
const SUPPORTED: i32 = 12;
/// A step that the enemy cannot punish: who runs out of moves has lost.
const SAFE_STEP: i32 = 8;

/// The value with which three games of four are won.
const THREE_OF_FOUR: i32 = 300;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// Pawns and how far they have come. A race that is certain counts as won although it is not over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pawns;

impl Evaluation<Position> for Pawns {
    fn value(&self, position: &Position, seat: Seat) -> i32 {
        let sign = if position.to_move() == Some(seat) { 1 } else { -1 };
        let (low, high) = position.foresee();
        if let Some(plies) = low.plies().filter(|_| low.is_win()) {
            return sign * (LIMIT - plies as i32);
        }
        if let Some(plies) = high.plies().filter(|_| high.is_loss()) {
            return sign * (plies as i32 - LIMIT);
        }
        let board = position.board();
        let rows = u32::from(board.rows());
        let (own, enemy) = (board.pawns(seat), board.pawns(seat.next(2)));
        // Both sides as if they moved towards higher rows.
        let flip = |pawns: u64| pawns.swap_bytes() >> (8 * (8 - rows));
        let (mine, theirs) = if seat.index() == 0 {
            (Side { own, enemy, rows }, Side { own: flip(enemy), enemy: flip(own), rows })
        } else {
            (Side { own: flip(own), enemy: flip(enemy), rows }, Side { own: enemy, enemy: own, rows })
        };
        mine.worth() - theirs.worth()
    }

    fn three_of_four(&self) -> i32 {
        THREE_OF_FOUR
    }
}

/// The pawns as one side sees them: its own move towards higher rows.
struct Side {
    own: u64,
    enemy: u64,
    rows: u32,
}

/// The squares diagonally ahead of these.
const fn attacked(pawns: u64) -> u64 {
    (pawns & !FILE_H) << 9 | (pawns & !FILE_A) << 7
}

impl Side {
    fn worth(&self) -> i32 {
        let blocked = column_fill_down(self.enemy | attacked_down(self.enemy));
        let supported = self.own & attacked(self.own);
        let steps = (self.own << 8) & !(self.own | self.enemy);
        let safe = steps & !attacked_down(self.enemy);
        let mut value = PAWN * self.own.count_ones() as i32
            + SUPPORTED * supported.count_ones() as i32
            + SAFE_STEP * safe.count_ones() as i32;
        let mut left = self.own;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let to_go = (self.rows - 1).saturating_sub(bit / 8) as usize;
            value += ADVANCE[to_go.min(7)];
            if blocked >> bit & 1 == 0 {
                value += FREE_WAY[to_go.min(7)];
            }
        }
        value
    }
}

/// The squares diagonally ahead of pawns that move towards lower rows.
const fn attacked_down(pawns: u64) -> u64 {
    (pawns & !FILE_H) >> 7 | (pawns & !FILE_A) >> 9
}

/// The squares below these in their columns, not these.
const fn column_fill_down(squares: u64) -> u64 {
    let mut fill = squares >> 8;
    fill |= fill >> 8;
    fill |= fill >> 16;
    fill | fill >> 32
}

/// The move after which its pawns stand best.
const GREEDY: Strength = Strength::new(2_000, 0, 0).with_depth(1);

/// The levels: positions, blur, overlooked moves.
const LEVELS: Ladder = ladder([
    (119, 71, 280),
    (293, 37, 150),
    (649, 21, 80),
    (1_041, 13, 40),
    (344, 33, 130),
    (1_041, 13, 40),
    (3_427, 5, 10),
    (12_000, 3, 0),
]);

/// From this level on a solver of as many positions comes before the search: what it proves leaves nothing to be found,
/// so that without it the steps to the top would be too high.
const SOLVES: Level = Level::ALL[4];
/// Memory for the solver.
const SOLVER_BYTES: usize = 16 << 20;

/// One of the levels.
pub(crate) fn level(level: Level) -> Box<dyn Strategy<Position>> {
    let strength = LEVELS[level.index()];
    let searcher = Searcher::new(Pawns, strength);
    if level < SOLVES {
        return Box::new(searcher);
    }
    let perfect = Perfect::new(searcher, Goal::Result, strength.nodes, SOLVER_BYTES);
    Box::new(Alert(if level == Level::TOP { perfect } else { perfect.closed() }))
}

/// The best moves of a position.
pub(crate) fn analyse(
    position: &Position,
    budget: &Budget,
    max_lines: usize,
    report: &mut dyn FnMut(&Analysis<Move>),
) {
    lines(Pawns, position, budget, max_lines, report);
}

/// One of the players, by name.
pub(crate) fn strategy(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<Position>>> {
    let strength = match name {
        "greedy" => GREEDY,
        "alphabeta" => Strength::from_options(options),
        _ => return None,
    };
    Some(Box::new(Searcher::new(Pawns, strength)))
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn::Setup;
    use rookery_rules::{Notation as _, Seed, Setup as _, Status};
    use rookery_search::{AlphaBeta, Budget};

    use super::*;
    use crate::hexapawn::heuristic::Heuristic;
    use crate::strength::tests::{check_reproducible, points};

    fn player(name: &str) -> Box<dyn Strategy<Position>> {
        let player: crate::PlayerSpec = name.parse().unwrap();
        crate::strategy::<rookery_games::hexapawn::Hexapawn>(&crate::hexapawn::EXPERTISE, &player).unwrap().0
    }

    #[test]
    fn every_level_is_legal_and_reproducible() {
        for options in ["rows=5,cols=5", "rows=4,cols=5,eliminate=choose", "rows=8,cols=8,eliminate=1"] {
            for name in ["greedy", "easy", "medium", "hard", "alphabeta"] {
                check_reproducible(&Setup::parse(options).unwrap().start(), || player(name), 300);
            }
        }
    }

    #[test]
    fn hard_beats_the_heuristic_player_with_little_work() {
        let start = |_| Setup::parse("rows=8,cols=8").unwrap().start();
        let won = points(start, &mut *player("hard"), &mut Heuristic, 3000, 8);
        assert!(won >= 7.0, "{won} of 8");
    }

    /// Whether the seat to move wins, by trying everything.
    fn wins(position: &Position) -> bool {
        let seat = position.to_move().unwrap();
        let mut search = AlphaBeta::new(|_: &Position, _: Seat| 0, 64, 1 << 20);
        let found = search.search(position, &Budget { depth: Some(64), ..Budget::default() });
        assert_ne!(found.value, 0, "{seat:?} wins or loses");
        found.value > 0
    }

    #[test]
    fn a_race_that_is_called_won_is_won() {
        let mut called = 0;
        for game in 0..300 {
            let mut rng = Seed(3).derive(game).rng();
            let mut position = Setup::parse("rows=6,cols=4").unwrap().start();
            while let Status::ToMove(seat) = position.status() {
                let value = Pawns.value(&position, seat);
                if value.abs() > LIMIT - 16 {
                    called += 1;
                    assert_eq!(wins(&position), value > 0, "{}", position.to_text());
                    assert_eq!(Pawns.value(&position, seat.next(2)), -value, "{}", position.to_text());
                }
                let mv = position.random_move(&mut rng).unwrap();
                position.play_unchecked(mv);
            }
        }
        assert!(called > 100, "{called} races");
    }
}
