//! The bot protocol in whole matches: every game, every message in its schema, and what comes of misconduct.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::sync::{Arc, Mutex};

use common::spec;
use jsonschema::Validator;
use rookery_bots::{Code, ErrorCode, PROTOCOL, REPLY_TIME, greet};
use rookery_catalog::CATALOG;
use rookery_live::{Guest, Played, prepare};
use rookery_referee::{Cause, Conduct, End, Evidence, Fault, MatchSpec, Offence, TimeControl, Verdict};
use rookery_testkit::protocol_schema;
use rookery_wire::{Connection, Lent, Protocols, TransportExt as _, memory};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

const PAGE: &str = include_str!("../../../docs/protocol.md");

/// Checks messages in one direction: `to_bot` or `from_bot`.
fn validator(direction: &str) -> Validator {
    jsonschema::validator_for(&protocol_schema(direction)).unwrap()
}

fn validate(validator: &Validator, line: &str) {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    if let Err(error) = validator.validate(&value) {
        panic!("{error}\n{line}");
    }
}

/// What a bot answers to a message; nothing if it is empty.
type Mind = Box<dyn FnMut(&Value) -> String + Send>;

/// Plays the first legal move, or any other by its number.
fn decent(hello: &'static str, by_text: bool) -> Mind {
    Box::new(move |message| match message["type"].as_str().unwrap() {
        "hello" => hello.to_owned(),
        "new_game" => r#"{"type":"ready"}"#.to_owned(),
        "turn" if by_text => {
            json!({"type": "move", "id": message["id"], "move": message["legal"][0]}).to_string()
        }
        "turn" => {
            let count = message["count"].as_u64().unwrap();
            let index = message["ply"].as_u64().unwrap() * 7 % count;
            json!({"type": "move", "id": message["id"], "index": index}).to_string()
        }
        _ => String::new(),
    })
}

const HELLO: &str = r#"{"type":"hello","version":1}"#;
const DELTA: &str = r#"{"type":"hello","version":1,"name":"d","features":["delta"],"games":null}"#;

type Heard = Arc<Mutex<Vec<Value>>>;

/// A bot at the other end of a link in memory, and everything it is told.
fn bot(mut link: Connection, mut mind: Mind) -> (JoinHandle<()>, Heard) {
    let heard = Heard::default();
    let listening = Arc::clone(&heard);
    let told = validator("to_bot");
    let task = tokio::spawn(async move {
        while let Ok(bytes) = link.receive().await {
            let text = String::from_utf8(bytes).unwrap();
            validate(&told, &text);
            let message: Value = serde_json::from_str(&text).unwrap();
            let answer = mind(&message);
            listening.lock().unwrap().push(message);
            if !answer.is_empty() && link.send(format!("{answer}\n").as_bytes()).await.is_err() {
                break;
            }
        }
    });
    (task, heard)
}

/// Plays a match of bots in memory.
async fn played(spec: &MatchSpec, minds: Vec<Mind>) -> (Verdict, Vec<Vec<Value>>) {
    let (mut guests, mut bots) = (vec![], vec![]);
    for mind in minds {
        let (mut ours, theirs) = memory::pair(PROTOCOL.framing, PROTOCOL.bounds);
        bots.push(bot(theirs, mind));
        let greeting = greet(&mut ours, REPLY_TIME).await.unwrap();
        guests.push(Guest::Bot(Lent::owned(Box::new(ours)), Arc::new(greeting)));
    }
    let Played { end, .. } = prepare(spec.clone(), guests, &Protocols::default(), None).unwrap().run().await;
    let mut heard = vec![];
    for (task, told) in bots {
        task.await.unwrap();
        heard.push(told.lock().unwrap().clone());
    }
    let End::Verdict(verdict) = end else { panic!("nobody suspends it") };
    (verdict, heard)
}

fn of_type<'a>(told: &'a [Value], kind: &str) -> Vec<&'a Value> {
    told.iter().filter(|message| message["type"] == kind).collect()
}

