//! What each format promises, for 2 to 200 entrants and 2 to 8 seats.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::pick;
use common::reference::{cases, numbers};
use rookery_ratings::sprt::{Model, Sprt as Test};
use rookery_referee::{Cause, Offence};
use rookery_rules::{BySeat, Outcome, Rng, Seat, Seats, Seed};
use rookery_tournament::{
    Change, Cup, CupOptions, Entrant, Format, FormatOptions, GameResult, Gauntlet, Groups, Ladder, Next,
    Pairing, PointRule, RoundRobin, Seating, Sprt, Standings, Swiss, TableSize, TieBreaks,
};

/// The lower number is the stronger one, most of the time.
fn play_out(pairing: &Pairing, rng: &mut Rng) -> GameResult {
    let score = |seat: Seat| pick(rng, 30) as i32 - pairing.entrants[seat.index()].0 as i32;
    let scores = BySeat::new(pairing.entrants.len(), score);
    GameResult::new(pairing, Some(Outcome::by_score(scores)), Cause::Normal)
}

/// The favourite wins.
fn favourite(pairing: &Pairing) -> GameResult {
    let scores: BySeat<i32> = pairing.entrants.iter().map(|entrant| -(entrant.0 as i32)).collect();
    GameResult::new(pairing, Some(Outcome::by_score(scores)), Cause::Normal)
}

/// Plays everything, and gives back what was played, by pairing.
fn play(format: &mut dyn Format, result: &mut dyn FnMut(&Pairing) -> GameResult) -> Vec<GameResult> {
    let mut results = vec![];
    while let Next::Play(pairings) = format.next(1000) {
        for pairing in &pairings {
            assert!(!pairing.reason.to_string().is_empty());
            let result = result(pairing);
            format.take(&result);
            results.push(result);
            assert!(results.len() < 3_000_000, "it ends");
        }
    }
    assert_eq!(format.next(1), Next::End);
    results
}

fn play_random(format: &mut dyn Format, seed: u64) -> Vec<GameResult> {
    let rng = &mut Seed(seed).rng();
    play(format, &mut |pairing| play_out(pairing, rng))
}

/// How often each pair sat at one table.
fn meetings(results: &[GameResult]) -> BTreeMap<(Entrant, Entrant), u64> {
    let mut met = BTreeMap::new();
    for result in results {
        for (idx, &one) in result.entrants.iter().enumerate() {
            for &other in &result.entrants[idx + 1..] {
                *met.entry((one.min(other), one.max(other))).or_default() += 1;
            }
        }
    }
    met
}

/// How often each sat on each seat.
fn seats(results: &[GameResult]) -> BTreeMap<Entrant, Vec<u64>> {
    let mut seats: BTreeMap<Entrant, Vec<u64>> = BTreeMap::new();
    for result in results {
        for (seat, &entrant) in result.entrants.iter().enumerate() {
            let counts = seats.entry(entrant).or_default();
            counts.resize(counts.len().max(result.entrants.len()), 0);
            counts[seat] += 1;
        }
    }
    seats
}

fn spread(counts: impl IntoIterator<Item = u64> + Clone) -> u64 {
    counts.clone().into_iter().max().unwrap_or(0) - counts.into_iter().min().unwrap_or(0)
}

#[test]
fn round_robins_of_two_let_everybody_meet_everybody_equally_often() {
    for n_entrants in [2, 3, 4, 7, 10, 33, 64, 101, 200] {
        for (double, games) in [(false, Some(1)), (false, None), (true, Some(1)), (true, Some(3))] {
            let options = FormatOptions { games, ..FormatOptions::default() };
            let mut format = RoundRobin::new(n_entrants, &options, double, None);
            let promised = format.games();
            let results = play_random(&mut format, n_entrants as u64);
            assert_eq!(results.len() as u64, promised);
            let each = games.unwrap_or(2) * if double { 2 } else { 1 };
            let met = meetings(&results);
            assert_eq!(met.len(), n_entrants * (n_entrants - 1) / 2);
            assert!(met.values().all(|&times| times == each));
            let worst = seats(&results).into_values().map(spread).max().unwrap();
            assert!(worst <= 1, "{n_entrants}, {double}, {games:?}: seats differ by {worst}");
        }
    }
}

