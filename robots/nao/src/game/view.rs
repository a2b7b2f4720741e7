//! The drawings of a game: the field from above, and the scene in three dimensions.

use glam::{Quat, Vec2, Vec3};
use hemiola::module::{Canvas, Color, Scene};
use hemiola::prelude::*;

use super::report::{GameReport, ReportedRobot};
use crate::field::{
    BALL_RADIUS, BORDER, CENTER_CIRCLE_RADIUS, GOAL_DEPTH, GOAL_HEIGHT, GOAL_WIDTH, LENGTH, LINES, MARKS, POST_RADIUS,
    POSTS, WIDTH,
};
use crate::geometry::{Pose2, Pose3};
use crate::representations::behaviour::Role;
use crate::robot::Side;
use crate::robot::dimensions::{HIP_OFFSET_Y, HIP_OFFSET_Z, SHOULDER_OFFSET_Y, SHOULDER_OFFSET_Z, sole_outline};
use crate::robot::kinematics::{Camera, Links};
use crate::simulator::arena::TeamSide;

/// The radius of a robot from above, in metres: somewhat larger than its body.
const ROBOT: f32 = 0.17;
/// The height of a shoe, in metres.
const SHOE_HEIGHT: f32 = 0.045;
/// The colour of heads and limbs.
const SHELL: Color = Color::new(0xd9dce1);
/// The colour of joints, cameras and the ball's patches.
const DARK: Color = Color::new(0x22262b);

/// The layers of what each robot believes, on the field from above.
const BELIEFS: [[&str; 7]; 2] = [
    ["field/blue 1", "field/blue 2", "field/blue 3", "field/blue 4", "field/blue 5", "field/blue 6", "field/blue 7"],
    ["field/red 1", "field/red 2", "field/red 3", "field/red 4", "field/red 5", "field/red 6", "field/red 7"],
];

/// The layers of the robots, in the scene.
const BODIES: [[&str; 7]; 2] = [
    ["scene/blue 1", "scene/blue 2", "scene/blue 3", "scene/blue 4", "scene/blue 5", "scene/blue 6", "scene/blue 7"],
    ["scene/red 1", "scene/red 2", "scene/red 3", "scene/red 4", "scene/red 5", "scene/red 6", "scene/red 7"],
];

/// Draws the newest report of a game in two spaces: `field` is the field from above, with a layer
/// of beliefs for each robot; `scene` has the solid things on it, with a layer for each robot.
#[derive(Module)]
pub struct GameView {
    /// The number of the last message that was shown.
    shown: u32,
}

