use std::time::Instant;

use glam::{Quat, Vec2, Vec3};
use hemiola::prelude::*;

use super::super::ball_candidates::{BallCandidates, Places};
use super::super::ball_classifier::{BallClassifier, RatedBall};
use super::super::body_contour::{BodyContour, Contour};
use super::super::camera_matrix::{CameraMatrix, CameraView};
use super::super::center_circle::{CenterCircle, SeenCircle};
use super::super::crossings::{Crossings, ImageLandmark};
use super::super::field_boundary::{Boundary, FieldBoundary};
use super::super::field_color::{FieldColor, GreenTone};
use super::super::goal_posts::GoalPosts;
use super::super::green_mask::{GreenArea, GreenMask};
use super::super::image_quality::ImageQuality;
use super::super::line_finder::{LineFinder, Lines};
use super::super::line_spots::{LineSpots, Spots};
use super::super::penalty_marks::PenaltyMarks;
use super::super::scan_lines::{ScanLines, Scans, Seen};
use super::super::uprights::{Upright, Uprights};
use crate::field::{BALL_RADIUS, LANDMARKS, LandmarkKind, POSTS, distance_to_line};
use crate::geometry::{Pose2, Pose3};
use crate::representations::motion::TorsoPose;
use crate::representations::perception::LandmarkShape;
use crate::representations::sensing::{Image, JointAngles};
use crate::robot::Joint;
use crate::robot::kinematics::Camera;
use crate::simulator::{OtherRobot, Random, Scenario, SimulatedWorld, World, camera, standing_positions};

/// The height of the torso's origin when the robot stands.
const TORSO_HEIGHT: f32 = 0.31;

/// The modules of one camera.
#[derive(Default)]
struct Eye {
    camera_matrix: CameraMatrix,
    image_quality: ImageQuality,
    field_color: FieldColor,
    body_contour: BodyContour,
    green_mask: GreenMask,
    scan_lines: ScanLines,
    field_boundary: FieldBoundary,
    line_spots: LineSpots,
    center_circle: CenterCircle,
    line_finder: LineFinder,
    crossings: Crossings,
    penalty_marks: PenaltyMarks,
    uprights: Uprights,
    goal_posts: GoalPosts,
    ball_candidates: BallCandidates,
    ball_classifier: BallClassifier,
}

/// The results of the modules of one camera.
#[derive(Default)]
struct Sight {
    view: CameraView,
    green: GreenTone,
    contour: Contour,
    boundary: Boundary,
    spots: Spots,
    circle: SeenCircle,
    lines: Lines,
    crossings: Vec<ImageLandmark>,
    marks: Vec<ImageLandmark>,
    posts: Vec<ImageLandmark>,
    uprights: Vec<Upright>,
    balls: Vec<RatedBall>,
}

impl Eye {
    fn look(&self, camera: Camera, image: &Image, joints: &JointAngles) -> Sight {
        let torso = TorsoPose { attitude: Quat::IDENTITY, height: TORSO_HEIGHT };
        let mut sight = Sight { view: self.camera_matrix.view(camera, image, joints, &torso), ..Sight::default() };
        let quality = self.image_quality.quality(image);
        sight.green = self.field_color.green(image, &sight.view, &quality, &GreenTone::default());
        self.body_contour.outline(&sight.view, joints, &torso, &mut sight.contour);
        let seen = Seen { image, view: &sight.view, tone: &sight.green, contour: &sight.contour };
        let (mut area, mut scans, mut candidates) = (GreenArea::default(), Scans::default(), Vec::new());
        self.green_mask.sum_up(image, &sight.view, &quality, &sight.green, &mut area);
        self.scan_lines.scan(&seen, &quality, &mut scans);
        self.field_boundary.hull(&scans, &mut sight.boundary);
        self.line_spots.find(&seen, &sight.boundary, &mut sight.spots);
        sight.circle = self.center_circle.find(&sight.view, &sight.spots);
        self.line_finder.find(&sight.view, &sight.spots, &sight.circle, &mut sight.lines);
        self.crossings.find(&seen, &sight.lines, &sight.circle, &mut sight.crossings);
        self.penalty_marks.find(&seen, &scans, &mut sight.marks);
        self.goal_posts.find(&seen, &sight.boundary, &mut sight.posts);
        self.uprights.find(&sight.view, &scans, &sight.boundary, &mut sight.uprights);
        let places = Places { view: &sight.view, boundary: &sight.boundary, contour: &sight.contour };
        self.ball_candidates.find(&places, &area, &mut candidates);
        self.ball_classifier.rate(&seen, &candidates, &Scope::default(), &mut sight.balls);
        sight
    }
}

