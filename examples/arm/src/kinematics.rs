//! The place of the hand when the joints have some angles, and the other way round.

/// The length of the upper arm and of the forearm, in metres.
pub const LENGTH: f64 = 0.3;

/// Returns where the elbow is: forward and up from the shoulder.
#[must_use]
pub fn elbow([shoulder, _]: [f64; 2]) -> [f64; 2] {
    [LENGTH * shoulder.cos(), LENGTH * shoulder.sin()]
}

/// Returns where the hand is: forward and up from the shoulder.
#[must_use]
pub fn hand(angles: [f64; 2]) -> [f64; 2] {
    let [x, z] = elbow(angles);
    let forearm = angles[0] + angles[1];
    [x + LENGTH * forearm.cos(), z + LENGTH * forearm.sin()]
}

/// Returns the angles at which the hand is there, with the elbow up; none if it is out of reach.
#[must_use]
pub fn angles([x, z]: [f64; 2]) -> Option<[f64; 2]> {
    let cos = (x * x + z * z) / (2.0 * LENGTH * LENGTH) - 1.0;
    let elbow = -cos.acos(); // not a number if there is no such angle
    let shoulder = z.atan2(x) - elbow / 2.0;
    elbow.is_finite().then_some([shoulder, elbow])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_gets_where_it_is_wanted() {
        for wanted in [[0.4, -0.1], [0.2, 0.3], [-0.3, 0.2], [0.599, 0.0]] {
            let [x, z] = hand(angles(wanted).unwrap());
            assert!((x - wanted[0]).hypot(z - wanted[1]) < 1e-9, "({x}, {z})");
        }
    }

    #[test]
    fn the_elbow_is_above_the_line_to_the_hand() {
        assert!(elbow(angles([0.4, 0.0]).unwrap())[1] > 0.1);
    }

    #[test]
    fn what_is_too_far_away_is_out_of_reach() {
        assert_eq!(angles([0.5, 0.4]), None);
    }
}
