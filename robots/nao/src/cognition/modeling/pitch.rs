//! The field as a background of drawings.

use std::f32::consts::TAU;

use glam::Vec2;
use hemiola::prelude::*;

use crate::field::{BORDER, CENTER_CIRCLE_RADIUS, GOAL_DEPTH, LENGTH, LINES, MARKS, POST_RADIUS, POSTS, WIDTH};

/// Draws the carpet, lines, marks and goals.
pub fn draw(canvas: &Canvas<'_>) {
    let [carpet, line, goal] = [0x1c7a2c, 0xffffff, 0xcccccc].map(Color::new);
    let half = Vec2::new(LENGTH, WIDTH) / 2.0 + BORDER;
    canvas
        .polygon([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|corner| half * Vec2::from(corner)), carpet);
    for painted in LINES.iter().chain(&MARKS) {
        canvas.line([painted.from, painted.to], line);
    }
    canvas.polygon((0..32_u8).map(|part| Vec2::from_angle(f32::from(part) / 32.0 * TAU) * CENTER_CIRCLE_RADIUS), line);
    for [one, other] in [[POSTS[0], POSTS[1]], [POSTS[2], POSTS[3]]] {
        let depth = Vec2::X * GOAL_DEPTH * one.x.signum();
        canvas.line([one, one + depth, other + depth, other], goal);
    }
    POSTS.iter().for_each(|post| canvas.circle(*post, POST_RADIUS, goal));
}
