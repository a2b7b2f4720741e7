//! The likelihood that a candidate is a ball.

use std::f32::consts::TAU;

use glam::Vec2;
use hemiola::prelude::*;

use super::ball_candidates::{Candidate, LowerCandidates, UpperCandidates, radius_at};
use super::body_contour::{LowerContour, UpperContour};
use super::camera_matrix::{LowerCamera, UpperCamera};
use super::field_color::{LowerFieldColor, UpperFieldColor};
use super::scan_lines::Seen;
use crate::field::BALL_RADIUS;
use crate::representations::sensing::{LowerImage, UpperImage};

/// A candidate after a close look.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct RatedBall {
    /// The centre in the image.
    pub center: Vec2,
    /// The radius in the image, in pixels.
    pub radius: f32,
    /// The position on the ground.
    pub ground: Vec2,
    /// The measured features.
    pub features: BallFeatures,
    /// The confidence of the classifier, from 0 to 1.
    pub score: f32,
}

/// The features that distinguish a ball from other objects, all from 0 to 1.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct BallFeatures {
    /// The part of the directions in which green begins where the ball must end.
    pub rim: f32,
    /// The part of the disc that is not green.
    pub filled: f32,
    /// The part of a ring around the disc that is green.
    pub surrounded: f32,
    /// The standard deviation of the brightness on the disc: a ball has a pattern.
    pub pattern: f32,
    /// The part of the disc that is bright.
    pub bright: f32,
    /// The part of the disc that is much darker than its bright part.
    pub dark: f32,
}

/// The rated candidates of the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperBalls {
    /// The rated candidates, in the order of the candidates.
    pub balls: Vec<RatedBall>,
}

/// The rated candidates of the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerBalls {
    /// The rated candidates, in the order of the candidates.
    pub balls: Vec<RatedBall>,
}

/// The weights of a logistic regression over the features.
///
/// They are fitted to 5,032 candidates in 800 simulated images, 411 of them balls, as the test
/// `features_of_balls` prints them. A ball of another pattern needs weights of its own.
#[derive(Parameters)]
pub struct BallClassifierParameters {
    /// The score of a candidate without any feature, in logits.
    #[parameter(default = -20.8, range = -50.0..=50.0)]
    pub bias: f32,
    /// The weight of the rim.
    #[parameter(default = 8.9, range = -50.0..=50.0)]
    pub rim: f32,
    /// The weight of the filled disc.
    #[parameter(default = 10.0, range = -50.0..=50.0)]
    pub filled: f32,
    /// The weight of the green surroundings.
    #[parameter(default = 1.1, range = -50.0..=50.0)]
    pub surrounded: f32,
    /// The weight of the pattern.
    #[parameter(default = 9.1, range = -50.0..=50.0)]
    pub pattern: f32,
    /// The weight of the bright part.
    #[parameter(default = -3.8, range = -50.0..=50.0)]
    pub bright: f32,
    /// The weight of the dark part.
    #[parameter(default = 7.8, range = -50.0..=50.0)]
    pub dark: f32,
}

/// Moves every candidate to the position where its rim fits best, measures its features there and
/// rates them, all candidates in parallel.
#[derive(Module, Default)]
pub struct BallClassifier {
    #[parameters]
    parameters: BallClassifierParameters,
}

fn draw(balls: &[RatedBall], canvas: &Canvas<'_>) {
    for ball in balls {
        let color = Color::ORANGE.with_opacity(0.3 + 0.7 * ball.score);
        canvas.circle(ball.center, ball.radius, color);
        canvas.text(ball.center, format_args!("{:.2}", ball.score), color);
    }
}

#[module]
impl BallClassifier {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update names all that it reads")]
    fn upper(
        &self,
        image: &UpperImage,
        camera: &UpperCamera,
        color: &UpperFieldColor,
        contour: &UpperContour,
        candidates: &UpperCandidates,
        scope: &Scope,
        debug: &Debug,
        balls: &mut UpperBalls,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.rate(&seen, &candidates.candidates, scope, &mut balls.balls);
        debug.draw("UpperImage/ball candidates", |canvas| draw(&balls.balls, canvas));
    }

    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update names all that it reads")]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        color: &LowerFieldColor,
        contour: &LowerContour,
        candidates: &LowerCandidates,
        scope: &Scope,
        debug: &Debug,
        balls: &mut LowerBalls,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.rate(&seen, &candidates.candidates, scope, &mut balls.balls);
        debug.draw("LowerImage/ball candidates", |canvas| draw(&balls.balls, canvas));
    }
}

impl BallClassifier {
    pub(super) fn rate(&self, seen: &Seen<'_>, candidates: &[Candidate], scope: &Scope, balls: &mut Vec<RatedBall>) {
        balls.resize(candidates.len(), RatedBall::default());
        scope.for_each(balls, |index, ball| *ball = self.look(seen, &candidates[index]));
    }

    fn look(&self, seen: &Seen<'_>, candidate: &Candidate) -> RatedBall {
        let (center, radius) = best_fit(seen, candidate);
        let Some(ground) = seen.view.at_height(center, BALL_RADIUS) else { return RatedBall::default() };
        let features = features(seen, center, radius);
        RatedBall { center, radius, ground, features, score: self.score(&features) }
    }