#[tokio::test]
async fn every_game_is_played_and_every_line_is_in_the_schema() {
    for game in CATALOG {
        for text in game.benches() {
            let text = text.replace("max-turns=1000", "max-turns=60");
            let n_seats = game.seat_labels(&rookery_rules::GameSpec::parse(&text).unwrap()).unwrap().len();
            let mut agreed = spec(&text, &vec!["cmd:bot"; n_seats]);
            agreed.max_turns = Some(300);
            agreed.time = TimeControl::Fischer {
                base: std::time::Duration::from_mins(1),
                increment: std::time::Duration::from_millis(5),
            };
            let minds =
                (0..n_seats).map(|seat| decent(if seat % 2 == 0 { HELLO } else { DELTA }, seat % 2 == 0));
            let (verdict, heard) = played(&agreed, minds.collect()).await;
            assert!(verdict.ending.blame().is_none(), "{text}: {verdict:?}");
            for (seat, told) in heard.iter().enumerate() {
                let turns = of_type(told, "turn");
                assert_eq!(turns.len(), of_type(told, "moved").len(), "{text}: each answer is confirmed");
                for turn in &turns {
                    // An empty board has none, and neither has a bot that keeps the position itself.
                    if let Some(kind) = turn["state"]["pieces"][0]["kind"].as_str() {
                        let (start, kind) = (format!("| `{}` |", game.name()), format!("`{kind}`"));
                        let is_listed = |row: &str| row.starts_with(&start) && row.contains(&kind);
                        assert!(PAGE.lines().any(is_listed), "{text}: the page lists {kind}");
                    }
                    assert_eq!(turn["seat"], seat);
                    assert_eq!(turn["legal"].is_array(), seat % 2 == 0, "{text}: delta has no list");
                    assert_eq!(turn["clock"]["left_ms"].as_array().unwrap().len(), n_seats);
                }
                let over = of_type(told, "game_over");
                assert_eq!(over[0]["plies"], verdict.plies);
                assert_eq!(told.last().unwrap()["type"], "game_over");
            }
        }
    }
}

/// The fish that were caught, the stones that are left, and nothing where only the end counts.
#[tokio::test]
async fn a_turn_says_how_all_seats_stand() {
    let mut has_caught = false;
    for game in CATALOG {
        let agreed = spec(game.name(), &["cmd:bot"; 2]);
        let (verdict, heard) = played(&agreed, vec![decent(HELLO, true), decent(HELLO, false)]).await;
        for turn in heard.iter().flat_map(|told| of_type(told, "turn")) {
            let (state, position) = (&turn["state"], turn["position"].as_str().unwrap());
            let scores: Vec<i64> =
                state["scores"].as_array().unwrap().iter().map(|score| score.as_i64().unwrap()).collect();
            let of_seat = |seat: usize| {
                let pieces = state["pieces"].as_array().unwrap().iter();
                pieces.filter(|piece| piece["seat"] == seat).count() as i64
            };
            match game.name() {
                "fish" => {
                    let written = format!("{},{}", scores[0], scores[1]);
                    assert!(position.split(' ').any(|word| word == written), "{written} in {position}");
                    has_caught |= scores[0] > 0 && scores[0] != scores[1];
                }
                "stones" => assert_eq!(scores, [of_seat(0), of_seat(1)], "{position}"),
                _ => assert_eq!(scores, [0, 0], "{position}"),
            }
        }
        assert!(verdict.outcome.is_some());
    }
    assert!(has_caught, "somebody is ahead in a game of fish");
}

/// The last move is played by its number, and there is none behind it.
#[tokio::test]
async fn an_index_beyond_the_last_legal_move_is_rejected() {
    const N_TILES: u64 = 16 * 8;
    let mut agreed = spec("fish:rows=16,cols=8", &["cmd:bot"; 2]);
    agreed.max_turns = Some(1);
    let mind: Mind = Box::new(|message| match message["type"].as_str().unwrap() {
        "hello" => HELLO.to_owned(),
        "new_game" => r#"{"type":"ready"}"#.to_owned(),
        "turn" => {
            let last = message["count"].as_u64().unwrap() - 1;
            // There is no such move; then the last one there is.
            let index = if message["id"] == 1 { N_TILES } else { last };
            json!({"type": "move", "id": message["id"], "index": index}).to_string()
        }
        _ => String::new(),
    });
    agreed.conduct = Conduct::removing().with_retries(1);
    let (verdict, heard) = played(&agreed, vec![mind, decent(HELLO, false)]).await;
    let heard = &heard[0];
    assert!(verdict.ending.blame().is_none(), "{verdict:?}");
    for turn in of_type(heard, "turn") {
        assert_eq!(turn["count"], N_TILES);
        assert_eq!(turn["legal"].as_array().unwrap().len() as u64, N_TILES);
    }
    let reject = of_type(heard, "reject")[0];
    assert_eq!(reject["code"], Code::UnknownMove.word(), "{reject}");
    assert!(reject["message"].as_str().unwrap().contains("an index from 0 to 127"), "{reject}");
    assert_eq!(of_type(heard, "moved")[0]["move"], "15.7");
}

