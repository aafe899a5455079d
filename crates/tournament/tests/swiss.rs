//! Swiss tournaments, checked by a second look at the rules that knows nothing of matchings.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
#![allow(clippy::print_stderr, reason = "how long it took is worth reading")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use common::pick;
use rookery_referee::Cause;
use rookery_rules::{Outcome, Rng, Seat, Seed};
use rookery_tournament::{
    Entrant, Format, FormatOptions, GameResult, Next, Pairing, Points, Reason, Relaxed, Swiss, TableSize,
};

/// What the checker knows of a player, in half points and seats.
#[derive(Clone, Default, Debug)]
struct Player {
    halves: u32,
    met: BTreeSet<u32>,
    /// `true` for the first seat.
    seats: Vec<bool>,
    byes: u32,
}

impl Player {
    /// The seat it must have, if it must have one.
    fn must_have(&self) -> Option<bool> {
        let first = self.seats.iter().filter(|&&first| first).count() as i64;
        let difference = 2 * first - self.seats.len() as i64;
        match (difference, &self.seats[..]) {
            (2.., _) => Some(false),
            (..=-2, _) => Some(true),
            (_, [.., one, other]) if one == other => Some(!one),
            _ => None,
        }
    }
}

fn may_meet(players: &[Player], one: usize, other: usize, round: u32, last: bool) -> bool {
    let (a, b) = (&players[one], &players[other]);
    let is_top = |player: &Player| last && player.halves > round - 1;
    !a.met.contains(&(other as u32))
        && (a.must_have().is_none() || a.must_have() != b.must_have() || is_top(a) || is_top(b))
}

/// Is told of pairs, and who has the bye.
type Seen<'a> = dyn FnMut(&[(usize, usize)], Option<usize>) + 'a;

/// Goes through all legal pairings of those who are left, and tells of each.
fn all_pairings(
    left: &mut Vec<usize>,
    pairs: &mut Vec<(usize, usize)>,
    may_meet: &dyn Fn(usize, usize) -> bool,
    may_rest: &dyn Fn(usize) -> bool,
    seen: &mut Seen<'_>,
) {
    if left.len() < 2 {
        if left.first().is_none_or(|&player| may_rest(player)) {
            seen(pairs, left.first().copied());
        }
        return;
    }
    let first = left.remove(0);
    for idx in 0..left.len() {
        if may_meet(first, left[idx]) {
            let other = left.remove(idx);
            pairs.push((first, other));
            all_pairings(left, pairs, may_meet, may_rest, seen);
            pairs.pop();
            left.insert(idx, other);
        }
    }
    if left.len().is_multiple_of(2) && may_rest(first) {
        let mut others = left.clone();
        all_pairings(&mut others, pairs, may_meet, &|_| false, &mut |pairs, _| seen(pairs, Some(first)));
    }
    left.insert(0, first);
}

/// The lowest score that a bye can go to, and the most pairs within the highest score that then are possible.
fn best(players: &[Player], round: u32, last: bool) -> Option<(Option<u32>, usize)> {
    let highest = players.iter().map(|player| player.halves).max()?;
    let mut best: Option<(Option<u32>, usize)> = None;
    let mut left: Vec<usize> = (0..players.len()).collect();
    all_pairings(
        &mut left,
        &mut vec![],
        &|one, other| may_meet(players, one, other, round, last),
        &|player| players[player].byes == 0,
        &mut |pairs, bye| {
            let bye = bye.map(|player| players[player].halves);
            let top = |&(one, other): &(usize, usize)| {
                players[one].halves == highest && players[other].halves == highest
            };
            let top = pairs.iter().filter(|&pair| top(pair)).count();
            best = match best {
                Some((known, most)) if (known, std::cmp::Reverse(most)) <= (bye, std::cmp::Reverse(top)) => {
                    Some((known, most))
                }
                _ => Some((bye, top)),
            };
        },
    );
    best
}

