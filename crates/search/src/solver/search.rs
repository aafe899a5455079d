//! The search itself: is a position worth at least so much?

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rookery_rules::{Seat, Solvable, Status, Worth};

use super::table::{Bounds, Slot, Table};
use super::{Counters, SolverTable};
use crate::Budget;

/// How often the clock and the other threads are looked at, in positions.
const LOOK_EVERY: u64 = 1024;

/// The first moves by which the settled share of a question is told.
const SHOWN_PLIES: usize = 5;

/// What the threads of one search share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    /// What others have found out before.
    pub(super) base: Option<&'a SolverTable>,
    pub(super) budget: &'a Budget,
    /// What is shown of the search; its positions are those of all threads and searches.
    pub(super) progress: &'a Counters,
    /// Another thread has the answer, or nobody wants it any more.
    pub(super) stop: AtomicBool,
    /// Whether to stop when the table is crowded, so that it can be enlarged.
    pub(super) may_grow: bool,
    /// What the threads are at, if there are several.
    pub(super) busy: Option<&'a Busy>,
}

/// The positions that some thread is looking at, as far as they find room. Another thread leaves them for later and
/// looks at their neighbours meanwhile: where every move must be tried the work is shared that way.
#[derive(Debug)]
pub(super) struct Busy(Vec<AtomicU64>);

impl Busy {
    /// So many positions find room, or fewer.
    const SIZE: usize = 1 << 12;
    /// Positions so many moves from the first one are too small to share.
    const PLIES: usize = 24;

    pub(super) fn new() -> Self {
        Self((0..Self::SIZE).map(|_| AtomicU64::new(0)).collect())
    }

    fn place(&self, slot: Slot) -> (&AtomicU64, u64) {
        let number = slot.number();
        (&self.0[number as usize % Self::SIZE], number)
    }

    fn is_marked(&self, slot: Slot) -> bool {
        let (place, number) = self.place(slot);
        place.load(Ordering::Relaxed) == number
    }

    fn mark(&self, slot: Slot) {
        let (place, number) = self.place(slot);
        place.store(number, Ordering::Relaxed);
    }

    fn unmark(&self, slot: Slot) {
        let (place, number) = self.place(slot);
        // Another position may have taken the place; a mark too few or too many costs only time.
        if place.load(Ordering::Relaxed) == number {
            place.store(0, Ordering::Relaxed);
        }
    }
}

/// One thread of a search.
pub(super) struct Worker<'a, P: Solvable> {
    shared: &'a Shared<'a>,
    nodes: u64,
    /// It gives up after so many positions.
    quota: u64,
    /// Tells the threads apart: the first one shows how far the search is.
    number: usize,
    /// By ply, for the first few: how many moves were tried, and of how many.
    tried: [(usize, usize); SHOWN_PLIES],
    /// By ply: room for the children, so that nothing is allocated once it is warm.
    children: Vec<Vec<Child<P>>>,
}

struct Child<P> {
    position: P,
    mover: Seat,
    slot: Slot,
    /// Lower is tried sooner.
    order: i32,
}

impl<'a, P: Solvable> Worker<'a, P> {
    pub(super) fn new(shared: &'a Shared<'a>, number: usize, quota: u64) -> Self {
        Self { shared, nodes: 0, quota, number, tried: [(0, 0); SHOWN_PLIES], children: vec![] }
    }

    /// Whether the position is worth at least `wanted` to the seat to move, as a bound: a lower one if it is at least
    /// `wanted`, an upper one if it is less. `None` if the search was stopped.
    pub(super) fn test(&mut self, position: &P, wanted: Worth) -> Option<Worth> {
        let mover = position.to_move().expect("a search begins while the game goes on");
        let slot = self.shared.table.slot(position.code());
        let found = self.node(position, mover, slot, wanted, 0);
        self.report();
        found
    }

    fn report(&self) {
        // The rest was counted on the way.
        self.shared.progress.nodes.fetch_add(self.nodes % LOOK_EVERY, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        let shared = self.shared;
        let nodes = shared.progress.nodes.fetch_add(LOOK_EVERY, Ordering::Relaxed) + LOOK_EVERY;
        if shared.budget.is_spent(nodes) || (shared.may_grow && shared.table.is_crowded()) {
            shared.stop.store(true, Ordering::Relaxed);
        }
        shared.stop.load(Ordering::Relaxed) || self.nodes >= self.quota
    }

    fn node(&mut self, position: &P, mover: Seat, slot: Slot, wanted: Worth, ply: usize) -> Option<Worth> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(LOOK_EVERY) && self.is_stopped() {
            return None;
        }
        // The game ends with a move at the soonest.
        if wanted > Worth::win(1) {
            return Some(Worth::win(1));
        }
        if wanted <= Worth::loss(1) {
            return Some(Worth::loss(1));
        }
        let (low, high) = if ply == 0 { position.foresee() } else { (Worth::LEAST, Worth::MOST) };
        let known = self.shared.table.get(slot);
        let (low, high) = (low.max(known.low), high.min(known.high));
        if low >= wanted {
            return Some(low);
        }
        if high < wanted {
            return Some(high);
        }
        if self.children.len() <= ply {
            self.children.resize_with(ply + 1, Vec::new);
        }
        let mut children = std::mem::take(&mut self.children[ply]);
        let before = self.nodes;
        let found = self.best(position, mover, wanted, ply, &mut children);
        children.clear();
        self.children[ply] = children;
        let found = found?;
        let bounds = if found >= wanted {
            Bounds { low: found, ..Bounds::NONE }
        } else {
            Bounds { high: found, ..Bounds::NONE }
        };
        // What its moves show at once need not be remembered: that would fill a third of the table.
        if self.nodes > before {
            self.shared.table.put(slot, bounds, self.nodes - before);
        }
        Some(found)
    }

