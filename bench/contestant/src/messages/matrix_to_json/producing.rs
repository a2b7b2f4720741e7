//! The threads that publish.

use std::sync::Barrier;

use super::{Publisher, Vector};
use crate::{monotonic_ns, sleep_until_ns};

/// The figures of a thread that has produced.
#[derive(Default)]
pub struct Produced {
    pub published: u64,
    pub refused: u64,
    /// The sum of the first numbers of the published vectors.
    pub checksum: u64,
}

/// Lets each publisher publish at this rate, for that long, on that many threads.
pub fn at_rate<P: Publisher>(publishers: Vec<P>, threads: usize, rate_hz: u64, duration_ns: u64) -> Vec<Produced> {
    let count = publishers.len() as u64;
    let each = publishers.len().div_ceil(threads);
    let mut publishers = (0..).zip(publishers);
    let shares: Vec<Vec<(u64, P)>> = (0..threads).map(|_| publishers.by_ref().take(each).collect()).collect();
    let period_ns = 1_000_000_000 / rate_hz;
    let begin = monotonic_ns() + 20_000_000;
    all(shares, |share| {
        let mut produced = Produced::default();
        let vector = measured_values();
        for sequence in 0..duration_ns / period_ns {
            for (index, publisher) in &mut *share {
                sleep_until_ns(begin + *index * period_ns / count + sequence * period_ns);
                produced.produce(publisher, sequence, &vector);
            }
        }
        produced
    })
}

/// Lets each publisher publish that many vectors, as fast as there is room.
pub fn flat_out<P: Publisher>(publishers: Vec<P>, vectors: u64) -> Vec<Produced> {
    let barrier = Barrier::new(publishers.len());
    all(publishers, |publisher| {
        let mut produced = Produced::default();
        let vector = measured_values();
        barrier.wait();
        (0..vectors).for_each(|sequence| produced.produce(publisher, sequence, &vector));
        produced
    })
}

/// Runs every share on a thread of its own.
fn all<S: Send>(mut shares: Vec<S>, produce: impl Fn(&mut S) -> Produced + Sync) -> Vec<Produced> {
    let produce = &produce;
    std::thread::scope(|scope| {
        let threads: Vec<_> = shares.iter_mut().map(|share| scope.spawn(move || produce(share))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a producer")).collect()
    })
}

impl Produced {
    #[inline]
    fn produce(&mut self, publisher: &mut impl Publisher, sequence: u64, vector: &Vector) {
        if publisher.publish(|place| fill(place, vector, sequence)) {
            self.published += 1;
            self.checksum += sequence;
        } else {
            self.refused += 1;
        }
    }
}

#[inline]
fn fill(place: &mut Vector, values: &Vector, sequence: u64) {
    *place = *values;
    place[0] = sequence as f64;
    place[99] = monotonic_ns() as f64;
}

/// Returns numbers from -1000 to 1000 with all their digits, as sensors have them.
fn measured_values() -> Vector {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 * 2000.0 - 1000.0
    })
}
