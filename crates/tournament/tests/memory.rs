//! A million games need no list.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::VecDeque;

use allocation_counter::measure;
use rookery_referee::Cause;
use rookery_rules::Outcome;
use rookery_tournament::{Format, GameResult, KnockOut, Next, Pairing, Scheduler, Series, Summary};

fn draw(pairing: &Pairing) -> GameResult {
    GameResult::new(pairing, Some(Outcome::draw(pairing.entrants.len())), Cause::Normal)
}

#[test]
fn a_million_games_need_as_much_memory_as_those_that_are_running() {
    const ROOM: usize = 16;
    for (n_entrants, games) in [(2, 1_000_000), (5, 100_000)] {
        let used = measure(|| {
            let mut scheduler = Scheduler::new(Series::new(n_entrants, games), ROOM);
            let mut summary = Summary::new(n_entrants);
            let mut running: VecDeque<Pairing> = VecDeque::new();
            // The very first game lasts until all others are over.
            let mut first = None;
            let mut n_played = 0;
            while n_played < games {
                for pairing in scheduler.ready().unwrap() {
                    if pairing.id == 0 { first = Some(pairing) } else { running.push_back(pairing) }
                }
                // Out of order: the youngest and the oldest by turns.
                let next = if n_played % 2 == 0 { running.pop_front() } else { running.pop_back() };
                let result = draw(&next.or_else(|| first.take()).unwrap());
                scheduler.finished(&result).unwrap();
                assert!(summary.add(&result));
                n_played += 1;
            }
            scheduler.ready().unwrap();
            assert!(scheduler.is_over() && first.is_none());
            assert_eq!((summary.games(), summary.left_over().games), (games, 0));
        });
        assert!(used.bytes_max < 64 << 10, "{} bytes for {n_entrants} entrants", used.bytes_max);
        assert_eq!(used.bytes_current, 0);
    }
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
            pairings.iter().for_each(|pairing| format.take(&draw(pairing)));
        }
        assert_eq!(format.next(4), Next::End);
    });
    assert!(used.bytes_max < 200 * 10_000, "{} bytes", used.bytes_max);
}
