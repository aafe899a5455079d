//! How strong a player is that searches: the same search, limited and blurred.

use std::time::Instant;

use rookery_rules::{Seed, below, mix};
use rookery_search::Budget;

/// One strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Strength {
    /// At most so many moves ahead.
    pub(crate) depth: u32,
    /// At most so many positions, if nothing else limits the work.
    pub(crate) nodes: u64,
    /// How far its judgement of a position may be off, in either direction.
    pub(crate) blur: i32,
    /// How often in a hundred it looks no further than its own move.
    pub(crate) slips: u32,
}

impl Strength {
    /// Whether it looks no further than its own move this time.
    pub(crate) fn slips(&self, budget: &Budget) -> bool {
        self.slips > 0 && below(&mut budget.seed.derive(1).rng(), 100) < self.slips
    }

    /// Room for positions of a search: little for a search that hardly deserves the name.
    pub(crate) fn table_bytes(&self) -> usize {
        if self.depth <= 2 { 1 << 16 } else { 16 << 20 }
    }

    /// What is left of a budget at this strength. Without a clock and without a number of positions it is the level's
    /// own number, so that its answers can be had again.
    pub(crate) fn limit(&self, budget: &Budget) -> Budget {
        let work = match (budget.work, budget.deadline) {
            (None, None) => Some(self.nodes),
            (work, _) => work,
        };
        let depth = budget.depth.map_or(self.depth, |depth| depth.min(self.depth));
        // A tenth of the time is left, for a machine that has other things to do as well.
        let now = Instant::now();
        let deadline = budget.deadline.map(|end| now + end.saturating_duration_since(now) * 9 / 10);
        Budget { work, depth: Some(depth), deadline, ..budget.clone() }
    }
}

/// Errors of judgement: another one for each position, the same whenever the same position is judged with one seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blur {
    pub(crate) most: i32,
    pub(crate) seed: Seed,
}

impl Blur {
    pub(crate) fn of(self, key: u64) -> i32 {
        let range = 2 * self.most.unsigned_abs() + 1;
        (mix(key ^ self.seed.0) % u64::from(range)) as i32 - self.most
    }
}
