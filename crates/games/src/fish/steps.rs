//! The neighbours of many cells at once.

/// What it takes to find the neighbours of many cells with a few shifts.
pub(super) struct Steps {
    cols: u32,
    /// All cells of the board.
    all: u64,
    /// The cells of odd rows, which lie half a cell to the right, but for the last column.
    odd: u64,
    /// The cells of even rows but for the first column.
    even: u64,
}

impl Steps {
    /// `None` where a step is too wide for the word.
    pub(super) fn new(rows: u8, cols: u8) -> Option<Self> {
        let n_cells = u32::from(rows) * u32::from(cols);
        if n_cells > 64 || 2 * cols >= 64 {
            return None;
        }
        let mut steps = Self { cols: cols.into(), all: u64::MAX >> (64 - n_cells), odd: 0, even: 0 };
        for bit in 0..n_cells {
            let (row, col) = (bit / u32::from(cols), bit % u32::from(cols));
            if row % 2 == 1 && col + 1 < cols.into() {
                steps.odd |= 1 << bit;
            }
            if row % 2 == 0 && col > 0 {
                steps.even |= 1 << bit;
            }
        }
        Some(steps)
    }

    /// The cells next to any of these.
    #[inline]
    pub(super) const fn around(&self, cells: u64) -> u64 {
        let (cols, odd, even) = (self.cols, cells & self.odd, cells & self.even);
        let straight = cells << (2 * cols) | cells >> (2 * cols) | cells << cols | cells >> cols;
        let right = odd << (cols + 1) | odd >> (cols - 1);
        let left = even << (cols - 1) | even >> (cols + 1);
        (straight | right | left) & self.all
    }
}

#[cfg(test)]
mod tests {
    use rookery_rules::{Rng, Seed, below};

    use crate::fish::shape::{Shape, bits};

    fn random_set(rng: &mut Rng, n_cells: u32) -> u128 {
        (0..n_cells).filter(|_| below(rng, 3) == 0).fold(0, |set, bit| set | 1 << bit)
    }

    #[test]
    fn a_set_steps_to_the_neighbours_of_each_of_its_cells() {
        let mut rng = Seed(1).rng();
        for rows in 1..=16u8 {
            for cols in (1..=64u8).filter(|&cols| u32::from(rows) * u32::from(cols) <= 128) {
                let shape = Shape::of(rows, cols);
                for _ in 0..20 {
                    let cells = random_set(&mut rng, u32::from(rows) * u32::from(cols));
                    let around = bits(cells).fold(0, |around, bit| around | shape.near(bit));
                    assert_eq!(shape.around(cells), around, "{rows} x {cols}: {cells:b}");
                }
            }
        }
    }
}
