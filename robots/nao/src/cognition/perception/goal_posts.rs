//! Goal posts: upright, of one colour, and as wide as a post must be where it meets the carpet.

use glam::Vec2;
use hemiola::prelude::*;

use super::body_contour::{LowerContour, UpperContour};
use super::camera_matrix::{LowerCamera, UpperCamera};
use super::crossings::ImageLandmark;
use super::field_boundary::{Boundary, LowerBoundary, UpperBoundary};
use super::field_color::{LowerFieldColor, UpperFieldColor};
use super::scan_lines::Seen;
use crate::field::POST_RADIUS;
use crate::representations::perception::LandmarkShape;
use crate::representations::sensing::{LowerImage, UpperImage};

/// Goal posts in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperPosts {
    /// The feet of the goal posts.
    pub posts: Vec<ImageLandmark>,
}

/// Goal posts in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerPosts {
    /// The feet of the goal posts.
    pub posts: Vec<ImageLandmark>,
}

/// Parameters of [`GoalPosts`].
#[derive(Parameters)]
pub struct GoalPostsParameters {
    /// The diameter of a post.
    #[parameter(default = 2.0 * POST_RADIUS, range = 0.02..=0.5, unit = "m")]
    pub diameter: f32,
    /// The factor by which a post may appear wider or narrower.
    #[parameter(default = 1.6, range = 1.0..=5.0)]
    pub width_tolerance: f32,
    /// The minimum height of a post.
    #[parameter(default = 0.4, range = 0.05..=2.0, unit = "m")]
    pub least_height: f32,
    /// The maximum difference between the colours of two parts of a post, relative to its
    /// brightness.
    #[parameter(default = 0.3, range = 0.0..=2.0)]
    pub color_tolerance: f32,
    /// The blue difference below grey, relative to the brightness, from which on a post is yellow;
    /// others must be white.
    #[parameter(default = 0.22, range = 0.0..=1.0)]
    pub least_yellow: f32,
    /// The minimum share of the rows of a post that are as wide as a post.
    #[parameter(default = 0.7, range = 0.0..=1.0)]
    pub least_rows: f32,
    /// The distance beyond which posts are not searched.
    #[parameter(default = 8.0, range = 0.5..=12.0, unit = "m")]
    pub farthest: f32,
}

/// Starts at the border of the carpet wherever the image is yellow or white, follows that colour
/// down to the carpet, which determines the foot and so the expected width and height, and checks
/// both row by row.
#[derive(Module, Default)]
pub struct GoalPosts {
    #[parameters]
    parameters: GoalPostsParameters,
}

#[module]
impl GoalPosts {
    #[update]
    fn upper(
        &self,
        image: &UpperImage,
        camera: &UpperCamera,
        color: &UpperFieldColor,
        contour: &UpperContour,
        boundary: &UpperBoundary,
        posts: &mut UpperPosts,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &boundary.boundary, &mut posts.posts);
    }

    #[update]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        color: &LowerFieldColor,
        contour: &LowerContour,
        boundary: &LowerBoundary,
        posts: &mut LowerPosts,
    ) {
        let seen = Seen { image: &image.image, view: &camera.view, tone: &color.green, contour: &contour.contour };
        self.find(&seen, &boundary.boundary, &mut posts.posts);
    }
}

/// A colour with which parts of a post are compared.
#[derive(Clone, Copy)]
struct Paint {
    y: f32,
    cb: f32,
    cr: f32,
    /// The maximum deviation of the brightness and of each colour difference.
    tolerance: [f32; 2],
}

impl Paint {
    fn is(&self, [y, cb, cr]: [u8; 3]) -> bool {
        let [brightness, color] = self.tolerance;
        (f32::from(y) - self.y).abs() <= brightness
            && (f32::from(cb) - self.cb).abs() <= color
            && (f32::from(cr) - self.cr).abs() <= color
    }
}

impl GoalPosts {
    pub(super) fn find(&self, seen: &Seen<'_>, boundary: &Boundary, posts: &mut Vec<ImageLandmark>) {
        let width = seen.image.width;
        let step = (width / 160).max(1);
        let mut column = step / 2;
        while column < width {
            let post = boundary.row(column as f32 + 0.5).and_then(|border| self.post(seen, column, border));
            column += step;
            let Some((post, right)) = post else { continue };
            let same = |other: &ImageLandmark| other.ground.distance(post.ground) < 3.0 * self.parameters.diameter;
            if !posts.iter().any(same) {
                posts.push(post);
            }
            column = column.max(right);
        }
    }

