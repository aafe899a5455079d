//! What goes wrong, by chance that can be repeated, and a count of what did.

use std::collections::BTreeMap;

/// What goes wrong: chances in a hundred of a message, or in ten thousand of a moment.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each goes wrong or does not, on its own")]
pub(crate) struct Faults {
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
    pub(crate) late: u64,
    pub(crate) replayed: u64,
    pub(crate) stream: u64,
    pub(crate) workers: u64,
    pub(crate) coordinators: u64,
    pub(crate) broker: u64,
    /// Coordinators do not run, or the broker carries nothing, and nobody is told.
    pub(crate) still: u64,
    pub(crate) stuck: u64,
    pub(crate) liars: bool,
    pub(crate) poison: bool,
    pub(crate) skewed: bool,
    /// A worker says for ever that its games go on.
    pub(crate) endless: bool,
    /// Two workers have the same name.
    pub(crate) twins: bool,
}

impl Faults {
    pub(crate) const NONE: Self = Self {
        lost: 0,
        doubled: 0,
        late: 0,
        replayed: 0,
        stream: 0,
        workers: 0,
        coordinators: 0,
        broker: 0,
        still: 0,
        stuck: 0,
        liars: false,
        poison: false,
        skewed: false,
        endless: false,
        twins: false,
    };

    pub(crate) fn random(seed: u64) -> Self {
        let mut rng = Rng(seed ^ 0x9e37_79b9_7f4a_7c15);
        let mut some = |most: u64| if rng.chance(50) { rng.below(most) } else { 0 };
        Self {
            lost: some(40),
            doubled: some(60),
            late: some(60),
            replayed: some(40),
            stream: some(60),
            workers: some(60),
            coordinators: some(60),
            broker: some(40),
            stuck: some(15),
            liars: some(10) > 3,
            poison: some(10) > 3,
            skewed: some(10) > 3,
            still: some(40),
            endless: some(10) > 3,
            twins: some(10) > 3,
        }
    }
}

/// What happened, so that nothing is believed to be tested that never came about.
#[derive(Default, Debug)]
pub(crate) struct Told {
    kinds: BTreeMap<&'static str, u64>,
}

impl Told {
    pub(crate) fn note(&mut self, what: &'static str) {
        *self.kinds.entry(what).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (what, times) in &other.kinds {
            *self.kinds.entry(what).or_default() += times;
        }
    }

    pub(crate) fn expect_everything(&self) {
        let all = [
            "stored",
            "again",
            "stale",
            "expired",
            "parked",
            "retried",
            "wrong",
            "taken over",
            "zombie",
            "spooled",
            "stream lost",
            "broker lost",
            "stood still",
            "elsewhere",
            "released",
            "stopped",
            "notified again",
            "endless",
            "name refused",
            "name given again",
        ];
        self.expect(&all);
    }

    pub(crate) fn expect_never(&self, all: &[&str]) {
        for what in all {
            assert_eq!(self.kinds.get(*what), None, "{what} should not happen: {self:?}");
        }
    }

    pub(crate) fn expect(&self, all: &[&str]) {
        for what in all {
            assert!(
                self.kinds.get(*what).is_some_and(|times| *times > 20),
                "{what} hardly happened: {self:?}"
            );
        }
    }
}

/// Chance that can be repeated.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
