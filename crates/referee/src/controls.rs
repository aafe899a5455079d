//! What reaches a match from outside while it runs.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use rookery_rules::Seat;
use rookery_search::Stop;

/// The most characters of a reason to cancel a match.
const MAX_REASON: usize = 300;
/// Orders that wait for the loop; more are dropped, which only somebody can bring about who sends nonsense.
const QUEUE: usize = 256;

/// Something the loop of a match is told to do. What makes no sense any more when it is read is ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// A seat gives up, also out of turn.
    Resign(Seat),
    /// A seat takes moves back, to which all others have agreed.
    TakeBack {
        /// Whose decision stands at `to`.
        seat: Seat,
        /// How many moves are left.
        to: u64,
    },
    /// All have agreed on a draw.
    Draw,
    /// The result is proved: this seat wins, or nobody.
    Adjudicate(Option<Seat>),
    /// The match stops here without a verdict, to go on later.
    Suspend,
    /// Whoever runs the match ends it, for this reason.
    Cancel(String),
}

/// The way to a running match, and out of it. Copies lead to the same match.
#[derive(Clone, Default)]
pub struct Controls(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Raised when the match is to stop: strategies that think where the match runs look at it.
    stop: Stop,
    /// Whether there is something in the queue: the only thing a running match looks at between moves.
    pending: AtomicBool,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    orders: VecDeque<Order>,
    waker: Option<Waker>,
}

impl Controls {
    /// Stops the match where it is, without a verdict: its record can go on later.
    pub fn suspend(&self) {
        self.push_and_stop(Order::Suspend);
    }

    /// Ends the match with the result that it has, because that is proved: this seat wins, or nobody.
    pub fn adjudicate(&self, winner: Option<Seat>) {
        self.push(Order::Adjudicate(winner));
    }

    /// Ends the match, without a winner.
    pub fn cancel(&self, reason: &str) {
        let reason = reason.chars().take(MAX_REASON).map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.push_and_stop(Order::Cancel(reason));
    }

    /// First the order, then the flag: whoever hurries because of the flag finds the order, and its move is not taken.
    fn push_and_stop(&self, order: Order) {
        self.push(order);
        self.0.stop.set();
    }

    /// Raised when the match is to stop.
    pub fn stop(&self) -> Stop {
        self.0.stop.clone()
    }

    pub(crate) fn push(&self, order: Order) {
        let mut queue = self.queue();
        if queue.orders.len() < QUEUE || matches!(order, Order::Suspend | Order::Cancel(_)) {
            queue.orders.push_back(order);
        }
        self.0.pending.store(true, Ordering::Release);
        if let Some(waker) = queue.waker.take() {
            waker.wake();
        }
    }

    /// Whether there may be an order: cheap enough to be asked between any two moves.
    #[inline]
    pub(crate) fn is_pending(&self) -> bool {
        self.0.pending.load(Ordering::Acquire)
    }

    /// The next order, if there is one.
    pub(crate) fn next(&self) -> Option<Order> {
        let mut queue = self.queue();
        let order = queue.orders.pop_front();
        self.0.pending.store(!queue.orders.is_empty(), Ordering::Release);
        order
    }

    /// Ready when there is an order; else the task is woken when one comes.
    pub(crate) fn poll_pending(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_pending() {
            return Poll::Ready(());
        }
        let mut queue = self.queue();
        if !queue.orders.is_empty() {
            return Poll::Ready(());
        }
        match &mut queue.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Controls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Controls(pending: {})", self.is_pending())
    }
}
