//! Seats that are taken or given back, matches played once more, tournaments that are gone or go on.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::thread;

use common::{Client, Running, folder};
use serde_json::{Value, json};

fn claimed(server: &Running, name: &str) -> Client {
    let mut client = server.client();
    let claim = json!({"name": name, "password": "correct horse", "claim": true});
    assert_eq!(client.post("/api/v1/login", &claim).status, 200);
    client
}

/// Makes a match with an open seat; its id and the code.
fn invitation(client: &mut Client, wanted: &Value) -> (String, String) {
    let made = client.post("/api/v1/matches", wanted);
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    let mut seats = made["seats"].as_array().unwrap().iter();
    let link = seats.find_map(|seat| seat["join"].as_str()).unwrap();
    (made["id"].as_str().unwrap().to_owned(), link.rsplit('/').next().unwrap().to_owned())
}

#[test]
fn a_seat_stays_open_for_who_cannot_have_it_yet() {
    let folder = folder("server-seats");
    let server = Running::start(&folder);
    let (mut ann, mut bob) = (server.client(), server.client());
    let (id, code) = invitation(&mut ann, &json!({"game": "hexapawn", "seats": ["friend", "@mine"]}));
    let (other, _) = invitation(&mut ann, &json!({"game": "hexapawn", "seats": ["friend", "me"]}));
    let code = json!({"code": code});
    assert_eq!(bob.post(&format!("/api/v1/matches/{other}/join"), &code).status, 404, "of another match");
    let path = format!("/api/v1/matches/{id}");
    let refused = bob.post(&format!("{path}/join"), &code);
    assert_eq!(refused.status, 422, "no bot is there: {}", refused.text());
    assert_eq!(ann.get(&path).json()["waiting"], json!([0]));
    let mut stream = TcpStream::connect(server.bots).unwrap();
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let told: Value = serde_json::from_str(&line).unwrap();
            let answer = match told["type"].as_str().unwrap() {
                "hello" => json!({"type": "hello", "version": 1, "name": "mine"}),
                "new_game" => json!({"type": "ready"}),
                _ => continue,
            };
            writeln!(stream, "{answer}").unwrap();
        }
    });
    bob.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine");
    let joined = bob.post(&format!("{path}/join"), &code);
    assert_eq!(joined.status, 200, "{}", joined.text());
    assert_eq!(bob.get(&path).json()["you"], 0);
}

#[test]
fn two_who_ask_for_a_rematch_get_the_same_one_and_it_does_not_count() {
    let folder = folder("server-rematch");
    let server = Running::start(&folder);
    let (mut ann, mut bob) = (claimed(&server, "ann"), claimed(&server, "bob"));
    let wanted = json!({"game": "hexapawn", "seats": ["me", "friend"], "casual": false});
    let (id, code) = invitation(&mut ann, &wanted);
    let joined = bob.post(&format!("/api/v1/matches/{id}/join"), &json!({"code": code}));
    assert_eq!(joined.status, 200, "{}", joined.text());
    assert_eq!(ann.get(&format!("/api/v1/matches/{id}")).json()["casual"], false);
    ann.send(&format!("/m/{id}/do"), "what=resign");
    ann.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    assert_eq!(bob.get(&format!("/api/v1/matches/{id}")).json()["can"]["rematch"], true);
    let asking = [ann.clone(), bob].map(|mut client| {
        let path = format!("/api/v1/matches/{id}/rematch");
        thread::spawn(move || client.ask("POST", &path, None).json()["id"].as_str().unwrap().to_owned())
    });
    let [first, second] = asking.map(|asked| asked.join().unwrap());
    assert_eq!(first, second);
    let again = ann.get(&format!("/api/v1/matches/{first}")).json();
    assert_eq!((&again["casual"], &again["you"]), (&json!(true), &json!(1)), "{again}");
}

#[test]
fn a_rematch_is_offered_only_while_it_is_possible() {
    let folder = folder("server-no-rematch");
    let server = Running::start(&folder);
    let mut ann = claimed(&server, "ann");
    let made = ann.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]}));
    let id = made.json()["id"].as_str().unwrap().to_owned();
    ann.send(&format!("/m/{id}/do"), "what=resign");
    let over = ann.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    assert_eq!(over["can"]["rematch"], true);
    assert!(ann.get(&format!("/m/{id}")).text().contains("data-act=\"rematch\""));
    server.stop();
    // Nobody is at the table any more.
    let server = Running::start(&folder);
    ann.address = server.address;
    let old = ann.get(&format!("/api/v1/matches/{id}")).json();
    assert_eq!((&old["you"], &old["can"]["rematch"]), (&json!(0), &json!(false)));
    assert!(!ann.get(&format!("/m/{id}")).text().contains("data-act=\"rematch\""));
}

#[test]
fn a_tournament_goes_on_once_and_leaves_the_home_page_when_it_is_removed() {
    let folder = folder("server-once");
    let server = Running::start(&folder);
    let mut ann = claimed(&server, "ann");
    let spec = json!({
        "name": "evening cup", "games": ["fish:rows=8,cols=8"], "format": {"kind": "round-robin", "games": 2000},
        "entrants": [{"name": "easy", "player": "easy"}, {"name": "random", "player": "random"}],
    });
    let made = ann.post("/api/v1/tournaments", &spec);
    assert_eq!(made.status, 201, "{}", made.text());
    let path = format!("/api/v1/tournaments/{}", made.json()["id"].as_str().unwrap());
    assert!(ann.get("/").text().contains("evening cup"));
    assert_eq!(ann.ask("POST", &format!("{path}/pause"), None).status, 204);
    ann.wait_for("/api/v1/tournaments", |list| list["tournaments"][0]["held"] == false);
    let asking = [(); 4].map(|()| {
        let (mut client, path) = (ann.clone(), format!("{path}/resume"));
        thread::spawn(move || client.ask("POST", &path, None).status)
    });
    let mut answers = asking.map(|asked| asked.join().unwrap());
    answers.sort_unstable();
    assert_eq!(answers, [204, 409, 409, 409]);
    assert_eq!(ann.ask("DELETE", &path, None).status, 204);
    assert!(!ann.get("/").text().contains("evening cup"));
}

#[test]
fn fault_w07_who_is_signed_in_finds_the_way_out() {
    let folder = folder("server-sign-out");
    let server = Running::start(&folder);
    let mut ann = claimed(&server, "ann");
    assert!(ann.get("/settings").text().contains("action=\"/logout\""));
    assert_eq!(ann.send("/logout", "").status, 303);
    assert_eq!(ann.get("/api/v1/me").json()["kind"], "nobody");
}

#[test]
fn an_error_is_shown_in_the_theme_and_with_the_name_of_whoever_looks() {
    let folder = folder("server-error-page");
    let server = Running::start(&folder);
    let mut ann = claimed(&server, "ann");
    ann.cookie = ann.cookie.map(|cookie| cookie + "; theme=dark");
    let page = ann.ask_as("GET", "/m/nothing", None, "Accept: text/html\r\n");
    assert_eq!(page.status, 404);
    assert!(page.text().contains("data-theme=\"dark\"") && page.text().contains("ann"), "{}", page.text());
}
