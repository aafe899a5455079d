//! Persons at the table: what they may do and when, and what never reaches the referee.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::future::Future;
use std::time::Duration;

use common::{Table, ms};
use rookery_games::{fish, hexapawn};
use rookery_referee::{
    Absent, Answering, Cause, Command, Conduct, Controls, Desk, End, Event, Fault, Kind, MatchSpec, Observer,
    Offence, Offer, Player, Question, Referee, Refusal, Reply, Session, Strategist, Terms, Verdict, play,
};
use rookery_rules::{Notation, Position, Seat, Seats, Seed, Setup};
use rookery_search::First;
use rookery_testkit::replay::Watch;
use tokio::time::{Instant, sleep};

const ONE: Option<Seat> = Some(Seat::new(0));
const TWO: Option<Seat> = Some(Seat::new(1));
const THREE: Option<Seat> = Some(Seat::new(2));

/// A casual match without a clock.
fn spec(game: &str, players: &[&str]) -> MatchSpec {
    let spec = MatchSpec::new(game, players.iter().copied(), Seed(1)).unwrap();
    MatchSpec { casual: true, ..spec }
}

/// Whoever a seat spec names: a person, or a program or a part of Rookery that plays the first move.
fn seat<P: Position>(player: &str, desk: &Desk<P>) -> Box<dyn Player<P>> {
    match player {
        "human" => Box::new(desk.person()),
        "first" => Box::new(Strategist::inline(First)),
        _ => Box::new(Slow),
    }
}

/// A program that plays the first move after 900 ms.
struct Slow;

impl<P: Position> Player<P> for Slow {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let mv = question.position.legal_moves().next().unwrap();
        Answering::Later(Box::pin(async move {
            sleep(ms(900)).await;
            Ok(mv)
        }))
    }
}

/// What a test's script holds of a running match.
struct Hand<P: Position> {
    desk: Desk<P>,
    controls: Controls,
}

impl<P: Notation> Hand<P> {
    #[allow(clippy::needless_pass_by_value, reason = "scripts read better so")]
    fn command(&self, from: Option<Seat>, command: Command) -> Reply {
        self.desk.command(from, &command)
    }

    /// Plays a move as soon as it is asked for.
    async fn moves(&self, from: Option<Seat>, ply: u64, text: &str) {
        let command = Command::Move { ply, text: text.to_owned() };
        loop {
            match self.desk.command(from, &command) {
                Ok(()) => return,
                Err(Refusal::NotYourTurn | Refusal::Stale) => sleep(ms(1)).await,
                Err(refusal) => panic!("{text} at {ply}: {refusal}"),
            }
        }
    }

    /// Until the loop has done what it was told.
    async fn settle(&self) {
        sleep(ms(5)).await;
    }
}

/// Plays a match while a script gives commands, and checks it against the rules.
async fn run<S, F>(
    setup: S,
    spec: &MatchSpec,
    script: impl FnOnce(Hand<S::Position>) -> F,
) -> (End, Watch<S::Position>)
where
    S: Table,
    F: Future<Output = ()>,
{
    let controls = Controls::default();
    let desk = Desk::new(spec, controls.clone(), vec![]);
    let mut players: Vec<_> = spec.seats.iter().map(|entry| seat(&entry.player.to_string(), &desk)).collect();
    let referee = Referee::of_spec(spec, setup.start());
    let terms = Terms::default();
    let session = Session { controls: controls.clone(), ..Session::new(spec, &terms) };
    let hand = Hand { desk: desk.clone(), controls };
    let mut watching = (desk, Watch::default());
    let (end, ()) = tokio::join!(play(referee, &mut players, &session, &mut watching), script(hand));
    if let End::Verdict(verdict) = &end {
        watching.1.check(verdict);
    }
    (end, watching.1)
}

fn small() -> hexapawn::Setup {
    hexapawn::Setup::table("rows=3,cols=3")
}

fn verdict(end: End) -> Verdict {
    end.verdict().expect("the match was played to its end")
}