/// What is said since one's last turn, with one's own moves, is the whole game.
#[tokio::test]
async fn moves_since_the_last_turn_add_up_to_the_game() {
    let agreed = spec("fish:rows=4,cols=4,players=3", &["cmd:a"; 3]);
    let (_, heard) = played(&agreed, (0..3).map(|_| decent(HELLO, true)).collect()).await;
    for told in &heard {
        let mut moves: Vec<String> = vec![];
        for message in told {
            match message["type"].as_str().unwrap() {
                "turn" => {
                    let since = message["moves"].as_array().unwrap();
                    moves.extend(since.iter().map(|moved| moved["move"].as_str().unwrap().to_owned()));
                    assert_eq!(message["ply"].as_u64().unwrap() as usize, moves.len());
                }
                "moved" => moves.push(message["move"].as_str().unwrap().to_owned()),
                _ => {}
            }
        }
        assert!(moves.len() > 8, "{moves:?}");
    }
}

#[tokio::test]
async fn a_bot_learns_of_its_own_seed_alone_and_nothing_of_others_but_names() {
    let mut agreed = spec("hexapawn", &["mine=cmd:./secret-command --key 1", "cmd:./other"]);
    agreed.seed = rookery_rules::Seed(12_345_678_901);
    let (_, heard) = played(&agreed, vec![decent(HELLO, true), decent(HELLO, false)]).await;
    let told = serde_json::to_string(&heard).unwrap();
    assert!(!told.contains("12345678901"), "the match's seed");
    assert!(!told.contains("--key"), "a command");
    let seeds: Vec<_> = heard.iter().map(|told| of_type(told, "new_game")[0]["seed"].clone()).collect();
    assert_ne!(seeds[0], seeds[1]);
    for seat in 0..2 {
        let other = seeds[1 - seat].as_str().unwrap();
        assert!(!serde_json::to_string(&heard[seat]).unwrap().contains(other), "another seat's seed");
    }
}

#[tokio::test]
async fn who_has_no_name_is_called_by_its_label_and_its_command_stays_its_own() {
    // Equal commands are numbered.
    let agreed = spec("hexapawn", &["cmd:./secret-command --key 1", "cmd:./secret-command --key 1"]);
    let (_, heard) = played(&agreed, vec![decent(HELLO, true), decent(HELLO, false)]).await;
    assert!(!serde_json::to_string(&heard).unwrap().contains("secret-command"), "{heard:?}");
    for told in &heard {
        let seats =
            json!([{"name": "player 1", "label": "player 1"}, {"name": "player 2", "label": "player 2"}]);
        assert_eq!(of_type(told, "new_game")[0]["seats"], seats);
        assert_eq!(of_type(told, "game_over")[0]["results"][1]["name"], "player 2");
    }
}

#[tokio::test]
async fn what_the_program_of_another_seat_wrote_and_how_it_ended_is_not_told() {
    let evidence = Evidence {
        note: "cannot start ./secret-command".to_owned(),
        exit: Some("exit status: 7".to_owned()),
        stderr: Some("key 1 is wrong".to_owned()),
        ..Evidence::default()
    };
    let agreed = spec("hexapawn", &["cmd:./secret-command", "mine=cmd:./b"]);
    let (mut ours, theirs) = memory::pair(PROTOCOL.framing, PROTOCOL.bounds);
    let (task, heard) = bot(theirs, decent(HELLO, true));
    let greeting = greet(&mut ours, REPLY_TIME).await.unwrap();
    let guests = vec![
        Guest::Absent(Fault::with(Offence::Crashed, evidence)),
        Guest::Bot(Lent::owned(Box::new(ours)), Arc::new(greeting)),
    ];
    prepare(agreed, guests, &Protocols::default(), None).unwrap().run().await;
    task.await.unwrap();
    let heard = heard.lock().unwrap();
    assert_eq!(of_type(&heard, "game_over")[0]["message"], "player 1 crashed");
    assert!(!serde_json::to_string(&*heard).unwrap().contains("secret-command"), "{heard:?}");
}