#[module]
impl GameView {
    #[update]
    pub(crate) fn view(&mut self, reports: &Subscription<GameReport>, debug: &Debug) {
        let Some(newest) = reports.iter().last() else { return };
        let report: &GameReport = &newest;
        debug.text("field/game", report.headline());
        for message in report.messages.iter().filter(|message| message.number > self.shown) {
            debug.annotate("field/messages", message.words());
        }
        self.shown = report.messages.last().map_or(self.shown, |last| last.number);

        debug.background("field/lines", draw_lines);
        debug.draw("field/ball", |canvas| draw_ball(canvas, report));
        debug.draw("field/robots", |canvas| report.robots.iter().for_each(|robot| draw_robot(canvas, robot)));
        debug.draw_3d("scene/field", |scene| scene.place("field", [0.0; 3], Quat::IDENTITY.to_array()));
        debug.draw_3d("scene/goals", draw_goals);
        debug.draw_3d("scene/ball", |scene| draw_solid_ball(scene, &report.ball));
        for robot in &report.robots {
            let layer = |layers: [[&'static str; 7]; 2]| {
                layers[robot.side as usize].get(usize::from(robot.number).wrapping_sub(1)).copied()
            };
            if let (Some(belief), Some(body)) = (layer(BELIEFS), layer(BODIES)) {
                debug.draw(belief, |canvas| draw_belief(canvas, robot));
                debug.draw_3d(body, |scene| draw_body(scene, robot));
            }
        }
    }
}

fn draw_lines(canvas: &Canvas) {
    let carpet = Vec2::new(LENGTH, WIDTH) / 2.0 + BORDER;
    let corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(Vec2::from_array);
    canvas.polygon(corners.map(|corner| corner * carpet), 0x3f6b4b);
    for line in LINES.iter().chain(&MARKS) {
        canvas.line([line.from, line.to], 0xdfe8e2);
    }
    canvas.circle([0.0; 2], CENTER_CIRCLE_RADIUS, 0xdfe8e2);
    for (side, team) in [(-1.0, TeamSide::Home), (1.0, TeamSide::Away)] {
        let goal = corners.map(|corner| {
            Vec2::new(side * (LENGTH + GOAL_DEPTH * (1.0 + corner.x)) / 2.0, corner.y * GOAL_WIDTH / 2.0)
        });
        canvas.polygon(goal, color(team));
    }
}

fn draw_ball(canvas: &Canvas, report: &GameReport) {
    canvas.line(report.trail.iter().copied(), 0xffe08a);
    for radius in [1.0, 0.5] {
        canvas.circle(report.ball.translation.truncate(), radius * 1.6 * BALL_RADIUS, Color::WHITE);
    }
}

/// Draws where a robot is and looks, with its number.
fn draw_robot(canvas: &Canvas, robot: &ReportedRobot) {
    let (pose, color) = (robot.torso.on_ground(), color(robot.side));
    for radius in [1.0, 0.92, 0.84] {
        canvas.circle(pose.translation, radius * ROBOT, color);
    }
    if robot.is_down {
        for angle in [0.25, 0.75] {
            let across = ROBOT * Vec2::from_angle(std::f32::consts::PI * angle);
            canvas.line([pose.translation - across, pose.translation + across], color);
        }
    }
    canvas.line([pose.transform(Vec2::new(ROBOT, 0.0)), pose.transform(Vec2::new(1.9 * ROBOT, 0.0))], color);
    canvas.text(pose.translation - Vec2::new(0.3 * ROBOT, 0.0), robot.number, Color::WHITE);
}

/// Draws where a robot believes itself and the ball to be, with a line from one to the other.
fn draw_belief(canvas: &Canvas, robot: &ReportedRobot) {
    let (Pose2 { translation: place, .. }, color) = (robot.believed, pale(robot.side));
    canvas.circle(place, 1.15 * ROBOT, color);
    canvas.line([place, robot.believed.transform(Vec2::new(2.2 * ROBOT, 0.0))], color);
    canvas.line([place, robot.place()], color.with_opacity(0.5));
    if let Some(ball) = robot.ball {
        canvas.circle(ball, 2.4 * BALL_RADIUS, color);
        canvas.line([place, ball], color.with_opacity(0.35));
    }
    canvas.text(place + Vec2::new(0.0, 1.9 * ROBOT), role(robot.role), color);
}

fn draw_goals(scene: &Scene) {
    for (side, team) in [(-1.0, TeamSide::Home), (1.0, TeamSide::Away)] {
        let tops: Vec<Vec3> =
            POSTS.iter().filter(|post| post.x * side > 0.0).map(|post| post.extend(GOAL_HEIGHT)).collect();
        for top in &tops {
            scene.capsule(top.truncate().extend(0.0), *top, POST_RADIUS, Color::WHITE);
            let back = Vec3::new(side * (LENGTH / 2.0 + GOAL_DEPTH), top.y, 0.0);
            scene.line([*top, back, back * Vec3::new(1.0, -1.0, 1.0)], color(team));
            scene.line([top.truncate().extend(0.0), back], color(team));
        }
        if let [one, other] = tops[..] {
            scene.capsule(one, other, POST_RADIUS, Color::WHITE);
        }
    }
}

/// Draws the ball with a dark patch on each side of each axis, so that one sees it roll.
fn draw_solid_ball(scene: &Scene, ball: &Pose3) {
    scene.sphere(ball.translation, BALL_RADIUS, Color::WHITE);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for side in [-0.8, 0.8] {
            scene.sphere(ball.transform(axis * side * BALL_RADIUS), 0.28 * BALL_RADIUS, DARK);
        }
    }
}

/// Draws the links of a robot as they are turned by its joints, and its name above them.
fn draw_body(scene: &Scene, robot: &ReportedRobot) {
    let (links, color) = (Links::new(&robot.joints), color(robot.side));
    let at = |point: Vec3| robot.torso.transform(point);
    let link = |pose: Pose3| robot.torso * pose;
    let place = |pose: Pose3| link(pose).translation;
    scene.cuboid(at(Vec3::new(0.0, 0.0, 0.02)), [0.11, 0.15, 0.2], robot.torso.rotation.to_array(), color);
    let head = link(links.head()).transform(Vec3::new(0.005, 0.0, 0.055));
    scene.sphere(head, 0.066, SHELL);
    for camera in [Camera::Upper, Camera::Lower] {
        scene.sphere(place(links.camera(camera)), 0.014, DARK);
    }
    for side in Side::BOTH {
        let shoulder = at(Vec3::new(0.0, side.sign() * SHOULDER_OFFSET_Y, SHOULDER_OFFSET_Z));
        let (elbow, hand) = (place(links.elbow(side)), place(links.hand(side)));
        scene.capsule(shoulder, elbow, 0.032, color);
        scene.capsule(elbow, hand, 0.027, SHELL);
        let hip = at(Vec3::new(0.0, side.sign() * HIP_OFFSET_Y, -HIP_OFFSET_Z));
        let (knee, ankle) = (place(links.knee(side)), place(links.ankle(side)));
        scene.capsule(hip, knee, 0.042, SHELL);
        scene.capsule(knee, ankle, 0.038, SHELL);
        let outline = sole_outline(side);
        let (smallest, largest) =
            (outline.into_iter().fold(Vec2::MAX, Vec2::min), outline.into_iter().fold(Vec2::MIN, Vec2::max));
        let sole = link(links.sole(side));
        let center = ((smallest + largest) / 2.0).extend(SHOE_HEIGHT / 2.0);
        scene.cuboid(sole.transform(center), (largest - smallest).extend(SHOE_HEIGHT), sole.rotation.to_array(), color);
    }
    let name = format_args!("{} {} {}", robot.side, robot.number, role(robot.role));
    scene.text(head + Vec3::new(0.0, 0.0, 0.14), name, pale(robot.side));
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Striker => "striker",
        Role::Goalkeeper => "goalkeeper",
        Role::Supporter => "supporter",
    }
}

