//! The solver against known tables, against brute force, and against itself.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use rookery_games::{fish, hexapawn};
use rookery_rules::{Notation, Position, Seat, Seed, Setup, Solvable, Status, Worth};
use rookery_search::{
    Budget, First, Goal, Perfect, Refuted, Solution, Solver, SolverTable, Stop, Strategy, Unsolvable, Want,
};

fn hexapawn(rows: u8, cols: u8) -> hexapawn::Position {
    hexapawn::Setup { rows, cols, ..hexapawn::Setup::default() }.start()
}

fn solve<P: Solvable>(start: &P, threads: usize) -> (Solution<P::Move>, Solver<P>) {
    let mut solver = Solver::new(start, 1 << 28, threads).unwrap();
    let solution = solver.solve(Want::Moves, &Budget::default()).unwrap();
    (solution, solver)
}

/// Lengths with best play, and the worth of each first move from the first to the last column: W is a win, L a loss.
/// Found by enumerating every reachable position with another program.
const TABLE: &str = "
    3x3 L6  L4 L6 L4
    3x4 W5  W5 L6 L6 W5
    4x3 L8  L8 L6 L8
    3x5 W7  L6 L6 W7 L6 L6
    5x3 W11 W11 W11 W11
    3x6 L8  L8 L8 L8 L8 L8 L8
    6x3 L14 L14 L14 L14
    7x3 W19 L18 W19 L18
    8x3 L22 L22 L22 L22
    4x4 W11 W11 L12 L12 W11
    4x5 L14 L14 L14 L14 L14 L14
    5x4 L16 L16 L16 L16 L16
    5x5 W19 W21 W19 W19 W19 W21
    4x6 L16 L16 L16 L16 L16 L16 L16
    6x4 W21 W21 W21 W21 W21
    3x7 W9  L10 L10 L10 W9 L10 L10 L10
    3x8 W11 W11 L12 W11 L10 L10 W11 L12 W11";

fn worth(text: &str) -> Worth {
    let plies = text[1..].parse().unwrap();
    if text.starts_with('W') { Worth::win(plies) } else { Worth::loss(plies) }
}

#[test]
fn hexapawn_with_lengths_and_first_moves() {
    for line in TABLE.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let (rows, cols) = words.next().unwrap().split_once('x').unwrap();
        let start = hexapawn(rows.parse().unwrap(), cols.parse().unwrap());
        let length = worth(words.next().unwrap());
        let first_moves: Vec<Worth> = words.map(worth).collect();
        for threads in [1, 2] {
            let (solution, mut solver) = solve(&start, threads);
            assert_eq!(solution.worth, length, "{line}");
            assert_eq!(Some(solution.line.len() as u32), length.plies(), "{line}");
            // The game lists the last column first.
            let found: Vec<Worth> = solution.first_moves.iter().rev().map(|&(_, worth)| worth).collect();
            assert_eq!(found, first_moves, "{line}");
            assert!(solver.verify(&solution, &Budget::default()).is_ok(), "{line}");
            assert_eq!(solver.compared_bits(), None, "{line}");
        }
    }
}

#[test]
fn hexapawn_winners() {
    let rows = [
        (2, "SFFFFFFF"),
        (3, "FSSFFSFF"),
        (4, "SSSFSSFS"),
        (5, "FSFSFSFF"),
        (6, "SSSFFSS"),
        (7, "FSFSFF"),
        (8, "SSSFS"),
    ];
    for (n_rows, winners) in rows {
        for (cols, winner) in (1..).zip(winners.chars()) {
            let start = hexapawn(n_rows, cols);
            if start.to_move().is_none() {
                assert_eq!((n_rows, cols, winner), (2, 1, 'S'), "the first player is blocked");
                continue;
            }
            // Two threads have something to share on the larger boards only.
            let threads = if n_rows * cols < 35 { 1 } else { 2 };
            let mut solver = Solver::new(&start, 1 << 28, threads).unwrap();
            let solution = solver.solve(Want::Winner, &Budget::default()).unwrap();
            assert_eq!(solution.worth.is_win(), winner == 'F', "{n_rows}x{cols}");
            assert_eq!(solution.worth.is_loss(), winner == 'S', "{n_rows}x{cols}");
        }
    }
}

