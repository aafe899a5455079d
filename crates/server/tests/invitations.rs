//! Invitations: a table waits for somebody, also over a restart of the server.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::Path;
use std::time::Duration;

use common::{Client, Running, connect, folder};
use serde_json::{Value, json};

fn made(client: &mut Client, game: &str, seats: &[&str]) -> (String, Vec<Option<String>>) {
    let made = client.post("/api/v1/matches", &json!({"game": game, "seats": seats}));
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    let code = |seat: &Value| Some(seat["join"].as_str()?.rsplit('/').next().unwrap().to_owned());
    let codes = made["seats"].as_array().unwrap().iter().map(code).collect();
    (made["id"].as_str().unwrap().to_owned(), codes)
}

fn join(client: &mut Client, id: &str, code: &str) -> u16 {
    client.post(&format!("/api/v1/matches/{id}/join"), &json!({"code": code})).status
}

fn restarted(server: Running, folder: &Path) -> Running {
    let address = server.address;
    server.stop();
    Running::start_at(folder, address)
}

fn files(folder: &Path, ending: &str) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(folder.join("test.db.live")).unwrap().map(|file| file.unwrap().path());
    all.filter(|path| path.to_str().unwrap().ends_with(ending)).collect()
}

#[test]
fn an_invitation_holds_after_a_restart() {
    let folder = folder("server-invitation");
    let server = Running::start(&folder);
    let mut maker = server.client();
    let (id, codes) = made(&mut maker, "hexapawn", &["me", "friend"]);
    let code = codes[1].as_deref().unwrap();
    let path = format!("/api/v1/matches/{id}");
    let server = restarted(server, &folder);
    let before = maker.get(&path).json();
    assert_eq!((&before["waiting"], &before["you"]), (&json!([1]), &json!(0)), "the table waits on");
    assert!(maker.get(&format!("/m/{id}")).text().contains(code), "the maker has the link");
    assert!(!server.client().get(&format!("/m/{id}")).text().contains(code), "and nobody else");
    let mut friend = server.client();
    assert_eq!(friend.get(&format!("/join/{code}")).status, 200);
    assert_eq!(join(&mut friend, &id, code), 200);
    let state = friend.get(&path).json();
    assert_eq!((&state["waiting"], &state["you"], &state["over"]), (&json!([]), &json!(1), &Value::Null));
    assert_eq!(files(&folder, ".waiting.json"), Vec::<std::path::PathBuf>::new(), "it waits no more");
    assert_eq!(join(&mut server.client(), &id, code), 409, "the seat is taken");
    // From here on it is a match like any other.
    let server = restarted(server, &folder);
    assert_eq!(friend.get(&path).json()["you"], 1);
    assert_eq!(maker.send(&format!("/m/{id}/do"), "what=resign").status, 303);
    friend.wait_for(&path, |state| !state["over"].is_null());
    drop(server);
}

#[test]
fn four_persons_play_a_whole_game_and_all_see_every_move() {
    let folder = folder("server-four");
    let server = Running::start(&folder);
    let mut people = vec![server.client()];
    let (id, codes) =
        made(&mut people[0], "fish:rows=4,cols=4,players=4", &["me", "friend", "friend", "friend"]);
    for code in codes.iter().flatten() {
        let mut friend = server.client();
        assert_eq!(join(&mut friend, &id, code), 200);
        people.push(friend);
    }
    server.block_on(async {
        let mut pages = vec![];
        for (seat, person) in people.iter().enumerate() {
            let mut page = connect(person, Some("own")).await.unwrap();
            page.say(json!({"watch": {"match": id}})).await;
            let state = page.until(|m| m["snapshot"].is_object()).await;
            assert_eq!(state["snapshot"]["you"], seat);
            pages.push(page);
        }
        let (mut played, mut answered) = ([0; 4], None);
        loop {
            let state = people[0].clone().get(&format!("/api/v1/matches/{id}")).json();
            if !state["over"].is_null() {
                break;
            }
            // A move is answered before the match has made it: the same question may be seen once more.
            let ply = state["ply"].as_u64();
            let asked = state["asked"]["seat"].as_u64().filter(|_| ply != answered);
            let Some(seat) = asked.and_then(|seat| usize::try_from(seat).ok()) else {
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            };
            let text = &state["scene"]["moves"][0]["id"];
            pages[seat].say(json!({"do": {"match": id, "n": 1, "move": {"ply": ply, "text": text}}})).await;
            let reply = pages[seat].until(|m| m["reply"].is_object()).await;
            assert_eq!(reply["reply"]["ok"], true, "{reply}");
            played[seat] += 1;
            answered = ply;
        }
        assert!(played.iter().all(|n| *n > 0), "{played:?}");
        for page in &mut pages {
            let is_over = |news: &Value| news["over"].is_object();
            let is_told = |m: &Value| {
                m["snapshot"]["over"].is_object()
                    || m["news"].as_array().is_some_and(|news| news.iter().any(is_over))
            };
            page.until(is_told).await;
        }
    });
}

#[test]
fn whoever_came_before_a_restart_keeps_the_seat() {
    let folder = folder("server-invitation-half");
    let server = Running::start(&folder);
    let mut maker = server.client();
    let (id, codes) = made(&mut maker, "fish:players=3", &["me", "friend", "friend"]);
    let mut ann = server.claimed("ann", None);
    assert_eq!(join(&mut ann, &id, codes[2].as_deref().unwrap()), 200);
    // The maker has a name from here on, and keeps the seat and the links.
    assert_eq!(
        maker
            .post("/api/v1/login", &json!({"name": "bob", "password": "correct horse", "claim": true}))
            .status,
        200
    );
    let server = restarted(server, &folder);
    let state = ann.get(&format!("/api/v1/matches/{id}")).json();
    assert_eq!((&state["waiting"], &state["you"]), (&json!([1]), &json!(2)), "{state}");
    assert_eq!(state["seats"][2]["name"], "ann");
    assert_eq!(maker.get(&format!("/api/v1/matches/{id}")).json()["you"], 0);
    assert!(maker.get(&format!("/m/{id}")).text().contains(codes[1].as_deref().unwrap()));
    assert_eq!(join(&mut server.client(), &id, codes[1].as_deref().unwrap()), 200);
    assert_eq!(ann.get(&format!("/api/v1/matches/{id}")).json()["waiting"], json!([]));
}

#[test]
fn an_invitation_that_is_too_old_or_cannot_be_read_is_gone() {
    let folder = folder("server-invitation-old");
    let server = Running::start(&folder);
    let mut maker = server.client();
    let tables: Vec<(String, Vec<Option<String>>)> =
        (0..3).map(|_| made(&mut maker, "hexapawn", &["me", "friend"])).collect();
    let address = server.address;
    server.stop();
    let file = |idx: usize| folder.join("test.db.live").join(format!("{}.waiting.json", tables[idx].0));
    let mut old: Value = serde_json::from_slice(&std::fs::read(file(0)).unwrap()).unwrap();
    old["made_ms"] = (old["made_ms"].as_i64().unwrap() - 7 * 24 * 60 * 60 * 1000).into();
    std::fs::write(file(0), old.to_string()).unwrap();
    std::fs::write(file(1), "{\"spec\":").unwrap();
    let server = Running::start_at(&folder, address);
    let joined: Vec<u16> = tables
        .iter()
        .map(|(id, codes)| join(&mut server.client(), id, codes[1].as_deref().unwrap()))
        .collect();
    assert_eq!(joined, [409, 409, 200]);
    assert_eq!(files(&folder, ".waiting.json").len(), 0, "nothing is left of them");
}