fn relaxed(pairing: &Pairing) -> Relaxed {
    match pairing.reason {
        Reason::Swiss { relaxed, .. } => relaxed,
        ref other => panic!("{other:?} is no reason of a Swiss tournament"),
    }
}

/// Checks a round of one game a table, and takes note of it.
fn check_round(players: &mut [Player], pairings: &[Pairing], round: u32, last: bool) {
    let relaxed = pairings.first().map_or(Relaxed::Nothing, relaxed);
    let paired: BTreeSet<usize> =
        pairings.iter().flat_map(|pairing| &pairing.entrants).map(|entrant| entrant.index()).collect();
    assert_eq!(paired.len(), 2 * pairings.len(), "nobody plays twice in a round");
    let resting: Vec<usize> = (0..players.len()).filter(|player| !paired.contains(player)).collect();
    assert_eq!(resting.len(), players.len() % 2);
    for pairing in pairings {
        let (one, other) = (pairing.entrants[0].index(), pairing.entrants[1].index());
        assert!(relaxed >= Relaxed::Rematch || !players[one].met.contains(&(other as u32)));
        assert!(relaxed >= Relaxed::Seats || may_meet(players, one, other, round, last));
    }
    assert!(relaxed >= Relaxed::SecondBye || resting.iter().all(|&player| players[player].byes == 0));
    if players.len() <= 9 {
        match best(players, round, last) {
            None => assert!(relaxed > Relaxed::Nothing, "there is no legal pairing"),
            Some((bye, top)) => {
                assert_eq!(relaxed, Relaxed::Nothing, "there is a legal pairing");
                assert_eq!(resting.first().map(|&player| players[player].halves), bye);
                let highest = players.iter().map(|player| player.halves).max().unwrap();
                let is_top = |entrant: &Entrant| players[entrant.index()].halves == highest;
                let pairs = pairings.iter().filter(|pairing| pairing.entrants.iter().all(is_top)).count();
                assert_eq!(pairs, top, "as many as possible stay in the highest group");
            }
        }
    }
    for &player in &resting {
        players[player].byes += 1;
        players[player].halves += 2;
    }
}

fn outcome(rng: &mut Rng) -> Outcome {
    match pick(rng, 3) {
        0 => Outcome::draw(2),
        seat => Outcome::win(2, Seat::new(seat as u8 - 1)),
    }
}

/// Plays a tournament of one game a table, and checks each round.
fn play(n_entrants: usize, rounds: u32, seed: u64) {
    let rng = &mut Seed(seed).rng();
    let options = FormatOptions { games: Some(1), ..FormatOptions::default() };
    let mut format = Swiss::new(n_entrants, &options, rounds);
    let mut players = vec![Player::default(); n_entrants];
    for round in 1..=rounds {
        let Next::Play(pairings) = format.next(usize::MAX) else { panic!("round {round} is to be played") };
        check_round(&mut players, &pairings, round, round == rounds);
        for pairing in &pairings {
            let outcome = outcome(rng);
            for (seat, &entrant) in Seat::all(2).zip(&pairing.entrants) {
                let player = &mut players[entrant.index()];
                player.seats.push(seat.index() == 0);
                player.met.insert(pairing.entrants[1 - seat.index()].0);
                player.halves += match outcome.winners.len() {
                    2 => 1,
                    _ if outcome.winners.contains(seat) => 2,
                    _ => 0,
                };
            }
            format.take(&GameResult::new(pairing, Some(outcome), Cause::Normal));
        }
    }
    assert_eq!(format.next(1), Next::End);
    for (idx, player) in players.iter().enumerate() {
        let byes = format.byes().iter().filter(|bye| bye.entrant.index() == idx).count() as u32;
        assert_eq!(byes, player.byes);
    }
}

