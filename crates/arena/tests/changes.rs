//! Who comes late, who leaves, and boards that are chosen before the first game.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::{BTreeMap, BTreeSet};

use rookery_arena::{Holding, Tournament};
use rookery_live::{GRACE, Signal, Stopping};
use rookery_store::{Options, PairingState, Reserve, Store};
use rookery_testkit::TempFolder;
use rookery_tournament::{EntrantSpec, Format as _, Next, TournamentSpec};
use rookery_wire::Protocols;
use serde_json::{Value, json};

fn store(folder: &TempFolder) -> Store {
    let reserve = Reserve { bytes: 0, percent: 0 };
    let options = Options { ballast: 1 << 20, reserve, ..Options::default() };
    Store::open(folder.join("games.db").to_str().unwrap(), &options).unwrap()
}

fn spec(format: &Value, more: &Value) -> TournamentSpec {
    let entrants = ["ann", "bob", "eve", "joe"].map(|name| json!({"name": name, "player": "random"}));
    let mut spec = json!({"name": "evening", "games": ["hexapawn"], "format": format, "entrants": entrants, "seed": "5"});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(spec).unwrap()
}

/// Plays until so many games have ended, or all.
fn play(tournament: &Tournament, most: usize) -> bool {
    let protocols = Protocols::default();
    let holding = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 1,
        affinity: true,
        announce: &|_, _| (),
        elsewhere: None,
    };
    let stopping = Stopping::new(GRACE);
    if most == 0 {
        stopping.request(Signal::Interrupt);
    }
    let mut played = 0;
    let held = tournament.hold(&holding, &stopping, &mut (), &mut |_| (), &mut |_| {
        played += 1;
        if played == most {
            stopping.request(Signal::Interrupt);
        }
        Ok(())
    });
    held.unwrap().complete
}

fn late(name: &str) -> EntrantSpec {
    EntrantSpec { name: name.to_owned(), player: "first".parse().unwrap(), version: None }
}

/// How often each two met, by name.
fn met(tournament: &Tournament) -> BTreeMap<(String, String), usize> {
    let name = |idx: usize| tournament.spec().entrants[idx].name.clone();
    let mut met = BTreeMap::new();
    for result in tournament.results().unwrap() {
        let mut pair =
            result.unwrap().entrants.iter().map(|entrant| name(entrant.index())).collect::<Vec<_>>();
        pair.sort();
        *met.entry((pair[0].clone(), pair[1].clone())).or_default() += 1;
    }
    met
}

#[test]
fn who_comes_late_meets_everybody_and_who_leaves_nobody_any_more() {
    let folder = TempFolder::new("arena");
    let store = store(&folder);
    for n_first in [0, 1, 5] {
        let format = json!({"kind": "round-robin"});
        // With this rule nobody plays two games at a time, so that only few are on the way when it stops.
        let rule = json!({"max_faults": 1});
        let id = Tournament::create(&store, spec(&format, &rule)).unwrap().id();
        assert!(!play(&Tournament::open(&store, id).unwrap(), n_first));
        let mut tournament = Tournament::open(&store, id).unwrap();
        tournament.enter(late("late")).unwrap();
        let left_with: usize = met(&tournament)
            .iter()
            .filter(|((one, other), _)| one == "bob" || other == "bob")
            .map(|(_, n)| n)
            .sum();
        tournament.withdraw("bob").unwrap();
        let again = tournament.withdraw("bob").unwrap_err().to_string();
        assert!(again.contains("it has left already"), "{again}");
        let taken = tournament.enter(late("late")).unwrap_err().to_string();
        assert!(taken.contains("both called \"late\""), "{taken}");
        let unknown = tournament.withdraw("bbo").unwrap_err().to_string();
        assert!(unknown.contains("did you mean \"bob\"?"), "{unknown}");
        drop(tournament);
        // Stopped once more on the way: it is all in the store.
        assert!(!play(&Tournament::open(&store, id).unwrap(), 2));
        let tournament = Tournament::open(&store, id).unwrap();
        assert!(play(&tournament, usize::MAX));
        let met = met(&tournament);
        for other in ["ann", "eve", "joe"] {
            assert_eq!(met[&(other.to_owned(), "late".to_owned())], 2, "{met:?}");
        }
        let with_bob: usize =
            met.iter().filter(|((one, other), _)| one == "bob" || other == "bob").map(|(_, n)| n).sum();
        assert!(with_bob <= left_with + 1, "a block that was begun at most: {met:?}");
        assert!(!met.contains_key(&("bob".to_owned(), "late".to_owned())), "{met:?}");
        let entrants = store.tournament_entrants(id).unwrap();
        assert_eq!(
            entrants.iter().map(|entrant| entrant.present).collect::<Vec<_>>(),
            [true, false, true, true, true]
        );
        let over = Tournament::open(&store, id).unwrap().enter(late("later")).unwrap_err().to_string();
        assert!(over.ends_with("is over"), "{over}");
    }
}

