//! Built-in players: stopped at once, stopped when their time is up, never a loss because we were late.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use common::{Table, ms};
use rookery_games::hexapawn;
use rookery_referee::{
    Answering, Cause, Controls, End, Event, Evidence, Failure, Fault, Info, MAX_INFO_CHARS, MatchSpec,
    Offence, Player, Question, Referee, Session, Strategist, Terms, play,
};
use rookery_rules::{Position, Seed, Setup};
use rookery_search::{Budget, First, Strategy};
use rookery_testkit::replay::Watch;
use tokio::runtime::{Builder, Runtime};

/// Thinks until it is stopped, whatever its budget says, and then for a while longer.
#[derive(Clone, Default)]
struct Stubborn {
    after: Duration,
    n_thinking: Arc<AtomicU32>,
}

impl<P: Position> Strategy<P> for Stubborn {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        self.n_thinking.fetch_add(1, Ordering::SeqCst);
        let begin = Instant::now();
        while !budget.stop.is_set() && begin.elapsed() < Duration::from_secs(30) {
            std::hint::spin_loop();
        }
        std::thread::sleep(self.after);
        position.legal_moves().next().unwrap()
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

fn spec(time: &str) -> MatchSpec {
    let spec = MatchSpec::new("hexapawn", ["first", "first"], Seed(1)).unwrap();
    MatchSpec { time: time.parse().unwrap(), ..spec }
}

type Seated = Vec<Box<dyn Player<hexapawn::Position>>>;

fn run(
    players: Seated,
    spec: &MatchSpec,
    terms: &Terms,
    controls: Controls,
) -> (End, Watch<hexapawn::Position>) {
    let mut players = players;
    let referee = Referee::of_spec(spec, hexapawn::Setup::table("rows=4,cols=4").start());
    let session = Session { controls, ..Session::new(spec, terms) };
    let mut watch = Watch::default();
    let end = runtime().block_on(play(referee, &mut players, &session, &mut watch));
    if let End::Verdict(verdict) = &end {
        watch.check(verdict);
    }
    (end, watch)
}

#[test]
fn fault_s14_a_stop_during_a_long_think_ends_the_match_and_the_move_is_thrown_away() {
    for (round, pooled) in (0..60).zip([false, true].into_iter().cycle()) {
        let controls = Controls::default();
        let stubborn = Stubborn::default();
        let thinking = Arc::clone(&stubborn.n_thinking);
        let seat = |strategy| -> Box<dyn Player<_>> {
            Box::new(if pooled { Strategist::pooled(strategy) } else { Strategist::inline(strategy) })
        };
        let players = vec![seat(stubborn.clone()), seat(stubborn)];
        let stopping = controls.clone();
        let stopper = std::thread::spawn(move || {
            // Also in the very first moment of thinking.
            while thinking.load(Ordering::SeqCst) == 0 {
                std::hint::spin_loop();
            }
            std::thread::sleep(Duration::from_micros(50 * round));
            let begin = Instant::now();
            if round % 3 == 0 {
                stopping.cancel("enough");
            } else {
                stopping.suspend();
            }
            begin
        });
        let (end, watch) = run(players, &spec("untimed"), &Terms::default(), controls);
        let took = stopper.join().unwrap().elapsed();
        assert!(took < Duration::from_secs(5), "it ends at once: {took:?}");
        assert!(
            !watch.events().any(|event| matches!(event, Event::Moved { .. })),
            "round {round}: {:?}",
            watch.0
        );
        match end {
            End::Suspended => assert_ne!(round % 3, 0),
            End::Verdict(verdict) => assert_eq!((verdict.ending.cause, verdict.plies), (Cause::Cancelled, 0)),
        }
    }
}

#[test]
fn a_built_in_past_its_time_is_stopped_and_its_move_counts() {
    // It goes on for 30 ms after its time, which is more than it has, but no more than we may be late.
    let stubborn = || Stubborn { after: ms(30), ..Stubborn::default() };
    let players: Seated = vec![Box::new(Strategist::pooled(stubborn())), Box::new(Strategist::inline(First))];
    let spec = MatchSpec { max_turns: Some(4), ..spec("60ms+20ms") };
    let terms = Terms { margin: ms(5), ..Terms::default() };
    let (end, watch) = run(players, &spec, &terms, Controls::default());
    assert_eq!(end.verdict().unwrap().ending.cause, Cause::MaxTurns);
    let charges: Vec<_> = watch
        .events()
        .filter_map(|event| match event {
            Event::Moved { seat, charge, .. } if seat.index() == 0 => {
                charge.map(|charge| (charge.used, charge.left))
            }
            _ => None,
        })
        .collect();
    assert_eq!(charges, [(ms(60), ms(20)), (ms(20), ms(20))], "all its time, and not more");
}

#[test]
fn a_built_in_that_does_not_stop_is_our_failure() {
    for inline in [false, true] {
        let stubborn = Stubborn { after: ms(700), ..Stubborn::default() };
        let controls = Controls::default();
        // Where the match runs nobody can stop it but the match.
        let first = if inline { Strategist::inline(Lazy(ms(700))) } else { Strategist::pooled(stubborn) };
        let players: Seated = vec![Box::new(first), Box::new(Strategist::inline(First))];
        let terms = Terms { margin: ms(10), lag_cap: ms(200), ..Terms::default() };
        let (end, _) = run(players, &spec("50ms"), &terms, controls);
        let verdict = end.verdict().unwrap();
        assert_eq!(
            (verdict.ending.cause, verdict.outcome.as_ref()),
            (Cause::PlatformAbort, None),
            "{verdict:?}"
        );
        assert!(verdict.ending.note().contains("did not stop when its time was up"), "{verdict:?}");
    }
}

/// Takes so long, and listens to nobody.
struct Lazy(Duration);

impl<P: Position> Strategy<P> for Lazy {
    fn choose(&mut self, position: &P, _: &Budget) -> P::Move {
        std::thread::sleep(self.0);
        position.legal_moves().next().unwrap()
    }
}

#[test]
fn an_inline_built_in_that_is_a_little_late_is_charged_all_its_time() {
    let players: Seated =
        vec![Box::new(Strategist::inline(Lazy(ms(80)))), Box::new(Strategist::inline(First))];
    let spec = MatchSpec { max_turns: Some(1), ..spec("50ms+7ms") };
    let (end, watch) = run(players, &spec, &Terms { margin: ms(5), ..Terms::default() }, Controls::default());
    assert_eq!(end.verdict().unwrap().ending.cause, Cause::MaxTurns);
    let Event::Moved { charge: Some(charge), .. } = watch.0[1].0 else { panic!("it moved") };
    assert_eq!((charge.used, charge.left), (ms(50), ms(7)));
}

/// Panics once it has answered so often.
struct Panicking(u32);

impl<P: Position> Strategy<P> for Panicking {
    fn choose(&mut self, position: &P, _: &Budget) -> P::Move {
        self.0 =
            self.0.checked_sub(1).unwrap_or_else(|| std::panic::resume_unwind(Box::new("a test's panic")));
        position.legal_moves().next().unwrap()
    }
}

#[test]
fn fault_s13_a_panic_of_a_built_in_is_our_failure() {
    for answers in [0, 1] {
        let seats = [Strategist::pooled(Panicking(answers)), Strategist::inline(Panicking(answers))];
        for seat in seats {
            let players: Seated = vec![Box::new(seat), Box::new(Strategist::inline(First))];
            let (end, _) = run(players, &spec("untimed"), &Terms::default(), Controls::default());
            assert_eq!(end.verdict().unwrap().ending.cause, Cause::PlatformAbort);
        }
    }
}

/// A program that says too much of everything.
struct Boastful;

impl<P: Position> Player<P> for Boastful {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let long = "\u{1b}ä".repeat(5000);
        Answering::Now(if question.refused == 0 {
            let evidence = Evidence {
                sent: Some(long.clone()),
                note: long.clone(),
                expected: Some(long.clone()),
                exit: Some(long.clone()),
                stderr: Some(long),
                legal: vec!["x".to_owned(); 5000],
                refused: 77,
            };
            Err(Failure::Fault(Fault::with(Offence::Malformed, evidence)))
        } else {
            Ok(question.position.legal_moves().next().unwrap())
        })
    }

