//! Searches against brute force: on random trees with extra turns and many seats, and on small boards of real games.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fmt;
use std::str::FromStr;

use rookery_games::{fish, hexapawn, renpaarden, stones};
use rookery_rules::{
    BySeat, Keyed, Notation, Outcome, ParseMoveError, Position, Seat, Seed, Setup, Status, below, mix,
};
use rookery_search::{AlphaBeta, Budget, Evaluation};

/// A position of a game that is nothing but a random tree: who moves, how many moves there are and how it ends all
/// follow from a hash of the moves so far. Seats often move twice in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Tree {
    hash: u64,
    plies_left: u8,
    n_seats: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Branch(u8);

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Branch {
    type Err = ParseMoveError;
    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        text.parse().map(Self).map_err(|_| ParseMoveError::new(text, "a number"))
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.hash)
    }
}

impl Position for Tree {
    type Move = Branch;

    fn n_seats(&self) -> usize {
        self.n_seats.into()
    }

    fn status(&self) -> Status {
        if self.plies_left == 0 {
            let scores = (0..u64::from(self.n_seats)).map(|seat| (mix(self.hash ^ seat) % 4) as i32);
            Status::Over(Outcome::by_score(scores.collect::<BySeat<i32>>()))
        } else {
            Status::ToMove(Seat::new((mix(self.hash ^ 0x77) % u64::from(self.n_seats)) as u8))
        }
    }

    fn legal_moves(&self) -> impl Iterator<Item = Branch> {
        let n = if self.plies_left == 0 { 0 } else { 1 + (mix(self.hash ^ 0x99) % 4) as u8 };
        (0..n).map(Branch)
    }

    fn play_unchecked(&mut self, mv: Branch) {
        self.hash = mix(self.hash ^ u64::from(mv.0 + 1));
        self.plies_left -= 1;
    }

    fn remove(&mut self, _: Seat) {}

    fn max_plies(&self) -> u64 {
        self.plies_left.into()
    }
}

impl Keyed for Tree {
    fn key(&self) -> u64 {
        self.hash
    }
    fn full_key(&self) -> u64 {
        self.hash
    }
}

/// Any number that a position and a seat determine, far from the limits.
fn evaluation<P: Keyed>(position: &P, seat: Seat) -> i32 {
    (mix(position.key() ^ mix(seat.index() as u64)) % 2001) as i32 - 1000
}

/// The value for `seat` by looking at everything; wins and losses without their distance.
fn brute<P: Keyed>(position: &P, seat: Seat, depth: u32) -> i32 {
    let mover = match position.status() {
        Status::Over(outcome) => {
            return match (outcome.winners.contains(seat), outcome.winners.len()) {
                (true, 1) => 3_000_000,
                (true, _) => 0,
                (false, _) => -3_000_000,
            };
        }
        Status::ToMove(mover) => mover,
    };
    if depth == 0 {
        return evaluation(position, seat);
    }
    let values = position.legal_moves().map(|mv| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        brute(&child, seat, depth - 1)
    });
    if mover == seat { values.max().unwrap() } else { values.min().unwrap() }
}

/// A value with the distance to a win or a loss taken out.
fn plain(value: i32) -> i32 {
    if value.abs() > rookery_search::LIMIT { value.signum() * 3_000_000 } else { value }
}

fn check<P: Keyed>(position: &P, depth: u32, context: &str) {
    let Some(seat) = position.to_move() else { return };
    let mut search = AlphaBeta::new(evaluation::<P>, depth, 1 << 20);
    let found = search.search(position, &Budget { depth: Some(depth), ..Budget::default() });
    assert_eq!(
        plain(found.value),
        brute(position, seat, found.depth),
        "value of {position} at depth {depth}, {context}"
    );
    let mut child = position.clone();
    child.play(found.mv).unwrap();
    assert_eq!(
        plain(found.value),
        brute(&child, seat, found.depth - 1),
        "the move {} has the value, {context}",
        found.mv
    );
}

