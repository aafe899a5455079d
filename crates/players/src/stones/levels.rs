//! Players of Stones that search.

use rookery_games::stones::{Board, Move, Neighbours, Position, Tile};
use rookery_rules::Seat;
use rookery_search::{Analysis, Budget, Evaluation, Strategy};

use crate::Level;
use crate::levels::{Ladder, ladder};
use crate::strength::{Searcher, Strength, lines};

/// Takes a stone if it can, else the step after which its stones stand best; it does not ask what the others do then.
const GREEDY: Strength = Strength::new(2_000, 2, 0).with_depth(1);

/// The levels: positions, blur, overlooked moves. Two who see every exchange and judge stones right draw, so most levels
/// differ by how far their judgement is off, where a stone is worth a thousand.
const LEVELS: Ladder = ladder([
    (343, 1_239, 30),
    (393, 1_026, 12),
    (418, 945, 7),
    (457, 825, 2),
    (480, 740, 0),
    (500, 620, 0),
    (500, 550, 0),
    (1_500, 2, 0),
]);

/// Looks at its own move alone.
pub(crate) fn greedy() -> Box<dyn Strategy<Position>> {
    Box::new(Searcher::new(Judge { exchanges: false }, GREEDY))
}

/// Looks ahead, with exchanges played to their end.
pub(crate) fn alphabeta(strength: Strength) -> Box<dyn Strategy<Position>> {
    Box::new(Searcher::new(Judge { exchanges: true }, strength))
}

/// Does not think long where one stone is left against one, or where nothing was taken for long: the game is as good as
/// drawn, and that takes a thousand moves.
#[derive(Debug)]
struct Brief<S>(S);

/// So long, for each row and column of the board.
const QUIET: u32 = 4;
/// Positions that are enough then to see what is offered.
const BRIEF_NODES: u64 = 100;

impl<S: Strategy<Position>> Strategy<Position> for Brief<S> {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let board = position.board();
        let long = QUIET * (u32::from(board.rows()) + u32::from(board.cols()));
        let is_duel = position.playing().iter().all(|seat| board.count(seat) <= 1);
        let brief = budget.work.map_or(BRIEF_NODES, |work| work.min(BRIEF_NODES));
        let work = if is_duel || position.quiet() >= long { Some(brief) } else { budget.work };
        self.0.choose(position, &Budget { work, ..budget.clone() })
    }
}

/// One of the levels.
pub(crate) fn level(level: Level) -> Box<dyn Strategy<Position>> {
    Box::new(Brief(alphabeta(LEVELS[level.index()])))
}

/// The best moves of a position.
pub(crate) fn analyse(
    position: &Position,
    budget: &Budget,
    max_lines: usize,
    report: &mut dyn FnMut(&Analysis<Move>),
) {
    lines(Judge { exchanges: true }, position, budget, max_lines, report);
}

/// How well a seat stands in a random game that does not end.
pub(crate) fn judge(position: &Position, seat: Seat) -> i32 {
    Judge { exchanges: false }.value(position, seat)
}

/// The value with which three games of four are won.
pub(crate) const THREE_OF_FOUR: i32 = STONE;

/// How stones stand.
#[derive(Clone, Copy, Debug)]
struct Judge {
    /// Whether exchanges are played to their end.
    exchanges: bool,
}

/// What one stone is worth.
const STONE: i32 = 1000;
/// What having all the stones would be worth; so who has more gains by exchanges.
const SHARE: i32 = 6000;
/// What each pair of stones is worth that is not exchanged: one stone against one leads nowhere.
const TENSION: i32 = 50;

impl Evaluation<Position> for Judge {
    fn value(&self, position: &Position, seat: Seat) -> i32 {
        let board = position.board();
        let mut own = Stones::new();
        let mut enemies = Stones::new();
        let mut strongest = 0;
        for other in position.playing().iter() {
            if other == seat {
                board.stones(seat).for_each(|tile| own.push(tile));
            } else {
                board.stones(other).for_each(|tile| enemies.push(tile));
                strongest = strongest.max(board.count(other));
            }
        }
        let (n_own, n_enemies) = (own.len as i32, enemies.len as i32);
        if n_own == 0 {
            return -STONE * 500;
        }
        let material = STONE * (n_own - n_enemies) + SHARE * n_own / (n_own + n_enemies)
            - SHARE / position.playing().len().max(1) as i32
            + TENSION * n_own.min(n_enemies).min(8);
        // Who is ahead hunts, and who is not comes nearer all the same, so that games end.
        let hunt = if n_own >= strongest as i32 { 12 } else { 4 };
        let mut standing = 0;
        for &enemy in enemies.tiles() {
            let (nearest, second) = own.two_nearest(board, enemy);
            standing -= hunt * nearest + hunt / 3 * second;
            standing -= 2 * room(board, enemy);
        }
        for &tile in own.tiles() {
            standing += room(board, tile);
        }
        // Enemies together are not to weigh more than a stone, however many there are.
        let standing = standing.clamp(-STONE * 2 / 3, STONE * 2 / 3);
        material + standing
    }

