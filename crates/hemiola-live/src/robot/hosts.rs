//! The hosts of a robot, as one of its processes knows them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_model::configuration::Configuration;

use crate::protocol::RobotHosts;

/// The hosts of a robot, as they are known on one of them. Clones show the same hosts, and the
/// default view shows none: the robot runs on a single host, or its hosts do not act as one.
///
/// ```
/// use hemiola_live::HostsView;
/// use hemiola_live::protocol::{OtherHost, RobotHosts};
///
/// let head = OtherHost { name: "head".into(), processes: vec!["vision".into()], clock: None };
/// let view = HostsView::default();
/// view.show(RobotHosts { own: Some("body".into()), others: vec![head] });
/// assert_eq!(view.hosts().own.as_deref(), Some("body"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct HostsView(Arc<Mutex<RobotHosts>>);

impl HostsView {
    /// Returns the hosts as they are known now.
    pub fn hosts(&self) -> RobotHosts {
        self.lock().clone()
    }

    /// Replaces the hosts that are shown.
    pub fn show(&self, hosts: RobotHosts) {
        *self.lock() = hosts;
    }

    /// Returns the names of the processes that are used as one robot: all processes, without those
    /// of hosts that do not act as one with this host.
    pub(crate) fn parts(&self, configuration: &Configuration) -> Vec<String> {
        let hosts = self.lock();
        let is_elsewhere = |part: &String| hosts.others.iter().any(|host| host.processes.contains(part));
        let is_here = |part: &String| !configuration.distant.contains(part);
        configuration.parts.iter().filter(|part| is_here(part) || is_elsewhere(part)).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, RobotHosts> {
        // They are consistent even if another thread has panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