    /// The best that the moves promise, as far as `wanted` asks.
    fn best(
        &mut self,
        position: &P,
        mover: Seat,
        wanted: Worth,
        ply: usize,
        children: &mut Vec<Child<P>>,
    ) -> Option<Worth> {
        let mut best = Worth::LEAST;
        for mv in position.legal_moves() {
            let mut child = position.clone();
            child.play_unchecked(mv);
            let Some(next) = child.to_move() else {
                best = best.max(ended(&child, mover).older());
                if best >= wanted {
                    return Some(best);
                }
                continue;
            };
            let (low, high) = seen_from(mover, next, child.foresee());
            if low >= wanted {
                return Some(low);
            }
            if high < wanted {
                best = best.max(high);
                continue;
            }
            let code = child.code();
            if let Some(base) = self.shared.base {
                let known = base.get(code);
                let (low, high) = seen_from(mover, next, (known.low, known.high));
                if low >= wanted {
                    return Some(low);
                }
                if high < wanted {
                    best = best.max(high);
                    continue;
                }
            }
            let slot = self.shared.table.slot(code);
            children.push(Child { position: child, mover: next, slot, order: 0 });
        }
        self.shared.table.touch(children.iter().map(|child| child.slot));
        // Moves whose worth is known well enough need no search.
        let mut idx = 0;
        while idx < children.len() {
            let child = &mut children[idx];
            let known = self.shared.table.get(child.slot);
            let (low, high) = seen_from(mover, child.mover, (known.low, known.high));
            if low >= wanted {
                return Some(low);
            }
            if high < wanted {
                best = best.max(high);
                children.swap_remove(idx);
                continue;
            }
            let promise = child.position.promise();
            child.order = if child.mover == mover { -promise } else { promise };
            idx += 1;
        }
        children.sort_unstable_by_key(|child| child.order);
        self.try_all(mover, wanted, ply, children, best)
    }

    /// The best of `best` and what these moves are worth, until one is worth what is wanted.
    fn try_all(
        &mut self,
        mover: Seat,
        wanted: Worth,
        ply: usize,
        children: &mut [Child<P>],
        mut best: Worth,
    ) -> Option<Worth> {
        let busy = self.shared.busy.filter(|_| ply < Busy::PLIES);
        let mut later = 0;
        for idx in 0..children.len() {
            // The first move is likely to be good enough; nobody begins with the second one.
            if idx > 0 && busy.is_some_and(|busy| busy.is_marked(children[idx].slot)) {
                children.swap(later, idx);
                later += 1;
                continue;
            }
            if ply < SHOWN_PLIES {
                self.show(ply, idx - later, children.len());
            }
            best = best.max(self.try_one(mover, wanted, ply, &children[idx])?);
            if best >= wanted {
                return Some(best);
            }
        }
        for child in &children[..later] {
            best = best.max(self.try_one(mover, wanted, ply, child)?);
            if best >= wanted {
                break;
            }
        }
        Some(best)
    }

    /// What a move is worth, as far as `wanted` asks.
    fn try_one(&mut self, mover: Seat, wanted: Worth, ply: usize, child: &Child<P>) -> Option<Worth> {
        let busy = self.shared.busy.filter(|_| ply < Busy::PLIES);
        if let Some(busy) = busy {
            busy.mark(child.slot);
        }
        let next = if child.mover == mover {
            self.node(&child.position, child.mover, child.slot, wanted.younger(), ply + 1)
        } else {
            // Less than this for the other side is at least what is wanted for this one.
            let wanted = wanted.younger().flip().next();
            self.node(&child.position, child.mover, child.slot, wanted, ply + 1).map(Worth::flip)
        };
        if let Some(busy) = busy {
            busy.unmark(child.slot);
        }
        Some(next?.older())
    }

    /// Lets others see how much of the question is settled.
    fn show(&mut self, ply: usize, idx: usize, of: usize) {
        self.tried[ply] = (idx, of);
        let (mut share, mut part) = (0.0, 1.0);
        for &(idx, of) in &self.tried[..=ply] {
            part /= of.max(1) as f64;
            share += idx as f64 * part;
        }
        if self.number == 0 {
            self.shared.progress.share.store((share * 1e6) as u64, Ordering::Relaxed);
        }
    }
}

/// Bounds for the seat `next` after a move, as bounds for the seat `mover` before it.
#[inline]
fn seen_from(mover: Seat, next: Seat, (low, high): (Worth, Worth)) -> (Worth, Worth) {
    if mover == next { (low.older(), high.older()) } else { (high.flip().older(), low.flip().older()) }
}

/// What a finished game is worth to a seat.
pub(super) fn ended<P: Solvable>(position: &P, seat: Seat) -> Worth {
    let Status::Over(outcome) = position.status() else { unreachable!("nobody is to move") };
    match (outcome.winners.contains(seat), outcome.winners.len()) {
        (true, 1) => Worth::win(0),
        (false, n) if n > 0 => Worth::loss(0),
        _ => Worth::DRAW,
    }
}
