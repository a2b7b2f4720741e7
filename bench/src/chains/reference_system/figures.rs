use hemiola_analysis::TimeSpan;
use hemiola_schedulability::simulation::Observed;

use super::graph::{HOT_PATH, HOT_PATH_ROOTS, HOT_PATH_SINK, PLANNER, number};
use super::history::History;

/// The figures by which the reference system judges an executor, computed as its
/// `sample_management.hpp` does, from messages at command nodes.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    received: u64,
    /// The time from the begin of the younger lidar driver's callback to the begin of the
    /// estimator's, whose own work does not count.
    pub latency: Observed,
    /// The drops of the nodes on the hot path, in all messages that came along it.
    pub hot_path_drops: u64,
    /// The time from one begin of the behaviour planner to the next, over as many periods as its
    /// numbers say.
    pub period: Observed,
    planner: Option<(u64, u32)>,
}

/// The number of first messages that do not count.
const WARM_UP: u64 = 9;

impl Figures {
    /// Adds a message that a command node received.
    pub fn receive(&mut self, history: &History) {
        self.received += 1;
        if self.received <= WARM_UP {
            return;
        }
        let find = |name: &&str| history.of(number(name));
        let youngest = HOT_PATH_ROOTS.iter().filter_map(find).map(|entry| entry.begun).max();
        if let (Some(sink), Some(begun)) = (find(&HOT_PATH_SINK), youngest) {
            self.latency.add(TimeSpan::nanoseconds(sink.begun) - TimeSpan::nanoseconds(begun));
            self.hot_path_drops += HOT_PATH.iter().filter_map(find).map(|entry| u64::from(entry.dropped)).sum::<u64>();
        }
        if let Some(entry) = find(&PLANNER) {
            if let Some((begun, sequence)) = self.planner
                && entry.sequence > sequence
            {
                let periods = u64::from(entry.sequence - sequence);
                self.period.add(TimeSpan::nanoseconds((entry.begun - begun) / periods));
            }
            self.planner = Some((entry.begun, entry.sequence));
        }
    }

    /// Returns the drops on the hot path per message that came along it.
    pub fn drops_per_message(&self) -> f64 {
        self.hot_path_drops as f64 / self.latency.count.max(1) as f64
    }
}

/// Returns the standard deviation of a sample, with n - 1 as the divisor.
pub fn sample_deviation(observed: &Observed) -> f64 {
    let count = observed.count as f64;
    observed.deviation().as_nanoseconds() as f64 * (count / (count - 1.0).max(1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::history::Entry;
    use super::*;

    fn history(entries: &[(&str, u64, u32, u32)]) -> History {
        let entry = |&(name, begun, sequence, dropped): &(&str, u64, u32, u32)| Entry {
            node: number(name) as u32,
            begun,
            sequence,
            dropped,
        };
        History { entries: entries.iter().map(entry).collect() }
    }

    fn warm() -> Figures {
        let mut figures = Figures::default();
        (0..WARM_UP).for_each(|_| figures.receive(&history(&[(PLANNER, 1, 1, 0)])));
        figures
    }

    #[test]
    fn latency_is_from_the_younger_lidar_to_the_estimators_begin() {
        let mut figures = warm();
        assert_eq!(figures.latency.count, 0, "the first messages do not count");
        figures.receive(&history(&[
            ("FrontLidarDriver", 100, 4, 0),
            ("RearLidarDriver", 130, 4, 0),
            ("PointCloudFusion", 150, 3, 2),
            (HOT_PATH_SINK, 180, 3, 1),
            ("VoxelGridDownsampler", 170, 3, 7),
        ]));
        assert_eq!((figures.latency.count, figures.latency.maximum), (1, TimeSpan::nanoseconds(50)));
        assert_eq!(figures.hot_path_drops, 3, "the downsampler is not on the hot path");
    }

    #[test]
    fn a_planner_whose_message_was_lost_has_not_waited_longer() {
        let mut figures = warm();
        figures.receive(&history(&[(PLANNER, 1_000, 10, 0)]));
        figures.receive(&history(&[(PLANNER, 1_100, 11, 0)]));
        figures.receive(&history(&[(PLANNER, 1_300, 13, 0)]));
        assert_eq!(
            (figures.period.count, figures.period.minimum, figures.period.maximum),
            (2, TimeSpan::nanoseconds(100), TimeSpan::nanoseconds(100))
        );
    }

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        let mut observed = Observed::default();
        [1_000, 3_000].into_iter().for_each(|ns| observed.add(TimeSpan::nanoseconds(ns)));
        assert!((sample_deviation(&observed) - 1_414.2).abs() < 0.5);
    }
}
