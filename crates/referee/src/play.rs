//! The loop that gives the referee players and time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use rookery_rules::{Position, Seat, Seats, Seed};
use tokio::time::{Instant, sleep_until, timeout};

use crate::chat::Chat;
use crate::{
    Answering, BoxFuture, Cause, Charge, Clock, Event, EventOf, Failure, Fault, LagProbe, Observer, Offence,
    Player, Question, Referee, TimeControl, Verdict,
};

/// The terms of a match: time, its tolerances, and the seed.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The clocks at the start; full ones, or what is left of them when a match goes on.
    pub clock: Option<Clock>,
    /// How much time the players have.
    pub control: TimeControl,
    /// The time to get ready before the first move, and to take note of anything that is told later.
    pub startup: Duration,
    /// How much longer than its time an answer may take before it counts as late: jitter that is ours. The players are
    /// not told.
    pub margin: Duration,
    /// The most time an answer may take when there is no time control: nothing is waited for without a limit.
    pub answer_cap: Duration,
    /// How late our own loop runs; deadlines move by that much.
    pub lag: LagProbe,
    /// The most that a deadline moves; beyond it the match is stopped, as our failure.
    pub lag_cap: Duration,
    /// Where all randomness of the match comes from.
    pub seed: Seed,
}

impl Terms {
    /// A time control with the usual tolerances.
    pub fn new(control: TimeControl, seed: Seed) -> Self {
        Self {
            clock: None,
            control,
            startup: Duration::from_secs(10),
            margin: Duration::from_millis(100),
            answer_cap: Duration::from_mins(10),
            lag: LagProbe::default(),
            lag_cap: Duration::from_secs(2),
            seed,
        }
    }

    /// No time control.
    pub fn untimed(seed: Seed) -> Self {
        Self::new(TimeControl::Untimed, seed)
    }
}

/// Plays a match to its end.
///
/// Whatever the players do, there is a verdict: misconduct is ruled by the referee's conduct, a panic of a player or
/// an observer that lives in this process is caught.
///
/// # Panics
/// If there is not one player for each seat.
pub async fn play<P: Position>(
    referee: Referee<P>,
    players: &mut [Box<dyn Player<P>>],
    terms: &Terms,
    observer: &mut dyn Observer<P>,
) -> Verdict {
    let n_seats = referee.position().n_seats();
    assert_eq!(players.len(), n_seats, "there is one player for each seat");
    let built_in: Seats = Seat::all(n_seats).filter(|seat| players[seat.index()].is_built_in()).collect();
    let clock = terms.clock.clone().unwrap_or_else(|| Clock::new(terms.control, n_seats));
    let mut table = Table {
        referee: referee.with_built_in(built_in),
        players,
        terms,
        observer: Some(observer),
        clock,
        chat: Chat::new(),
    };
    table.run().await
}

struct Table<'a, P: Position> {
    referee: Referee<P>,
    players: &'a mut [Box<dyn Player<P>>],
    terms: &'a Terms,
    /// Gone once it has panicked.
    observer: Option<&'a mut dyn Observer<P>>,
    clock: Clock,
    chat: Chat,
}

/// One question, from the first time it is asked until it is answered.
struct Turn {
    seat: Seat,
    start: Option<Instant>,
    /// Counted from the start; `None` if only the cap applies.
    allowance: Option<Duration>,
    lag_at_start: Duration,
    /// Why the last answer was refused.
    reason: Option<String>,
}

impl Turn {
    /// The time since the question was asked, our own delays taken off.
    fn used(&self, lag: &LagProbe) -> Option<Duration> {
        Some(self.start?.elapsed().saturating_sub(self.lag(lag)))
    }

    /// Our own delays since the question was asked.
    fn lag(&self, lag: &LagProbe) -> Duration {
        lag.total().saturating_sub(self.lag_at_start)
    }
}

/// What came of asking.
enum Asked<M> {
    Answer(Result<M, Failure>),
    /// Another seat offended meanwhile.
    Foul(Seat, Fault),
}

