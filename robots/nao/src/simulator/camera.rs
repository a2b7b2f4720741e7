//! The image of a camera in the simulated world.
//!
//! The image is rendered row by row: first the ground and the hall, one ray per pixel into textures
//! (`scenery`), then the shapes that stand on the ground, far ones first (`shapes`), and finally
//! the effects of the sensor: exposure, vignetting, noise. Rendering does not allocate, and is the
//! same for the same snapshot, camera and seed.

mod projection;
mod scenery;
mod shapes;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use self::scenery::{Ground, Scenery};
use self::shapes::Shapes;
use super::random::Random;
use super::world::SimulatedWorld;
use crate::representations::sensing::Image;

pub use self::projection::Projection;
pub use crate::robot::kinematics::Camera;

/// The width of an image that is rendered into an empty one, in pixels.
pub const WIDTH: u32 = 320;
/// The height of an image that is rendered into an empty one, in pixels.
pub const HEIGHT: u32 = 240;
/// The maximum width that can be rendered, in pixels.
pub const LARGEST_WIDTH: u32 = 1280;

/// The darkening of a corner of the image relative to its centre.
const VIGNETTING: f32 = 0.22;
/// The standard deviation of the noise of brightness, in steps of 8 bits; that of colour is below.
const BRIGHTNESS_NOISE: f32 = 2.2;
const COLOR_NOISE: f32 = 1.4;

static SCENERY: LazyLock<Scenery> = LazyLock::new(Scenery::new);
static NOISE: LazyLock<NoiseTable> = LazyLock::new(NoiseTable::new);

/// Builds the textures, which takes about a tenth of a second once. Call it before the first image
/// has a deadline.
pub fn prepare() {
    LazyLock::force(&SCENERY);
    LazyLock::force(&NOISE);
}

/// Renders the view of `camera` into `image`, which keeps its size; an empty image becomes
/// [`WIDTH`] x [`HEIGHT`].
///
/// About 2 ms for 320 x 240 pixels on one core: 1.3 ms of ground, more where the hall is in view.
///
/// # Panics
/// If the image is wider than [`LARGEST_WIDTH`].
pub fn render(world: &SimulatedWorld, camera: Camera, noise_seed: u64, image: &mut Image) {
    if image.pixels.is_empty() {
        image.resize(WIDTH, HEIGHT);
    }
    assert!(image.width <= LARGEST_WIDTH, "an image of {} columns is too wide to render", image.width);
    let projection = Projection::new(world, camera, image.width, image.height);
    let shapes = Shapes::seen(world, &projection);
    let ground = Ground::new(&SCENERY, &projection);
    let mut sensor = Sensor::new(world.exposure, noise_seed, image.width, image.height);
    let mut row = Row::new(image.width);
    let stride = image.width as usize * 2;
    image.pixels.overwrite(image.pixels.len(), |pixels| {
        for (v, bytes) in pixels.chunks_exact_mut(stride).enumerate() {
            let v = v as f32 + 0.5;
            ground.draw(v, &mut row);
            shapes.draw(v, &mut row);
            sensor.read_out(v, &row, bytes);
        }
    });
}

/// A colour as brightness, blue difference and red difference; the differences are around 0.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Color {
    y: f32,
    cb: f32,
    cr: f32,
}

impl Color {
    /// Converts red, green and blue (full range BT.601).
    const fn rgb(red: f32, green: f32, blue: f32) -> Self {
        let y = 0.299 * red + 0.587 * green + 0.114 * blue;
        Self { y, cb: 0.564 * (blue - y), cr: 0.713 * (red - y) }
    }

    /// Returns the same colour in more or less light.
    fn lit(self, light: f32) -> Self {
        Self { y: self.y * light, cb: self.cb * light, cr: self.cr * light }
    }

    /// Returns this colour with a share of another over it.
    fn mixed(self, other: Self, part: f32) -> Self {
        let mix = |from: f32, to: f32| from + part * (to - from);
        Self { y: mix(self.y, other.y), cb: mix(self.cb, other.cb), cr: mix(self.cr, other.cr) }
    }
}

/// The number of pixels that are processed together.
const BLOCK: usize = 32;

