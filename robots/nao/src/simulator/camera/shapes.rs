//! The objects on the field: ball, goals, other robots and the robot's own feet, as shapes in the
//! image.

use glam::{Quat, Vec2, Vec3};

use super::{Color, Projection, Row};
use crate::field::{BALL_RADIUS, GOAL_DEPTH, GOAL_HEIGHT, POST_RADIUS, POSTS};
use crate::robot::Side;
use crate::robot::kinematics::Links;
use crate::simulator::others::{OtherRobot, Team};
use crate::simulator::world::SimulatedWorld;

const WHITE: Color = Color::rgb(216.0, 218.0, 220.0);
const PLASTIC: Color = Color::rgb(176.0, 178.0, 184.0);
const DARK: Color = Color::rgb(34.0, 34.0, 38.0);
const NET: Color = Color::rgb(176.0, 178.0, 178.0);
const BLUE: Color = Color::rgb(42.0, 66.0, 160.0);
const RED: Color = Color::rgb(176.0, 36.0, 44.0);

/// The maximum number of shapes in an image: fifty, and some for three other robots. More are not
/// drawn.
const CAPACITY: usize = 96;
/// The distance from the camera's pinhole within which shapes are clipped, in metres.
const NEAREST: f32 = 0.04;

/// All shapes in the image, far ones first.
pub(super) struct Shapes {
    shapes: [Shape; CAPACITY],
    count: usize,
}

/// A shape that is drawn over what lies behind it.
#[derive(Clone, Copy, Debug)]
struct Shape {
    kind: Kind,
    /// The depth along the optical axis, in metres.
    depth: f32,
    /// The upper left corner of the area that it covers, in pixels; the lower right corner is
    /// below.
    from: Vec2,
    to: Vec2,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A rounded cylinder: a line with a radius at each end, in pixels.
    Capsule { ends: [Vec2; 2], radii: [f32; 2], color: Color },
    /// The ball, with the rotation from the camera's to the pattern's frame and from the camera's
    /// to the field's.
    Ball { center: Vec2, radius: f32, pattern: Quat, field: Quat },
    /// A soft dark spot on the ground.
    Shadow { center: Vec2, radii: Vec2, strength: f32 },
    /// A net spread between four corners, in order.
    Net { corners: [Vec2; 4] },
}

/// A rounded cylinder in the field, in metres.
struct Capsule {
    ends: [Vec3; 2],
    radius: f32,
    color: Color,
}

impl Shapes {
    /// Returns all shapes of the world in `projection`.
    pub(super) fn seen(world: &SimulatedWorld, projection: &Projection) -> Self {
        let nothing = Kind::Shadow { center: Vec2::ZERO, radii: Vec2::ONE, strength: 0.0 };
        let nowhere = Shape { kind: nothing, depth: 0.0, from: Vec2::ZERO, to: Vec2::ZERO };
        let mut shapes = Self { shapes: [nowhere; CAPACITY], count: 0 };
        shapes.goals(projection);
        for other in &world.others {
            shapes.robot(other, projection);
        }
        shapes.ball(world, projection);
        shapes.own_feet(world, projection);
        shapes.shapes[..shapes.count].sort_unstable_by(|a, b| b.depth.total_cmp(&a.depth));
        shapes
    }

    /// Draws the part of all shapes in the row whose pixels have their centre at `v`.
    pub(super) fn draw(&self, v: f32, row: &mut Row) {
        for shape in &self.shapes[..self.count] {
            if v < shape.from.y || v > shape.to.y {
                continue;
            }
            let first = shape.from.x.max(0.0) as usize;
            let last = (shape.to.x.max(0.0) as usize + 1).min(row.width());
            for u in first..last {
                row.set(u, shape.kind.over(row.get(u), Vec2::new(u as f32 + 0.5, v)));
            }
        }
    }

    fn add(&mut self, kind: Kind, depth: f32, from: Vec2, to: Vec2) {
        if to.x < 0.0 || to.y < 0.0 || self.count == CAPACITY {
            return;
        }
        self.shapes[self.count] = Shape { kind, depth, from, to };
        self.count += 1;
    }

    fn goals(&mut self, projection: &Projection) {
        let upright = |post: Vec2, height: f32| post.extend(height);
        let bar = GOAL_HEIGHT + POST_RADIUS;
        for [left, right] in [[POSTS[0], POSTS[1]], [POSTS[2], POSTS[3]]] {
            for post in [left, right] {
                let ends = [upright(post, POST_RADIUS), upright(post, bar)];
                self.capsule(&Capsule { ends, radius: POST_RADIUS, color: WHITE }, projection);
                self.shadow(post, 0.12, 0.3, projection);
            }
            let ends = [upright(left, bar), upright(right, bar)];
            self.capsule(&Capsule { ends, radius: POST_RADIUS, color: WHITE }, projection);

            let back = Vec2::X * GOAL_DEPTH * left.x.signum();
            let [back_left, back_right] = [left + back, right + back];
            let top = GOAL_HEIGHT * 0.6;
            self.net(
                [back_left.extend(0.0), back_right.extend(0.0), back_right.extend(top), back_left.extend(top)],
                projection,
            );
            for (post, behind) in [(left, back_left), (right, back_right)] {
                self.net(
                    [post.extend(0.0), behind.extend(0.0), behind.extend(top), post.extend(GOAL_HEIGHT)],
                    projection,
                );
            }
            let ends = [back_left.extend(0.02), back_right.extend(0.02)];
            self.capsule(&Capsule { ends, radius: 0.02, color: NET }, projection);
        }
    }