#[tokio::test(start_paused = true)]
async fn what_makes_no_sense_is_refused_and_never_reaches_the_referee() {
    let spec = MatchSpec { casual: false, ..spec("hexapawn", &["human", "human"]) };
    let (end, watch) = run(small(), &spec, async |hand| {
        let mv = |ply, text: &str| Command::Move { ply, text: text.to_owned() };
        let unasked = Desk::<hexapawn::Position>::new(&spec, Controls::default(), vec![]);
        assert_eq!(unasked.command(ONE, &mv(0, "b2")), Err(Refusal::NotYourTurn), "nobody has asked yet");
        hand.settle().await;
        for (from, command, refusal) in [
            (TWO, mv(0, "b2"), Refusal::NotYourTurn),
            (ONE, mv(1, "b2"), Refusal::Stale),
            (None, mv(0, "b2"), Refusal::NotForYou),
            (Some(Seat::new(7)), mv(0, "b2"), Refusal::NotForYou),
            (Some(Seat::new(7)), Command::Resign, Refusal::NotForYou),
            (None, Command::Resign, Refusal::NotForYou),
            (ONE, Command::Suspend, Refusal::NotForYou),
            (ONE, Command::Cancel("no".to_owned()), Refusal::NotForYou),
            (ONE, Command::Accept(true), Refusal::NoOffer),
            (ONE, Command::TakeBack { to: 0 }, Refusal::NoTakeBack),
        ] {
            assert_eq!(hand.command(from, command.clone()), Err(refusal), "{command:?}");
        }
        for (text, reason) in [("e9", "e9"), ("", "move"), ("b3", "b3"), ("b1-b3", "b1")] {
            let Err(Refusal::Move(why)) = hand.command(ONE, mv(0, text)) else {
                panic!("{text:?} is refused")
            };
            assert!(why.contains(reason), "{text:?}: {why}");
        }
        assert_eq!(hand.command(ONE, mv(0, "b2")), Ok(()), "a slip of the hand costs nothing");
        assert_eq!(hand.command(ONE, mv(0, "b2")), Err(Refusal::Played), "once is enough");
        hand.settle().await;
        assert_eq!(hand.command(TWO, mv(0, "a2")), Err(Refusal::Stale));
        assert_eq!(hand.command(TWO, Command::Resign), Ok(()));
        hand.settle().await;
        assert_eq!(hand.command(ONE, Command::Resign), Err(Refusal::Over));
    })
    .await;
    assert_eq!(verdict(end).ending.cause, Cause::Resigned);
    let seen: Vec<_> = watch.events().map(std::mem::discriminant).collect();
    assert_eq!(seen.len(), 4, "started, one move, one resignation, the end: {:?}", watch.0);
}

/// A viewer that answers in the very moment in which it hears of the question.
struct AtOnce(Desk<hexapawn::Position>, Vec<Reply>);

impl Observer<hexapawn::Position> for AtOnce {
    fn see(&mut self, _: &rookery_referee::EventOf<hexapawn::Position>, _: &hexapawn::Position) {}

