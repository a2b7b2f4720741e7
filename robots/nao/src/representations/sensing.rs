//! The data of sensors and joints: the boundary between the robot and its software.

use glam::{Quat, Vec2, Vec3};
use hemiola::prelude::*;

use crate::geometry::Pose2;
use crate::robot::JOINTS;

/// One sample of the inertial unit, in the torso's frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct ImuSample {
    /// The angular velocity, in rad/s.
    pub angular_velocity: Vec3,
    /// The acceleration, in m/s², gravity included: +9.81 along z at rest.
    pub acceleration: Vec3,
}

/// The measured positions of all joints.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct JointAngles {
    /// The positions, in radians, in the order of [`Joint`](crate::robot::Joint); those of hands
    /// from 0 (closed) to 1 (open).
    pub positions: [f32; JOINTS],
}

/// The forces on the four sensors under each foot: front outside, front inside, rear outside, rear
/// inside.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct FootPressure {
    /// The forces under the left foot, in newtons.
    pub left: [f32; 4],
    /// The forces under the right foot, in newtons.
    pub right: [f32; 4],
}

impl FootPressure {
    /// Returns the total force on both feet, in newtons.
    #[must_use]
    pub fn total(&self) -> f32 {
        self.left.iter().sum::<f32>() + self.right.iter().sum::<f32>()
    }
}

/// The request for the joints.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct JointRequest {
    /// The positions, in radians, in the order of [`Joint`](crate::robot::Joint).
    pub positions: [f32; JOINTS],
    /// The stiffness of each joint, from 0 (limp) to 1 (all of the motor's strength).
    pub stiffness: [f32; JOINTS],
}

/// A camera image as the NAO delivers it: YUYV 4:2:2, rows from top to bottom.
///
/// Two neighbouring pixels share four bytes: Y of the left, Cb, Y of the right, Cr. Outside the
/// process the image is a `sensor_msgs/Image` ([`image_message`](super::image_message)).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// The width in pixels, which is even.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The `width * height * 2` bytes.
    pub pixels: SharedBytes,
}

impl Image {
    /// Creates a black image.
    ///
    /// # Panics
    /// When `width` is odd, which the format cannot express.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        let mut image = Self::default();
        image.resize(width, height);
        image
    }

    /// Creates an image from rows of red, green and blue bytes (full range BT.601, as in JPEG).
    ///
    /// # Panics
    /// When `width` is odd or `rgb` does not hold `width * height * 3` bytes.
    #[must_use]
    pub fn from_rgb(width: u32, height: u32, rgb: &[u8]) -> Self {
        let mut image = Self::new(width, height);
        image.fill_from_rgb(rgb);
        image
    }

    /// Makes the image black and resizes it. Allocates only if it grows.
    ///
    /// # Panics
    /// When `width` is odd, which the format cannot express.
    pub fn resize(&mut self, width: u32, height: u32) {
        assert!(width.is_multiple_of(2), "a YUYV image has an even width, not {width}");
        (self.width, self.height) = (width, height);
        self.pixels.overwrite(width as usize * height as usize * 2, |pixels| {
            pixels.as_chunks_mut().0.fill([0, 128, 0, 128]);
        });
    }

    /// Overwrites all pixels from rows of red, green and blue bytes. Chroma is the mean of each
    /// pair of pixels.
    ///
    /// # Panics
    /// When `rgb` does not hold `width * height * 3` bytes.
    pub fn fill_from_rgb(&mut self, rgb: &[u8]) {
        assert_eq!(rgb.len() * 2, self.pixels.len() * 3, "three bytes per pixel of the image");
        self.pixels.overwrite(self.pixels.len(), |pixels| {
            for (pair, rgb) in pixels.chunks_exact_mut(4).zip(rgb.chunks_exact(6)) {
                let [left, right] = [&rgb[..3], &rgb[3..]].map(|color| ycbcr([color[0], color[1], color[2]]));
                pair.copy_from_slice(&[left[0], mean(left[1], right[1]), right[0], mean(left[2], right[2])]);
            }
        });
    }

    /// Returns the brightness at a pixel.
    ///
    /// # Panics
    /// If the pixel lies outside; the same holds for `cb`, `cr` and `ycbcr`.
    #[inline]
    #[must_use]
    pub fn y(&self, x: u32, y: u32) -> u8 {
        self.pixels[self.pair(x, y) + 2 * (x as usize % 2)]
    }

    /// Returns the blue difference at a pixel, shared with its neighbour.
    #[inline]
    #[must_use]
    pub fn cb(&self, x: u32, y: u32) -> u8 {
        self.pixels[self.pair(x, y) + 1]
    }

    /// Returns the red difference at a pixel, shared with its neighbour.
    #[inline]
    #[must_use]
    pub fn cr(&self, x: u32, y: u32) -> u8 {
        self.pixels[self.pair(x, y) + 3]
    }

    /// Returns the brightness, blue difference and red difference at a pixel.
    #[inline]
    #[must_use]
    pub fn ycbcr(&self, x: u32, y: u32) -> [u8; 3] {
        [self.y(x, y), self.cb(x, y), self.cr(x, y)]
    }

    /// Returns the `width * 2` bytes of one row.
    ///
    /// # Panics
    /// If `y` lies below the image.
    #[inline]
    #[must_use]
    pub fn row(&self, y: u32) -> &[u8] {
        let stride = self.width as usize * 2;
        &self.pixels[y as usize * stride..][..stride]
    }

    /// Returns all pixels as rows of red, green and blue bytes.
    #[must_use]
    pub fn to_rgb(&self) -> Vec<u8> {
        let color = |pair: &[u8], y: usize| rgb([pair[y], pair[1], pair[3]]);
        self.pixels.chunks_exact(4).flat_map(|pair| [color(pair, 0), color(pair, 2)]).flatten().collect()
    }

    #[inline]
    fn pair(&self, x: u32, y: u32) -> usize {
        debug_assert!(x < self.width && y < self.height, "pixel ({x}, {y}) outside {}x{}", self.width, self.height);
        (y as usize * self.width as usize + (x as usize & !1)) * 2
    }
}

