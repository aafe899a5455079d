//! What runs when: room, entrants who play one game at a time, draining, and formats that are wrong.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::collections::BTreeSet;

use common::{pick, pick_out, result_of};
use rookery_referee::Cause;
use rookery_rules::{Outcome, Seed};
use rookery_tournament::{
    Entrant, Format, FormatOptions, GameResult, KnockOut, Next, Pairing, Reason, RoundRobin, ScheduleError,
    Scheduler, Series,
};

/// Everybody plays everybody once, in whatever order they can.
#[derive(Clone, Debug)]
struct AllPairs {
    n_entrants: u32,
    next: u64,
    n_taken: u64,
}

impl AllPairs {
    const fn new(n_entrants: u32) -> Self {
        Self { n_entrants, next: 0, n_taken: 0 }
    }

    fn pairs(&self) -> Vec<[Entrant; 2]> {
        let n = self.n_entrants;
        (0..n).flat_map(|one| (one + 1..n).map(move |other| [Entrant(one), Entrant(other)])).collect()
    }
}

impl Format for AllPairs {
    fn n_entrants(&self) -> usize {
        self.n_entrants as usize
    }

    fn take(&mut self, _: &GameResult) {
        self.n_taken += 1;
    }

    fn leave(&mut self, _: Entrant) {}

    fn next(&mut self, room: usize) -> Next {
        let pairs = self.pairs();
        if self.n_taken == pairs.len() as u64 {
            return Next::End;
        }
        let given: Vec<Pairing> = (self.next..)
            .zip(&pairs[self.next as usize..])
            .take(room)
            .map(|(id, pair)| Pairing {
                id,
                entrants: pair.to_vec(),
                block: id,
                start: id,
                round: None,
                reason: Reason::Group { round: 1, table: 1, of: 1 },
            })
            .collect();
        self.next += given.len() as u64;
        if given.is_empty() { Next::Wait } else { Next::Play(given) }
    }
}

/// Runs to the end; checks the room and the exclusive ones all the way. Gives back the ids in the order of their begin,
/// and the most that ran at a time.
fn run<F: Format>(
    mut scheduler: Scheduler<F>,
    room: usize,
    exclusive: &BTreeSet<Entrant>,
    seed: Seed,
) -> (Vec<u64>, usize) {
    let rng = &mut seed.rng();
    let (mut running, mut begun, mut most): (Vec<Pairing>, Vec<u64>, usize) = (vec![], vec![], 0);
    loop {
        for pairing in scheduler.ready().unwrap() {
            begun.push(pairing.id);
            running.push(pairing);
        }
        assert!(running.len() <= room);
        assert!(scheduler.running().all(|pairing| running.contains(pairing)));
        assert_eq!(scheduler.running().len(), running.len());
        let mut busy = BTreeSet::new();
        for entrant in running.iter().flat_map(|pairing| &pairing.entrants) {
            assert!(busy.insert(entrant) || !exclusive.contains(entrant), "{entrant:?} plays twice");
        }
        most = most.max(running.len());
        if scheduler.is_over() {
            assert!(scheduler.is_complete());
            return (begun, most);
        }
        scheduler.finished(&result_of(&pick_out(rng, &mut running), seed)).unwrap();
    }
}

