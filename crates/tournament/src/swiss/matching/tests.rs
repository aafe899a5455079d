use rookery_rules::{Rng, Seed, below};

use super::*;
use crate::swiss::wide::{Digit, Digits};

/// The most that a matching of the vertices in this set can weigh.
fn most(n: usize, weights: &[Option<u64>], set: usize, known: &mut Vec<Option<u64>>) -> u64 {
    if set == 0 {
        return 0;
    }
    if let Some(most) = known[set] {
        return most;
    }
    let first = set.trailing_zeros() as usize;
    let rest = set & !(1 << first);
    let mut best = most(n, weights, rest, known);
    for v in (0..n).filter(|v| rest >> v & 1 == 1) {
        if let Some(weight) = weights[first * n + v] {
            best = best.max(weight + most(n, weights, rest & !(1 << v), known));
        }
    }
    known[set] = Some(best);
    best
}

fn random_graph(n: usize, rng: &mut Rng) -> Vec<Option<u64>> {
    let (density, largest) = (2 + below(rng, 8), 1 + below(rng, 12));
    let mut weights = vec![None; n * n];
    for u in 0..n {
        for v in u + 1..n {
            if below(rng, 10) < density {
                let weight = Some(u64::from(1 + below(rng, largest)));
                weights[u * n + v] = weight;
                weights[v * n + u] = weight;
            }
        }
    }
    weights
}

#[test]
fn as_heavy_as_the_best_of_all_matchings() {
    let mut digits = Digits::default();
    digits.push(1 << 40);
    for seed in 0..3000 {
        let rng = &mut Seed(seed).rng();
        let n = 1 + below(rng, 12) as usize;
        let weights = random_graph(n, rng);
        let mates =
            heaviest::<2>(n, |u, v| weights[u * n + v].map(|weight| digits.weight(&[Digit::Number(weight)])));
        let mut sum = 0;
        for (u, mate) in mates.iter().enumerate() {
            let Some(v) = *mate else { continue };
            assert_eq!(mates[v], Some(u), "seed {seed}");
            sum += weights[u * n + v].expect("matched along an edge");
        }
        let expected = most(n, &weights, (1 << n) - 1, &mut vec![None; 1 << n]);
        assert_eq!(sum, 2 * expected, "seed {seed}");
    }
}
