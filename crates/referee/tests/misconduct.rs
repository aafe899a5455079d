//! One player misbehaves, in every game and at every seat: how the match ends, whose fault it is, and what becomes of
//! the others.

mod common;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use common::{Agreed, Table, every_game, ms, play, terms, untimed, watch, with_one};
use rookery_referee::{
    Answering, Blame, Cause, Conduct, Event, Failure, Fault, Foul, MAX_CHAT_CHARS, MAX_CHAT_LINES,
    MAX_RETRIES, MAX_RETRIES_OF_A_MATCH, Offence, Penalty, Player, Question, Referee, Retries, Ruling,
    Verdict, words,
};
use rookery_rules::{Keyed, Position, Seat, Seats, Setup as _};
use rookery_testkit::players::{Actor, Hearing, Step};
use rookery_testkit::replay::Watch;
use tokio::time::Instant;

/// A match with one misbehaving player must have ended as its conduct demands.
fn assert_punished<P: Position>(
    offender: Seat,
    offence: Offence,
    conduct: Conduct,
    verdict: &Verdict,
    watch: &Watch<P>,
) {
    let n_seats = watch.0[0].1.n_seats();
    let last: &Foul = watch.fouls().last().expect("there was an offence");
    assert_eq!((last.seat, last.offence), (offender, offence), "{verdict:?}");
    assert!(watch.fouls().all(|foul| foul.seat == offender), "nobody else offended");
    let cause = verdict.ending.cause;
    if conduct.no_answer == Penalty::Abort {
        assert_eq!(last.ruling, Ruling::Aborted);
        assert_eq!((cause, verdict.ending.blame()), (Cause::Offence(offence), Some(Blame::Player)));
        assert_eq!((verdict.ending.seat, verdict.outcome.as_ref()), (Some(offender), None));
        let sentence = words::verdict(verdict, &|seat| format!("seat {}", seat.index()));
        let expected = format!("crashed by seat {}, who ", offender.index());
        assert!(sentence.starts_with(&expected), "{sentence}");
        return;
    }
    assert_eq!(last.ruling, Ruling::Removed);
    let outcome = verdict.outcome.as_ref().expect("the others play on or have won");
    assert!(!outcome.winners.contains(offender), "the offender never wins");
    if n_seats == 2 {
        assert_eq!(outcome.winners, Seats::only(Seat::new(1 - offender.index() as u8)), "the other wins");
    }
    if is_over_without(&watch.0[0].1, offender) {
        assert_eq!((cause, verdict.ending.blame()), (Cause::Offence(offence), Some(Blame::Player)));
        assert_eq!(verdict.ending.seat, Some(offender));
    } else {
        assert_eq!((cause, verdict.ending.blame()), (Cause::Normal, None), "the rest play on: {verdict:?}");
        assert!(!outcome.winners.is_empty(), "somebody else wins");
    }
}

/// Whether the game ends when this seat is removed. In Fish it does not: the last one left fishes on.
fn is_over_without<P: Position>(start: &P, seat: Seat) -> bool {
    let mut position = start.clone();
    position.remove(seat);
    position.to_move().is_none()
}

/// Plays one match a seat with this player at the seat.
async fn punish<S: Table>(options: &str, offence: Offence, terms: &Agreed, actor: impl Fn() -> Actor) {
    let setup = S::table(options);
    let n_seats = setup.start().n_seats();
    for seat in Seat::all(n_seats) {
        let referee = setup.referee();
        let conduct = referee.conduct();
        let (verdict, watch) = watch(referee, with_one(n_seats, seat, actor()), terms).await;
        assert_punished(seat, offence, conduct, &verdict, &watch);
    }
}

