//! The density of arrivals: the shortest time spans in which two, three, and more of them came.
//!
//! Messages come in bursts: an update publishes several at once, and then none for a while. Their
//! shortest distance alone would suggest that they come at that rate all the time.

use crate::clock::{TickScale, Ticks};

/// The shortest spans so far.
#[derive(Clone, Debug, Default)]
pub(super) struct LeastSpans {
    /// The last times, ascending.
    recent: Vec<Ticks>,
    /// The shortest spans in nanoseconds: from one arrival to the next, to the one after that, and
    /// so on.
    least: Vec<u64>,
}

/// The largest burst that is distinguished from a steady stream.
const MOST: usize = 16;

impl LeastSpans {
    /// Adds an arrival. Times from several publishers are not in order.
    pub(super) fn came(&mut self, scale: &TickScale, at: Ticks) {
        let Self { recent, least } = self;
        if recent.len() > MOST {
            recent.remove(0);
        }
        let place = recent.partition_point(|other| *other <= at);
        recent.insert(place, at);
        for first in 0..=place {
            for last in place.max(first + 1)..recent.len() {
                let span = scale.nanoseconds_between(recent[first], recent[last]);
                match least.get_mut(last - first - 1) {
                    Some(known) => *known = span.min(*known),
                    None => least.push(span),
                }
            }
        }
    }

    /// Returns the shortest spans in nanoseconds, for two, three, and so on.
    pub(super) fn nanoseconds(&self) -> &[u64] {
        &self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(times: &[u64]) -> Vec<u64> {
        let mut spans = LeastSpans::default();
        times.iter().for_each(|&at| spans.came(&TickScale::nanoseconds_per_tick_one(), Ticks(at)));
        spans.nanoseconds().to_vec()
    }

    #[test]
    fn the_densest_of_each_number_is_found_in_whatever_order_they_are_told() {
        assert!(spans(&[5]).is_empty());
        let known = [2, 11, 20, 23];
        assert_eq!(spans(&[10, 12, 21, 30, 33]), known);
        assert_eq!(spans(&[12, 10, 30, 33, 21]), known);
    }

    #[test]
    fn a_long_stream_is_remembered_by_its_densest_parts() {
        let times: Vec<u64> = (0..100).map(|number| number * 10 + u64::from(number > 50) * 5).collect();
        let known = spans(&times);
        assert_eq!(known.len(), MOST);
        assert!(known.iter().zip(1..).all(|(&span, number)| span == number * 10), "{known:?}");
    }
}
