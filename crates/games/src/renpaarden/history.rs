//! The keys of the positions at the start of the last turns, for the rule of repetition.

/// How many turns are remembered.
pub(super) const WINDOW: usize = 128;

/// A ring of keys. The slot of a turn is its number modulo [`WINDOW`], so equal histories have equal rings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct History {
    keys: [u64; WINDOW],
    len: usize,
}

impl History {
    pub(super) const fn new() -> Self {
        Self { keys: [0; WINDOW], len: 0 }
    }

    /// Remembers the position at the start of turn number `turn`, which follows the last one remembered.
    pub(super) fn push(&mut self, turn: u32, key: u64) {
        self.keys[turn as usize % WINDOW] = key;
        self.len = (self.len + 1).min(WINDOW);
    }

    /// The keys remembered, the newest first, when turn number `turn` is the last one.
    pub(super) fn newest_first(&self, turn: u32) -> impl DoubleEndedIterator<Item = u64> {
        (0..self.len).map(move |back| self.keys[(turn as usize + WINDOW - back) % WINDOW])
    }
}
