//! Randomness that replays: every random choice comes from a [`Seed`] given from outside.

use rand_core::{Rng as _, SeedableRng};

use crate::Position;

/// The generator used everywhere: xoshiro256++, whose output is specified, so a seed replays on any machine.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// Where randomness comes from. Seeds for parts (a game of a match, a seat of a game) are derived from the seed
/// of the whole, so the parts do not depend on the order in which they run.
///
/// ```
/// use rookery_rules::Seed;
/// let tournament = Seed(7);
/// assert_ne!(tournament.derive(0), tournament.derive(1));
/// assert_eq!(tournament.derive(3).derive(1), Seed(7).derive(3).derive(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of part number `part`.
    #[must_use]
    pub const fn derive(self, part: u64) -> Self {
        Self(mix(self.0 ^ mix(part.wrapping_add(0x5eed))))
    }

    /// The whole of which this is part number `part`.
    ///
    /// ```
    /// # use rookery_rules::Seed;
    /// assert_eq!(Seed(7).derive(3).whole(3), Seed(7));
    /// ```
    #[must_use]
    pub const fn whole(self, part: u64) -> Self {
        Self(unmix(self.0) ^ mix(part.wrapping_add(0x5eed)))
    }

    /// A generator that starts here.
    pub fn rng(self) -> Rng {
        Rng::seed_from_u64(self.0)
    }
}

/// Scrambles 64 bits so that equal inputs give equal, and different inputs unrelated, outputs (the finaliser of
/// splitmix64). Used for derived seeds and for the tables of position keys.
#[inline]
pub const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The value that [`mix`] made this of: each step backwards, with the inverses of its factors.
const fn unmix(mixed: u64) -> u64 {
    let mut z = mixed ^ (mixed >> 31) ^ (mixed >> 62);
    z = z.wrapping_mul(0x3196_42b2_d24d_8ec3);
    z = z ^ (z >> 27) ^ (z >> 54);
    z = z.wrapping_mul(0x96de_1b17_3f11_9089);
    z = z ^ (z >> 30) ^ (z >> 60);
    z.wrapping_sub(0x9e37_79b9_7f4a_7c15)
}

/// A number below `n`, by one multiplication. The bias is below `n / 2^32`: nothing a game can notice.
///
/// ```
/// use rookery_rules::{Seed, below};
/// let mut rng = Seed(1).rng();
/// assert!((0..100).all(|_| below(&mut rng, 6) < 6));
/// ```
#[inline]
pub fn below(rng: &mut Rng, n: u32) -> u32 {
    debug_assert!(n > 0, "there is no number below zero");
    let high = rng.next_u64() >> 32;
    ((high * u64::from(n)) >> 32) as u32
}

/// Plays random moves until the game is over, and says how many.
#[inline]
pub fn playout<P: Position>(position: &mut P, rng: &mut Rng) -> u32 {
    let mut plies = 0;
    while let Some(mv) = position.random_move(rng) {
        position.play_unchecked(mv);
        plies += 1;
    }
    plies
}
