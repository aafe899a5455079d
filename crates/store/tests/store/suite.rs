//! What every store must do, whatever its engine: run by `sqlite.rs` on files, by `postgres.rs` on a server.

use rookery_record::Key;
use rookery_referee::{Cause, Offence};
use rookery_rules::Seed;
use rookery_store::{
    CheckOrder, EntrantFilter, EntrantKind, FailedSeat, GameFilter, GameId, Hash, NewGame, NewToken,
    NewTournament, Page, PairingState, Purpose, Rating, Store, StoreError, TournamentFilter, TournamentId,
    TournamentState,
};
use rookery_tournament::{Entrant, Pairing};

use crate::common::{aborted, built_in, expect_new, failing, played, record, record_of, series};

/// A case: it gets a new, empty store.
pub(crate) type Case = (&'static str, fn(&Store));

/// All of them.
pub(crate) const CASES: &[Case] = &[
    ("games are read back as they were stored", games_are_read_back),
    ("a result is stored once", a_result_is_stored_once),
    ("what is refused leaves the others alone", what_is_refused_leaves_the_others_alone),
    ("games are listed by filter and page", games_are_listed_by_filter_and_page),
    ("names are the same in either case", names_are_the_same_in_either_case),
    ("tournaments keep their entrants, rounds and pairings", tournaments_are_kept),
    ("late attempts do not count", late_attempts_do_not_count),
    (
        "games that come together are judged each by itself",
        games_that_come_together_are_judged_each_by_itself,
    ),
    ("results come in the order of pairings", results_come_in_the_order_of_pairings),
    ("who failed is kept with the offence", who_failed_is_kept_with_the_offence),
    ("how it is held is kept with a tournament", how_it_is_held_is_kept_with_a_tournament),
    ("ratings are kept to the last bit", ratings_are_kept_to_the_last_bit),
    ("accounts hold no secrets", accounts_hold_no_secrets),
    ("versions of bots are kept by content", versions_are_kept_by_content),
    ("bundles belong to whoever brought them", crate::bundles::belong_to_whoever_brought_them),
    ("games that come together are stored as if alone", crate::together::are_stored_as_if_alone),
    ("imports are judged", imports_are_judged),
    ("checks find nothing in a good store", checks_find_nothing),
    ("inputs are bounded", inputs_are_bounded),
];

/// Whatever a case has done, every row is as it was written.
pub(crate) fn expect_good(store: &Store) {
    let report = store.check(&CheckOrder { full: true, ..CheckOrder::default() }).unwrap();
    assert!(report.is_good() && report.complete && report.rows > 0, "{report:?}");
}

fn all(store: &Store) -> Vec<rookery_store::StoredGame> {
    store.games(&GameFilter::default(), Page { before: None, limit: 1000 }).unwrap()
}

fn games_are_read_back(store: &Store) {
    let receipts: Vec<_> = (0..20).map(|seed| (seed, store.put_game(NewGame::free(record(seed))))).collect();
    for (seed, receipt) in receipts {
        let stored = receipt.wait().unwrap();
        assert!(stored.is_new);
        assert_eq!(store.record(stored.id).unwrap(), record(seed));
        let game = store.game(stored.id).unwrap();
        assert_eq!(game.sha256, Hash::of(&record(seed)));
        assert_eq!((game.cause, game.names.len(), game.key), (Cause::Normal, 2, None));
        assert_eq!(game.outcome.unwrap().winners.len(), 1);
        assert!(game.spec.starts_with("hexapawn") && game.plies > 2);
    }
    let missing = store.game(GameId::random()).unwrap_err();
    assert!(matches!(missing, StoreError::Unknown { .. }), "{missing}");
    let seqs: Vec<u64> = all(store).iter().map(|game| game.seq).collect();
    assert_eq!(seqs, (1..=20).rev().collect::<Vec<_>>());
}

fn a_result_is_stored_once(store: &Store) {
    let (id, pairings) = series(store, 2);
    let put = |record| store.put_game(NewGame::of_pairing(id, Key::first(pairings[0].id), record)).wait();
    let first = put(played(&pairings[0])).unwrap();
    let again = put(played(&pairings[0])).unwrap();
    assert_eq!((first.id, first.is_new, again.id, again.is_new), (first.id, true, first.id, false));
    let other = put(record_of(["ann", "bob"], 999)).unwrap_err();
    assert!(matches!(other, StoreError::Conflict { .. }), "{other}");
    assert_eq!(other.exit_code(), 65);
    assert_eq!(store.record(first.id).unwrap(), played(&pairings[0]), "the first one stays");

    let id = GameId::random();
    assert!(store.put_game(NewGame::with_id(id, record(1))).wait().unwrap().is_new);
    assert!(!store.put_game(NewGame::with_id(id, record(1))).wait().unwrap().is_new);
    store.put_game(NewGame::with_id(id, record(2))).wait().unwrap_err();
    assert_eq!(all(store).len(), 2);
}

/// In one batch: the refused one has no effect, and the others are stored.
fn what_is_refused_leaves_the_others_alone(store: &Store) {
    let (id, pairings) = series(store, 40);
    let put =
        |pairing: &Pairing, record| store.put_game(NewGame::of_pairing(id, Key::first(pairing.id), record));
    let receipts: Vec<_> = pairings
        .iter()
        .map(|pairing| match pairing.id % 4 {
            // Nobody of this name takes part.
            3 => put(pairing, record_of(["ann", "eve"], pairing.id)),
            _ => put(pairing, played(pairing)),
        })
        .collect();
    let n_stored = receipts.into_iter().filter_map(|receipt| receipt.wait().ok()).count();
    assert_eq!(n_stored, 30);
    assert_eq!(store.results(id).unwrap().count(), 30);
    assert_eq!(store.find_entrant("eve").unwrap(), None);
    let report = store.check(&CheckOrder { judge: true, ..CheckOrder::default() }).unwrap();
    assert!(report.is_good() && report.complete && report.games == 30, "{report:?}");
}

fn games_are_listed_by_filter_and_page(store: &Store) {
    let (id, pairings) = series(store, 10);
    for pairing in &pairings {
        store.put_game(NewGame::of_pairing(id, Key::first(pairing.id), played(pairing))).wait().unwrap();
    }
    for seed in 0..5 {
        store.put_game(NewGame::free(record_of(["carol", "dan"], seed))).wait().unwrap();
    }
    let carol = store.find_entrant("Carol").unwrap().unwrap();
    assert_eq!(carol.kind, EntrantKind::BuiltIn);
    let count = |filter: GameFilter| {
        let games = store.games(&filter, Page { before: None, limit: 100 }).unwrap();
        assert_eq!(games.len() as u64, store.n_games(&filter).unwrap());
        games.len()
    };
    assert_eq!(count(GameFilter::default()), 15);
    assert_eq!(count(GameFilter { tournament: Some(id), ..GameFilter::default() }), 10);
    assert_eq!(count(GameFilter { entrant: Some(carol.id), ..GameFilter::default() }), 5);
    assert_eq!(count(GameFilter { game: Some("fish".to_owned()), ..GameFilter::default() }), 0);
    assert_eq!(count(GameFilter { game: Some("hexapawn".to_owned()), ..GameFilter::default() }), 15);
    assert_eq!(count(GameFilter { cause: Some(Cause::Resigned), ..GameFilter::default() }), 0);
    let tournament = GameFilter { tournament: Some(id), ..GameFilter::default() };
    let both = GameFilter { entrant: Some(carol.id), ..tournament.clone() };
    assert_eq!(count(both), 0);

    let mut page = Page { before: None, limit: 4 };
    let mut seen = vec![];
    loop {
        let games = store.games(&tournament, page).unwrap();
        let Some(last) = games.last() else { break };
        page.before = Some(last.seq);
        seen.extend(games.iter().map(|game| game.key.unwrap().key.pairing));
    }
    let expected: Vec<u64> = pairings.iter().rev().map(|pairing| pairing.id).collect();
    assert_eq!(seen, expected, "each once, the latest first");
    let mut seen: Vec<u64> = vec![];
    loop {
        let after = seen.last().copied().unwrap_or(0);
        let games = store.games_after(&tournament, after, 4).unwrap();
        assert!(games.len() <= 4);
        if games.is_empty() {
            break;
        }
        seen.extend(games.iter().map(|game| game.seq));
    }
    let latest_first = store.games(&tournament, Page { before: None, limit: 100 }).unwrap();
    let earliest_first: Vec<u64> = latest_first.iter().rev().map(|game| game.seq).collect();
    assert_eq!(seen, earliest_first, "each once, the earliest first");
}

fn names_are_the_same_in_either_case(store: &Store) {
    let ann = store.entrant("Ann", EntrantKind::Bot).unwrap();
    assert_eq!(store.entrant("aNN", EntrantKind::Bot).unwrap(), ann);
    assert_eq!(store.entrant_by_id(ann).unwrap().name, "Ann");
    let taken = store.entrant("ann", EntrantKind::Person).unwrap_err();
    assert_eq!(taken.to_string(), "the name \"ann\" belongs to a bot already; choose another one");
    for name in ["", "a\u{1b}[31m", "a\nb", &"x".repeat(200)] {
        let error = store.entrant(name, EntrantKind::Bot).unwrap_err().to_string();
        assert!(!error.contains(['\u{1b}', '\n']), "{error}");
    }
    store.entrant("Bob", EntrantKind::Person).unwrap();
    let list = |filter: EntrantFilter| store.entrants(&filter, Page::default()).unwrap().len();
    assert_eq!(list(EntrantFilter::default()), 2);
    assert_eq!(list(EntrantFilter { kind: Some(EntrantKind::Person), ..EntrantFilter::default() }), 1);
    assert_eq!(list(EntrantFilter { prefix: "AN".to_owned(), ..EntrantFilter::default() }), 1);

    let twice = vec![built_in("zoe"), built_in("Zoe")];
    let new = NewTournament { spec: "{}".to_owned(), seed: Seed(1), entrants: twice };
    store.create_tournament(new).unwrap_err();
    assert_eq!(store.find_entrant("zoe").unwrap(), None, "all or nothing");
    assert_eq!(store.tournaments(&TournamentFilter::default(), Page::default()).unwrap(), []);
}

fn tournaments_are_kept(store: &Store) {
    let (id, pairings) = series(store, 6);
    let tournament = store.tournament(id).unwrap();
    assert_eq!((tournament.seed, tournament.state), (Seed(u64::MAX), TournamentState::Open));
    assert_eq!(tournament.spec, "{\"format\":\"series\"}");
    let late = store.add_entrant(id, built_in("carol")).unwrap();
    store.set_present(id, late, false).unwrap();
    let entrants = store.tournament_entrants(id).unwrap();
    let names: Vec<(&str, bool)> =
        entrants.iter().map(|entrant| (entrant.name.as_str(), entrant.present)).collect();
    assert_eq!(names, [("ann", true), ("bob", true), ("carol", false)]);
    store.put_round(id, 1, "first").unwrap();
    store.put_round(id, 1, "other").unwrap();
    assert_eq!(store.rounds(id).unwrap()[0].note, "first");

    store.put_pairings(id, &pairings).unwrap();
    let stored = store.pairings(id, None).unwrap();
    let expected: Vec<_> =
        pairings.iter().map(|p| (p.id, p.entrants.clone(), p.reason.to_string())).collect();
    let found: Vec<_> = stored.iter().map(|p| (p.id, p.entrants.clone(), p.reason.clone())).collect();
    assert_eq!(found, expected);
    assert_eq!(store.pairings(id, Some(pairings[3].id)).unwrap().len(), 2);
    let mut other = pairings[0].clone();
    other.entrants.reverse();
    store.put_pairings(id, &[other]).unwrap_err();
    store.set_pairing_state(id, pairings[5].id, PairingState::Parked).unwrap();
    assert_eq!(store.pairings(id, None).unwrap()[5].state, PairingState::Parked);

    let unfinished = TournamentFilter { unfinished: true, ..TournamentFilter::default() };
    let list = |filter| store.tournaments(filter, Page::default()).unwrap().len();
    assert_eq!(list(&unfinished), 1);
    store.set_tournament_state(id, TournamentState::Finished).unwrap();
    assert_eq!(list(&unfinished), 0);
    let finished = TournamentFilter { state: Some(TournamentState::Finished), ..TournamentFilter::default() };
    assert_eq!(list(&finished), 1);
    store.set_tournament_state(TournamentId::random(), TournamentState::Paused).unwrap_err();
}

fn late_attempts_do_not_count(store: &Store) {
    let (id, pairings) = series(store, 2);
    let pairing = &pairings[0];
    let put = |attempt, record| {
        let key = Key { pairing: pairing.id, attempt };
        store.put_game(NewGame::of_pairing(id, key, record)).wait()
    };
    put(1, aborted(["ann", "bob"], 1)).unwrap();
    let state = || store.pairings(id, None).unwrap().swap_remove(0);
    assert_eq!((state().state, state().attempt), (PairingState::Open, 2));
    let late = put(3, played(pairing)).unwrap_err();
    assert!(matches!(late, StoreError::Stale { current: 2, .. }), "{late}");
    put(2, played(pairing)).unwrap();
    assert_eq!((state().state, state().attempt), (PairingState::Done, 2));
    assert!(!put(1, aborted(["ann", "bob"], 1)).unwrap().is_new, "known already");
    assert!(matches!(put(3, played(pairing)).unwrap_err(), StoreError::Stale { .. }), "it is done");

    let results: Vec<_> = store.results(id).unwrap().map(Result::unwrap).collect();
    assert_eq!(results.len(), 1, "the last attempt is the result");
    assert_eq!((results[0].key.attempt, results[0].result.cause), (2, Cause::Normal));
    assert_eq!(results[0].result.entrants, pairing.entrants);
    assert_eq!(store.n_games(&GameFilter::default()).unwrap(), 2, "and both games are kept");
}

fn games_that_come_together_are_judged_each_by_itself(store: &Store) {
    let (id, pairings) = series(store, 100);
    let put = |idx: usize, attempt, record| {
        let key = Key { pairing: pairings[idx].id, attempt };
        store.put_game(NewGame::of_pairing(id, key, record))
    };
    put(3, 1, played(&pairings[3])).wait().unwrap();
    // Without waiting for one of them, so that they go into few transactions.
    let good: Vec<_> = (4..100).map(|idx| put(idx, 1, played(&pairings[idx]))).collect();
    let again = [put(3, 1, played(&pairings[3])), put(50, 1, played(&pairings[50]))];
    let late = put(0, 2, played(&pairings[0]));
    let conflicts = [3, 60].map(|idx| put(idx, 1, record_of(["ann", "bob"], 999)));
    let never_put = store.put_game(NewGame::of_pairing(id, Key::first(7000), record_of(["ann", "bob"], 5)));
    let aborted = put(1, 1, aborted(["ann", "bob"], 1));
    let after = put(1, 2, played(&pairings[1]));
    assert!(good.into_iter().all(|receipt| receipt.wait().unwrap().is_new));
    assert!(again.into_iter().all(|receipt| !receipt.wait().unwrap().is_new));
    assert!(matches!(late.wait().unwrap_err(), StoreError::Stale { current: 1, .. }));
    for conflict in conflicts {
        assert!(matches!(conflict.wait().unwrap_err(), StoreError::Conflict { .. }));
    }
    assert!([never_put, aborted, after].into_iter().all(|receipt| receipt.wait().unwrap().is_new));
    assert_eq!(all(store).len(), 100);
    let rows = store.pairings(id, None).unwrap();
    let state = |idx: usize| (rows[idx].state, rows[idx].attempt);
    assert_eq!(
        [0, 1, 2].map(state),
        [(PairingState::Open, 1), (PairingState::Done, 2), (PairingState::Open, 1)]
    );
    assert!((3..100).all(|idx| state(idx) == (PairingState::Done, 1)));
}

fn results_come_in_the_order_of_pairings(store: &Store) {
    let (id, pairings) = series(store, 1200);
    let mut order: Vec<&Pairing> = pairings.iter().collect();
    order.sort_by_key(|pairing| Hash::of(&pairing.id.to_be_bytes()));
    let receipts: Vec<_> = order
        .into_iter()
        .map(|pairing| store.put_game(NewGame::of_pairing(id, Key::first(pairing.id), played(pairing))))
        .collect();
    expect_new(receipts);
    let results: Vec<_> = store.results(id).unwrap().map(Result::unwrap).collect();
    assert_eq!(results.len(), 1200);
    for (result, pairing) in results.iter().zip(&pairings) {
        assert_eq!((result.key.pairing, result.result.block), (pairing.id, pairing.block));
        assert_eq!(result.result.entrants, pairing.entrants);
        assert_eq!(result.result.winners().len(), 1);
    }
}

/// At a table of three a game goes on when somebody is removed, so its cause says nothing of them.
fn who_failed_is_kept_with_the_offence(store: &Store) {
    let names = ["ann", "bob", "eve"];
    let entrants = names.map(built_in).to_vec();
    let spec = "{}".to_owned();
    let id = store.create_tournament(NewTournament { spec, seed: Seed(1), entrants }).unwrap();
    let offences = [Offence::Timeout, Offence::Crashed];
    let stored = store.put_game(NewGame::of_pairing(id, Key::first(0), failing(&names, &offences))).wait();
    let game = store.game(stored.unwrap().id).unwrap();
    let failed = |seat, offence| FailedSeat { seat, offence: Some(offence) };
    assert_eq!(game.failed, [failed(0, Offence::Timeout), failed(1, Offence::Crashed)]);
    let result = store.results(id).unwrap().next().unwrap().unwrap().result;
    assert_eq!(result.failed, [Entrant(0), Entrant(1)]);
    assert_eq!(result.faults, [(Entrant(0), Offence::Timeout), (Entrant(1), Offence::Crashed)]);
}

/// A tournament without it could never go on, so there is no moment between both.
fn how_it_is_held_is_kept_with_a_tournament(store: &Store) {
    let new = || NewTournament { spec: "{}".to_owned(), seed: Seed(1), entrants: vec![] };
    let id = store.create_tournament_held(new(), Some("here".to_owned())).unwrap();
    assert_eq!(store.how(id).unwrap().as_deref(), Some("here"));
    // What is refused leaves nothing behind.
    store.create_tournament_held(new(), Some("zero\u{0}".to_owned())).unwrap_err();
    let all = store.tournaments(&TournamentFilter::default(), Page::default()).unwrap();
    assert_eq!(all.iter().map(|tournament| tournament.id).collect::<Vec<_>>(), [id]);
}

fn ratings_are_kept_to_the_last_bit(store: &Store) {
    let odd = [1500.1, -0.0, f64::MIN_POSITIVE / 8.0, f64::INFINITY, f64::NAN, 0.1 + 0.2];
    let ratings: Vec<Rating> = (0_u64..)
        .zip(odd)
        .map(|(idx, number)| Rating {
            entrant: store.entrant(&format!("bot{idx}"), EntrantKind::Bot).unwrap(),
            numbers: vec![number, f64::from_bits(number.to_bits() ^ 1)],
            n_games: idx,
        })
        .collect();
    store.put_ratings("ladder", "elo 1", ratings.clone()).unwrap();
    store.put_ratings("other", "elo 1", ratings[..1].to_vec()).unwrap();
    let stored = store.ratings("ladder", Page::default()).unwrap();
    let bits = |rating: &Rating| rating.numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let order: Vec<&str> = stored.iter().map(|stored| stored.name.as_str()).collect();
    assert_eq!(order, ["bot3", "bot0", "bot5", "bot2", "bot1", "bot4"], "the best first");
    for stored in &stored {
        let put = ratings.iter().find(|rating| rating.entrant == stored.rating.entrant).unwrap();
        assert_eq!((bits(put), put.n_games), (bits(&stored.rating), stored.rating.n_games));
    }
    let second = store.ratings("ladder", Page { before: Some(4), limit: 10 }).unwrap();
    let names: Vec<&str> = second.iter().map(|stored| stored.name.as_str()).collect();
    assert_eq!(names, order[4..], "the second page");
    store.put_ratings("ladder", "elo 2", ratings[..1].to_vec()).unwrap();
    let stored = store.ratings("ladder", Page::default()).unwrap();
    assert_eq!((stored.len(), stored[0].method.as_str()), (1, "elo 2"), "in the place of those before");
    assert_eq!(store.rating_pools().unwrap(), ["ladder", "other"]);
}

fn accounts_hold_no_secrets(store: &Store) {
    let ann = store.claim_name("Ann", Some("$argon2id$v=19$hash")).unwrap();
    assert!(matches!(store.claim_name("ann", None).unwrap_err(), StoreError::NameTaken { .. }));
    store.claim_name("an n", None).unwrap_err();
    let person = store.person("ANN").unwrap().unwrap();
    assert_eq!(person.password_hash.as_deref(), Some("$argon2id$v=19$hash"));
    assert!(!format!("{person:?}").contains("argon2id"), "not in logs");
    store.set_password(ann, None).unwrap();
    store.set_operator(ann, true).unwrap();
    let person = store.person("ann").unwrap().unwrap();
    assert!(person.is_operator && person.password_hash.is_none());

    let token = "a-token-that-nobody-can-guess";
    let new = |expires_ms| NewToken {
        entrant: Some(ann),
        purpose: Purpose::Session,
        note: "laptop".to_owned(),
        expires_ms,
    };
    let id = store.put_token(token, new(Some(1000))).unwrap();
    assert_eq!(store.token(token, 999).unwrap().unwrap().entrant, Some(ann));
    assert_eq!(store.token(token, 1000).unwrap(), None, "it has run out");
    assert_eq!(store.token("a-token-that-nobody-can-gues", 0).unwrap(), None);
    store.put_token("short", new(None)).unwrap_err();
    assert_eq!(store.tokens(ann, Page::default()).unwrap().len(), 1);
    assert!(store.revoke_token(id).unwrap() && !store.revoke_token(id).unwrap());
    assert_eq!(store.token(token, 0).unwrap(), None);
    let second = store.put_token(token, new(Some(5))).unwrap();
    assert!(second > id, "a number that was somebody's is nobody else's: {second}");
    store.mute_session(second, true).unwrap();
    store.mute_session(second, true).unwrap();
    assert_eq!(store.muted_sessions().unwrap(), [second]);
    store.mute_session(second, false).unwrap();
    assert!(store.muted_sessions().unwrap().is_empty());
    store.mute_session(second, true).unwrap();
    assert_eq!(store.drop_expired_tokens(5).unwrap(), 1);
    assert!(store.muted_sessions().unwrap().is_empty(), "it ends with its session");

    store.audit("ann", "ban", "bob").unwrap();
    store.audit("ann", "mute", "bob").unwrap();
    let acts: Vec<String> =
        store.audit_log(Page::default()).unwrap().into_iter().map(|entry| entry.act).collect();
    assert_eq!(acts, ["mute", "ban"]);
}

fn versions_are_kept_by_content(store: &Store) {
    let bot = store.entrant("mine", EntrantKind::Bot).unwrap();
    let bundle = b"print(1)".to_vec();
    let sha256 = Hash::of(&bundle);
    let first = store.put_version(bot, sha256, "first", Some(bundle.clone())).unwrap();
    assert_eq!(store.put_version(bot, sha256, "again", None).unwrap(), first);
    let second = store.put_version(bot, Hash::of(b"other"), "by hash", None).unwrap();
    store.put_version(bot, Hash::of(b"x"), "wrong", Some(bundle.clone())).unwrap_err();
    let versions = store.versions(bot, Page::default()).unwrap();
    let ids: Vec<(u64, Option<u64>)> =
        versions.iter().map(|version| (version.id, version.bundle_bytes)).collect();
    assert_eq!(ids, [(second, None), (first, Some(8))]);
    assert_eq!(store.bundle(first).unwrap(), bundle);
    store.bundle(second).unwrap_err();
}

fn imports_are_judged(store: &Store) {
    let good = record(5);
    let imported = store.import_record(&good).unwrap();
    assert!(imported.stored.is_new && imported.summary.verdict.is_some());
    assert!(!store.import_record(&good).unwrap().stored.is_new);
    let text = String::from_utf8(good.clone()).unwrap();
    let cut = &text[..text.trim_end().rfind('\n').unwrap()];
    // A record that is whole and has the right hash, but whose winner lost.
    let lines: Vec<&str> = text.lines().collect();
    let verdict = lines.last().unwrap();
    let swapped = if verdict.contains("\"winners\":[0]") {
        verdict.replace("\"winners\":[0]", "\"winners\":[1]")
    } else {
        verdict.replace("\"winners\":[1]", "\"winners\":[0]")
    };
    assert_ne!(&swapped, verdict);
    let lie = text.replace(verdict, &swapped);
    for bad in [cut, &lie, "", "{}", "\u{0}"] {
        store.import_record(bad.as_bytes()).unwrap_err();
    }
    for idx in (0..good.len()).step_by(7) {
        let mut damaged = good.clone();
        damaged[idx] ^= 1;
        store.import_record(&damaged).unwrap_err();
    }
    assert_eq!(all(store).len(), 1);
}

fn checks_find_nothing(store: &Store) {
    assert!(store.check(&CheckOrder::default()).unwrap().is_good(), "also an empty store");
    for seed in 0..450 {
        drop(store.put_game(NewGame::free(record(seed))));
    }
    store.put_game(NewGame::free(record(1000))).wait().unwrap();
    let report = store.check(&CheckOrder { judge: true, ..CheckOrder::default() }).unwrap();
    assert!(report.is_good() && report.complete, "{report:?}");
    assert_eq!(report.games, store.n_games(&GameFilter::default()).unwrap());
    let part = store.check(&CheckOrder { games: 10, ..CheckOrder::default() }).unwrap();
    assert_eq!(part.games, 10);
    assert_eq!(store.schema_version().unwrap(), rookery_store::SCHEMA_VERSION);
    store.expect_room().unwrap();
    assert!(store.health().trouble.is_none());
}

fn inputs_are_bounded(store: &Store) {
    let huge = vec![b'x'; rookery_store::MAX_RECORD + 1];
    store.put_game(NewGame::free(huge)).wait().unwrap_err();
    let (id, _) = series(store, 2);
    store.put_round(id, 1, &"x".repeat(10_000)).unwrap_err();
    store.put_ratings(&"x".repeat(10_000), "m", vec![]).unwrap_err();
    store.audit("a", "b", &"x".repeat(10_000)).unwrap_err();
    store.audit("a", "b", "zero\u{0}").unwrap_err();
    let spec = "x".repeat(5 << 20);
    store.create_tournament(NewTournament { spec, seed: Seed(0), entrants: vec![] }).unwrap_err();
    assert_eq!(
        store.games(&GameFilter::default(), Page { before: Some(u64::MAX), limit: u32::MAX }).unwrap(),
        []
    );
    let one = NewGame::free(record(1)).by(vec![None]);
    store.put_game(one).wait().unwrap_err();
}
