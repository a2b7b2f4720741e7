//! The field from above: every robot where it is, and where it believes to be.

use std::fmt::Write;

use glam::Vec2;

use super::course::Course;
use super::player::Player;
use crate::field::{
    BALL_RADIUS, BORDER, CENTER_CIRCLE_RADIUS, GOAL_DEPTH, GOAL_WIDTH, LENGTH, LINE_WIDTH, LINES, MARKS, WIDTH,
};
use crate::geometry::Pose2;
use crate::representations::modeling::WorldModel;
use crate::simulator::arena::TeamSide;

/// Pixels of the picture per metre.
const SCALE: f32 = 100.0;
/// The height of the line of text above the field, in pixels.
const HEAD: f32 = 46.0;
/// The height of the explanation below it, in pixels.
const FOOT: f32 = 54.0;
/// The radius of a robot, in metres: somewhat larger than its body, so that its number fits in.
const ROBOT: f32 = 0.17;

/// Draws a game as it is now, as an SVG.
#[must_use]
pub fn draw(course: &Course) -> String {
    let size = Vec2::new(LENGTH, WIDTH) + 2.0 * BORDER;
    let (width, height) = (size.x * SCALE, size.y * SCALE + HEAD + FOOT);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\">\n<title>A game of robots from above</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#f7f7f5\"/>\n"
    );
    draw_head(&mut svg, course, width);
    // From here on in metres, x to the right and y up, from the middle of the field.
    let middle = Vec2::new(width / 2.0, HEAD + size.y * SCALE / 2.0);
    _ = writeln!(svg, "<g transform=\"translate({} {}) scale({SCALE} -{SCALE})\">", middle.x, middle.y);
    draw_field(&mut svg);
    let trail: Vec<String> = course.trail().iter().map(|place| format!("{:.2},{:.2}", place.x, place.y)).collect();
    _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#ffe08a\" stroke-width=\"0.02\" stroke-opacity=\"0.9\"/>",
        trail.join(" ")
    );
    for (index, player) in course.players().iter().enumerate() {
        draw_robot(&mut svg, player, &course.arena().pose(index));
    }
    for (index, player) in course.players().iter().enumerate() {
        draw_belief(&mut svg, player, course.arena().pose(index).translation);
    }
    let ball = course.arena().ball();
    _ = writeln!(
        svg,
        "<circle cx=\"{:.3}\" cy=\"{:.3}\" r=\"{}\" fill=\"#ffffff\" stroke=\"#111111\" stroke-width=\"0.03\"/>\n</g>",
        ball.x,
        ball.y,
        1.6 * BALL_RADIUS
    );
    let words = |line: f32, text: &str| {
        let y = height - FOOT + 22.0 * line;
        format!("<text x=\"20\" y=\"{y}\" font-size=\"15\" fill=\"#444444\">{text}</text>\n")
    };
    svg += &words(
        1.0,
        "discs: where robots are, and look · dashed: where each believes to be, with a line to the ball that it believes in",
    );
    svg += &words(2.0, &format!("white: the ball · yellow: its way in the last {:.0} s", Course::TRAIL_SECONDS));
    svg.push_str("</svg>\n");
    svg
}

fn draw_head(svg: &mut String, course: &Course, width: f32) {
    let referee = course.official().referee();
    let [blue, red] = referee.score();
    let state = referee.state().name();
    let half = if referee.is_first_half() { "first" } else { "second" };
    let (home, away) = (color(TeamSide::Home), color(TeamSide::Away));
    _ = writeln!(
        svg,
        "<text x=\"20\" y=\"31\" font-size=\"22\" fill=\"#222222\">{half} half, {state}, {:.1} s</text>\n\
         <text x=\"{middle}\" y=\"32\" font-size=\"26\" font-weight=\"bold\" text-anchor=\"middle\"><tspan fill=\"{home}\">blue \
         {blue}</tspan><tspan fill=\"#222222\"> : </tspan><tspan fill=\"{away}\">{red} red</tspan></text>\n\
         <text x=\"{right}\" y=\"31\" font-size=\"16\" fill=\"#444444\" text-anchor=\"end\">blue plays to the right</text>",
        course.arena().time(),
        middle = width / 2.0,
        right = width - 20.0,
    );
}

