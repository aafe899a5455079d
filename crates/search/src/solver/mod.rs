//! Exact values: who wins, in how many moves, and how.

mod search;
mod table;

use std::sync::atomic::{AtomicU64, Ordering};

use rookery_rules::{Solvable, Worth};

use crate::Budget;
use search::{Shared, Worker};
use table::Table;

/// TODO
#[derive(Debug)]
pub struct Solver {
    table: Table,
    limit: usize,
    threads: usize,
    nodes: AtomicU64,
}

impl Solver {
    /// new
    pub fn new<P: Solvable>(start: &P, limit: usize, threads: usize) -> Self {
        Self { table: Table::new(start.code_bits(), 1 << 18, limit), limit, threads, nodes: AtomicU64::new(0) }
    }

    pub fn nodes(&self) -> u64 { self.nodes.load(Ordering::Relaxed) }
    pub fn used(&self) -> u64 { self.table.used() }
    pub fn bytes(&self) -> usize { self.table.bytes() }

    /// test
    pub fn test<P: Solvable>(&mut self, position: &P, wanted: Worth, budget: &Budget) -> Option<Worth> {
        loop {
            let shared = Shared {
                table: &self.table, budget, nodes: &self.nodes, stop: false.into(),
                may_grow: self.table.bytes() * 4 <= self.limit,
            };
            let work = |number: u64| {
                let found = Worker::<P>::new(&shared, number).test(position, wanted);
                if found.is_some() { shared.stop.store(true, Ordering::Relaxed); }
                found
            };
            let found = if self.threads == 1 { work(0) } else {
                std::thread::scope(|scope| {
                    let handles: Vec<_> = (0..self.threads as u64).map(|n| scope.spawn(move || work(n))).collect();
                    handles.into_iter().filter_map(|h| h.join().expect("no panic")).next()
                })
            };
            if found.is_some() { return found; }
            if !(shared.may_grow && self.table.is_crowded()) { return None; }
            self.table = self.table.grown(self.table.bytes() * 4);
        }
    }
}
