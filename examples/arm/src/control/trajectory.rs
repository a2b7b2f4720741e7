use hemiola::prelude::*;

use crate::representations::{Goal, JointAngles, Reference};

#[derive(Parameters)]
struct TrajectoryParameters {
    /// The highest speed of a joint.
    #[parameter(default = 2.0, range = 0.1..=6.0, unit = "rad/s")]
    speed: f64,
}

/// Moves the joints from goal to goal with the least jerk (Flash, Hogan 1985), from rest to rest.
#[derive(Module)]
struct Trajectory {
    #[parameters]
    parameters: TrajectoryParameters,
    movement: Option<Movement>,
}

/// A movement of both joints at once.
#[derive(Data, Clone, Copy, Default)]
struct Movement {
    goal: u32,
    from: [f64; 2],
    to: [f64; 2],
    begin: Time,
    seconds: f64,
}

#[module]
impl Trajectory {
    #[update]
    fn reference(
        &mut self,
        goal: &Goal,
        joints: &JointAngles,
        last: Previous<Reference>,
        safe: &SafeState,
        clock: &Clock,
        reference: &mut Reference,
    ) {
        if safe.is_active() {
            self.movement = None; // the brake holds the arm; from there it goes on
        }
        match &self.movement {
            _ if safe.is_active() || goal.number == 0 => reference.angles = joints.angles,
            Some(movement) if movement.goal == goal.number => movement.reference(clock.now(), reference),
            movement => {
                let from = if movement.is_some() { last.angles } else { joints.angles };
                let movement = self.movement.insert(Movement::new(goal, from, clock.now(), self.parameters.speed));
                movement.reference(clock.now(), reference);
            }
        }
    }
}

impl Movement {
    fn new(goal: &Goal, from: [f64; 2], begin: Time, speed: f64) -> Self {
        let way = [0, 1].map(|joint| (goal.angles[joint] - from[joint]).abs());
        // In its middle it is faster than in the mean, by 15/8.
        let seconds = (1.875 * way[0].max(way[1]) / speed).max(0.1);
        Self { goal: goal.number, from, to: goal.angles, begin, seconds }
    }

    fn reference(&self, now: Time, reference: &mut Reference) {
        let share = (now.since(self.begin).as_secs_f64() / self.seconds).min(1.0);
        let [way, rate, acceleration] = [
            share.powi(3) * (10.0 - 15.0 * share + 6.0 * share * share),
            30.0 * (share * (1.0 - share)).powi(2) / self.seconds,
            60.0 * share * (1.0 - share) * (1.0 - 2.0 * share) / self.seconds.powi(2),
        ];
        for joint in 0..2 {
            let whole = self.to[joint] - self.from[joint];
            reference.angles[joint] = self.from[joint] + whole * way;
            reference.rates[joint] = whole * rate;
            reference.accelerations[joint] = whole * acceleration;
        }
        reference.goal = self.goal;
        reference.is_over = share >= 1.0;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(movement: &Movement, milliseconds: u64) -> Reference {
        let mut reference = Reference::default();
        movement.reference(Time::ZERO + Duration::from_millis(milliseconds), &mut reference);
        reference
    }

    #[test]
    fn a_movement_begins_and_ends_at_rest_and_is_never_too_fast() {
        let goal = Goal { number: 3, angles: [1.0, -0.5] };
        let movement = Movement::new(&goal, [0.2, 0.1], Time::ZERO, 2.0);
        let end = (movement.seconds * 1e3).ceil() as u64;
        for (moment, angles) in [(0, [0.2, 0.1]), (end, [1.0, -0.5])] {
            let reference = at(&movement, moment);
            assert_eq!((reference.angles, reference.is_over), (angles, moment > 0));
            assert_eq!(reference.rates, [0.0; 2]);
        }
        for moment in 1..end {
            let (before, reference, after) =
                (at(&movement, moment - 1), at(&movement, moment), at(&movement, moment + 1));
            assert!(reference.rates.iter().all(|rate| rate.abs() <= 2.0 + 1e-9), "{:?}", reference.rates);
            // Rates and accelerations are those of the angles.
            let rate = (after.angles[0] - before.angles[0]) / 0.002;
            let acceleration = (after.rates[0] - before.rates[0]) / 0.002;
            if moment + 1 < end {
                assert!((rate - reference.rates[0]).abs() < 1e-3, "{rate}");
                assert!((acceleration - reference.accelerations[0]).abs() < 0.1, "{acceleration}");
            }
        }
    }
}
