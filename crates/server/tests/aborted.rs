//! A game that failed by our fault, in a tournament that a test ends: its block is left out, and no other.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Running, folder};
use rookery_arena::Tournament;
use rookery_games::hexapawn::Setup;
use rookery_record::{Header, Key, RecordWriter};
use rookery_referee::{Cause, Ending, Event, Evidence, MatchSpec, Observer as _, Referee, Verdict};
use rookery_rules::{Notation as _, Position as _, Seed, Setup as _};
use rookery_store::{NewGame, Options, Reserve, Store, TournamentState};
use rookery_tournament::{Format as _, Next};
use serde_json::json;

/// The record of a random match, or of one that we could not play.
fn record(names: &[String], seed: u64, is_aborted: bool) -> Vec<u8> {
    let start = Setup::default().start();
    let players: Vec<String> = names.iter().map(|name| format!("{name}=random")).collect();
    let spec = MatchSpec::new("hexapawn", players.iter().map(String::as_str), Seed(seed)).unwrap();
    let mut referee = Referee::of_spec(&spec, start.clone());
    let mut record = vec![];
    let mut writer = RecordWriter::new(&mut record, Header::new(spec, start.to_text()));
    writer.see(&Event::Started(Box::new(start.clone())), &start);
    let mut rng = Seed(seed).rng();
    while !is_aborted && referee.verdict().is_none() {
        let mv = referee.position().random_move(&mut rng).unwrap();
        if let Some(event) = referee.judge(Ok(mv), None) {
            writer.see(&event, referee.position());
        }
    }
    let verdict = referee.verdict().cloned().unwrap_or_else(|| {
        let evidence = Evidence { note: "the test says so".to_owned(), ..Evidence::default() };
        let ending = Ending { cause: Cause::PlatformAbort, seat: None, evidence: Some(Box::new(evidence)) };
        Verdict { ending, outcome: None, plies: 0, removed: vec![] }
    });
    writer.see(&Event::Ended(Box::new(verdict)), referee.position());
    writer.finish().unwrap();
    record
}

#[test]
fn an_aborted_game_leaves_its_own_block_out_of_a_test() {
    let folder = folder("server-aborted");
    let options = Options { ballast: 0, reserve: Reserve { bytes: 0, percent: 0 }, ..Options::default() };
    let store = Store::open(folder.join("test.db").to_str().unwrap(), &options).unwrap();
    let spec = json!({
        "name": "test", "games": ["hexapawn"], "format": {"kind": "sprt", "games": 8}, "seed": "7",
        "entrants": [{"name": "ann", "player": "random"}, {"name": "bob", "player": "random"}],
    });
    let tournament = Tournament::create(&store, serde_json::from_value(spec).unwrap()).unwrap();
    let id = tournament.id();
    let Next::Play(pairings) = tournament.format().unwrap().next(8) else { panic!("eight games") };
    store.put_pairings(id, &pairings).unwrap();
    for pairing in &pairings {
        let name = |seat: usize| tournament.spec().entrants[pairing.entrants[seat].index()].name.clone();
        let record = record(&[name(0), name(1)], pairing.id, pairing.id == 0);
        store.put_game(NewGame::of_pairing(id, Key::first(pairing.id), record)).wait().unwrap();
    }
    // As a run ends that has tried the first game as often as it may.
    for state in [TournamentState::Running, TournamentState::Finished] {
        store.set_tournament_state(id, state).unwrap();
    }
    drop((tournament, store));
    let server = Running::start(&folder);
    let report = server.client().get(&format!("/api/v1/tournaments/{id}")).json();
    let counts = report["test"]["counts"].as_array().unwrap();
    let counted: u64 = counts.iter().map(|blocks| blocks.as_u64().unwrap()).sum();
    assert_eq!((counted, report["test"]["dropped"].as_u64()), (3, Some(1)), "{report}");
    assert_eq!((report["games"].as_u64(), report["aborted"].as_u64()), (Some(8), Some(1)), "{report}");
}