#[test]
fn lines_have_the_values_of_the_best_moves_in_order() {
    for number in 0..600 {
        let tree = Tree { hash: mix(number), plies_left: 6, n_seats: 2 + (number % 3) as u8 };
        let seat = tree.to_move().unwrap();
        for (depth, max_lines) in [(2, 3), (4, 2), (7, 4)] {
            let budget = Budget { depth: Some(depth), ..Budget::default() };
            let mut reports = vec![];
            AlphaBeta::new(evaluation::<Tree>, depth, 1 << 16).lines(
                &tree,
                &budget,
                max_lines,
                &mut |analysis| reports.push(analysis.clone()),
            );
            let last = reports.last().unwrap();
            assert_eq!(reports.iter().filter(|report| report.done).count(), 1);
            let n_seats = i32::from(tree.n_seats);
            let all: i32 = tree.playing().iter().map(|seat| evaluation(&tree, seat)).sum();
            let common = if n_seats > 2 { all / n_seats } else { 0 };
            let share = |mv| {
                let mut child = tree.clone();
                child.play_unchecked(mv);
                let value = brute(&child, seat, last.depth - 1);
                if value.abs() > rookery_search::LIMIT {
                    return if value > 0 { 1.0 } else { 0.0 };
                }
                1.0 / (1.0 + (n_seats - 1) as f32 * 3f32.powf(-(value - common) as f32 / 200.0))
            };
            let mut expected: Vec<f32> = tree.legal_moves().map(share).collect();
            expected.sort_by(|a, b| b.total_cmp(a));
            expected.truncate(max_lines);
            assert_eq!(last.lines.len(), expected.len());
            for (line, expected) in last.lines.iter().zip(expected) {
                let context = format!("tree {number}, {line:?}, depth {depth}");
                assert!((line.value - expected).abs() < 1e-4, "{expected}: {context}");
                assert!((share(line.moves[0]) - expected).abs() < 1e-4, "{context}");
                assert_eq!(line.proven, line.plies.is_some(), "{context}");
                // With several others a loss needs all of them to want it, unless the game is over.
                let is_open = n_seats > 2 && line.plies != Some(1);
                assert!(!(line.proven && is_open && line.value <= 0.0), "{context}");
                let mut position = tree.clone();
                for &mv in &line.moves {
                    position.play(mv).unwrap();
                }
                assert!(line.plies.is_none_or(|plies| plies as usize >= line.moves.len()), "{context}");
            }
        }
    }
}

/// Reduced searches may be wrong about a value, never about a win or a loss.
#[test]
fn what_a_reducing_search_calls_won_or_lost_is() {
    let mut called = 0;
    for number in 0..400 {
        let mut position = hexapawn::Setup::parse("rows=4,cols=4").unwrap().start();
        let mut rng = Seed(number).rng();
        for _ in 0..number % 8 {
            let Some(mv) = position.random_move(&mut rng) else { break };
            position.play_unchecked(mv);
        }
        let Some(seat) = position.to_move() else { continue };
        let budget = Budget { depth: Some(8), ..Budget::default() };
        let found = AlphaBeta::new(evaluation, 8, 1 << 16).reducing().search(&position, &budget);
        if found.value.abs() > rookery_search::LIMIT {
            called += 1;
            let mut child = position.clone();
            child.play(found.mv).unwrap();
            assert_eq!(brute(&child, seat, 40).signum(), found.value.signum(), "{}", position.to_text());
        }
    }
    assert!(called > 100, "{called} results");
}

#[test]
fn several_threads_find_the_same_win() {
    let position = hexapawn::Setup::parse("rows=4,cols=5").unwrap().start();
    let search = |threads| {
        let deadline = Some(std::time::Instant::now() + std::time::Duration::from_mins(2));
        let budget = Budget { deadline, threads, ..Budget::default() };
        AlphaBeta::new(|_: &hexapawn::Position, _: Seat| 0, 64, 1 << 20).search(&position, &budget)
    };
    let (alone, together) = (search(1), search(4));
    assert!(alone.value.abs() > rookery_search::LIMIT);
    assert_eq!(alone.value.signum(), together.value.signum());
}

