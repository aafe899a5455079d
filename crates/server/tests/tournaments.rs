//! Tournaments over HTTP: of computers and connected bots, whose they are, and their pages.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};

use common::{Client, Running, folder};
use serde_json::{Value, json};

fn guest(server: &Running) -> Client {
    let mut client = server.client();
    let made = client.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "first"]}));
    assert_eq!(made.status, 201);
    client
}

fn spec(format: &Value, players: &[&str]) -> Value {
    let name = |player: &&str| player.trim_start_matches('@').to_owned();
    let entrants: Vec<Value> =
        players.iter().map(|player| json!({"name": name(player), "player": player})).collect();
    json!({"name": "evening <b>", "games": ["hexapawn:rows=3,cols=3"], "format": format, "entrants": entrants, "seed": "7"})
}

fn begun(client: &mut Client, spec: &Value) -> String {
    let made = client.post("/api/v1/tournaments", spec);
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["id"].as_str().unwrap().to_owned()
}

/// Plays the first legal move of every turn, in a thread of its own, until it is sent away.
fn bot(address: SocketAddr, name: &'static str) {
    bot_that_plays(address, name, &|told| told["legal"][0].clone());
}

fn bot_that_plays(
    address: SocketAddr,
    name: &'static str,
    choose: &'static (dyn Fn(&Value) -> Value + Sync),
) {
    let stream = TcpStream::connect(address).unwrap();
    std::thread::spawn(move || {
        let mut out = stream.try_clone().unwrap();
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let told: Value = serde_json::from_str(&line).unwrap();
            let answer = match told["type"].as_str().unwrap() {
                "hello" => json!({"type": "hello", "version": 1, "name": name}),
                "new_game" => json!({"type": "ready"}),
                "turn" => json!({"type": "move", "id": told["id"], "move": choose(&told)}),
                _ => continue,
            };
            if writeln!(out, "{answer}").is_err() {
                return;
            }
        }
    });
}

#[test]
fn entrants_of_every_shape_are_answered_with_what_was_expected() {
    let folder = folder("server-tournaments");
    let server = Running::start(&folder);
    let mut client = guest(&server);
    for entrants in [json!([[null, null]]), json!([7]), json!({}), json!("easy"), json!([{}]), json!([null])]
    {
        let mut spec = spec(&json!({"kind": "round-robin"}), &["easy", "random"]);
        spec["entrants"] = entrants;
        for address in ["/api/v1/tournaments/plan", "/api/v1/tournaments"] {
            let answer = client.post(address, &spec);
            assert_eq!(answer.status, 400, "{spec}: {}", answer.text());
            assert!(answer.text().contains("This is no tournament"), "{}", answer.text());
        }
    }
    for spec in [json!([]), json!("easy"), json!(7)] {
        assert_eq!(client.post("/api/v1/tournaments/plan", &spec).status, 400, "{spec}");
    }
}

#[test]
fn a_tournament_of_computers_is_shown_as_it_goes() {
    let folder = folder("server-tournament");
    let server = Running::start(&folder);
    let mut ann = guest(&server);
    let id =
        begun(&mut ann, &spec(&json!({"kind": "round-robin", "games": 2}), &["random", "first", "easy"]));
    let report = ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    assert_eq!(report["games"], 6);
    let page = ann.get(&format!("/t/{id}")).text();
    for part in
        ["evening &lt;b&gt;", "Who beat whom", "Why this pairing?", "finished", "everybody meets everybody"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("evening <b>"));
    // Every game can be looked at.
    let link = page.split("href=\"/m/").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert_eq!(ann.get(&format!("/m/{link}")).status, 200);
    assert!(ann.get("/t").text().contains("evening &lt;b&gt;"));
    for form in ["html", "csv", "markdown", "json"] {
        assert_eq!(ann.get(&format!("/api/v1/tournaments/{id}?form={form}")).status, 200, "{form}");
    }
    let plan = ann.post(
        "/api/v1/tournaments/plan",
        &spec(&json!({"kind": "round-robin", "games": 2}), &["random", "first", "easy"]),
    );
    assert_eq!(plan.json()["games"], 6, "{}", plan.text());
}