/// The worth to the seat to move by looking at everything. Remembers by text, which tells all positions apart.
fn brute<P: Notation>(position: &P, known: &mut HashMap<String, Worth>) -> Worth {
    let text = position.to_text();
    if let Some(&worth) = known.get(&text) {
        return worth;
    }
    let mover = position.to_move().unwrap();
    let worths = position.legal_moves().map(|mv| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        let worth = match child.status() {
            Status::Over(outcome) if outcome.winners.len() != 1 => Worth::DRAW,
            Status::Over(outcome) if outcome.winners.contains(mover) => Worth::win(0),
            Status::Over(_) => Worth::loss(0),
            Status::ToMove(next) if next == mover => brute(&child, known),
            Status::ToMove(_) => brute(&child, known).flip(),
        };
        worth.older()
    });
    let worth = worths.max().unwrap();
    known.insert(text, worth);
    worth
}

/// What is foreseen of the positions that `brute` met is true, and every so many of them have their worth for the
/// solver too.
fn check_all<P: Notation + Solvable>(start: &P, every: usize) {
    let mut known = HashMap::new();
    brute(start, &mut known);
    let mut texts: Vec<&String> = known.keys().collect();
    texts.sort_unstable();
    for text in &texts {
        let (low, high) = P::from_text(text).unwrap().foresee();
        assert!(low <= known[*text] && known[*text] <= high, "what is foreseen in {text}");
    }
    for text in texts.into_iter().step_by(every) {
        let position = P::from_text(text).unwrap();
        let mut solver = Solver::new(&position, 1 << 19, 1).unwrap();
        let solution = solver.solve(Want::Length, &Budget::default()).unwrap();
        assert_eq!(solution.worth, known[text], "{text}");
    }
}

#[test]
fn brute_force_on_small_boards() {
    for (rows, cols, every) in
        [(3, 3, 1), (3, 4, 1), (4, 3, 1), (5, 3, 3), (4, 4, 23), (5, 4, 151), (4, 5, 499)]
    {
        check_all(&hexapawn(rows, cols), every);
    }
    check_all(&hexapawn::Setup::parse("rows=3,cols=4,eliminate=choose").unwrap().start(), 3);
    for (options, every) in [
        ("rows=3,cols=3,fish=1", 7),
        ("rows=3,cols=3,fish=3", 7),
        ("rows=5,cols=2,seed=4", 29),
        ("rows=2,cols=5,seed=3,holes=1", 7),
    ] {
        check_all(&fish::Setup::parse(options).unwrap().start(), every);
    }
}

#[test]
fn codes_are_shared_by_symmetric_positions_only() {
    let mut known = HashMap::new();
    brute(&hexapawn(4, 4), &mut known);
    let mut by_code: HashMap<u128, (Worth, usize)> = HashMap::new();
    for (text, &worth) in &known {
        let position = hexapawn::Position::from_text(text).unwrap();
        let code = position.code();
        assert!(code >> position.code_bits() == 0, "{text}");
        let entry = by_code.entry(code).or_insert((worth, 0));
        assert_eq!(entry.0, worth, "{text}");
        entry.1 += 1;
    }
    assert!(
        by_code.values().all(|&(_, images)| images <= 4),
        "a board, its mirror image, and both with colours changed"
    );
    for (text, image) in [
        ("p1 1..1/.1../2.2./.2.2", "p1 1..1/..1./.2.2/2.2."),
        ("p1 1..1/.1../2.2./.2.2", "p2 .1.1/1.1./.2../2..2"),
    ] {
        let [text, image] = [text, image].map(|text| hexapawn::Position::from_text(text).unwrap());
        assert_eq!(text.code(), image.code());
    }
}

#[test]
fn a_solver_goes_on_where_it_was_stopped() {
    let start = hexapawn(5, 5);
    let (expected, fresh) = solve(&start, 1);
    let mut solver = Solver::new(&start, 1 << 28, 1).unwrap();
    let spent = Budget { work: Some(6000), ..Budget::default() };
    assert_eq!(solver.solve(Want::Moves, &spent), None);
    let mut file = vec![];
    solver.save(&mut file).unwrap();
    let mut resumed = Solver::load(&start, 1 << 28, 1, &mut file.as_slice()).unwrap().unwrap();
    assert!(resumed.entries() > 1000);
    assert_eq!(resumed.solve(Want::Moves, &Budget::default()).unwrap(), expected);
    assert!(resumed.progress().nodes() + 3000 < fresh.progress().nodes(), "it need not begin again");

    file[1000] ^= 1;
    assert!(Solver::load(&start, 1 << 28, 1, &mut file.as_slice()).is_err(), "a damaged file");
    assert!(Solver::load(&start, 1 << 28, 1, &mut &file[..500]).is_err(), "half a file");

    let stop = Stop::default();
    stop.set();
    let mut solver = Solver::new(&start, 1 << 28, 2).unwrap();
    assert_eq!(solver.solve(Want::Moves, &Budget { stop, ..Budget::default() }), None);
}