    /// Returns the post through a column that begins at or above the row `border`, and the first
    /// column to the right of it.
    fn post(&self, seen: &Seen<'_>, column: u32, border: f32) -> Option<(ImageLandmark, u32)> {
        let start = (border - 4.0).clamp(0.0, seen.view.size.y - 1.0) as u32;
        let paint = self.paint(seen, seen.image.ycbcr(column, start))?;
        let foot = foot(seen, &paint, column, start);
        let image_foot = Vec2::new(column as f32 + 0.5, foot as f32);
        let ground = seen.view.ground(image_foot).filter(|at| at.length() <= self.parameters.farthest)?;
        // There are no posts beyond the carpet.
        if (foot as f32) < border + 1.0 {
            return None;
        }
        let expected = self.parameters.diameter * seen.view.pixels_per_metre(ground);
        let (left, right) = self.extent(seen, &paint, column, foot, expected)?;
        // The first column may have been at the edge, where colours mix.
        let column = (left + right) / 2;
        let above = foot.saturating_sub(2).max(start.min(foot));
        let paint = self.paint(seen, seen.image.ycbcr(column, above)).unwrap_or(paint);
        let (left, right) = self.extent(seen, &paint, column, foot, expected)?;
        let middle = 0.5 * (left + right + 1) as f32;
        let image = Vec2::new(middle, f32::from(u16::try_from(self::foot(seen, &paint, middle as u32, start)).ok()?));
        let ground = seen.view.ground(image)?;
        Some((ImageLandmark { kind: LandmarkShape::GoalPost, image, ground }, right + 1))
    }

    /// Returns the colour of a post if a pixel has one.
    fn paint(&self, seen: &Seen<'_>, color: [u8; 3]) -> Option<Paint> {
        let [y, cb, cr] = color.map(f32::from);
        let yellow = 128.0 - cb >= self.parameters.least_yellow * (y + 20.0) && cr >= 118.0 && y > 40.0;
        if !yellow && (!seen.tone.is_white(color) || (cb - 128.0).abs() + (cr - 128.0).abs() > 0.2 * y) {
            return None;
        }
        let tolerance = [self.parameters.color_tolerance * y, if yellow { 28.0 } else { 14.0 }];
        Some(Paint { y, cb, cr, tolerance })
    }

    /// Returns the columns that a post covers, if in most rows above its foot it is as wide as
    /// expected.
    fn extent(&self, seen: &Seen<'_>, paint: &Paint, column: u32, foot: u32, expected: f32) -> Option<(u32, u32)> {
        const ROWS: u32 = 12;
        let height = self.parameters.least_height / self.parameters.diameter * expected;
        let top = (foot as f32 - height).max(0.0);
        // An object of which only the lowest part is seen always appears upright.
        if foot as f32 - top < 0.4 * height {
            return None;
        }
        let tolerance = self.parameters.width_tolerance;
        let (mut rows, mut fitting, mut low) = (0, 0, None);
        for index in 0..ROWS {
            let row = foot as f32 - 2.0 - (foot as f32 - 2.0 - top) * index as f32 / ROWS as f32;
            if row < 0.0 {
                break;
            }
            rows += 1;
            let row = row as u32;
            let reach = (tolerance * expected) as u32 + 3;
            let is_post = |column: u32| paint.is(seen.image.ycbcr(column, row));
            if !is_post(column) {
                continue;
            }
            let left = (column.saturating_sub(reach)..=column).rev().take_while(|at| is_post(*at)).last()?;
            let right = (column..(column + reach).min(seen.image.width)).take_while(|at| is_post(*at)).last()?;
            let width = (right - left + 1) as f32;
            // A post at the border of the image is only partly seen.
            let cut = left == 0 || right + 1 == seen.image.width;
            let wide_enough = width * tolerance >= expected - 1.0 || cut && width >= 3.0;
            if wide_enough && width <= tolerance * expected + 1.0 {
                fitting += 1;
                low = low.or(Some((left, right)));
            }
        }
        low.filter(|_| rows >= 4 && fitting as f32 >= self.parameters.least_rows * rows as f32)
    }
}

/// Returns the first row below a post, following its colour down from `start`.
fn foot(seen: &Seen<'_>, paint: &Paint, column: u32, start: u32) -> u32 {
    let column = column.min(seen.image.width - 1);
    let mut last = start;
    for row in start..seen.image.height {
        let color = seen.image.ycbcr(column, row);
        if paint.is(color) {
            last = row + 1;
        } else if seen.tone.is_green(color) || row > last + 2 {
            break;
        }
    }
    last
}