    fn score(&self, features: &BallFeatures) -> f32 {
        let weights = &self.parameters;
        let logit = weights.bias
            + weights.rim * features.rim
            + weights.filled * features.filled
            + weights.surrounded * features.surrounded
            + weights.pattern * features.pattern
            + weights.bright * features.bright
            + weights.dark * features.dark;
        1.0 / (1.0 + (-logit).exp())
    }
}

/// The number of directions in which the rim is examined.
const DIRECTIONS: usize = 24;

/// Searches the neighbourhood of a candidate for the position with the clearest rim. The radius
/// follows from the position.
fn best_fit(seen: &Seen<'_>, candidate: &Candidate) -> (Vec2, f32) {
    let rate = |center: Vec2| {
        let radius = radius_at(seen.view, center)?;
        Some((rim_contrast(seen, center, radius), center, radius))
    };
    let mut best = rate(candidate.center).unwrap_or((0.0, candidate.center, candidate.radius));
    let mut step = (0.3 * candidate.radius).max(1.0);
    while step >= 0.5 {
        let around = [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y].map(|way| best.1 + step * way);
        let better = around.into_iter().filter_map(rate).filter(|other| other.0 > best.0);
        let better = better.reduce(|best, other| if other.0 > best.0 { other } else { best });
        match better.filter(|(_, center, _)| center.distance(candidate.center) < 1.5 * candidate.radius) {
            Some(better) => best = better,
            None => step *= 0.5,
        }
    }
    (best.1, best.2)
}

/// Returns the contrast at the rim: green just outside, and not just inside.
fn rim_contrast(seen: &Seen<'_>, center: Vec2, radius: f32) -> f32 {
    let gap = (0.15 * radius).max(0.8);
    directions()
        .map(|way| greenness(seen, center + way * (radius + gap)) - greenness(seen, center + way * (radius - gap)))
        .sum()
}

/// Returns the greenness, from 0 (no green at all) to 1 (as green as the carpet), with a smooth
/// transition.
fn greenness(seen: &Seen<'_>, point: Vec2) -> f32 {
    let Some([y, cb, cr]) = seen.pixel(point) else { return 0.5 };
    let color = Vec2::new(f32::from(cb) - 128.0, f32::from(cr) - 128.0);
    let full = seen.tone.saturation * (f32::from(y) + 12.0);
    ((color.dot(seen.tone.hue) - color.perp_dot(seen.tone.hue).abs()) / full.max(2.0)).clamp(0.0, 1.0)
}

fn directions() -> impl Iterator<Item = Vec2> {
    (0..DIRECTIONS).map(|index| Vec2::from_angle(index as f32 / DIRECTIONS as f32 * TAU))
}

fn features(seen: &Seen<'_>, center: Vec2, radius: f32) -> BallFeatures {
    let gap = (0.15 * radius).max(0.8);
    let green = |point: Vec2| seen.pixel(point).map(|color| seen.tone.is_green(color));
    let (mut rim, mut surrounded, mut seen_directions) = (0, 0, 0);
    for way in directions() {
        let Some(outside) = green(center + way * (radius + gap)) else { continue };
        let inside = green(center + way * (radius - gap)).unwrap_or(true);
        let around = green(center + way * (1.35 * radius + gap)).unwrap_or(true);
        seen_directions += 1;
        rim += u32::from(outside && !inside);
        surrounded += u32::from(around);
    }
    let disc = Disc::measure(seen, center, 0.85 * radius);
    let part = |count: u32, all: u32| if all == 0 { 0.0 } else { count as f32 / all as f32 };
    // A ball of which less than half is in the image cannot be distinguished from other objects.
    let whole = if seen_directions * 2 >= DIRECTIONS as u32 { seen_directions } else { DIRECTIONS as u32 };
    BallFeatures {
        rim: part(rim, whole),
        surrounded: part(surrounded, whole),
        filled: part(disc.other, disc.count),
        pattern: (disc.deviation / 80.0).min(1.0),
        bright: part(disc.bright, disc.count),
        dark: part(disc.dark, disc.count),
    }
}

/// The statistics of the pixels of a disc.
#[derive(Default)]
struct Disc {
    count: u32,
    other: u32,
    bright: u32,
    dark: u32,
    deviation: f32,
}

impl Disc {
    /// Measures at most about 15 x 15 pixels.
    fn measure(seen: &Seen<'_>, center: Vec2, radius: f32) -> Self {
        let step = (radius / 7.0).max(1.0);
        let steps = (radius / step) as i32;
        let points = || {
            let rows = -steps..=steps;
            rows.flat_map(move |row| (-steps..=steps).map(move |column| Vec2::new(column as f32, row as f32) * step))
                .filter(move |offset| offset.length_squared() <= radius * radius)
                .filter_map(|offset| seen.pixel(center + offset))
        };
        let mut disc = Self::default();
        let (mut sum, mut squares) = (0.0, 0.0);
        for color in points() {
            let y = f32::from(color[0]);
            sum += y;
            squares += y * y;
            disc.count += 1;
            disc.other += u32::from(!seen.tone.is_green(color));
            disc.bright += u32::from(seen.tone.is_white(color));
        }
        let count = disc.count.max(1) as f32;
        let mean = sum / count;
        disc.deviation = (squares / count - mean * mean).max(0.0).sqrt();
        let dark = 0.6 * seen.tone.brightness.max(0.5 * mean);
        disc.dark = points().filter(|color| f32::from(color[0]) < dark && !seen.tone.is_green(*color)).count() as u32;
        disc
    }
}