#[test]
fn everything_is_played_within_the_room_and_one_at_a_time_by_the_exclusive() {
    for seed in 0..200 {
        let rng = &mut Seed(seed).derive(9).rng();
        let n = 2 + pick(rng, 7);
        let room = 1 + pick(rng, 6);
        let exclusive: BTreeSet<Entrant> = Entrant::all(n).filter(|_| pick(rng, 2) == 0).collect();
        let scheduler = Scheduler::new(AllPairs::new(n as u32), room).with_exclusive(exclusive.clone());
        let (mut begun, _) = run(scheduler, room, &exclusive, Seed(seed));
        begun.sort_unstable();
        assert!(begun.into_iter().eq(0..(n * (n - 1) / 2) as u64));

        let series = Series::new(n, 30);
        let games = series.games();
        let scheduler = Scheduler::new(series, room).with_exclusive(exclusive.clone());
        let (begun, most) = run(scheduler, room, &exclusive, Seed(seed));
        assert!(begun.into_iter().eq(0..games), "a series is played in order");
        assert_eq!(most, if exclusive.is_empty() { room } else { 1 });

        let everybody = Entrant::all(60).collect();
        let scheduler = Scheduler::new(KnockOut::new(60), room).with_exclusive(Entrant::all(60));
        let (_, most) = run(scheduler, room, &everybody, Seed(seed));
        assert_eq!(most, room, "tables of a round do not wait for each other");
    }
}

#[test]
fn others_play_while_a_pairing_waits() {
    let everybody = || Entrant::all(4);
    let mut scheduler = Scheduler::new(AllPairs::new(4), 2).with_exclusive(everybody());
    // 0 plays 1; 0-2 and 0-3 wait, and are all that is looked at.
    let first = scheduler.ready().unwrap();
    assert_eq!(first.len(), 1);
    let mut wide = Scheduler::new(AllPairs::new(4), 6).with_exclusive(everybody());
    let ids: Vec<u64> = wide.ready().unwrap().iter().map(|pairing| pairing.id).collect();
    assert_eq!(ids, [0, 5], "0-1 and 2-3");
    assert_eq!(wide.ready().unwrap(), [], "nothing has changed");
}

#[test]
fn without_room_there_is_room_for_one() {
    assert_eq!(Scheduler::new(Series::new(2, 4), 0).ready().unwrap().len(), 1);
}

#[test]
fn nothing_begins_while_it_drains() {
    let mut scheduler = Scheduler::new(Series::new(2, 8), 3).with_exclusive([Entrant(0)]);
    let running = scheduler.ready().unwrap();
    assert_eq!(running.len(), 1, "the others wait for the first player");
    scheduler.drain();
    assert!(scheduler.is_draining() && !scheduler.is_over());
    assert_eq!(scheduler.ready().unwrap(), []);
    scheduler.finished(&result_of(&running[0], Seed(0))).unwrap();
    assert_eq!(scheduler.ready().unwrap(), []);
    assert!(scheduler.is_over() && !scheduler.is_complete());
}

#[test]
fn a_drain_after_the_last_game_changes_nothing() {
    let mut scheduler = Scheduler::new(Series::new(2, 2), 2);
    for pairing in scheduler.ready().unwrap() {
        scheduler.finished(&result_of(&pairing, Seed(0))).unwrap();
    }
    scheduler.drain();
    assert_eq!(scheduler.ready().unwrap(), []);
    assert!(scheduler.is_over() && scheduler.is_complete());
}

#[test]
fn who_leaves_a_series_ends_it_when_the_running_games_have_ended() {
    let mut scheduler = Scheduler::new(Series::new(2, 100), 3).with_exclusive([Entrant(1)]);
    let running = scheduler.ready().unwrap();
    assert_eq!(running.len(), 1);
    scheduler.leave(Entrant(1));
    scheduler.leave(Entrant(77));
    assert_eq!(scheduler.ready().unwrap(), []);
    assert!(!scheduler.is_over(), "a game is running");
    scheduler.finished(&result_of(&running[0], Seed(0))).unwrap();
    assert_eq!(scheduler.ready().unwrap(), [], "the games that waited are not needed any more");
    assert!(scheduler.is_over());
    assert_eq!(scheduler.present(), [Entrant(0)]);
    assert!(scheduler.failed_or_left().eq([Entrant(1)]));
}