/// Who has offended is told why.
#[tokio::test]
async fn what_speaks_against_a_bot_is_told_to_it_alone() {
    let mut agreed = spec("hexapawn:rows=4,cols=4", &["cmd:a", "cmd:b"]);
    agreed.conduct = Conduct::removing();
    let wrong = at_turn(1, |_| "nonsense".to_owned());
    let (_, heard) = played(&agreed, vec![wrong, decent(HELLO, true)]).await;
    let message = |seat: usize| of_type(&heard[seat], "game_over")[0]["message"].as_str().unwrap().to_owned();
    assert!(message(0).contains("sent `nonsense`"), "{}", message(0));
    assert_eq!(message(1), "player 1 sent an answer that cannot be read");
}

/// Does something else at one of its turns, once.
fn at_turn(number: u64, deed: impl Fn(&Value) -> String + Send + 'static) -> Mind {
    let mut mind = decent(HELLO, true);
    let mut n_turns = 0;
    Box::new(move |message| {
        if message["type"] == "turn" {
            n_turns += 1;
            if n_turns == number {
                return deed(message);
            }
        }
        mind(message)
    })
}

/// Moves alone do not lead to where somebody was taken out.
#[tokio::test]
async fn who_keeps_the_position_itself_is_told_it_when_somebody_is_removed() {
    let mut agreed = spec("fish:rows=4,cols=4,players=3", &["cmd:a"; 3]);
    agreed.conduct = Conduct::removing();
    let wrong = at_turn(3, |_| "nonsense".to_owned());
    let (verdict, heard) = played(&agreed, vec![wrong, decent(DELTA, false), decent(HELLO, true)]).await;
    assert_eq!((verdict.removed.len(), verdict.ending.cause), (1, Cause::Normal), "{verdict:?}");
    let turns = of_type(&heard[1], "turn");
    let is_removal = |since: &Value| since["removed"] == "malformed";
    let after: Vec<_> = turns.iter().filter(|turn| turn["position"].is_string()).collect();
    assert!(after.len() == 1 && after[0]["moves"].as_array().unwrap().iter().any(is_removal), "{turns:?}");
    assert!(turns.iter().all(|turn| turn["legal"].is_null()), "it knows the rules");
}

#[tokio::test]
async fn fault_t14_a_rejected_answer_says_why_and_what_is_left() {
    let mut agreed = spec("hexapawn:rows=4,cols=4", &["cmd:a", "cmd:b"]);
    agreed.conduct = Conduct::removing().with_retries(2);
    for (answer, code) in [
        (json!({"type": "move", "id": 2, "move": "a1-a4"}).to_string(), "illegal_move"),
        (json!({"type": "move", "id": 2, "move": "hop"}).to_string(), "unknown_move"),
        (json!({"type": "move", "id": 2, "index": 99}).to_string(), "unknown_move"),
        (json!({"type": "move", "id": 2}).to_string(), "missing_field"),
        (json!({"type": "move", "id": 9, "index": 0}).to_string(), "missing_field"),
        ("b2".to_owned(), "bad_json"),
        ("{\"type\":\"ready\"}".to_owned(), "unexpected_type"),
    ] {
        let sent = answer.clone();
        let (verdict, heard) =
            played(&agreed, vec![at_turn(2, move |_| answer.clone()), decent(HELLO, true)]).await;
        assert!(verdict.ending.blame().is_none(), "{sent}: it had another chance: {verdict:?}");
        let rejects = of_type(&heard[0], "reject");
        assert_eq!(rejects.len(), 1, "{sent}");
        let reject = rejects[0];
        assert_eq!(reject["code"], code, "{sent}: {reject}");
        assert_eq!((&reject["id"], &reject["chances"]), (&json!(2), &json!(2)), "{sent}: {reject}");
        let shown: String = sent.chars().take(20).collect();
        let told = reject["sent"].as_str().unwrap();
        assert!(told.contains(&shown) || told == "a1-a4", "{sent}: {reject}");
        assert!(!reject["legal"].as_array().unwrap().is_empty() && of_type(&heard[1], "reject").is_empty());
    }
    // Without a further chance it is out, and told so.
    agreed.conduct = Conduct::removing();
    let wrong = at_turn(1, |_| "nonsense".to_owned());
    let (verdict, heard) = played(&agreed, vec![wrong, decent(HELLO, true)]).await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Malformed));
    assert_eq!(of_type(&heard[0], "reject")[0]["chances"], 0);
    let over = of_type(&heard[1], "game_over")[0];
    assert_eq!((&over["cause"], &over["seat"]), (&json!("malformed"), &json!(0)));
    assert_eq!(
        (&over["results"][0]["cause"], &over["results"][1]["place"]),
        (&json!("malformed"), &json!(1))
    );
}

