//! Whole tournaments through a dispatcher: who is told what, who wins, stopping and going on.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use common::{pick, pick_out, result_of};
use rookery_referee::Cause;
use rookery_rules::{BySeat, Outcome, Rng, Seat, Seats, Seed};
use rookery_tournament::{
    Dispatcher, Entrant, Format, GameResult, KnockOut, Pairing, Report, ScheduleError, Scheduler, Series,
    TournamentEvent, TournamentOutcome, Watcher, hold,
};

fn entrants(numbers: impl IntoIterator<Item = u32>) -> Vec<Entrant> {
    numbers.into_iter().map(Entrant).collect()
}

/// Games in memory: the first `n_winners` of those who do not fail win.
#[derive(Default)]
struct Paper {
    n_winners: usize,
    bad_at_start: Vec<Entrant>,
    bad_in_game: Vec<Entrant>,
    bad_at_end: Vec<Entrant>,
    told: Vec<(Entrant, bool)>,
    running: Vec<Pairing>,
    begun: Vec<u64>,
    left: Vec<Entrant>,
}

impl Paper {
    fn result(&self, pairing: &Pairing) -> GameResult {
        let is_bad = |entrant: &Entrant| self.bad_in_game.contains(entrant);
        let (n_seats, at) = (pairing.entrants.len(), |seat: Seat| pairing.entrants[seat.index()]);
        let winners: Seats =
            Seat::all(n_seats).filter(|&seat| !is_bad(&at(seat))).take(self.n_winners).collect();
        let outcome = Outcome { scores: BySeat::filled(n_seats, 0), winners };
        let failed = pairing.entrants.iter().copied().filter(is_bad).collect();
        GameResult { failed, ..GameResult::new(pairing, Some(outcome), Cause::Normal) }
    }
}

impl Dispatcher for Paper {
    fn dispatch(&mut self, pairing: Pairing) {
        self.begun.push(pairing.id);
        self.running.push(pairing);
    }

    async fn next_report(&mut self) -> Option<Report> {
        if let Some(entrant) = self.left.pop() {
            return Some(Report::Left(entrant));
        }
        // The last one first: the order in which games end does not matter.
        let pairing = self.running.pop()?;
        Some(Report::Finished(self.result(&pairing)))
    }

    async fn begin(&mut self, entrants: &[Entrant]) -> Vec<Entrant> {
        entrants.iter().copied().filter(|entrant| self.bad_at_start.contains(entrant)).collect()
    }

    async fn end(&mut self, winners: &[Entrant], others: &[Entrant]) -> Vec<Entrant> {
        self.told.extend(winners.iter().map(|&entrant| (entrant, true)));
        self.told.extend(others.iter().map(|&entrant| (entrant, false)));
        let all = winners.iter().chain(others).copied();
        all.filter(|entrant| self.bad_at_end.contains(entrant)).collect()
    }
}

/// Nothing here waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut cx = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut cx) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("a game on paper does not wait"),
    }
}

fn knock_out(paper: &mut Paper, n_entrants: usize, watcher: &mut dyn Watcher) -> TournamentOutcome {
    now(hold(&mut Scheduler::new(KnockOut::new(n_entrants), 2), paper, watcher)).unwrap()
}

fn complete(winners: Vec<Entrant>, failed: Vec<Entrant>, rounds: u32) -> TournamentOutcome {
    TournamentOutcome { winners, failed, rounds, complete: true }
}

#[test]
fn everybody_is_told_once_at_the_end_winners_first() {
    let mut paper = Paper { n_winners: 1, ..Paper::default() };
    let mut events: Vec<TournamentEvent> = vec![];
    let outcome = knock_out(&mut paper, 10, &mut events);
    assert_eq!(outcome, complete(entrants([0]), vec![], 2));
    assert_eq!(paper.told[0], (Entrant(0), true));
    assert_eq!(paper.told[1..], (1..10).map(|number| (Entrant(number), false)).collect::<Vec<_>>());
    assert_eq!(events.first(), Some(&TournamentEvent::Started { entrants: entrants(0..10) }));
    let rounds: Vec<(u32, usize)> = events
        .iter()
        .filter_map(|event| match event {
            TournamentEvent::Round(round) => Some((round.number, round.tables.len())),
            _ => None,
        })
        .collect();
    assert_eq!(rounds, [(1, 3), (2, 1)], "all tables of a round, though only two are played at a time");
    let begun = events.iter().filter(|event| matches!(event, TournamentEvent::Paired(_))).count();
    let games = events.iter().filter(|event| matches!(event, TournamentEvent::Finished(_))).count();
    assert_eq!((begun, games), (4, 4), "three games, then the last one of three");
    assert_eq!(events.last(), Some(&TournamentEvent::Ended(outcome)));
}