#[test]
fn round_robins_of_larger_tables_are_balanced() {
    let mut differ = vec![];
    for (n_entrants, seats_at) in
        [(3, 3), (7, 3), (9, 3), (16, 4), (20, 5), (24, 8), (49, 7), (100, 6), (200, 8)]
    {
        let options = FormatOptions { size: TableSize { min: 2, max: seats_at }, ..FormatOptions::default() };
        let mut format = RoundRobin::new(n_entrants, &options, false, None);
        let results = play_random(&mut format, 1);
        assert_eq!(results.len() as u64, format.games());
        // At tables of each size everybody has every seat equally often.
        for size in 2..=seats_at {
            let of_size: Vec<GameResult> =
                results.iter().filter(|result| result.entrants.len() == size).cloned().collect();
            for (entrant, mut counts) in seats(&of_size) {
                counts.resize(size, 0);
                assert_eq!(spread(counts.clone()), 0, "{entrant:?} sat {counts:?} at tables of {size}");
            }
        }
        let tables: BTreeSet<(u64, &[Entrant])> =
            results.iter().map(|result| (result.block, &result.entrants[..])).collect();
        assert_eq!(tables.len(), results.len(), "nobody sits twice in the same way at one start");
        // One game stands for a table: nobody rests, and whom somebody meets how often differs little.
        let once: BTreeMap<u64, GameResult> =
            results.iter().rev().map(|result| (result.block, result.clone())).collect();
        let once: Vec<GameResult> = once.into_values().collect();
        let tables = seats(&once).into_values().map(|counts| counts.into_iter().sum::<u64>());
        let tables: Vec<u64> = tables.collect();
        assert_eq!((tables.len(), spread(tables)), (n_entrants, 0), "{n_entrants} at tables of {seats_at}");
        let met = meetings(&once);
        let least =
            if met.len() == n_entrants * (n_entrants - 1) / 2 { met.values().min() } else { Some(&0) };
        differ.push(((n_entrants, seats_at), met.values().max().unwrap() - least.unwrap()));
    }
    // Lines of a plane, and one table for all, are even; a search comes near to it.
    let most = [0, 1, 0, 0, 3, 3, 0, 3, 4];
    assert!(differ.iter().zip(most).all(|((_, differ), most)| *differ <= most), "{differ:?}");
    let full = FormatOptions { size: TableSize::full(4), games: Some(1), ..FormatOptions::default() };
    let results = play_random(&mut RoundRobin::new(10, &full, false, Some(10)), 1);
    let counts = seats(&results).into_values().map(|counts| counts.into_iter().sum::<u64>());
    assert_eq!(results.len(), 20, "two tables, two rest, ten rounds");
    assert!(spread(counts.collect::<Vec<_>>()) <= 1, "rests are shared");
}

#[test]
fn gauntlets_let_challengers_meet_all_others_and_nobody_else() {
    for (n_entrants, challengers) in [(2, 1), (5, 1), (5, 4), (9, 3), (200, 2), (200, 150)] {
        let mut format = Gauntlet::new(n_entrants, challengers, &FormatOptions::default());
        let results = play_random(&mut format, 3);
        let met = meetings(&results);
        assert_eq!(met.len(), challengers * (n_entrants - challengers));
        let crosses =
            |(one, other): &(Entrant, Entrant)| one.index() < challengers && other.index() >= challengers;
        assert!(met.keys().all(crosses) && met.values().all(|&times| times == 2));
        assert!(seats(&results).into_values().all(|counts| spread(counts) == 0));
    }
}

