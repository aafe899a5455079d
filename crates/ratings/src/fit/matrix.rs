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

    fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.cells[row * self.n..(row + 1) * self.n]
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

    /// `self * other * self`, all three symmetric.
    pub(crate) fn around(&self, other: &Self) -> Self {
        let mut half = Self::zero(self.n);
        for row in 0..self.n {
            for col in 0..self.n {
                half.add(row, col, dot(self.row(row), other.row(col)));
            }
        }
        let mut whole = Self::zero(self.n);
        for row in 0..self.n {
            for col in 0..self.n {
                whole.add(row, col, dot(half.row(row), self.row(col)));
            }
        }
        whole
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

    /// The inverse of `L Lᵀ`.
    pub(crate) fn inverse(&self) -> Matrix {
        let n = self.0.n;
        let mut inverse = Matrix::zero(n);
        let mut unit = vec![0.0; n];
        for row in 0..n {
            unit[row] = 1.0;
            inverse.row_mut(row).copy_from_slice(&self.solve(&unit));
            unit[row] = 0.0;
        }
        inverse
    }
}

/// The sum of the products. Four sums beside each other, because one has to wait for each of its additions; always the
/// same four, so that the bits are the same everywhere.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
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
