//! The threads that publish.

use std::sync::Barrier;

use super::{Publisher, Vector};
use crate::{monotonic_ns, sleep_until_ns};

/// What a producer has done.
pub struct Produced {
    pub published: u64,
    pub refused: u64,
    /// The sum of the first numbers of what was published.
    pub checksum: u64,
}

/// Each publishes at this rate, for so long.
pub fn at_rate<P: Publisher>(publishers: Vec<P>, rate_hz: u64, duration_ns: u64) -> Vec<Produced> {
    let count = publishers.len() as u64;
    let period_ns = 1_000_000_000 / rate_hz;
    let begin = monotonic_ns() + 20_000_000;
    all(publishers, |index, mut publisher| {
        let first = begin + index * period_ns / count;
        produce(duration_ns / period_ns, |sequence, vector| {
            sleep_until_ns(first + sequence * period_ns);
            publisher.publish(|place| fill(place, vector, sequence))
        })
    })
}

/// Each publishes so many vectors, as fast as there is room.
pub fn flat_out<P: Publisher>(publishers: Vec<P>, vectors: u64) -> Vec<Produced> {
    let barrier = Barrier::new(publishers.len());
    all(publishers, |_, mut publisher| {
        barrier.wait();
        produce(vectors, |sequence, vector| publisher.publish(|place| fill(place, vector, sequence)))
    })
}

fn all<P: Publisher>(publishers: Vec<P>, produce: impl Fn(u64, P) -> Produced + Sync) -> Vec<Produced> {
    let produce = &produce;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..).zip(publishers).map(|(index, publisher)| scope.spawn(move || produce(index, publisher))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a producer")).collect()
    })
}

fn produce(count: u64, mut publish: impl FnMut(u64, &Vector) -> bool) -> Produced {
    let vector = measured_values();
    let mut produced = Produced { published: 0, refused: 0, checksum: 0 };
    for sequence in 0..count {
        if publish(sequence, &vector) {
            produced.published += 1;
            produced.checksum += sequence;
        } else {
            produced.refused += 1;
        }
    }
    produced
}

#[inline]
fn fill(place: &mut Vector, values: &Vector, sequence: u64) {
    *place = *values;
    place[0] = sequence as f64;
    place[99] = monotonic_ns() as f64;
}

/// Numbers from -1000 to 1000 with all their digits, as sensors have them.
fn measured_values() -> Vector {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 * 2000.0 - 1000.0
    })
}
