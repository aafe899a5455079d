//! Players of Stones that search.

use rookery_games::stones::{Board, Move, Neighbours, Position, Tile};
use rookery_rules::{Keyed, Seat};
use rookery_search::{AlphaBeta, Budget, Evaluation, Strategy};

use crate::strength::{Blur, Strength};

/// Takes a stone if it can, else the step after which its stones stand best; it does not ask what the others do then.
pub(crate) const GREEDY: Strength = Strength::new(1, 2_000, 2);
/// Looks at its own move alone, with a poor eye for how stones stand.
pub(crate) const EASY: Strength = Strength::new(1, 2_000, 60);
/// Sees an answer and what can be taken after it, but now and then it does not look.
pub(crate) const MEDIUM: Strength = Strength::new(2, 20_000, 20).with_slips(15);
/// As deep as the budget goes.
pub(crate) const HARD: Strength = Strength::deep(60_000, 2);

/// Searches with exchanges played to their end.
#[derive(Debug)]
pub(crate) struct Searcher {
    level: Strength,
    search: AlphaBeta<Judge>,
}

impl Searcher {
    pub(crate) fn new(level: Strength) -> Self {
        let judge = Judge { blur: level.blur(), exchanges: false };
        Self { level, search: level.search(judge) }
    }
}

impl Strategy<Position> for Searcher {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let slips = self.level.slips(budget);
        let judge = self.search.evaluation_mut();
        judge.blur.seed = budget.seed;
        judge.exchanges = self.level.looks_ahead() && !slips;
        let mut budget = self.level.limit(budget);
        if slips {
            budget.depth = Some(1);
        }
        self.search.search(position, &budget).mv
    }
}

/// How stones stand.
#[derive(Clone, Copy, Debug)]
struct Judge {
    blur: Blur,
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
        let material = STONE * (n_own - n_enemies)
            + SHARE * n_own / (n_own + n_enemies)
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
        material + standing + self.blur.of(position.key())
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

    fn player(level: Strength) -> Box<dyn Strategy<Position>> {
        Box::new(Searcher::new(level))
    }

    #[test]
    fn every_level_takes_the_last_stone_and_what_is_offered() {
        for level in [GREEDY, EASY, MEDIUM, HARD] {
            for seed in 0..10 {
                let budget = Budget { work: Some(2_000), seed: Seed(seed), ..Budget::default() };
                let last = Position::from_text("0 0...0/...../..1../.0.../.....").unwrap();
                assert_eq!(Searcher::new(level).choose(&last, &budget).to_string(), "3.1-2.2", "{level:?}");
                let offered = Position::from_text("0 0...0/...../1..../.0.../...1.").unwrap();
                assert_eq!(
                    Searcher::new(level).choose(&offered, &budget).to_string(),
                    "3.1-2.0",
                    "{level:?}"
                );
            }
        }
    }

    #[test]
    fn hard_beats_aggressive_from_both_seats() {
        for options in
            ["rows=5,cols=5,quiet=200", "rows=8,cols=8,quiet=200", "rows=6,cols=6,neighbours=4,quiet=200"]
        {
            for seed in 0..2 {
                assert_eq!(
                    play(options, seed, &mut [player(HARD), Box::new(Aggressive)]),
                    Some(0),
                    "{options}"
                );
                assert_eq!(
                    play(options, seed, &mut [Box::new(Aggressive), player(HARD)]),
                    Some(1),
                    "{options}"
                );
            }
        }
    }

    #[test]
    fn every_level_beats_the_one_below() {
        for (strong, weak) in [(MEDIUM, EASY), (HARD, MEDIUM)] {
            let won = |seed| {
                let options = "rows=5,cols=5,quiet=300";
                let first = play(options, seed, &mut [player(strong), player(weak)]) == Some(0);
                let second = play(options, seed, &mut [player(weak), player(strong)]) == Some(1);
                usize::from(first) + usize::from(second)
            };
            let wins: usize = (0..5).map(won).sum();
            assert!(wins >= 8, "{strong:?} won only {wins} of 10 against {weak:?}");
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
            let mut players: Vec<_> =
                [HARD, MEDIUM, EASY, GREEDY].into_iter().cycle().take(n_seats).map(player).collect();
            play(options, 1, &mut players);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_answer() {
        let position = Setup::default().start();
        let budget = Budget { work: Some(3_000), seed: Seed(7), ..Budget::default() };
        let answers = [0, 1].map(|_| Searcher::new(HARD).choose(&position, &budget));
        assert_eq!(answers[0], answers[1]);
    }
}
