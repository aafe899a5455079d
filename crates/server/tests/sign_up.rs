//! Tournaments with people: signing up, coming to one's game, playing it, leaving.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Client, Running, Socket, connect, folder};
use serde_json::{Value, json};

fn spec(computers: &[&str], sign_up: &Value) -> Value {
    let entrants: Vec<Value> = computers.iter().map(|name| json!({"name": name, "player": name})).collect();
    json!({
        "name": "evening", "games": ["hexapawn:rows=3,cols=3"], "format": {"kind": "round-robin", "games": 2},
        "entrants": entrants, "time": "60s+1s", "sign_up": sign_up,
    })
}

fn announced(client: &mut Client, spec: &Value) -> String {
    let made = client.post("/api/v1/tournaments", spec);
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["id"].as_str().unwrap().to_owned()
}

fn enter(client: &mut Client, id: &str, entrant: &str) -> u16 {
    client.post(&format!("/api/v1/tournaments/{id}/enter"), &json!({"entrant": entrant})).status
}

/// The game that somebody is to come to, as the page of the tournament says.
fn game_of(client: &mut Client, id: &str) -> Option<String> {
    let page = client.get(&format!("/t/{id}")).text();
    let before = page.split(" data-yours").next().filter(|before| before.len() < page.len())?;
    before.rsplit("href=\"/m/").next()?.split('"').next().map(str::to_owned)
}

fn wait_for_game(client: &mut Client, id: &str, not: &[String]) -> String {
    for _ in 0..600 {
        if let Some(game) = game_of(client, id).filter(|game| !not.contains(game)) {
            return game;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("nobody was paired");
}

/// Plays the first legal move whenever it is its turn, until the match is over.
async fn play(page: &mut Socket, id: &str, n: &mut u64) {
    page.say(json!({"watch": {"match": id, "since": null}})).await;
    let (mut scene, mut last) = (Value::Null, Value::Null);
    loop {
        let told = page.until(|m| m["match"] == id || m["reply"].is_object()).await;
        let state = if told["snapshot"].is_object() { &told["snapshot"] } else { &told };
        let is_over = !told["snapshot"]["over"].is_null()
            || told["news"].as_array().is_some_and(|news| news.iter().any(|one| one["over"].is_object()));
        if is_over {
            return;
        }
        // What has not changed is not told again.
        if state["scene"].is_object() {
            scene = state["scene"].clone();
        }
        if state["can"]["move"] == true && state["asked"]["ply"] != last {
            *n += 1;
            last = state["asked"]["ply"].clone();
            let (ply, text) = (&last, &scene["moves"][0]["id"]);
            page.say(json!({"do": {"match": id, "n": *n, "move": {"ply": ply, "text": text}}})).await;
        }
    }
}

#[test]
fn people_sign_up_come_to_their_games_and_play_them() {
    let folder = folder("server-sign-up");
    let server = Running::start(&folder);
    let (mut ann, mut bob) = (server.claimed("ann", None), server.claimed("bob", None));
    let mut guest = server.client();
    guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "first"]}));
    let mut untimed = spec(&[], &json!({"people": true}));
    untimed["time"] = json!("untimed");
    assert_eq!(ann.post("/api/v1/tournaments", &untimed).json()["error"]["field"], "time");
    let id = announced(&mut ann, &spec(&[], &json!({"people": true})));
    assert_eq!(enter(&mut guest, &id, "me"), 403, "a guest has no name of its own");
    assert_eq!(enter(&mut bob, &id, "ann"), 422, "nobody enters another");
    assert_eq!(enter(&mut bob, &id, "@none"), 403, "no bots here");
    assert_eq!((enter(&mut ann, &id, "me"), enter(&mut ann, &id, "me")), (204, 409));
    assert_eq!(ann.post(&format!("/api/v1/tournaments/{id}/begin"), &json!({})).status, 409, "too few");
    // With a form, as a page without script does it.
    assert_eq!(bob.send(&format!("/t/{id}/do"), "what=enter&entrant=me").status, 303);
    let page = bob.get(&format!("/t/{id}")).text();
    assert!(page.contains("You take part.") && page.contains("No bot can sign up"), "{page}");
    assert!(!page.contains("Begin now") && ann.get(&format!("/t/{id}")).text().contains("Begin now"));
    assert_eq!(bob.post(&format!("/api/v1/tournaments/{id}/begin"), &json!({})).status, 403);
    assert_eq!(ann.post(&format!("/api/v1/tournaments/{id}/begin"), &json!({})).status, 204);
    assert_eq!(enter(&mut guest, &id, "me"), 409, "it has begun");
    let mut played = vec![];
    for _ in 0..2 {
        let game = wait_for_game(&mut ann, &id, &played);
        assert_eq!(game_of(&mut bob, &id).as_ref(), Some(&game), "one game at a time");
        assert_eq!(game_of(&mut guest, &id), None, "it is not the guest's");
        server.block_on(async {
            let mut pages =
                (connect(&ann, Some("own")).await.unwrap(), connect(&bob, Some("own")).await.unwrap());
            let (mut n, mut m) = (0, 0);
            tokio::join!(play(&mut pages.0, &game, &mut n), play(&mut pages.1, &game, &mut m));
        });
        let state = ann.get(&format!("/api/v1/matches/{game}")).json();
        assert_eq!((&state["tournament"], &state["casual"]), (&json!(id), &json!(false)), "{state}");
        let again = ann.post(&format!("/api/v1/matches/{game}/rematch"), &json!({}));
        assert_eq!(again.status, 409, "a game of a tournament is played once");
        played.push(game);
    }
    let report = ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    assert_eq!((report["games"].as_u64(), report["faults"].as_array().map(Vec::len)), (Some(2), Some(0)));
    // The games of people count, under their names.
    let games = ann.get("/api/v1/players/ann").json();
    assert_eq!(games["matches"].as_array().unwrap().len(), 2, "{games}");
}

