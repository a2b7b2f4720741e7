//! Random numbers that are the same in every run of the bench.

/// Returns a number from 0 to 1, by SplitMix64.
pub fn uniform(seed: u64) -> f64 {
    let mut mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
