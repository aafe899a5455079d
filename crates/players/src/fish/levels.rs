//! The players of Fish that search.

use rookery_games::fish::{Cell, Move, Phase, Position, bits};
use rookery_rules::{Options, Position as _, Seat};
use rookery_search::{Analysis, Budget, Evaluation, Goal, Perfect, Strategy};

use super::endgame::undisturbed_move;
use super::floes::Floes;
use crate::Level;
use crate::care::{Alert, allows_loss};
use crate::levels::{Ladder, ladder};
use crate::strength::{Searcher, Strength, lines};

/// The most seats.
pub(super) const MAX_SEATS: usize = 4;
/// A fish in the net.
pub(super) const CAUGHT: i32 = 100;
/// A fish under a penguin that can still move: it is caught when the penguin leaves.
const UNDER_FOOT: i32 = 68;
/// A fish on a tile that a seat is nearer to than all others, step by step.
pub(super) const OWN_WATER: i32 = 42;
/// By the slides that a penguin has: how free it is. The first ones count most, more than the last changes nothing.
const FREEDOM: [i32; 13] = [0, 80, 113, 139, 160, 179, 196, 212, 226, 240, 253, 265, 277];
/// A penguin that is still to be placed: about what a good place is worth.
const TO_PLACE: i32 = 560;
/// To be on the move, by tiles that are still free, at most so many: near the end there is nothing to choose from.
const ON_THE_MOVE: i32 = 8;
const MANY_TILES: i32 = 20;

/// The value with which three games of four are won.
pub(super) const THREE_OF_FOUR: i32 = 560;

/// Fish in the net and under foot, how free the penguins are, and the fish that each seat is nearest to. The weights are
/// those that best tell won positions of the 5 x 5 board from lost ones, as the solver knows them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Territory;

impl Evaluation<Position> for Territory {
    fn value(&self, position: &Position, seat: Seat) -> i32 {
        lead(position, seat, worths(position))
    }

    fn rank(&self, position: &Position, mv: Move) -> i32 {
        appetite(position, mv)
    }

    fn three_of_four(&self) -> i32 {
        THREE_OF_FOUR
    }
}

/// How far a seat is ahead of the best of the others, and what it is worth to be on the move.
pub(super) fn lead(position: &Position, seat: Seat, worth: [i32; MAX_SEATS]) -> i32 {
    let others = Seat::all(position.n_seats()).filter(|&other| other != seat && !position.is_removed(other));
    let best_other = others.map(|other| worth[other.index()]).max().unwrap_or(0);
    let turn = ON_THE_MOVE * (position.free_tiles().count_ones() as i32).min(MANY_TILES);
    worth[seat.index()] - best_other + if position.to_move() == Some(seat) { turn } else { -turn }
}

/// Adds to each seat what it gains by the tiles that it is nearer to than all others. All penguins spread at the same time, one
/// step a round.
#[inline]
pub(super) fn spread(
    position: &Position,
    mut edges: [u128; MAX_SEATS],
    worth: &mut [i32; MAX_SEATS],
    gain: impl Fn(u128) -> i32,
) {
    let board = position.board();
    let n_seats = position.n_seats().min(MAX_SEATS);
    let mut open = position.free_tiles();
    while open != 0 {
        let mut next = [0; MAX_SEATS];
        let (mut reached, mut shared) = (0, 0);
        for (edge, next) in edges[..n_seats].iter().zip(&mut next) {
            *next = board.around(*edge) & open;
            shared |= reached & *next;
            reached |= *next;
        }
        if reached == 0 {
            break;
        }
        for (worth, next) in worth[..n_seats].iter_mut().zip(next) {
            *worth += gain(next & !shared);
        }
        open &= !reached;
        edges = next;
    }
}

/// What each seat has and may hope for.
fn worths(position: &Position) -> [i32; MAX_SEATS] {
    let board = position.board();
    let n_seats = position.n_seats().min(MAX_SEATS);
    let free = position.free_tiles();
    let mut worth = [0; MAX_SEATS];
    let mut edges = [0u128; MAX_SEATS];
    for seat in Seat::all(n_seats) {
        let penguins = position.penguin_tiles(seat);
        let mut value = position.score(seat) as i32 * CAUGHT + position.to_place(seat) as i32 * TO_PLACE;
        for bit in bits(penguins) {
            let slides = board.slides(bit, free).count_ones() as usize;
            if slides > 0 {
                value += UNDER_FOOT * i32::from(board.fish_at(bit)) + FREEDOM[slides.min(FREEDOM.len() - 1)];
            }
        }
        worth[seat.index()] = value;
        edges[seat.index()] = penguins;
    }
    let water = worth_of_water(position);
    let fish = |own: u128| water * bits(own).map(|bit| i32::from(board.fish_at(bit))).sum::<i32>();
    spread(position, edges, &mut worth, fish);
    worth
}

/// What a fish in own water is worth. While penguins are placed it is less, by how many the seat with the fewest has: who
/// alone has one would own the whole board.
pub(super) fn worth_of_water(position: &Position) -> i32 {
    let Some(each) = position.penguins_each() else { return OWN_WATER };
    let seats = Seat::all(position.n_seats()).filter(|&seat| !position.is_removed(seat));
    let fewest = seats.map(|seat| position.penguin_tiles(seat).count_ones()).min().unwrap_or(0);
    OWN_WATER * fewest as i32 / i32::from(each.max(1))
}

/// The number of a cell among the bits of a board.
fn bit(position: &Position, cell: Cell) -> u32 {
    u32::from(cell.row) * u32::from(position.board().cols()) + u32::from(cell.col)
}