#[test]
fn who_signed_up_can_leave_again_and_only_they() {
    let folder = folder("server-sign-off");
    let server = Running::start(&folder);
    let (mut ann, mut bob, mut eve) =
        (server.claimed("ann", None), server.claimed("bob", None), server.claimed("eve", None));
    let id = announced(&mut ann, &spec(&["random"], &json!({"people": true, "bots": true})));
    assert_eq!((enter(&mut bob, &id, "me"), enter(&mut eve, &id, "me")), (204, 204));
    let page = bob.get(&format!("/t/{id}")).text();
    assert!(page.contains("You may meet either"), "bots are told of before: {page}");
    let leave = |client: &mut Client, who: &str| {
        client.post(&format!("/api/v1/tournaments/{id}/withdraw"), &json!({"entrant": who})).status
    };
    assert_eq!(leave(&mut eve, "bob"), 403);
    assert_eq!((leave(&mut bob, "bob"), leave(&mut bob, "bob")), (204, 403));
    let names = ann.get(&format!("/api/v1/tournaments/{id}")).json()["entrants"].clone();
    assert_eq!(names, json!(["random", "eve"]));
    // While it is played, the others go on, and the game of whoever leaves is lost.
    assert_eq!(ann.post(&format!("/api/v1/tournaments/{id}/begin"), &json!({})).status, 204);
    let game = wait_for_game(&mut eve, &id, &[]);
    server.block_on(async {
        let mut page = connect(&eve, Some("own")).await.unwrap();
        page.say(json!({"watch": {"match": game, "since": null}})).await;
        page.until(|m| m["snapshot"]["asked"].is_object() || m["asked"].is_object()).await;
        assert_eq!(leave(&mut eve, "eve"), 204);
        page.until(|m| {
            m["news"].as_array().is_some_and(|news| news.iter().any(|one| one["over"].is_object()))
        })
        .await;
    });
    let report = ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    assert_eq!(report["standings"][0]["name"], "random", "{report}");
    // It ends by itself, and nobody signs up any more.
    assert_eq!(enter(&mut bob, &id, "me"), 409);
}

#[test]
fn a_tournament_begins_at_its_time_or_says_why_not() {
    let folder = folder("server-start-time");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
    let far = spec(&["random"], &json!({"bots": true, "starts_ms": now + 100 * 86_400_000_i64}));
    assert_eq!(ann.post("/api/v1/tournaments", &far).json()["error"]["field"], "sign_up");
    let empty = announced(&mut ann, &spec(&["random"], &json!({"bots": true, "starts_ms": now})));
    let told =
        ann.wait_for(&format!("/api/v1/tournaments/{empty}"), |told| !told["sign_up"]["problem"].is_null());
    assert_eq!(told["state"], "open", "{told}");
    assert!(ann.get(&format!("/t/{empty}")).text().contains("It could not begin at its time"));
    let full =
        announced(&mut ann, &spec(&["random", "first"], &json!({"bots": true, "starts_ms": now + 1500})));
    assert!(ann.get(&format!("/t/{full}")).text().contains("data-starts"));
    let report = ann.wait_for(&format!("/api/v1/tournaments/{full}"), |report| report["complete"] == true);
    assert_eq!(report["games"], 2, "{report}");
    assert_eq!(ann.ask("DELETE", &format!("/api/v1/tournaments/{empty}"), None).status, 204);
}