#[test]
fn who_fails_is_counted_once_and_told_nothing_more() {
    let mut paper = Paper {
        n_winners: 1,
        bad_at_start: entrants([2]),
        bad_in_game: entrants([0, 5]),
        bad_at_end: entrants([1, 6]),
        ..Paper::default()
    };
    let mut events: Vec<TournamentEvent> = vec![];
    let outcome = knock_out(&mut paper, 8, &mut events);
    assert_eq!(outcome.winners, [], "the only winner failed at the end");
    assert_eq!(outcome.failed, entrants([0, 1, 2, 5, 6]));
    let told = [(1, true), (3, false), (4, false), (6, false), (7, false)];
    assert_eq!(paper.told, told.map(|(number, won)| (Entrant(number), won)));
    let left = events.iter().filter_map(|event| match event {
        TournamentEvent::Left(entrant) => Some(entrant.0),
        _ => None,
    });
    assert!(left.eq([2, 1, 6]), "who failed in a game is in its result");
}

#[test]
fn all_may_fail() {
    let mut paper = Paper { n_winners: 1, bad_in_game: entrants(0..9), ..Paper::default() };
    assert_eq!(knock_out(&mut paper, 9, &mut ()), complete(vec![], entrants(0..9), 1));
    let mut paper = Paper { bad_at_start: entrants(0..9), ..Paper::default() };
    assert_eq!(knock_out(&mut paper, 9, &mut ()), complete(vec![], entrants(0..9), 0));
}

#[test]
fn the_same_winners_twice_end_it() {
    let mut paper = Paper { n_winners: 4, ..Paper::default() };
    assert_eq!(knock_out(&mut paper, 7, &mut ()), complete(entrants(0..7), vec![], 2));
}

#[test]
fn a_watcher_that_panics_does_not_matter() {
    struct Panics(usize);
    impl Watcher for Panics {
        fn see(&mut self, _: &TournamentEvent) {
            self.0 += 1;
            panic!("I cannot look");
        }
    }
    let mut watcher = Panics(0);
    let mut paper = Paper { n_winners: 1, ..Paper::default() };
    let outcome = knock_out(&mut paper, 5, &mut watcher);
    assert_eq!((outcome.winners, watcher.0), (entrants([0]), 1));
}

#[test]
fn who_leaves_plays_no_more_and_is_told_nothing() {
    let mut paper = Paper { n_winners: 1, left: entrants([0]), ..Paper::default() };
    let mut events: Vec<TournamentEvent> = vec![];
    let outcome = knock_out(&mut paper, 12, &mut events);
    assert_eq!(outcome, complete(entrants([4]), entrants([0]), 2));
    assert!(events.contains(&TournamentEvent::Left(Entrant(0))));
    assert!(paper.told.iter().all(|&(entrant, _)| entrant != Entrant(0)));
}

