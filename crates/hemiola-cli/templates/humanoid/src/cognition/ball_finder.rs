use hemiola::prelude::*;

use crate::body::HALF_VIEW;
use crate::representations::{Ball, Image};

#[derive(Parameters)]
struct BallFinderParameters {
    /// The minimum brightness of the ball.
    #[parameter(default = 150, range = 0..=255)]
    threshold: u8,
    /// The minimum number of pixels that are this bright.
    #[parameter(default = 5)]
    pixels: usize,
}

/// Finds the ball: the mean position of the bright pixels.
#[derive(Module)]
struct BallFinder {
    #[parameters]
    parameters: BallFinderParameters,
}

#[module]
impl BallFinder {
    #[update]
    fn ball(&self, image: &Image, ball: &mut Ball) {
        let BallFinderParameters { threshold, pixels } = self.parameters;
        let bright = image
            .pixels
            .iter()
            .enumerate()
            .filter(|(_, grey)| **grey >= threshold);
        let columns = bright.map(|(pixel, _)| pixel % image.width.max(1));
        let (count, sum) = columns.fold((0, 0), |(count, sum), column| (count + 1, sum + column));
        if count < pixels.max(1) {
            return; // `ball` starts as its default: not seen
        }
        let middle = (sum as f64 / count as f64 + 0.5) / image.width as f64;
        *ball = Ball {
            seen: true,
            bearing: image.head + HALF_VIEW * (1.0 - 2.0 * middle),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bright: &[usize], head: f64) -> Ball {
        let mut pixels = vec![50; 40];
        bright.iter().for_each(|pixel| pixels[*pixel] = 200);
        let finder = BallFinder {
            parameters: BallFinderParameters {
                threshold: 150,
                pixels: 3,
            },
        };
        let mut ball = Ball::default();
        finder.ball(
            &Image {
                width: 10,
                pixels,
                head,
            },
            &mut ball,
        );
        ball
    }

    #[test]
    fn a_ball_on_the_left_of_the_image_is_to_the_left_of_where_the_head_looks() {
        let ball = found(&[11, 12, 13, 21, 22, 23], 0.2);
        assert!(
            ball.seen && (ball.bearing - 0.45).abs() < 1e-9,
            "{}",
            ball.bearing
        );
    }

    #[test]
    fn a_bright_spot_is_no_ball() {
        assert!(!found(&[11, 12], 0.0).seen);
    }
}
