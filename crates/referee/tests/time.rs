//! Clocks, deadlines, and delays that are our own.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{Table, every_game, ms, play, terms, timed, untimed, watch, with_one};
use rookery_games::hexapawn;
use rookery_referee::{
    Answering, Blame, Cause, Charge, Conduct, Event, LagProbe, Offence, Player, Question, Referee,
    TimeControl,
};
use rookery_rules::{Position, Seat, Seats, Setup as _};
use rookery_testkit::players::{Actor, Hearing, Step};
use rookery_testkit::replay::Watch;
use tokio::time::{Instant, advance, sleep};

fn hexapawn() -> Referee<hexapawn::Position> {
    hexapawn::Setup::table("rows=5,cols=5").referee()
}

/// What was charged to a seat: refused answers and moves, in order.
fn charges<P: Position>(watch: &Watch<P>, seat: Seat) -> Vec<Charge> {
    let charge = |event: &_| match event {
        Event::Moved { seat: mover, charge, .. } if *mover == seat => *charge,
        Event::Fouled(foul) if foul.seat == seat => foul.charge,
        _ => None,
    };
    watch.events().filter_map(charge).collect()
}

#[tokio::test(start_paused = true)]
async fn fault_t02_our_lag_moves_the_deadline() {
    async fn check<S: Table>(options: &str) {
        let setup = S::table(options);
        let n_seats = setup.start().n_seats();
        for seat in Seat::all(n_seats) {
            // With 1000 ms a move, a margin of 100 and a cap of 2000: how long, of which ours, and what becomes of it.
            for (took, ours, cause) in [
                (1650, 600, None),
                (1750, 600, Some(Cause::Offence(Offence::Timeout))),
                (3050, 2000, None),
                (9000, 2001, Some(Cause::PlatformAbort)),
                (900, 5000, None),
            ] {
                let terms = terms();
                let actor = Actor::new([Step::AfterOurLag(ms(took), ms(ours))]).with_lag(&terms.terms.lag);
                let (verdict, watch) = watch(setup.referee(), with_one(n_seats, seat, actor), &terms).await;
                let foul = watch.fouls().next().map(|foul| Cause::Offence(foul.offence));
                let abort = Some(verdict.ending.cause).filter(|cause| *cause == Cause::PlatformAbort);
                assert_eq!(foul.or(abort), cause, "{took} ms, {ours} of them ours: {verdict:?}");
                if let Some(abort) = abort {
                    assert_eq!(abort.blame(), Some(Blame::Platform));
                    assert_eq!(verdict.outcome, None, "nobody loses");
                } else if cause.is_none() {
                    let used = charges(&watch, seat)[0].used;
                    assert_eq!(used.as_millis(), u128::from(took).saturating_sub(ours.into()));
                }
            }
        }
    }
    every_game!(check);
}

#[tokio::test(start_paused = true)]
async fn fault_t02_lag_counts_only_in_its_turn() {
    let terms = terms();
    let actor =
        Actor::new([Step::AfterOurLag(ms(10), ms(900)), Step::After(ms(1200))]).with_lag(&terms.terms.lag);
    let (verdict, _) = watch(hexapawn(), vec![actor, Actor::honest()], &terms).await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Timeout));
}

/// The clock jumps, as it does for a process that was stopped and goes on.
fn jump(after: Duration, by: Duration) {
    tokio::spawn(async move {
        sleep(after).await;
        advance(by).await;
    });
}

#[tokio::test(start_paused = true)]
async fn fault_t02_a_stopped_process_blames_nobody() {
    // It answered while we stood still, or shortly after.
    for answer in [650, 1105, 1500, 1505] {
        jump(ms(600), ms(900));
        let actors = vec![Actor::new([Step::After(ms(answer))]), Actor::honest()];
        let (verdict, watch) = watch(hexapawn(), actors, &terms()).await;
        assert_eq!((verdict.ending.blame(), watch.fouls().count()), (None, 0), "{answer}: {verdict:?}");
    }
    // Longer than the cap: nobody can tell any more.
    jump(ms(600), ms(4000));
    let (verdict, _) = watch(hexapawn(), vec![Actor::new([Step::Silent]), Actor::honest()], &terms()).await;
    assert_eq!(verdict.ending.cause, Cause::PlatformAbort);
    // Shorter: who is silent all the same is late.
    jump(ms(600), ms(900));
    let (verdict, _) = watch(hexapawn(), vec![Actor::new([Step::Silent]), Actor::honest()], &terms()).await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Timeout));
    // While a player takes note of the start, too.
    let mut terms = terms();
    terms.terms.startup = ms(1000);
    jump(ms(600), ms(900));
    let slow = Actor::honest().hearing(Hearing::Slow(ms(1000)));
    let (verdict, _) = watch(hexapawn(), vec![slow, Actor::honest()], &terms).await;
    assert_eq!(verdict.ending.blame(), None, "{verdict:?}");
}