/// As Fish's rule reads, round by round, with lists.
fn by_the_book(n_entrants: usize, absent: &[Entrant], seed: Seed) -> TournamentOutcome {
    let mut failed = absent.to_vec();
    let mut playing: Vec<Entrant> =
        Entrant::all(n_entrants).filter(|entrant| !absent.contains(entrant)).collect();
    let (mut round, mut before): (u32, Option<Vec<Entrant>>) = (0, None);
    while playing.len() >= 2 {
        round += 1;
        let mut sizes = vec![4; playing.len() / 4];
        match playing.len() % 4 {
            0 => {}
            1 => {
                sizes.pop();
                sizes.extend([3, 2]);
            }
            rest => sizes.push(rest),
        }
        let mut rest = &playing[..];
        let mut winners = vec![];
        for (table, &size) in (0..).zip(&sizes) {
            let (group, others) = rest.split_at(size);
            rest = others;
            let id = u64::from(round) << 32 | table;
            let result = result_of(&pairing(id, group), seed);
            match result.outcome {
                Some(_) => winners.extend(result.winners()),
                None => winners.extend(group.iter().filter(|entrant| !result.failed.contains(entrant))),
            }
            failed.extend(result.failed);
        }
        winners.sort_unstable();
        let last = sizes.len() == 1 || before.as_ref() == Some(&winners);
        before = Some(winners.clone());
        playing = winners;
        if last {
            break;
        }
    }
    failed.sort_unstable();
    complete(playing, failed, round)
}

fn pairing(id: u64, group: &[Entrant]) -> Pairing {
    let reason = rookery_tournament::Reason::Group { round: 0, table: 0, of: 0 };
    Pairing { id, entrants: group.to_vec(), block: id, start: id, round: None, reason }
}

/// Games that end in any order, after any number of questions, with results made up from a seed.
struct Slow {
    seed: Seed,
    rng: Rng,
    running: Vec<Pairing>,
    most: usize,
    absent: Vec<Entrant>,
    /// What an archive has.
    stored: Vec<GameResult>,
    begun_with: Vec<Vec<Entrant>>,
    ended: usize,
    /// Games do not end any more.
    halted: bool,
}

impl Slow {
    fn new(seed: Seed, absent: Vec<Entrant>) -> Self {
        let (rng, running, stored, begun_with) = (seed.derive(5).rng(), vec![], vec![], vec![]);
        Self { seed, rng, running, most: 0, absent, stored, begun_with, ended: 0, halted: false }
    }

    /// Waits once, now and then.
    async fn dawdle(&mut self) {
        let mut wait = pick(&mut self.rng, 3) == 0;
        std::future::poll_fn(|_| if std::mem::take(&mut wait) { Poll::Pending } else { Poll::Ready(()) })
            .await;
    }
}

impl Dispatcher for Slow {
    fn dispatch(&mut self, pairing: Pairing) {
        assert!(self.stored.iter().all(|result| result.pairing != pairing.id), "it was played before");
        self.running.push(pairing);
        self.most = self.most.max(self.running.len());
    }

    async fn next_report(&mut self) -> Option<Report> {
        self.dawdle().await;
        if self.running.is_empty() || self.halted {
            return None;
        }
        let result = result_of(&pick_out(&mut self.rng, &mut self.running), self.seed);
        self.stored.push(result.clone());
        Some(Report::Finished(result))
    }

    async fn begin(&mut self, entrants: &[Entrant]) -> Vec<Entrant> {
        self.dawdle().await;
        self.begun_with.push(entrants.to_vec());
        entrants.iter().copied().filter(|entrant| self.absent.contains(entrant)).collect()
    }

    async fn end(&mut self, _: &[Entrant], _: &[Entrant]) -> Vec<Entrant> {
        self.dawdle().await;
        self.ended += 1;
        vec![]
    }
}

/// Holds it; whenever it waits, drops it and calls it again. `stop` drains it after so many waits.
fn with_interruptions<F: Format>(
    scheduler: &mut Scheduler<F>,
    slow: &mut Slow,
    watcher: &mut dyn Watcher,
    mut stop: Option<usize>,
) -> Result<TournamentOutcome, ScheduleError> {
    loop {
        let mut cx = Context::from_waker(Waker::noop());
        if let Poll::Ready(done) = pin!(hold(scheduler, slow, watcher)).poll(&mut cx) {
            return done;
        }
        match &mut stop {
            Some(0) => scheduler.drain(),
            Some(left) => *left -= 1,
            None => {}
        }
    }
}