impl<P: Position> Table<'_, P> {
    async fn run(&mut self) -> Verdict {
        for seat in Seat::all(self.players.len()) {
            let chat = self.chat.box_of(seat);
            let player = &mut self.players[seat.index()];
            if guarded(|| player.seated(seat, chat)).is_err() {
                self.stop_after_panic(seat);
            }
        }
        let started = Event::Started(self.referee.position().clone());
        self.announce(started).await;
        let mut turn: Option<Turn> = None;
        while let Some(seat) = self.referee.to_ask() {
            // A question goes on while its answers are refused, or while others offend.
            let mut current =
                turn.take().filter(|turn| turn.seat == seat).unwrap_or_else(|| self.new_turn(seat));
            match self.ask(&current).await {
                Asked::Answer(answer) => {
                    let charge = self.charge(&current, answer.is_ok());
                    if let Some(event) = self.referee.judge(answer, charge) {
                        if let Event::Fouled(foul) = &event {
                            current.reason = Some(foul.detail.clone());
                            turn = Some(current);
                        }
                        self.announce(event).await;
                    }
                }
                Asked::Foul(offender, fault) => {
                    turn = Some(current);
                    if let Some(event) = self.referee.foul(offender, fault) {
                        self.announce(event).await;
                    }
                }
            }
        }
        let verdict = self.referee.verdict().expect("nobody is asked, so there is a verdict").clone();
        self.announce(Event::Ended(verdict.clone())).await;
        verdict
    }

    fn new_turn(&self, seat: Seat) -> Turn {
        let allowance = self.clock.allowance(seat);
        // Without a time control nobody asks for the time, and a match of quick players costs no system calls.
        let start = allowance.map(|_| Instant::now());
        Turn { seat, start, allowance, lag_at_start: self.terms.lag.total(), reason: None }
    }

    /// What the answer that just came costs. Only a move changes the clock: the question may be asked again.
    fn charge(&mut self, turn: &Turn, moved: bool) -> Option<Charge> {
        let used = turn.used(&self.terms.lag)?;
        if moved { self.clock.charge(turn.seat, used, true) } else { self.clock.preview(turn.seat, used) }
    }

    async fn ask(&mut self, turn: &Turn) -> Asked<P::Move> {
        let seat = turn.seat;
        let used = turn.used(&self.terms.lag);
        let question = Question {
            position: self.referee.position(),
            seat,
            ply: self.referee.plies(),
            refused: self.referee.refused(),
            reason: turn.reason.as_deref(),
            clock: &self.clock,
            time: turn.allowance.map(|allowance| allowance.saturating_sub(used.unwrap_or_default())),
            seed: self.terms.seed.derive(seat.index() as u64).derive(self.referee.plies()),
        };
        let (before, rest) = self.players.split_at_mut(seat.index());
        let (player, after) = rest.split_first_mut().expect("there is a player for each seat");
        let Ok(answering) = guarded(|| player.choose(question)) else {
            return Asked::Answer(Err(panicked(seat)));
        };
        match answering {
            Answering::Now(answer) => {
                let limit = turn.allowance.map(|allowance| allowance + self.terms.margin);
                match (turn.used(&self.terms.lag), limit) {
                    (Some(used), Some(limit)) if used > limit => Asked::Answer(Err(late(used, turn))),
                    _ => Asked::Answer(answer),
                }
            }
            Answering::Later(answer) => wait(answer, before, after, turn, self.terms).await,
        }
    }

    /// Tells everybody what happened, then whatever came of telling it.
    async fn announce(&mut self, event: EventOf<P>) {
        let mut fouls = self.tell(&event).await;
        // Each seat is removed at most once and says only so much, so this ends.
        loop {
            if let Some((seat, fault)) = fouls.pop() {
                if let Some(event) = self.referee.foul(seat, fault) {
                    fouls.extend(self.tell(&event).await);
                }
            } else if let Some((seat, text)) = self.chat.next()
                && self.referee.verdict().is_none()
            {
                fouls.extend(self.tell(&Event::Said { seat, text }).await);
            } else {
                break;
            }
        }
    }

    /// Tells the observer and then every player, in turn order. Who does not take note in time offends.
    async fn tell(&mut self, event: &EventOf<P>) -> Vec<(Seat, Fault)> {
        let position = self.referee.position();
        if let Some(observer) = &mut self.observer
            && guarded(|| observer.see(event, position)).is_err()
        {
            self.observer = None;
        }
        let mut fouls = Vec::new();
        let mut panicked = None;
        for (seat, player) in Seat::all(self.players.len()).zip(self.players.iter_mut()) {
            let heard = match guarded(|| player.hear(event, position)) {
                Ok(None) => continue,
                Ok(Some(hearing)) => timeout(self.terms.startup, catch_panics(hearing)).await,
                Err(()) => Ok(Err(())),
            };
            match heard {
                Ok(Ok(Ok(()))) => {}
                Ok(Ok(Err(fault))) => fouls.push((seat, fault)),
                Ok(Err(())) => panicked = Some(seat),
                Err(_) => fouls
                    .push((seat, Fault::new(Offence::Timeout, "it did not take note of what it was told"))),
            }
        }
        if let Some(seat) = panicked {
            self.stop_after_panic(seat);
        }
        fouls
    }

    fn stop_after_panic(&mut self, seat: Seat) {
        let Failure::Platform(sentence) = panicked(seat) else { return };
        self.referee.stop(Cause::PlatformAbort, sentence);
    }
}

