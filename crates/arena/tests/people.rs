//! Ratings of people.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_arena::people::{METHOD, pool, ratings, update};
use rookery_games::hexapawn::Setup;
use rookery_ratings::glicko2::{Players, TAU};
use rookery_record::random_record;
use rookery_rules::Seed;
use rookery_store::{EntrantId, EntrantKind, NewGame, Options, Page, Reserve, Store};
use rookery_testkit::TempFolder;

fn bits(store: &Store) -> Vec<(EntrantId, Vec<u64>, u64)> {
    let stored = store.ratings(&pool("hexapawn"), Page { before: None, limit: 100 }).unwrap();
    assert!(stored.iter().all(|row| row.method == METHOD));
    let mut rows: Vec<_> = stored
        .into_iter()
        .map(|row| {
            let numbers = row.rating.numbers.iter().map(|number| number.to_bits()).collect();
            (row.rating.entrant, numbers, row.rating.n_games)
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn people_are_rated_by_their_own_games_in_the_order_in_which_they_were_stored() {
    let folder = TempFolder::new("people");
    let reserve = Reserve { bytes: 0, percent: 0 };
    let options = Options { ballast: 1 << 20, reserve, ..Options::default() };
    let store = Store::open(folder.join("games.db").to_str().unwrap(), &options).unwrap();
    assert!(update(&store).unwrap().is_empty(), "nobody has played");
    let person = |name: &str| store.entrant(name, EntrantKind::Person).unwrap();
    let (ann, bob, eve) = (person("ann"), person("bob"), person("eve"));
    let (bot, other) =
        (store.entrant("bot", EntrantKind::Bot).unwrap(), store.entrant("other", EntrantKind::Bot).unwrap());
    let mut expected = Players::default();
    let tables =
        [(Some(ann), Some(bob)), (Some(bob), Some(eve)), (Some(bot), Some(ann)), (Some(eve), Some(ann))];
    for (seed, (one, two)) in (0..).zip(tables.iter().cycle().take(20)) {
        let stored = store
            .put_game(NewGame::free(random_record(&Setup::default(), Seed(seed))).by(vec![*one, *two]))
            .wait()
            .unwrap();
        let places = store.game(stored.id).unwrap().outcome.unwrap().places();
        expected.add(&[(one.unwrap(), places.as_slice()[0]), (two.unwrap(), places.as_slice()[1])], TAU);
    }
    // Guests have no name of their own, and bots alone are no people.
    for (seed, table) in [(100, vec![Some(ann), None]), (101, vec![Some(bot), Some(other)])] {
        let game = NewGame::free(random_record(&Setup::default(), Seed(seed))).by(table);
        store.put_game(game).wait().unwrap();
    }
    update(&store).unwrap();
    let mut wanted: Vec<_> = expected
        .all()
        .map(|(who, rating, games)| {
            let numbers = [rating.rating, rating.deviation, rating.volatility];
            (who, numbers.map(f64::to_bits).to_vec(), games)
        })
        .collect();
    wanted.sort();
    assert_eq!(wanted.len(), 4);
    assert_eq!(bits(&store), wanted);
    let again = ratings(&store).unwrap();
    assert!(again["hexapawn"].iter().all(|row| {
        wanted.iter().any(|(who, numbers, _)| {
            *who == row.entrant
                && row.numbers.iter().map(|number| number.to_bits()).eq(numbers.iter().copied())
        })
    }));
}
