use hemiola_analysis::TimeSpan;

/// The job that a core runs.
///
/// See [`Schedule`](super::Schedule).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// A callback of the model.
    Callback(usize),
    /// A node of a cycle's graph.
    Task {
        /// The cycle of the model.
        cycle: usize,
        /// The node.
        node: usize,
    },
}

/// An observer, which is notified of everything that happens in a simulation, in order of time.
/// Methods that are not needed may be left out.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::simulation::Observer;
/// struct Silent;
/// impl Observer for Silent {}
/// Silent.dropped(0);
/// ```
pub trait Observer {
    /// Called when a callback begins, for something that was released at `_released` (the timer's
    /// expiry, or that of the message's origin).
    fn callback_started(&mut self, _callback: usize, _released: TimeSpan, _now: TimeSpan) {}

    /// Called when a callback ends.
    fn callback_ended(&mut self, _callback: usize, _released: TimeSpan, _now: TimeSpan) {}

    /// Called when a value is sent over a link.
    fn sent(&mut self, _link: usize, _now: TimeSpan) {}

    /// Called when a link delivers a value.
    fn delivered(&mut self, _link: usize, _now: TimeSpan) {}

    /// Called when the first task of a run begins.
    fn cycle_started(&mut self, _cycle: usize, _released: TimeSpan, _now: TimeSpan) {}

    /// Called when the last task of a run ends.
    fn cycle_ended(&mut self, _cycle: usize, _released: TimeSpan, _now: TimeSpan) {}

    /// Called when a core has run a job for some time.
    fn ran(&mut self, _core: usize, _who: Who, _from: TimeSpan, _to: TimeSpan) {}

    /// Called when a message was dropped because this callback's queue was full.
    fn dropped(&mut self, _callback: usize) {}

    /// Called when a release of this cycle was replaced by a later one before it could begin.
    fn replaced(&mut self, _cycle: usize) {}
}

/// The shortest, longest and mean of observed times, and how they spread.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::simulation::Observed;
/// let mut observed = Observed::default();
/// [3, 5].map(|ns| observed.add(TimeSpan::nanoseconds(ns)));
/// assert_eq!((observed.maximum, observed.mean(), observed.deviation()), (TimeSpan::nanoseconds(5), TimeSpan::nanoseconds(4), TimeSpan::TICK));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Observed {
    /// The number of times.
    pub count: u64,
    /// The shortest time.
    pub minimum: TimeSpan,
    /// The longest time.
    pub maximum: TimeSpan,
    mean: f64,
    squares: f64,
}

impl Observed {
    /// Adds a time (Welford 1962).
    pub fn add(&mut self, time: TimeSpan) {
        self.minimum = if self.count == 0 { time } else { self.minimum.min(time) };
        self.maximum = self.maximum.max(time);
        self.count += 1;
        let value = time.as_nanoseconds() as f64;
        let from_mean = value - self.mean;
        self.mean += from_mean / self.count as f64;
        self.squares += from_mean * (value - self.mean);
    }

    /// Returns the mean.
    pub fn mean(&self) -> TimeSpan {
        TimeSpan::nanoseconds(self.mean.round() as u64)
    }

    /// Returns the standard deviation.
    pub fn deviation(&self) -> TimeSpan {
        TimeSpan::nanoseconds((self.squares / self.count.max(1) as f64).sqrt().round() as u64)
    }
}
