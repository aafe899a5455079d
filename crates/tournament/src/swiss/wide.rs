//! Whole numbers of many bits, for weights whose digits are criteria.

use std::cmp::Ordering;

/// A whole number in `N` words, the lowest first, as a two's complement. Nothing here overflows: weights leave room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    pub(super) const ZERO: Self = Self([0; N]);

    pub(super) fn plus(mut self, other: &Self) -> Self {
        let mut carry = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            let (sum, one) = word.overflowing_add(more);
            let (sum, two) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, one || two);
        }
        self
    }

    pub(super) fn minus(mut self, other: &Self) -> Self {
        let mut borrow = false;
        for (word, &less) in self.0.iter_mut().zip(&other.0) {
            let (rest, one) = word.overflowing_sub(less);
            let (rest, two) = rest.overflowing_sub(u64::from(borrow));
            (*word, borrow) = (rest, one || two);
        }
        self
    }

    /// Two numbers less a third one.
    #[inline]
    pub(super) fn sum_less(one: &Self, other: &Self, less: &Self) -> Self {
        let mut wide = Self::ZERO;
        let mut carry = 0_i128;
        for idx in 0..N {
            let word = i128::from(one.0[idx]) + i128::from(other.0[idx]) - i128::from(less.0[idx]) + carry;
            wide.0[idx] = word as u64;
            carry = word >> 64;
        }
        wide
    }

    pub(super) fn doubled(self) -> Self {
        self.plus(&self)
    }

    /// Half of an even number that is not negative.
    pub(super) fn halved(mut self) -> Self {
        let mut high = 0;
        for word in self.0.iter_mut().rev() {
            let low = *word & 1;
            *word = *word >> 1 | high << 63;
            high = low;
        }
        self
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

impl<const N: usize> Ord for Wide<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (high, its_high) = (self.0[N - 1] as i64, other.0[N - 1] as i64);
        if high != its_high {
            return high.cmp(&its_high);
        }
        let differs = (0..N).rev().find(|&idx| self.0[idx] != other.0[idx]);
        differs.map_or(Ordering::Equal, |idx| self.0[idx].cmp(&other.0[idx]))
    }
}

impl<const N: usize> PartialOrd for Wide<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Bits above a weight: it is taken four times, summed and subtracted, and has a sign.
const ROOM: usize = 8;

/// The digits of weights, the most significant first. Each has as many bits as its sum over a whole matching needs, so
/// that the sums of weights compare as the lists of the sums of their digits.
#[derive(Clone, Default, Debug)]
pub(super) struct Digits {
    bits: Vec<usize>,
}

/// The value of a digit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Digit {
    Number(u64),
    /// Ones from one bit up to before another.
    Ones(usize, usize),
}

impl Digits {
    /// One more digit, below all others, whose sum is at most so much.
    pub(super) fn push(&mut self, most: u64) {
        self.push_bits((64 - most.leading_zeros()) as usize);
    }

    /// One more digit, below all others, of so many bits.
    pub(super) fn push_bits(&mut self, bits: usize) {
        self.bits.push(bits);
    }

    pub(super) fn len(&self) -> usize {
        self.bits.len()
    }

    /// The words of a number that has room for the sums and differences of a few weights.
    pub(super) fn n_words(&self) -> usize {
        (self.bits.iter().sum::<usize>() + ROOM) / 64 + 1
    }

    /// The number that has these digits.
    pub(super) fn weight<const N: usize>(&self, values: &[Digit]) -> Wide<N> {
        let mut wide = Wide::ZERO;
        let mut at = 0;
        for (&bits, &value) in self.bits.iter().zip(values).rev() {
            match value {
                Digit::Number(number) => {
                    let (word, shift) = (at / 64, at % 64);
                    wide.0[word] |= number << shift;
                    if shift > 0 && number >> (64 - shift) > 0 {
                        wide.0[word + 1] |= number >> (64 - shift);
                    }
                }
                Digit::Ones(from, to) => {
                    (at + from..at + to).for_each(|bit| wide.0[bit / 64] |= 1 << (bit % 64));
                }
            }
            at += bits;
        }
        wide
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_as_numbers_of_128_bits_do() {
        let of = |value: i128| Wide::<2>([value as u64, (value >> 64) as u64]);
        let some = [0, 1, 2, 7, 1 << 63, 1 << 64, (1 << 64) + 1, (1 << 90) - 1, 3 << 100];
        for one in some {
            for other in some {
                assert_eq!(of(one).plus(&of(other)), of(one + other));
                assert_eq!(of(one).minus(&of(other)), of(one - other));
                assert_eq!(Wide::sum_less(&of(one), &of(other), &of(7)), of(one + other - 7));
                assert_eq!(of(one).cmp(&of(other)), one.cmp(&other));
                assert_eq!(of(one - other).cmp(&of(other - one)), (one - other).cmp(&(other - one)));
            }
            assert_eq!(of(one).doubled(), of(2 * one));
            assert_eq!(of(2 * one).halved(), of(one));
        }
    }

    #[test]
    fn weights_compare_as_their_digits_do() {
        let mut digits = Digits::default();
        for most in [5, 1, 1000, 0, 1 << 40, 3, 1 << 40] {
            digits.push(most);
        }
        let weight = |values: [u64; 7]| digits.weight::<4>(&values.map(Digit::Number));
        assert!(weight([1, 1, 1000, 0, 1 << 40, 3, 1 << 40]) < weight([2, 0, 0, 0, 0, 0, 0]));
        assert_eq!(weight([1, 0, 3, 0, 5, 0, 1]).doubled(), weight([2, 0, 6, 0, 10, 0, 2]));
        let mut digits = Digits::default();
        digits.push_bits(70);
        digits.push(1);
        let one = [Digit::Number(1), Digit::Number(0)];
        let [low, high] = [[Digit::Ones(65, 66), one[1]], [Digit::Ones(0, 65), one[0]]];
        assert!(digits.weight::<3>(&low) > digits.weight(&high));
        assert!(digits.weight::<3>(&low).minus(&digits.weight(&high)) < digits.weight(&[one[0], one[1]]));
    }
}
