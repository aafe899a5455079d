//! Taking moves back restores everything, in every game.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Table, every_game, ms};
use rookery_referee::{Clock, Event, Fault, MAX_TAKE_BACKS, MatchSpec, Offence, Referee};
use rookery_rules::{Position, Seat, Seats, Seed, below};

/// Everything of a referee that a take-back concerns.
#[derive(Clone, PartialEq, Debug)]
struct Stands<P> {
    position: P,
    clock: Clock,
    removed: Seats,
    out: Seats,
    plies: u64,
    to_ask: Option<Seat>,
}

fn stands<P: Position>(referee: &Referee<P>) -> Stands<P> {
    Stands {
        position: referee.position().clone(),
        clock: referee.clock().clone(),
        removed: referee.removed(),
        out: referee.out(),
        plies: referee.plies(),
        to_ask: referee.to_ask(),
    }
}

fn casual(n_seats: usize, time: &str, conduct: &str) -> MatchSpec {
    let spec = MatchSpec::new("test", std::iter::repeat_n("human", n_seats), Seed(1)).unwrap();
    MatchSpec { casual: true, time: time.parse().unwrap(), conduct: conduct.parse().unwrap(), ..spec }
}

/// Random play with refusals, removals and take-backs; each of these leads to where the match stood before.
#[tokio::test]
async fn everything_is_as_it_was() {
    async fn check<S: Table>(options: &str) {
        let start = S::table(options).start();
        let (mut n_taken_back, mut n_restored) = (0, 0);
        for (seed, time) in (0..40).zip(["untimed", "10m+1s", "1m/10m", "1m"].into_iter().cycle()) {
            let mut rng = Seed(seed).rng();
            let spec = casual(start.n_seats(), time, "remove,retry=2");
            let mut referee = Referee::of_spec(&spec, start.clone());
            // Before each move, and who made it.
            let mut past: Vec<(Stands<S::Position>, Seat)> = vec![];
            while let Some(seat) = referee.to_ask() {
                let used = (time != "untimed").then(|| ms(u64::from(below(&mut rng, 900))));
                match below(&mut rng, 16) {
                    0 => drop(referee.judge(Err(Fault::new(Offence::Malformed, "?").into()), used)),
                    1 if start.n_seats() > 2 && referee.removed().is_empty() => {
                        let other = Seat::new(below(&mut rng, start.n_seats() as u32) as u8);
                        referee.foul(other, Fault::new(Offence::Disconnected, "gone"));
                    }
                    2..5 if !past.is_empty() && n_taken_back < 400 => {
                        let to = below(&mut rng, past.len() as u32) as usize;
                        let (before, mover) = past[to].clone();
                        let other = Seat::new((mover.index() as u8 + 1) % start.n_seats() as u8);
                        assert_eq!(referee.take_back(other, to as u64), None, "it was not its decision");
                        assert_eq!(referee.take_back(mover, past.len() as u64), None, "nothing to take back");
                        n_restored += u32::from(before.removed != referee.removed());
                        let event = referee.take_back(mover, to as u64);
                        assert_eq!(event, Some(Event::TakenBack { seat: mover, to: to as u64 }));
                        assert_eq!(stands(&referee), before, "{options} {seed}");
                        assert_eq!(referee.refused(), 0, "and it has all its retries again");
                        past.truncate(to);
                        n_taken_back += 1;
                    }
                    _ => {
                        past.push((stands(&referee), seat));
                        let mv = referee.position().random_move(&mut rng).unwrap();
                        assert!(matches!(referee.judge(Ok(mv), used), Some(Event::Moved { .. })));
                    }
                }
            }
            let verdict = referee.verdict().unwrap();
            assert_eq!(verdict.plies, past.len() as u64);
            let told: Seats = verdict.removed.iter().filter_map(|ending| ending.seat).collect();
            assert_eq!(told, referee.removed(), "a removal that was taken back is none");
            assert_eq!(referee.take_back(Seat::new(0), 0), None, "a verdict is final");
        }
        assert!(n_taken_back > 50, "{options}: {n_taken_back}");
        assert!(start.n_seats() == 2 || n_restored > 0, "{options}: removals are taken back");
    }
    every_game!(check);
}

#[test]
fn not_in_a_match_for_points_and_not_for_ever() {
    let start = rookery_games::hexapawn::Setup::table("rows=3,cols=3");
    let start = rookery_rules::Setup::start(&start);
    let first = start.legal_moves().next().unwrap();
    let spec = casual(2, "untimed", "remove");
    let mut strict = Referee::of_spec(&MatchSpec { casual: false, ..spec.clone() }, start.clone());
    strict.judge(Ok(first), None);
    assert_eq!(strict.take_back(Seat::new(0), 0), None);

    let mut referee = Referee::of_spec(&spec, start);
    for done in 0..=MAX_TAKE_BACKS {
        referee.judge(Ok(first), None);
        assert_eq!(referee.take_backs(), done);
        assert_eq!(referee.take_back(Seat::new(0), 0).is_some(), done < MAX_TAKE_BACKS);
    }
    assert_eq!((referee.plies(), MAX_TAKE_BACKS), (1, 1000));
}