#[test]
fn a_game_of_a_tournament_goes_on_after_a_restart() {
    let folder = folder("server-cup-restart");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let id = announced(&mut ann, &spec(&["first"], &json!({"people": true})));
    assert_eq!(enter(&mut ann, &id, "me"), 204);
    assert_eq!(ann.post(&format!("/api/v1/tournaments/{id}/begin"), &json!({})).status, 204);
    let game = wait_for_game(&mut ann, &id, &[]);
    let seen = server.block_on(async {
        let mut page = connect(&ann, Some("own")).await.unwrap();
        page.say(json!({"watch": {"match": game, "since": null}})).await;
        page.until(|m| m["snapshot"]["can"]["move"] == true || m["can"]["move"] == true).await;
        let state = ann.clone().get(&format!("/api/v1/matches/{game}")).json();
        let (ply, text) = (&state["asked"]["ply"], &state["scene"]["moves"][0]["id"]);
        page.say(json!({"do": {"match": game, "n": 1, "move": {"ply": ply, "text": text}}})).await;
        page.until(|m| m["reply"]["n"] == 1).await;
        ply.as_u64().unwrap()
    });
    // A reply says that the move is legal; it is played a moment later.
    ann.wait_for(&format!("/api/v1/matches/{game}"), |state| state["ply"].as_u64().unwrap() > seen);
    server.stop();
    let server = Running::start(&folder);
    let mut ann = Client { address: server.address, ..ann };
    assert_eq!(wait_for_game(&mut ann, &id, &[]), game, "the same game");
    let (mut n, mut played) = (0, vec![game.clone()]);
    server.block_on(async {
        let mut page = connect(&ann, Some("own")).await.unwrap();
        page.say(json!({"watch": {"match": game, "since": null}})).await;
        page.until(|m| m["snapshot"]["asked"].is_object() || m["asked"].is_object()).await;
        let state = ann.clone().get(&format!("/api/v1/matches/{game}")).json();
        assert!(state["ply"].as_u64().unwrap() > seen, "{state}");
        play(&mut page, &game, &mut n).await;
    });
    let second = wait_for_game(&mut ann, &id, &played);
    server.block_on(async {
        let mut page = connect(&ann, Some("own")).await.unwrap();
        play(&mut page, &second, &mut n).await;
    });
    played.push(second);
    let report = ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    assert_eq!(report["games"], 2);
}

#[test]
fn who_comes_after_the_start_takes_part_where_the_format_takes_newcomers() {
    let folder = folder("server-late");
    let server = Running::start(&folder);
    let (mut ann, mut bob) = (server.claimed("ann", None), server.claimed("bob", None));
    let begin = |ann: &mut Client, bob: &mut Client, spec: &Value| {
        let id = announced(ann, spec);
        assert_eq!(enter(bob, &id, "me"), 204);
        assert_eq!(ann.post(&format!("/api/v1/tournaments/{id}/begin"), &json!({})).status, 204);
        // It is played as long as somebody waits for bob.
        wait_for_game(bob, &id, &[]);
        id
    };
    let late = json!({"people": true, "late": true});
    let id = begin(&mut ann, &mut bob, &spec(&["first"], &late));
    let page = ann.get(&format!("/t/{id}")).text();
    assert!(page.contains("Enter as ann") && page.contains("It has begun."), "{page}");
    assert_eq!((enter(&mut ann, &id, "me"), enter(&mut ann, &id, "me")), (204, 409));
    assert!(ann.get(&format!("/t/{id}")).text().contains("You take part."));
    // The others go on, in the same game.
    let game = wait_for_game(&mut bob, &id, &[]);
    server.block_on(async {
        let (mut page, mut n) = (connect(&bob, Some("own")).await.unwrap(), 0);
        play(&mut page, &game, &mut n).await;
    });
    // She plays everybody who was there before her.
    let mut played: Vec<String> = vec![];
    while played.len() < 2 {
        let game = wait_for_game(&mut ann, &id, &played);
        server.block_on(async {
            let mut pages =
                (connect(&ann, Some("own")).await.unwrap(), connect(&bob, Some("own")).await.unwrap());
            let (mut n, mut m) = (0, 0);
            tokio::join!(play(&mut pages.0, &game, &mut n), play(&mut pages.1, &game, &mut m));
        });
        played.push(game);
    }
    // Who said that nobody may come later, and a format without a place for them, keep the door closed.
    let closed = begin(&mut ann, &mut bob, &spec(&["first"], &json!({"people": true})));
    assert_eq!(enter(&mut ann, &closed, "me"), 409);
    let mut cup = spec(&["first"], &late);
    cup["format"] = json!({"kind": "knock-out"});
    let cup = begin(&mut ann, &mut bob, &cup);
    assert_eq!(enter(&mut ann, &cup, "me"), 409);
    assert!(!ann.get(&format!("/t/{cup}")).text().contains("Enter as ann"));
}
