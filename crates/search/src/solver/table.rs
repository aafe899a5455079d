//! What has been found out about positions, shared by all threads.
//!
//! A code is scrambled by a function that can be undone, the low bits of the result choose a bucket, and the high bits
//! are stored. So nothing of the code is lost as long as [`TAG_BITS`] and the bits of the bucket's number together are
//! as many as the code has, and an entry that is found is the entry of that position and of no other.
//!
//! An entry is one word, read and written at once, so threads need no lock.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use rookery_rules::Worth;

/// Bits of the scrambled code that an entry holds.
const TAG_BITS: u32 = 44;
/// Bits for the work an entry has cost: half of its logarithm.
const WORK_BITS: u32 = 4;
/// Entries in a bucket; together one line of a processor's cache.
const WAYS: usize = 8;

/// Bounds on what a position is worth to the seat to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub(super) low: Worth,
    pub(super) high: Worth,
}

impl Bounds {
    pub(super) const NONE: Self = Self { low: Worth::LEAST, high: Worth::MOST };
}

#[repr(align(64))]
#[derive(Default, Debug)]
struct Bucket([AtomicU64; WAYS]);

/// Where a position belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    bucket: usize,
    tag: u64,
}

impl Slot {
    /// A number for the slot that is hardly ever that of another one, and not 0.
    #[inline]
    pub(super) const fn number(self) -> u64 {
        (self.tag << (64 - TAG_BITS)) ^ self.bucket as u64 | 1 << (63 - TAG_BITS)
    }
}

/// A table of a fixed size.
#[derive(Debug)]
pub(super) struct Table {
    buckets: Vec<Bucket>,
    code_bits: u32,
    /// The logarithm of the number of buckets.
    bucket_bits: u32,
    /// How many entries have found a place that was empty.
    used: AtomicU64,
}

impl Table {
    /// A table for codes of so many bits in at most so many bytes, and no larger than `wanted` where that loses nothing.
    pub(super) fn new(code_bits: u32, wanted: usize, limit: usize) -> Self {
        let bits = |bytes: usize| (bytes / size_of::<Bucket>()).max(1).ilog2();
        let needed = code_bits.saturating_sub(TAG_BITS);
        let bucket_bits = bits(wanted).max(needed).min(bits(limit)).max(1);
        let largest = (1..=bucket_bits).rev().find_map(|bits| Self::with_bits(code_bits, bits));
        largest.expect("there is memory for two buckets")
    }

    /// A table of so many buckets, as a logarithm; `None` where the system does not give the memory.
    fn with_bits(code_bits: u32, bucket_bits: u32) -> Option<Self> {
        let n_buckets = 1usize << bucket_bits;
        let mut buckets = vec![];
        buckets.try_reserve_exact(n_buckets).ok()?;
        buckets.extend((0..n_buckets).map(|_| Bucket::default()));
        Some(Self { buckets, code_bits, bucket_bits, used: AtomicU64::new(0) })
    }

    /// How many bits of a code are neither stored nor follow from the place.
    pub(super) fn lost_bits(&self) -> u32 {
        self.code_bits.saturating_sub(TAG_BITS + self.bucket_bits)
    }

