use super::{FixedLength, Items, VariantHead, Writer};
use std::time::Duration;

/// Folds words with a multiply and a rotation (the mixer of SplitMix64, Steele et al. 2014).
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn finish(self) -> u64 {
        self.0
    }

    fn word(&mut self, word: u64) {
        let mut mixed = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^= mixed >> 32;
        self.0 = mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
}

impl Writer for Hash {
    fn boolean(&mut self, value: bool) {
        self.word(value.into());
    }

    fn signed(&mut self, value: i64, _: u32) {
        self.word(value as u64);
    }

    fn unsigned(&mut self, value: u64, _: u32) {
        self.word(value);
    }

    fn float32(&mut self, value: f32) {
        self.word(value.to_bits().into());
    }

    fn float64(&mut self, value: f64) {
        self.word(value.to_bits());
    }

    fn string(&mut self, value: &str) {
        self.items(Items::U8(value.as_bytes()));
    }

    fn duration(&mut self, value: Duration) {
        self.word(value.as_secs());
        self.word(value.subsec_nanos().into());
    }

    fn items(&mut self, items: Items<'_>) {
        let Items::U8(bytes) = items else { return items.write_each(self) };
        self.word(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        for &byte in rest {
            self.word(byte.into());
        }
    }

    fn begin_sequence(&mut self, length: usize, _: FixedLength) {
        self.word(length as u64);
    }

    fn end_sequence(&mut self) {}

    fn begin_structure(&mut self, _: &str) {}

    fn field(&mut self, _: &str) {}

    fn end_structure(&mut self) {}

    fn none(&mut self) {
        self.word(0);
    }

    fn some(&mut self) {
        self.word(1);
    }

    fn begin_variant(&mut self, _: &[VariantHead], index: usize) {
        self.word(index as u64);
    }

    fn end_variant(&mut self) {}
}
