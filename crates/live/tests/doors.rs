//! Bots that come over a network: who takes a seat, who does not, and who comes back.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;
mod network;

use std::net::SocketAddr;
use std::time::Duration;

use common::spec;
use network::{Client, is_over, play, programs, waiting};
use rookery_bots::PROTOCOL;
use rookery_live::{Programs, SignUp};
use rookery_referee::{Cause, Conduct, Offence};
use rookery_wire::TransportExt as _;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

#[tokio::test]
async fn fault_j08_who_lost_its_connection_comes_back_to_the_same_turn() {
    for ws in [false, true] {
        let seat = if ws { "mine=ws:0" } else { "mine=tcp:0" };
        let agreed = spec("hexapawn:rows=4,cols=4", &["first", seat]);
        let programs = programs(None);
        let (announce, mut announced) = mpsc::unbounded_channel();
        let bot = async {
            let address = announced.recv().await.unwrap();
            let mut client = Client::connect(address, ws).await;
            client.hello(json!({"name": "mine"})).await;
            let game = client.next("new_game").await;
            client.say(&json!({"type": "ready"})).await;
            let turn = client.next("turn").await;
            client.say(&json!({"type": "move", "id": turn["id"], "index": 0})).await;
            let turn = client.next("turn").await;
            drop(client);
            // Somebody else with a wrong token gets nothing.
            let mut other = Client::connect(address, ws).await;
            other.hello(json!({"token": "0123"})).await;
            assert_eq!(other.next("error").await["code"], "no_seat");
            let mut client = Client::connect(address, ws).await;
            client.hello(json!({"token": game["token"]})).await;
            let again = client.next("new_game").await;
            assert_eq!(again["position"], game["position"]);
            assert_eq!(again["moves"].as_array().unwrap().len(), 2, "before what the turn tells: {again}");
            client.say(&json!({"type": "ready"})).await;
            assert_eq!(client.next("turn").await, turn);
            client.say(&json!({"type": "move", "id": turn["id"], "index": 0})).await;
            client.play_on().await
        };
        let (verdict, over) = tokio::join!(play(&agreed, &programs, announce), bot);
        assert!(verdict.ending.blame().is_none(), "{verdict:?}");
        assert_eq!(over["plies"], verdict.plies);
    }
}

#[tokio::test]
async fn fault_j08_who_is_lost_before_it_is_ready_comes_back_as_well() {
    let agreed = spec("hexapawn:rows=4,cols=4", &["first", "mine=tcp:0"]);
    let programs = programs(None);
    let (announce, mut announced) = mpsc::unbounded_channel();
    let bot = async {
        let address = announced.recv().await.unwrap();
        let mut client = Client::connect(address, false).await;
        client.hello(json!({"name": "mine"})).await;
        let game = client.next("new_game").await;
        for _ in 0..2 {
            drop(client);
            client = Client::connect(address, false).await;
            client.hello(json!({"token": game["token"]})).await;
            assert_eq!(client.next("new_game").await["position"], game["position"]);
        }
        client.say(&json!({"type": "ready"})).await;
        client.play_on().await
    };
    let (verdict, over) = tokio::join!(play(&agreed, &programs, announce), bot);
    assert!(verdict.ending.blame().is_none(), "{verdict:?}");
    assert_eq!(over["plies"], verdict.plies);
}

#[tokio::test]
async fn fault_j02_connecting_and_leaving_takes_no_seat_and_a_bot_stays_for_the_next_game() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["mine=tcp:0", "first"]);
    let programs = programs(None);
    let (announce, mut announced) = mpsc::unbounded_channel();
    let bot = async {
        let address = announced.recv().await.unwrap();
        drop(TcpStream::connect(address).await.unwrap());
        let silent = TcpStream::connect(address).await.unwrap();
        let mut wrong = Client::connect(address, false).await;
        wrong.say(&json!({"type": "ready"})).await;
        assert!(is_over(wrong).await, "who does not say hello is sent away");
        let mut client = Client::connect(address, false).await;
        client.hello(json!({})).await;
        client.play_on().await;
        client.play_on().await;
        client.next("quit").await;
        drop(silent);
    };
    let games = async {
        for _ in 0..2 {
            let verdict = play(&agreed, &programs, announce.clone()).await;
            assert!(verdict.ending.blame().is_none(), "{verdict:?}");
        }
        programs.quit().await;
    };
    tokio::join!(games, bot);
}

