//! The hosts of a robot, as its processes report them.

use serde::{Deserialize, Serialize};

/// The hosts of a robot that act as one. See [`HostsView`](crate::HostsView).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RobotHosts {
    /// The name of the host of the process that reports it.
    #[serde(default, rename = "host")]
    pub own: Option<String>,
    /// The other hosts, in the order of `robot.toml`.
    #[serde(default, rename = "hosts")]
    pub others: Vec<OtherHost>,
}

/// A host of a robot, seen from another one. See [`HostsView`](crate::HostsView).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct OtherHost {
    /// The name of the host.
    pub name: String,
    /// The names of the processes that run there.
    pub processes: Vec<String>,
    /// The comparison of its monotonic clock with that of this host; `None` while it is not
    /// connected.
    pub clock: Option<HostClock>,
}

/// The difference by which the monotonic clock of another host is ahead of that of this one. See
/// [`HostsView`](crate::HostsView).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct HostClock {
    /// The difference in nanoseconds; negative if the other clock is behind.
    pub ahead_ns: i64,
    /// The largest possible error of the difference, in nanoseconds.
    pub error_ns: i64,
}
