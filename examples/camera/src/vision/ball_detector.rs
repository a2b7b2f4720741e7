use std::f64::consts::{FRAC_PI_4, PI};

use glam::DVec3;
use hemiola::prelude::*;

use crate::geometry::{Direction, FOCAL_LENGTH, View};
use crate::representations::{Ball, Balls, Exposure, Region, Regions};

#[derive(Parameters)]
pub struct BallDetectorParameters {
    /// The radius of the ball, from which its distance follows.
    #[parameter(default = 0.12, range = 0.01..=1.0, unit = "m")]
    radius: f64,
    /// The greatest ratio of the longer to the shorter side of the box around it.
    #[parameter(default = 1.25, range = 1.0..=3.0)]
    elongation: f64,
    /// The difference between the share of that box that it fills and that of a circle.
    #[parameter(default = 0.08, range = 0.0..=0.5)]
    roundness: f64,
}

/// Tells which regions are round: a ball, as a whole. One that is half hidden is no measurement of
/// where its middle is.
#[derive(Module)]
pub struct BallDetector {
    #[parameters]
    parameters: BallDetectorParameters,
}

#[module]
impl BallDetector {
    #[update]
    pub(super) fn balls(&self, regions: &Regions, exposure: &Exposure, debug: &Debug, balls: &mut Balls) {
        let view = View::towards(exposure.direction);
        let round = regions.regions.iter().filter(|region| self.is_round(region));
        balls.balls.extend(round.map(|region| self.ball(region, &view)));
        debug.draw("CameraImage/balls", |canvas| {
            for Ball { pixel, radius, distance, .. } in &balls.balls {
                let [x, y] = pixel.as_vec2().to_array();
                canvas.circle([x, y], *radius as f32, Color::CYAN);
                canvas.text([x, y - *radius as f32 - 6.0], format_args!("{distance:.2} m"), Color::CYAN);
            }
        });
        debug.plot("detector.balls", balls.balls.len());
    }

    fn is_round(&self, region: &Region) -> bool {
        let size = region.size();
        let elongation = size.max_element() / size.min_element();
        let fill = f64::from(region.area) / (size.x * size.y);
        elongation < self.parameters.elongation && (fill - FRAC_PI_4).abs() < self.parameters.roundness
    }

    fn ball(&self, region: &Region, view: &View) -> Ball {
        let ray: DVec3 = view.ray(region.center);
        // A sphere beside the optical axis looks larger, by the length of its ray to the third.
        let area = f64::from(region.area) / ray.length().powi(3);
        let sine = (area / PI).sqrt() / FOCAL_LENGTH;
        Ball {
            pixel: region.center,
            radius: (f64::from(region.area) / PI).sqrt(),
            direction: Direction::of(ray),
            distance: self.parameters.radius / sine,
        }
    }
}
