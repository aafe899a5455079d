//! Ratings of people, compared with the games they were made of.
use std::fs;

use rookery_store::{EntrantKind, NewGame, Options, Store};
use rookery_testkit::TempFolder;
use serde_json::{Value, json};

use crate::{ended, json_of, meddle, play, printed, records};

#[test]
fn fault_s19_ratings_of_people_that_are_not_what_the_games_say_are_noticed() {
    let folder = TempFolder::new("store-people");
    play(&folder, 8);
    let played: Vec<Vec<u8>> = records(&folder.join("records")).into_values().collect();
    let put = |records: &[Vec<u8>]| {
        let store = Store::open(folder.join("s.db").to_str().unwrap(), &Options::default()).unwrap();
        let people = ["ann", "bob"].map(|name| Some(store.entrant(name, EntrantKind::Person).unwrap()));
        for record in records {
            store.put_game(NewGame::free(record.clone()).by(people.to_vec())).wait().unwrap();
        }
    };
    let compared = |code: i32, words: &str| {
        for line in ["ratings --recompute --store s.db", "ratings --people --recompute --store s.db"] {
            let (ended, out, error) = ended(&folder, line);
            assert_eq!(ended, code, "{line}: {out}{error}");
            assert!(out.contains(words), "{line}: {out}");
        }
    };
    put(&played[..5]);
    compared(0, "not rated yet");
    printed(&folder, "ratings --people --store s.db");
    let people = |line: &str| json_of(&folder, &format!("ratings {line} --recompute --json --store s.db"));
    let pool = |later: u64| json!([{"game": "hexapawn", "same": true, "players": 2, "later": later}]);
    assert_eq!(people("")["people"], pool(0));
    // Games that came later are no difference.
    put(&played[5..]);
    compared(0, "as stored, 3 games ago");
    assert_eq!(people(""), json!({"tournaments": [], "people": pool(3), "others": []}));
    assert_eq!(people("--people")["people"][0]["same"], true);
    let whole = fs::read(folder.join("s.db")).unwrap();
    for change in [
        "numbers = zeroblob(24)",
        "n_games = n_games + 1",
        "n_games = n_games - 1",
        "n_games = 9000000000000000000",
        "method = 'mine'",
        "pool = 'people fish'",
    ] {
        let first = "entrant = (select min(entrant) from ratings)";
        meddle(&folder, &format!("update ratings set {change} where {first}"));
        compared(1, "NOT ");
        // Somebody has been at it with another program, so nothing is written to it any more.
        let (code, _, error) = ended(&folder, "ratings --people --store s.db");
        assert!(code == 65 && error.contains("ratings, pool \"people "), "{change}: {error}");
        fs::write(folder.join("s.db"), &whole).unwrap();
        compared(0, "hexapawn");
    }
}

#[test]
fn fault_s19_a_rating_of_which_nobody_knows_a_game_is_noticed() {
    let folder = TempFolder::new("store-pools");
    printed(&folder, "tournament run hexapawn:rows=3,cols=3 random first --quiet --store s.db");
    let line = "ratings --recompute --store s.db";
    assert_eq!(ended(&folder, line).0, 0);
    meddle(
        &folder,
        "insert into ratings (pool, entrant, method, rating, numbers, n_games) \
         select 'mine', entrant, method, rating, numbers, n_games from ratings",
    );
    let (code, out, _) = ended(&folder, line);
    assert!(code == 1 && out.contains("mine: 2 ratings, of which NO game is known"), "{out}");
    let (code, out, _) = ended(&folder, &format!("{line} --json"));
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["others"]), (1, &json!([{"pool": "mine", "same": false, "players": 2}])));
    // Whoever asks for one tournament hears of that.
    let id = told["tournaments"][0]["tournament"].as_str().unwrap();
    assert_eq!(ended(&folder, &format!("{line} --tournament {id}")).0, 0);
}
