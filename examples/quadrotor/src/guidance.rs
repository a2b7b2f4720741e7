//! The outermost loop, which controls the position of the quadrotor.

use hemiola::prelude::*;

use crate::airframe::{GRAVITY, MASS};
use crate::representations::{AttitudeRequest, Position};

#[derive(Parameters)]
struct CompassParameters {
    /// The waypoints to fly to, over and over again, in metres.
    #[parameter(default = vec![[0.0, 0.0, 2.0], [4.0, 0.0, 2.0], [4.0, 4.0, 2.0], [0.0, 4.0, 2.0]])]
    waypoints: Vec<[f64; 3]>,
    /// The maximum speed.
    #[parameter(default = 1.5, range = 0.1..=5.0, unit = "m/s")]
    speed: f64,
}

/// Flies from waypoint to waypoint.
#[derive(Module)]
struct Compass {
    #[parameters]
    parameters: CompassParameters,
    /// The index of the waypoint to fly to.
    reached: usize,
}

#[module]
impl Compass {
    #[update]
    fn attitude(&mut self, position: &Position, debug: &Debug, request: &mut AttitudeRequest) {
        let Some(&goal) = self.parameters.waypoints.iter().cycle().nth(self.reached) else { return };
        let way = |axis: usize| goal[axis] - position.at[axis];
        if way(0).hypot(way(1)).hypot(way(2)) < REACHED {
            self.reached = (self.reached + 1) % self.parameters.waypoints.len();
        }
        let acceleration = |axis: usize| {
            let wanted = (0.8 * way(axis)).clamp(-self.parameters.speed, self.parameters.speed);
            (2.0 * (wanted - position.velocity[axis])).clamp(-HARDEST, HARDEST)
        };
        request.angles = [acceleration(1), acceleration(0)].map(|along| (along / GRAVITY).asin());
        let upright = request.angles[0].cos() * request.angles[1].cos();
        request.thrust = MASS * (GRAVITY + acceleration(2)) / upright;
        debug.draw("field/quadrotor", |canvas| {
            canvas.circle([position.at[0] as f32, position.at[1] as f32], 0.15, Color::ORANGE);
        });
    }
}

/// The distance from a waypoint at which it is reached, in metres.
const REACHED: f64 = 0.2;
/// The maximum acceleration, in m/s².
const HARDEST: f64 = 3.0;
