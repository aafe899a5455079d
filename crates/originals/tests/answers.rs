//! Misconduct in games over TCP: what it is called, what it costs, and that the others play on.
//!
//! Left out: T15, since there is nothing to claim in this protocol but a move (a claim is an answer that cannot be
//! read, as in T7); T16, since every move takes a tile, so every game ends.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod peers;

use std::time::Duration;

use peers::{Deed, Held, Peer, SHORT, all, config, impatient, tournament};
use rookery_originals::fish::{Config, Notice, Tally};

/// Ann and Cid play with somebody who does this at a call.
async fn among(config: Config, call: &'static str, nth: usize, deed: Deed) -> Held {
    let bad = Peer::bad("Bad", call, nth, deed);
    tournament(config, vec![Peer::new("Ann"), bad, Peer::new("Cid")]).await
}

/// The same, and it is thrown out for it, and for nothing else is anybody.
async fn costs(config: Config, call: &'static str, nth: usize, deed: Deed, offence: &str) -> String {
    let text = format!("{deed:?} at {call}");
    let held = among(config, call, nth, deed).await;
    assert_eq!(held.tally.failed, 1, "{text}");
    assert!(held.tally.winners >= 1, "{text}");
    let (found, reason) = held.offence("Bad").unwrap_or_else(|| panic!("{text}: nobody was removed"));
    assert_eq!(found, offence, "{text}: {reason}");
    assert_eq!(held.seen[0].calls.last().unwrap(), "end", "{text}: the others play on to the end");
    assert_eq!(held.seen[2].calls.last().unwrap(), "end", "{text}: the others play on to the end");
    assert_eq!(held.seen[1].won, None, "{text}: who is thrown out is told nothing more");
    reason
}

async fn sending(bytes: &[u8], offence: &str) {
    for (call, nth) in [("setup", 1), ("take-turn", 1)] {
        costs(config(3), call, nth, Deed::Send(bytes.to_vec()), offence).await;
    }
}

#[tokio::test]
async fn fault_t01_a_late_answer_changes_nothing() {
    let calls = ["start", "playing-with", "setup", "take-turn"];
    all(calls.map(|call| costs(impatient(3), call, 0, Deed::Late(10 * SHORT), "timeout"))).await;
}

#[tokio::test]
async fn fault_t02_what_we_are_late_costs_nobody_anything() {
    // Everything stands still for longer than a time-out, in the midst of the games.
    let stop = tokio::spawn(async {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(300)).await;
            std::thread::sleep(SHORT + SHORT);
        }
    });
    let slow = |name| Peer::bad(name, "take-turn", 1, Deed::Late(SHORT / 2));
    let held = tournament(impatient(4), ["A", "B", "C", "D"].map(slow).into()).await;
    assert_eq!(held.tally, Tally { winners: 2, failed: 0 });
    stop.abort();
}

#[tokio::test]
async fn fault_t02_nor_does_it_outside_of_games() {
    // Slower than the time-out, but most of that is ours.
    let slow = Peer::bad("slow", "start", 0, Deed::Late(SHORT * 4 / 3));
    let running = peers::serve(impatient(2), 1);
    let mut tasks = vec![slow.connect(running.address).await];
    tasks.push(Peer::new("Ann").connect(running.address).await);
    running.until("the start", |notice| matches!(notice, Notice::Tournament { .. })).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    std::thread::sleep(SHORT);
    assert_eq!(running.tally().await, Tally { winners: 1, failed: 0 });
}

#[tokio::test]
async fn fault_t03_who_disconnects_is_out_at_once() {
    for call in ["start", "playing-as", "playing-with", "setup", "take-turn", "end"] {
        let held = among(config(3), call, 0, Deed::Close).await;
        assert_eq!(held.tally.failed, 1, "at {call}");
        assert_eq!(held.offence("Bad").unwrap().0, "disconnected", "at {call}");
    }
}

#[tokio::test]
async fn fault_t03_an_answer_before_the_end_counts() {
    // The last thing it does is a whole answer and nothing more; its next turn finds it gone.
    let bad = Peer::bad("Bad", "take-turn", 1, Deed::Close);
    let held = tournament(config(2), vec![Peer::new("Ann"), bad]).await;
    assert_eq!(held.tally, Tally { winners: 1, failed: 1 });
    assert_eq!(held.seen[1].turns.len(), 2, "the first turn was answered, the second not");
}