#[tokio::test]
async fn a_seat_that_asks_for_a_secret_is_not_taken_without_it() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["mine=tcp:0", "first"]);
    let programs = programs(Some("open sesame"));
    let (announce, mut announced) = mpsc::unbounded_channel();
    let bot = async {
        let address = announced.recv().await.unwrap();
        for secret in [json!({}), json!({"secret": "guess"})] {
            let mut thief = Client::connect(address, false).await;
            thief.hello(secret).await;
            assert_eq!(thief.next("error").await["code"], "bad_secret");
            assert!(is_over(thief).await);
        }
        let mut client = Client::connect(address, false).await;
        client.hello(json!({"secret": "open sesame"})).await;
        client.play_on().await
    };
    let (verdict, _) = tokio::join!(play(&agreed, &programs, announce), bot);
    assert!(verdict.ending.blame().is_none(), "{verdict:?}");
}

#[tokio::test]
async fn seats_at_one_port_are_taken_by_name() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["ann=tcp:0", "bob=tcp:0"]);
    let programs = programs(None);
    let (announce, mut announced) = mpsc::unbounded_channel();
    let bots = async {
        let (first, second) = (announced.recv().await.unwrap(), announced.recv().await.unwrap());
        // Port 0 is another one for each seat.
        assert_ne!(first, second);
        let mut bob = Client::connect(second, false).await;
        bob.hello(json!({"name": "bob"})).await;
        let mut ann = Client::connect(first, false).await;
        ann.hello(json!({"name": "ann"})).await;
        tokio::join!(ann.play_on(), bob.play_on())
    };
    let (verdict, _) = tokio::join!(play(&agreed, &programs, announce), bots);
    assert!(verdict.ending.blame().is_none(), "{verdict:?}");
}

#[tokio::test]
async fn fault_j02_who_leaves_while_another_seat_is_awaited_has_taken_none() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["ann=tcp:0", "bob=tcp:0"]);
    let programs = programs(None);
    let (announce, mut announced) = mpsc::unbounded_channel();
    let bots = async {
        let (first, second) = (announced.recv().await.unwrap(), announced.recv().await.unwrap());
        drop(waiting(first, "ann").await);
        let mut bob = waiting(second, "bob").await;
        let mut ann = waiting(first, "ann").await;
        tokio::join!(ann.play_on(), bob.play_on())
    };
    let (verdict, _) = tokio::join!(play(&agreed, &programs, announce), bots);
    assert!(verdict.ending.blame().is_none(), "{verdict:?}");
}