    fn robot(&mut self, robot: &OtherRobot, projection: &Projection) {
        let jersey = match robot.team {
            Team::Own => BLUE,
            Team::Opponent => RED,
        };
        self.shadow(robot.pose.translation, 0.24, 0.45, projection);
        let place = |x: f32, y: f32, z: f32| robot.pose.transform(Vec2::new(x, y)).extend(z);
        let mut part = |from: Vec3, to: Vec3, radius: f32, color: Color| {
            self.capsule(&Capsule { ends: [from, to], radius, color }, projection);
        };
        for side in Side::BOTH {
            let sign = side.sign();
            let stride = robot.stride.sin() * sign;
            let (step, lift) = (0.03 * stride, 0.02 * stride.max(0.0));
            let [hip, knee, ankle] = [
                place(0.0, 0.05 * sign, 0.24),
                place(0.03, 0.055 * sign, 0.15 + lift),
                place(step, 0.055 * sign, 0.06 + lift),
            ];
            part(
                place(step - 0.03, 0.055 * sign, 0.035 + lift),
                place(step + 0.08, 0.06 * sign, 0.03 + lift),
                0.032,
                PLASTIC,
            );
            part(ankle, knee, 0.036, WHITE);
            part(knee, hip, 0.042, WHITE);
            let [shoulder, elbow] = [place(0.0, 0.1 * sign, 0.42), place(-0.02, 0.13 * sign, 0.33)];
            part(shoulder, elbow, 0.032, jersey);
            part(elbow, place(0.07, 0.12 * sign, 0.27), 0.027, WHITE);
        }
        part(place(0.0, 0.0, 0.26), place(0.0, 0.0, 0.3), 0.065, PLASTIC);
        part(place(0.0, 0.0, 0.33), place(0.0, 0.0, 0.42), 0.075, jersey);
        part(place(0.01, -0.02, 0.52), place(0.01, 0.02, 0.52), 0.058, WHITE);
        part(place(0.055, -0.022, 0.52), place(0.055, 0.022, 0.52), 0.014, DARK);
    }

    fn own_feet(&mut self, world: &SimulatedWorld, projection: &Projection) {
        let links = Links::new(&world.joints);
        for side in Side::BOTH {
            let (sole, knee) = (world.torso * links.sole(side), world.torso * links.knee(side));
            let ankle = world.torso * links.ankle(side);
            let foot = [sole.transform(Vec3::new(-0.02, 0.0, 0.035)), sole.transform(Vec3::new(0.065, 0.0, 0.035))];
            self.capsule(&Capsule { ends: foot, radius: 0.036, color: PLASTIC }, projection);
            self.capsule(
                &Capsule { ends: [ankle.translation, knee.translation], radius: 0.036, color: WHITE },
                projection,
            );
        }
    }

    fn ball(&mut self, world: &SimulatedWorld, projection: &Projection) {
        self.shadow(world.ball, 1.3 * BALL_RADIUS, 0.5, projection);
        let middle = world.ball.extend(BALL_RADIUS);
        let Some((center, depth)) = projection.project(middle) else { return };
        if depth < NEAREST + BALL_RADIUS {
            return;
        }
        // A sphere's outline is a little wider than its central plane.
        let radius = projection.focal_length() * BALL_RADIUS / (depth * depth - BALL_RADIUS * BALL_RADIUS).sqrt();
        let field = projection.pose().rotation;
        let kind = Kind::Ball { center, radius, pattern: world.ball_rotation.inverse() * field, field };
        self.add(kind, depth, center - (radius + 1.0), center + (radius + 1.0));
    }

    fn capsule(&mut self, capsule: &Capsule, projection: &Projection) {
        let [mut from, mut to] = capsule.ends.map(|end| projection.pose().relative(end));
        if from.x < to.x {
            (from, to) = (to, from);
        }
        if from.x < NEAREST {
            return;
        }
        if to.x < NEAREST {
            to = from.lerp(to, (from.x - NEAREST) / (from.x - to.x));
        }
        let ends = [from, to].map(|end| projection.image_of(end));
        let radii = [from, to].map(|end| projection.focal_length() * capsule.radius / end.x);
        let reach = Vec2::splat(radii[0].max(radii[1]) + 1.0);
        let kind = Kind::Capsule { ends, radii, color: capsule.color };
        self.add(kind, 0.5 * (from.x + to.x), ends[0].min(ends[1]) - reach, ends[0].max(ends[1]) + reach);
    }

