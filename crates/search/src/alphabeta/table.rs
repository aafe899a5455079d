//! Positions that a search has seen.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use rookery_rules::mix;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) value: i32,
    pub(super) depth: u32,
    pub(super) bound: Bound,
    /// The [`mark`] of the best move.
    pub(super) mark: u32,
}

/// The bits of a mark.
const MARK_BITS: u32 = 20;
/// The largest depth that an entry can have.
const MAX_DEPTH: u32 = (1 << 10) - 1;

impl Entry {
    /// 32 bits of value, 20 of mark, 10 of depth, 2 of bound; never 0, which is an empty slot.
    const fn pack(self) -> u64 {
        let bound = match self.bound {
            Bound::Exact => 1,
            Bound::AtLeast => 2,
            Bound::AtMost => 3,
        };
        let depth = if self.depth < MAX_DEPTH { self.depth } else { MAX_DEPTH };
        (self.value as u32 as u64) << 32 | (self.mark as u64) << 12 | (depth as u64) << 2 | bound
    }

    const fn unpack(data: u64) -> Option<Self> {
        let bound = match data & 3 {
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            3 => Bound::AtMost,
            _ => return None,
        };
        Some(Self {
            value: (data >> 32) as u32 as i32,
            depth: (data >> 2) as u32 & MAX_DEPTH,
            bound,
            mark: (data >> 12) as u32 & ((1 << MARK_BITS) - 1),
        })
    }
}

/// The key, combined with the entry: if two threads write at the same time, neither key fits what is left, and the slot
/// counts as empty.
#[derive(Default, Debug)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// Positions seen, by key, for all threads of a search. A new position takes the place of an old one.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    /// Mixed into the keys, so that a new search finds nothing of the last one.
    salt: u64,
}

impl Table {
    pub(super) fn new(bytes: usize) -> Self {
        let n_slots = (bytes / size_of::<Slot>()).max(1024).next_power_of_two() / 2;
        Self { slots: (0..n_slots).map(|_| Slot::default()).collect(), salt: 0 }
    }

    /// Forgets everything: values of another setup, another seat or another cap on turns are not values here.
    pub(super) fn forget(&mut self) {
        self.salt = mix(self.salt);
    }

    fn slot(&self, key: u64) -> &Slot {
        &self.slots[key as usize & (self.slots.len() - 1)]
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let key = key ^ self.salt;
        let slot = self.slot(key);
        let data = slot.data.load(Ordering::Relaxed);
        (slot.check.load(Ordering::Relaxed) ^ data == key).then(|| Entry::unpack(data)).flatten()
    }

    pub(super) fn put(&self, key: u64, entry: Entry) {
        if self.get(key).is_some_and(|old| old.depth > entry.depth) {
            return;
        }
        let key = key ^ self.salt;
        let (slot, data) = (self.slot(key), entry.pack());
        slot.data.store(data, Ordering::Relaxed);
        slot.check.store(key ^ data, Ordering::Relaxed);
    }
}

/// A number for a move, the same in every run. Two moves may have the same; then one is tried too early, no more.
pub fn mark(mv: impl Hash) -> u32 {
    const PRIME: u64 = 0x0100_0000_01b3;

    struct Fold(u64);
    impl Hasher for Fold {
        fn write(&mut self, bytes: &[u8]) {
            for &byte in bytes {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
            }
        }
        /// Which variant of an enum it is comes as a word that is nearly all zeros: these are folded at once. A search marks
        /// every move that it lists.
        fn write_isize(&mut self, variant: isize) {
            match u8::try_from(variant) {
                Ok(byte) => self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME.wrapping_pow(8)),
                Err(_) => self.write(&(variant as i64).to_le_bytes()),
            }
        }
        fn finish(&self) -> u64 {
            self.0
        }
    }
    let mut fold = Fold(0xcbf2_9ce4_8422_2325);
    mv.hash(&mut fold);
    (mix(fold.finish()) >> (64 - MARK_BITS)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were_until_all_is_forgotten() {
        let mut table = Table::new(1 << 12);
        for (key, value, depth, bound) in [
            (1, -2_000_000, 0, Bound::Exact),
            (2, 2_000_000, 256, Bound::AtLeast),
            (0xffff_ffff_0000_0003, -1, 64, Bound::AtMost),
        ] {
            let entry = Entry { value, depth, bound, mark: mark(key) };
            table.put(key, entry);
            assert_eq!(table.get(key), Some(entry));
            // What a shallower search finds does not take its place.
            table.put(key, Entry { depth: depth.saturating_sub(1), value: 7, ..entry });
            assert_eq!(table.get(key).map(|entry| entry.value), Some(if depth == 0 { 7 } else { value }));
        }
        assert_eq!(table.get(9), None);
        table.forget();
        assert_eq!(table.get(1), None);
    }

    /// Levels overlook moves by their marks, so these stay as they are.
    #[test]
    fn a_mark_is_that_of_all_bytes_one_by_one() {
        #[derive(Hash)]
        enum Either {
            One(u8, u8),
            Other(u16),
        }
        let by_bytes = |bytes: &[u8]| {
            let fold = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            (mix(bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold)) >> (64 - MARK_BITS)) as u32
        };
        assert_eq!(mark(Either::One(3, 4)), by_bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 3, 4]));
        assert_eq!(mark(Either::Other(7)), by_bytes(&[1, 0, 0, 0, 0, 0, 0, 0, 7, 0]));
        assert_eq!(mark(-2_isize), by_bytes(&[254, 255, 255, 255, 255, 255, 255, 255]));
    }

    #[test]
    fn a_slot_that_two_threads_wrote_is_empty() {
        let table = Table::new(1 << 12);
        let entry = Entry { value: 5, depth: 3, bound: Bound::Exact, mark: 1 };
        table.put(4, entry);
        table.slot(4).data.store(Entry { value: 6, ..entry }.pack(), Ordering::Relaxed);
        assert_eq!(table.get(4), None);
    }
}
