//! The arithmetic of an extended Kalman filter (Thrun, Burgard, Fox: Probabilistic Robotics, 2005,
//! section 3.3) with scalar measurements, so that no matrix has to be inverted.

use hemiola::prelude::*;

/// The number of variables.
pub const N: usize = 6;
/// One number per variable.
pub type Vector = [f64; N];
/// One number per pair of variables, row by row.
pub type Matrix = [[f64; N]; N];

/// The belief about the variables: a normal distribution.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Belief {
    /// Their mean.
    pub mean: Vector,
    /// Their covariance.
    pub covariance: Matrix,
}

impl Belief {
    /// Replaces a variable with one that is not correlated with the others.
    pub fn forget(&mut self, variable: usize, mean: f64) {
        self.mean[variable] = mean;
        for other in 0..N {
            self.covariance[variable][other] = 0.0;
            self.covariance[other][variable] = 0.0;
        }
    }

    /// Predicts a step to `mean`, whose derivative with respect to the variables is `jacobian`.
    pub fn step(&mut self, mean: Vector, jacobian: &Matrix) {
        self.mean = mean;
        self.covariance = product(&product(jacobian, &self.covariance), &transposed(jacobian));
    }

    /// Updates the belief with a measurement that differs from the expected one by `innovation`,
    /// has `variance`, and depends on the variables by `gradient`.
    pub fn correct(&mut self, gradient: &Vector, innovation: f64, variance: f64) {
        let shared: Vector = std::array::from_fn(|row| dot(&self.covariance[row], gradient));
        let total = dot(&shared, gradient) + variance;
        for row in 0..N {
            let gain = shared[row] / total;
            self.mean[row] += gain * innovation;
            for (covariance, shared) in self.covariance[row].iter_mut().zip(&shared) {
                *covariance -= gain * shared;
            }
        }
    }
}

fn dot(left: &Vector, right: &Vector) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn transposed(matrix: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[column][row]))
}

fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let right = transposed(right);
    std::array::from_fn(|row| std::array::from_fn(|column| dot(&left[row], &right[column])))
}
