use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use hemiola_bus::{Bus, RobotClock};
use hemiola_model::Time;
use hemiola_model::module::SafeState;
use hemiola_realtime::{MonotonicTime, Reason, Wakeup};
use hemiola_trace::SourceId;

use crate::blackboard::feedback::{Feedback, Shape};
use crate::faults::{Fault, Faults};
use crate::gate::Gate;
use crate::inlet::SourceInlet;
use crate::origins::{Origins, TopicInlet};
use crate::safe_state::{Cause, SafeStateCause, SharedSafeState, WaitId};
use crate::stand_in::Taken;
use crate::stop_cause::StopCause;
use crate::sync::{AtomicBool, AtomicU32, Ordering};

/// The state that all threads of a robot share: the clock, and the health of the robot.
pub struct RobotState {
    bus: Bus,
    clock: Arc<RobotClock>,
    safe_state: SharedSafeState,
    /// The signal that is notified when the safe state is entered or left, and when the robot is
    /// stopped.
    safety: Arc<Wakeup>,
    watched: AtomicBool,
    begun: AtomicBool,
    /// The number of the cause for which the robot stops; zero while it does not.
    stopping: AtomicU32,
    ended: AtomicBool,
    /// The signal that is notified when the robot begins or stops.
    pub turn: Wakeup,
    /// The signals of others that are notified as well when the robot begins or stops.
    at_turns: Mutex<Vec<Weak<Wakeup>>>,
    /// The signal that is notified when a run begins.
    pub activity: Wakeup,
    /// The signal that is notified when there is something to gather: a run or a call of a callback
    /// has ended, a sample was taken, a report or a message was written.
    news: Arc<Wakeup>,
    /// The signals for which cycles wait.
    triggers: OnceLock<Box<[Arc<Wakeup>]>>,
    source_ids: Box<[SourceId]>,
    heard_ids: Box<[SourceId]>,
    origins: Origins,
    gate: Arc<Gate>,
    taken: Taken,
    feedback: Feedback,
    faults: Arc<Faults>,
    inlets: BTreeMap<&'static str, SourceInlet>,
    topic_inlets: BTreeMap<String, TopicInlet>,
}

impl RobotState {
    pub fn new(bus: Bus, clock: RobotClock, source_ids: Vec<SourceId>, heard_ids: Vec<SourceId>, taken: Taken) -> Self {
        let news = Arc::<Wakeup>::default();
        Self {
            bus,
            clock: Arc::new(clock),
            safe_state: SharedSafeState::default(),
            safety: Arc::default(),
            watched: AtomicBool::new(false),
            begun: AtomicBool::new(false),
            stopping: AtomicU32::new(0),
            ended: AtomicBool::new(false),
            turn: Wakeup::new(),
            at_turns: Mutex::default(),
            activity: Wakeup::new(),
            news: news.clone(),
            triggers: OnceLock::new(),
            source_ids: source_ids.into(),
            heard_ids: heard_ids.into(),
            origins: Origins::default(),
            gate: Arc::default(),
            taken,
            feedback: Feedback::default(),
            faults: Arc::new(Faults::telling(news)),
            inlets: BTreeMap::new(),
            topic_inlets: BTreeMap::new(),
        }
    }

    /// Sets the feedback between cycles, where values return to a cycle from which they derive.
    pub fn with_feedback(mut self, feedback: Feedback) -> Self {
        self.feedback = feedback;
        self
    }

    /// Sets the inlets of sources that are fed from outside, by the names of the sources.
    pub fn with_inlets(mut self, inlets: BTreeMap<&'static str, SourceInlet>) -> Self {
        self.inlets = inlets;
        self
    }

