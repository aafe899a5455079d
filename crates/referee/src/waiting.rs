//! Waiting for players: an answer, or that all have taken note, before a deadline that our own delays move.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_rules::{Position, Seat, Seats};
use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::chat::Chat;
use crate::controls::Order;
use crate::lag::GRACE;
use crate::{BoxFuture, Evidence, Failure, Fault, Kind, LagProbe, Offence, Player, Referee, Session, Terms};

/// Lateness of a timer that is normal.
const LATE_TIMER: Duration = Duration::from_millis(5);

/// One question, from the first time it is asked until it is answered.
pub(crate) struct Turn {
    pub(crate) seat: Seat,
    /// How many moves were made when it was asked.
    pub(crate) ply: u64,
    /// `None` as long as nobody has to ask for the time.
    pub(crate) start: Option<Instant>,
    /// Counted from the start; `None` if only the cap applies.
    pub(crate) allowance: Option<Duration>,
    lag_at_start: Duration,
    /// Why the last answer was refused.
    pub(crate) refusal: Option<Box<Evidence>>,
}

/// A moment at which a turn was interrupted.
#[derive(Clone, Copy)]
pub(crate) struct Pause {
    at: Option<Instant>,
    lag: Duration,
}

impl Turn {
    /// Without a time control nobody asks for the time, and a match of quick players costs no system calls.
    pub(crate) fn new(seat: Seat, ply: u64, allowance: Option<Duration>, lag: &LagProbe) -> Self {
        let start = allowance.map(|_| Instant::now());
        Self { seat, ply, start, allowance, lag_at_start: lag.total(), refusal: None }
    }

    /// The time since the question was asked, our own delays taken off.
    pub(crate) fn used(&self, lag: &LagProbe) -> Option<Duration> {
        Some(self.start?.elapsed().saturating_sub(self.lag(lag)))
    }

    /// Our own delays since the question was asked.
    fn lag(&self, lag: &LagProbe) -> Duration {
        lag.total().saturating_sub(self.lag_at_start)
    }

    /// What an answer that is there now is instead if it came too late. A part of Rookery may be late as long as it can
    /// be that the machine was busy.
    pub(crate) fn is_late(&self, kind: Kind, terms: &Terms) -> Option<Failure> {
        let (used, allowance) = (self.used(&terms.lag)?, self.allowance?);
        let tolerated = if kind == Kind::BuiltIn { terms.margin + terms.lag_cap } else { terms.margin };
        (used > allowance + tolerated).then(|| late(kind, used, self.allowance))
    }

    /// The question rests while others are told something.
    pub(crate) fn pause(&self, lag: &LagProbe) -> Pause {
        Pause { at: self.start.map(|_| Instant::now()), lag: lag.total() }
    }

    /// The question goes on.
    pub(crate) fn resume(&mut self, pause: Pause, lag: &LagProbe) {
        self.start = self.start.zip(pause.at).map(|(start, at)| start + at.elapsed());
        self.lag_at_start += lag.total().saturating_sub(pause.lag);
    }
}

/// What came of asking.
pub(crate) enum Asked<M> {
    /// The answer, and what else happened meanwhile.
    Answer(Result<M, Failure>, Others),
    /// Somebody offended, or an order came, and the question rests or is void.
    Interrupted(Others),
}

/// What happened while an answer was awaited.
#[derive(Default)]
pub(crate) struct Others {
    pub(crate) fouls: Vec<(Seat, Fault)>,
    pub(crate) orders: Vec<Order>,
}

impl Others {
    pub(crate) fn foul(seat: Seat, fault: Fault) -> Self {
        Self { fouls: vec![(seat, fault)], orders: vec![] }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fouls.is_empty() && self.orders.is_empty()
    }
}

/// A deadline that moves by our own delays.
struct Deadline<'a> {
    due: Instant,
    sleep: Pin<&'a mut Sleep>,
    /// How much too late the timer itself came: a sign that we did not run.
    lateness: Duration,
    lag_at_start: Duration,
    terms: &'a Terms,
}