/// How much a move promises at first sight.
#[inline]
pub(super) fn appetite(position: &Position, mv: Move) -> i32 {
    let board = position.board();
    match mv {
        Move::Slide { from, to } => {
            2 * i32::from(board.fish_at(bit(position, from)))
                + 3 * i32::from(board.fish_at(bit(position, to)))
        }
        Move::Place(cell) => {
            let bit = bit(position, cell);
            let reach = board.slides(bit, position.free_tiles());
            reach.count_ones() as i32 + 3 * i32::from(board.fish_at(bit))
        }
    }
}

/// A search, but exact as soon as nobody disturbs its penguins any more.
#[derive(Debug)]
struct Angler {
    searcher: Searcher<Position, Floes>,
    /// The most positions that the exact search looks at.
    max_nodes: u64,
}

impl Strategy<Position> for Angler {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        if position.phase() == Phase::Moving {
            // If it finds nothing there is still time for the other search.
            let half = budget.deadline.map(|deadline| {
                let now = std::time::Instant::now();
                now + deadline.saturating_duration_since(now) / 2
            });
            let exact = Budget { deadline: half, ..budget.clone() };
            // Where the game could go on instead of being lost at once, the other search looks for how.
            if let Some(mv) = undisturbed_move(position, self.max_nodes, &exact)
                && !allows_loss(position, mv)
            {
                return mv;
            }
        }
        // Blur is what makes the step from the level below; with a clock it is as strong as can be.
        let blur = if budget.deadline.is_some() { 0 } else { self.searcher.strength.blur };
        self.searcher.set_blur(blur);
        self.searcher.choose(position, budget)
    }
}

/// The move after which it has, and reaches first, the most fish.
const GREEDY: Strength = Strength::new(2_000, 0, 0).with_depth(1);

/// The levels: positions, blur, overlooked moves.
const LEVELS: Ladder = ladder([
    (10, 800, 880),
    (25, 345, 620),
    (43, 240, 500),
    (80, 140, 350),
    (500, 45, 140),
    (1_600, 21, 50),
    (6_200, 7, 10),
    (20_000, 10, 0),
]);

/// Positions that its search for exact paths looks at.
const PATHS: u64 = 20_000;
/// Positions that its solver looks at.
const SOLVER_NODES: u64 = 25_000;
/// With so many moves to go, or fewer, it may well be solved.
const IN_SIGHT: u64 = 18;
/// Memory for them.
const SOLVER_BYTES: usize = 16 << 20;

/// One of the levels.
pub(crate) fn level(level: Level) -> Box<dyn Strategy<Position>> {
    if level == Level::TOP {
        let searcher = Searcher::new(Floes, LEVELS[level.index()]);
        let angler = Angler { searcher, max_nodes: PATHS };
        let perfect = Perfect::new(angler, Goal::Result, SOLVER_NODES, SOLVER_BYTES);
        return Box::new(Alert(perfect.with_sight(IN_SIGHT)));
    }
    Box::new(Searcher::new(Territory, LEVELS[level.index()]))
}

/// The best moves of a position.
pub(crate) fn analyse(
    position: &Position,
    budget: &Budget,
    max_lines: usize,
    report: &mut dyn FnMut(&Analysis<Move>),
) {
    lines(Floes, position, budget, max_lines, report);
}

/// One of the players, by name.
pub(crate) fn strategy(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<Position>>> {
    Some(match name {
        "greedy" => Box::new(Searcher::new(Territory, GREEDY)),
        "alphabeta" => Box::new(Searcher::new(Territory, Strength::from_options(options))),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use rookery_games::fish::Setup;
    use rookery_rules::{Setup as _, Status};

    use super::*;
    use crate::fish::minimax::Minimax;
    use crate::strength::tests::{check_reproducible, points};

    fn player(name: &str) -> Box<dyn Strategy<Position>> {
        let player: crate::PlayerSpec = name.parse().unwrap();
        crate::strategy::<rookery_games::fish::Fish>(&crate::fish::EXPERTISE, &player).unwrap().0
    }

    #[test]
    fn every_level_is_legal_and_reproducible() {
        for options in ["rows=5,cols=5", "rows=4,cols=4,players=4", "rows=3,cols=3,holes=2,players=3"] {
            for name in ["greedy", "easy", "medium", "hard", "alphabeta"] {
                check_reproducible(&Setup::parse(options).unwrap().start(), || player(name), 40);
            }
        }
    }

    #[test]
    fn hard_beats_the_house_player_with_little_work() {
        let start = |seed| Setup::parse(&format!("rows=5,cols=5,fish=random,seed={seed}")).unwrap().start();
        let won = points(start, &mut *player("hard"), &mut Minimax { depth: 2 }, 500, 8);
        assert!(won >= 6.0, "{won} of 8");
    }

    #[test]
    fn greedy_beats_random() {
        let start = |seed| Setup::parse(&format!("rows=5,cols=5,fish=random,seed={seed}")).unwrap().start();
        let won = points(start, &mut *player("greedy"), &mut rookery_search::Random, 1, 20);
        assert!(won >= 15.0, "{won} of 20");
    }

    #[test]
    fn territory_counts_what_is_reached_first() {
        // Two lone penguins at the ends of a row of tiles: each reaches its half of it.
        let position: Position = rookery_rules::Notation::from_text("p1 1a/1/1/1/1/1b 0,0").unwrap();
        assert!(matches!(position.status(), Status::ToMove(_)));
        let value = |seat| Territory.value(&position, Seat::new(seat));
        assert_eq!(value(0), -value(1), "one's gain is the other's loss");
    }
}
