use hemiola::module::{ImageFormat, PixelFormat};
use hemiola::prelude::*;

use crate::geometry::{HEIGHT, WIDTH};
use crate::representations::{CameraImage, ColorRuns, Run};

/// Knobs to turn in `[module.Segmenter]` of robot.toml, or while it runs: in the page, or by
/// `cargo run -p camera -- parameters set Segmenter.hue 223`.
#[derive(Parameters)]
pub struct SegmenterParameters {
    /// The hue that is looked for: 0 is red, 120 green, 240 blue.
    #[parameter(default = 24.0, range = 0.0..=360.0, unit = "°")]
    hue: f32,
    /// Hues this far from it are taken for it.
    #[parameter(default = 14.0, range = 1.0..=90.0, unit = "°")]
    tolerance: f32,
    /// The least saturation: grey has none, and no hue either.
    #[parameter(default = 60, range = 0..=100, unit = "%")]
    saturation: u32,
    /// The least brightness, of 255: the hue of what is darker is noise.
    #[parameter(default = 50, range = 0..=255)]
    brightness: u8,
}

/// Finds the pixels that have the colour of the ball. All workers of the cycle share the work.
#[derive(Module)]
pub struct Segmenter {
    #[parameters]
    parameters: SegmenterParameters,
    /// The runs in each band of the image.
    #[stateless]
    bands: [Vec<Run>; BANDS],
}

const BANDS: usize = 8;

#[module]
impl Segmenter {
    #[update]
    pub(super) fn runs(&mut self, image: &CameraImage, scope: &Scope, debug: &Debug, runs: &mut ColorRuns) {
        let (step, data) = (image.image.step as usize, &image.image.data);
        if step == 0 {
            return; // an image without rows
        }
        let parameters = &self.parameters;
        let rows = data.len().div_ceil(step).div_ceil(BANDS);
        scope.for_each(&mut self.bands, |index, band| {
            band.clear();
            let lines = data.chunks_exact(step).enumerate().skip(index * rows).take(rows);
            lines.for_each(|(row, line)| parameters.add_runs(row as u32, line, band));
        });
        runs.runs.extend(self.bands.iter().flatten());
        let format = ImageFormat { width: WIDTH, height: HEIGHT, pixels: PixelFormat::Mono8 };
        debug.image("segments", format, |pixels| {
            for Run { row, begin, end } in &runs.runs {
                let row = (row * WIDTH) as usize;
                pixels[row + *begin as usize..row + *end as usize].fill(255);
            }
        });
    }
}

impl SegmenterParameters {
    /// Appends the runs of a row of pixels.
    fn add_runs(&self, row: u32, line: &[u8], runs: &mut Vec<Run>) {
        let mut begin = None;
        let mut end = 0;
        for (column, pixel) in (0..).zip(line.chunks_exact(3)) {
            let is_ball = self.matches([pixel[0], pixel[1], pixel[2]]);
            match begin {
                None if is_ball => begin = Some(column),
                Some(from) if !is_ball => {
                    runs.push(Run { row, begin: from, end: column });
                    begin = None;
                }
                _ => {}
            }
            end = column + 1;
        }
        runs.extend(begin.map(|begin| Run { row, begin, end }));
    }

    fn matches(&self, [red, green, blue]: [u8; 3]) -> bool {
        let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
        let chroma = u32::from(most - least);
        if most < self.brightness.max(1) || 100 * chroma < self.saturation.max(1) * u32::from(most) {
            return false; // most pixels end here
        }
        let difference = |one: u8, other: u8| (f32::from(one) - f32::from(other)) / chroma as f32;
        let sextant = match most {
            most if most == red => difference(green, blue),
            most if most == green => 2.0 + difference(blue, red),
            _ => 4.0 + difference(red, green),
        };
        let apart = (60.0 * sextant - self.hue).abs();
        apart.min((360.0 - apart).abs()) < self.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(hue: f32, color: [u8; 3]) -> bool {
        SegmenterParameters { hue, ..SegmenterParameters::default() }.matches(color)
    }

    #[test]
    fn a_colour_is_known_in_light_and_in_shadow() {
        for brightness in [0.4, 0.7, 1.0] {
            let color = [240.0, 110.0, 25.0].map(|channel: f64| (brightness * channel) as u8);
            assert!(matches(24.0, color) && !matches(223.0, color), "{color:?}");
        }
        assert!(matches(223.0, [40, 90, 220]));
        assert!([[200, 200, 200], [0, 0, 0], [20, 9, 2], [255, 255, 255]].iter().all(|grey| !matches(24.0, *grey)));
    }

    #[test]
    fn hues_are_a_circle() {
        let (red, pinkish, orangish) = ([255, 0, 0], [255, 0, 20], [255, 20, 0]);
        for hue in [0.0, 360.0, 355.0, 5.0] {
            assert!([red, pinkish, orangish].iter().all(|color| matches(hue, *color)), "{hue}");
        }
    }

    #[test]
    fn runs_end_where_the_colour_does_or_the_row() {
        let (ball, wall) = ([240, 110, 25], [200, 200, 200]);
        let line = [ball, ball, wall, ball, wall, wall, ball, ball].concat();
        let mut runs = Vec::new();
        SegmenterParameters::default().add_runs(7, &line, &mut runs);
        let run = |begin, end| Run { row: 7, begin, end };
        assert_eq!(runs, [run(0, 2), run(3, 4), run(6, 8)]);
    }
}