#[test]
fn a_knock_out_is_what_the_rule_says_stopped_or_not() {
    let (mut n_stopped, mut n_ties) = (0, 0);
    for seed in 0..300 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(3).rng();
        let n_entrants = pick(rng, 201);
        let room = 1 + pick(rng, 12);
        let absent: Vec<Entrant> = Entrant::all(n_entrants).filter(|_| pick(rng, 10) == 0).collect();
        let expected = by_the_book(n_entrants, &absent, seed);
        n_ties += usize::from(expected.winners.len() > 4);

        let mut slow = Slow::new(seed, absent.clone());
        let mut scheduler =
            Scheduler::new(KnockOut::new(n_entrants), room).with_exclusive(Entrant::all(n_entrants));
        let mut events: Vec<TournamentEvent> = vec![];
        let outcome = with_interruptions(&mut scheduler, &mut slow, &mut events, None).unwrap();
        assert_eq!(outcome, expected);
        assert!(slow.most <= room);
        assert_eq!((slow.begun_with.len(), slow.ended), (1, 1), "told once");
        let of = |kind: fn(&TournamentEvent) -> bool| events.iter().filter(|event| kind(event)).count();
        assert_eq!(of(|event| matches!(event, TournamentEvent::Started { .. })), 1);
        assert_eq!(of(|event| matches!(event, TournamentEvent::Round(_))), expected.rounds as usize);
        assert_eq!(of(|event| matches!(event, TournamentEvent::Finished(_))), slow.stored.len());
        assert_eq!(of(|event| matches!(event, TournamentEvent::Ended(_))), 1);
        assert_eq!(now(hold(&mut scheduler, &mut slow, &mut ())), Ok(expected.clone()), "asked again");

        // Stopped somewhere, and another run that goes on with what was stored.
        let mut slow = Slow::new(seed, absent.clone());
        let mut scheduler = Scheduler::new(KnockOut::new(n_entrants), room);
        let stop = Some(pick(rng, 20));
        let outcome = with_interruptions(&mut scheduler, &mut slow, &mut (), stop).unwrap();
        assert_eq!(outcome.complete, slow.ended == 1, "who is stopped before the end is not told of an end");
        n_stopped += usize::from(!outcome.complete);
        let mut next = Slow::new(seed, vec![]);
        let mut scheduler = Scheduler::new(KnockOut::new(n_entrants), room);
        for &entrant in &absent {
            scheduler.leave(entrant);
        }
        while !slow.stored.is_empty() {
            let result = pick_out(rng, &mut slow.stored);
            scheduler.earlier(&result);
            next.stored.push(result);
        }
        let present = scheduler.present();
        assert_eq!(with_interruptions(&mut scheduler, &mut next, &mut (), None), Ok(expected));
        assert_eq!(next.begun_with, [present], "who failed before is not asked again");
    }
    assert!(n_stopped > 50 && n_ties > 5, "{n_stopped} stopped, {n_ties} ties");
}

#[test]
fn a_series_is_played_in_order_and_nobody_is_told_of_winners() {
    let mut paper = Paper { n_winners: 1, ..Paper::default() };
    let mut scheduler = Scheduler::new(Series::new(3, 10), 4);
    let outcome = now(hold(&mut scheduler, &mut paper, &mut ())).unwrap();
    assert_eq!(outcome, complete(vec![], vec![], 0));
    assert!(paper.begun.into_iter().eq(0..12));
    assert!(paper.told.into_iter().eq(Entrant::all(3).map(|entrant| (entrant, false))));
}

#[test]
fn games_that_never_end_are_missed_unless_they_were_stopped() {
    let mut slow = Slow::new(Seed(1), vec![]);
    slow.halted = true;
    let mut scheduler = Scheduler::new(Series::new(2, 10), 4);
    let lost = with_interruptions(&mut scheduler, &mut slow, &mut (), None);
    assert_eq!(lost, Err(ScheduleError::Lost(4)));
    assert_eq!(lost.unwrap_err().to_string(), "4 games were begun and never ended");
    scheduler.drain();
    let stopped = with_interruptions(&mut scheduler, &mut slow, &mut (), None).unwrap();
    assert_eq!(stopped, TournamentOutcome::default());
    assert_eq!((scheduler.running().len(), slow.ended), (4, 0));
}