#[test]
fn swiss_rounds_seat_everybody_without_meeting_again() {
    for n_entrants in [4, 9, 16, 31, 64, 101] {
        for games in [Some(1), None] {
            let options = FormatOptions { games, ..FormatOptions::default() };
            let rounds = (n_entrants as u32).ilog2() + 1;
            let mut format = Swiss::new(n_entrants, &options, rounds);
            let results = play_random(&mut format, 5);
            let each = games.unwrap_or(2);
            assert!(meetings(&results).values().all(|&times| times == each), "nobody meets again");
            let byes = format.byes();
            let mut games: BTreeMap<Entrant, u64> = byes.iter().map(|bye| (bye.entrant, each)).collect();
            results
                .iter()
                .flat_map(|result| &result.entrants)
                .for_each(|&one| *games.entry(one).or_default() += 1);
            assert!(Entrant::all(n_entrants).all(|entrant| games[&entrant] == each * u64::from(rounds)));
            let worst = seats(&results).into_values().map(|mut counts| {
                counts.resize(2, 0);
                spread(counts)
            });
            assert!(worst.max().unwrap() <= 2, "seats are balanced");
        }
    }
}

#[test]
fn cups_end_with_the_favourite_if_favourites_win() {
    for n_entrants in [2, 3, 5, 6, 8, 11, 24, 100, 200] {
        for bronze in [false, true] {
            let cup = CupOptions { bronze, ..CupOptions::default() };
            let mut format = Cup::new(n_entrants, &FormatOptions::default(), &cup);
            let results = play(&mut format, &mut favourite);
            let third = usize::from(bronze && n_entrants >= 4);
            assert_eq!(results.len(), 2 * (n_entrants - 1 + third), "{n_entrants}");
            assert_eq!(format.winners(), [Entrant(0)]);
            let ranking = format.ranking();
            assert_eq!(ranking[..2], [vec![Entrant(0)], vec![Entrant(1)]]);
            if third == 1 {
                assert_eq!(ranking[2..4], [vec![Entrant(2)], vec![Entrant(3)]]);
            }
            let mut all = ranking.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(Entrant::all(n_entrants)), "everybody has a place");
            let mut standings = Standings::new(n_entrants, PointRule::Places);
            for result in &results {
                assert!(standings.add(result));
            }
            let table = standings.table(&TieBreaks::default(), &ranking);
            assert_eq!((table[0].entrant, table[1].entrant), (Entrant(0), Entrant(1)));
        }
    }
}

#[test]
fn cups_of_larger_tables_go_on_until_one_table_is_left() {
    for (n_entrants, min, max, advance) in
        [(16, 4, 4, 1), (16, 4, 4, 2), (10, 3, 4, 1), (200, 8, 8, 3), (7, 3, 3, 1)]
    {
        let options =
            FormatOptions { size: TableSize { min, max }, games: Some(1), ..FormatOptions::default() };
        let mut format = Cup::new(n_entrants, &options, &CupOptions { advance, ..CupOptions::default() });
        let results = play(&mut format, &mut favourite);
        assert_eq!(format.winners(), [Entrant(0)], "{n_entrants} at {max}");
        assert!(results.iter().all(|result| (min..=max).contains(&result.entrants.len())));
        assert_eq!(format.ranking().concat().len(), n_entrants);
    }
}

#[test]
fn tied_meetings_play_on_and_then_the_better_seed_goes_on() {
    let cup = CupOptions { extra_blocks: 2, ..CupOptions::default() };
    let mut format = Cup::new(2, &FormatOptions::default(), &cup);
    let results =
        play(&mut format, &mut |pairing| GameResult::new(pairing, Some(Outcome::draw(2)), Cause::Normal));
    assert_eq!((results.len(), format.winners()), (6, vec![Entrant(0)]));
    // The second extra block decides.
    let mut format = Cup::new(2, &FormatOptions::default(), &cup);
    let mut games = 0;
    let results = play(&mut format, &mut |pairing| {
        games += 1;
        let seat = pairing.entrants.iter().position(|&entrant| entrant == Entrant(1)).unwrap();
        let outcome = if games > 4 { Outcome::win(2, Seat::new(seat as u8)) } else { Outcome::draw(2) };
        GameResult::new(pairing, Some(outcome), Cause::Normal)
    });
    assert_eq!((results.len(), format.winners()), (6, vec![Entrant(1)]));
}

