//! Functions whose bits are the same on every system.

use std::f64::consts::{FRAC_1_SQRT_2, LN_10};

/// A normal variable is within so many standard deviations of its mean with 95 % certainty.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Elo points in one natural unit (nat) of strength: a factor of e in the odds.
pub(crate) const ELO_PER_NAT: f64 = 400.0 / LN_10;

/// The share of a normal distribution below `z`.
pub(crate) fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// 1/(1 + e^-x), without overflow.
pub(crate) fn sigmoid(x: f64) -> f64 {
    let small = libm::exp(-x.abs());
    if x >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) }
}

/// The logarithm of [`sigmoid`], also where that is 0.
pub(crate) fn log_sigmoid(x: f64) -> f64 {
    x.min(0.0) - libm::log1p(libm::exp(-x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_at_known_points() {
        for (z, share) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (Z95, 0.975),
            (-3.0, 0.001_349_898_031_630_094_6),
            (-10.0, 7.619_853_024_160_525e-24),
        ] {
            let found = normal(z);
            assert!((found / share - 1.0).abs() < 1e-12, "{found} at {z}");
        }
        assert!((normal(9.0) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn sigmoids_far_out() {
        assert!((log_sigmoid(-800.0) + 800.0).abs() < 1e-9);
        assert!(log_sigmoid(800.0).abs() < 1e-300);
        for x in [-30.0, -1.0, 0.0, 0.3, 20.0] {
            assert!((libm::log(sigmoid(x)) - log_sigmoid(x)).abs() < 1e-12);
            assert!((sigmoid(x) + sigmoid(-x) - 1.0).abs() < 1e-15);
        }
    }
}