#[tokio::test]
async fn fault_j02_who_leaves_between_two_games_comes_back_by_name_or_token() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["ann=tcp:0", "bob=tcp:0"]);
    for by_token in [false, true] {
        let programs = programs(None);
        let (announce, mut announced) = mpsc::unbounded_channel();
        let bots = async {
            let (first, second) = (announced.recv().await.unwrap(), announced.recv().await.unwrap());
            let mut ann = waiting(first, "ann").await;
            let mut bob = waiting(second, "bob").await;
            let token = ann.next("new_game").await["token"].clone();
            ann.say(&json!({"type": "ready"})).await;
            tokio::join!(ann.play_on(), bob.play_on());
            // The second game waits for bob, and ann is lost meanwhile.
            drop(bob);
            tokio::time::sleep(Duration::from_millis(200)).await;
            drop(ann);
            let mut bob = waiting(second, "bob").await;
            let mut ann = Client::connect(first, false).await;
            ann.hello(if by_token { json!({"token": token}) } else { json!({"name": "ann"}) }).await;
            tokio::join!(ann.play_on(), bob.play_on());
        };
        let games = async {
            for _ in 0..2 {
                let verdict = play(&agreed, &programs, announce.clone()).await;
                assert!(verdict.ending.blame().is_none(), "{verdict:?}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::join!(games, bots);
    }
}

/// The error that somebody gets who says hello like this.
async fn refused(address: SocketAddr, hello: Value) -> Value {
    let mut client = Client::connect(address, false).await;
    client.hello(hello).await;
    let code = client.next("error").await["code"].clone();
    assert!(is_over(client).await);
    code
}

/// Waits until so many have signed up.
async fn signed_up(port: &SignUp, n: usize) -> Vec<String> {
    let waiting = async {
        while port.names().len() != n {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        port.names()
    };
    tokio::time::timeout(Duration::from_secs(5), waiting).await.unwrap()
}

/// A sign-up of ann and bob, who wait.
async fn ann_and_bob(programs: &Programs) -> (SignUp, Client, Client) {
    let port = programs.sign_up(&"tcp:0".parse().unwrap()).unwrap();
    let mut ann = Client::connect(port.address, false).await;
    ann.hello(json!({"name": "ann"})).await;
    signed_up(&port, 1).await;
    let mut bob = Client::connect(port.address, false).await;
    bob.hello(json!({"name": "bob"})).await;
    assert_eq!(signed_up(&port, 2).await, ["ann", "bob"]);
    (port, ann, bob)
}

#[tokio::test]
async fn fault_j07_after_the_sign_up_nobody_else_is_let_in_and_no_seat_is_taken_by_another_name() {
    let programs = programs(None);
    let (port, mut ann, bob) = ann_and_bob(&programs).await;
    let mut late = Client::connect(port.address, false).await;
    late.hello(json!({"name": "late"})).await;
    signed_up(&port, 3).await;
    port.close(vec!["ann".to_owned(), "bob".to_owned()]).await;
    assert_eq!(late.next("error").await["code"], "closed");
    assert_eq!(refused(port.address, json!({"name": "carol"})).await, "closed");
    assert_eq!(refused(port.address, json!({})).await, "bad_name");
    assert_eq!(refused(port.address, json!({"name": "bob"})).await, "name_taken");
    // Who is gone may come again by its name.
    drop(bob);
    let seats = [format!("ann={}", port.seat), format!("bob={}", port.seat)];
    let agreed = spec("hexapawn:rows=3,cols=3", &[&seats[0], &seats[1]]);
    let (announce, _announced) = mpsc::unbounded_channel();
    let bots = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(refused(port.address, json!({"name": "carol"})).await, "closed");
        let mut bob = Client::connect(port.address, false).await;
        bob.hello(json!({"name": "bob"})).await;
        let game = bob.next("new_game").await;
        // Who plays has its name for itself.
        assert_eq!(refused(port.address, json!({"name": "bob"})).await, "name_taken");
        bob.say(&json!({"type": "ready"})).await;
        tokio::join!(ann.play_on(), bob.play_on());
        assert_eq!(game["seats"][1]["name"], "bob");
        (ann, bob)
    };
    let (verdict, (ann, bob)) = tokio::join!(play(&agreed, &programs, announce), bots);
    assert!(verdict.ending.blame().is_none(), "{verdict:?}");
    // The same between two games.
    assert_eq!(refused(port.address, json!({"name": "ann"})).await, "name_taken");
    drop((ann, bob));
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mut ann = Client::connect(port.address, false).await;
    ann.hello(json!({"name": "ann"})).await;
    signed_up(&port, 1).await;
}

#[tokio::test]
async fn fault_j05_a_name_that_somebody_has_is_not_given_to_another() {
    let mut programs = programs(None);
    programs.spoken.push(("random".to_owned(), PROTOCOL));
    let (port, _ann, _bob) = ann_and_bob(&programs).await;
    let other = programs.sign_up(&"ws:0".parse().unwrap()).unwrap();
    assert_eq!(refused(port.address, json!({"name": "Ann"})).await, "name_taken");
    assert_eq!(refused(port.address, json!({"name": "random"})).await, "name_taken");
    let mut client = Client::connect(other.address, true).await;
    client.hello(json!({"name": "bob"})).await;
    assert_eq!(client.next("error").await["code"], "name_taken");
}

#[tokio::test]
async fn fault_j02_who_leaves_before_it_is_seated_neither_plays_nor_fills_the_port() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["first", "mine=tcp:0"]);
    let programs = programs(None);
    let (announce, mut announced) = mpsc::unbounded_channel();
    let bot = async {
        let address = announced.recv().await.unwrap();
        let mut client = Client::connect(address, false).await;
        client.hello(json!({"name": "mine"})).await;
        for _ in 0..20 {
            let mut ghost = Client::connect(address, false).await;
            ghost.hello(json!({"name": "ghost"})).await;
        }
        client.play_on().await;
        drop(client);
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut client = Client::connect(address, false).await;
        client.hello(json!({"name": "mine"})).await;
        client.play_on().await
    };
    let games = async {
        for _ in 0..2 {
            let verdict = play(&agreed, &programs, announce.clone()).await;
            assert!(verdict.ending.blame().is_none(), "{verdict:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::join!(games, bot);
}

#[tokio::test]
async fn fault_j04_who_says_a_wrong_hello_is_told_so() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["mine=tcp:0", "first"]);
    let programs = programs(None);
    let (announce, mut announced) = mpsc::unbounded_channel();
    let bot = async {
        let address = announced.recv().await.unwrap();
        assert_eq!(refused(address, json!({"version": 7})).await, "bad_hello");
        assert_eq!(refused(address, json!({"name": "_x"})).await, "bad_name");
        let mut client = Client::connect(address, false).await;
        client.hello(json!({})).await;
        client.play_on().await
    };
    tokio::join!(play(&agreed, &programs, announce), bot);
}

/// A program that does not say hello keeps nobody else from playing.
#[tokio::test]
async fn games_begin_while_another_waits_for_a_hello() {
    let programs = programs(None);
    let hangs = spec("hexapawn:rows=3,cols=3", &["cmd:sleep 60", "other=tcp:0"]);
    let quick = spec("hexapawn:rows=3,cols=3", &["first", "mine=tcp:0"]);
    let (announce, mut announced) = mpsc::unbounded_channel();
    let waiting = async {
        let _ = programs.bring(&hangs, &mut |_, _| ()).await;
        panic!("nobody comes to this game before the others are over");
    };
    let games = async {
        let bot = async {
            let mut client = Client::connect(announced.recv().await.unwrap(), false).await;
            client.hello(json!({"name": "mine"})).await;
            client.play_on().await
        };
        tokio::time::sleep(Duration::from_millis(50)).await;
        let (verdict, _) = tokio::join!(play(&quick, &programs, announce), bot);
        assert!(verdict.ending.blame().is_none(), "{verdict:?}");
    };
    tokio::select! {
        () = waiting => {}
        () = games => {}
    }
}

#[tokio::test(start_paused = true)]
async fn fault_j01_who_never_comes_is_named() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["mine=tcp:0", "first"]);
    let programs = programs(None);
    let (announce, _announced) = mpsc::unbounded_channel();
    let verdict = play(&agreed, &programs, announce).await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::NoShow));
    let note = &verdict.ending.evidence.as_ref().unwrap().note;
    assert_eq!(note, "nobody connected within 5s");
}

