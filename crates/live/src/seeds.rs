//! Seeds that nobody can guess, and what everybody may see of them.

use rookery_rules::Seed;
use sha2::{Digest as _, Sha256};

/// A seed that nobody can guess, for matches where somebody else's program sits: whoever guesses the seed of a match knows
/// what the computers play, and the seeds of the other seats. It has 53 bits,
/// which every reader of JSON keeps, and which nobody tries out while a match lasts.
pub fn drawn_seed() -> Seed {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    Seed(u64::from_ne_bytes(bytes) >> 11)
}

/// The seed of a board by chance, where `usual` would be that of a match or series with the seed `whole`. Everybody sees the
/// board and its number, so nothing else may follow from it. A seed that somebody typed can be guessed anyway, and keeps
/// the boards that it always had.
pub fn board_seed(whole: Seed, usual: Seed) -> Seed {
    if u32::try_from(whole.0).is_ok() {
        return usual;
    }
    let digest = Sha256::new().chain_update(b"rookery board").chain_update(usual.0.to_le_bytes()).finalize();
    Seed(u64::from_le_bytes(std::array::from_fn(|idx| digest[idx])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_seeds_differ_and_are_no_small_numbers() {
        let drawn: Vec<Seed> = (0..8).map(|_| drawn_seed()).collect();
        for (idx, seed) in drawn.iter().enumerate() {
            assert!(!drawn[..idx].contains(seed), "{drawn:?}");
            assert!(seed.0 < 1 << 53, "{seed:?}");
        }
        assert!(drawn.iter().any(|seed| seed.0 > u64::from(u32::MAX)), "{drawn:?}");
    }

    #[test]
    fn a_board_tells_nothing_of_a_seed_that_was_drawn() {
        let (typed, drawn) = (Seed(7), Seed(0x1234_5678_9abc_def0));
        assert_eq!(board_seed(typed, typed.derive(3)), typed.derive(3));
        assert_eq!(board_seed(drawn, drawn), board_seed(drawn, drawn), "the same board each time");
        for usual in [drawn, drawn.derive(3)] {
            assert_ne!(board_seed(drawn, usual).0 % 1_000_000, usual.0 % 1_000_000);
        }
    }
}
