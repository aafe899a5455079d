//! A protocol on a link, seated at a table.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::time::Duration;

use common::{Words, play_out, play_spec, silent, spec, start};
use rookery_games::hexapawn;
use rookery_games::renpaarden::{self, Position};
use rookery_referee::{
    Cause, Conduct, Event, EventOf, Evidence, Foul, LagProbe, MatchSpec, Offence, Player, Ruling,
};
use rookery_rules::{Seat, Seed};
use rookery_wire::{
    Bounds, Connection, Framing, Lent, Note, Protocol, Protocols, Remote, TransportExt as _, memory,
};

fn pair() -> (Lent, Connection) {
    let (near, far) = memory::choppy(Framing::Lines, Bounds::default(), Seed(5));
    (Lent::owned(Box::new(near)), far)
}

fn remote(link: Lent) -> Box<dyn Player<Position>> {
    Box::new(Remote::new(link, Words::default()))
}

fn fouls(events: &[EventOf<Position>]) -> Vec<&Foul> {
    events
        .iter()
        .filter_map(|event| if let Event::Fouled(foul) = event { Some(&**foul) } else { None })
        .collect()
}

/// Answers each question with the next of these lines, and counts the questions.
fn program(mut far: Connection, lines: &'static [&'static str]) -> tokio::task::JoinHandle<usize> {
    tokio::spawn(async move {
        let mut n_asked = 0;
        while far.receive().await.is_ok() {
            let line = lines.get(n_asked).copied().unwrap_or("no more");
            n_asked += 1;
            far.send(format!("{line}\n").as_bytes()).await.unwrap();
        }
        n_asked
    })
}

fn movers(events: &[EventOf<Position>]) -> Vec<(usize, String)> {
    let moved = |event: &EventOf<Position>| match event {
        Event::Moved { seat, mv, .. } => Some((seat.index(), mv.to_string())),
        _ => None,
    };
    events.iter().filter_map(moved).collect()
}