/// Many a client says `void` without its quotes, and waits for ever: what it sent and what was asked must be said.
#[tokio::test]
async fn fault_t04_a_time_out_says_which_call_it_was_and_what_had_arrived() {
    let quoted = |call: &str| format!("expected \"void\" with its quotes as the answer to {call}");
    for (call, sent, expected) in [
        ("start", "void", quoted("start")),
        ("playing-as", "void", quoted("playing-as")),
        ("playing-with", "\"void", quoted("playing-with")),
        ("setup", "[0,", "expected a place such as [0,2] as the answer to setup".to_owned()),
        (
            "take-turn",
            "[[0,0],[2",
            "expected a move such as [[0,2],[2,2]] as the answer to take-turn".to_owned(),
        ),
    ] {
        let reason = costs(impatient(3), call, 0, Deed::Send(sent.into()), "timeout").await;
        assert!(reason.contains(&format!("sent `{sent}`")), "{reason}");
        assert!(reason.contains(&expected), "{reason}");
        assert!(reason.contains(" ms"), "{reason}");
    }
    let held = among(impatient(3), "end", 0, Deed::Send(b"void".to_vec())).await;
    let (offence, reason) = held.offence("Bad").unwrap();
    assert_eq!(offence, "timeout");
    assert!(reason.contains("sent `void`") && reason.contains(&quoted("end")), "{reason}");
}

/// A peer that is gone without a word looks like one that is silent: no longer than the deadline.
#[tokio::test]
async fn fault_t04_silence_lasts_no_longer_than_the_deadline() {
    let calls = ["start", "setup", "take-turn"];
    all(calls.map(|call| costs(impatient(3), call, 0, Deed::Silence, "timeout"))).await;
}

#[tokio::test]
async fn fault_t05_two_answers_are_one_too_many() {
    for call in ["start", "playing-as", "setup", "take-turn"] {
        costs(config(3), call, 0, Deed::Twice, "out_of_turn").await;
        // The second one is no answer to the next call, which is not made any more.
        let held = among(config(3), call, 0, Deed::Twice).await;
        assert_eq!(held.seen[1].calls.last().unwrap(), call);
    }
}

/// Of a whole answer that came too early, and of the beginning of one.
const UNASKED: &str = "it was not asked";

/// In all these tests the offender sends what is too early, and then only what is still missing. So if it were taken
/// for an answer, nothing would be wrong.
#[tokio::test]
async fn fault_t06_what_comes_with_an_answer_is_not_the_next_one() {
    let void = ["\"void\"", "\""];
    let place = ["[4,4]", "["];
    let slide = ["[[0,1],[2,1]]", "["];
    for (call, nth, early) in [
        ("start", 0, void),
        ("playing-as", 0, void),
        ("playing-with", 0, place),
        ("setup", 0, place),
        ("setup", 2, slide),
        ("take-turn", 0, slide),
    ] {
        for early in early {
            let reason = costs(config(3), call, nth, Deed::Ahead(None, early), "out_of_turn").await;
            assert!(reason.contains(UNASKED), "{early} at {call}: {reason}");
            let held = among(config(3), call, nth, Deed::Ahead(None, early)).await;
            assert_eq!(held.seen[1].calls.last().unwrap(), call, "{early}: the next call is not made");
        }
    }
    // A whole message so early is noticed by the waiting room (J6).
    let reason = costs(config(3), "name", 0, Deed::Ahead(None, "\""), "out_of_turn").await;
    assert!(reason.contains(UNASKED), "{reason}");
}

/// A moment in which somebody else answers slowly, and the server listens to nobody else.
const MEANWHILE: Duration = Duration::from_millis(300);

#[tokio::test]
async fn fault_t06_what_comes_between_two_calls_is_not_the_answer_to_the_second() {
    // The second call: playing-as, and the first setup of the game.
    for (call, early) in [("start", "\"void\""), ("playing-with", "[4,4]")] {
        let bad = Peer::bad("Bad", call, 0, Deed::Ahead(Some(MEANWHILE / 6), early));
        let slow = Peer::bad("slow", call, 0, Deed::Late(MEANWHILE));
        let held = tournament(config(3), vec![bad, slow, Peer::new("Cid")]).await;
        let (offence, reason) = held.offence("Bad").unwrap_or_else(|| panic!("{early} at {call}"));
        assert_eq!(offence, "out_of_turn", "{early} at {call}: {reason}");
        assert!(reason.contains(UNASKED), "{early} at {call}: {reason}");
        assert_eq!(held.seen[0].calls.last().unwrap(), call, "{early}: the next call is not made");
        assert_eq!(held.tally, Tally { winners: 1, failed: 1 }, "{early} at {call}");
    }
}