/// A robot somewhere on the field, with a ball in front of it.
struct Scene {
    world: SimulatedWorld,
    joints: JointAngles,
    robot: Pose2,
    /// The ball relative to the robot.
    ball: Vec2,
}

/// The position of the ball, which is beyond the field in scenes without a visible ball.
#[derive(Clone, Copy, PartialEq)]
enum Ball {
    Ahead,
    Away,
}

fn scene(random: &mut Random, ball: Ball) -> Scene {
    let robot = Pose2::new(random.uniform(-4.0..4.0), random.uniform(-2.7..2.7), random.uniform(-3.1..3.1));
    let mut joints = JointAngles { positions: standing_positions() };
    joints.positions[Joint::HeadYaw.index()] = random.uniform(-0.5..0.5);
    joints.positions[Joint::HeadPitch.index()] = random.uniform(0.0..0.35);
    let mut world = SimulatedWorld::default();
    World::new(random.next_u64(), Scenario::default()).snapshot(&mut world);
    world.torso = Pose3::above(&robot, TORSO_HEIGHT);
    world.joints = joints.positions;
    world.exposure = random.uniform(-0.3..0.3);
    let ball = match ball {
        Ball::Ahead => {
            let direction = joints.positions[Joint::HeadYaw.index()] + random.uniform(-0.35..0.35);
            Vec2::from_angle(direction) * random.uniform(0.35..4.0)
        }
        Ball::Away => Vec2::new(-20.0, 0.0),
    };
    world.ball = robot.transform(ball);
    let axis = Vec3::new(random.normal(), random.normal(), random.normal()).normalize_or(Vec3::Z);
    world.ball_rotation = Quat::from_axis_angle(axis, random.uniform(0.0..6.0));
    world.others.retain(|other: &OtherRobot| {
        let place = robot.relative(other.pose.translation);
        place.length() > 0.5 && place.distance(ball) > 0.4
    });
    Scene { world, joints, robot, ball }
}

impl Scene {
    fn image(&self, camera: Camera) -> Image {
        let mut image = Image::default();
        camera::render(&self.world, camera, 7, &mut image);
        image
    }

    /// Returns where the ball appears, if all of it is in the image, on the carpet, and not hidden.
    fn visible_ball(&self, sight: &Sight) -> Option<Vec2> {
        let center = sight.view.image(self.ball.extend(BALL_RADIUS))?;
        let radius = sight.view.pixels_per_metre(self.ball) * BALL_RADIUS;
        let clear = self.world.others.iter().all(|other| {
            let place = self.robot.relative(other.pose.translation);
            let beside = place.perp_dot(self.ball.normalize()).abs();
            beside > 0.3 || place.length() > self.ball.length() || place.x < 0.0
        });
        let on_carpet = self.world.ball.x.abs() < 4.5 && self.world.ball.y.abs() < 3.2;
        let own_body = center.y + radius > sight.contour.row(center.x, sight.view.size.y);
        (clear && on_carpet && !own_body && sight.view.contains(center, radius)).then_some(center)
    }
}

/// Calls `look` with each scene and the results of each camera in it.
fn each_sight(seed: u64, count: u32, ball: Ball, mut look: impl FnMut(&Scene, &Sight)) {
    let (eye, mut random) = (Eye::default(), Random::new(seed));
    for _ in 0..count {
        let scene = scene(&mut random, ball);
        for camera in [Camera::Upper, Camera::Lower] {
            look(&scene, &eye.look(camera, &scene.image(camera), &scene.joints));
        }
    }
}

const LEAST_SCORE: f32 = 0.5;
/// The seed of the scenes for tests, which are not those that the ball classifier was fitted to.
const SEED: u64 = 11;
const SEED_OF_FIT: u64 = 5;

