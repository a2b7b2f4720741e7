//! The quality of an image, which decides whether it is usable.

use hemiola::prelude::*;

use crate::representations::sensing::{Image, LowerImage, UpperImage};

/// The quality of an image as a whole.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Quality {
    /// The mean brightness, from 0 to 255.
    pub brightness: f32,
    /// The standard deviation of the brightness.
    pub contrast: f32,
    /// The part of the pixels that are nearly white or nearly black, from 0 to 1.
    pub clipped: f32,
    /// True if anything can be seen in the image. Otherwise modules leave their percepts empty.
    pub usable: bool,
}

/// The quality of the upper image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct UpperQuality {
    /// The quality of the image.
    pub quality: Quality,
}

/// The quality of the lower image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LowerQuality {
    /// The quality of the image.
    pub quality: Quality,
}

/// Parameters of [`ImageQuality`].
#[derive(Parameters)]
pub struct ImageQualityParameters {
    /// The contrast below which an image is blank: a covered lens, a broken frame.
    #[parameter(default = 4.0, range = 0.0..=100.0)]
    pub least_contrast: f32,
    /// The share of clipped pixels above which an image shows nothing.
    #[parameter(default = 0.9, range = 0.0..=1.0)]
    pub most_clipped: f32,
}

/// Measures brightness and contrast on a sparse grid.
#[derive(Module, Default)]
pub struct ImageQuality {
    #[parameters]
    parameters: ImageQualityParameters,
}

#[module]
impl ImageQuality {
    #[update]
    fn upper(&self, image: &UpperImage, quality: &mut UpperQuality) {
        quality.quality = self.quality(&image.image);
    }

    #[update]
    fn lower(&self, image: &LowerImage, quality: &mut LowerQuality) {
        quality.quality = self.quality(&image.image);
    }
}

impl ImageQuality {
    /// Examines every 8th pixel of every 4th row.
    pub(super) fn quality(&self, image: &Image) -> Quality {
        const SMALLEST: u32 = 16;
        let complete = image.pixels.len() == image.width as usize * image.height as usize * 2;
        if image.width < SMALLEST || image.height < SMALLEST || !complete {
            return Quality::default();
        }
        let (mut count, mut sum, mut squares, mut clipped) = (0_u32, 0_u64, 0_u64, 0_u32);
        for row in (0..image.height).step_by(4) {
            for &y in image.row(row).iter().step_by(16) {
                count += 1;
                sum += u64::from(y);
                squares += u64::from(y) * u64::from(y);
                clipped += u32::from(!(5..=250).contains(&y));
            }
        }
        let count = count as f32;
        let brightness = sum as f32 / count;
        let contrast = (squares as f32 / count - brightness * brightness).max(0.0).sqrt();
        let clipped = clipped as f32 / count;
        let usable = contrast >= self.parameters.least_contrast && clipped <= self.parameters.most_clipped;
        Quality { brightness, contrast, clipped, usable }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quality(image: Image) -> Quality {
        let mut quality = UpperQuality::default();
        ImageQuality::default().upper(&UpperImage { image }, &mut quality);
        quality.quality
    }

    #[test]
    fn nothing_is_seen_in_a_missing_a_broken_a_grey_and_a_black_image() {
        let grey = Image::from_rgb(64, 64, &[128; 64 * 64 * 3]);
        let broken = Image { width: 64, height: 64, pixels: vec![7; 100].into() };
        for image in [Image::default(), broken, grey, Image::new(320, 240)] {
            assert!(!quality(image).usable);
        }
    }

    #[test]
    fn an_image_with_contrast_is_usable() {
        let rgb: Vec<u8> = (0..64 * 64_u32).flat_map(|index| [(60 + index / 64 * 2) as u8; 3]).collect();
        let quality = quality(Image::from_rgb(64, 64, &rgb));
        assert!(quality.usable);
        assert!((quality.brightness - 121.0).abs() < 3.0, "{}", quality.brightness);
    }
}