/// Gets its answers from a thread of its own.
struct Elsewhere(Duration);

impl<P: Position> Player<P> for Elsewhere {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let (sender, answer) = tokio::sync::oneshot::channel();
        let (position, time) = (question.position.clone(), self.0);
        std::thread::spawn(move || {
            std::thread::sleep(time);
            let _ = sender.send(position.legal_moves().next().expect("who is asked has a move"));
        });
        Answering::Later(Box::pin(async { Ok(answer.await.expect("the thread answers")) }))
    }
}

#[tokio::test]
async fn fault_t02_a_blocked_runtime_costs_no_time() {
    let mut terms = timed("400ms+0");
    terms.terms.lag = LagProbe::start();
    tokio::spawn(async {
        sleep(ms(15)).await;
        std::thread::sleep(ms(700));
    });
    let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(Elsewhere(ms(40))), Box::new(Elsewhere(ms(0)))];
    let mut watch = Watch::default();
    let verdict = play(hexapawn().with_max_plies(2), &mut players, &terms, &mut watch).await;
    assert_eq!(verdict.ending.cause, Cause::MaxTurns, "{verdict:?}");
    let charge = charges(&watch, Seat::new(0))[0];
    assert!(charge.used < ms(350), "most of the 700 ms are ours: {charge:?}");
}

#[tokio::test(start_paused = true)]
async fn a_time_a_move_begins_anew() {
    let steps = [300, 900, 1000].map(|time| Step::After(ms(time)));
    let (_, watch) = watch(hexapawn(), vec![Actor::new(steps), Actor::honest()], &terms()).await;
    let charges = charges(&watch, Seat::new(0));
    assert_eq!(
        charges[..3].iter().map(|charge| charge.used).collect::<Vec<_>>(),
        [ms(300), ms(900), ms(1000)]
    );
    assert!(charges.iter().all(|charge| charge.left == ms(1000)));
}

#[tokio::test(start_paused = true)]
async fn fischer_charges_add_up() {
    // Refused answers cost time, but only once and without the increment.
    let steps =
        [Step::After(ms(700)), Step::IllegalAfter(ms(200)), Step::After(ms(300)), Step::After(ms(650))];
    let actors = vec![Actor::new(steps), Actor::new([Step::After(ms(10))])];
    let (_, watch) = watch(hexapawn(), actors, &timed("1s+100ms")).await;
    let charge = |used, left| Charge { used: ms(used), left: ms(left) };
    let expected = [
        charge(700, 400), // 1000 - 700 + 100
        charge(200, 200), // refused: 400 - 200
        charge(500, 100), // the whole question: 400 - 500, of which the margin forgives 100, + 100
    ];
    assert_eq!(charges(&watch, Seat::new(0))[..3], expected);
    // Now there are 100 ms, and a margin of 100: 650 are too many.
    assert_eq!(watch.fouls().last().map(|foul| foul.offence), Some(Offence::Timeout));
    let other = charges(&watch, Seat::new(1));
    assert_eq!(other[0], charge(10, 1090));
}

