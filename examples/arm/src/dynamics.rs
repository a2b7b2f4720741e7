//! The movement of the arm under torques: two rods that turn in a plane, under gravity (Spong,
//! Hutchinson, Vidyasagar: Robot Modeling and Control, 2006, section 7.4).

use crate::kinematics::LENGTH;

/// The mass of the upper arm and of the forearm, in kg.
const MASS: f64 = 1.0;
/// In m/s².
const GRAVITY: f64 = 9.81;
/// The moment of inertia of a rod around its middle, in kg m².
const INERTIA: f64 = MASS * LENGTH * LENGTH / 12.0;
/// The distance of that from its joint.
const MIDDLE: f64 = LENGTH / 2.0;

/// Returns the torques that give the joints these accelerations.
#[must_use]
pub fn torques(angles: [f64; 2], rates: [f64; 2], accelerations: [f64; 2]) -> [f64; 2] {
    let [[shoulder, both], [_, elbow]] = inertia(angles);
    let bias = bias(angles, rates);
    let [one, other] = accelerations;
    [shoulder * one + both * other + bias[0], both * one + elbow * other + bias[1]]
}

/// Returns the accelerations of the joints under these torques.
#[must_use]
pub fn accelerations(angles: [f64; 2], rates: [f64; 2], torques: [f64; 2]) -> [f64; 2] {
    let [[shoulder, both], [_, elbow]] = inertia(angles);
    let bias = bias(angles, rates);
    let [one, other] = [torques[0] - bias[0], torques[1] - bias[1]];
    let determinant = shoulder * elbow - both * both;
    [(elbow * one - both * other) / determinant, (shoulder * other - both * one) / determinant]
}

/// The matrix of inertia.
fn inertia([_, elbow]: [f64; 2]) -> [[f64; 2]; 2] {
    let forearm = INERTIA + MASS * MIDDLE * MIDDLE;
    let between = MASS * LENGTH * MIDDLE * elbow.cos();
    let both = forearm + between;
    [[forearm + both + between + MASS * LENGTH * LENGTH, both], [both, forearm]]
}

/// The torques that gravity and the movement itself ask for.
fn bias([shoulder, elbow]: [f64; 2], [shoulder_rate, elbow_rate]: [f64; 2]) -> [f64; 2] {
    let between = MASS * LENGTH * MIDDLE * elbow.sin();
    let forearm = MASS * GRAVITY * MIDDLE * (shoulder + elbow).cos();
    let upper_arm = MASS * GRAVITY * (MIDDLE + LENGTH) * shoulder.cos();
    [
        upper_arm + forearm - between * elbow_rate * (2.0 * shoulder_rate + elbow_rate),
        forearm + between * shoulder_rate * shoulder_rate,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy(angles: [f64; 2], rates: [f64; 2]) -> f64 {
        let [[shoulder, both], [_, elbow]] = inertia(angles);
        let [one, other] = rates;
        let height = (MIDDLE + LENGTH) * angles[0].sin() + MIDDLE * (angles[0] + angles[1]).sin();
        (shoulder * one * one + elbow * other * other) / 2.0 + both * one * other + MASS * GRAVITY * height
    }

    #[test]
    fn an_arm_that_falls_keeps_its_energy() {
        const STEP: f64 = 1e-5;
        let (mut angles, mut rates) = ([0.3, -0.8], [0.0, 0.0]);
        let begin = energy(angles, rates);
        for _ in 0..100_000 {
            let change = accelerations(angles, rates, [0.0; 2]);
            for joint in 0..2 {
                rates[joint] += change[joint] * STEP;
                angles[joint] += rates[joint] * STEP;
            }
        }
        assert!(rates[0].abs() > 0.5, "it moves: {rates:?}");
        assert!((energy(angles, rates) - begin).abs() < 0.01, "{begin} J, then {} J", energy(angles, rates));
    }

    #[test]
    fn torques_and_accelerations_belong_together() {
        let (angles, rates, wanted) = ([0.4, -1.2], [1.0, -2.0], [3.0, -5.0]);
        let found = accelerations(angles, rates, torques(angles, rates, wanted));
        assert!((found[0] - wanted[0]).abs() < 1e-9 && (found[1] - wanted[1]).abs() < 1e-9, "{found:?}");
    }
}
