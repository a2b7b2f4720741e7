//! The robot's node: its session, and the thread that serves it.

mod actions;
mod call;
mod client;
mod clock;
mod graph;
mod inbox;
mod parameter_events;
mod parameters;
mod publication;
mod reactor;
mod request;
mod rosout;
mod router;
mod safety;
mod server;
mod session;
mod subscription;

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use hemiola_link::ends::contained;
use hemiola_link::{LinkHost, LinkStatistics, LinksView};
use hemiola_model::configuration::{Ros2Configuration, Ros2SafeState};
use hemiola_realtime::{Affinity, CoreId, ThreadSettings, Wakeup, spawn};

use crate::error::Ros2Error;
use crate::names::NodeName;
use crate::remap::remapped;
use reactor::Reactor;
use safety::SafetyWatch;

/// A robot as a node of a ROS 2 system. Dropping it makes the node leave the system.
///
/// All its work is done on threads of Zenoh and on a thread of its own, `hemiola ros2`; no thread
/// of the robot waits for any of them.
///
/// ```no_run
/// use hemiola_bus::{Bus, RobotClock};
/// use hemiola_link::LinkHost;
/// use hemiola_model::configuration::{Ros2Configuration, Ros2Published, Ros2Quality, Ros2Router, Subject};
/// use hemiola_ros2::RobotNode;
/// use std::sync::Arc;
///
/// let rover = Ros2Configuration {
///     router: Ros2Router::here(),
///     publish: vec![Ros2Published::new("/odom", Subject::topic("Odometry"), Ros2Quality::Reliable)],
///     ..Ros2Configuration::default()
/// };
/// let clock = Arc::new(RobotClock::running(1.0));
/// let node = RobotNode::open(&rover, LinkHost::new("rover", Bus::new(), clock, |note| eprintln!("{note}")))?;
/// println!("{}", node.statistics());
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
pub struct RobotNode {
    /// Ends the thread when it is dropped.
    end: Option<SyncSender<()>>,
    ended: Receiver<()>,
    wakeup: Arc<Wakeup>,
    view: LinksView,
    name: NodeName,
    addresses: Vec<String>,
    _safety: Option<SafetyWatch>,
}

/// The time within which the node's thread must leave the system.
const END_PATIENCE: Duration = Duration::from_millis(1000);
/// The environment variable that sets the domain.
const DOMAIN: &str = "ROS_DOMAIN_ID";

impl RobotNode {
    /// Joins the ROS 2 system. If the robot is the router of the system, it listens when this
    /// returns; otherwise the node retries until it reaches the router.
    ///
    /// # Errors
    /// Returns an error if ROS 2 does not permit a name, the robot cannot listen as a router, or
    /// the system provides no thread.
    pub fn open(configuration: &Ros2Configuration, host: LinkHost) -> Result<Self, Ros2Error> {
        let name: NodeName = configuration.full_name(host.robot()).parse()?;
        let configuration = &remapped(configuration, &name)?;
        let domain = match configuration.domain {
            Some(domain) => domain,
            None => domain_of(std::env::var(DOMAIN).ok().as_deref())?,
        };
        let wakeup = Arc::new(Wakeup::new());
        let rests = configuration.publish.iter().any(|it| it.safe_state == Ros2SafeState::Default);
        let robot = host.ends().robot.clone().filter(|_| rests);
        let (end, ending) = sync_channel(0);
        let (ended_here, ended) = sync_channel(0);
        let (opened, is_open) = sync_channel(1);
        let mut settings = ThreadSettings::new("hemiola ros2");
        if !configuration.cores.is_empty() {
            // Threads of Zenoh begin on the cores of the thread that opens its session.
            settings = settings.affinity(Affinity::of(configuration.cores.iter().copied().map(CoreId)));
        }
        let watching = settings.clone();
        let (wanted, bell, named) = (configuration.clone(), wakeup.clone(), name.clone());
        let note = host.note().clone();
        let spawned = spawn(settings, move || {
            match Reactor::open(&wanted, domain, named, host, bell) {
                Err(error) => _ = opened.send(Err(error)),
                Ok(mut reactor) => {
                    let tell = move |reactor: &Reactor| _ = opened.send(Ok((reactor.view(), reactor.addresses())));
                    if let Err(panic) = contained(|| reactor.run(&ending, tell)) {
                        note(format!("`[ros2]` has ended: it {panic}"));
                    }
                    // The reactor holds messages of user types.
                    _ = contained(move || reactor.close());
                }
            }
            drop(ended_here);
        });
        let system = |reason: String| Ros2Error::Open {
            node: name.to_string(),
            address: configuration.router.to_string(),
            reason,
        };
        spawned.map_err(|error| system(error.to_string()))?;
        let opened = is_open.recv().map_err(|_| system("its thread has ended".to_owned()))?;
        let (view, addresses) = opened?;
        let safety = robot.map(|robot| SafetyWatch::begin(&robot, wakeup.clone(), watching)).transpose();
        let safety = safety.map_err(|error| system(error.to_string()))?;
        Ok(Self { end: Some(end), ended, wakeup, view, name, addresses, _safety: safety })
    }

    /// Returns the node's name in the ROS 2 system.
    pub fn name(&self) -> &NodeName {
        &self.name
    }

    /// Returns the addresses at which the robot's session listens. If the robot is the router,
    /// other nodes reach it there.
    pub fn addresses(&self) -> &[String] {
        &self.addresses
    }

    /// Returns the statistics in the form of those of a link. The peers are the other nodes of the
    /// system.
    pub fn statistics(&self) -> LinkStatistics {
        self.view.statistics().pop().unwrap_or_default()
    }

    /// Returns a view of the statistics, which keeps showing the last ones after the node has left.
    pub fn view(&self) -> LinksView {
        self.view.clone()
    }

    /// Leaves the system, and returns the last statistics.
    pub fn close(mut self) -> LinkStatistics {
        self.leave();
        self.statistics()
    }

    fn leave(&mut self) {
        if self.end.take().is_some() {
            self.wakeup.notify_all();
            // The thread ends at once, unless user code or the network delays it.
            _ = self.ended.recv_timeout(END_PATIENCE);
        }
    }
}

impl Drop for RobotNode {
    fn drop(&mut self) {
        self.leave();
    }
}

impl fmt::Debug for RobotNode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("RobotNode").field(&self.name.to_string()).finish()
    }
}

/// Returns the domain that the environment sets, or else 0.
fn domain_of(text: Option<&str>) -> Result<u32, Ros2Error> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(0) };
    text.parse().map_err(|_| Ros2Error::Name {
        what: "domain",
        name: text.to_owned(),
        why: format!("`{DOMAIN}` must be a number"),
        remedy: "such as `ROS_DOMAIN_ID=7`, or `domain = 7` in `[ros2]`",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_a_number_or_an_error_that_says_so() {
        assert_eq!((domain_of(None), domain_of(Some("")), domain_of(Some("42"))), (Ok(0), Ok(0), Ok(42)));
        let error = domain_of(Some("home")).unwrap_err().to_string();
        assert!(error.contains("`home`") && error.contains("ROS_DOMAIN_ID=7"), "{error}");
    }
}
