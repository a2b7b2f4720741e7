use hemiola::prelude::*;

use crate::geometry::Direction;
use crate::representations::{BallTrack, GazeRequest, HeadAngles};

#[derive(Parameters)]
struct AttentionParameters {
    /// The time until a command takes effect: the head looks where the ball will be then.
    #[parameter(default = 0.01, range = 0.0..=0.5, unit = "s")]
    lead: f64,
    /// The farthest to each side that the head looks while it searches.
    #[parameter(default = 0.9, range = 0.0..=1.4, unit = "rad")]
    search: f64,
}

/// Looks at the ball, or searches it. An image is old when it has become a track: the head looks
/// where the ball will be, not where it was.
#[derive(Module)]
struct Attention {
    #[parameters]
    parameters: AttentionParameters,
}

#[module]
impl Attention {
    #[update]
    fn gaze(&self, track: &BallTrack, angles: &HeadAngles, clock: &Clock, debug: &Debug, request: &mut GazeRequest) {
        let AttentionParameters { lead, search } = self.parameters;
        if track.is_known {
            let age = clock.now().since(track.time).as_secs_f64();
            request.direction = track.direction + track.rates * (age + lead);
            request.rates = track.rates;
        } else {
            let phase = SEARCH_RATE * clock.now().seconds();
            request.direction = Direction::new(search * phase.sin(), 0.0);
            request.rates = Direction::new(search * SEARCH_RATE * phase.cos(), 0.0);
        }
        debug.draw("room/head", |canvas| {
            canvas.place("head", [0.0, 0.0], angles.direction.azimuth as f32);
        });
        debug.draw("head/view", |canvas| {
            // An image is 60° wide.
            let border = |angle: f32| [VIEW * angle.cos(), VIEW * angle.sin()];
            canvas.line([border(0.52), [0.0, 0.0], border(-0.52)], Color::CYAN.with_opacity(0.5));
            canvas.circle([0.0, 0.0], 0.1, Color::CYAN);
        });
    }
}

/// The frequency at which the head goes to and fro while it searches, in radians per second.
const SEARCH_RATE: f64 = 1.5;
/// The length at which the borders of the view are drawn, in metres.
const VIEW: f32 = 3.0;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn request(track: &BallTrack) -> GazeRequest {
        let attention = Attention { parameters: AttentionParameters { lead: 0.04, search: 0.9 } };
        let clock = Clock::new(Time::from_seconds(2.0), Duration::from_millis(10), 200);
        let mut request = GazeRequest::default();
        attention.gaze(track, &HeadAngles::default(), &clock, &Debug::default(), &mut request);
        request
    }

    #[test]
    fn the_head_looks_where_the_ball_will_be() {
        let track = BallTrack {
            is_known: true,
            time: Time::from_seconds(1.96),
            direction: Direction::new(0.1, 0.2),
            rates: Direction::new(0.5, -0.25),
            ..BallTrack::default()
        };
        let Direction { azimuth, elevation } = request(&track).direction;
        assert!((azimuth - 0.14).abs() < 1e-9 && (elevation - 0.18).abs() < 1e-9, "{azimuth}, {elevation}");
    }

    #[test]
    fn without_a_ball_the_head_searches() {
        let request = request(&BallTrack::default());
        assert!(request.direction.azimuth.abs() <= 0.9 && request.rates != Direction::default());
    }
}
