//! Random numbers for filters: a stream that depends on its seed alone, so that the same inputs
//! give the same bits.

use hemiola::prelude::*;

/// The permuted congruential generator PCG-XSH-RR 64/32 (O'Neill: PCG: A Family of Simple Fast
/// Space-Efficient Statistically Good Algorithms for Random Number Generation, 2014).
#[derive(Data, Clone, Debug)]
pub struct Random {
    state: u64,
}

const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 1_442_695_040_888_963_407;

impl Random {
    /// Creates the stream of `seed`.
    pub fn new(seed: u64) -> Self {
        let mut random = Self { state: seed.wrapping_add(INCREMENT) };
        random.next();
        random
    }

    fn next(&mut self) -> u32 {
        let state = self.state;
        self.state = state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        let shifted = (((state >> 18) ^ state) >> 27) as u32;
        shifted.rotate_right((state >> 59) as u32)
    }

    /// Returns a number that is uniformly distributed from `smallest` to `largest`.
    pub fn uniform(&mut self, smallest: f32, largest: f32) -> f32 {
        let unit = (self.next() >> 8) as f32 / (1_u32 << 24) as f32;
        smallest + unit * (largest - smallest)
    }

    /// Returns an index below `count`; 0 if that is 0.
    pub fn index(&mut self, count: usize) -> usize {
        ((u64::from(self.next()) * count as u64) >> 32) as usize
    }

    /// Returns a nearly normal number with mean 0 and deviation 1: the sum of four uniform numbers,
    /// each of variance 1/3.
    pub fn normal(&mut self) -> f32 {
        let sum: f32 = (0..4).map(|_| self.uniform(-1.0, 1.0)).sum();
        sum * 0.75_f32.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_promised_mean_and_deviation() {
        let mut random = Random::new(7);
        let numbers: Vec<f32> = (0..50_000).map(|_| random.normal()).collect();
        let mean = numbers.iter().sum::<f32>() / numbers.len() as f32;
        let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f32>() / numbers.len() as f32;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn every_index_is_drawn_and_none_beyond() {
        let mut random = Random::new(1);
        let mut drawn = [0; 7];
        (0..700).for_each(|_| drawn[random.index(7)] += 1);
        assert!(drawn.iter().all(|count| (60..140).contains(count)), "{drawn:?}");
        assert_eq!(random.index(0), 0);
    }
}
