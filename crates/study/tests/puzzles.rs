//! Puzzles have one answer.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;

use rookery_catalog::{Game, Visit, game, visit};
use rookery_players::{SolveOrder, Solved};
use rookery_rules::{Notation as _, PositionOf, Status};
use rookery_study::{Attempt, Grade, NoPuzzle, attempt, of_the_day, puzzle, puzzle_games};

/// The solution of a position, by the solver without any limit.
struct Solving<'a>(&'a str);

impl Visit for Solving<'_> {
    type Out = Solved;
    fn visit<G: Game>(self) -> Solved {
        let position = PositionOf::<G>::from_text(self.0).unwrap();
        (G::EXPERTISE.solve)(&position, &SolveOrder::default()).unwrap()
    }
}

#[test]
fn every_puzzle_has_exactly_one_winning_move_and_can_be_solved() {
    for name in puzzle_games() {
        let (mut seen, mut lengths) = (BTreeSet::new(), BTreeSet::new());
        for seed in 0..12 {
            let puzzle = puzzle(name, seed, None).unwrap();
            assert_eq!(puzzle, rookery_study::puzzle(name, seed, None).unwrap(), "a number names one puzzle");
            let solved = visit(name, Solving(&puzzle.position)).unwrap();
            let winner = solved.value.winner.unwrap();
            assert_eq!((winner.index(), solved.value.plies), (puzzle.seat, Some(puzzle.plies)));
            let winning: Vec<&String> = solved
                .first_moves
                .iter()
                .filter(|(_, value)| value.winner == Some(winner))
                .map(|(mv, _)| mv)
                .collect();
            assert_eq!(winning, [&puzzle.solution[0]], "{name} {seed}");
            // The way that is shown is a way, and leads to the end.
            let mut position = game(name).unwrap().position(&puzzle.position).unwrap();
            puzzle.solution.iter().for_each(|mv| position.play(mv).unwrap());
            assert!(position.moves().is_empty());
            assert_eq!(puzzle.solution.len(), puzzle.plies as usize);
            seen.insert(puzzle.position);
            lengths.insert(puzzle.plies);
        }
        assert!(seen.len() >= 9, "{name}: {} different puzzles of 12", seen.len());
        assert!(lengths.len() >= 2, "{name}: {lengths:?}");
    }
}

#[test]
fn a_puzzle_is_tried_move_by_move() {
    let puzzle = puzzle("hexapawn", 3, None).unwrap();
    let (mut position, mut tried) = (puzzle.position.clone(), 0);
    let mut won = visit("hexapawn", Solving(&position)).unwrap().line[0].clone();
    loop {
        match attempt("hexapawn", &position, &won).unwrap() {
            Attempt::Solved => break,
            Attempt::Right { position: next, .. } => position = next,
            Attempt::Wrong { .. } => panic!("{won} in {position}"),
        }
        won = visit("hexapawn", Solving(&position)).unwrap().line[0].clone();
        tried += 1;
        assert!(tried < 20);
    }
    let moves = game("hexapawn").unwrap().position(&puzzle.position).unwrap().moves();
    let other = moves.iter().find(|mv| **mv != puzzle.solution[0]).unwrap();
    assert!(matches!(attempt("hexapawn", &puzzle.position, other), Ok(Attempt::Wrong { .. })));
    assert!(attempt("hexapawn", &puzzle.position, "z9").is_err());
}

/// In Stones positions come back, so a wrong move may leave a draw, and what follows from it may be met in an order that takes
/// more memory than the puzzle itself.
#[test]
fn every_move_of_a_puzzle_of_stones_is_judged() {
    let (mut n_drawn, mut n_lost) = (0, 0);
    for seed in 0..12 {
        let puzzle = puzzle("stones", seed, None).unwrap();
        let position = game("stones").unwrap().position(&puzzle.position).unwrap();
        for mv in position.moves() {
            let mut after = position.boxed_clone();
            after.play(&mv).unwrap();
            match attempt("stones", &puzzle.position, &mv).unwrap() {
                Attempt::Wrong { reply } => {
                    assert_ne!(mv, puzzle.solution[0], "{seed}");
                    let is_played_on = reply.map(|reply| after.play(&reply).unwrap()).is_some();
                    n_lost += usize::from(is_played_on);
                    n_drawn += usize::from(!is_played_on && matches!(after.status(), Status::ToMove(_)));
                }
                Attempt::Right { .. } | Attempt::Solved => assert_eq!(mv, puzzle.solution[0], "{seed}"),
            }
        }
    }
    assert!(n_drawn > 0 && n_lost > 0, "{n_drawn} drawn and {n_lost} lost");
}

#[test]
fn grades_days_and_games_without_puzzles() {
    for (name, grades, seeds) in
        [("hexapawn", 1..=5, 1..=2), ("fish", 4..=5, 2..=2), ("stones", 1..=5, 1..=2)]
    {
        for grade in grades.filter_map(Grade::new) {
            let found: BTreeSet<String> = seeds
                .clone()
                .map(|seed| {
                    let puzzle = puzzle(name, seed, Some(grade)).unwrap();
                    assert_eq!(puzzle.grade, grade, "{name} {seed}");
                    puzzle.position
                })
                .collect();
            assert_eq!(found.len(), seeds.clone().count(), "{name}, grade {grade}: {found:?}");
        }
    }
    assert_ne!(of_the_day(20_000), of_the_day(20_001));
    assert!(matches!(puzzle("four", 1, None), Err(NoPuzzle::NoSolver(_))));
    assert!(matches!(puzzle("chess", 1, None), Err(NoPuzzle::Unknown(_))));
}