/// The newest image of the camera in the forehead.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(transparent)]
pub struct UpperImage {
    /// The pixels.
    pub image: Image,
}

/// The newest image of the camera in the mouth.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(transparent)]
pub struct LowerImage {
    /// The pixels.
    pub image: Image,
}

/// A block of consecutive samples of one microphone.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct AudioBlock {
    /// The samples, from -1 to 1.
    pub samples: Vec<f32>,
    /// The sample rate, in hertz.
    pub sample_rate: f32,
}

/// The true state in the simulator, which the robot does not know: for scores and tests only.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct GroundTruth {
    /// The simulated time since the start, in seconds.
    pub time: f32,
    /// The point of the ground below the torso, and where the torso looks.
    pub robot: Pose2,
    /// The height of the torso's origin above the ground, in metres.
    pub torso_height: f32,
    /// The rotation from the torso's frame to the field's.
    pub torso_rotation: Quat,
    /// True if the robot lies on the ground.
    pub fallen: bool,
    /// The point at which the ball touches the field, in metres.
    pub ball: Vec2,
    /// The velocity of the ball, in m/s.
    pub ball_velocity: Vec2,
    /// The number of goals that the robot has scored.
    pub score: u32,
    /// The time of the robot's first goal, in seconds of simulated time; `None` before.
    pub scored_at: Option<f32>,
    /// The number of goals against the robot.
    pub goals_against: u32,
    /// The positions of the other robots, in metres.
    pub others: Vec<Vec2>,
}

fn mean(left: u8, right: u8) -> u8 {
    u8::midpoint(left, right)
}

/// Converts a colour by full range BT.601 with 16 bits of fraction.
fn ycbcr([red, green, blue]: [u8; 3]) -> [u8; 3] {
    let [red, green, blue] = [red, green, blue].map(i32::from);
    let luma = 19_595 * red + 38_470 * green + 7_471 * blue;
    let blue_difference = -11_059 * red - 21_709 * green + 32_768 * blue;
    let red_difference = 32_768 * red - 27_439 * green - 5_329 * blue;
    [luma, blue_difference + (128 << 16), red_difference + (128 << 16)].map(byte)
}

fn rgb([y, cb, cr]: [u8; 3]) -> [u8; 3] {
    let (y, cb, cr) = (i32::from(y) << 16, i32::from(cb) - 128, i32::from(cr) - 128);
    [y + 91_881 * cr, y - 22_554 * cb - 46_802 * cr, y + 116_130 * cb].map(byte)
}

fn byte(fixed: i32) -> u8 {
    ((fixed + (1 << 15)) >> 16).clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grey_image_keeps_its_brightness_and_has_no_colour() {
        let image = Image::from_rgb(2, 1, &[10, 10, 10, 200, 200, 200]);
        assert_eq!(image.ycbcr(0, 0), [10, 128, 128]);
        assert_eq!(image.ycbcr(1, 0), [200, 128, 128]);
        assert_eq!(image.to_rgb(), [10, 10, 10, 200, 200, 200]);
    }

    #[test]
    fn primary_colours_have_their_published_values() {
        // ITU-T T.871 (JFIF), rounded.
        for (color, expected) in [
            ([255, 0, 0], [76, 85, 255]),
            ([0, 255, 0], [150, 44, 21]),
            ([0, 0, 255], [29, 255, 107]),
            ([255, 255, 255], [255, 128, 128]),
        ] {
            let image = Image::from_rgb(2, 1, &[color, color].concat());
            assert_eq!(image.ycbcr(1, 0), expected, "{color:?}");
            for (got, wanted) in image.to_rgb().into_iter().zip([color, color].concat()) {
                assert!(got.abs_diff(wanted) <= 2, "{got} {wanted}");
            }
        }
    }

    #[test]
    fn rows_lie_one_after_the_other() {
        let mut rgb = vec![0; 4 * 2 * 3];
        rgb[4 * 3..].fill(90);
        let image = Image::from_rgb(4, 2, &rgb);
        assert!(image.row(1).iter().step_by(2).all(|&y| y == 90));
        assert_eq!((image.y(3, 0), image.y(0, 1)), (0, 90));
    }

    #[test]
    #[should_panic(expected = "even width")]
    fn an_odd_width_is_refused() {
        let _ = Image::new(3, 3);
    }
}
