/// A colour. A number is read as `0xrrggbb`, opaque.
///
/// ```
/// use hemiola_model::module::Color;
///
/// assert_eq!(Color::from(0xff8800).channels(), [255, 136, 0, 255]);
/// assert_eq!(Color::RED.with_opacity(0.5).channels(), [255, 0, 0, 128]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color([u8; 4]);

impl Color {
    /// Black.
    pub const BLACK: Self = Self::new(0x000000);
    /// White.
    pub const WHITE: Self = Self::new(0xffffff);
    /// Grey.
    pub const GRAY: Self = Self::new(0x888888);
    /// Red.
    pub const RED: Self = Self::new(0xff0000);
    /// Orange.
    pub const ORANGE: Self = Self::new(0xff8800);
    /// Yellow.
    pub const YELLOW: Self = Self::new(0xffff00);
    /// Green.
    pub const GREEN: Self = Self::new(0x00ff00);
    /// Cyan.
    pub const CYAN: Self = Self::new(0x00ffff);
    /// Blue.
    pub const BLUE: Self = Self::new(0x0000ff);
    /// Magenta.
    pub const MAGENTA: Self = Self::new(0xff00ff);

    /// Creates an opaque colour from `0xrrggbb`.
    pub const fn new(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self([red, green, blue, 255])
    }

    /// Returns the same colour with an opacity between 0 (invisible) and 1 (opaque).
    #[must_use]
    pub fn with_opacity(self, opacity: f32) -> Self {
        let [red, green, blue, _] = self.0;
        Self([red, green, blue, (opacity.clamp(0.0, 1.0) * 255.0).round() as u8])
    }

    /// Returns red, green, blue and opacity.
    pub const fn channels(self) -> [u8; 4] {
        self.0
    }
}

impl From<u32> for Color {
    fn from(rgb: u32) -> Self {
        Self::new(rgb)
    }
}