/// One row of the image before the sensor reads it: brightness, blue difference and red difference.
struct Row {
    width: usize,
    /// The brightness, with a rest that fills the last block.
    y: [f32; LARGEST_WIDTH as usize],
    cb: [f32; LARGEST_WIDTH as usize],
    cr: [f32; LARGEST_WIDTH as usize],
}

impl Row {
    fn new(width: u32) -> Self {
        let black = [0.0; LARGEST_WIDTH as usize];
        Self { width: width as usize, y: black, cb: black, cr: black }
    }

    fn width(&self) -> usize {
        self.width
    }

    /// Returns the block that begins at column `start`.
    fn block(&mut self, start: usize) -> [&mut [f32; BLOCK]; 3] {
        [&mut self.y, &mut self.cb, &mut self.cr]
            .map(|colors| colors[start..].first_chunk_mut().expect("a row has room for whole blocks"))
    }

    fn get(&self, u: usize) -> Color {
        Color { y: self.y[u], cb: self.cb[u], cr: self.cr[u] }
    }

    fn set(&mut self, u: usize, color: Color) {
        (self.y[u], self.cb[u], self.cr[u]) = (color.y, color.cb, color.cr);
    }
}

/// The exposure, vignetting and noise of the image sensor.
struct Sensor {
    random: Random,
    gain: f32,
    noise: &'static NoiseTable,
    center: [f32; 2],
    /// The vignetting per squared pixel from the centre.
    falloff: f32,
}

impl Sensor {
    fn new(exposure: f32, seed: u64, width: u32, height: u32) -> Self {
        let center = [width as f32 / 2.0, height as f32 / 2.0];
        let corner = center[0] * center[0] + center[1] * center[1];
        Self { random: Random::new(seed), gain: exposure.exp2(), noise: &NOISE, center, falloff: VIGNETTING / corner }
    }

    fn read_out(&mut self, v: f32, row: &Row, bytes: &mut [u8]) {
        const BRIGHTNESS: f32 = BRIGHTNESS_NOISE / NoiseTable::DEVIATION;
        const COLOR: f32 = COLOR_NOISE / NoiseTable::DEVIATION;
        let noise = self.noise.somewhere(&mut self.random, row.width * 2);
        let vertical = (v - self.center[1]) * (v - self.center[1]);
        for (index, (bytes, noise)) in bytes.chunks_exact_mut(4).zip(noise.chunks_exact(4)).enumerate() {
            let (left, right) = (2 * index, 2 * index + 1);
            let horizontal = right as f32 - self.center[0];
            let light = self.gain * (1.0 - self.falloff * (horizontal * horizontal + vertical));
            // Bright pixels are a little noisier, because photons arrive at random.
            let bright = |y: f32, noise: i8| y * light + f32::from(noise) * (BRIGHTNESS * (0.6 + 0.004 * y));
            let colorful =
                |pair: &[f32], noise: i8| 128.0 + 0.5 * (pair[left] + pair[right]) * light + f32::from(noise) * COLOR;
            // `as` saturates at the ends of the range.
            bytes[0] = bright(row.y[left], noise[0]) as u8;
            bytes[1] = colorful(&row.cb, noise[1]) as u8;
            bytes[2] = bright(row.y[right], noise[2]) as u8;
            bytes[3] = colorful(&row.cr, noise[3]) as u8;
        }
    }
}

/// Normally distributed numbers, drawn once: each row uses a piece at a random position.
struct NoiseTable {
    numbers: Vec<i8>,
}

impl NoiseTable {
    /// The standard deviation of the numbers.
    const DEVIATION: f32 = 30.0;
    const LENGTH: usize = 1 << 15;

    fn new() -> Self {
        let mut random = Random::new(0x006e_6f69_7365);
        Self { numbers: (0..Self::LENGTH).map(|_| (random.normal() * Self::DEVIATION) as i8).collect() }
    }

    fn somewhere(&self, random: &mut Random, length: usize) -> &[i8] {
        let start = (random.next_u64() >> 32) as usize % (self.numbers.len() - length);
        &self.numbers[start..start + length]
    }
}
