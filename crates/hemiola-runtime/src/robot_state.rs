use std::sync::Arc;

use hemiola_bus::{Bus, RobotClock};
use hemiola_model::Time;
use hemiola_model::module::SafeState;
use hemiola_realtime::Wakeup;
use hemiola_trace::SourceId;

use crate::blackboard::feedback::{Feedback, Shape};
use crate::faults::{Fault, Faults};
use crate::gate::Gate;
use crate::origins::Origins;
use crate::safe_state::{Cause, SharedSafeState};
use crate::stand_in::Taken;
use crate::sync::{AtomicBool, Ordering};

/// What all threads of a robot share: the clock, and whether all is well.
pub struct RobotState {
    bus: Bus,
    clock: Arc<RobotClock>,
    safe_state: SharedSafeState,
    watched: AtomicBool,
    begun: AtomicBool,
    stopping: AtomicBool,
    ended: AtomicBool,
    /// Notified when the robot begins or stops, for whoever waits for that.
    pub turn: Wakeup,
    source_ids: Box<[SourceId]>,
    heard_ids: Box<[SourceId]>,
    origins: Origins,
    gate: Arc<Gate>,
    taken: Taken,
    feedback: Feedback,
    faults: Arc<Faults>,
}

impl RobotState {
    pub fn new(bus: Bus, clock: RobotClock, source_ids: Vec<SourceId>, heard_ids: Vec<SourceId>, taken: Taken) -> Self {
        Self {
            bus,
            clock: Arc::new(clock),
            safe_state: SharedSafeState::default(),
            watched: AtomicBool::new(false),
            begun: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            turn: Wakeup::new(),
            source_ids: source_ids.into(),
            heard_ids: heard_ids.into(),
            origins: Origins::default(),
            gate: Arc::default(),
            taken,
            feedback: Feedback::default(),
            faults: Arc::default(),
        }
    }

    /// With where values come back to the cycles that they derive from.
    pub fn with_feedback(mut self, feedback: Feedback) -> Self {
        self.feedback = feedback;
        self
    }

    /// Where values come back to the cycles that they derive from.
    pub fn feedback(&self) -> &Feedback {
        &self.feedback
    }

    /// How many samples are counted apart.
    pub fn shape(&self) -> Shape {
        Shape { sources: self.source_ids.len(), ways: self.feedback.ways() }
    }

    /// What should not have happened.
    pub fn faults(&self) -> &Arc<Faults> {
        &self.faults
    }

    /// A thread of the robot ended without being asked to: the robot enters its safe state, and its
    /// run ends with an error.
    pub fn note_end_of(&self, thread: &str, reason: String) {
        self.faults.note(Fault::Thread { name: thread.to_owned(), reason });
        self.enter_safe_state(Cause::Fault);
        self.turn.notify_all();
    }

    pub fn clock(&self) -> &Arc<RobotClock> {
        &self.clock
    }

    /// Where topics and services are.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Where a stepped robot waits for the recorder of its messages.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// What comes from a recording instead of from its provider.
    pub fn taken(&self) -> &Taken {
        &self.taken
    }

    /// The traces' numbers of the sources, in the order of the robot's.
    pub fn source_ids(&self) -> &[SourceId] {
        &self.source_ids
    }

    /// As what traces know their samples whose effect came with messages.
    pub fn heard_ids(&self) -> &[SourceId] {
        &self.heard_ids
    }

    /// What messages come from.
    pub fn origins(&self) -> &Origins {
        &self.origins
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

    /// Whether anybody watches what updates show.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Somebody watches what updates show from now on, or nobody does.
    pub fn set_watched(&self, watched: bool) {
        self.watched.store(watched, Ordering::Relaxed);
    }

    /// Waits until the robot begins; `false` if it stops before.
    pub fn wait_for_beginning(&self) -> bool {
        loop {
            let seen = self.turn.generation();
            if self.is_stopping() {
                return false;
            }
            // Acquire: the clock has been set.
            if self.begun.load(Ordering::Acquire) {
                return true;
            }
            self.turn.wait(seen, None);
        }
    }

    /// Whether anything has run.
    pub fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    pub fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.turn.notify_all();
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
        self.turn.notify_all();
    }
}
