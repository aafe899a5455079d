//! Games in which positions come back, against a slow solver that counts moves down.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::HashMap;

use rookery_games::{renpaarden, stones};
use rookery_rules::{Notation, Position as _, Recurring, Seat, Seed, Setup, Status};
use rookery_search::{Arrangements, Budget, Fate, NotSolved, Progress, Stop, Unsolvable};

fn solve<P: Recurring>(start: &P) -> Result<Arrangements<P>, NotSolved> {
    Arrangements::solve(start, 1 << 30, &Budget::default(), &Progress::default())
}

/// Whether a seat can force a win within so many moves, by trying everything.
fn can_win<P: Recurring>(
    position: &P,
    seat: Seat,
    plies: u32,
    known: &mut HashMap<(u64, u32), bool>,
) -> bool {
    let mover = match position.status() {
        Status::Over(outcome) => return outcome.winners.len() == 1 && outcome.winners.contains(seat),
        Status::ToMove(mover) => mover,
    };
    if plies == 0 {
        return false;
    }
    if let Some(&known) = known.get(&(position.key(), plies)) {
        return known;
    }
    let mut wins = position.legal_moves().map(|mv| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        can_win(&child, seat, plies - 1, known)
    });
    let won = if mover == seat { wins.any(|won| won) } else { wins.all(|won| won) };
    known.insert((position.key(), plies), won);
    won
}

/// The fate agrees with brute force up to some length, and the line has the length and the winner it says.
fn check<P: Recurring>(start: &P, depth: u32) -> Fate {
    let found = solve(start).unwrap();
    let fate = found.fate(start).unwrap();
    assert_eq!(found.verify(&Stop::default()).unwrap(), found.len() as u64);
    for seat in Seat::all(2) {
        let mut known = HashMap::new();
        let shortest = (1..=depth).find(|&plies| can_win(start, seat, plies, &mut known));
        let expected = match fate {
            Fate::Won(winner, plies) if winner == seat && plies <= depth => Some(plies),
            _ => None,
        };
        assert_eq!(shortest, expected, "{start}");
    }
    let mut position = start.clone();
    for mv in found.line(start) {
        position.play(mv).unwrap();
    }
    if let Fate::Won(winner, plies) = fate {
        assert_eq!(found.line(start).len() as u32, plies);
        let Status::Over(outcome) = position.status() else { panic!("the line goes to the end") };
        assert!(outcome.winners.contains(winner) && outcome.winners.len() == 1);
    }
    let best = found.first_moves(start).into_iter().filter(|&(_, first)| first == fate).count();
    assert!(best > 0, "some first move keeps what the position is worth");
    fate
}

#[test]
fn small_boards_of_stones() {
    let mut wins = 0;
    for options in [
        "rows=2,cols=2",
        "rows=3,cols=2",
        "rows=3,cols=3,stones=1",
        "rows=4,cols=2,stones=1",
        "rows=3,cols=3,stones=2",
    ] {
        let fate = check(&stones::Setup::parse(options).unwrap().start(), 12);
        wins += u32::from(fate != Fate::Drawn);
    }
    assert!(wins > 0, "some are won");
    for text in ["0 0../.../..1", "1 00./.../..1", "0 00../..../..1.", "0 0.0/.../1.."] {
        check(&stones::Position::from_text(text).unwrap(), 14);
    }
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let stones = |options| stones::Setup::parse(options).unwrap().start();
    assert_eq!(
        solve(&stones("rows=3,cols=3,players=3")).err(),
        Some(NotSolved::Unsolvable(Unsolvable::Seats(3)))
    );
    let all =
        Arrangements::solve(&stones("rows=8,cols=8"), 1 << 20, &Budget::default(), &Progress::default());
    assert!(matches!(all.err(), Some(NotSolved::TooMany(_))));
    let start = renpaarden::Setup::parse("width=3,height=5").unwrap().start();
    let all = Arrangements::solve(&start, 1 << 22, &Budget::default(), &Progress::default());
    assert!(matches!(all.err(), Some(NotSolved::TooMany(_))));
    let stop = Stop::default();
    stop.set();
    let stopped = Budget { stop, ..Budget::default() };
    let all = Arrangements::solve(&stones("rows=3,cols=3"), 1 << 24, &stopped, &Progress::default());
    assert_eq!(all.err(), Some(NotSolved::Stopped));
    let repetition = renpaarden::Setup::parse("width=3,height=5,repetition=3").unwrap().start();
    assert_eq!(solve(&repetition).err(), Some(NotSolved::Capped));
}

/// A board of which 13,064 arrangements are not over.
#[test]
fn no_more_is_listed_than_the_work_allows() {
    let start = stones::Setup::parse("rows=3,cols=3").unwrap().start();
    let solve = |work| {
        let progress = Progress::default();
        let budget = Budget { work: Some(work), ..Budget::default() };
        (Arrangements::solve(&start, 1 << 30, &budget, &progress), progress.nodes())
    };
    let (found, nodes) = solve(13_064);
    assert!(found.is_ok());
    assert_eq!(nodes, 13_064);
    let (found, nodes) = solve(5_000);
    assert_eq!((found.err(), nodes), (Some(NotSolved::Stopped), 5_000));
}

/// What was listed from the start answers for every position of a game as if it was listed from there.
#[test]
fn a_list_answers_for_all_positions_that_come_later() {
    let mut position = stones::Setup::parse("rows=3,cols=3").unwrap().start();
    let all = solve(&position).unwrap();
    let mut rng = Seed(4).rng();
    let mut n_won = 0;
    for _ in 0..12 {
        let Some(mv) = position.random_move(&mut rng) else { break };
        position.play(mv).unwrap();
        if position.to_move().is_none() {
            break;
        }
        let later = solve(&position).unwrap();
        assert_eq!(all.fate(&position), later.fate(&position), "{position}");
        assert_eq!(all.first_moves(&position), later.first_moves(&position), "{position}");
        assert_eq!(all.line(&position), later.line(&position), "{position}");
        n_won += usize::from(matches!(later.fate(&position), Some(Fate::Won(..))));
    }
    assert!(n_won >= 3, "{n_won} positions are won");
}
