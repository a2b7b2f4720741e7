//! Random numbers that are the same in every run: SplitMix64 (Steele, Lea, Flood: Fast Splittable
//! Pseudorandom Number Generators, 2014).

use std::f64::consts::TAU;

/// A stream of random numbers that its seed determines.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates the stream of `seed` for one of several purposes that share the seed.
    #[must_use]
    pub const fn new(seed: u64, purpose: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ purpose.rotate_left(32) }
    }

    /// Returns a number that is uniformly distributed from 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number with normal distribution, mean 0 and standard deviation 1 (Box, Muller
    /// 1958).
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (TAU * angle).cos()
    }
}