#[tokio::test(start_paused = true)]
async fn several_moves_in_one_answer_are_made_while_the_seat_is_asked_again() {
    let (link, far) = pair();
    let (other_link, other_far) = pair();
    // The last of the second answer is never made: the turn is over before.
    let first = program(far, &["a2-b4 b4-d5 d5-b4 b4-a2", "say hello\na2-c3 c3-a2"]);
    let second = program(other_far, &["a4-b2", "b2-a4", "a5-b3"]);
    let (verdict, events) = play_out(start(), "untimed", vec![remote(link), remote(other_link)]).await;
    assert_eq!(verdict.ending.cause, Cause::Normal);
    let expected = [
        (0, "a2-b4"),
        (0, "b4-d5"),
        (0, "d5-b4"),
        (0, "b4-a2"),
        (1, "a4-b2"),
        (1, "b2-a4"),
        (0, "a2-c3"),
        (1, "a5-b3"),
    ];
    assert_eq!(movers(&events), expected.map(|(seat, text)| (seat, text.to_owned())));
    assert_eq!(first.await.unwrap(), 2, "it was not asked for what it had said already");
    assert_eq!(second.await.unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_kept_move_that_is_illegal_is_judged_and_the_rest_is_gone() {
    let (link, far) = pair();
    let (other_link, other_far) = pair();
    let first = program(far, &["a2-b4 b4-b4 b4-a2", "b4-d5 d5-c3"]);
    let second = program(other_far, &["a4-b2 b2-a4", "a5-b3"]);
    let spec = MatchSpec { conduct: Conduct::removing().with_retries(1), ..spec("untimed") };
    let (_, events) = play_spec(&spec, start(), vec![remote(link), remote(other_link)]).await;
    let expected = [(0, "a2-b4"), (0, "b4-d5"), (0, "d5-c3"), (1, "a4-b2"), (1, "b2-a4")]
        .map(|(seat, mv)| (seat, mv.to_owned()));
    assert_eq!(movers(&events)[..5], expected);
    let foul = fouls(&events)[0];
    assert_eq!((foul.offence, foul.ruling), (Offence::IllegalMove, Ruling::AskAgain));
    assert_eq!(foul.evidence.sent.as_deref(), Some("b4-b4"));
    assert_eq!((first.await.unwrap(), second.await.unwrap()), (4, 1));
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_a_move_is_malformed() {
    let (link, far) = pair();
    let _program = program(far, &["#"]);
    let (verdict, _) = play_out(start(), "untimed", vec![remote(link), silent()]).await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Malformed));
    let Evidence { sent, note, expected, .. } = *verdict.ending.evidence.unwrap();
    assert_eq!((sent.as_deref(), &*note), (Some("`#`"), "there is no move in it"));
    assert_eq!(expected.as_deref(), Some("moves as an answer to go"));
}

#[tokio::test(start_paused = true)]
async fn what_a_program_says_about_its_move_is_bounded_and_belongs_to_that_move() {
    const LONG: &str = concat!("c3-a2 #so\u{1b}good", "0123456789", "0123456789", "0123456789");
    let (link, far) = pair();
    let (other_link, other_far) = pair();
    // What is said about a refused move is not kept for the next.
    let _first = program(far, &["a1-a1 #refused", "a2-c3", LONG]);
    let _second = program(other_far, &["a5-b3", "b3-a5"]);
    let spec = MatchSpec { conduct: Conduct::removing().with_retries(1), ..spec("untimed") };
    let (_, events) = play_spec(&spec, start(), vec![remote(link), remote(other_link)]).await;
    let infos: Vec<Option<String>> = events
        .iter()
        .filter_map(|event| if let Event::Moved { info, .. } = event { Some(info) } else { None })
        .map(|info| info.as_ref().and_then(|info| info.text.clone()))
        .collect();
    let said = format!("so good{}", "0123456789".repeat(3));
    assert_eq!(infos, [None, None, Some(said), None]);
    assert_eq!(fouls(&events).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn fault_t01_who_is_late_is_told_what_was_asked_and_what_had_arrived() {
    for (sent, arrived) in [("", None), ("a2-", Some("`a2-`"))] {
        let (link, mut far) = pair();
        let program = tokio::spawn(async move {
            far.receive().await.unwrap();
            far.send(sent.as_bytes()).await.unwrap();
            far.receive().await
        });
        let (verdict, _) = play_out(start(), "1s", vec![remote(link), silent()]).await;
        assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Timeout));
        let evidence = verdict.ending.evidence.unwrap();
        assert_eq!(evidence.sent.as_deref(), arrived);
        assert_eq!(evidence.expected.as_deref(), Some("moves as an answer to go"));
        assert!(program.await.unwrap().is_err(), "the link ended with the match");
    }
}

#[tokio::test(start_paused = true)]
async fn fault_t01_a_reply_that_is_late_is_named_too() {
    let hello = Note::with_reply("hello\n").within(Duration::from_millis(500));
    let greeting = hello.clone().expecting("hello as the answer to hello");
    for (note, expected) in [(hello, "a reply to `hello`"), (greeting, "hello as the answer to hello")] {
        let (link, mut far) = pair();
        let _program = tokio::spawn(async move {
            far.receive().await.unwrap();
            far.send(b"hel").await.unwrap();
            far.receive().await
        });
        let codec = Words { hello: Some(note), ..Words::default() };
        let (verdict, _) =
            play_out(start(), "untimed", vec![Box::new(Remote::new(link, codec)), silent()]).await;
        let removed = &verdict.removed[0];
        assert_eq!((removed.cause, removed.seat), (Cause::Offence(Offence::Timeout), Some(Seat::new(0))));
        let Evidence { sent, note, expected: awaited, .. } = &**removed.evidence.as_ref().unwrap();
        assert_eq!((sent.as_deref(), &**note), (Some("`hel`"), "no reply within 500 ms"));
        assert_eq!(awaited.as_deref(), Some(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn fault_t06_what_was_sent_before_a_question_is_no_answer_to_it() {
    for early in ["a2-c3\n", "a2-"] {
        let (link, mut far) = pair();
        far.send(early.as_bytes()).await.unwrap();
        let (verdict, _) = play_out(start(), "1s", vec![remote(link), silent()]).await;
        let removed = &verdict.removed[0];
        let seat = removed.seat;
        assert_eq!(
            (removed.cause, seat),
            (Cause::Offence(Offence::OutOfTurn), Some(Seat::new(0))),
            "{early}"
        );
        let evidence = removed.evidence.as_ref().unwrap();
        assert_eq!(evidence.sent, Some(format!("`{}`", early.trim_end())));
        assert_eq!(evidence.expected.as_deref(), Some("nothing until it is asked"));
    }
}

#[tokio::test(start_paused = true)]
async fn fault_t06_what_was_sent_before_a_note_is_no_reply_to_it() {
    for early in ["hello\n", "hel"] {
        let (link, mut far) = pair();
        far.send(early.as_bytes()).await.unwrap();
        let _program = tokio::spawn(async move {
            far.receive().await.unwrap();
            far.send(b"lo\n").await.unwrap();
            far.receive().await
        });
        let codec = Words { hello: Some(Note::with_reply("hello\n")), ..Words::default() };
        let (verdict, _) =
            play_out(start(), "untimed", vec![Box::new(Remote::new(link, codec)), silent()]).await;
        assert_eq!(verdict.removed[0].cause, Cause::Offence(Offence::OutOfTurn), "{early}");
    }
}

#[tokio::test(start_paused = true)]
async fn protocols_are_found_by_name_and_seated_by_type() {
    let lines = |name| Protocol { name, framing: Framing::Lines, bounds: Bounds::default() };
    let json = Protocol { name: "words", framing: Framing::Json, bounds: Bounds::default() };
    let mut protocols = Protocols::default();
    protocols.register::<renpaarden::Setup>(lines("words"), |link, lag| {
        Box::new(Remote::new(link, Words::default()).with_lag(lag.clone()))
    });
    protocols.register::<renpaarden::Setup>(lines("other"), |link, _| remote(link));
    protocols.register::<hexapawn::Setup>(json, |link, _| Box::new(Remote::new(link, Words::default())));

    assert_eq!(protocols.find("renpaarden", None), Ok(lines("words")), "the first is the usual one");
    assert_eq!(protocols.find("renpaarden", Some("other")), Ok(lines("other")));
    assert_eq!(protocols.find("hexapawn", Some("words")), Ok(json), "names belong to games");
    let error = |game, name| protocols.find(game, name).unwrap_err().to_string();
    assert_eq!(
        error("renpaarden", Some("\u{1b}w")),
        r"renpaarden has no protocol `\x1bw`; expected `words` or `other`"
    );
    assert_eq!(
        error("four", None),
        "four has no protocol for programs; none is known, so seat a built-in player or a person"
    );
    let error = protocols.get::<hexapawn::Position>("other").err().unwrap().to_string();
    assert_eq!(error, "hexapawn has no protocol `other`; expected `words`");
    assert!(protocols.get::<rookery_games::fish::Position>("words").is_err());

    let (link, far) = pair();
    let program = program(far, &["a2-c3"]);
    let player = protocols.get::<Position>("words").unwrap()(link, &LagProbe::default());
    let (_, events) = play_out(start(), "untimed", vec![player, silent()]).await;
    assert_eq!(movers(&events), [(0, "a2-c3".to_owned())]);
    assert_eq!(program.await.unwrap(), 1);

    protocols
        .register::<hexapawn::Setup>(lines("words"), |link, _| Box::new(Remote::new(link, Words::default())));
    assert_eq!(protocols.of_game("hexapawn").collect::<Vec<_>>(), [lines("words")], "it is replaced");
}