#[test]
fn groups_send_their_best_into_the_bracket() {
    let cup = CupOptions { groups: Some(Groups { size: 4, advance: 2 }), ..CupOptions::default() };
    let mut format = Cup::new(12, &FormatOptions { games: Some(2), ..FormatOptions::default() }, &cup);
    let results = play(&mut format, &mut favourite);
    // Three groups of four, then six in a bracket of eight.
    assert_eq!(results.len(), 3 * 6 * 2 + 5 * 2);
    assert_eq!(format.winners(), [Entrant(0)]);
    let ranking = format.ranking();
    assert_eq!(ranking[0], [Entrant(0)]);
    assert_eq!(ranking.last().unwrap().len(), 3, "the last of each group");
    assert_eq!(ranking.concat().len(), 12);
}

#[test]
fn reference_knock_out() {
    for case in cases("knock_out") {
        let n_entrants = case["entrants"].as_u64().unwrap() as usize;
        let options = FormatOptions { games: Some(1), ..FormatOptions::default() };
        let cup = CupOptions { extra_blocks: 0, ..CupOptions::default() };
        let mut format = Cup::new(n_entrants, &options, &cup);
        let Next::Play(first) = format.next(usize::MAX) else { panic!("a round is to be played") };
        let seeds = |pairing: &Pairing| -> Vec<u64> {
            let mut seeds: Vec<u64> =
                pairing.entrants.iter().map(|entrant| u64::from(entrant.0) + 1).collect();
            seeds.sort_unstable();
            seeds
        };
        let made: Vec<Vec<u64>> = first.iter().map(seeds).collect();
        let expected: Vec<Vec<u64>> = case["first_round"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| numbers(pair).map(|seed| seed as u64).collect())
            .collect();
        assert_eq!(made, expected, "{n_entrants} entrants");
        let playing: BTreeSet<u64> = made.concat().into_iter().collect();
        let byes: Vec<u64> = (1..=n_entrants as u64).filter(|seed| !playing.contains(seed)).collect();
        assert_eq!(byes, numbers(&case["byes"]).map(|seed| seed as u64).collect::<Vec<_>>());
        // Favourites win: the sum of two seeds is the same in every round.
        let mut left = case["slots"].as_array().unwrap().len();
        for pairing in &first {
            format.take(&favourite(pairing));
        }
        while let Next::Play(pairings) = format.next(usize::MAX) {
            left /= 2;
            for pairing in &pairings {
                assert_eq!(seeds(pairing).into_iter().sum::<u64>(), left as u64 + 1);
                format.take(&favourite(pairing));
            }
        }
        assert_eq!(format.winners(), [Entrant(0)]);
    }
}

#[test]
fn ladders_end_and_leave_nobody_out() {
    for (n_entrants, max, games) in [(2, 2, 50), (10, 2, 2000), (9, 4, 1600), (200, 2, 4000)] {
        let options = FormatOptions { size: TableSize { min: 2, max }, ..FormatOptions::default() };
        let mut format = Ladder::new(n_entrants, &options, games);
        let results = play_random(&mut format, 7);
        assert_eq!(results.len() as u64, games.next_multiple_of(Seating::block_games(max)));
        let each: Vec<u64> = seats(&results).into_values().map(|counts| counts.into_iter().sum()).collect();
        assert_eq!(each.len(), n_entrants);
        let (least, most) = (*each.iter().min().unwrap(), *each.iter().max().unwrap());
        assert!(most <= 3 * least + Seating::block_games(max), "{least} to {most} games");
    }
}

#[test]
fn ladders_pair_those_of_like_strength_once_they_are_known() {
    // Strength has nothing to do with numbers, and everybody meets a few of the others.
    let strength = |entrant: &Entrant| (entrant.0 as i32 * 17) % 41;
    let mut format = Ladder::new(41, &FormatOptions::default(), 41 * 12);
    let results = play(&mut format, &mut |pairing| {
        let scores: BySeat<i32> = pairing.entrants.iter().map(strength).collect();
        GameResult::new(pairing, Some(Outcome::by_score(scores)), Cause::Normal)
    });
    let apart = |results: &[GameResult]| -> f64 {
        let distance =
            |result: &GameResult| strength(&result.entrants[0]).abs_diff(strength(&result.entrants[1]));
        results.iter().map(|result| f64::from(distance(result))).sum::<f64>() / results.len() as f64
    };
    let (first, last) = (apart(&results[..100]), apart(&results[results.len() - 100..]));
    assert!(last < 0.8 * first, "{last} at the end, {first} at first");
}