    /// The bits of the codes it is for.
    pub(super) const fn code_bits(&self) -> u32 {
        self.code_bits
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// Entries it holds.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether so many places are taken that entries begin to displace each other.
    pub(super) fn is_crowded(&self) -> bool {
        self.used() > (self.buckets.len() * WAYS) as u64 * 5 / 8
    }

    #[inline]
    pub(super) fn slot(&self, code: u128) -> Slot {
        let scrambled = scramble(code, self.code_bits);
        let bucket = scrambled as usize & (self.buckets.len() - 1);
        Slot { bucket, tag: (scrambled >> self.bucket_bits) as u64 & ((1 << TAG_BITS) - 1) }
    }

    /// Reads a word of each of these places, so that all of them come from memory at the same time and not one after the
    /// other as they are asked for.
    #[inline]
    pub(super) fn touch(&self, slots: impl Iterator<Item = Slot>) {
        let read = slots.fold(0, |all, slot| all ^ self.buckets[slot.bucket].0[0].load(Ordering::Relaxed));
        std::hint::black_box(read);
    }

    #[inline]
    pub(super) fn get(&self, slot: Slot) -> Bounds {
        for word in &self.buckets[slot.bucket].0 {
            let word = word.load(Ordering::Relaxed);
            if word >> (64 - TAG_BITS) == slot.tag && word != 0 {
                return bounds(word);
            }
        }
        Bounds::NONE
    }

    /// Adds what is known about a position. In a full bucket the entry that cost least makes room.
    pub(super) fn put(&self, slot: Slot, new: Bounds, work: u64) {
        let work = u64::from((work.max(1).ilog2() / 2).min((1 << WORK_BITS) - 1));
        let bucket = &self.buckets[slot.bucket].0;
        let (mut victim, mut least) = (0, u64::MAX);
        for (way, entry) in bucket.iter().enumerate() {
            let old = entry.load(Ordering::Relaxed);
            if old == 0 {
                self.used.fetch_add(1, Ordering::Relaxed);
                victim = way;
                break;
            }
            if old >> (64 - TAG_BITS) == slot.tag {
                let known = bounds(old);
                let both = Bounds { low: known.low.max(new.low), high: known.high.min(new.high) };
                let work = work.max(work_of(old));
                entry.store(pack(slot.tag, both, work), Ordering::Relaxed);
                return;
            }
            if work_of(old) < least {
                (victim, least) = (way, work_of(old));
            }
        }
        bucket[victim].store(pack(slot.tag, new, work), Ordering::Relaxed);
    }

    /// The same entries in a table of so many bytes; `None` where the system does not give the memory.
    pub(super) fn grown(&self, bytes: usize) -> Option<Self> {
        let bucket_bits = (bytes / size_of::<Bucket>()).max(2).ilog2();
        let larger = Self::with_bits(self.code_bits, bucket_bits)?;
        for (idx, bucket) in self.buckets.iter().enumerate() {
            for word in &bucket.0 {
                let word = word.load(Ordering::Relaxed);
                if word == 0 {
                    continue;
                }
                let tag = u128::from(word >> (64 - TAG_BITS));
                let scrambled = tag << self.bucket_bits | idx as u128;
                let slot = Slot {
                    bucket: scrambled as usize & (larger.buckets.len() - 1),
                    tag: (scrambled >> larger.bucket_bits) as u64,
                };
                larger.put(slot, bounds(word), 1 << (2 * work_of(word)));
            }
        }
        Some(larger)
    }

    /// Writes the table; [`load`](Table::load) reads it.
    pub(super) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.bucket_bits.to_le_bytes())?;
        let mut check = first_checksum(self.bucket_bits);
        for bucket in &self.buckets {
            let mut bytes = [0; 8 * WAYS];
            for (chunk, word) in bytes.chunks_exact_mut(8).zip(&bucket.0) {
                let word = word.load(Ordering::Relaxed);
                check = checksum(check, word);
                chunk.copy_from_slice(&word.to_le_bytes());
            }
            out.write_all(&bytes)?;
        }
        out.write_all(&check.to_le_bytes())
    }

    /// Reads what [`save`](Table::save) wrote, if it fits the limit, nothing is damaged and nothing follows.
    pub(super) fn load(code_bits: u32, limit: usize, input: &mut dyn Read) -> io::Result<Self> {
        let bad = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
        let mut four = [0; 4];
        input.read_exact(&mut four)?;
        let bucket_bits = u32::from_le_bytes(four);
        let bytes = (bucket_bits <= 40).then(|| size_of::<Bucket>() << bucket_bits);
        let bytes = bytes.ok_or_else(|| bad("it claims an impossible size".to_owned()))?;
        if bytes > limit {
            return Err(bad(format!("its table takes {bytes} bytes and {limit} are allowed")));
        }
        let mut buckets = vec![];
        let (mut check, mut used) = (first_checksum(bucket_bits), 0);
        for _ in 0..1usize << bucket_bits {
            let mut line = [0; 8 * WAYS];
            input.read_exact(&mut line)?;
            let bucket = Bucket::default();
            for (word, chunk) in bucket.0.iter().zip(line.as_chunks::<8>().0) {
                let value = u64::from_le_bytes(*chunk);
                check = checksum(check, value);
                used += u64::from(value != 0);
                word.store(value, Ordering::Relaxed);
            }
            buckets.push(bucket);
        }
        let mut eight = [0; 8];
        input.read_exact(&mut eight)?;
        if u64::from_le_bytes(eight) != check {
            return Err(bad("its checksum is wrong".to_owned()));
        }
        if input.read(&mut four)? > 0 {
            return Err(bad("something follows behind the end of its table".to_owned()));
        }
        Ok(Self { buckets, code_bits, bucket_bits, used: AtomicU64::new(used) })
    }
}