fn draw_field(svg: &mut String) {
    let carpet = Vec2::new(LENGTH, WIDTH) / 2.0 + BORDER;
    _ = writeln!(
        svg,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#2f7d3c\"/>\n<g stroke=\"#ffffff\" stroke-width=\"{LINE_WIDTH}\" \
         stroke-linecap=\"square\" fill=\"none\" stroke-opacity=\"0.9\">",
        -carpet.x,
        -carpet.y,
        2.0 * carpet.x,
        2.0 * carpet.y
    );
    for line in LINES.iter().chain(&MARKS) {
        let (from, to) = (line.from, line.to);
        _ = writeln!(svg, "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", from.x, from.y, to.x, to.y);
    }
    _ = writeln!(svg, "<circle r=\"{CENTER_CIRCLE_RADIUS}\"/>\n</g>");
    for (x, side) in [(-LENGTH / 2.0 - GOAL_DEPTH, TeamSide::Home), (LENGTH / 2.0, TeamSide::Away)] {
        _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{}\" width=\"{GOAL_DEPTH}\" height=\"{GOAL_WIDTH}\" fill=\"#ffffff\" fill-opacity=\"0.25\" \
             stroke=\"{}\" stroke-width=\"0.06\"/>",
            -GOAL_WIDTH / 2.0,
            color(side)
        );
    }
}

fn draw_robot(svg: &mut String, player: &Player, pose: &Pose2) {
    let Vec2 { x, y } = pose.translation;
    let nose = pose.transform(Vec2::new(2.0 * ROBOT, 0.0));
    let color = color(player.side);
    _ = writeln!(
        svg,
        "<line x1=\"{x:.3}\" y1=\"{y:.3}\" x2=\"{:.3}\" y2=\"{:.3}\" stroke=\"{color}\" stroke-width=\"0.07\" stroke-linecap=\"round\"/>\n\
         <circle cx=\"{x:.3}\" cy=\"{y:.3}\" r=\"{ROBOT}\" fill=\"{color}\" stroke=\"#ffffff\" stroke-width=\"0.02\"/>",
        nose.x, nose.y
    );
    _ = writeln!(svg, "{}", shirt(player.number, pose.translation, "#ffffff"));
}

/// Returns the number of a robot as text around a place.
fn shirt(number: u8, Vec2 { x, y }: Vec2, color: &str) -> String {
    format!(
        "<text transform=\"translate({x:.3} {y:.3}) scale(1 -1)\" dy=\"0.075\" font-size=\"0.22\" font-weight=\"bold\" \
         fill=\"{color}\" stroke=\"none\" text-anchor=\"middle\">{number}</text>"
    )
}

/// Draws where a robot believes that it and the ball are, with a line from one to the other.
fn draw_belief(svg: &mut String, player: &Player, truth: Vec2) {
    let Some(world) = player.stepper.with_value(WorldModel::clone) else { return };
    let pose = player.side.pose(&world.robot);
    let (color, Vec2 { x, y }) = (pale(player.side), pose.translation);
    let nose = pose.transform(Vec2::new(2.0 * ROBOT, 0.0));
    _ = writeln!(
        svg,
        "<g fill=\"none\" stroke=\"{color}\" stroke-width=\"0.025\"><g stroke-dasharray=\"0.06 0.04\"><circle cx=\"{x:.3}\" \
         cy=\"{y:.3}\" r=\"{}\"/><line x1=\"{x:.3}\" y1=\"{y:.3}\" x2=\"{:.3}\" y2=\"{:.3}\"/></g>",
        1.15 * ROBOT,
        nose.x,
        nose.y
    );
    if pose.translation.distance(truth) > 2.0 * ROBOT {
        _ = writeln!(svg, "{}", shirt(player.number, pose.translation, color));
    }
    if let Some(ball) = world.ball {
        let ball = player.side.turn(ball.position);
        _ = writeln!(
            svg,
            "<circle cx=\"{:.3}\" cy=\"{:.3}\" r=\"{}\"/><line x1=\"{x:.3}\" y1=\"{y:.3}\" x2=\"{:.3}\" y2=\"{:.3}\" \
             stroke-width=\"0.01\" stroke-opacity=\"0.6\"/>",
            ball.x,
            ball.y,
            2.4 * BALL_RADIUS,
            ball.x,
            ball.y
        );
    }
    svg.push_str("</g>\n");
}

fn color(side: TeamSide) -> &'static str {
    match side {
        TeamSide::Home => "#2b5fd0",
        TeamSide::Away => "#c8322b",
    }
}

/// Returns the colour of what a team believes.
fn pale(side: TeamSide) -> &'static str {
    match side {
        TeamSide::Home => "#b3d0ff",
        TeamSide::Away => "#ffc2b5",
    }
}