#[test]
fn little_memory_gives_the_same_values() {
    let mut solver = Solver::new(&hexapawn(5, 5), 1 << 16, 1).unwrap();
    let solution = solver.solve(Want::Moves, &Budget::default()).unwrap();
    assert_eq!(solution.worth, Worth::win(19));
    assert!(solver.bytes() <= 1 << 16);
}

#[test]
fn a_forged_value_is_found() {
    let start = hexapawn(4, 4);
    let (solution, mut solver) = solve(&start, 1);
    let budget = Budget::default();
    assert!(solver.verify(&solution, &budget).unwrap().positions > 100);
    for forged in [Worth::win(9), Worth::win(13), Worth::loss(12), Worth::DRAW] {
        let forged = Solution { worth: forged, ..solution.clone() };
        let refuted = solver.verify(&forged, &budget);
        assert!(matches!(refuted, Err(Refuted::At { .. })), "{} is not {refuted:?}", forged.worth);
    }
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let fish = |options| fish::Setup::parse(options).unwrap().start();
    assert_eq!(Solver::new(&fish("players=3"), 1 << 20, 1).err(), Some(Unsolvable::Seats(3)));
    assert!(matches!(Solver::new(&fish("rows=12,cols=10"), 1 << 20, 1).err(), Some(Unsolvable::TooLong(_))));
    let mut over = hexapawn(3, 3);
    over.remove(Seat::new(0));
    assert_eq!(Solver::new(&over, 1 << 20, 1).err(), Some(Unsolvable::Over));
}

#[test]
fn the_perfect_player_wins_what_is_won() {
    let mut rng = Seed(5).rng();
    let mut perfect = Perfect::new(First, Goal::Length, 1_000_000, 1 << 24);
    for (rows, cols, winner) in [(5, 5, 0), (4, 4, 0), (4, 5, 1), (3, 6, 1)] {
        for _ in 0..5 {
            let mut position = hexapawn(rows, cols);
            while let Some(mover) = position.to_move() {
                let mv = if mover.index() == winner {
                    perfect.choose(&position, &Budget::default())
                } else {
                    position.random_move(&mut rng).unwrap()
                };
                position.play_unchecked(mv);
            }
            let Status::Over(outcome) = position.status() else { unreachable!() };
            assert!(outcome.winners.contains(Seat::new(winner as u8)), "{rows}x{cols}");
        }
    }
    // Out of reach, it asks the other strategy.
    let start = hexapawn(8, 8);
    let budget = Budget { work: Some(2000), ..Budget::default() };
    assert_eq!(perfect.choose(&start, &budget), First.choose(&start, &budget));
}

/// On 4 x 7 two first moves win in 19 moves, and the first of the list is not one of them.
#[test]
fn a_perfect_player_with_a_table_knows_what_it_has_no_time_to_find_out() {
    static TABLE: OnceLock<Arc<SolverTable>> = OnceLock::new();

    let start = hexapawn(4, 7);
    let (solution, solver) = solve(&start, 1);
    let mut saved = vec![];
    solver.save(&mut saved).unwrap();
    let table = SolverTable::load(start.code_bits(), saved.len(), &mut saved.as_slice()).unwrap();
    TABLE.get_or_init(|| Arc::new(table));
    let budget = Budget::default();
    let hasty = || Perfect::new(First, Goal::Length, 1, 1 << 20);
    let first = First.choose(&start, &budget);
    assert_ne!(first, solution.line[0]);
    assert_eq!(hasty().choose(&start, &budget), first, "it leaves the answer to the other strategy");
    let mut knowing = hasty().with_tables(|_| TABLE.get().cloned());
    assert_eq!(knowing.choose(&start, &budget), solution.line[0]);

    let last = saved.len() - 9;
    saved[last] ^= 1;
    assert!(SolverTable::load(start.code_bits(), saved.len(), &mut saved.as_slice()).is_err());
    assert!(SolverTable::load(start.code_bits(), saved.len() / 2, &mut saved.as_slice()).is_err());
}