#[test]
fn every_round_is_legal_and_the_bye_goes_as_low_as_it_can() {
    for seed in 0..150 {
        let n_entrants = 2 + (seed % 8) as usize;
        play(n_entrants, (n_entrants as u32 - 1).min(7), seed);
    }
    for seed in 0..10 {
        play(20 + 7 * seed as usize, 7, seed);
    }
}

#[test]
fn two_hundred_are_paired_soon_enough() {
    let started = Instant::now();
    play(200, 9, 1);
    let nine = started.elapsed();
    eprintln!("9 rounds of 200: {nine:?}");
    assert!(nine.as_secs() < 60, "{nine:?}");
}

/// Whether those who are left can all sit at tables of so many without anybody meeting again: tries every way. `new` has for
/// each player those it has not met, a bit for each.
fn can_all_be_new(left: u64, new: &[u64], size: usize) -> bool {
    if left == 0 {
        return true;
    }
    let first = left.trailing_zeros() as usize;
    let others = left & (left - 1);
    fill_table(others & new[first], size - 1, others, new, size)
}

/// The same with a table that wants so many more, of these.
fn fill_table(mut may: u64, wanted: usize, left: u64, new: &[u64], size: usize) -> bool {
    if wanted == 0 {
        return can_all_be_new(left, new, size);
    }
    while may.count_ones() as usize >= wanted {
        let one = may.trailing_zeros() as usize;
        may &= may - 1;
        if fill_table(may & new[one], wanted - 1, left & !(1 << one), new, size) {
            return true;
        }
    }
    false
}

/// How often those at a table have sat where they sit now, added up, if they sit as well as can be: all ways are tried.
fn least(had: &[Vec<u32>], taken: u32, least_so_far: u32, so_far: u32) -> u32 {
    let Some((row, rest)) = had.split_first() else { return so_far.min(least_so_far) };
    let free = (0..row.len()).filter(|&seat| taken >> seat & 1 == 0 && so_far + row[seat] < least_so_far);
    free.fold(least_so_far, |best, seat| best.min(least(rest, taken | 1 << seat, best, so_far + row[seat])))
}

#[test]
fn larger_tables_meet_nobody_again_and_everybody_gets_around() {
    for (n_entrants, max) in [(24, 4), (40, 5), (72, 6), (84, 7), (64, 8), (31, 4), (201, 3)] {
        let rng = &mut Seed(n_entrants as u64).rng();
        let options =
            FormatOptions { size: TableSize { min: 3, max }, games: Some(1), ..FormatOptions::default() };
        let mut format = Swiss::new(n_entrants, &options, 5);
        let mut met: BTreeMap<(Entrant, Entrant), u32> = BTreeMap::new();
        let mut seats: BTreeMap<(Entrant, usize), u32> = BTreeMap::new();
        let mut games: BTreeMap<Entrant, u32> = BTreeMap::new();
        let mut new = [u64::MAX; 64];
        while let Next::Play(pairings) = format.next(usize::MAX) {
            let known = met.clone();
            for pairing in &pairings {
                let n_seats = pairing.entrants.len();
                assert!((3..=max).contains(&n_seats));
                let had = |one: Entrant, seat: usize| seats.get(&(one, seat)).copied().unwrap_or(0);
                let rows: Vec<Vec<u32>> = pairing
                    .entrants
                    .iter()
                    .map(|&one| (0..n_seats).map(|seat| had(one, seat)).collect())
                    .collect();
                let now: u32 = rows.iter().enumerate().map(|(seat, row)| row[seat]).sum();
                assert_eq!(now, least(&rows, 0, u32::MAX, 0), "{n_entrants} at tables of {max}: {rows:?}");
                for (seat, &one) in pairing.entrants.iter().enumerate() {
                    *seats.entry((one, seat)).or_default() += 1;
                    *games.entry(one).or_default() += 1;
                    for &other in &pairing.entrants[seat + 1..] {
                        *met.entry((one.min(other), one.max(other))).or_default() += 1;
                    }
                }
                let winner = Seat::new(pick(rng, n_seats) as u8);
                format.take(&GameResult::new(pairing, Some(Outcome::win(n_seats, winner)), Cause::Normal));
            }
            let again = met
                .iter()
                .filter(|&(pair, &times)| times > known.get(pair).copied().unwrap_or(0).max(1))
                .count();
            if n_entrants == 64 {
                // Each table has to take one from every table of every round before: from the fourth on there is no way.
                let is_possible = can_all_be_new(u64::MAX, &new, max);
                assert_eq!(again == 0, is_possible, "{again} met again");
            } else {
                assert_eq!(again, 0, "{n_entrants} at tables of {max} met again");
            }
            for &(one, other) in met.keys().filter(|_| n_entrants == 64) {
                new[one.index()] &= !(1 << other.index());
                new[other.index()] &= !(1 << one.index());
            }
        }
        assert!(games.len() == n_entrants && games.values().all(|&games| games == 5));
        let most = if max == 3 { 3 } else { 2 };
        assert!(seats.values().all(|&times| times <= most), "five games at {max} seats: {seats:?}");
    }
}