#[test]
fn random_trees_with_extra_turns_and_many_seats() {
    for n_seats in 2..=8 {
        for number in 0..400 {
            let hash = mix(number * 8 + u64::from(n_seats));
            for depth in [3, 6] {
                check(
                    &Tree { hash, plies_left: 5, n_seats },
                    depth,
                    &format!("tree {number} with {n_seats} seats"),
                );
            }
        }
    }
}

/// The same evaluation, with every third move loud and all moves in an order of their own.
struct WithLoudMoves;

impl Evaluation<Tree> for WithLoudMoves {
    fn value(&self, position: &Tree, seat: Seat) -> i32 {
        evaluation(position, seat)
    }

    fn rank(&self, position: &Tree, mv: Branch) -> i32 {
        (mix(position.hash ^ mix(u64::from(mv.0))) % 100) as i32
    }

    fn is_loud(&self, position: &Tree, mv: Branch) -> bool {
        mix(position.hash ^ u64::from(mv.0)).is_multiple_of(3)
    }
}

/// The value with loud moves looked at beyond the depth.
fn brute_with_loud(position: &Tree, seat: Seat, depth: u32) -> i32 {
    let Status::ToMove(mover) = position.status() else { return brute(position, seat, 0) };
    let stand = (depth == 0).then(|| evaluation(position, seat));
    let looked_at = position.legal_moves().filter(|&mv| depth > 0 || WithLoudMoves.is_loud(position, mv));
    let values = looked_at.map(|mv| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        brute_with_loud(&child, seat, depth.saturating_sub(1))
    });
    let values = values.chain(stand);
    if mover == seat { values.max().unwrap() } else { values.min().unwrap() }
}

#[test]
fn loud_moves_beyond_the_depth() {
    for number in 0..600 {
        let n_seats = 2 + (number % 3) as u8;
        let tree = Tree { hash: mix(number), plies_left: 6, n_seats };
        let seat = tree.to_move().unwrap();
        for depth in 1..=3 {
            let budget = Budget { depth: Some(depth), ..Budget::default() };
            let found = AlphaBeta::new(WithLoudMoves, depth, 1 << 16).search(&tree, &budget);
            let expected = brute_with_loud(&tree, seat, found.depth);
            assert_eq!(plain(found.value), expected, "tree {number} at depth {depth}");
        }
    }
}

/// Positions on the way of random games, with removed seats in every third game.
fn check_game<S: Setup<Position: Keyed + Notation>>(options: &str, n_games: u64, depth: u32) {
    let setup = S::parse(options).unwrap();
    for game in 0..n_games {
        let mut rng = Seed(11).derive(game).rng();
        let mut position = setup.start();
        for _ in 0..40 {
            let Some(mv) = position.random_move(&mut rng) else { break };
            check(&position, depth, &position.to_text());
            if game % 3 == 2 && below(&mut rng, 8) == 0 {
                position.remove(Seat::new(below(&mut rng, position.n_seats() as u32) as u8));
            } else {
                position.play_unchecked(mv);
            }
        }
    }
}

#[test]
fn small_boards_of_hexapawn() {
    check_game::<hexapawn::Setup>("rows=3,cols=3", 20, 7);
    check_game::<hexapawn::Setup>("rows=4,cols=3,eliminate=choose", 10, 5);
}

#[test]
fn small_boards_of_fish() {
    check_game::<fish::Setup>("rows=3,cols=2,holes=1", 10, 4);
    check_game::<fish::Setup>("rows=4,cols=2,players=4", 6, 4);
}

#[test]
fn small_boards_of_stones() {
    check_game::<stones::Setup>("rows=3,cols=2", 8, 4);
    check_game::<stones::Setup>("rows=3,cols=3,players=3,stones=2", 4, 3);
}

#[test]
fn small_boards_of_renpaarden() {
    // A chain that returns reaches the same position at another depth, where the table may know a deeper value.
    check_game::<renpaarden::Setup>("width=3,height=5,revisit=no", 4, 3);
}