/// Waits for an answer, for an offence of anybody else, or for the deadline, whichever comes first.
async fn wait<P: Position>(
    answer: BoxFuture<'_, Result<P::Move, Failure>>,
    before: &mut [Box<dyn Player<P>>],
    after: &mut [Box<dyn Player<P>>],
    turn: &Turn,
    terms: &Terms,
) -> Asked<P::Move> {
    let mut answer = pin!(catch_panics(answer));
    let start = turn.start.unwrap_or_else(Instant::now);
    let due = start + turn.allowance.map_or(terms.answer_cap, |allowance| allowance + terms.margin);
    let mut deadline = pin!(sleep_until(due));
    // What the timer itself came too late: a sign that we did not run, seen before the probe gets to run again.
    let mut lateness = Duration::ZERO;
    std::future::poll_fn(|cx| {
        if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
            return Poll::Ready(Asked::Answer(answer.unwrap_or_else(|()| Err(panicked(turn.seat)))));
        }
        let others = before.iter_mut().zip(0..).chain(after.iter_mut().zip(turn.seat.index() as u8 + 1..));
        for (player, index) in others {
            if let Poll::Ready(fault) = player.poll_foul(cx) {
                return Poll::Ready(Asked::Foul(Seat::new(index), fault));
            }
        }
        while deadline.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            let late_by = now.saturating_duration_since(deadline.deadline());
            lateness += if late_by > LATE_TIMER { late_by } else { Duration::ZERO };
            let extension = lateness.max(turn.lag(&terms.lag));
            if extension > terms.lag_cap {
                let sentence = format!("our own loop stood still for {} ms", extension.as_millis());
                return Poll::Ready(Asked::Answer(Err(Failure::Platform(sentence))));
            }
            if due + extension <= now {
                return Poll::Ready(Asked::Answer(Err(late(now - start, turn))));
            }
            deadline.as_mut().reset(due + extension);
        }
        Poll::Pending
    })
    .await
}

/// Lateness of a timer that is normal.
const LATE_TIMER: Duration = Duration::from_millis(5);

/// Runs somebody else's code; a panic in it becomes an error. What it leaves half done is not used again.
fn guarded<T>(code: impl FnOnce() -> T) -> Result<T, ()> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|_| ())
}

/// A future that ends with an error instead of a panic.
async fn catch_panics<T>(mut future: BoxFuture<'_, T>) -> Result<T, ()> {
    std::future::poll_fn(move |cx| match guarded(|| future.as_mut().poll(cx)) {
        Ok(poll) => poll.map(Ok),
        Err(()) => Poll::Ready(Err(())),
    })
    .await
}

fn panicked(seat: Seat) -> Failure {
    Failure::Platform(format!("the player in our own process for {seat} panicked, which is nobody's loss"))
}

fn late(used: Duration, turn: &Turn) -> Failure {
    let detail = match turn.allowance {
        Some(allowance) => format!("{} ms used of {} ms", used.as_millis(), allowance.as_millis()),
        None => format!("no answer for {} s", used.as_secs()),
    };
    Fault::new(Offence::Timeout, detail).into()
}
