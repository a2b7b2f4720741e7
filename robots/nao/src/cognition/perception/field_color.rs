//! The colour of the carpet.

use std::f32::consts::PI;

use glam::Vec2;
use hemiola::prelude::*;

use super::camera_matrix::{CameraView, LowerCamera, UpperCamera};
use super::image_quality::{LowerQuality, Quality, UpperQuality};
use crate::representations::sensing::{Image, LowerImage, UpperImage};

/// The colour of the carpet: a hue, and its saturation relative to the brightness. Both stay the
/// same when the light changes, because brightness and colour differences grow together.
#[derive(Data, Clone, Debug, PartialEq)]
pub struct GreenTone {
    /// A unit vector in the plane of blue and red difference.
    pub hue: Vec2,
    /// The saturation of the carpet: colour along the hue per brightness.
    pub saturation: f32,
    /// The brightness of the carpet, from 0 to 255.
    pub brightness: f32,
    /// The part of the carpet's saturation from which on a pixel is green.
    pub least_saturation: f32,
    /// The largest colour across the hue, as a part of the colour along it.
    pub widest_hue: f32,
}

impl Default for GreenTone {
    fn default() -> Self {
        Self { hue: Vec2::new(-0.4, -0.917), saturation: 0.3, brightness: 90.0, least_saturation: 0.5, widest_hue: 0.6 }
    }
}

impl GreenTone {
    /// Returns whether a pixel has the colour of the carpet.
    #[inline]
    #[must_use]
    pub fn is_green(&self, [y, cb, cr]: [u8; 3]) -> bool {
        let color = Vec2::new(f32::from(cb) - 128.0, f32::from(cr) - 128.0);
        let along = color.dot(self.hue);
        let least = self.least_saturation * self.saturation * (f32::from(y) + DARKNESS);
        along >= least.max(3.0) && color.perp_dot(self.hue).abs() <= self.widest_hue * along
    }

    /// Returns whether a pixel is clearly brighter than the carpet and not green: paint.
    #[inline]
    #[must_use]
    pub fn is_white(&self, color: [u8; 3]) -> bool {
        f32::from(color[0]) > 1.35 * self.brightness + 10.0 && !self.is_green(color)
    }
}

/// An offset that is added to the brightness, so that noise in dark pixels is no colour.
const DARKNESS: f32 = 12.0;

/// The carpet's colour in the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperFieldColor {
    /// The tone.
    pub green: GreenTone,
}

/// The carpet's colour in the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerFieldColor {
    /// The tone.
    pub green: GreenTone,
}

/// Parameters of [`FieldColor`].
#[derive(Parameters)]
pub struct FieldColorParameters {
    /// The share of the difference from the last image that is applied.
    #[parameter(default = 0.4, range = 0.01..=1.0)]
    pub adaptation: f32,
    /// The minimum share of the pixels below the horizon with the same green hue to be the carpet.
    #[parameter(default = 0.06, range = 0.01..=0.9)]
    pub least_part: f32,
    /// The minimum saturation of a green pixel, relative to that of the carpet.
    #[parameter(default = 0.5, range = 0.1..=1.0)]
    pub least_saturation: f32,
    /// The maximum colour across the hue, relative to the colour along it.
    #[parameter(default = 0.6, range = 0.1..=2.0)]
    pub widest_hue: f32,
}

/// Finds the most frequent green hue below the horizon in a histogram and follows it slowly.
///
/// Hues that no carpet has (yellow, red, blue) are not in the histogram. When too little green is
/// seen, the last tone stays.
#[derive(Module, Default)]
pub struct FieldColor {
    #[parameters]
    parameters: FieldColorParameters,
}

#[module]
impl FieldColor {
    #[update]
    fn upper(
        &self,
        image: &UpperImage,
        camera: &UpperCamera,
        quality: &UpperQuality,
        last: Previous<UpperFieldColor>,
        color: &mut UpperFieldColor,
    ) {
        color.green = self.green(&image.image, &camera.view, &quality.quality, &last.green);
    }

    #[update]
    fn lower(
        &self,
        image: &LowerImage,
        camera: &LowerCamera,
        quality: &LowerQuality,
        last: Previous<LowerFieldColor>,
        color: &mut LowerFieldColor,
    ) {
        color.green = self.green(&image.image, &camera.view, &quality.quality, &last.green);
    }
}

impl FieldColor {
    pub(super) fn green(&self, image: &Image, view: &CameraView, quality: &Quality, last: &GreenTone) -> GreenTone {
        let limits = |tone: GreenTone| GreenTone {
            least_saturation: self.parameters.least_saturation,
            widest_hue: self.parameters.widest_hue,
            ..tone
        };
        let seen = quality.usable.then(|| self.carpet(image, view)).flatten();
        let Some(seen) = seen else { return limits(last.clone()) };
        // The first tone is applied at once.
        let part = if *last == GreenTone::default() { 1.0 } else { self.parameters.adaptation };
        limits(GreenTone {
            hue: last.hue.lerp(seen.hue, part).normalize_or(seen.hue),
            saturation: last.saturation + part * (seen.saturation - last.saturation),
            brightness: last.brightness + part * (seen.brightness - last.brightness),
            ..seen
        })
    }