impl Deadline<'_> {
    /// Ready when the time is up, or with an error when we stood still for so long that nobody can be judged.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        // Also when somebody who never stops talking has used up what a task may do before it lets others run.
        while pin!(unconstrained(self.sleep.as_mut())).poll(cx).is_ready() {
            let now = Instant::now();
            let late_by = now.saturating_duration_since(self.sleep.deadline());
            if late_by > LATE_TIMER {
                self.lateness += late_by;
            }
            let extension = self.lateness.max(self.terms.lag.total().saturating_sub(self.lag_at_start));
            if extension > self.terms.lag_cap {
                let note = format!("our own loop stood still for {} ms", extension.as_millis());
                return Poll::Ready(Err(Failure::Platform(note)));
            }
            if late_by > LATE_TIMER {
                self.sleep.as_mut().reset((now + GRACE).max(self.due + extension));
            } else if self.due + extension <= now {
                return Poll::Ready(Ok(()));
            } else {
                self.sleep.as_mut().reset(self.due + extension);
            }
        }
        Poll::Pending
    }
}

/// Everything around the one who thinks.
pub(crate) struct Scene<'s, 'p, P: Position> {
    pub(crate) before: &'s mut [Box<dyn Player<P> + 'p>],
    pub(crate) after: &'s mut [Box<dyn Player<P> + 'p>],
    pub(crate) turn: &'s Turn,
    pub(crate) kind: Kind,
    pub(crate) referee: &'s Referee<P>,
    pub(crate) session: &'s Session<'s, P>,
    pub(crate) chat: &'s mut Chat,
    /// What is said while somebody thinks is seen at once.
    pub(crate) hear: &'s mut (dyn FnMut(Seat, String) + Send),
}

/// Waits for an answer, for an offence or an order that ends the match, or for the deadline, whichever comes first.
/// Offences that do not end the match wait for the answer: the question that is being thought about stays as it is.
pub(crate) async fn wait<P: Position>(
    answer: BoxFuture<'_, Result<P::Move, Failure>>,
    scene: Scene<'_, '_, P>,
) -> Asked<P::Move> {
    let Scene { before, after, turn, kind, referee, session, chat, hear } = scene;
    let terms = session.terms;
    let mut answer = pin!(catch_panics(answer));
    let start = turn.start.unwrap_or_else(Instant::now);
    let due = start + patience(turn, kind, terms);
    let sleep = pin!(sleep_until(due));
    let mut deadline =
        Deadline { due, sleep, lateness: Duration::ZERO, lag_at_start: turn.lag_at_start, terms };
    let mut silent: Seats = referee.out();
    let mut others = Others::default();
    let asked = std::future::poll_fn(|cx| {
        let answered = answer.as_mut().poll(cx);
        while let Poll::Ready((seat, text)) = chat.poll_next(cx) {
            hear(seat, text);
        }
        if let Poll::Ready(answer) = answered {
            let answer = answer.unwrap_or_else(|()| Err(panicked(turn.seat)));
            return Poll::Ready(Asked::Answer(answer, std::mem::take(&mut others)));
        }
        while session.controls.poll_pending(cx).is_ready() {
            let Some(order) = session.controls.next() else { continue };
            others.orders.push(order);
            if referee.is_changed_by(&others) {
                return Poll::Ready(Asked::Interrupted(std::mem::take(&mut others)));
            }
        }
        let neighbours =
            before.iter_mut().zip(0..).chain(after.iter_mut().zip(turn.seat.index() as u8 + 1..));
        for (player, index) in neighbours {
            let seat = Seat::new(index);
            if silent.contains(seat) {
                continue;
            }
            match guarded(|| player.poll_foul(cx)) {
                Ok(Poll::Pending) => {}
                Err(()) => return Poll::Ready(Asked::Answer(Err(panicked(seat)), Others::default())),
                Ok(Poll::Ready(fault)) => {
                    silent.put_in(seat);
                    others.fouls.push((seat, fault));
                    if referee.is_changed_by(&others) {
                        return Poll::Ready(Asked::Interrupted(std::mem::take(&mut others)));
                    }
                }
            }
        }
        match deadline.poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(stall)) => Poll::Ready(Asked::Answer(Err(stall), Others::default())),
            Poll::Ready(Ok(())) => {
                let late = late(kind, start.elapsed(), turn.allowance);
                Poll::Ready(Asked::Answer(Err(late), std::mem::take(&mut others)))
            }
        }
    })
    .await;
    // After a stop of this process the answer may be seen before the probe has noted the stop.
    if terms.lag.is_running() && start.elapsed() > LATE_TIMER {
        tokio::task::yield_now().await;
    }
    asked
}