/// Misconduct costs the same over every transport.
#[tokio::test]
async fn fault_t07_misconduct_over_tcp_and_websocket() {
    for ws in [false, true] {
        for (answer, cause) in [
            ("nonsense", Offence::Malformed),
            (r#"{"type":"move","id":1,"move":"a1-a3"}"#, Offence::IllegalMove),
            ("", Offence::Disconnected),
        ] {
            let seat = if ws { "mine=ws:0" } else { "mine=tcp:0" };
            let mut agreed = spec("hexapawn:rows=3,cols=3", &[seat, "first"]);
            agreed.conduct = Conduct::removing();
            let programs = programs(None);
            let (announce, mut announced) = mpsc::unbounded_channel();
            let bot = async {
                let mut client = Client::connect(announced.recv().await.unwrap(), ws).await;
                client.hello(json!({})).await;
                client.next("new_game").await;
                client.say(&json!({"type": "ready"})).await;
                client.next("turn").await;
                if answer.is_empty() {
                    // From here on time may jump: nobody comes back.
                    drop(client);
                    tokio::time::pause();
                    return;
                }
                client.0.send(format!("{answer}\n").as_bytes()).await.unwrap();
                assert_eq!(client.next("game_over").await["seat"], 0);
            };
            let (verdict, ()) = tokio::join!(play(&agreed, &programs, announce), bot);
            assert_eq!(verdict.ending.cause, Cause::Offence(cause), "{answer} ws={ws}");
            if answer.is_empty() {
                tokio::time::resume();
            }
        }
    }
}
