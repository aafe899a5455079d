//! The laws that every format obeys, for all of them.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::collections::BTreeMap;
use std::fmt::Debug;

use common::{pick, pick_out, result_of};
use rookery_rules::{MAX_SEATS, Rng, Seed};
use rookery_tournament::{Entrant, Format, GameResult, KnockOut, Next, Pairing, Series};

/// A tournament that was played: its pairings by id, and who won.
#[derive(PartialEq, Debug)]
struct Run {
    pairings: BTreeMap<u64, Pairing>,
    winners: Vec<Entrant>,
}

/// Plays on until the end or until `stop` games have ended, with a room that changes, in an order of games that does
/// not matter. Gives back the results in the order in which they came.
fn play_on<F: Format + Clone + PartialEq + Debug>(
    format: &mut F,
    run: &mut Run,
    seed: Seed,
    rng: &mut Rng,
    stop: usize,
) -> Vec<GameResult> {
    let (mut running, mut results): (Vec<Pairing>, Vec<GameResult>) = (vec![], vec![]);
    while results.len() < stop {
        let without_room = format.clone();
        assert!(!matches!(format.next(0), Next::Play(_)), "there is no room");
        // An end may be noticed.
        assert!(*format == without_room || format.next(0) == Next::End, "without room nothing changes");
        let room = 1 + pick(rng, 9);
        match format.next(room) {
            Next::Play(pairings) => {
                assert!((1..=room).contains(&pairings.len()));
                for pairing in pairings {
                    let twice = run.pairings.insert(pairing.id, pairing.clone());
                    assert_eq!(twice, None, "every pairing is given once");
                    running.push(pairing);
                }
            }
            Next::Wait => assert!(!running.is_empty(), "it waits only for what it gave"),
            Next::End => break,
        }
        for _ in 0..pick(rng, running.len() + 1) {
            let result = result_of(&pick_out(rng, &mut running), seed);
            format.take(&result);
            results.push(result);
        }
        if !results.is_empty() && pick(rng, 4) == 0 {
            let before = format.clone();
            format.take(&results[pick(rng, results.len())]);
            assert_eq!(*format, before, "a result that was taken before changes nothing");
        }
    }
    run.winners = format.winners();
    results
}

fn obeys_the_laws<F: Format + Clone + PartialEq + Debug>(new: impl Fn() -> F, seed: Seed) {
    let rng = &mut seed.derive(1).rng();
    let empty = || Run { pairings: BTreeMap::new(), winners: vec![] };
    let (mut format, mut first) = (new(), empty());
    let all = play_on(&mut format, &mut first, seed, rng, usize::MAX);
    assert_eq!(all.len(), first.pairings.len(), "the end needs every result");

    // Another order and other rooms: the same games.
    let (mut format, mut second) = (new(), empty());
    play_on(&mut format, &mut second, seed, rng, usize::MAX);
    assert_eq!(first, second);

    // A run that is stopped, and one that goes on with its results, read in any order.
    let mut stopped = empty();
    let stop = pick(rng, all.len() + 1);
    let mut stored = play_on(&mut new(), &mut stopped, seed, rng, stop);
    let mut resumed = Run {
        pairings: stored
            .iter()
            .map(|result| (result.pairing, first.pairings[&result.pairing].clone()))
            .collect(),
        winners: vec![],
    };
    let (mut one, mut other) = (new(), new());
    for result in &stored {
        one.take(result);
    }
    while !stored.is_empty() {
        other.take(&pick_out(rng, &mut stored));
    }
    assert_eq!(one, other, "what a format is follows from the set of results");
    play_on(&mut other, &mut resumed, seed, rng, usize::MAX);
    assert_eq!(first, resumed, "exactly the games that are missing are played");

    // Everything was played before.
    let (mut format, mut all) = (new(), all);
    while !all.is_empty() {
        format.take(&pick_out(rng, &mut all));
    }
    assert_eq!((format.next(1), format.winners()), (Next::End, first.winners));
}

#[test]
fn series() {
    for seed in 0..400 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(0).rng();
        let n_entrants = 2 + pick(rng, MAX_SEATS - 1);
        let games = pick(rng, 80) as u64;
        obeys_the_laws(|| Series::new(n_entrants, games), seed);
    }
}

#[test]
fn knock_out() {
    for seed in 0..400 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(0).rng();
        let n_entrants = if seed.0.is_multiple_of(2) { pick(rng, 20) } else { pick(rng, 201) };
        let absent: Vec<Entrant> = Entrant::all(n_entrants).filter(|_| pick(rng, 8) == 0).collect();
        let new = || {
            let mut format = KnockOut::new(n_entrants);
            for &entrant in &absent {
                format.leave(entrant);
            }
            format
        };
        obeys_the_laws(new, seed);
    }
}

#[test]
fn boxed_formats() {
    // Without its type a format is the same.
    for seed in 0..20 {
        let mut boxed: Box<dyn Format> = Box::new(KnockOut::new(30));
        let mut plain = KnockOut::new(30);
        loop {
            let next = boxed.next(3);
            assert_eq!(next, plain.next(3));
            let Next::Play(pairings) = next else { break };
            for pairing in &pairings {
                boxed.take(&result_of(pairing, Seed(seed)));
                plain.take(&result_of(pairing, Seed(seed)));
            }
            boxed.leave(Entrant(7));
            plain.leave(Entrant(7));
        }
        assert_eq!(boxed.next(1), Next::End);
        assert_eq!((boxed.winners(), boxed.round()), (plain.winners(), plain.round()));
        assert_eq!(boxed.n_entrants(), 30);
    }
}