    /// Returns the tone of the most frequent green hue, if there is enough of it.
    fn carpet(&self, image: &Image, view: &CameraView) -> Option<GreenTone> {
        let mut hues = [Hue::default(); BINS];
        let mut samples = 0_u32;
        let step = (image.width / 64).max(1) as usize & !1;
        let step = step.max(2);
        for column in (0..image.width).step_by(step) {
            let horizon = view.horizon(column as f32).clamp(0.0, image.height as f32) as u32;
            for row in (horizon..image.height).step_by(step) {
                samples += 1;
                let [y, cb, cr] = image.ycbcr(column, row);
                let color = Vec2::new(f32::from(cb) - 128.0, f32::from(cr) - 128.0);
                let bright = f32::from(y) + DARKNESS;
                // Pixels that are nearly grey have no hue.
                let is_colorful = color.length_squared() > (0.0036 * bright * bright).max(16.0);
                if let Some(hue) = hue_bin(color).filter(|_| is_colorful) {
                    hues[hue].add(color, f32::from(y));
                }
            }
        }
        let around = |bin: usize| {
            let near = &hues[bin.saturating_sub(1)..(bin + 2).min(BINS)];
            near.iter().fold(Hue::default(), |sum, hue| sum.with(hue))
        };
        let best = (0..BINS).map(around).reduce(|best, other| if other.count > best.count { other } else { best })?;
        if best.count < self.parameters.least_part * samples as f32 || best.count < 10.0 {
            return None;
        }
        let hue = best.color.normalize_or(GreenTone::default().hue);
        Some(GreenTone {
            hue,
            saturation: best.color.length() / (best.brightness + DARKNESS * best.count),
            brightness: best.brightness / best.count,
            ..GreenTone::default()
        })
    }
}

/// The number of bins for hues, in steps of five degrees.
const BINS: usize = 20;
/// The smallest angle of greens in the plane of blue (x) and red (y) difference; the largest is
/// below.
const FIRST_HUE: f32 = -170.0 * PI / 180.0;
const LAST_HUE: f32 = -70.0 * PI / 180.0;

fn hue_bin(color: Vec2) -> Option<usize> {
    let part = (color.to_angle() - FIRST_HUE) / (LAST_HUE - FIRST_HUE);
    (0.0..1.0).contains(&part).then_some((part * BINS as f32) as usize)
}

/// Sums over the pixels of one hue.
#[derive(Clone, Copy, Default)]
struct Hue {
    count: f32,
    color: Vec2,
    brightness: f32,
}

impl Hue {
    fn add(&mut self, color: Vec2, brightness: f32) {
        *self = self.with(&Self { count: 1.0, color, brightness });
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            color: self.color + other.color,
            brightness: self.brightness + other.brightness,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARPET: [u8; 3] = [40, 110, 60];

    fn tone(carpet: [u8; 3]) -> GreenTone {
        let mut rgb = carpet.repeat(64 * 64);
        rgb[..64 * 20 * 3].fill(230);
        let image = Image::from_rgb(64, 64, &rgb);
        let quality = Quality { usable: true, ..Quality::default() };
        FieldColor::default().green(&image, &looking_down(), &quality, &GreenTone::default())
    }

    fn looking_down() -> CameraView {
        let rotation = glam::Quat::from_rotation_y(1.0);
        let pose = crate::geometry::Pose3::new(rotation, glam::Vec3::new(0.0, 0.0, 0.5));
        CameraView::new(pose, 64, 64, Vec2::new(1.0, 1.0))
    }

    fn is_green(tone: &GreenTone, rgb: [u8; 3]) -> bool {
        tone.is_green(Image::from_rgb(2, 1, &[rgb, rgb].concat()).ycbcr(0, 0))
    }

    #[test]
    fn the_carpet_stays_green_in_half_and_in_double_light() {
        let tone = tone(CARPET);
        for light in [0.5, 1.0, 2.0] {
            assert!(is_green(&tone, CARPET.map(|channel| (f32::from(channel) * light) as u8)), "{light}");
        }
    }

    #[test]
    fn paint_goals_skin_and_jerseys_are_not_green() {
        let tone = tone(CARPET);
        for other in [[214, 222, 212], [230, 210, 40], [200, 150, 120], [42, 66, 160], [176, 36, 44], [30, 30, 34]] {
            assert!(!is_green(&tone, other), "{other:?}");
        }
        assert!(tone.is_white(Image::from_rgb(2, 1, &[214; 6]).ycbcr(0, 0)));
    }

    #[test]
    fn the_tone_stays_when_the_carpet_is_out_of_sight() {
        let last = tone(CARPET);
        let image = Image::from_rgb(64, 64, &[90; 64 * 64 * 3]);
        let quality = Quality { usable: true, ..Quality::default() };
        assert_eq!(FieldColor::default().green(&image, &looking_down(), &quality, &last), last);
    }
}
