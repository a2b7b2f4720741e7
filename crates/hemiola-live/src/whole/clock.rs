//! The conversion of times between the clocks of processes.
//!
//! All processes of a host share its monotonic clock, so that their own clocks are compared
//! exactly. Those of several hosts are compared as far as the hosts know each other's clocks.

use std::collections::BTreeMap;

use crate::protocol::RobotHosts;

/// The conversion from a process's clock to that of the first process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// The difference that is added, in nanoseconds.
    later: i64,
}

impl Clock {
    /// Compares two clocks by the times of the monotonic clock at which they show zero; that of the
    /// process's host is ahead of that of the first process's by `ahead`. Clocks that do not run by
    /// themselves cannot be compared, and their times are not converted.
    pub fn between(own: Option<u64>, first: Option<u64>, ahead: i64) -> Self {
        let later = own.zip(first).map(|(own, first)| own.wrapping_sub(first).cast_signed().saturating_sub(ahead));
        Self { later: later.unwrap_or_default() }
    }

    /// Converts nanoseconds.
    pub fn convert(self, time: i64) -> i64 {
        time.saturating_add(self.later)
    }

    /// Converts seconds.
    pub fn convert_seconds(self, time: f64) -> f64 {
        time + self.later as f64 / 1e9
    }
}

/// The monotonic clocks of the robot's hosts, as they are compared on the host of the first
/// process.
#[derive(Debug, Default)]
pub struct HostClocks {
    /// The host of the first process.
    own: Option<String>,
    /// The differences by which the clocks of the processes on other hosts are ahead, in
    /// nanoseconds.
    ahead: BTreeMap<String, i64>,
}

impl HostClocks {
    /// Returns the clocks as the first process knows them.
    pub fn of(hosts: &RobotHosts) -> Self {
        let mut clocks = Self { own: hosts.own.clone(), ahead: BTreeMap::new() };
        clocks.renew(hosts);
        clocks
    }

    /// Learns what a process knows, if it runs on the host of the first one. What was known of a
    /// host that is not connected any more stays.
    pub fn renew(&mut self, hosts: &RobotHosts) {
        if hosts.own != self.own {
            return;
        }
        for host in &hosts.others {
            let clock = host.clock.iter();
            let ahead = clock.flat_map(|clock| host.processes.iter().map(|process| (process.clone(), clock.ahead_ns)));
            self.ahead.extend(ahead);
        }
    }

    /// Returns by how much the clock of the host of a process is ahead, in nanoseconds.
    pub fn ahead(&self, process: &str) -> i64 {
        self.ahead.get(process).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{HostClock, OtherHost};

    #[test]
    fn a_process_that_began_later_shows_less() {
        let vision = Clock::between(Some(1_500), Some(1_000), 0);
        assert_eq!((vision.convert(0), vision.convert(10)), (500, 510));
        assert_eq!(Clock::between(Some(1_000), Some(1_500), 0).convert(700), 200);
        assert_eq!(vision.convert_seconds(1.0), 1.000_000_5);
        assert_eq!(Clock::between(None, Some(1_000), 0).convert(7), 7);
    }

    #[test]
    fn times_of_another_host_are_converted_by_what_its_clock_is_ahead() {
        let said = |host: &str, ahead_ns: Option<i64>| {
            let clock = ahead_ns.map(|ahead_ns| HostClock { ahead_ns, error_ns: 9 });
            let head = OtherHost { name: "head".into(), processes: vec!["vision".into()], clock };
            RobotHosts { own: Some(host.to_owned()), others: vec![head] }
        };
        let mut clocks = HostClocks::of(&said("body", Some(1_000_000)));
        assert_eq!((clocks.ahead("vision"), clocks.ahead("main")), (1_000_000, 0));
        // It began 500 ns after the first process, and 30 ns later something happened.
        let vision = Clock::between(Some(1_001_700), Some(1_200), clocks.ahead("vision"));
        assert_eq!(vision.convert(30), 530);
        clocks.renew(&said("head", Some(77)));
        assert_eq!(clocks.ahead("vision"), 1_000_000, "that is how the other host sees it");
        clocks.renew(&said("body", Some(1_000_020)));
        assert_eq!(clocks.ahead("vision"), 1_000_020);
        clocks.renew(&said("body", None));
        assert_eq!(clocks.ahead("vision"), 1_000_020);
    }
}