/// How long an answer is waited for. A part of Rookery is stopped when its time is up, and gets as long as we may be
/// late ourselves to come with what it has found.
fn patience(turn: &Turn, kind: Kind, terms: &Terms) -> Duration {
    /// As good as for ever.
    const YEARS: Duration = Duration::from_hours(100_000);
    match (turn.allowance, kind) {
        (Some(allowance), Kind::BuiltIn) => allowance + terms.margin + terms.lag_cap,
        (Some(allowance), _) => allowance + terms.margin,
        (None, Kind::Person) => YEARS,
        (None, _) => terms.answer_cap,
    }
}

impl<P: Position> Referee<P> {
    /// Whether the question that is asked now is void once all this is carried out.
    fn is_changed_by(&self, others: &Others) -> bool {
        let mut after = self.clone();
        for (seat, fault) in &others.fouls {
            after.foul(*seat, fault.clone());
        }
        for order in &others.orders {
            match *order {
                Order::Suspend | Order::Cancel(_) => return true,
                Order::Resign(seat) => drop(after.resign(seat)),
                Order::TakeBack { seat, to } => drop(after.take_back(seat, to)),
                Order::Draw => drop(after.draw()),
                Order::Adjudicate(winner) => drop(after.adjudicate(winner)),
            }
        }
        after.to_ask() != self.to_ask() || after.plies() != self.plies()
    }
}

/// Why somebody did not take note of something.
pub(crate) enum Listened {
    /// It did something wrong instead.
    Fault(Fault),
    /// It panicked.
    Panicked,
    /// It had no time any more.
    NotInTime,
    /// It had no time, but because of us.
    Stalled(Failure),
}

/// Lets all take note together, and says who failed to.
pub(crate) async fn listen(
    mut hearings: Vec<(Seat, BoxFuture<'_, Result<(), Fault>>)>,
    terms: &Terms,
) -> Vec<(Seat, Listened)> {
    let mut failed = Vec::new();
    let due = Instant::now() + terms.startup;
    let sleep = pin!(sleep_until(due));
    let mut deadline =
        Deadline { due, sleep, lateness: Duration::ZERO, lag_at_start: terms.lag.total(), terms };
    std::future::poll_fn(|cx| {
        hearings.retain_mut(|(seat, hearing)| {
            match guarded(|| hearing.as_mut().poll(cx)) {
                Ok(Poll::Pending) => return true,
                Ok(Poll::Ready(Ok(()))) => {}
                Ok(Poll::Ready(Err(fault))) => failed.push((*seat, Listened::Fault(fault))),
                Err(()) => failed.push((*seat, Listened::Panicked)),
            }
            false
        });
        if hearings.is_empty() {
            return Poll::Ready(());
        }
        let Poll::Ready(up) = deadline.poll(cx) else { return Poll::Pending };
        failed.extend(hearings.iter().map(|&(seat, _)| match &up {
            Ok(()) => (seat, Listened::NotInTime),
            Err(stall) => (seat, Listened::Stalled(stall.clone())),
        }));
        Poll::Ready(())
    })
    .await;
    failed.sort_by_key(|&(seat, _)| seat);
    failed
}

/// Runs somebody else's code; a panic in it becomes an error. What it leaves half done is not used again.
pub(crate) fn guarded<T>(code: impl FnOnce() -> T) -> Result<T, ()> {
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

pub(crate) fn panicked(seat: Seat) -> Failure {
    Failure::Platform(format!("the player in our own process at seat {} panicked", seat.index()))
}

pub(crate) fn late(kind: Kind, used: Duration, allowance: Option<Duration>) -> Failure {
    let note = match allowance {
        Some(allowance) => format!("{} ms used of {} ms", used.as_millis(), allowance.as_millis()),
        None => format!("no answer for {} s", used.as_secs()),
    };
    match kind {
        Kind::BuiltIn => {
            Failure::Platform(format!("a built-in player did not stop when its time was up: {note}"))
        }
        Kind::Program | Kind::Person => Fault::new(Offence::Timeout, note).into(),
    }
}