    fn asked(&mut self, question: &Question<'_, hexapawn::Position>) {
        let text = question.position.legal_moves().next().unwrap().to_string();
        let command = Command::Move { ply: question.ply, text };
        self.1.push(self.0.command(Some(question.seat), &command));
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_can_be_answered_as_soon_as_it_is_seen() {
    let spec = spec("hexapawn", &["human", "human"]);
    let desk = Desk::new(&spec, Controls::default(), vec![]);
    let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(desk.person()), Box::new(desk.person())];
    let mut watching = (desk.clone(), AtOnce(desk, vec![]));
    let terms = Terms::default();
    let referee = Referee::of_spec(&spec, small().start());
    let end = play(referee, &mut players, &Session::new(&spec, &terms), &mut watching).await;
    assert_eq!(verdict(end).ending.cause, Cause::Normal);
    assert!(watching.1.1.len() > 3 && watching.1.1.iter().all(Result::is_ok), "{:?}", watching.1.1);
}

#[tokio::test(start_paused = true)]
async fn resigning_out_of_turn_ends_a_match_of_two_at_once() {
    async fn check<S: Table>(setup: S, conduct: Conduct) -> (Verdict, Duration) {
        let spec = MatchSpec { conduct, ..spec("test", &["cmd:slow", "human"]) };
        let begin = Instant::now();
        let (end, watch) = run(setup, &spec, async |hand| {
            sleep(ms(100)).await;
            hand.command(TWO, Command::Resign).unwrap();
            hand.settle().await;
            assert!(matches!(hand.command(TWO, Command::Resign), Ok(()) | Err(Refusal::Over)));
        })
        .await;
        let resigned = watch.events().filter(|event| matches!(event, Event::Resigned { .. })).count();
        assert_eq!(resigned, 1);
        (verdict(end), begin.elapsed())
    }
    let fish = || fish::Setup::table("rows=4,cols=4,players=2,fish=1");
    let (over, took) = check(small(), Conduct::removing()).await;
    assert_eq!((over.ending.cause, over.ending.seat, over.plies), (Cause::Resigned, TWO, 0));
    assert!(took < ms(200), "nobody waits for the one who thinks: {took:?}");
    let (over, took) = check(fish(), Conduct::removing()).await;
    assert_eq!((over.ending.cause, over.ending.seat, over.plies), (Cause::Resigned, TWO, 0));
    assert_eq!(over.outcome.unwrap().winners, Seats::only(Seat::new(0)));
    assert!(took < ms(200), "{took:?}");
    // The rules of Fish let the last one fish on, if the conduct says so; the question it thinks about stays as it is.
    let (over, took) = check(fish(), Conduct::removing().playing_on()).await;
    assert_eq!(over.ending.cause, Cause::Normal);
    assert!(over.plies > 2, "it plays on: {over:?}");
    assert_eq!(took, ms(900) * over.plies as u32, "each question is asked once");
}

#[tokio::test(start_paused = true)]
async fn who_is_left_alone_by_two_resignations_need_not_move() {
    let spec = spec("fish", &["human", "human", "human"]);
    let (end, watch) = run(fish::Setup::table("rows=5,cols=5,players=3"), &spec, async |hand| {
        hand.settle().await;
        hand.command(THREE, Command::Resign).unwrap();
        hand.settle().await;
        hand.command(TWO, Command::Resign).unwrap();
    })
    .await;
    let verdict = verdict(end);
    assert_eq!((verdict.ending.cause, verdict.plies), (Cause::Resigned, 0));
    assert_eq!(verdict.outcome.unwrap().winners, Seats::only(Seat::new(0)));
    assert_eq!(watch.removed().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_resignation_that_waits_is_not_lost_when_the_match_is_stopped() {
    for cancel in [false, true] {
        let spec = spec("fish", &["human", "human", "human"]);
        let (end, watch) = run(fish::Setup::table("rows=5,cols=5,players=3"), &spec, async |hand| {
            hand.settle().await;
            hand.command(THREE, Command::Resign).unwrap();
            hand.settle().await;
            assert_eq!(hand.command(THREE, Command::OfferDraw), Ok(()), "its resignation still waits");
            let stop = if cancel { Command::Cancel("rain".to_owned()) } else { Command::Suspend };
            hand.command(None, stop).unwrap();
        })
        .await;
        assert_eq!(watch.removed(), Seats::only(Seat::new(2)));
        match end {
            End::Suspended => assert!(!cancel),
            End::Verdict(verdict) => {
                assert_eq!((verdict.ending.cause, verdict.ending.note()), (Cause::Cancelled, "rain"));
                assert_eq!(verdict.removed.len(), 1);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_seat_that_is_out_can_do_nothing() {
    let spec = spec("fish", &["first", "human", "human"]);
    let (end, _) = run(fish::Setup::table("rows=5,cols=5,players=3"), &spec, async |hand| {
        hand.settle().await;
        hand.command(THREE, Command::Resign).unwrap();
        hand.moves(TWO, 1, "1.1").await;
        hand.settle().await;
        assert_eq!(hand.command(THREE, Command::Resign), Err(Refusal::Out));
        assert_eq!(hand.command(THREE, Command::OfferDraw), Err(Refusal::Out));
        hand.command(None, Command::Suspend).unwrap();
    })
    .await;
    assert_eq!(end, End::Suspended);
}

#[tokio::test(start_paused = true)]
async fn a_take_back_against_a_built_in_happens_at_once() {
    let spec = spec("hexapawn", &["human", "first"]);
    let (end, watch) = run(small(), &spec, async |hand| {
        hand.moves(ONE, 0, "a2").await;
        hand.settle().await;
        for (from, to, refusal) in [
            (TWO, 0, Refusal::NothingToTakeBack),
            (ONE, 1, Refusal::NothingToTakeBack),
            (ONE, 2, Refusal::NothingToTakeBack),
            (ONE, u64::MAX, Refusal::NothingToTakeBack),
        ] {
            assert_eq!(hand.command(from, Command::TakeBack { to }), Err(refusal), "{from:?} {to}");
        }
        assert_eq!(hand.command(ONE, Command::TakeBack { to: 0 }), Ok(()));
        hand.settle().await;
        let stale = Command::Move { ply: 2, text: "b2".to_owned() };
        assert_eq!(hand.command(ONE, stale), Err(Refusal::Stale));
        hand.moves(ONE, 0, "b2").await;
        hand.settle().await;
        hand.command(ONE, Command::Resign).unwrap();
    })
    .await;
    assert_eq!(verdict(end).plies, 2, "the move that stands, and the answer to it");
    let back = watch.events().position(|event| matches!(event, Event::TakenBack { to: 0, .. })).unwrap();
    assert_eq!(watch.0[back].1, small().start());
}

#[tokio::test(start_paused = true)]
async fn persons_are_asked_whether_a_move_may_be_taken_back() {
    let spec = spec("hexapawn", &["human", "human"]);
    let (end, watch) = run(small(), &spec, async |hand| {
        hand.moves(ONE, 0, "a2").await;
        hand.settle().await;
        let back = || Command::TakeBack { to: 0 };
        assert_eq!(hand.command(ONE, back()), Ok(()));
        assert_eq!(hand.desk.offer(), Some(Offer::TakeBack { from: Seat::new(0), to: 0 }));
        assert_eq!(hand.command(ONE, Command::Accept(true)), Err(Refusal::NoOffer), "not by itself");
        assert_eq!(hand.command(TWO, Command::Accept(false)), Ok(()));
        assert_eq!(hand.desk.offer(), None);
        assert_eq!(hand.command(TWO, Command::Accept(true)), Err(Refusal::NoOffer));
        // The other moves instead: the offer is void.
        assert_eq!(hand.command(ONE, back()), Ok(()));
        hand.moves(TWO, 1, "b3xa2").await;
        hand.settle().await;
        assert_eq!(hand.desk.offer(), None);
        // Whoever asked takes it back.
        assert_eq!(hand.command(ONE, back()), Ok(()));
        assert_eq!(hand.command(ONE, Command::Accept(false)), Ok(()));
        assert_eq!(hand.desk.offer(), None);
        assert_eq!(hand.command(ONE, back()), Ok(()));
        assert_eq!(hand.command(TWO, Command::Accept(true)), Ok(()));
        hand.settle().await;
        hand.moves(ONE, 0, "c2").await;
        hand.settle().await;
        hand.command(TWO, Command::Resign).unwrap();
    })
    .await;
    assert_eq!(verdict(end).plies, 1);
    assert_eq!(watch.events().filter(|event| matches!(event, Event::TakenBack { .. })).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn moves_are_not_taken_back_against_programs_or_for_points() {
    for (casual, players) in [(true, ["human", "cmd:slow"]), (false, ["human", "first"])] {
        let spec = MatchSpec { casual, ..spec("hexapawn", &players) };
        let (_, watch) = run(small(), &spec, async |hand| {
            hand.moves(ONE, 0, "a2").await;
            hand.settle().await;
            assert_eq!(hand.command(ONE, Command::TakeBack { to: 0 }), Err(Refusal::NoTakeBack));
            hand.command(ONE, Command::Resign).unwrap();
        })
        .await;
        assert!(!watch.events().any(|event| matches!(event, Event::TakenBack { .. })));
    }
}

#[tokio::test(start_paused = true)]
async fn moves_are_taken_back_a_thousand_times_at_most() {
    let spec = spec("hexapawn", &["human", "first"]);
    let (end, watch) = run(small(), &spec, async |hand| {
        for round in 0..=1000 {
            hand.moves(ONE, 0, "a2").await;
            hand.settle().await;
            let reply = hand.command(ONE, Command::TakeBack { to: 0 });
            let expected = if round < 1000 { Ok(()) } else { Err(Refusal::TooManyTakeBacks) };
            assert_eq!(reply, expected, "{round}");
            hand.settle().await;
        }
        hand.command(ONE, Command::Resign).unwrap();
    })
    .await;
    assert_eq!(verdict(end).plies, 2);
    assert_eq!(watch.events().filter(|event| matches!(event, Event::TakenBack { .. })).count(), 1000);
}

#[tokio::test(start_paused = true)]
async fn a_draw_needs_all_persons_and_no_computer() {
    let spec3 = spec("fish", &["human", "human", "human"]);
    let (end, watch) = run(fish::Setup::table("rows=5,cols=5,players=3"), &spec3, async |hand| {
        hand.settle().await;
        assert_eq!(hand.command(TWO, Command::OfferDraw), Ok(()));
        assert_eq!(hand.desk.offer(), Some(Offer::Draw { from: Seat::new(1) }));
        assert_eq!(hand.command(ONE, Command::Accept(true)), Ok(()));
        hand.settle().await;
        assert!(hand.desk.offer().is_some(), "one more has to agree");
        assert_eq!(hand.command(ONE, Command::Accept(true)), Err(Refusal::NoOffer), "each counts once");
        assert_eq!(hand.command(THREE, Command::Accept(true)), Ok(()));
        hand.settle().await;
        assert_eq!(hand.command(ONE, Command::OfferDraw), Err(Refusal::Over));
    })
    .await;
    let verdict = verdict(end);
    assert_eq!((verdict.ending.cause, verdict.ending.blame()), (Cause::DrawAgreed, None));
    assert_eq!(verdict.outcome.unwrap().winners, Seats::all(3));
    assert_eq!(watch.events().filter(|event| matches!(event, Event::Drawn)).count(), 1);

    let spec = spec("hexapawn", &["human", "first"]);
    run(small(), &spec, async |hand| {
        hand.settle().await;
        assert_eq!(hand.command(ONE, Command::OfferDraw), Err(Refusal::NoDraw));
        hand.command(None, Command::Suspend).unwrap();
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_person_thinks_for_ever_unless_there_is_a_clock() {
    let spec = spec("hexapawn", &["human", "first"]);
    let (end, _) = run(small(), &spec, async |hand| {
        sleep(Duration::from_hours(1000)).await;
        hand.moves(ONE, 0, "a2").await;
        hand.settle().await;
        hand.command(ONE, Command::Resign).unwrap();
    })
    .await;
    assert_eq!(verdict(end).plies, 2);

    let timed = MatchSpec { time: "1s".parse().unwrap(), ..spec };
    let begin = Instant::now();
    let (end, _) = run(small(), &timed, async |hand| {
        sleep(ms(1500)).await;
        let late = hand.command(ONE, Command::Move { ply: 0, text: "a2".to_owned() });
        assert_eq!(late, Err(Refusal::Over));
    })
    .await;
    assert_eq!(verdict(end).ending.cause, Cause::Offence(Offence::Timeout));
    assert_eq!(begin.elapsed(), ms(1500));
}

#[tokio::test(start_paused = true)]
async fn a_suspended_match_says_so_whoever_is_asked() {
    for players in [["human", "first"], ["cmd:slow", "human"], ["human", "human"]] {
        let spec = spec("hexapawn", &players);
        let begin = Instant::now();
        let (end, watch) = run(small(), &spec, async |hand| {
            hand.settle().await;
            hand.controls.suspend();
        })
        .await;
        assert_eq!((end, watch.0.len()), (End::Suspended, 1), "{players:?}");
        assert!(begin.elapsed() < ms(50), "nobody is waited for");
    }
}

#[tokio::test(start_paused = true)]
async fn who_did_not_come_is_ruled_and_recorded() {
    for (game, conduct, cause) in [
        ("remove", Conduct::removing(), Cause::Offence(Offence::NoShow)),
        ("abort", Conduct::aborting(), Cause::Offence(Offence::NoShow)),
    ] {
        for absent in Seat::all(2) {
            let spec = MatchSpec { conduct, ..spec("hexapawn", &["cmd:a", "cmd:b"]) };
            let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(Slow), Box::new(Slow)];
            players[absent.index()] = Box::new(Absent(Fault::new(Offence::NoShow, "nobody connected")));
            assert_eq!(players[absent.index()].kind(), Kind::Program, "it is not our failure");
            let mut watch = Watch::default();
            let referee = Referee::of_spec(&spec, small().start());
            let end = play(referee, &mut players, &Session::new(&spec, &Terms::default()), &mut watch).await;
            let verdict = verdict(end);
            watch.check(&verdict);
            assert_eq!(
                (verdict.ending.cause, verdict.ending.seat, verdict.plies),
                (cause, Some(absent), 0),
                "{game}"
            );
            assert_eq!(verdict.ending.note(), "nobody connected");
            assert_eq!(watch.fouls().count(), 1);
        }
    }
}