/// Of the size alone. It is not 0, or empty buckets would not count.
fn first_checksum(bucket_bits: u32) -> u64 {
    checksum(1, bucket_bits.into())
}

fn checksum(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// An entry is never 0: its upper bound is not.
#[inline]
fn pack(tag: u64, bounds: Bounds, work: u64) -> u64 {
    let worths = u64::from(bounds.low.to_byte()) << 8 | u64::from(bounds.high.to_byte());
    tag << (64 - TAG_BITS) | work << 16 | worths
}

#[inline]
fn bounds(word: u64) -> Bounds {
    Bounds { low: Worth::from_byte((word >> 8) as u8), high: Worth::from_byte(word as u8) }
}

#[inline]
fn work_of(word: u64) -> u64 {
    word >> 16 & ((1 << WORK_BITS) - 1)
}

/// Multiplications by odd numbers and shifts to the right: within so many bits each can be undone, so different codes
/// stay different.
#[inline]
fn scramble(code: u128, bits: u32) -> u128 {
    if bits <= 64 {
        let mask = u64::MAX >> (64 - bits.max(2));
        let half = bits.max(2) / 2;
        let mut x = code as u64 & mask;
        x ^= x >> half;
        x = x.wrapping_mul(0x9fb2_1c65_1e98_df25) & mask;
        x ^= x >> half;
        x = x.wrapping_mul(0xd6e8_feb8_6659_fd93) & mask;
        return u128::from(x ^ x >> half);
    }
    let mask = u128::MAX >> (128 - bits);
    let half = bits / 2;
    let mut x = code & mask;
    x ^= x >> half;
    x = x.wrapping_mul(0x9fb2_1c65_1e98_df25_d6e8_feb8_6659_fd93) & mask;
    x ^= x >> half;
    x = x.wrapping_mul(0xda94_2042_e4dd_58b5_9e37_79b9_7f4a_7c15) & mask;
    x ^ x >> half
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn scrambling_keeps_codes_apart() {
        for bits in [2, 7, 13, 16] {
            let images: HashSet<u128> = (0..1 << bits).map(|code| scramble(code, bits)).collect();
            assert_eq!(images.len(), 1 << bits, "{bits} bits");
            assert!(images.iter().all(|image| image >> bits == 0), "{bits} bits");
        }
    }

    #[test]
    fn entries_survive_growth_and_files() {
        let table = Table::new(60, 1 << 16, 1 << 20);
        let worths = |code: u128| Bounds {
            low: Worth::loss((code % 50) as u32 + 1),
            high: Worth::win((code % 40) as u32 + 1),
        };
        let codes = || (0..1000).map(|n| n * 0x1234_5678_9abc);
        for code in codes() {
            table.put(table.slot(code), worths(code), 1);
        }
        let mut file = vec![];
        table.save(&mut file).unwrap();
        let loaded = Table::load(60, 1 << 20, &mut file.as_slice()).unwrap();
        let grown = table.grown(1 << 19).unwrap();
        for table in [&table, &loaded, &grown] {
            assert_eq!(table.lost_bits(), 60u32.saturating_sub(TAG_BITS + table.bucket_bits));
            let found = codes().filter(|&code| table.get(table.slot(code)) == worths(code)).count();
            assert!(found > 990, "{found} of 1000 are found");
        }
        *file.last_mut().unwrap() ^= 1;
        assert!(Table::load(60, 1 << 20, &mut file.as_slice()).is_err());
        assert!(Table::load(60, 1 << 10, &mut file.as_slice()).is_err());
    }

    #[test]
    fn a_file_of_another_size_is_refused() {
        let load = |file: &[u8]| Table::load(60, 1 << 20, &mut &file[..]);
        // In an empty table nothing but the size tells a shorter file from a whole one.
        let mut file = vec![];
        Table::new(60, 1 << 12, 1 << 20).save(&mut file).unwrap();
        let bucket_bits = load(&file).unwrap().bucket_bits;
        let longer = [&file[..], b"\0"].concat();
        assert_eq!(load(&longer).unwrap_err().to_string(), "something follows behind the end of its table");
        let n_bytes = (file.len() - 12) / 2;
        let mut shorter = file.clone();
        shorter.drain(4..4 + n_bytes);
        shorter[..4].copy_from_slice(&(bucket_bits - 1).to_le_bytes());
        assert_eq!(load(&shorter).unwrap_err().to_string(), "its checksum is wrong");
    }
}