#[test]
fn the_ball_is_found_where_it_lies_and_hardly_anywhere_else() {
    let (mut visible, mut hits, mut wrong) = (0, 0, 0);
    each_sight(SEED, 150, Ball::Ahead, |scene, sight| {
        let best = sight.balls.iter().filter(|ball| ball.score >= LEAST_SCORE);
        let best = best.max_by(|a, b| a.score.total_cmp(&b.score));
        let expected = scene.visible_ball(sight);
        visible += u32::from(expected.is_some());
        let Some(best) = best else { return };
        let tolerance = if scene.ball.length() < 2.0 { 0.05 } else { 0.15 * scene.ball.length() };
        if best.ground.distance(scene.ball) <= tolerance {
            hits += u32::from(expected.is_some());
        } else {
            wrong += 1;
        }
    });
    let (recall, precision) = (hits as f32 / visible as f32, hits as f32 / (hits + wrong) as f32);
    eprintln!("ball: recall {recall:.3} of {visible}, precision {precision:.3}");
    assert!(recall >= 0.95, "{recall}");
    assert!(precision >= 0.97, "{precision}");
}

#[test]
fn without_a_ball_none_is_found() {
    let (mut images, mut false_alarms) = (0, 0);
    each_sight(SEED, 60, Ball::Away, |_, sight| {
        images += 1;
        false_alarms += u32::from(sight.balls.iter().any(|ball| ball.score >= LEAST_SCORE));
    });
    eprintln!("ball: {false_alarms} false alarms in {images} images");
    assert!(false_alarms * 20 <= images, "{false_alarms} of {images}");
}

#[test]
fn lines_lie_on_painted_lines() {
    let (mut points, mut good) = (0, 0);
    each_sight(SEED, 40, Ball::Away, |scene, sight| {
        for line in &sight.lines.lines {
            for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let point = line.from.lerp(line.to, part);
                let tolerance = 0.05 + 0.04 * point.length();
                points += 1;
                good += u32::from(distance_to_line(scene.robot.transform(point)) <= tolerance);
            }
        }
    });
    let part = good as f32 / points as f32;
    eprintln!("lines: {part:.3} of {points} points lie on lines");
    assert!(points > 500);
    assert!(part >= 0.9, "{part}");
}

/// Compares true and found landmarks of one kind: a found one counts if a true one of that kind is
/// near, a true one if it lies well within the image and near.
fn landmarks(
    shape: LandmarkShape,
    truth: &[Vec2],
    farthest: f32,
    pick: fn(&Sight) -> &Vec<ImageLandmark>,
) -> (f32, f32) {
    let (mut all, mut hits, mut found, mut right) = (0, 0, 0, 0);
    each_sight(SEED, 60, Ball::Away, |scene, sight| {
        let near = |a: Vec2, b: Vec2| a.distance(b) <= 0.1 + 0.06 * a.length();
        let relative = || truth.iter().map(|point| scene.robot.relative(*point));
        let seen = || pick(sight).iter().filter(|landmark| landmark.kind == shape);
        for landmark in seen() {
            found += 1;
            right += u32::from(relative().any(|point| near(landmark.ground, point)));
        }
        for point in relative().filter(|point| point.length() < farthest) {
            let visible = sight
                .view
                .image_of_ground(point)
                .is_some_and(|pixel| sight.view.contains(pixel, 25.0) && pixel.y < sight.contour.row(pixel.x, 1e9));
            all += u32::from(visible);
            hits += u32::from(visible && seen().any(|landmark| near(landmark.ground, point)));
        }
    });
    (hits as f32 / (all as f32).max(1.0), right as f32 / (found as f32).max(1.0))
}

#[test]
fn crossings_are_what_they_look_like() {
    let places = |kind: LandmarkKind| -> Vec<Vec2> {
        LANDMARKS.iter().filter(|landmark| landmark.kind == kind).map(|landmark| landmark.pose.translation).collect()
    };
    for (shape, kind, least_recall, least_precision) in
        [(LandmarkShape::Corner, LandmarkKind::L, 0.6, 0.85), (LandmarkShape::Tee, LandmarkKind::T, 0.75, 0.85)]
    {
        let (recall, precision) = landmarks(shape, &places(kind), 3.0, |sight| &sight.crossings);
        eprintln!("{shape:?}: recall {recall:.3}, precision {precision:.3}");
        assert!(recall >= least_recall && precision >= least_precision, "{shape:?} {recall} {precision}");
    }
    let marks = places(LandmarkKind::PenaltyMark);
    let (recall, precision) = landmarks(LandmarkShape::Mark, &marks, 3.0, |sight| &sight.marks);
    eprintln!("marks: recall {recall:.3}, precision {precision:.3}");
    assert!(recall >= 0.6 && precision >= 0.7, "{recall} {precision}");
    let (recall, precision) = landmarks(LandmarkShape::GoalPost, &POSTS, 4.0, |sight| &sight.posts);
    eprintln!("posts: recall {recall:.3}, precision {precision:.3}");
    assert!(recall >= 0.7 && precision >= 0.8, "{recall} {precision}");
}

