//! Symmetric matrices.

/// A square matrix, row by row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix {
    n: usize,
    cells: Vec<f64>,
}

/// A pivot that lost so many digits of its diagonal is nothing but rounding.
const SINGULAR: f64 = 1e-13;

impl Matrix {
    pub(crate) fn zero(n: usize) -> Self {
        Self { n, cells: vec![0.0; n * n] }
    }

    pub(crate) fn at(&self, row: usize, col: usize) -> f64 {
        self.cells[row * self.n + col]
    }

    pub(crate) fn add(&mut self, row: usize, col: usize, value: f64) {
        self.cells[row * self.n + col] += value;
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.n..(row + 1) * self.n]
    }

    /// Makes the row and the column of `idx` those of the diagonal matrix with `value`.
    pub(crate) fn isolate(&mut self, idx: usize, value: f64) {
        for other in 0..self.n {
            self.cells[idx * self.n + other] = 0.0;
            self.cells[other * self.n + idx] = 0.0;
        }
        self.cells[idx * self.n + idx] = value;
    }

    /// The lower triangle whose product with its transpose this is; `None` if there is none, or only by rounding.
    pub(crate) fn cholesky(&self) -> Option<Triangle> {
        let mut lower = Self::zero(self.n);
        for row in 0..self.n {
            for col in 0..=row {
                let value = self.at(row, col) - dot(&lower.row(row)[..col], &lower.row(col)[..col]);
                let cell = if row == col {
                    let pivot = value > SINGULAR * self.at(row, row);
                    if !pivot {
                        return None;
                    }
                    value.sqrt()
                } else {
                    value / lower.at(col, col)
                };
                lower.add(row, col, cell);
            }
        }
        Some(Triangle(lower))
    }

    /// `self * other * self`, all three symmetric. Who has met few opponents has few cells in `other`: what is empty
    /// there is left out, which changes no bit of a sum.
    pub(crate) fn around(&self, other: &Self) -> Self {
        let mut half = Self::zero(self.n);
        let mut filled = vec![];
        for col in 0..self.n {
            let sparse = other.row(col);
            let chunks = sparse.chunks_exact(LANES).enumerate();
            filled.clear();
            filled.extend(
                chunks.filter(|(_, chunk)| chunk.iter().any(|&cell| cell != 0.0)).map(|(idx, _)| idx),
            );
            for row in 0..self.n {
                half.add(row, col, dot_of(self.row(row), sparse, filled.iter().copied()));
            }
        }
        let mut whole = Self::zero(self.n);
        for row in 0..self.n {
            for col in 0..=row {
                whole.mirror(row, col, dot(half.row(row), self.row(col)));
            }
        }
        whole
    }

    /// Sets a cell and the one across the diagonal.
    fn mirror(&mut self, row: usize, col: usize, value: f64) {
        self.cells[row * self.n + col] = value;
        self.cells[col * self.n + row] = value;
    }

    /// The first `n` rows and columns, each value times `factor`.
    pub(crate) fn corner(&self, n: usize, factor: f64) -> Self {
        let cells = (0..n).flat_map(|row| self.row(row)[..n].iter().map(|cell| cell * factor)).collect();
        Self { n, cells }
    }

    pub(crate) fn sum(&self) -> f64 {
        self.cells.iter().sum()
    }
}

/// A lower triangle.
pub(crate) struct Triangle(Matrix);

impl Triangle {
    /// The x with `L Lᵀ x = right`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let lower = &self.0;
        let mut x = right.to_vec();
        for row in 0..lower.n {
            x[row] = (x[row] - dot(&lower.row(row)[..row], &x[..row])) / lower.at(row, row);
        }
        for row in (0..lower.n).rev() {
            x[row] /= lower.at(row, row);
            let (before, value) = (&lower.row(row)[..row], x[row]);
            for (x, cell) in x.iter_mut().zip(before) {
                *x -= cell * value;
            }
        }
        x
    }

    /// The inverse of `L Lᵀ`, column by column from the diagonal down: what is above it is known by symmetry.
    pub(crate) fn inverse(&self) -> Matrix {
        let lower = &self.0;
        let n = lower.n;
        let mut inverse = Matrix::zero(n);
        let mut x = vec![0.0; n];
        for first in 0..n {
            // Zeros stand before it; sums begin where their lanes do, so that they are those of whole rows.
            let from = first - first % LANES;
            x.fill(0.0);
            x[first] = 1.0 / lower.at(first, first);
            for row in first + 1..n {
                x[row] = -dot(&lower.row(row)[from..row], &x[from..row]) / lower.at(row, row);
            }
            for row in (first..n).rev() {
                x[row] /= lower.at(row, row);
                let (before, value) = (&lower.row(row)[first..row], x[row]);
                for (x, cell) in x[first..row].iter_mut().zip(before) {
                    *x -= cell * value;
                }
            }
            for (row, &value) in x.iter().enumerate().skip(first) {
                inverse.mirror(row, first, value);
            }
        }
        inverse
    }
}

/// How many sums run beside each other.
const LANES: usize = 4;

/// The sum of the products. Four sums beside each other, because one has to wait for each of its additions; always the
/// same four, so that the bits are the same everywhere.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    dot_of(a, b, 0..a.len() / LANES)
}

/// The same, of these chunks and what is left behind the last one.
fn dot_of(a: &[f64], b: &[f64], chunks: impl Iterator<Item = usize>) -> f64 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for idx in chunks {
        for lane in 0..LANES {
            sums[lane] += a[idx][lane] * b[idx][lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: [[f64; 3]; 3]) -> Matrix {
        Matrix { n: 3, cells: rows.concat() }
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = of([[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 5.0]]);
        let triangle = matrix.cholesky().unwrap();
        let inverse = triangle.inverse();
        for row in 0..3 {
            for col in 0..3 {
                let product = dot(matrix.row(row), inverse.row(col));
                assert!((product - f64::from(u8::from(row == col))).abs() < 1e-14);
            }
        }
        let around = inverse.around(&matrix);
        assert!(around.cells.iter().zip(&inverse.cells).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn what_has_no_inverse_has_no_triangle() {
        // A Laplacian: the sum of each row is 0.
        assert!(of([[0.3, -0.1, -0.2], [-0.1, 0.8, -0.7], [-0.2, -0.7, 0.9]]).cholesky().is_none());
        assert!(of([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).cholesky().is_none());
        assert!(of([[f64::NAN; 3]; 3]).cholesky().is_none());
    }
}