#[tokio::test(start_paused = true)]
async fn fault_t01_late() {
    async fn check<S: Table>(options: &str) {
        // The margin is 100 ms: one is just in time, the other is not.
        let setup = S::table(options);
        let n_seats = setup.start().n_seats();
        for seat in Seat::all(n_seats) {
            let actor = Actor::new([Step::After(ms(1099)), Step::After(ms(1000))]);
            let (verdict, watch) = watch(setup.referee(), with_one(n_seats, seat, actor), &terms()).await;
            assert_eq!(watch.fouls().count(), 0, "the margin forgives: {verdict:?}");
        }
        punish::<S>(options, Offence::Timeout, &terms(), || Actor::new([Step::After(ms(1102))])).await;
        punish::<S>(options, Offence::Timeout, &terms(), || Actor::new([Step::Legal, Step::After(ms(5000))]))
            .await;
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn fault_t01_silent_for_ever() {
    async fn check<S: Table>(options: &str) {
        punish::<S>(options, Offence::Timeout, &terms(), || Actor::new([Step::Silent])).await;
        // Without a time control there is the cap.
        let start = Instant::now();
        let n_seats = S::table(options).start().n_seats() as u32;
        punish::<S>(options, Offence::Timeout, &untimed(1), || Actor::new([Step::Silent])).await;
        let (took, cap) = (start.elapsed(), n_seats * Duration::from_mins(10));
        assert!(took >= cap && took < cap + n_seats * ms(50), "the referee goes on at once: {took:?}");
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn fault_t03_disconnects() {
    async fn check<S: Table>(options: &str) {
        punish::<S>(options, Offence::Disconnected, &terms(), || Actor::new([Step::Disconnect])).await;
        // Found out while telling: at the start, and later.
        for event in [0, 2] {
            punish::<S>(options, Offence::Disconnected, &terms(), || {
                Actor::honest().hearing(Hearing::ClosedAt(event))
            })
            .await;
        }
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn fault_t05_answers_twice() {
    async fn check<S: Table>(options: &str) {
        punish::<S>(options, Offence::OutOfTurn, &terms(), || Actor::new([Step::Twice])).await;
        punish::<S>(options, Offence::OutOfTurn, &terms(), || Actor::new([Step::Legal, Step::Twice])).await;
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn fault_t06_speaks_before_being_asked() {
    async fn check<S: Table>(options: &str) {
        // After one event nobody has moved yet: also the first player speaks before it is asked.
        for n_events in [1, 2, 3] {
            punish::<S>(options, Offence::OutOfTurn, &terms(), || Actor::honest().speaking_after(n_events))
                .await;
        }
    }
    every_game!(check);
}

/// Speaks out of turn when its time has come, whoever is asked then.
struct Noisy(std::pin::Pin<Box<tokio::time::Sleep>>);

impl<P: Position> Player<P> for Noisy {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        Answering::Now(Ok(question.position.legal_moves().next().expect("who is asked has a move")))
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        self.0.as_mut().poll(cx).map(|()| Fault::new(Offence::OutOfTurn, "it was not asked"))
    }
}

/// Takes its time, and counts how often it is asked.
struct Counting(Arc<AtomicUsize>);

impl<P: Position> Player<P> for Counting {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let mv = question.position.legal_moves().next().expect("who is asked has a move");
        Answering::Later(Box::pin(async move {
            tokio::time::sleep(ms(900)).await;
            Ok(mv)
        }))
    }
}

#[tokio::test(start_paused = true)]
async fn fault_t06_a_foul_of_another_does_not_disturb_the_question() {
    let setup = rookery_games::fish::Setup::table("rows=5,cols=5,players=4");
    let n_asked = Arc::new(AtomicUsize::new(0));
    let counting = || Box::new(Counting(Arc::clone(&n_asked))) as Box<dyn Player<_>>;
    let noisy = Noisy(Box::pin(tokio::time::sleep(ms(400))));
    let mut players: Vec<Box<dyn Player<_>>> = vec![counting(), counting(), counting(), Box::new(noisy)];
    let mut watch = Watch::default();
    let verdict = play(setup.referee(), &mut players, &terms(), &mut watch).await;
    watch.check(&verdict);
    assert_eq!(verdict.ending.cause, Cause::Normal, "{verdict:?}");
    assert_eq!(watch.fouls().map(|foul| foul.seat.index()).collect::<Vec<_>>(), [3]);
    assert_eq!(n_asked.load(Ordering::Relaxed) as u64, verdict.plies, "each question is asked once");
    assert!(matches!(watch.0[1].0, Event::Fouled(_)), "the offence comes before the answer");
}

#[tokio::test(start_paused = true)]
async fn fault_t07_malformed() {
    async fn check<S: Table>(options: &str) {
        for steps in bad_answers::<S>(&Step::Malformed) {
            punish::<S>(options, Offence::Malformed, &terms(), || Actor::new(steps.clone())).await;
        }
    }
    every_game!(check);
}

/// As many bad answers as it takes to be punished, at the first question and at the second.
fn bad_answers<S: Table>(bad: &Step) -> [Vec<Step>; 2] {
    let conduct = rookery_catalog::game(S::GAME).expect("the game is in the catalog").conduct();
    let n = match conduct.retries {
        Retries::Limited(n) => n + 1,
        Retries::UntilDeadline => MAX_RETRIES + 1,
    } as usize;
    let first = vec![bad.clone(); n];
    let second = [vec![Step::Legal], first.clone()].concat();
    [first, second]
}

#[tokio::test(start_paused = true)]
async fn fault_t14_illegal_move() {
    async fn check<S: Table>(options: &str) {
        let untimed = untimed(2);
        for steps in bad_answers::<S>(&Step::Illegal) {
            punish::<S>(options, Offence::IllegalMove, &untimed, || Actor::new(steps.clone())).await;
        }
    }
    every_game!(check);
}

/// A match whose record were full of refusals could not be kept, so whoever wants that is out of it.
#[tokio::test]
async fn fault_t14_nobody_may_try_again_without_end_by_moving_in_between() {
    async fn check<S: Table>(options: &str) {
        let setup = S::table(options);
        let mut referee = Referee::new(setup.start(), Conduct::removing().until_deadline());
        let offender = referee.to_ask().expect("it begins");
        let (mut n_again, mut is_removed) = (0, false);
        while referee.verdict().is_none() && !referee.out().contains(offender) {
            if referee.to_ask() != Some(offender) || referee.refused() == MAX_RETRIES - 1 {
                let legal = referee.position().legal_moves().next().expect("there is a move");
                referee.judge(Ok(legal), None);
                continue;
            }
            let fault = Fault::new(Offence::Malformed, "no move");
            let Some(Event::Fouled(foul)) = referee.judge(Err(Failure::Fault(fault)), None) else {
                panic!("it is an offence")
            };
            n_again += u32::from(foul.ruling == Ruling::AskAgain);
            is_removed |= foul.ruling == Ruling::Removed;
        }
        if is_removed {
            assert_eq!(n_again, MAX_RETRIES_OF_A_MATCH);
        } else {
            assert!(n_again < MAX_RETRIES_OF_A_MATCH, "it was out of the game sooner");
        }
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn fault_t14_a_refused_move_changes_nothing_and_is_proven() {
    async fn check<S: Table>(options: &str) {
        let setup = S::table(options);
        let n_seats = setup.start().n_seats();
        let referee = Referee::new(setup.start(), Conduct::removing().with_retries(2));
        let actors = (0..n_seats).map(|_| Actor::new([Step::Illegal, Step::Malformed])).collect();
        let (_, watch) = watch(referee, actors, &terms()).await;
        assert_eq!(watch.fouls().count(), 2 * n_seats);
        for window in watch.0.windows(2) {
            let [(_, before), (event, after)] = window else { unreachable!("windows of two") };
            if let Event::Fouled(foul) = event {
                assert_eq!(foul.ruling, Ruling::AskAgain);
                assert_eq!(before.key(), after.key(), "the position is unchanged");
                let legal: Vec<String> = before.legal_moves().map(|mv| mv.to_string()).collect();
                assert_eq!(foul.evidence.legal, legal, "the legal moves are kept as proof");
            }
        }
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn renpaarden_asks_again_until_the_deadline() {
    let setup = rookery_games::renpaarden::Setup::table("width=5,height=5,max-turns=60");
    for seat in Seat::all(2) {
        let actor = Actor::new(vec![Step::IllegalAfter(ms(200)); 20]);
        let (verdict, watch) = watch(setup.referee(), with_one(2, seat, actor), &terms()).await;
        let offences: Vec<_> = watch.fouls().map(|foul| foul.offence.word()).collect();
        // At 200, 400, 600, 800 and 1000 ms; then the margin is over before the next one comes.
        assert_eq!(offences, [vec!["illegal_move"; 5], vec!["timeout"]].concat());
        assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Timeout));
        assert_eq!(verdict.ending.seat, Some(seat));
    }
}

#[tokio::test(start_paused = true)]
async fn fault_t16_a_cap_on_moves_is_a_draw() {
    async fn check<S: Table>(options: &str) {
        let setup = S::table(options);
        let n_seats = setup.start().n_seats();
        for cap in [0, 1, 3] {
            let referee = setup.referee().with_max_plies(cap);
            let actors = (0..n_seats).map(|_| Actor::honest()).collect();
            let (verdict, _) = watch(referee, actors, &terms()).await;
            assert_eq!((verdict.ending.cause, verdict.plies), (Cause::MaxTurns, cap), "{verdict:?}");
            assert_eq!(verdict.ending.blame(), None);
            assert_eq!(verdict.outcome.expect("a draw").winners, Seats::all(n_seats));
        }
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn fault_t17_never_takes_note() {
    async fn check<S: Table>(options: &str) {
        for event in [0, 1, 3] {
            let start = Instant::now();
            punish::<S>(options, Offence::Timeout, &terms(), || {
                Actor::honest().hearing(Hearing::DeafFrom(event))
            })
            .await;
            let n_seats = S::table(options).start().n_seats() as u32;
            let limit = n_seats * (terms().terms.startup + ms(50));
            assert!(start.elapsed() <= limit, "who is deaf is waited for once: {:?}", start.elapsed());
        }
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn fault_s13_a_panic_is_nobodys_loss() {
    async fn check<S: Table>(options: &str) {
        let setup = S::table(options);
        let n_seats = setup.start().n_seats();
        for seat in Seat::all(n_seats) {
            let panicking = [
                Actor::new([Step::PanicAtOnce]),
                Actor::new([Step::PanicLater]),
                Actor::new([Step::Legal, Step::PanicAtOnce]),
                Actor::honest().hearing(Hearing::PanicAt(0)),
                Actor::honest().hearing(Hearing::PanicAt(2)),
                Actor::honest().hearing(Hearing::PanicLaterAt(1)),
            ];
            for actor in panicking {
                let what = format!("{actor:?}");
                let (verdict, watch) = watch(setup.referee(), with_one(n_seats, seat, actor), &terms()).await;
                assert_eq!(verdict.ending.cause, Cause::PlatformAbort, "{what}: {verdict:?}");
                assert_eq!(verdict.ending.blame(), Some(Blame::Platform));
                assert_eq!((verdict.outcome.as_ref(), verdict.ending.seat), (None, None), "nobody loses");
                assert_eq!(watch.fouls().count(), 0);
            }
        }
    }
    every_game!(check);
}

/// Panics when it is looked at while another is asked, from the second time on.
struct Exploding(u32);

impl<P: Position> Player<P> for Exploding {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        Answering::Now(Ok(question.position.legal_moves().next().expect("who is asked has a move")))
    }

    fn poll_foul(&mut self, _: &mut Context<'_>) -> Poll<Fault> {
        self.0 += 1;
        if self.0 > 1 {
            std::panic::resume_unwind(Box::new("a panic of a test's player"));
        }
        Poll::Pending
    }
}

#[tokio::test(start_paused = true)]
async fn fault_s13_a_panic_of_an_unasked_player() {
    let setup = rookery_games::hexapawn::Setup::table("rows=4,cols=4");
    let slow = Counting(Arc::new(AtomicUsize::new(0)));
    let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(slow), Box::new(Exploding(0))];
    let verdict = play(setup.referee(), &mut players, &terms(), &mut ()).await;
    assert_eq!((verdict.ending.cause, verdict.outcome), (Cause::PlatformAbort, None));
}

#[tokio::test(start_paused = true)]
async fn resigning_is_no_offence() {
    async fn check<S: Table>(options: &str) {
        let setup = S::table(options);
        let n_seats = setup.start().n_seats();
        for seat in Seat::all(n_seats) {
            let actor = Actor::new([Step::Legal, Step::Resign]);
            let (verdict, watch) = watch(setup.referee(), with_one(n_seats, seat, actor), &terms()).await;
            assert_eq!((verdict.ending.blame(), watch.fouls().count()), (None, 0));
            let outcome = verdict.outcome.expect("the game has an outcome");
            assert!(!outcome.winners.contains(seat) && !outcome.winners.is_empty());
            if n_seats == 2 || is_over_without(&setup.start(), seat) {
                assert_eq!((verdict.ending.cause, verdict.ending.seat), (Cause::Resigned, Some(seat)));
            }
        }
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn chat_is_bounded_and_changes_nothing() {
    async fn check<S: Table>(options: &str) {
        let setup = S::table(options);
        let n_seats = setup.start().n_seats();
        let quiet = watch(setup.referee(), (0..n_seats).map(|_| Actor::honest()).collect(), &terms()).await.0;
        for seat in Seat::all(n_seats) {
            let actor = Actor::new(vec![Step::Chat(100, 1000); 50]);
            let (verdict, watch) = watch(setup.referee(), with_one(n_seats, seat, actor), &terms()).await;
            assert_eq!(verdict, quiet, "what is said never affects the game");
            assert!((64..=MAX_CHAT_LINES).contains(&watch.n_said()), "{} lines", watch.n_said());
            for event in watch.events() {
                if let Event::Said { text, .. } = event {
                    assert_eq!(text.chars().count(), MAX_CHAT_CHARS);
                    assert!(!text.contains(char::is_control));
                }
            }
        }
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn everybody_misbehaves() {
    async fn check<S: Table>(options: &str) {
        let setup = S::table(options);
        let n_seats = setup.start().n_seats();
        for step in [Step::Silent, Step::Disconnect, Step::Resign] {
            let actors = (0..n_seats).map(|_| Actor::new([step.clone()])).collect();
            let (verdict, watch) = watch(setup.referee(), actors, &terms()).await;
            let winners = verdict.outcome.as_ref().map_or(Seats::NONE, |outcome| outcome.winners);
            let all_gone = watch.removed().len() == n_seats || verdict.outcome.is_none();
            assert_eq!(winners.is_empty(), all_gone, "whoever is left has won: {verdict:?}");
        }
        // All find their connections closed at the start.
        let actors = (0..n_seats).map(|_| Actor::honest().hearing(Hearing::ClosedAt(0))).collect();
        let (verdict, watch) = watch(setup.referee(), actors, &terms()).await;
        assert_eq!(verdict.plies, 0);
        assert!(watch.fouls().count() >= 1);
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn another_seats_bad_answer_is_not_the_asked_ones() {
    let setup = rookery_games::hexapawn::Setup::table("rows=4,cols=4");
    let mut referee = Referee::new(setup.start(), Conduct::removing().with_retries(1));
    let fault = Fault::new(Offence::Malformed, "noise");
    let event = referee.foul(Seat::new(1), fault).expect("the match goes on until here");
    let Event::Fouled(foul) = event else { panic!("an offence") };
    assert_eq!((foul.ruling, referee.refused()), (Ruling::Removed, 0));
}