#[test]
fn a_format_that_waits_for_nothing_is_stuck() {
    struct Waits;
    impl Format for Waits {
        fn n_entrants(&self) -> usize {
            2
        }
        fn take(&mut self, _: &GameResult) {}
        fn leave(&mut self, _: Entrant) {}
        fn next(&mut self, _: usize) -> Next {
            Next::Wait
        }
    }
    let error = Scheduler::new(Waits, 2).ready().unwrap_err();
    assert_eq!(error, ScheduleError::Stuck);
    assert_eq!(error.to_string(), "the tournament's format waits for a result, but no game is running");

    // A pairing whose result was taken for another one's leaves a game without an end.
    let mut format = AllPairs::new(3);
    let Next::Play(given) = format.next(1) else { panic!("three games") };
    let mut scheduler = Scheduler::new(format, 5);
    for pairing in scheduler.ready().unwrap() {
        scheduler.finished(&result_of(&pairing, Seed(0))).unwrap();
    }
    assert_eq!(scheduler.ready(), Err(ScheduleError::Stuck));
    scheduler.earlier(&result_of(&given[0], Seed(0)));
    assert_eq!(scheduler.ready(), Ok(vec![]));
    assert!(scheduler.is_over());
}

#[test]
fn a_result_is_of_a_game_that_is_running() {
    let mut scheduler = Scheduler::new(Series::new(2, 4), 2);
    let running = scheduler.ready().unwrap();
    let mut result = GameResult::new(&running[0], None, Cause::Cancelled);
    result.entrants.swap(0, 1);
    assert_eq!(scheduler.finished(&result), Err(ScheduleError::OtherEntrants(0)));
    result.entrants.swap(0, 1);
    assert_eq!(scheduler.finished(&result), Ok(()), "a wrong result does not end the game");
    assert_eq!(scheduler.finished(&result), Err(ScheduleError::NotRunning(0)));
    result.pairing = 3;
    assert_eq!(scheduler.finished(&result), Err(ScheduleError::NotRunning(3)));
}

#[test]
fn who_came_and_went_is_told_to_another_run() {
    let new = || Scheduler::new(RoundRobin::new(3, &FormatOptions::default(), false, None), 2);
    let mut first = new();
    let ready = first.ready().unwrap();
    assert_eq!(first.join(), Some(Entrant(3)));
    first.leave(Entrant(0));
    let mut second = new();
    for change in first.format().changes() {
        second.change(&change);
    }
    assert_eq!(second.present(), [Entrant(1), Entrant(2), Entrant(3)]);
    for pairing in &ready {
        let result = GameResult::new(pairing, Some(Outcome::draw(2)), Cause::Normal);
        first.finished(&result).unwrap();
        second.earlier(&result);
    }
    assert_eq!(first.ready(), second.ready());
}

#[test]
fn who_fails_one_game_goes_on_and_who_fails_too_often_is_suspended() {
    let options = FormatOptions { max_faults: Some(2), ..FormatOptions::default() };
    let mut scheduler = Scheduler::new(RoundRobin::new(4, &options, false, None), 1);
    let mut faults = 0;
    while faults < 2 {
        assert_eq!(scheduler.present().len(), 4, "after {faults} faults");
        let [pairing] = &scheduler.ready().unwrap()[..] else { panic!("one game at a time") };
        let mut result = GameResult::new(pairing, Some(Outcome::draw(2)), Cause::Normal);
        if pairing.entrants.contains(&Entrant(0)) {
            result.failed = vec![Entrant(0)];
            faults += 1;
        }
        scheduler.finished(&result).unwrap();
        assert!(scheduler.failed_or_left().eq((faults > 0).then_some(Entrant(0))));
    }
    assert_eq!(scheduler.present(), [Entrant(1), Entrant(2), Entrant(3)]);

    // By Fish's rule the first fault is one too many.
    let mut scheduler = Scheduler::new(KnockOut::new(3), 1);
    let ready = scheduler.ready().unwrap();
    let mut result = GameResult::new(&ready[0], Some(Outcome::draw(3)), Cause::Normal);
    result.failed = vec![Entrant(1)];
    scheduler.finished(&result).unwrap();
    assert_eq!(scheduler.present(), [Entrant(0), Entrant(2)]);
}
