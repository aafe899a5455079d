//! The laws that every format obeys, for all of them.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::collections::BTreeMap;
use std::fmt::Debug;

use common::{pick, pick_out, result_of};
use rookery_ratings::sprt::{Model, Sprt as Test};
use rookery_rules::{MAX_SEATS, Rng, Seed};
use rookery_tournament::{
    Cup, CupOptions, Entrant, Format, FormatOptions, GameResult, Gauntlet, Groups, KnockOut, Ladder, Next,
    Pairing, RoundRobin, Series, Sprt, Swiss, TableSize,
};

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
    // Copies of a large one take their time: now and then will do.
    let often = if format.n_entrants() > 60 { 400 } else { 1 };
    while results.len() < stop {
        if pick(rng, often) == 0 {
            let without_room = format.clone();
            assert!(!matches!(format.next(0), Next::Play(_)), "there is no room");
            // An end may be noticed.
            assert!(*format == without_room || format.next(0) == Next::End, "without room nothing changes");
        }
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
        if !results.is_empty() && pick(rng, 4 * often) == 0 {
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

/// Some fields are as large as they may be, and not all: they take their time.
fn is_large(seed: Seed) -> bool {
    seed.0 % 40 == 7
}

/// Tables, games, suspensions and forbidden pairs as they come.
fn any_options(rng: &mut Rng, n_entrants: usize, max_seats: usize) -> FormatOptions {
    let max = 2 + pick(rng, max_seats - 1);
    let mut options = FormatOptions {
        size: TableSize { min: 2 + pick(rng, max - 1), max },
        games: (pick(rng, 2) == 0).then(|| 1 + pick(rng, 4) as u64),
        max_faults: (pick(rng, 2) == 0).then(|| 1 + pick(rng, 3) as u32),
        ..FormatOptions::default()
    };
    for _ in 0..pick(rng, 3) {
        let (one, other) = (pick(rng, n_entrants), pick(rng, n_entrants));
        if one != other {
            options.forbid(Entrant(one as u32), Entrant(other as u32));
        }
    }
    options
}

#[test]
fn round_robin() {
    for seed in 0..200 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(0).rng();
        let n_entrants = if is_large(seed) { 200 - pick(rng, 50) } else { 1 + pick(rng, 12) };
        let options = any_options(rng, n_entrants, MAX_SEATS);
        let (double, rounds) = (pick(rng, 2) == 0, (pick(rng, 2) == 0).then(|| 1 + pick(rng, 4) as u32));
        let late = pick(rng, 3);
        let mut format = RoundRobin::new(n_entrants, &options, double, rounds);
        for _ in 0..late {
            format.join();
        }
        obeys_the_laws(|| format.clone(), seed);
    }
}

#[test]
fn gauntlet() {
    for seed in 0..200 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(0).rng();
        let n_entrants = if is_large(seed) { 200 - pick(rng, 50) } else { 2 + pick(rng, 12) };
        let options = any_options(rng, n_entrants, 2);
        let challengers = 1 + pick(rng, n_entrants - 1);
        let absent = Entrant(pick(rng, n_entrants) as u32);
        let new = || {
            let mut format = Gauntlet::new(n_entrants, challengers, &options);
            format.leave(absent);
            format
        };
        obeys_the_laws(new, seed);
    }
}

#[test]
fn swiss() {
    for seed in 0..300 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(0).rng();
        let n_entrants = 1 + pick(rng, if is_large(seed) { 200 } else { 14 });
        let options = any_options(rng, n_entrants, MAX_SEATS);
        let rounds = 1 + pick(rng, 7) as u32;
        let absent = Entrant(pick(rng, n_entrants) as u32);
        let late = pick(rng, 2);
        let new = || {
            let mut format = Swiss::new(n_entrants, &options, rounds);
            format.leave(absent);
            for _ in 0..late {
                format.join();
            }
            format
        };
        obeys_the_laws(new, seed);
    }
}

#[test]
fn cup() {
    for seed in 0..400 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(0).rng();
        let n_entrants = 1 + pick(rng, if is_large(seed) { 200 } else { 24 });
        let options = any_options(rng, n_entrants, if seed.0.is_multiple_of(2) { 2 } else { MAX_SEATS });
        let groups = |rng: &mut Rng| {
            let size = 2 + pick(rng, 4);
            Groups { size, advance: 1 + pick(rng, size - 1) }
        };
        let cup = CupOptions {
            bronze: pick(rng, 2) == 0,
            groups: (pick(rng, 2) == 0).then(|| groups(rng)),
            extra_blocks: pick(rng, 4) as u32,
            advance: 1 + pick(rng, options.size.min - 1),
        };
        let absent = Entrant(pick(rng, n_entrants) as u32);
        let new = || {
            let mut format = Cup::new(n_entrants, &options, &cup);
            format.leave(absent);
            format
        };
        obeys_the_laws(new, seed);
    }
}

#[test]
fn ladder() {
    for seed in 0..100 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(0).rng();
        let n_entrants = 2 + pick(rng, if is_large(seed) { 199 } else { 12 });
        let options = any_options(rng, n_entrants, MAX_SEATS);
        let games = pick(rng, 200) as u64;
        let absent = Entrant(pick(rng, n_entrants) as u32);
        let new = || {
            let mut format = Ladder::new(n_entrants, &options, games);
            format.leave(absent);
            format.join();
            format
        };
        obeys_the_laws(new, seed);
    }
}

#[test]
fn sprt() {
    let mut decided = 0;
    for seed in 0..200 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(0).rng();
        let n_entrants = 2 + pick(rng, 3);
        let test = |elo1, mistakes| Test::new(Model::Logistic, 0.0, elo1, mistakes, mistakes).unwrap();
        // One that never decides is a series.
        obeys_the_laws(|| Sprt::new(n_entrants, 60, test(1.0, 0.001)), seed);
        // One that does decides the same in any order, though other games may have been given beyond it.
        let mut runs = vec![];
        for _ in 0..3 {
            let mut format = Sprt::new(n_entrants, 200, test(200.0, 0.2));
            let mut run = Run { pairings: BTreeMap::new(), winners: vec![] };
            let results = play_on(&mut format, &mut run, seed, rng, usize::MAX);
            // Those that count are whole blocks from the first on, each once.
            let mut again = Sprt::new(n_entrants, 200, test(200.0, 0.2));
            let counted: Vec<u64> = results
                .iter()
                .flat_map(|result| again.count(result).unwrap())
                .map(|game| game.pairing)
                .collect();
            assert_eq!(again.run(), format.run());
            assert!(counted.iter().copied().eq((0..400).filter(|&pairing| again.counts(pairing))));
            assert_eq!(counted.len() as u64 % Series::new(n_entrants, 0).block_games(), 0);
            runs.push((format.run().clone(), counted));
        }
        assert!(runs.windows(2).all(|pair| pair[0] == pair[1]), "{runs:?}");
        decided += usize::from(runs[0].0.decision().is_some());
    }
    assert!(decided > 100, "{decided} of 200 have decided");
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