#[test]
fn who_comes_late_plays_from_the_next_round_and_who_leaves_to_the_end_of_its_own() {
    let options = FormatOptions::default();
    let mut format = Swiss::new(6, &options, 3);
    let Next::Play(first) = format.next(usize::MAX) else { panic!("three tables of two games") };
    assert_eq!(first.len(), 6);
    assert_eq!(format.join(), Some(Entrant(6)));
    format.leave(Entrant(0));
    for pairing in &first {
        format.take(&GameResult::new(pairing, Some(Outcome::draw(2)), Cause::Normal));
    }
    let Next::Play(second) = format.next(usize::MAX) else { panic!("six are there") };
    let playing: BTreeSet<Entrant> = second.iter().flat_map(|pairing| pairing.entrants.clone()).collect();
    assert!(playing.into_iter().eq((1..7).map(Entrant)));
    // Another run is told who came and went, and then the results.
    let mut resumed = Swiss::new(6, &options, 3);
    format.changes().iter().for_each(|change| resumed.change(change));
    for pairing in &first {
        resumed.take(&GameResult::new(pairing, Some(Outcome::draw(2)), Cause::Normal));
    }
    assert_eq!(resumed.next(usize::MAX), Next::Play(second));
}

#[test]
fn a_bye_is_worth_all_games_of_the_round_and_nobody_has_two() {
    let mut format = Swiss::new(5, &FormatOptions::default(), 4);
    while let Next::Play(pairings) = format.next(usize::MAX) {
        for pairing in &pairings {
            format.take(&GameResult::new(pairing, Some(Outcome::draw(2)), Cause::Normal));
        }
    }
    let byes = format.byes();
    let who: BTreeSet<Entrant> = byes.iter().map(|bye| bye.entrant).collect();
    assert_eq!((byes.len(), who.len()), (4, 4));
    assert!(byes.iter().all(|bye| bye.points == Points::ONE * 2));
}

#[test]
fn forbidden_pairs_never_meet_and_what_had_to_be_allowed_is_said() {
    let mut options = FormatOptions { games: Some(1), ..FormatOptions::default() };
    options.forbid(Entrant(0), Entrant(1));
    let mut format = Swiss::new(4, &options, 6);
    let mut said = vec![];
    while let Next::Play(pairings) = format.next(usize::MAX) {
        for pairing in &pairings {
            assert!(!options.is_forbidden(&pairing.entrants));
            said.push(relaxed(pairing));
            format.take(&GameResult::new(pairing, Some(Outcome::draw(2)), Cause::Normal));
        }
    }
    assert_eq!(said[0], Relaxed::Nothing);
    assert_eq!(said.last(), Some(&Relaxed::Rematch), "four cannot play six rounds without meeting again");
}