    /// Returns the inlets of sources that are fed from outside, by the names of the sources.
    pub fn inlets(&self) -> &BTreeMap<&'static str, SourceInlet> {
        &self.inlets
    }

    /// Sets the inlets of topics that come from other processes, by the names that they have as
    /// sources.
    pub fn with_topic_inlets(mut self, inlets: BTreeMap<String, TopicInlet>) -> Self {
        self.topic_inlets = inlets;
        self
    }

    /// Returns the inlets of topics that come from other processes, by the names that they have as
    /// sources.
    pub fn topic_inlets(&self) -> &BTreeMap<String, TopicInlet> {
        &self.topic_inlets
    }

    /// Returns the feedback between cycles, where values return to a cycle from which they derive.
    pub fn feedback(&self) -> &Feedback {
        &self.feedback
    }

    /// Returns the number of samples that are counted separately.
    pub fn shape(&self) -> Shape {
        Shape { sources: self.source_ids.len(), ways: self.feedback.ways() }
    }

    /// Sets the signals for which cycles wait, which are notified when the robot stops.
    pub fn set_triggers(&self, triggers: impl IntoIterator<Item = Arc<Wakeup>>) {
        _ = self.triggers.set(triggers.into_iter().collect());
    }

    /// Returns the signal that is notified when there is something to gather.
    pub fn news(&self) -> &Arc<Wakeup> {
        &self.news
    }

    /// Returns the faults of the robot.
    pub fn faults(&self) -> &Arc<Faults> {
        &self.faults
    }

    /// Notes that a thread of the robot ended unexpectedly: the robot enters its safe state, and
    /// its run ends with an error.
    pub fn note_end_of(&self, thread: &str, reason: String) {
        self.faults.note(Fault::Thread { name: thread.to_owned(), reason });
        self.enter_safe_state(Cause::Fault);
        self.turn.notify_all();
    }

    pub fn clock(&self) -> &Arc<RobotClock> {
        &self.clock
    }

    /// Returns the bus with topics and services.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Returns the gate at which a stepped robot waits for observers of its messages.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Returns the values that are taken from a recording instead of from their providers.
    pub fn taken(&self) -> &Taken {
        &self.taken
    }

    /// Returns the numbers in traces of the sources, in the robot's order, and of topics that come
    /// from other processes.
    pub fn source_ids(&self) -> &[SourceId] {
        &self.source_ids
    }

    /// Returns the numbers in traces of the sources for samples whose effect came with messages.
    pub fn heard_ids(&self) -> &[SourceId] {
        &self.heard_ids
    }

    /// Returns the provenance of messages.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    pub fn safe_state(&self) -> SafeState {
        self.safe_state.get()
    }

    /// Returns when and why the robot entered its safe state, if it is in it.
    pub fn safe_state_entry(&self) -> Option<(Time, Cause)> {
        self.safe_state.entry()
    }

    /// Returns the signal that is notified when the safe state is entered or left, and when the
    /// robot is stopped.
    pub fn safety(&self) -> &Arc<Wakeup> {
        &self.safety
    }

    /// Returns the last cause of a safe state that was explained in words.
    pub fn safe_state_explanation(&self) -> Option<SafeStateCause> {
        self.safe_state.explanation()
    }

    /// Enters the safe state; returns `false` if the robot was in it already.
    pub fn enter_safe_state(&self, cause: Cause) -> bool {
        self.notify_of_safe_state(self.safe_state.enter(self.clock.now(), cause))
    }

    /// Enters the safe state for a cause that is explained in words, off the real-time threads;
    /// returns `false` if the robot was in it already.
    pub fn enter_safe_state_explained(&self, cause: SafeStateCause) -> bool {
        self.notify_of_safe_state(self.safe_state.enter_explained(self.clock.now(), cause))
    }

    /// Waits for something in the safe state, off the real-time threads; returns the number of the
    /// wait, and whether the robot has entered the safe state.
    pub fn wait_in_safe_state(&self, what: String) -> (WaitId, bool) {
        let (wait, has_entered) = self.safe_state.wait(self.clock.now(), what);
        (wait, self.notify_of_safe_state(has_entered))
    }

    /// Replaces the words of a wait.
    pub fn describe_wait(&self, wait: WaitId, what: String) {
        self.safe_state.describe_wait(wait, what);
    }

    /// Ends a wait in the safe state; returns whether the robot has left that.
    pub fn end_wait(&self, wait: WaitId) -> bool {
        self.notify_of_safe_state(self.safe_state.end_wait(wait))
    }

    /// Returns what the robot waits for in its safe state.
    pub fn awaited(&self) -> Option<String> {
        self.safe_state.awaited()
    }

    /// Leaves the safe state, or only waits there from now on; returns the new state, or `None` if
    /// the robot was not in it for another cause.
    pub fn leave_safe_state_unless_waiting(&self) -> Option<SafeState> {
        let state = self.safe_state.leave_unless_waiting(self.clock.now());
        self.notify_of_safe_state(state.is_some());
        state
    }

    /// Leaves the safe state; returns whether the robot was in it.
    pub fn leave_safe_state(&self) -> bool {
        self.notify_of_safe_state(self.safe_state.leave())
    }

    fn notify_of_safe_state(&self, has_changed: bool) -> bool {
        if has_changed {
            self.safety.notify_all();
        }
        has_changed
    }

    /// Returns whether anybody watches debug output.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Notes whether anybody watches debug output from now on.
    pub fn set_watched(&self, watched: bool) {
        self.watched.store(watched, Ordering::Relaxed);
    }

    /// Waits until the robot begins; returns `false` if it stops before.
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

    /// Returns whether anything has run.
    pub fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    pub fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.turn.notify_all();
        self.notify_others();
    }

    /// Notifies this signal when the robot begins, and when it stops; at once if it has begun.
    pub fn notify_of_turns(&self, signal: &Arc<Wakeup>) {
        let mut signals = self.at_turns();
        signals.retain(|signal| signal.strong_count() > 0);
        signals.push(Arc::downgrade(signal));
        drop(signals);
        // Whoever begins or stops notes that before it notifies the signals that are there.
        if self.has_begun() || self.is_stopping() {
            signal.notify_all();
        }
    }

    fn notify_others(&self) {
        self.at_turns().iter().filter_map(Weak::upgrade).for_each(|signal| signal.notify_all());
    }

    fn at_turns(&self) -> MutexGuard<'_, Vec<Weak<Wakeup>>> {
        self.at_turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed) != 0
    }

    /// Returns why the robot stops, if it does.
    pub fn stop_cause(&self) -> Option<StopCause> {
        StopCause::of_number(self.stopping.load(Ordering::Relaxed))
    }

    /// Returns whether all threads of cycles and sources have ended.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Notes that all threads of cycles and sources have ended.
    pub fn note_end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Sleeps until the robot stops, or until `deadline`; returns whether it stops.
    pub fn wait_for_stop(&self, deadline: Option<MonotonicTime>) -> bool {
        loop {
            let seen = self.turn.generation();
            if self.is_stopping() {
                return true;
            }
            if self.turn.wait(seen, deadline) == Reason::TimedOut {
                return false;
            }
        }
    }

    /// Stops the robot. The first cause is the one that counts.
    pub fn stop(&self, cause: StopCause) {
        _ = self.stopping.compare_exchange(0, cause.number(), Ordering::Relaxed, Ordering::Relaxed);
        let signals = [&self.turn, &self.activity, &*self.news, &*self.safety].into_iter();
        let triggers = self.triggers.get().into_iter().flatten().map(|trigger| &**trigger);
        signals.chain(triggers).for_each(Wakeup::notify_all);
        self.inlets.values().for_each(SourceInlet::wake);
        self.notify_others();
    }
}
