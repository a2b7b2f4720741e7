//! The green pixels, summed up so that any rectangle is counted with four look-ups.

use glam::Vec2;
use hemiola::prelude::*;

use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use super::field_color::{GreenTone, LowerFieldColor, UpperFieldColor};
use super::image_quality::{LowerQuality, Quality, UpperQuality};
use crate::representations::sensing::{Image, LowerImage, UpperImage};

/// An integral image (Crow: Summed-area tables for texture mapping, 1984) of the green pixels below
/// the horizon.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct GreenArea {
    /// The number of image pixels per cell, across and down.
    pub step: u32,
    /// The number of cells per row.
    pub columns: u32,
    /// The number of rows of cells.
    pub rows: u32,
    /// The `(columns + 1) * (rows + 1)` sums over all green cells above and left.
    pub sums: Vec<u32>,
}

impl GreenArea {
    /// Returns the share of green pixels, 0 to 1, in the rectangle between two image points; 0
    /// outside the image.
    #[inline]
    #[must_use]
    pub fn part(&self, from: Vec2, to: Vec2) -> f32 {
        let (green, all) = self.count(from, to);
        if all == 0 { 0.0 } else { green as f32 / all as f32 }
    }

    /// Returns the number of green cells in the rectangle between two image points, and the number
    /// of all cells. Takes four look-ups.
    #[inline]
    #[must_use]
    pub fn count(&self, from: Vec2, to: Vec2) -> (u32, u32) {
        if self.sums.is_empty() {
            return (0, 0);
        }
        let cell = 1.0 / self.step as f32;
        let limit = Vec2::new(self.columns as f32, self.rows as f32);
        let [from, to] = [from, to].map(|point| (point * cell).round().clamp(Vec2::ZERO, limit));
        let ([left, upper], [right, lower]) = ([from.x as u32, from.y as u32], [to.x as u32, to.y as u32]);
        if right <= left || lower <= upper {
            return (0, 0);
        }
        let sum = |column: u32, row: u32| self.sums[(row * (self.columns + 1) + column) as usize];
        let green = sum(right, lower) + sum(left, upper) - sum(right, upper) - sum(left, lower);
        (green, (right - left) * (lower - upper))
    }
}

/// The green area of the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperGreen {
    /// The green pixels.
    pub green: GreenArea,
}

/// The green area of the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerGreen {
    /// The green pixels.
    pub green: GreenArea,
}

/// Parameters of [`GreenMask`].
#[derive(Parameters)]
pub struct GreenMaskParameters {
    /// The number of cells per image row; a cell is one pixel of the image.
    #[parameter(default = 160, range = 40..=640)]
    pub columns: u32,
}

/// Classifies the pixels of a sparse grid below the horizon and sums them up.
#[derive(Module, Default)]
pub struct GreenMask {
    #[parameters]
    parameters: GreenMaskParameters,
}

#[module]
impl GreenMask {
    #[update]
    fn upper(
        &self,
        image: &UpperImage,
        camera: &UpperCamera,
        quality: &UpperQuality,
        color: &UpperFieldColor,
        green: &mut UpperGreen,
    ) {
        self.sum_up(&image.image, &camera.view, &quality.quality, &color.green, &mut green.green);
    }

    #[update]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        quality: &LowerQuality,
        color: &LowerFieldColor,
        green: &mut LowerGreen,
    ) {
        self.sum_up(&image.image, &camera.view, &quality.quality, &color.green, &mut green.green);
    }
}

impl GreenMask {
    pub(super) fn sum_up(
        &self,
        image: &Image,
        view: &CameraView,
        quality: &Quality,
        tone: &GreenTone,
        area: &mut GreenArea,
    ) {
        if !quality.usable {
            return;
        }
        area.step = (image.width / self.parameters.columns).max(1);
        (area.columns, area.rows) = (image.width / area.step, image.height / area.step);
        area.sums.resize((area.columns as usize + 1) * (area.rows as usize + 1), 0);
        let [left, right] = [0.0, view.size.x].map(|column| view.horizon(column));
        let horizon = left.min(right).clamp(0.0, view.size.y) as u32 / area.step;
        let width = area.columns as usize + 1;
        for row in horizon..area.rows {
            let mut sum = 0;
            for column in 0..area.columns {
                sum += u32::from(tone.is_green(image.ycbcr(column * area.step, row * area.step)));
                let place = (row as usize + 1) * width + column as usize + 1;
                area.sums[place] = area.sums[place - width] + sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_holds_as_much_green_as_was_painted() {
        let mut rgb = vec![120; 320 * 240 * 3];
        for row in 100..200 {
            for column in 40..120 {
                rgb[(row * 320 + column) * 3..][..3].copy_from_slice(&[40, 110, 60]);
            }
        }
        let image = Image::from_rgb(320, 240, &rgb);
        let rotation = glam::Quat::from_rotation_y(1.0);
        let pose = crate::geometry::Pose3::new(rotation, glam::Vec3::Z);
        let view = CameraView::new(pose, 320, 240, Vec2::new(1.0, 0.8));
        let quality = Quality { usable: true, ..Quality::default() };
        let mut area = GreenArea::default();
        GreenMask::default().sum_up(&image, &view, &quality, &GreenTone::default(), &mut area);
        assert_eq!(area.part(Vec2::new(40.0, 100.0), Vec2::new(120.0, 200.0)), 1.0);
        assert_eq!(area.part(Vec2::new(0.0, 100.0), Vec2::new(80.0, 200.0)), 0.5);
        assert_eq!(area.part(Vec2::new(140.0, 0.0), Vec2::new(320.0, 240.0)), 0.0);
        assert_eq!(area.count(Vec2::new(-50.0, -50.0), Vec2::new(500.0, 500.0)), (40 * 50, 160 * 120));
    }
}