#[test]
fn rounds_are_paired_anew_with_who_is_there() {
    let folder = TempFolder::new("arena");
    let store = store(&folder);
    for n_first in 0..5 {
        let format = json!({"kind": "swiss", "rounds": 3});
        let id = Tournament::create(&store, spec(&format, &json!({}))).unwrap().id();
        assert!(!play(&Tournament::open(&store, id).unwrap(), n_first));
        let mut tournament = Tournament::open(&store, id).unwrap();
        // One more may have been running when it was told to stop.
        let n_first = tournament.results().unwrap().count();
        tournament.enter(late("late")).unwrap();
        tournament.withdraw("ann").unwrap();
        let tournament = Tournament::open(&store, id).unwrap();
        assert!(play(&tournament, usize::MAX), "after {n_first} games");
        let met = met(&tournament);
        assert!(met.keys().any(|(one, other)| one == "late" || other == "late"), "{met:?}");
        let rounds_of_ann = met.keys().filter(|(one, _)| one == "ann").count();
        assert_eq!(rounds_of_ann, n_first.div_ceil(4), "it plays the round that has begun: {met:?}");
        let pairings = store.pairings(id, None).unwrap();
        assert!(pairings.iter().all(|pairing| pairing.state == PairingState::Done), "{pairings:?}");
        let played: BTreeSet<u64> =
            tournament.results().unwrap().map(|result| result.unwrap().pairing).collect();
        assert_eq!(pairings.iter().map(|pairing| pairing.id).collect::<BTreeSet<_>>(), played);
    }
}

#[test]
fn a_format_that_takes_nobody_says_so() {
    let folder = TempFolder::new("arena");
    let store = store(&folder);
    let mut cup = Tournament::create(&store, spec(&json!({"kind": "knock-out"}), &json!({}))).unwrap();
    let refused = cup.enter(late("late")).unwrap_err().to_string();
    assert!(refused.contains("the format takes nobody any more"), "{refused}");
    cup.withdraw("joe").unwrap();
    assert!(play(&cup, usize::MAX));
}

#[test]
fn balanced_boards_are_the_openings_of_whole_blocks() {
    let folder = TempFolder::new("arena");
    let store = store(&folder);
    let games = json!(["hexapawn:rows=4,cols=4", "fish:rows=3,cols=4"]);
    let more = |seed: &str| json!({"games": games, "balanced": {"boards": 2, "plies": 4}, "seed": seed});
    let format = json!({"kind": "round-robin"});
    let tournament = Tournament::create(&store, spec(&format, &more("5"))).unwrap();
    let openings = tournament.spec().openings.clone();
    assert_eq!((openings.len(), tournament.spec().balanced), (4, None), "two of each game, found once");
    assert_eq!(openings.iter().filter(|opening| opening.game.as_deref() == games[0].as_str()).count(), 2);
    let again = Tournament::create(&store, spec(&format, &more("5"))).unwrap();
    assert_eq!(again.spec().openings, openings);
    let other = Tournament::create(&store, spec(&format, &more("6"))).unwrap();
    assert_ne!(other.spec().openings, openings);
    assert!(play(&tournament, usize::MAX));
    // Both games of a block begin alike, with swapped seats.
    let mut blocks: BTreeMap<u64, Vec<(String, Vec<String>)>> = BTreeMap::new();
    for stored in store.results(tournament.id()).unwrap() {
        let stored = stored.unwrap();
        let record = store.record(stored.id).unwrap();
        let header: Value =
            serde_json::from_slice(record.split(|&byte| byte == b'\n').next().unwrap()).unwrap();
        let first = &header["record"]["match"];
        let start = first["start"]["position"].as_str().unwrap_or_else(|| panic!("{first}")).to_owned();
        assert!(openings.iter().any(|opening| opening.position.as_ref() == Some(&start)), "{start}");
        let names: Vec<String> =
            first["seats"].as_array().unwrap().iter().map(|seat| seat["name"].to_string()).collect();
        blocks.entry(stored.result.block).or_default().push((start, names));
    }
    assert_eq!(blocks.len(), 6);
    for block in blocks.values() {
        let [(one, first), (other, second)] = &block[..] else { panic!("{block:?}") };
        assert!(one == other && first.iter().eq(second.iter().rev()), "{block:?}");
    }
}

/// Another version of the program may have paired a round otherwise: what it has paired is neither lost nor played otherwise.
#[test]
fn a_round_that_was_paired_otherwise_is_refused_before_anything_is_played() {
    let folder = TempFolder::new("arena");
    let store = store(&folder);
    let tournament =
        Tournament::create(&store, spec(&json!({"kind": "swiss", "rounds": 2}), &json!({}))).unwrap();
    let Next::Play(mut paired) = tournament.format().unwrap().next(usize::MAX) else { panic!("two tables") };
    // As it is paired here, all is well.
    store.put_pairings(tournament.id(), &paired[..1]).unwrap();
    tournament.expect_own_pairings(&store).unwrap();
    let (first, last) = (paired[0].entrants[0], paired.len() - 1);
    assert!(!paired[last].entrants.contains(&first));
    paired[last].entrants[0] = first;
    store.put_pairings(tournament.id(), &paired[last..]).unwrap();
    let error = tournament.expect_own_pairings(&store).unwrap_err().to_string();
    assert!(error.contains("was paired by another version") && error.contains("in round 1"), "{error}");
    let protocols = Protocols::default();
    let holding = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 1,
        affinity: false,
        announce: &|_, _| (),
        elsewhere: None,
    };
    let held = tournament
        .hold(&holding, &Stopping::new(GRACE), &mut (), &mut |_| (), &mut |_| panic!("it is refused"));
    assert_eq!(held.unwrap_err().to_string(), error);
}
