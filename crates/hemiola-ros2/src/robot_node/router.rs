//! The router that introduces nodes to each other: the news of whether it has been reached.

use std::time::{Duration, Instant};

use hemiola_model::configuration::Ros2Router;

/// Watches until the router has been reached: a robot without one runs and looks healthy, but no
/// node finds it.
pub struct RouterWatch {
    /// The address of the router; `None` once it has been reached, and for a robot that is it.
    address: Option<String>,
    due: Instant,
    is_told: bool,
}

/// News of the router.
#[derive(Debug, PartialEq, Eq)]
pub enum RouterNews {
    /// The router has not been reached for a while.
    Absent(String),
    /// The router has been reached, after its absence was reported.
    Reached(String),
}

/// The time after which the absence of the router is reported.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between two looks after that.
const PERIOD: Duration = Duration::from_secs(1);

impl RouterWatch {
    pub fn new(router: &Ros2Router, now: Instant) -> Self {
        let address = match router {
            Ros2Router::At(address) => Some(address.clone()),
            Ros2Router::Here(_) => None,
        };
        Self { address, due: now + PATIENCE, is_told: false }
    }

    /// Returns when `turn` is due; `None` if nothing is left to watch.
    pub fn due(&self) -> Option<Instant> {
        self.address.as_ref().map(|_| self.due)
    }

    /// Looks whether the router has been reached, if that is due.
    pub fn turn(&mut self, now: Instant, is_reached: impl FnOnce() -> bool) -> Option<RouterNews> {
        let address = self.address.as_ref().filter(|_| now >= self.due)?;
        self.due = now + PERIOD;
        if is_reached() {
            let news = RouterNews::Reached(format!("the router at {address} has been reached"));
            self.address = None;
            return self.is_told.then_some(news);
        }
        if std::mem::replace(&mut self.is_told, true) {
            return None;
        }
        Some(RouterNews::Absent(format!(
            "no router has been reached at {address}, so that no other node finds this one: start one (`ros2 run \
             rmw_zenoh_cpp rmw_zenohd`), or set `router = true` in `[ros2]`; it is tried again until then"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_router_that_is_away_is_reported_once_and_so_is_its_coming() {
        let begin = Instant::now();
        let mut watch = RouterWatch::new(&Ros2Router::At("tcp/base:7447".to_owned()), begin);
        let mut turn = |seconds, is_reached| watch.turn(begin + Duration::from_secs(seconds), || is_reached);
        assert_eq!(turn(4, false), None, "it is given some time");
        let Some(RouterNews::Absent(absent)) = turn(5, false) else { panic!("it is away") };
        assert!(absent.starts_with("no router has been reached at tcp/base:7447") && absent.contains("rmw_zenohd"));
        assert_eq!(turn(6, false), None);
        let reached = RouterNews::Reached("the router at tcp/base:7447 has been reached".to_owned());
        assert_eq!(turn(7, true), Some(reached));
        assert_eq!(watch.due(), None);
    }

    #[test]
    fn a_router_that_is_there_and_a_robot_that_is_the_router_are_no_news() {
        let begin = Instant::now();
        let mut watch = RouterWatch::new(&Ros2Router::At("tcp/base:7447".to_owned()), begin);
        assert_eq!(watch.turn(begin + PATIENCE, || true), None);
        assert_eq!(watch.due(), None);
        assert_eq!(RouterWatch::new(&Ros2Router::Here("tcp/base:7447".to_owned()), begin).due(), None);
    }
}
