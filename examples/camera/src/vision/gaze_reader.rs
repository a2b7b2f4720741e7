use hemiola::prelude::*;

use crate::geometry::Direction;
use crate::representations::{Exposure, HeadAngles};

/// Works out where the head looked when the image was taken. Encoders are read at other moments
/// than images are taken; a head that turns by 2 rad/s would be off by a degree after 10 ms.
#[derive(Module)]
pub struct GazeReader {
    /// The two newest samples, up to the first one after the image.
    samples: [Option<Sample>; 2],
}

#[derive(Data, Clone, Copy, Default)]
struct Sample {
    time: Time,
    direction: Direction,
}

#[module]
impl GazeReader {
    #[update]
    fn exposure(&mut self, angles: Samples<HeadAngles>, clock: &Clock, exposure: &mut Exposure) {
        for sample in angles.iter() {
            let is_enough = self.samples[1].is_some_and(|newest| newest.time >= clock.now());
            if !is_enough {
                let sample = Sample { time: sample.stamp(), direction: sample.direction };
                self.samples = [self.samples[1], Some(sample)];
            }
        }
        exposure.direction = self.direction(clock.now());
    }

    /// Returns the direction on a straight line through both samples.
    fn direction(&self, time: Time) -> Direction {
        match self.samples {
            [Some(before), Some(after)] => {
                let since = |earlier: Time, later: Time| later.seconds() - earlier.seconds();
                let between = since(before.time, after.time);
                let share = if between > 0.0 { since(before.time, time) / between } else { 1.0 };
                before.direction + (after.direction - before.direction) * share.min(MOST)
            }
            [_, newest] => newest.unwrap_or_default().direction,
        }
    }
}

/// The line is not followed farther than this, as a multiple of the time between the samples.
const MOST: f64 = 4.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: i64, azimuth: f64) -> Option<Sample> {
        let time = Time::from_nanoseconds(milliseconds * 1_000_000);
        Some(Sample { time, direction: Direction::new(azimuth, 0.0) })
    }

    #[test]
    fn a_head_that_turns_evenly_is_known_between_its_samples_and_a_little_after_them() {
        let reader = GazeReader { samples: [at(100, 0.5), at(110, 0.52)] };
        let azimuth = |milliseconds| reader.direction(at(milliseconds, 0.0).unwrap().time).azimuth;
        assert!((azimuth(105) - 0.51).abs() < 1e-9);
        assert!((azimuth(113) - 0.526).abs() < 1e-9);
        assert!((azimuth(900) - 0.58).abs() < 1e-9, "who knows: {}", azimuth(900));
    }

    #[test]
    fn a_single_sample_is_all_that_is_known() {
        assert_eq!(GazeReader { samples: [None, at(100, 0.5)] }.direction(Time::ZERO).azimuth, 0.5);
        assert_eq!(GazeReader { samples: [None, None] }.direction(Time::ZERO), Direction::default());
    }
}
