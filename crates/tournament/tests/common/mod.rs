//! Games on paper, for tests.

pub(crate) mod reference;

use rookery_referee::{Cause, Offence};
use rookery_rules::{BySeat, Outcome, Rng, Seat, Seats, Seed, below};
use rookery_tournament::{GameResult, Pairing};

/// A number below `n`.
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn pick(rng: &mut Rng, n: usize) -> usize {
    below(rng, n as u32) as usize
}

/// Takes one of these out.
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn pick_out<T>(rng: &mut Rng, list: &mut Vec<T>) -> T {
    let idx = pick(rng, list.len());
    list.swap_remove(idx)
}

/// How a game ends, always in the same way: some win, now and then some fail, all do, or it is aborted.
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn result_of(pairing: &Pairing, seed: Seed) -> GameResult {
    let rng = &mut seed.derive(pairing.id).rng();
    let n_seats = pairing.entrants.len();
    // Some tournaments have many ties, some have many failures.
    let mut often = seed.derive(u64::MAX).rng();
    let (ties, failures) = (pick(&mut often, 10), pick(&mut often, 4));
    let scores = BySeat::new(n_seats, |_| pick(rng, 40) as i32 - 10);
    let first = Seats::only(Seat::new(pick(rng, n_seats) as u8));
    let mut winners: Seats =
        Seat::all(n_seats).filter(|&seat| first.contains(seat) || pick(rng, 10) < ties).collect();
    let mut failed = vec![];
    for seat in Seat::all(n_seats) {
        if pick(rng, 20) < failures {
            winners.take_out(seat);
            failed.push(pairing.entrants[seat.index()]);
        }
    }
    let (outcome, cause) = match pick(rng, 12) {
        0 => (None, Cause::PlatformAbort),
        1 => (Some(Outcome { scores, winners }), Cause::Resigned),
        _ if !failed.is_empty() => (Some(Outcome { scores, winners }), Cause::Offence(Offence::Timeout)),
        _ => (Some(Outcome { scores, winners }), Cause::Normal),
    };
    GameResult { failed, ..GameResult::new(pairing, outcome, cause) }
}