#[test]
fn a_test_is_made_on_the_page_which_shows_how_it_stands() {
    let folder = folder("server-sprt");
    let server = Running::start(&folder);
    let mut ann = guest(&server);
    let chosen = "game=hexapawn&board=hexapawn%3Arows%3D3%2Ccols%3D3&format=sprt&elo=1000&who=easy&who=first&name=Test";
    let form = ann.get(&format!("/t/new?{chosen}&first=first")).text();
    assert!(form.contains("2 players: at most 10000 games"), "{form}");
    // Whoever is to be tested can be chosen, and so is the first of the table.
    assert!(form.contains("<option value=\"first\" selected>"), "{form}");
    for (more, problem) in [
        ("&who=random", "all 3 entrants sit at one table, which has seats = 2"),
        ("&signup=people", "A test is between those who are chosen here"),
    ] {
        let refused = ann.send("/t/new", &format!("{chosen}{more}"));
        assert!(refused.status >= 400 && refused.text().contains(problem), "{}", refused.text());
    }
    let made = ann.send("/t/new", &format!("{chosen}&first=first"));
    assert_eq!(made.status, 303, "{}", made.text());
    let page = made.header("location").unwrap().to_owned();
    let id = page.rsplit('/').next().unwrap();
    let report = ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    assert_eq!(
        (&report["test"]["names"], &report["test"]["elo1"]),
        (&json!(["first", "easy"]), &json!(1000.0))
    );
    assert!(report["test"]["decision"].is_string(), "{report}");
    assert_eq!(report["games"], report["test"]["games"]);
    let page = ann.get(&page).text();
    for part in [
        "Is one stronger?",
        "Test whether first is 0 or 1000 Elo stronger than easy",
        "is accepted",
        "id=\"llr",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("All at one table"), "{page}");
}

#[test]
fn a_knock_out_has_a_bracket() {
    let folder = folder("server-bracket");
    let server = Running::start(&folder);
    let mut ann = guest(&server);
    let id = begun(&mut ann, &spec(&json!({"kind": "knock-out"}), &["random", "first", "easy", "medium"]));
    ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    let page = ann.get(&format!("/t/{id}")).text();
    assert!(page.contains("Semi-final") && page.contains("Final") && page.contains("goes on"), "{page}");
}

#[test]
fn connected_bots_take_part() {
    let folder = folder("server-tournament-bots");
    let server = Running::start(&folder);
    let mut ann = guest(&server);
    let wanted = spec(&json!({"kind": "round-robin", "games": 2}), &["@mine", "@other", "random"]);
    let refused = ann.post("/api/v1/tournaments", &wanted);
    assert_eq!((refused.status, refused.json()["error"]["field"].as_str()), (422, Some("entrants")));
    bot(server.bots, "mine");
    bot(server.bots, "other");
    ann.wait_for("/api/v1/bots", |bots| bots.as_array().unwrap().len() == 2);
    let id = begun(&mut ann, &wanted);
    let report = ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    assert_eq!((report["games"].as_u64(), report["faults"].as_array().map(Vec::len)), (Some(6), Some(0)));
    let page = ann.get(&format!("/t/{id}")).text();
    assert!(page.contains("Bots play here.") && page.contains("chip bot"), "{page}");
    let player = ann.get("/p/mine").text();
    assert!(player.contains("not rated yet") && player.contains("chip bot"), "{player}");
}

