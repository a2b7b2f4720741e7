use std::ops::Range;

/// A stream of random numbers that is the same in every run: SplitMix64 (Steele, Lea, Flood: Fast
/// Splittable Pseudorandom Number Generators, 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates the stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Creates the stream of one image among those of a seed.
    #[must_use]
    pub fn for_image(seed: u64, image: u64) -> Self {
        Self::new(Self::new(seed).bits() ^ Self::new(image).bits().rotate_left(1))
    }

    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number that is evenly distributed over a range.
    pub fn uniform(&mut self, range: Range<f64>) -> f64 {
        let share = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        range.start + share * (range.end - range.start)
    }

    /// Returns a number that is nearly normal with mean 0 and standard deviation 1: the sum of
    /// twelve that are uniform.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform(-0.5..0.5)).sum()
    }

    /// Changes the brightness of each pixel by chance, with this standard deviation.
    pub fn add_noise(&mut self, deviation: f64, pixels: &mut [u8]) {
        // The sum of two bytes, of which each has the variance (256² - 1) / 12.
        let scale = deviation / (65535.0_f64 / 6.0).sqrt();
        for four in pixels.chunks_mut(12) {
            let bits = self.bits().to_le_bytes();
            for (pixel, bytes) in four.chunks_mut(3).zip(bits.chunks_exact(2)) {
                let change = scale * (f64::from(bytes[0]) + f64::from(bytes[1]) - 255.0);
                pixel.iter_mut().for_each(|channel| *channel = (f64::from(*channel) + change) as u8);
            }
        }
    }
}
