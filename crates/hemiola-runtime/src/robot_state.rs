use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use hemiola_model::Time;
use hemiola_model::module::SafeState;
use hemiola_realtime::{MonotonicTime, Wakeup, monotonic_now};
use hemiola_trace::SourceId;

use crate::safe_state::{Cause, SharedSafeState};

/// What all threads of a robot share: the clock, and whether all is well.
pub struct RobotState {
    clock: RobotClock,
    safe_state: SharedSafeState,
    watched: AtomicBool,
    stopping: AtomicBool,
    ended: AtomicBool,
    /// Notified when the robot stops, for whoever waits for that.
    pub stopped: Wakeup,
    source_ids: Box<[SourceId]>,
}

/// The framework's clock.
pub enum RobotClock {
    /// Runs `factor` times as fast as the machine's monotonic clock.
    Running {
        /// When it showed zero, in nanoseconds of the monotonic clock.
        start: AtomicU64,
        /// Seconds of robot time per second.
        factor: f64,
    },
    /// Stands still until it is set: as fast as possible, or step by step.
    Stepped(AtomicI64),
}

impl RobotState {
    pub fn new(clock: RobotClock, source_ids: Vec<SourceId>) -> Self {
        Self {
            clock,
            safe_state: SharedSafeState::default(),
            watched: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            stopped: Wakeup::new(),
            source_ids: source_ids.into(),
        }
    }

    pub fn clock(&self) -> &RobotClock {
        &self.clock
    }

    /// The traces' numbers of the sources, in the order of the robot's.
    pub fn source_ids(&self) -> &[SourceId] {
        &self.source_ids
    }

    pub fn safe_state(&self) -> SafeState {
        self.safe_state.get()
    }

    /// Since when the robot is in its safe state, and why.
    pub fn safe_state_entry(&self) -> Option<(Time, Cause)> {
        self.safe_state.entry()
    }

    /// Tells whether it was entered by this.
    pub fn enter_safe_state(&self, cause: Cause) -> bool {
        self.safe_state.enter(self.clock.now(), cause)
    }

    /// Tells whether the robot was in it.
    pub fn leave_safe_state(&self) -> bool {
        self.safe_state.leave()
    }

    /// Whether anybody looks at plots and drawings.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Somebody looks at plots and drawings from now on, or nobody does.
    pub fn set_watched(&self, watched: bool) {
        self.watched.store(watched, Ordering::Relaxed);
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// All threads of cycles and sources have ended.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Says that all threads of cycles and sources have ended.
    pub fn note_end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.stopped.notify_all();
    }
}

impl RobotClock {
    /// A clock that starts now, at this speed.
    pub fn running(factor: f64) -> Self {
        Self::Running { start: AtomicU64::new(monotonic_now().as_nanoseconds()), factor }
    }

    /// A clock that stands at zero.
    pub fn stepped() -> Self {
        Self::Stepped(AtomicI64::new(0))
    }

    /// Shows zero `from_now` on: nobody is late at the start because making a robot takes time.
    pub fn restart(&self, from_now: Duration) {
        if let Self::Running { start, .. } = self {
            start.store((monotonic_now() + from_now).as_nanoseconds(), Ordering::Relaxed);
        }
    }

    pub fn now(&self) -> Time {
        match self {
            Self::Running { start, factor } => {
                let start = MonotonicTime::from_nanoseconds(start.load(Ordering::Relaxed));
                let elapsed = monotonic_now().since(start).as_nanos() as f64;
                Time::from_nanoseconds((elapsed * factor) as i64)
            }
            Self::Stepped(now) => Time::from_nanoseconds(now.load(Ordering::Relaxed)),
        }
    }

    /// When the machine's clock will show what this clock calls `time`; `None` when this clock waits for nobody.
    pub fn due(&self, time: Time) -> Option<MonotonicTime> {
        match self {
            Self::Running { start, factor } => {
                let start = MonotonicTime::from_nanoseconds(start.load(Ordering::Relaxed));
                Some(start + Duration::from_nanos((time.nanoseconds().max(0) as f64 / factor) as u64))
            }
            Self::Stepped(_) => None,
        }
    }

    /// Sets a stepped clock; a running one goes on.
    pub fn set(&self, time: Time) {
        if let Self::Stepped(now) = self {
            now.store(time.nanoseconds(), Ordering::Relaxed);
        }
    }
}
