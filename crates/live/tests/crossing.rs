//! What a bot says crosses what it is told: it was right when it was said, and costs nothing.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::sync::Arc;

use common::{TWO, spec};
use rookery_bots::{Greeting, PROTOCOL, REPLY_TIME, greet};
use rookery_live::{Guest, prepare};
use rookery_referee::{Cause, Command, End, MatchSpec, Offence, Verdict};
use rookery_wire::{Connection, Lent, Protocols, Transport, TransportExt as _, memory};
use serde_json::{Value, json};

const READY: &str = "{\"type\":\"ready\"}\n";

/// A bot at the other end of a link that plays one game after the other.
struct Bot {
    ours: Box<dyn Transport>,
    greeting: Arc<Greeting>,
    far: Connection,
}

impl Bot {
    async fn new() -> Self {
        let (mut ours, mut far) = memory::pair(PROTOCOL.framing, PROTOCOL.bounds);
        far.send(b"{\"type\":\"hello\",\"version\":1}\n").await.unwrap();
        let greeting = Arc::new(greet(&mut ours, REPLY_TIME).await.unwrap());
        Self { ours: Box::new(ours), greeting, far }
    }
}

async fn say(far: &mut Connection, message: &Value) {
    far.send(format!("{message}\n").as_bytes()).await.unwrap();
}

async fn next(far: &mut Connection, kind: &str) -> Value {
    loop {
        let message: Value = serde_json::from_slice(&far.receive().await.unwrap()).unwrap();
        if message["type"] == kind {
            return message;
        }
    }
}

/// Begins a game, in which the other one, a person, resigns while the bot thinks. The open turn, which it will still answer.
async fn interrupted(bot: Bot) -> (Bot, Value) {
    let Bot { ours, greeting, mut far } = bot;
    let (lent, home) = Lent::new(ours);
    let agreed = spec("hexapawn", &["cmd:bot", "human"]);
    let guests = vec![Guest::Bot(lent, Arc::clone(&greeting)), Guest::Person];
    let live = prepare(agreed, guests, &Protocols::default(), None).unwrap().start();
    next(&mut far, "new_game").await;
    far.send(READY.as_bytes()).await.unwrap();
    let turn = next(&mut far, "turn").await;
    live.command(TWO, &Command::Resign).unwrap();
    assert_eq!(next(&mut far, "game_over").await["cause"], "resigned");
    live.played().await;
    (Bot { ours: home.await.unwrap(), greeting, far }, turn)
}

/// Plays a game against the first moves, in which the bot does something more before it is ready, and before its first move.
async fn played(bot: Bot, agreed: &MatchSpec, late: &Late<'_>) -> (Bot, Verdict, Vec<Value>) {
    let Bot { ours, greeting, mut far } = bot;
    let (lent, home) = Lent::new(ours);
    let guests = vec![Guest::Bot(lent, Arc::clone(&greeting)), Guest::BuiltIn("first".parse().unwrap())];
    let playing = prepare(agreed.clone(), guests, &Protocols::default(), None).unwrap().run();
    let bot = async {
        let (mut told, mut is_first) = (vec![], true);
        loop {
            let message: Value = serde_json::from_slice(&far.receive().await.unwrap()).unwrap();
            told.push(message.clone());
            match message["type"].as_str().unwrap() {
                "new_game" => {
                    far.send(late.before_ready.as_bytes()).await.unwrap();
                    far.send(READY.as_bytes()).await.unwrap();
                }
                "turn" => {
                    if std::mem::take(&mut is_first) {
                        far.send(late.before_move.as_bytes()).await.unwrap();
                    }
                    say(&mut far, &json!({"type": "move", "id": message["id"], "index": 0})).await;
                }
                "game_over" => return told,
                _ => {}
            }
        }
    };
    let (played, told) = tokio::join!(playing, bot);
    let End::Verdict(verdict) = played.end else { panic!("nobody suspends it") };
    (Bot { ours: home.await.unwrap(), greeting, far }, verdict, told)
}

/// What belongs to an earlier game and comes in this one.
#[derive(Default)]
struct Late<'a> {
    before_ready: &'a str,
    before_move: &'a str,
}

#[tokio::test]
async fn fault_t01_what_belongs_to_an_earlier_game_on_a_connection_costs_the_next_one_nothing() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["cmd:bot", "first"]);
    let mut bot = Bot::new().await;
    for when in ["between", "cut", "before it is ready", "in its turn"] {
        let (mut after, open) = interrupted(bot).await;
        let id = open["id"].as_u64().unwrap();
        let lines = format!(
            "{{\"type\":\"info\",\"depth\":3}}\n{{\"type\":\"move\",\"id\":{id},\"index\":1}}\n{{\"type\":\"error\",\"code\":\"x\"}}\n"
        );
        let (first, second) = lines.split_at(lines.len() / 2);
        let mut late = Late::default();
        match when {
            "between" => after.far.send(lines.as_bytes()).await.unwrap(),
            // A network delivers a part of it now and the rest later.
            "cut" => {
                after.far.send(first.as_bytes()).await.unwrap();
                late.before_ready = second;
            }
            "before it is ready" => late.before_ready = &lines,
            _ => late.before_move = &lines,
        }
        let (again, verdict, told) = played(after, &agreed, &late).await;
        assert_eq!((verdict.ending.cause, &verdict.removed), (Cause::Normal, &vec![]), "{when}: {verdict:?}");
        let turns: Vec<&Value> = told.iter().filter(|message| message["type"] == "turn").collect();
        assert!(turns.iter().all(|turn| turn["id"].as_u64().unwrap() > id), "{when}: no id comes again");
        let moved = told.iter().find(|message| message["type"] == "moved").unwrap();
        assert_eq!(moved["move"], turns[0]["legal"][0], "{when}: the old answer is none to the new question");
        let rejects: Vec<&Value> = told.iter().filter(|message| message["type"] == "reject").collect();
        let is_late = |reject: &&Value| reject["code"] == "late" && reject["id"] == id;
        assert!(
            rejects.iter().all(is_late) && rejects.len() == usize::from(when == "in its turn"),
            "{told:?}"
        );
        bot = again;
    }
}

/// It is slow to get ready, and its game is over when it is: it says so all the same, once for each game.
#[tokio::test(start_paused = true)]
async fn fault_t01_a_ready_that_is_late_is_not_that_of_the_next_game() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["cmd:bot", "first"]);
    for when in ["between", "before it is ready"] {
        let Bot { ours, greeting, mut far } = Bot::new().await;
        let (lent, home) = Lent::new(ours);
        let guests = vec![Guest::Bot(lent, Arc::clone(&greeting)), Guest::BuiltIn("first".parse().unwrap())];
        let slow = prepare(agreed.clone(), guests, &Protocols::default(), None).unwrap().run().await;
        let ending = slow.end.verdict().unwrap().ending.clone();
        assert_eq!(ending.cause, Cause::Offence(Offence::Timeout), "{ending:?}");
        next(&mut far, "new_game").await;
        let mut late = Late::default();
        if when == "between" {
            far.send(READY.as_bytes()).await.unwrap();
        } else {
            late.before_ready = READY;
        }
        let bot = Bot { ours: home.await.unwrap(), greeting, far };
        let (_, verdict, told) = played(bot, &agreed, &late).await;
        assert_eq!((verdict.ending.cause, &verdict.removed), (Cause::Normal, &vec![]), "{when}: {told:?}");
    }
}