#[test]
fn who_fails_too_often_in_a_row_is_suspended_and_the_others_play_on() {
    let faulty = Entrant(2);
    let options = FormatOptions { max_faults: Some(3), ..FormatOptions::default() };
    let crash = |pairing: &Pairing| {
        let mut result = favourite(pairing);
        if pairing.entrants.contains(&faulty) {
            result.failed = vec![faulty];
            result.faults = vec![(faulty, Offence::Crashed)];
            result.cause = Cause::Offence(Offence::Crashed);
        }
        result
    };
    let formats: [Box<dyn Format>; 4] = [
        Box::new(RoundRobin::new(8, &options, false, None)),
        Box::new(Gauntlet::new(8, 3, &options)),
        Box::new(Swiss::new(8, &options, 6)),
        Box::new(Ladder::new(8, &options, 400)),
    ];
    for mut format in formats {
        let mut crash = crash;
        let results = play(&mut *format, &mut crash);
        assert_eq!(format.suspended(), [faulty]);
        let failed = results.iter().filter(|result| result.failed.contains(&faulty)).count();
        assert!((3..=20).contains(&failed), "{failed} games");
        assert!(results.len() > failed + 10, "the others play on");
        let mut standings = Standings::new(8, PointRule::Places);
        for result in &results {
            assert!(standings.add(result));
        }
        let table = standings.table(&TieBreaks::default(), &[]);
        let row = table.iter().find(|standing| standing.entrant == faulty).unwrap();
        assert_eq!(row.faults["crashed"], failed as u64);
    }
}

#[test]
fn who_leaves_a_round_robin_plays_nothing_more_and_who_comes_late_meets_all() {
    let options = FormatOptions::default();
    let mut format = RoundRobin::new(4, &options, false, None);
    let Next::Play(first) = format.next(4) else { panic!("games are to be played") };
    let gone = first[0].entrants[0];
    format.leave(gone);
    assert_eq!(format.join(), Some(Entrant(4)));
    for pairing in &first {
        format.take(&favourite(pairing));
    }
    let rest = play(&mut format, &mut favourite);
    assert!(rest.iter().all(|result| !result.entrants.contains(&gone)));
    let newcomer = rest.iter().filter(|result| result.entrants.contains(&Entrant(4))).count();
    assert_eq!(newcomer, 6, "two games against each of the three who are there");
    let [Change::Leave { entrant, .. }, Change::Join { .. }] = format.changes()[..] else {
        panic!("{:?}", format.changes())
    };
    assert_eq!(entrant, gone);
    // Another run that is told so plays the same.
    let mut resumed = RoundRobin::new(4, &options, false, None);
    format.changes().iter().for_each(|change| resumed.change(change));
    for pairing in &first {
        resumed.take(&favourite(pairing));
    }
    let again = play(&mut resumed, &mut favourite);
    assert_eq!(again, rest);
}

/// Scores of those who were removed are no places: nobody has points for such a game, and no rating counts it.
#[test]
fn a_game_from_which_everybody_was_removed_says_nothing_to_a_test() {
    for n_entrants in [2, 3] {
        let test = Test::new(Model::Logistic, 0.0, 50.0, 0.05, 0.05).unwrap();
        let mut format = Sprt::new(n_entrants, 600, test);
        let block = Seating::block_games(n_entrants) as usize;
        let Next::Play(pairings) = format.next(2 * block) else { panic!("600 games are to be played") };
        for (idx, pairing) in pairings.iter().enumerate() {
            let scores = BySeat::new(n_entrants, |seat| 10 - pairing.entrants[seat.index()].0 as i32);
            let winners = if idx == 1 { Seats::NONE } else { Seats::only(Seat::new(0)) };
            let outcome = Outcome { scores, winners };
            format.take(&GameResult::new(pairing, Some(outcome), Cause::Normal));
        }
        let run = format.run();
        assert_eq!((run.dropped(), run.counts().iter().sum::<u64>()), (1, 1), "{n_entrants}: {run:?}");
    }
}