#[test]
fn a_connected_bot_that_fails_before_the_first_round_is_left_out() {
    let folder = folder("server-tournament-trials");
    let server = Running::start(&folder);
    let mut ann = guest(&server);
    bot(server.bots, "mine");
    bot_that_plays(server.bots, "wrong", &|_| json!("z9-z9"));
    ann.wait_for("/api/v1/bots", |bots| bots.as_array().unwrap().len() == 2);
    let mut wanted = spec(&json!({"kind": "round-robin", "games": 2}), &["@wrong", "@mine", "random"]);
    let id = begun(&mut ann, &wanted);
    let report = ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    assert_eq!((report["games"].as_u64(), report["faults"].as_array().map(Vec::len)), (Some(2), Some(0)));
    let trial = &report["trials"][0];
    assert_eq!((&trial["name"], &trial["outcome"]), (&json!("wrong"), &json!("left-out")), "{report}");
    assert!(trial["reason"].as_str().unwrap().contains("z9-z9"), "{report}");
    let page = ann.get(&format!("/t/{id}")).text();
    assert!(page.contains("Left out before the first round: wrong"), "{page}");

    // Nobody says it of another.
    wanted["trials"] = json!([{"name": "mine", "outcome": "left-out", "reason": "x"}]);
    assert_eq!(ann.post("/api/v1/tournaments", &wanted).status, 422);
    // With nobody left to play against there is no tournament, and that is told.
    let id = begun(&mut ann, &spec(&json!({"kind": "round-robin"}), &["@wrong", "random"]));
    let begin = std::time::Instant::now();
    while ann.get(&format!("/api/v1/tournaments/{id}")).status != 409 {
        assert!(begin.elapsed() < std::time::Duration::from_secs(30), "it is cancelled");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn only_who_made_it_and_the_operator_change_a_tournament() {
    let folder = folder("server-tournament-owner");
    let server = Running::start(&folder);
    let (mut ann, mut eve) = (guest(&server), guest(&server));
    let mut boss = server.client();
    let claim = json!({"name": "boss", "password": "correct horse", "claim": true, "operator": server.operator_token});
    assert_eq!(boss.post("/api/v1/login", &claim).status, 200);
    // It never ends by itself.
    let id = begun(&mut ann, &spec(&json!({"kind": "ladder"}), &["random", "first", "easy"]));
    let path = format!("/api/v1/tournaments/{id}");
    for act in ["pause", "resume"] {
        assert_eq!(eve.post(&format!("{path}/{act}"), &json!({})).status, 403, "{act}");
    }
    assert_eq!(eve.post(&format!("{path}/withdraw"), &json!({"entrant": "easy"})).status, 403);
    assert_eq!(eve.ask("DELETE", &path, None).status, 403);
    assert!(!eve.get(&format!("/t/{id}")).text().contains("Pause"));
    assert!(ann.get(&format!("/t/{id}")).text().contains("Pause"));
    assert_eq!(ann.post(&format!("{path}/withdraw"), &json!({"entrant": "easy"})).status, 204);
    assert_eq!(ann.post(&format!("{path}/withdraw"), &json!({"entrant": "easy"})).status, 409);
    assert!(ann.get(&format!("/t/{id}")).text().contains("easy left."));
    assert_eq!(ann.post(&format!("{path}/pause"), &json!({})).status, 204);
    ann.wait_for("/api/v1/tournaments", |list| list["tournaments"][0]["held"] == false);
    assert_eq!(boss.post(&format!("{path}/resume"), &json!({})).status, 204);
    assert_eq!(boss.ask("DELETE", &path, None).status, 204);
    let list = ann.get("/api/v1/tournaments").json();
    assert_eq!(list["tournaments"].as_array().unwrap().len(), 0, "it is in no list");
    assert_eq!(ann.post(&format!("{path}/resume"), &json!({})).status, 409);
}

#[test]
fn nobody_plays_under_the_name_of_another() {
    let folder = folder("server-tournament-names");
    let server = Running::start(&folder);
    let mut ann = guest(&server);
    let mut wanted = spec(&json!({"kind": "round-robin"}), &["random", "first"]);
    wanted["entrants"][0]["name"] = json!("hard");
    assert_eq!(ann.post("/api/v1/tournaments", &wanted).status, 422);
    wanted["entrants"][0] = json!({"name": "x", "player": "cmd:true"});
    assert_eq!(ann.post("/api/v1/tournaments", &wanted).status, 422);
}

#[test]
fn ratings_come_of_games_that_count() {
    let folder = folder("server-ladder");
    let server = Running::start(&folder);
    let mut ann = guest(&server);
    let id = begun(&mut ann, &spec(&json!({"kind": "round-robin", "games": 20}), &["random", "hard"]));
    ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    let ladder = ann.get("/api/v1/ladder?game=hexapawn").json();
    let names: Vec<&str> =
        ladder.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["hard", "random"], "{ladder}");
    assert!(ladder[0]["error"].as_f64().unwrap() > 10.0);
    let page = ann.get("/players?game=hexapawn").text();
    assert!(page.contains("hard") && page.contains("±"), "{page}");
    let page = ann.get("/p/random").text();
    assert!(page.contains("Rating over 20 games") && page.contains("Opponents"), "{page}");
    // Who plays as somebody else changes nobody's rating.
    let forged = json!({"game": "hexapawn", "seats": [{"player": "first", "name": "hard"}, "first"]});
    let made = ann.post("/api/v1/matches", &forged).json();
    ann.wait_for(&format!("/api/v1/matches/{}", made["id"].as_str().unwrap()), |state| {
        !state["over"].is_null()
    });
    assert_eq!(ann.get("/api/v1/ladder?game=hexapawn").json()[0]["games"], 20);
}
