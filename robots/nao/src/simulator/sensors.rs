//! The measurements of the body's sensors, with the errors of real ones.

use glam::{Mat3, Vec2, Vec3};

use super::body::{Body, GRAVITY};
use super::random::Random;
use super::servo::Servos;
use crate::geometry::Pose3;
use crate::representations::sensing::{FootPressure, ImuSample, JointAngles};
use crate::robot::Side;
use crate::robot::dimensions::{self as size, force_sensors};

/// The resolution of the joints' angle sensors: 12 bits per turn, in radians.
const ANGLE_RESOLUTION: f32 = std::f32::consts::TAU / 4096.0;
/// The standard deviation of the gyroscope's noise, in rad/s.
const GYROSCOPE_NOISE: f32 = 0.008;
const ACCELEROMETER_NOISE: f32 = 0.08;
const FORCE_NOISE: f32 = 0.2;
/// The range of the gyroscope: 500 degrees per second; that of the accelerometer is below: 4 g.
const GYROSCOPE_RANGE: Vec3 = Vec3::splat(500.0_f32.to_radians());
const ACCELEROMETER_RANGE: Vec3 = Vec3::splat(4.0 * GRAVITY);
/// The time constant of the accelerometer's own low-pass filter, in seconds.
const ACCELEROMETER_TIME: f32 = 0.01;

/// The inertial unit, angle sensors and force sensors. Their constant errors follow from the seed.
#[derive(Clone, Debug)]
pub struct Sensors {
    random: Random,
    gyroscope_bias: Vec3,
    accelerometer_bias: Vec3,
    force_gains: [[f32; 4]; 2],
    torso: Pose3,
    velocity: Vec3,
    /// The acceleration in the field's frame.
    acceleration: Vec3,
    /// The angular velocity in the torso's frame.
    angular_velocity: Vec3,
}

impl Sensors {
    /// Creates the sensors of a robot whose torso is at rest.
    #[must_use]
    pub fn new(mut random: Random, torso: Pose3) -> Self {
        let mut vector = |deviation: f32| Vec3::new(random.normal(), random.normal(), random.normal()) * deviation;
        let (gyroscope_bias, accelerometer_bias) = (vector(0.005), vector(0.05));
        let force_gains = [[1.0; 4]; 2].map(|foot: [f32; 4]| foot.map(|gain| gain + 0.04 * random.normal()));
        Self {
            random,
            gyroscope_bias,
            accelerometer_bias,
            force_gains,
            torso,
            velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }

    /// Records the motion of the torso within `dt` seconds.
    pub fn observe(&mut self, dt: f32, torso: Pose3) {
        let turn = (self.torso.rotation.inverse() * torso.rotation).normalize();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        self.angular_velocity = turn.to_scaled_axis() / dt;
        let velocity = (torso.translation - self.torso.translation) / dt;
        let acceleration = (velocity - self.velocity) / dt;
        self.acceleration += (acceleration - self.acceleration) * (1.0 - (-dt / ACCELEROMETER_TIME).exp());
        self.velocity = velocity;
        self.torso = torso;
    }

    /// Notes that somebody has carried the robot to where its torso is now, which its sensors do
    /// not show: the way is not simulated.
    #[cfg(feature = "game")]
    pub fn carry(&mut self, torso: Pose3) {
        self.torso = torso;
        (self.velocity, self.acceleration, self.angular_velocity) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    }

    /// Takes a measurement. Every call draws new noise.
    pub fn sense(
        &mut self,
        body: &Body,
        servos: &Servos,
        imu: &mut ImuSample,
        joints: &mut JointAngles,
        feet: &mut FootPressure,
    ) {
        let turning = self.angular_velocity + self.gyroscope_bias + self.noise(GYROSCOPE_NOISE);
        imu.angular_velocity = turning.clamp(-GYROSCOPE_RANGE, GYROSCOPE_RANGE);
        let felt = self.torso.rotation.inverse() * (self.acceleration + Vec3::Z * GRAVITY);
        let accelerating = felt + self.accelerometer_bias + self.noise(ACCELEROMETER_NOISE);
        imu.acceleration = accelerating.clamp(-ACCELEROMETER_RANGE, ACCELEROMETER_RANGE);

        for (measured, position) in joints.positions.iter_mut().zip(servos.positions()) {
            let noisy = position + 0.3 * ANGLE_RESOLUTION * self.random.normal();
            *measured = (noisy / ANGLE_RESOLUTION).round() * ANGLE_RESOLUTION;
        }

        let weight = (size::total_mass() * (GRAVITY + self.acceleration.z)).max(0.0);
        let pressure = Pressure::under(body, weight);
        feet.left = self.forces(body, Side::Left, &pressure);
        feet.right = self.forces(body, Side::Right, &pressure);
    }

    fn forces(&mut self, body: &Body, side: Side, pressure: &Pressure) -> [f32; 4] {
        let forces = if body.touches(side) { pressure.forces(body, side) } else { [0.0; 4] };
        let gains = self.force_gains[side as usize];
        std::array::from_fn(|index| (forces[index] * gains[index] + FORCE_NOISE * self.random.normal()).max(0.0))
    }

    fn noise(&mut self, deviation: f32) -> Vec3 {
        Vec3::new(self.random.normal(), self.random.normal(), self.random.normal()) * deviation
    }
}

/// The pressure on the ground: a plane over all sensors that touch it, so that the weight and its
/// centre are right.
///
/// Of all distributions with that weight and centre it is the most even one (least squares), as for
/// a stiff robot on soft soles.
struct Pressure {
    /// The origin at the centre of pressure, so that numbers stay small far from the field's
    /// centre.
    origin: Vec2,
    /// The force on a sensor at `p`: `plane.x + plane.yz() . (p - origin)`, in newtons, at least 0.
    plane: Vec3,
    /// The factor that compensates for the limit at 0.
    scale: f32,
}

impl Pressure {
    fn under(body: &Body, weight: f32) -> Self {
        let origin = body.center_of_pressure();
        let mut moments = Mat3::ZERO;
        for sensor in touching_sensors(body) {
            let row = Vec3::new(1.0, sensor.x - origin.x, sensor.y - origin.y);
            moments += Mat3::from_cols(row * row.x, row * row.y, row * row.z);
        }
        let mut pressure = Self { origin, plane: Vec3::ZERO, scale: 1.0 };
        if moments.determinant() > 0.0 {
            pressure.plane = moments.inverse() * Vec3::new(weight, 0.0, 0.0);
            let total: f32 = touching_sensors(body).map(|sensor| pressure.at(sensor)).sum();
            pressure.scale = weight / total.max(1e-3);
        }
        pressure
    }

    fn at(&self, sensor: Vec2) -> f32 {
        let offset = sensor - self.origin;
        self.scale * self.plane.dot(Vec3::new(1.0, offset.x, offset.y)).max(0.0)
    }

    fn forces(&self, body: &Body, side: Side) -> [f32; 4] {
        let sole = body.sole(side).on_ground();
        force_sensors(side).map(|sensor| self.at(sole.transform(sensor)))
    }
}

fn touching_sensors(body: &Body) -> impl Iterator<Item = Vec2> {
    Side::BOTH.into_iter().filter(|side| body.touches(*side)).flat_map(|side| {
        let sole = body.sole(side).on_ground();
        force_sensors(side).map(|sensor| sole.transform(sensor))
    })
}