#[tokio::test(start_paused = true)]
async fn a_bank_pays_for_long_moves() {
    let steps = [100, 600, 1200, 500, 700].map(|time| Step::After(ms(time)));
    let (_, watch) = watch(hexapawn(), vec![Actor::new(steps), Actor::honest()], &timed("500ms/1s")).await;
    let left: Vec<Duration> = charges(&watch, Seat::new(0)).iter().map(|charge| charge.left).collect();
    assert_eq!(left[..5], [ms(1000), ms(900), ms(200), ms(200), ms(0)]);
    let (verdict, _) = self::watch(
        hexapawn(),
        vec![Actor::new([Step::After(ms(1500)), Step::After(ms(610))]), Actor::honest()],
        &timed("500ms/1s"),
    )
    .await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Timeout), "the bank is empty");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_belongs_to_the_question() {
    let start = Instant::now();
    let actors = vec![Actor::new([Step::IllegalAfter(ms(600)), Step::After(ms(600))]), Actor::honest()];
    let (verdict, watch) = watch(hexapawn(), actors, &terms()).await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Timeout));
    assert_eq!(start.elapsed().as_millis(), 1100);
    assert_eq!(charges(&watch, Seat::new(0))[1].used, ms(1100));
}

#[tokio::test(start_paused = true)]
async fn the_cap_without_a_clock_belongs_to_the_question_too() {
    let conduct = Conduct::removing().until_deadline();
    let referee = Referee::new(hexapawn::Setup::default().start(), conduct);
    let start = Instant::now();
    let actors = vec![Actor::new(vec![Step::IllegalAfter(Duration::from_mins(4)); 9]), Actor::honest()];
    let (verdict, watch) = watch(referee, actors, &untimed(1)).await;
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Timeout));
    assert_eq!((watch.fouls().count(), start.elapsed().as_secs()), (3, 600));
}

#[tokio::test(start_paused = true)]
async fn slow_listeners_cost_the_asked_one_nothing() {
    let asked = Actor::new([Step::IllegalAfter(ms(300)), Step::After(ms(700))]);
    let slow = Actor::honest().hearing(Hearing::Slow(ms(5000)));
    let (verdict, watch) = watch(hexapawn(), vec![asked, slow], &terms()).await;
    assert_eq!(verdict.ending.blame(), None, "{verdict:?}");
    assert_eq!(charges(&watch, Seat::new(0))[1].used, ms(1000));
}

#[tokio::test(start_paused = true)]
async fn all_take_note_at_the_same_time() {
    let start = Instant::now();
    let setup = rookery_games::fish::Setup::table("rows=5,cols=5,players=4");
    let actors = (0..4).map(|_| Actor::honest().hearing(Hearing::Slow(ms(1000)))).collect();
    let (_, watch) = watch(setup.referee(), actors, &terms()).await;
    assert_eq!(start.elapsed().as_secs(), watch.0.len() as u64, "a second for each event");
}

/// Notes how much time it is given, and answers like the other.
struct Reading(Actor, Arc<Mutex<Vec<Duration>>>);

impl Player<hexapawn::Position> for Reading {
    fn choose<'a>(&'a mut self, question: Question<'a, hexapawn::Position>) -> Answering<'a, hexapawn::Move> {
        self.1.lock().unwrap().extend(question.time);
        self.0.choose(question)
    }
}

#[tokio::test(start_paused = true)]
async fn the_margin_is_not_announced() {
    for (text, expected) in
        [("1s", [1000, 700, 1000]), ("2s+100ms", [2000, 1700, 1600]), ("1s/5s", [6000, 5700, 6000])]
    {
        let seen = Arc::new(Mutex::new(vec![]));
        let actor = Actor::new([Step::IllegalAfter(ms(300)), Step::After(ms(200))]);
        let mut players: Vec<Box<dyn Player<_>>> =
            vec![Box::new(Reading(actor, Arc::clone(&seen))), Box::new(Actor::honest())];
        let mut watch = Watch::default();
        let verdict = play(hexapawn(), &mut players, &timed(text), &mut watch).await;
        watch.check(&verdict);
        assert_eq!(seen.lock().unwrap()[..3], expected.map(ms), "{text}");
    }
    let untimed: TimeControl = "untimed".parse().unwrap();
    assert_eq!(rookery_referee::Clock::new(untimed, 2).allowance(Seat::new(0)), None);
}

#[tokio::test(start_paused = true)]
async fn matches_without_a_clock_have_no_times_in_their_record() {
    let actors = vec![Actor::new([Step::After(ms(50)), Step::IllegalAfter(ms(50))]), Actor::honest()];
    let (verdict, watch) = watch(hexapawn(), actors, &untimed(3)).await;
    assert!(charges(&watch, Seat::new(0)).is_empty());
    assert!(!verdict.outcome.unwrap().winners.eq(&Seats::NONE));
}