/// A game of two, in which Ann makes the last move, her ninth, and Bob the one before, his eighth.
const TWO: [&str; 2] = ["Ann", "Bob"];

async fn two(deeds: [Option<(usize, Deed)>; 2]) -> Held {
    let mut peers = TWO.map(Peer::new);
    for (peer, deed) in peers.iter_mut().zip(deeds) {
        peer.deed = deed.map(|(nth, deed)| ("take-turn", nth, deed));
    }
    tournament(config(2), peers.into()).await
}

#[tokio::test]
async fn fault_t06_who_speaks_while_another_thinks_is_removed_from_that_game() {
    assert_eq!(two([None, None]).await.n_turns(), 17);
    let bob = Deed::Ahead(Some(MEANWHILE / 6), "\"void\"");
    let held = two([Some((8, Deed::Late(MEANWHILE))), Some((7, bob))]).await;
    let (offence, reason) = held.offence("Bob").unwrap();
    assert_eq!(offence, "out_of_turn", "{reason}");
    let removed = held.notices.iter().position(|notice| matches!(notice, Notice::Removed { .. }));
    let finished = held.notices.iter().position(|notice| matches!(notice, Notice::Finished { .. }));
    assert!(removed.unwrap() < finished.unwrap(), "not only when it is told the end");
    assert_eq!((held.tally, held.winners()), (Tally { winners: 1, failed: 1 }, vec![0]));
}

#[tokio::test]
async fn fault_t06_what_comes_with_the_last_move_is_not_the_answer_to_the_end() {
    for early in ["\"void\"", "\""] {
        let held = two([Some((8, Deed::Ahead(None, early))), None]).await;
        let (offence, reason) = held.offence("Ann").unwrap_or_else(|| panic!("{early}"));
        assert_eq!(offence, "out_of_turn", "{early}: {reason}");
        assert!(reason.contains(UNASKED), "{early}: {reason}");
        assert_eq!((held.tally.failed, held.seen[0].won), (1, None), "{early}");
        assert_eq!(held.seen[1].won, Some(false), "{early}: the other one is told");
    }
}

#[tokio::test]
async fn fault_t07_garbage_is_malformed_and_others_play_on() {
    for garbage in ["%$&", "{]", "]", "hello ", "[0 1]", "[[0,0],[0,1]", "\"I have won\"", "nothing\n"] {
        // What might still become a value is waited for.
        let unfinished = garbage == "[[0,0],[0,1]";
        let (config, offence) = if unfinished { (impatient(3), "timeout") } else { (config(3), "malformed") };
        costs(config, "setup", 1, Deed::Send(garbage.into()), offence).await;
    }
    let reason = costs(config(3), "take-turn", 0, Deed::Send(b"[[0,0],\x01]".to_vec()), "malformed").await;
    assert!(
        reason.contains("sent `[[0,0],\\x01]`; expected a move such as [[0,2],[2,2]]; legal were "),
        "{reason}"
    );
}

#[tokio::test]
async fn fault_t08_text_that_is_no_text_is_malformed() {
    for bytes in [&b"\"\xff\""[..], b"\xef\xbb\xbf[0,0]", b"\"\\ud800\"", b"\"\\u0000\"", b"\x00[0,0]"] {
        sending(bytes, "malformed").await;
    }
}

#[tokio::test]
async fn fault_t09_too_much_is_cut_off() {
    costs(config(3), "take-turn", 0, Deed::Flood(vec![b'['; 1]), "malformed").await;
    costs(config(3), "take-turn", 0, Deed::Flood(vec![b'7'; 1 << 20]), "output_limit").await;
    costs(config(3), "setup", 0, Deed::Flood(vec![b' '; 1 << 20]), "output_limit").await;
    let mut open_string = vec![b'a'; 1 << 20];
    open_string[0] = b'"';
    costs(config(3), "start", 0, Deed::Flood(open_string), "output_limit").await;
}