    fn rank(&self, position: &Position, mv: Move) -> i32 {
        let board = position.board();
        let Some(hit) = board.get(mv.to) else { return 0 };
        // The last stones of a player first.
        100 - board.count(hit).min(50) as i32
    }

    fn is_loud(&self, position: &Position, mv: Move) -> bool {
        self.exchanges && position.board().get(mv.to).is_some()
    }

    fn three_of_four(&self) -> i32 {
        THREE_OF_FOUR
    }
}

/// How far a tile lies from the nearest edges: a stone in a corner is easily caught.
fn room(board: &Board, tile: Tile) -> i32 {
    let side = |at: u8, n: u8| i32::from(at.min(n - 1 - at)).min(2);
    side(tile.row, board.rows()) + side(tile.col, board.cols())
}

/// How many steps two tiles are apart.
fn steps(board: &Board, a: Tile, b: Tile) -> i32 {
    let (rows, cols) = (i32::from(a.row.abs_diff(b.row)), i32::from(a.col.abs_diff(b.col)));
    match board.adjacency() {
        Neighbours::Eight => rows.max(cols),
        Neighbours::Four => rows + cols,
    }
}

/// A list of tiles without allocation.
struct Stones {
    tiles: [Tile; 256],
    len: usize,
}

impl Stones {
    const fn new() -> Self {
        Self { tiles: [Tile::new(0, 0); 256], len: 0 }
    }

    fn push(&mut self, tile: Tile) {
        self.tiles[self.len] = tile;
        self.len += 1;
    }

    fn tiles(&self) -> &[Tile] {
        &self.tiles[..self.len]
    }

    /// The steps from the nearest stone to a tile, and from the second nearest; of one stone, twice.
    fn two_nearest(&self, board: &Board, tile: Tile) -> (i32, i32) {
        let mut nearest = (i32::MAX, i32::MAX);
        for &stone in self.tiles() {
            let steps = steps(board, stone, tile);
            if steps < nearest.0 {
                nearest = (steps, nearest.0);
            } else {
                nearest.1 = nearest.1.min(steps);
            }
        }
        if nearest.1 == i32::MAX { (nearest.0, nearest.0) } else { nearest }
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::stones::Setup;
    use rookery_rules::{Notation as _, Position as _, Seed, Setup as _, Status};

    use super::super::hunters::Aggressive;
    use super::*;

    /// Who wins alone; every move is checked by the rules.
    fn play(options: &str, seed: u64, players: &mut [Box<dyn Strategy<Position>>]) -> Option<usize> {
        let mut position = Setup::parse(options).unwrap().start();
        while let Some(seat) = position.to_move() {
            let seed = Seed(seed).derive(position.turn().into());
            // Much less than the level itself would search, to be quick.
            let budget = Budget { work: Some(500), seed, ..Budget::default() };
            let mv = players[seat.index()].choose(&position, &budget);
            position.play(mv).unwrap();
        }
        let Status::Over(outcome) = position.status() else { panic!("the game has an end") };
        let alone = outcome.winners.len() == 1;
        alone.then(|| outcome.winners.iter().next().unwrap().index())
    }

    fn player(number: usize) -> Box<dyn Strategy<Position>> {
        level(Level::ALL[number - 1])
    }

    #[test]
    fn strong_and_greedy_players_take_what_is_offered() {
        for mut player in [player(8), greedy()] {
            for seed in 0..10 {
                let budget = Budget { work: Some(2_000), seed: Seed(seed), ..Budget::default() };
                let last = Position::from_text("0 0...0/...../..1../.0.../.....").unwrap();
                assert_eq!(player.choose(&last, &budget).to_string(), "3.1-2.2");
                let offered = Position::from_text("0 0...0/...../1..../.0.../...1.").unwrap();
                assert_eq!(player.choose(&offered, &budget).to_string(), "3.1-2.0");
            }
        }
    }

    #[test]
    fn hard_beats_aggressive_from_both_seats() {
        for options in
            ["rows=5,cols=5,quiet=200", "rows=8,cols=8,quiet=200", "rows=6,cols=6,neighbours=4,quiet=200"]
        {
            for seed in 0..2 {
                assert_eq!(play(options, seed, &mut [player(8), Box::new(Aggressive)]), Some(0), "{options}");
                assert_eq!(play(options, seed, &mut [Box::new(Aggressive), player(8)]), Some(1), "{options}");
            }
        }
    }

    #[test]
    fn eight_players_and_odd_boards_do_not_confuse_it() {
        for options in [
            "rows=8,cols=8,players=8,stones=2,quiet=20",
            "rows=6,cols=6,players=4,layout=corners,quiet=20",
            "rows=2,cols=1",
            "rows=16,cols=16,quiet=4",
            "rows=16,cols=16,stones=128,layout=corners,quiet=3,max-turns=20",
        ] {
            let n_seats = Setup::parse(options).unwrap().start().n_seats();
            let mut players: Vec<_> = [8, 5, 2, 1].into_iter().cycle().take(n_seats).map(player).collect();
            play(options, 1, &mut players);
        }
    }
}