#[test]
fn the_centre_circle_is_found_where_it_is() {
    let (mut seen, mut right) = (0, 0);
    each_sight(SEED, 80, Ball::Away, |scene, sight| {
        if sight.circle.seen {
            seen += 1;
            right += u32::from(scene.robot.transform(sight.circle.center).length() < 0.2);
        }
    });
    eprintln!("circle: seen {seen} times, right {right} times");
    assert!(seen >= 12 && right * 10 >= seen * 9, "{right} of {seen}");
}

#[test]
fn robots_stand_where_uprights_are() {
    let (mut all, mut hits) = (0, 0);
    each_sight(SEED, 80, Ball::Away, |scene, sight| {
        for other in &scene.world.others {
            let place = scene.robot.relative(other.pose.translation);
            let visible = sight.view.image_of_ground(place).is_some_and(|pixel| sight.view.contains(pixel, 30.0));
            if visible && (0.6..3.0).contains(&place.length()) {
                all += 1;
                hits += u32::from(sight.uprights.iter().any(|upright| upright.ground.distance(place) < 0.35));
            }
        }
    });
    eprintln!("robots: {hits} of {all}");
    assert!(all >= 5 && hits * 10 >= all * 6, "{hits} of {all}");
}

#[test]
fn blank_and_broken_images_show_nothing() {
    let (eye, joints) = (Eye::default(), JointAngles { positions: standing_positions() });
    let grey = Image::from_rgb(320, 240, &[128; 320 * 240 * 3]);
    let broken = Image { width: 320, height: 240, pixels: vec![90; 1000].into() };
    for image in [Image::default(), Image::new(2, 1), Image::new(320, 240), grey, broken] {
        for camera in [Camera::Upper, Camera::Lower] {
            let sight = eye.look(camera, &image, &joints);
            assert!(sight.balls.is_empty() && sight.lines.lines.is_empty() && sight.posts.is_empty());
        }
    }
}

#[test]
#[ignore = "measures time: cargo test --release -p nao --lib perception -- --ignored --nocapture duration"]
fn duration_of_both_cameras() {
    let (eye, mut random) = (Eye::default(), Random::new(5));
    let scenes: Vec<_> = (0..20).map(|_| scene(&mut random, Ball::Ahead)).collect();
    let images: Vec<_> =
        scenes.iter().map(|scene| [Camera::Upper, Camera::Lower].map(|camera| scene.image(camera))).collect();
    let mut durations = Vec::new();
    for _ in 0..5 {
        for (scene, [upper, lower]) in scenes.iter().zip(&images) {
            let start = Instant::now();
            std::hint::black_box(eye.look(Camera::Upper, upper, &scene.joints));
            std::hint::black_box(eye.look(Camera::Lower, lower, &scene.joints));
            durations.push(start.elapsed());
        }
    }
    durations.sort();
    eprintln!(
        "both cameras: median {:?}, largest {:?}",
        durations[durations.len() / 2],
        durations[durations.len() - 1]
    );
}

#[test]
#[ignore = "prints features and truth, from which the ball classifier's weights were fitted"]
fn features_of_balls() {
    each_sight(SEED_OF_FIT, 400, Ball::Ahead, |scene, sight| {
        let radius = sight.view.pixels_per_metre(scene.ball) * BALL_RADIUS;
        let center = sight.view.image(scene.ball.extend(BALL_RADIUS));
        for ball in &sight.balls {
            let is_ball = center.is_some_and(|center| center.distance(ball.center) < 0.5 * radius);
            let of = &ball.features;
            println!(
                "F,{},{},{},{},{},{},{},{},{}",
                u8::from(is_ball),
                of.rim,
                of.filled,
                of.surrounded,
                of.pattern,
                of.bright,
                of.dark,
                ball.radius,
                ball.score
            );
        }
        println!("V,{},{}", u8::from(scene.visible_ball(sight).is_some()), scene.ball.length());
    });
}
