//! A million games need no list.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use allocation_counter::measure;
use rookery_referee::Cause;
use rookery_rules::Outcome;
use rookery_tournament::{Format, GameResult, KnockOut, Next, Pairing, Scheduler, Series, Summary};

fn draw(pairing: &Pairing) -> GameResult {
    GameResult::new(pairing, Some(Outcome::draw(pairing.entrants.len())), Cause::Normal)
}

const ROOM: usize = 16;

/// The results of a series, as they come when the very first game lasts until all others are over, and the others end
/// out of order: the youngest and the oldest that is running by turns.
fn run(mut ready: impl FnMut() -> Vec<Pairing>, mut ended: impl FnMut(&GameResult), games: u64) {
    let (mut running, mut first) = (VecDeque::new(), None);
    let mut begin = |running: &mut VecDeque<Pairing>| {
        for pairing in ready() {
            if pairing.id == 0 { first = Some(pairing) } else { running.push_back(pairing) }
        }
    };
    for n_played in 1..games {
        begin(&mut running);
        let next = if n_played % 2 == 0 { running.pop_front() } else { running.pop_back() };
        ended(&draw(&next.unwrap()));
    }
    ended(&draw(&first.unwrap()));
}

#[test]
fn fault_s16_a_million_games_need_as_much_memory_as_those_that_are_running() {
    const GAMES: u64 = 1_000_000;
    let used = measure(|| {
        let series = RefCell::new(Series::new(2, GAMES));
        let mut summary = Summary::new(2);
        let n_running = Cell::new(0);
        let ready = || match series.borrow_mut().next(ROOM - n_running.get()) {
            Next::Play(pairings) => {
                n_running.update(|n| n + pairings.len());
                pairings
            }
            _ => vec![],
        };
        let ended = |result: &GameResult| {
            n_running.update(|n| n - 1);
            series.borrow_mut().take(result);
            assert!(summary.add(result));
        };
        run(ready, ended, GAMES);
        assert_eq!(series.borrow_mut().next(ROOM), Next::End);
        assert_eq!((summary.games(), summary.left_over().games), (GAMES, 0));
    });
    assert!(used.bytes_max < 16 << 10, "{} bytes", used.bytes_max);
    assert_eq!(used.bytes_current, 0);
}

#[test]
fn a_scheduler_keeps_what_is_running() {
    const GAMES: u64 = 50_000;
    let used = measure(|| {
        let scheduler = RefCell::new(Scheduler::new(Series::new(5, GAMES), ROOM));
        let mut summary = Summary::new(5);
        let ready = || scheduler.borrow_mut().ready().unwrap();
        let ended = |result: &GameResult| {
            scheduler.borrow_mut().finished(result).unwrap();
            assert!(summary.add(result));
        };
        run(ready, ended, GAMES);
        assert_eq!(scheduler.borrow_mut().ready().unwrap(), []);
        assert!(scheduler.borrow().is_over());
    });
    assert!(used.bytes_max < 32 << 10, "{} bytes", used.bytes_max);
}

#[test]
fn an_archive_that_is_read_in_order_needs_no_list_either() {
    let used = measure(|| {
        let (mut series, mut summary) = (Series::new(2, 200_000), Summary::new(2));
        // One game is missing in the middle.
        for game in (0..200_000).filter(|&game| game != 77_777) {
            let result = draw(&series.pairing(game).unwrap());
            series.take(&result);
            summary.add(&result);
        }
        let Next::Play(missing) = series.next(10) else { panic!("one game is missing") };
        assert_eq!((missing.len(), missing[0].id), (1, 77_777));
        assert_eq!(summary.left_over().games, 1);
    });
    assert!(used.bytes_max < 8 << 10, "{} bytes", used.bytes_max);
}

#[test]
fn a_knock_out_keeps_its_entrants_and_one_round() {
    let used = measure(|| {
        let mut format = KnockOut::new(10_000);
        while let Next::Play(pairings) = format.next(4) {
            for pairing in &pairings {
                format.take(&draw(pairing));
            }
        }
        assert_eq!(format.next(4), Next::End);
    });
    assert!(used.bytes_max < 200 * 10_000, "{} bytes", used.bytes_max);
}