#[tokio::test]
async fn fault_t10_deep_nesting_is_malformed() {
    sending(&[b'['; 5000], "malformed").await;
    sending(&[[b'['; 16], [b']'; 16]].concat(), "malformed").await;
}

#[tokio::test]
async fn fault_t11_only_small_integers_are_numbers() {
    for number in
        ["-1", "1.0", "1e0", "1e999", "256", "1234567890123456789012345", "-0", "01", "true", "\"1\""]
    {
        costs(config(3), "setup", 1, Deed::Send(format!("[0,{number}]").into()), "malformed").await;
        let answer = format!("[[0,0],[0,{number}]]");
        costs(config(3), "take-turn", 1, Deed::Send(answer.into()), "malformed").await;
    }
}

#[tokio::test]
async fn fault_t12_more_or_less_than_expected_is_malformed() {
    for answer in ["[]", "[0]", "[0,1,2]", "[[0,1]]", "{\"0\":0,\"1\":1}", "{}", "null", "false"] {
        costs(config(3), "setup", 1, Deed::Send(answer.into()), "malformed").await;
    }
    for answer in ["[]", "[[0,0]]", "[[0,0],[0,1],[0,2]]", "[0,0]", "{\"from\":[0,0]}", "false", "\"skip\""] {
        costs(config(3), "take-turn", 1, Deed::Send(answer.into()), "malformed").await;
    }
    for reply in ["true", "null", "[\"void\"]", "\"VOID\"", "{\"void\":\"void\"}"] {
        costs(config(3), "playing-with", 0, Deed::Send(reply.into()), "malformed").await;
    }
}

#[tokio::test]
async fn fault_t13_a_value_may_take_many_lines_and_pieces() {
    let held = among(config(3), "setup", 0, Deed::Send(b" \r\n\t[\n4\n,\n\n4\n]\n\n".to_vec())).await;
    assert_eq!(held.tally, Tally { winners: 1, failed: 0 });
    let peers = ["Ann", "Bob", "Cid"].map(|name| Peer { piece: Some(1), ..Peer::new(name) });
    let held = tournament(config(3), peers.into()).await;
    assert_eq!(held.tally, Tally { winners: 1, failed: 0 });
}

#[tokio::test]
async fn fault_t14_illegal_moves_cost_the_seat() {
    // Off the board, and on a tile where the first player already stands.
    for place in ["[9,9]", "[255,255]", "[0,0]"] {
        let reason = costs(config(3), "setup", 0, Deed::Send(place.into()), "illegal_move").await;
        assert!(reason.starts_with("sent an illegal move: sent "), "{reason}");
    }
    // Somebody else's penguin, a tile without one, no straight line, no step at all, off the board.
    for action in ["[[0,0],[2,0]]", "[[4,4],[2,4]]", "[[0,1],[4,4]]", "[[0,1],[0,1]]", "[[0,1],[9,1]]"] {
        let reason = costs(config(3), "take-turn", 0, Deed::Send(action.into()), "illegal_move").await;
        assert!(reason.starts_with("sent an illegal move: sent "), "{reason}");
    }
}

#[tokio::test]
async fn fault_t17_who_never_reads_is_out_of_time() {
    // What it is sent waits in its buffers; what counts is that no answer comes and nobody else waits for it.
    let running = peers::serve(impatient(3), 1);
    let mut deaf = tokio::net::TcpStream::connect(running.address).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut deaf, b"\"Deaf\"").await.unwrap();
    let mut tasks = vec![];
    for peer in peers::good(2) {
        tasks.push(peer.connect(running.address).await);
    }
    assert_eq!(running.tally().await, Tally { winners: 1, failed: 1 });
}

#[tokio::test]
async fn fault_t18_who_closes_its_own_direction_is_gone() {
    for call in ["start", "setup", "take-turn"] {
        costs(config(3), call, 0, Deed::HalfClose, "disconnected").await;
    }
}

#[tokio::test]
async fn fault_t19_an_answer_that_drips_has_an_absolute_deadline() {
    let calls = ["playing-as", "setup", "take-turn"];
    all(calls.map(|call| costs(impatient(3), call, 0, Deed::Drip(SHORT), "timeout"))).await;
}
