//! Games that fail because of us and are played in another run, and games that are not needed any more.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use common::pick;
use rookery_ratings::sprt::{Decision, Model, Sprt as Test};
use rookery_referee::{Cause, Offence};
use rookery_rules::{BySeat, Outcome, Seat, Seats, Seed};
use rookery_tournament::{
    Cup, CupOptions, Dispatcher, Entrant, Format, FormatOptions, GameResult, KnockOut, Ladder, Pairing,
    Report, RoundRobin, Scheduler, Series, Sprt, Swiss, TournamentOutcome, hold,
};

/// Nothing here waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut cx = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut cx) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("a game on paper does not wait"),
    }
}

/// Plays the games that wait one after the other, always with the same results; one of them fails because of us.
#[derive(Default)]
struct OneByOne {
    seed: u64,
    fails: Option<u64>,
    waiting: VecDeque<Pairing>,
    withdrawn: Vec<u64>,
    results: BTreeMap<u64, GameResult>,
}

impl OneByOne {
    /// Somebody wins, and now and then somebody fails.
    fn result(&self, pairing: &Pairing) -> GameResult {
        if self.fails == Some(pairing.id) {
            return GameResult::new(pairing, None, Cause::PlatformAbort);
        }
        let rng = &mut Seed(self.seed).derive(pairing.id).rng();
        let n_seats = pairing.entrants.len();
        let winner = Seat::new(pick(rng, n_seats) as u8);
        let outcome = Outcome { scores: BySeat::filled(n_seats, 0), winners: Seats::only(winner) };
        let loser = Seat::all(n_seats).find(|&seat| seat != winner && pick(rng, 3) == 0);
        let failed: Vec<Entrant> = loser.map(|seat| pairing.entrants[seat.index()]).into_iter().collect();
        let cause = if failed.is_empty() { Cause::Normal } else { Cause::Offence(Offence::Crashed) };
        GameResult { failed, ..GameResult::new(pairing, Some(outcome), cause) }
    }
}

impl Dispatcher for OneByOne {
    fn dispatch(&mut self, pairing: Pairing) {
        self.waiting.push_back(pairing);
    }

    fn withdraw(&mut self) {
        self.withdrawn.extend(self.waiting.drain(..).map(|pairing| pairing.id));
    }

    async fn next_report(&mut self) -> Option<Report> {
        if let Some(pairing) = self.withdrawn.pop() {
            return Some(Report::Withdrawn(pairing));
        }
        let pairing = self.waiting.pop_front()?;
        let result = self.result(&pairing);
        self.results.insert(pairing.id, result.clone());
        Some(Report::Finished(result))
    }
}

type Held = (TournamentOutcome, BTreeMap<u64, GameResult>, usize);

fn play(format: Box<dyn Format>, earlier: &BTreeMap<u64, GameResult>, seed: u64, fails: Option<u64>) -> Held {
    let mut scheduler = Scheduler::new(format, 3).with_replays();
    for result in earlier.values() {
        scheduler.earlier(result);
    }
    let mut games = OneByOne { seed, fails, ..OneByOne::default() };
    let outcome = now(hold(&mut scheduler, &mut games, &mut ())).unwrap();
    (outcome, games.results, scheduler.owed())
}

/// Whatever fails because of us, and whenever: once it is played again the tournament is the one in which nothing failed.
fn ends_as_if_nothing_had_failed(what: &str, new: &dyn Fn() -> Box<dyn Format>) {
    for seed in 0..12 {
        let (whole, expected, _) = play(new(), &BTreeMap::new(), seed, None);
        assert!(whole.complete, "{what}");
        let ids: Vec<u64> = expected.keys().copied().collect();
        for failing in (0..4).map(|part| ids[part * (ids.len() - 1) / 3]) {
            let (outcome, mut stored, owed) = play(new(), &BTreeMap::new(), seed, Some(failing));
            assert!(!outcome.complete && outcome.winners.is_empty() && owed == 1, "{what}: {outcome:?}");
            assert!(stored.keys().all(|id| expected.contains_key(id)), "{what}: nothing was paired on it");
            stored.remove(&failing);
            let (outcome, missing, owed) = play(new(), &stored, seed, None);
            assert!(outcome == whole && owed == 0, "{what}: {outcome:?}, expected {whole:?}");
            assert!(missing.contains_key(&failing) && missing.keys().all(|id| !stored.contains_key(id)));
            stored.extend(missing);
            assert_eq!(stored, expected, "{what}");
        }
    }
}

#[test]
fn what_failed_because_of_us_is_played_in_another_run_and_nothing_is_paired_before() {
    let usual = FormatOptions::default();
    let strict = FormatOptions { max_faults: Some(2), ..FormatOptions::default() };
    let strict = &strict;
    ends_as_if_nothing_had_failed("swiss", &|| Box::new(Swiss::new(9, &usual, 4)));
    ends_as_if_nothing_had_failed("cup", &|| Box::new(Cup::new(8, &usual, &CupOptions::default())));
    ends_as_if_nothing_had_failed("fish", &|| Box::new(KnockOut::new(17)));
    ends_as_if_nothing_had_failed("ladder", &|| Box::new(Ladder::new(6, &usual, 80)));
    ends_as_if_nothing_had_failed("round robin", &|| Box::new(RoundRobin::new(6, strict, false, None)));
}

/// Where nothing follows from it, it counts as it is: `match` ends as well with a game that could not be played.
#[test]
fn a_series_ends_with_a_game_that_failed() {
    let usual = FormatOptions::default();
    let formats: [&dyn Fn() -> Box<dyn Format>; 2] =
        [&|| Box::new(Series::new(2, 20)), &|| Box::new(RoundRobin::new(4, &usual, false, None))];
    for new in formats {
        let (_, results, _) = play(new(), &BTreeMap::new(), 1, None);
        let failing = results.keys().next().copied();
        let (outcome, again, owed) = play(new(), &BTreeMap::new(), 1, failing);
        assert!(outcome.complete && owed == 0 && again.len() == results.len(), "{outcome:?}");
    }
}

/// Wins for the first one.
struct FirstWins(OneByOne);

impl Dispatcher for FirstWins {
    fn dispatch(&mut self, pairing: Pairing) {
        self.0.dispatch(pairing);
    }

    fn withdraw(&mut self) {
        self.0.withdraw();
    }

    async fn next_report(&mut self) -> Option<Report> {
        match self.0.next_report().await? {
            Report::Finished(mut result) => {
                let first = result.seat_of(Entrant(0)).unwrap();
                result.outcome = Some(Outcome::win(2, first));
                Some(Report::Finished(result))
            }
            other => Some(other),
        }
    }
}

#[test]
fn once_a_test_has_decided_no_further_game_begins() {
    let test = Test::new(Model::Logistic, 0.0, 100.0, 0.05, 0.05).unwrap();
    for room in [1, 2, 65] {
        let mut scheduler = Scheduler::new(Sprt::new(2, 1000, test), room);
        let mut games = FirstWins(OneByOne::default());
        let outcome = now(hold(&mut scheduler, &mut games, &mut ())).unwrap();
        let run = scheduler.format().run();
        assert!(outcome.complete && run.decision() == Some(Decision::H1), "{outcome:?}");
        assert_eq!(games.0.results.len() as u64, run.games(), "with room for {room}");
        assert_eq!(scheduler.running().len(), 0);
    }
}
