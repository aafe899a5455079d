//! Players that call instead of being called, and what clients of other people do.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod peers;

use std::time::Duration;

use peers::{PATIENCE, Peer, SHORT, config, good, raw, serve, tournament};
use rookery_originals::fish::{Config, Manner, Notice, Tally};
use rookery_wire::{Bounds, Connection, Framing, TransportExt as _};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// Nobody waits so long: the tournament begins with the last player.
const LONG: Duration = Duration::from_mins(10);

fn refused(part: &'static str) -> impl Fn(&Notice) -> bool {
    move |notice| matches!(notice, Notice::Refused { reason, .. } if reason.contains(part))
}

/// Plays by asking: waits for its colour's turn, then does the first thing that is possible. Gives back what it is told
/// at the very end, and its connection.
async fn drive(address: std::net::SocketAddr) -> (Value, Connection) {
    let stream = TcpStream::connect(address).await.unwrap();
    let bounds = Bounds { bytes: 1 << 20, ..Bounds::default() };
    let mut connection = Connection::tcp(stream, Framing::Json, bounds).unwrap();
    connection.send(br#"{"name":"heron","api":"player"}"#).await.unwrap();
    loop {
        let mut ask = async |call: Value| -> Value {
            connection.send(call.to_string().as_bytes()).await.unwrap();
            serde_json::from_slice(&connection.receive().await.unwrap()).unwrap()
        };
        let own = ask(json!(["own-color", []])).await;
        if own == "game is over" {
            let info = ask(json!(["tournament-info", []])).await;
            if info["over"] == true {
                return (info, connection);
            }
        } else if ask(json!(["current-player", []])).await == own {
            let action = ask(json!(["next-states", []])).await[0]["action"].take();
            let call =
                if action[0].is_array() { json!(["move", action]) } else { json!(["place", [action]]) };
            // Between the question and the move the game may have ended by the removal of another.
            ask(call).await;
        }
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn players_that_call_play_with_those_that_are_called() {
    let running = serve(Config { wait: LONG, ..config(6) }, 1);
    let driver = tokio::spawn(drive(running.address));
    running.until("the sign-up", |notice| matches!(notice, Notice::SignedUp { .. })).await;
    let mut tasks = vec![];
    for peer in good(5) {
        tasks.push(peer.connect(running.address).await);
    }
    let (info, _) = timeout(PATIENCE, driver).await.expect("it is told how it ended").unwrap();
    let notices = running.notices.clone();
    assert_eq!(running.tally().await.failed, 0);
    for task in tasks {
        assert!(task.await.unwrap().won.is_some());
    }
    let notices = notices.lock().unwrap();
    let won = |notice: &&Notice| matches!(notice, Notice::Finished { winners, .. } if winners.contains(&"heron#1".to_owned()));
    assert_eq!(info["standings"][0]["name"], "heron#1");
    assert_eq!(info["standings"][0]["wins"], notices.iter().filter(won).count());
    assert_eq!(info["advances"], false);
    let own_games = notices.iter().rev().find_map(|notice| match notice {
        Notice::Finished { winners, .. } if info["winners"] == json!(winners) => {
            Some(winners.contains(&"heron#1".to_owned()))
        }
        _ => None,
    });
    assert_eq!(info["won"], json!(own_games.expect("its last game is among those that were played")));
    assert_eq!(info["standings"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn the_result_does_not_wait_for_those_who_may_still_ask() {
    // Whoever called may ask for as long as a call may take. That is longer than this test waits for anything.
    let mut running = serve(Config { repeat: true, wait: LONG, ..config(2) }, 2);
    let mut stayed = vec![];
    for _ in 0..2 {
        let driver = tokio::spawn(drive(running.address));
        let task = Peer::new("Ann").connect(running.address).await;
        assert_eq!(running.next_tally().await.failed, 0);
        stayed.push(driver.await.unwrap().1);
        assert!(task.await.unwrap().won.is_some());
    }
    // The next tournament does not send away those of the one before.
    for mut connection in stayed {
        connection.send(br#"["tournament-info",[]]"#).await.unwrap();
        let info = timeout(PATIENCE, connection.receive()).await.expect("it is answered").unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&info).unwrap()["over"], true);
    }
}

#[tokio::test]
async fn who_calls_and_is_gone_has_failed() {
    for (call, leaves) in [(&b"\"no call\""[..], false), (b"", true)] {
        let running = serve(Config { wait: LONG, ..config(3) }, 1);
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        stream.write_all(br#"{"name":"heron","api":"player"}"#).await.unwrap();
        let slow = Peer::bad("slow", "start", 0, peers::Deed::Late(SHORT));
        let mut tasks = vec![slow.connect(running.address).await];
        tasks.push(Peer::new("Ann").connect(running.address).await);
        running.until("the start", |notice| matches!(notice, Notice::Tournament { .. })).await;
        // Between sign-up and the first game.
        stream.write_all(call).await.unwrap();
        if leaves {
            drop(stream);
        }
        let tally = running.tally().await;
        assert_eq!(tally, Tally { winners: 1, failed: 1 });
    }
}

#[tokio::test]
async fn who_wants_another_interface_is_refused() {
    let running = serve(Config { wait: LONG, ..config(2) }, 1);
    raw(running.address, br#"{"name":"Ann","api":"other"}"#).await;
    running.until("the refusal", refused("expected a name such as \"Ann\", or {\"name\":")).await;
}

fn lenient(n_players: usize) -> Config {
    let manner = Manner { lenient: true, ..config(n_players).manner };
    Config { manner, wait: LONG, ..config(n_players) }
}

/// What clients of other people do that a server can live with.
#[tokio::test]
async fn with_lenient_names_and_voids_of_others_will_do() {
    let named = |raw: &str| Peer { raw_name: Some(raw.as_bytes().to_vec()), ..Peer::new("other") };
    let peers = vec![
        // A hyphen and a digit; quotes are there.
        named("\"OCaml-AI-0\""),
        // Hexadecimal digits.
        named("\"4F08A1\""),
        // No quotes, followed by nothing.
        named("Nineluj"),
        Peer { void: "void", ..named("1") },
        // No quotes, followed by white space.
        named("word\r\n"),
        named("42 "),
        // A name that is a word of JSON.
        named("null"),
    ];
    let n = peers.len();
    let held = tournament(lenient(n), peers).await;
    assert_eq!(held.tally, Tally { winners: 1, failed: 0 });
    assert!(held.seen.iter().all(|seen| seen.won.is_some()));
}

#[tokio::test]
async fn without_lenient_void_has_quotes() {
    let other = Peer { void: "void ", ..Peer::new("other") };
    let held = tournament(config(3), vec![Peer::new("Ann"), other, Peer::new("Cid")]).await;
    assert_eq!(held.tally, Tally { winners: 1, failed: 1 });
    let (offence, reason) = held.offence("other").unwrap();
    assert_eq!(offence, "malformed");
    assert_eq!(
        reason,
        "sent an answer that cannot be read: sent `void`; expected \"void\" with its quotes as the answer to start"
    );
}
