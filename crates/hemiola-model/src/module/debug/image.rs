use std::fmt;

/// An image that an update has shown: [`Debug::image`](super::Debug::image).
///
/// ```
/// use hemiola_model::module::{DebugImage, ImageFormat, PixelFormat};
///
/// let format = ImageFormat { width: 2, height: 1, pixels: PixelFormat::Rgb8 };
/// assert_eq!(format.bytes(), 6);
/// let image = DebugImage::new(format, &[255, 0, 0, 0, 255, 0]);
/// assert_eq!(image.rows().next().map(|row| row.len()), Some(6));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DebugImage {
    format: ImageFormat,
    pixels: Box<[u8]>,
}

/// The size of an image, and the format of its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageFormat {
    /// The number of pixels in a row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The format of a pixel.
    pub pixels: PixelFormat,
}

/// The format of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelFormat {
    /// One byte of brightness.
    Mono8,
    /// Two bytes of brightness, little-endian, for example a depth.
    Mono16,
    /// Three bytes: red, green and blue.
    Rgb8,
    /// Four bytes: red, green, blue and opacity.
    Rgba8,
    /// Two pixels in four bytes: brightness, blue, brightness, red.
    Yuyv,
}

impl PixelFormat {
    /// Returns the number of bytes of a pixel.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Mono8 => 1,
            Self::Mono16 | Self::Yuyv => 2,
            Self::Rgb8 => 3,
            Self::Rgba8 => 4,
        }
    }

    /// Returns the name of the format in `sensor_msgs/Image`.
    pub const fn encoding(self) -> &'static str {
        match self {
            Self::Mono8 => "mono8",
            Self::Mono16 => "mono16",
            Self::Rgb8 => "rgb8",
            Self::Rgba8 => "rgba8",
            Self::Yuyv => "yuv422_yuy2",
        }
    }
}

impl ImageFormat {
    /// Returns the number of bytes of a row.
    pub const fn step(self) -> usize {
        (self.width as usize).saturating_mul(self.pixels.bytes())
    }

    /// Returns the number of bytes of all pixels.
    pub const fn bytes(self) -> usize {
        self.step().saturating_mul(self.height as usize)
    }
}

impl DebugImage {
    /// Creates an image of these pixels, row by row; missing pixels are zero.
    pub fn new(format: ImageFormat, pixels: &[u8]) -> Self {
        let pixels = pixels.iter().copied().chain(std::iter::repeat(0)).take(format.bytes()).collect();
        Self { format, pixels }
    }

    /// Returns the size, and the format of the pixels.
    pub fn format(&self) -> ImageFormat {
        self.format
    }

    /// Returns all pixels, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Returns the rows, from the top.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks(self.format.step().max(1))
    }
}

impl fmt::Debug for DebugImage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DebugImage").field("format", &self.format).finish_non_exhaustive()
    }
}