fn color(side: TeamSide) -> Color {
    match side {
        TeamSide::Home => Color::new(0x3b73ee),
        TeamSide::Away => Color::new(0xdb4038),
    }
}

/// Returns the colour of what a team believes.
fn pale(side: TeamSide) -> Color {
    match side {
        TeamSide::Home => Color::new(0xb3d0ff),
        TeamSide::Away => Color::new(0xffc2b5),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use hemiola::module::{DebugContent, DebugKind, DebugSink, ImageFormat, Shape};

    use super::super::report::ReportedMessage;
    use super::*;

    /// All that was drawn and written, by its name.
    #[derive(Default)]
    struct Shown(RefCell<Vec<(&'static str, DebugContent)>>);

    impl DebugSink for Shown {
        fn wants(&self, _: &'static str, _: DebugKind) -> bool {
            true
        }

        fn record(&self, name: &'static str, content: DebugContent) {
            self.0.borrow_mut().push((name, content));
        }

        fn image(&self, _: &'static str, _: ImageFormat, _: &mut dyn FnMut(&mut [u8])) {}
    }

    impl Shown {
        fn texts(&self) -> Vec<String> {
            let records = self.0.borrow();
            let texts = records.iter().filter_map(|(_, content)| match content {
                DebugContent::Text(text) | DebugContent::Annotation(text) => Some(text.to_string()),
                _ => None,
            });
            texts.collect()
        }

        fn shapes(&self, name: &str) -> Vec<Shape> {
            let records = self.0.borrow();
            let shapes = records.iter().filter(|(other, _)| *other == name).filter_map(|(_, content)| match content {
                DebugContent::Draw { shape, .. } => Some(*shape),
                _ => None,
            });
            shapes.collect()
        }
    }

    fn game() -> GameReport {
        let robot = |side, number, x: f32| ReportedRobot {
            side,
            number,
            torso: Pose3::from_translation(Vec3::new(x, 1.0, 0.33)),
            believed: Pose2::new(x + 0.5, 1.0, 0.0),
            ball: Some(Vec2::new(0.25, 0.0)),
            ..ReportedRobot::default()
        };
        GameReport {
            robots: vec![robot(TeamSide::Home, 1, -2.0), robot(TeamSide::Away, 7, 2.0)],
            messages: (1..=2)
                .map(|number| ReportedMessage { number, player: 1, ..ReportedMessage::default() })
                .collect(),
            ..GameReport::default()
        }
    }

    #[test]
    fn a_game_is_drawn_with_what_each_robot_believes_and_each_message_is_told_once() {
        let (mut view, shown) = (GameView::create(()), Shown::default());
        view.view(&Subscription::of([game()]), &Debug::new(&shown));
        let said = "blue 1: I am at 0.0, 0.0; no ball";
        assert_eq!(shown.texts(), ["blue 0 : 0 red   second half, initial, 0.0 s", said, said]);
        for (name, x) in [("field/blue 1", -1.5), ("field/red 7", 2.5)] {
            let believed = Shape::Circle { center: [x, 1.0], radius: 1.15 * ROBOT };
            assert!(shown.shapes(name).contains(&believed), "{name}: {:?}", shown.shapes(name));
        }
        for (name, x) in [("scene/blue 1", -2.0_f32), ("scene/red 7", 2.0)] {
            let solids = shown.shapes(name);
            let is_trunk =
                |shape: &&Shape| matches!(shape, Shape::Cuboid { center: [at, y, _], .. } if *at == x && *y == 1.0);
            assert_eq!(solids.iter().filter(is_trunk).count(), 1, "{name}: {solids:?}");
            assert_eq!(solids.iter().filter(|shape| matches!(shape, Shape::Capsule { .. })).count(), 8, "all limbs");
        }
        assert!(!shown.shapes("field/red 1").iter().any(|_| true), "there is no such robot");

        let next = Shown::default();
        let message = ReportedMessage { number: 3, player: 7, side: TeamSide::Away, ..ReportedMessage::default() };
        let mut later = game();
        later.messages.push(message);
        view.view(&Subscription::of([later]), &Debug::new(&next));
        assert_eq!(next.texts()[1..], ["red 7: I am at 0.0, 0.0; no ball"]);
    }
}