    fn info(&mut self) -> Option<Box<Info>> {
        let long = "\u{7}ü".repeat(500);
        Some(Box::new(Info { line: vec![long.clone(); 500], text: Some(long), depth: Some(4), score: None }))
    }
}

#[test]
fn what_players_say_of_their_moves_and_what_speaks_against_them_is_bounded() {
    let players: Seated = vec![Box::new(Boastful), Box::new(Boastful)];
    let spec = MatchSpec { conduct: "retry=1".parse().unwrap(), max_turns: Some(4), ..spec("untimed") };
    // The replay checks that everything is within its bounds.
    let (_, watch) = run(players, &spec, &Terms::default(), Controls::default());
    let infos: Vec<&Info> = watch
        .events()
        .filter_map(|event| if let Event::Moved { info, .. } = event { info.as_deref() } else { None })
        .collect();
    assert_eq!(infos.len(), 4, "it is kept for each move");
    for info in infos {
        // As many of the longest as all together may have.
        assert_eq!((info.depth, info.line.len()), (Some(4), 1000 / MAX_INFO_CHARS));
        assert!(info.line.iter().chain(&info.text).all(|text| text.chars().count() == MAX_INFO_CHARS));
        assert!(!info.line.iter().chain(&info.text).any(|text| text.contains(char::is_control)));
    }
    assert_eq!(watch.fouls().count(), 4);
    for foul in watch.fouls() {
        assert_eq!(foul.evidence.refused, 0, "that is for the referee to count");
        assert_eq!(foul.evidence.note.chars().count(), 500);
        assert_eq!(foul.evidence.stderr.as_ref().unwrap().chars().count(), 2000);
    }
}