#[tokio::test]
async fn fault_t05_late_answers_and_unknown_types_are_answered_and_do_no_harm() {
    let agreed = spec("hexapawn:rows=4,cols=4", &["cmd:a", "cmd:b"]);
    let twice = at_turn(2, |turn| {
        let good = json!({"type": "move", "id": turn["id"], "move": turn["legal"][0]});
        let late = json!({"type": "move", "id": 1, "move": "b2"});
        format!("{late}\n{{\"type\":\"dance\",\"steps\":3}}\n{good}\n{late}")
    });
    let (verdict, heard) = played(&agreed, vec![twice, decent(HELLO, true)]).await;
    assert!(verdict.ending.blame().is_none(), "{verdict:?}");
    let late = of_type(&heard[0], "reject");
    assert_eq!(late.len(), 2);
    assert!(late.iter().all(|reject| reject["code"] == "late" && reject["chances"].is_null()));
    assert_eq!(of_type(&heard[0], "error")[0]["code"], "unknown_type");

    let flood = at_turn(1, |_| "{\"type\":\"dance\"}\n".repeat(200));
    let (verdict, _) = played(&agreed, vec![flood, decent(HELLO, true)]).await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::OutputLimit), "but not without end");

    for (n_late, is_too_many) in [(16, false), (17, true)] {
        let behind = at_turn(2, move |turn| {
            let good = json!({"type": "move", "id": turn["id"], "move": turn["legal"][0]});
            format!("{}{good}", "{\"type\":\"move\",\"id\":1,\"index\":0}\n".repeat(n_late))
        });
        let (verdict, _) = played(&agreed, vec![behind, decent(HELLO, true)]).await;
        let is_out = verdict.ending.cause == Cause::Offence(Offence::OutOfTurn);
        assert_eq!(is_out, is_too_many, "{verdict:?}");
    }
}

#[tokio::test]
async fn fault_t06_whoever_moves_without_being_asked_is_out() {
    let agreed = spec("hexapawn:rows=4,cols=4", &["cmd:a", "cmd:b"]);
    let eager = at_turn(1, |turn| {
        let good = json!({"type": "move", "id": turn["id"], "move": turn["legal"][0]});
        format!("{good}\n{{\"type\":\"move\",\"id\":2,\"index\":0}}")
    });
    let (verdict, _) = played(&agreed, vec![eager, decent(HELLO, true)]).await;
    assert_eq!(
        (verdict.ending.cause, verdict.ending.seat.unwrap().index()),
        (Cause::Offence(Offence::OutOfTurn), 0)
    );
}

#[tokio::test]
async fn fault_t15_what_a_bot_claims_about_the_result_is_ignored() {
    let agreed = spec("hexapawn:rows=4,cols=4", &["cmd:a", "cmd:b"]);
    let honest = played(&agreed, vec![decent(HELLO, true), decent(HELLO, true)]).await.0;
    let claimer = at_turn(2, |turn| {
        let claim = json!({"type": "game_over", "cause": "illegal_move", "seat": 1, "winners": [0]});
        let good = json!({"type": "move", "id": turn["id"], "move": turn["legal"][0], "winner": 0});
        format!("{claim}\n{good}")
    });
    let (verdict, heard) = played(&agreed, vec![claimer, decent(HELLO, true)]).await;
    assert_eq!(verdict, honest);
    assert_eq!(of_type(&heard[0], "error")[0]["code"], "unknown_type");
}