    /// Adds a shadow of `radius` metres on the ground, just behind the object that casts it.
    fn shadow(&mut self, place: Vec2, radius: f32, strength: f32, projection: &Projection) {
        let Some((center, depth)) = projection.project(place.extend(0.0)) else { return };
        if depth < NEAREST + radius {
            return;
        }
        let eye = projection.pose().translation;
        let distance = place.extend(0.0).distance(eye);
        let wide = projection.focal_length() * radius / depth;
        let radii = Vec2::new(wide, (wide * eye.z / distance).max(0.5));
        self.add(Kind::Shadow { center, radii, strength }, depth + radius, center - radii, center + radii);
    }

    fn net(&mut self, corners: [Vec3; 4], projection: &Projection) {
        let seen = corners.map(|corner| projection.pose().relative(corner));
        if seen.iter().any(|corner| corner.x < NEAREST) {
            return;
        }
        let corners = seen.map(|corner| projection.image_of(corner));
        let (from, to) =
            corners.iter().fold((Vec2::MAX, Vec2::MIN), |(from, to), corner| (from.min(*corner), to.max(*corner)));
        let depth = seen.iter().map(|corner| corner.x).sum::<f32>() / 4.0;
        self.add(Kind::Net { corners }, depth, from, to);
    }
}

impl Kind {
    /// Returns the colour of a pixel that shows this shape over `below`.
    #[inline]
    fn over(&self, below: Color, pixel: Vec2) -> Color {
        match self {
            Self::Capsule { ends, radii, color } => {
                let way = ends[1] - ends[0];
                let along = ((pixel - ends[0]).dot(way) / way.length_squared().max(1e-6)).clamp(0.0, 1.0);
                let radius = radii[0] + along * (radii[1] - radii[0]);
                let offset = pixel - ends[0] - way * along;
                let distance = offset.length();
                let part = (radius + 0.5 - distance).clamp(0.0, 1.0);
                let rim = (distance / radius).min(1.0);
                // Light from above; round things are darker at their rim and below.
                let light = 1.08 - 0.28 * rim * rim - 0.22 * (offset.y / radius).clamp(-1.0, 1.0);
                below.mixed(color.lit(light), part)
            }
            Self::Ball { center, radius, pattern, field } => {
                let offset = (pixel - *center) / *radius;
                let distance = offset.length();
                let part = ((1.0 - distance) * radius + 0.5).clamp(0.0, 1.0);
                if part == 0.0 {
                    return below;
                }
                let towards = -(1.0 - distance * distance).max(0.0).sqrt();
                let normal = Vec3::new(towards, -offset.x, -offset.y);
                let dark = dark_patch(*pattern * normal, 1.0 / radius);
                let light = 0.80 + 0.28 * (*field * normal).z;
                below.mixed(WHITE.mixed(DARK, dark).lit(light), part)
            }
            Self::Shadow { center, radii, strength } => {
                let distance = ((pixel - *center) / *radii).length();
                below.lit(1.0 - strength * (1.0 - distance).max(0.0).sqrt())
            }
            Self::Net { corners } => {
                let inside = |sign: f32| {
                    (0..4).all(|index| {
                        let (from, to) = (corners[index], corners[(index + 1) % 4]);
                        sign * (to - from).perp_dot(pixel - from) >= 0.0
                    })
                };
                if inside(1.0) || inside(-1.0) { below.mixed(NET, 0.3) } else { below }
            }
        }
    }
}

/// Returns the darkness of the ball's pattern in a direction: twelve patches around the corners of
/// an icosahedron, as on a classic ball of pentagons and hexagons. `blur` is the size of a pixel
/// relative to the radius.
fn dark_patch(direction: Vec3, blur: f32) -> f32 {
    /// The scale of the corners of an icosahedron, which lie at (0, ±1, ±φ) and its rotations.
    const ONE: f32 = 0.525_731_1;
    const PHI: f32 = 0.850_650_8;
    /// The cosine of a patch's radius, seen from the ball's centre: 20 degrees.
    const EDGE: f32 = 0.939_692_6;
    let corners = [
        Vec3::new(0.0, ONE, PHI),
        Vec3::new(0.0, ONE, -PHI),
        Vec3::new(ONE, PHI, 0.0),
        Vec3::new(ONE, -PHI, 0.0),
        Vec3::new(PHI, 0.0, ONE),
        Vec3::new(-PHI, 0.0, ONE),
    ];
    let nearest = corners.iter().map(|corner| corner.dot(direction).abs()).fold(0.0, f32::max);
    // At the edge the cosine falls by sin(20 degrees) per radian.
    (0.5 + (nearest - EDGE) / (0.342 * blur)).clamp(0.0, 1.0)
}