#[tokio::test]
async fn words_and_thoughts_are_passed_on_and_bounded() {
    let agreed = spec("hexapawn:rows=4,cols=4", &["cmd:a", "cmd:b"]);
    let talker = at_turn(2, |turn| {
        let say = json!({"type": "say", "text": "x".repeat(1000)});
        let info = json!({"type": "info", "depth": 3, "nodes": 9});
        let good = json!({"type": "move", "id": turn["id"], "index": 0, "say": "there\u{1b}[31m"});
        format!("{say}\n{info}\n{good}")
    });
    let (_, heard) = played(&agreed, vec![talker, decent(HELLO, true)]).await;
    for told in &heard {
        let said: Vec<_> =
            of_type(told, "said").iter().map(|said| said["text"].as_str().unwrap().to_owned()).collect();
        assert_eq!(said, ["x".repeat(300), "there [31m".to_owned()]);
    }
}

#[tokio::test]
async fn two_games_in_a_row_on_one_connection() {
    let agreed = spec("hexapawn:rows=3,cols=3", &["cmd:a", "first"]);
    let (mut ours, theirs) = memory::pair(PROTOCOL.framing, PROTOCOL.bounds);
    let (task, heard) = bot(theirs, decent(HELLO, true));
    let greeting = Arc::new(greet(&mut ours, REPLY_TIME).await.unwrap());
    let mut link: Box<dyn rookery_wire::Transport> = Box::new(ours);
    for _ in 0..2 {
        let (lent, home) = Lent::new(link);
        let guests = vec![Guest::Bot(lent, Arc::clone(&greeting)), Guest::BuiltIn("first".parse().unwrap())];
        let played = prepare(agreed.clone(), guests, &Protocols::default(), None).unwrap().run().await;
        assert!(played.end.verdict().unwrap().ending.blame().is_none());
        link = home.await.unwrap();
    }
    drop(link);
    task.await.unwrap();
    let heard = heard.lock().unwrap();
    assert_eq!(of_type(&heard, "hello").len(), 1);
    assert_eq!((of_type(&heard, "new_game").len(), of_type(&heard, "game_over").len()), (2, 2));
}

#[test]
fn the_examples_of_the_page_are_in_the_schema() {
    let (to, from) = (validator("to_bot"), validator("from_bot"));
    let whole = |line: &&str| !line.contains('…');
    let mut n_checked = 0;
    for line in PAGE.lines().filter(whole) {
        if let Some(told) = line.strip_prefix("< {") {
            validate(&to, &format!("{{{told}"));
            n_checked += 1;
        } else if let Some(said) = line.strip_prefix("> {") {
            validate(&from, &format!("{{{said}"));
            n_checked += 1;
        }
    }
    assert!(n_checked >= 6, "the examples are found: {n_checked}");
}

/// The first column of the table below a heading of the page.
fn codes_of_the_page(heading: &str) -> Vec<&'static str> {
    let (_, below) = PAGE.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let rows =
        below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    // The first two are the heads of the columns and the line below them.
    rows.skip(2).map(|row| row.split('`').nth(1).unwrap()).collect()
}

/// What may be said is said in the same words by the program, by the page and by the schema, and nothing else is.
#[test]
fn the_lists_of_codes_are_closed() {
    let schema = protocol_schema("to_bot");
    let words = |codes: &[&'static str]| {
        let mut words = codes.to_vec();
        words.sort_unstable();
        words
    };
    for (kind, heading, known) in [
        ("reject", "### Codes of `reject`", Code::ALL.iter().map(|code| code.word()).collect::<Vec<_>>()),
        ("error", "### Codes of `error`", ErrorCode::ALL.iter().map(|code| code.word()).collect()),
    ] {
        let listed = codes_of_the_page(heading);
        let in_schema = &schema["$defs"][format!("to_bot_{kind}")]["properties"]["code"]["enum"];
        let in_schema: Vec<String> = serde_json::from_value(in_schema.clone()).unwrap();
        assert_eq!(words(&listed), words(&known), "{kind}: the page");
        let mut in_schema: Vec<&str> = in_schema.iter().map(String::as_str).collect();
        in_schema.sort_unstable();
        assert_eq!(in_schema, words(&known), "{kind}: the schema");
    }
}
