//! An instance of a module, and the gate that separates its cycle from the watchdog.
//!
//! Most modules belong to their cycle alone. One with a `#[safe_state]` method must be reachable
//! from another thread when its cycle has stopped, but never while one of its updates runs; and
//! what that method did must not be undone by a later update. Its gate is one word: how many of the
//! cycle's tasks are inside, or that a thread from outside is, and whether the module is safe.
//!
//! | who | step | effect |
//! |---|---|---|
//! | task | adds one; if a thread from outside was in, or the module is safe, subtracts it again | in, or skipped in this run |
//! | outside | exchanges no tasks for `OUTSIDE` | in, only while no task is |
//! | outside, leaving | exchanges `OUTSIDE` for `SAFE` | no task comes in |
//! | task, leaving | subtracts what it added | others may come in |
//! | cycle, between two runs | clears `SAFE`, when the robot has left its safe state | tasks come in again |
//!
//! An update with a `&SafeState` enters even if the module is safe, if its run began in the safe
//! state.
//!
//! All steps change the same word, so one of two that meet comes first and the other sees it.
//! Entering acquires what the previous one released by leaving. A task that counts itself in and
//! out again in vain can keep a thread from outside from entering, which tries again. That is the
//! invariant behind the `unsafe` blocks here.

#![expect(unsafe_code, reason = "modules are shared by their cycle and the watchdog; see the invariant")]

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

use hemiola_model::data::{ReadError, Reader, Writer};
use hemiola_model::module::{BetweenRuns, Instance, Outcome, PreparedParameters, SafeState};
use hemiola_realtime::{Containment, take_place};

use crate::containment::{contained, in_words, quietly};
use crate::faults::{Fault, Faults};
use crate::ports::Ports;
use crate::sync::{AtomicU32, Ordering};

/// A module's instance, with its gate and its ends of topics and services.
pub struct ModuleInstance {
    /// The instance; when it is dropped, a panic of its destructor is reported.
    instance: ManuallyDrop<Instance>,
    /// The file and line of its module.
    location: &'static str,
    faults: Arc<Faults>,
    /// The gate of a module with a safe state.
    gate: Option<Gate>,
    /// The ends of topics and services of each update.
    ports: Box<[Ports]>,
}

/// The outcome of trying to enter a module's safe state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// The module is safe, or its method panicked, which is a fault: in either case no update
    /// undoes it.
    Yes,
    /// The module is in use.
    Busy,
}

impl ModuleInstance {
    /// Creates an instance. `location` is where its module is declared; `faults` receives a panic
    /// of its destructor.
    pub fn new(instance: Instance, ports: Box<[Ports]>, location: &'static str, faults: Arc<Faults>) -> Self {
        let gate = instance.has_safe_state().then(Gate::default);
        Self { instance: ManuallyDrop::new(instance), location, faults, gate, ports }
    }

    /// Returns the ends of topics and services of the update with that number.
    pub fn ports(&self, update: usize) -> Option<&Ports> {
        self.ports.get(update)
    }

    /// Lets one of its updates in, until the pass is dropped. Returns `None` while a thread from
    /// outside is in, and while the module is safe, unless the update handles the safe state in
    /// which its run began.
    #[inline]
    pub fn pass(&self, at_beginning: SafeState, heeds: bool) -> Option<Pass<'_>> {
        let Some(gate) = &self.gate else { return Some(Pass(None)) };
        let (pass, is_safe) = gate.pass()?;
        let may_act = if at_beginning.is_active() { heeds } else { !is_safe };
        may_act.then_some(pass)
    }

    /// Lets its cycle in between two runs, for actions that move nothing; returns `None` while a
    /// thread from outside is in.
    fn pass_between_runs(&self) -> Option<Pass<'_>> {
        self.gate.as_ref().map_or(Some(Pass(None)), |gate| Some(gate.pass()?.0))
    }

    /// Restores the recorded state of the module.
    ///
    /// # Errors
    /// Returns an error if the reader does not contain that state.
    pub fn read_state(&self, reader: &mut dyn Reader, _: &mut BetweenRuns<'_>) -> Result<(), ReadError> {
        // SAFETY: between two runs nobody uses it; nothing has begun, so nobody makes it safe.
        unsafe { self.instance.alone() }.read_state(reader)
    }

    /// Writes the state of the module; returns `false` while a thread from outside is in.
    pub fn write_state(&self, writer: &mut dyn Writer, _: &BetweenRuns<'_>) -> bool {
        let Some(_pass) = self.pass_between_runs() else { return false };
        // SAFETY: between two runs, and nobody from outside is in.
        unsafe { self.instance.write_state(writer) };
        true
    }

    /// Enters the module's safe state, from any thread, if it is not in it: calls its
    /// `#[safe_state]` method.
    pub fn enter_safe_state(&self) -> Entered {
        let Some(gate) = &self.gate else { return Entered::Yes };
        match gate.enter_from_outside() {
            Outside::Safe => return Entered::Yes,
            Outside::Busy => return Entered::Busy,
            Outside::In => {}
        }
        // A module that panics here must not prevent others from entering their safe state.
        let result = contained(|| {
            // SAFETY: no task of its cycle is in, and none comes in.
            match unsafe { self.instance.alone() }.enter_safe_state() {
                Outcome::Failed(failure) => Err(format!("failed: {}", in_words(&failure))),
                _ => Ok(()),
            }
        });
        gate.leave_from_outside();
        if let Err(reason) = result.unwrap_or_else(Err) {
            self.faults.note(Fault::Unsafe {
                module: self.instance.name(),
                location: self.location.to_owned(),
                reason,
            });
        }
        Entered::Yes
    }

    /// Returns whether its `#[safe_state]` method was called, and no update comes in.
    pub fn is_safe(&self) -> bool {
        self.gate.as_ref().is_some_and(Gate::is_safe)
    }

    /// Lets its updates in again, between two runs of its cycle. A thread that made it safe before
    /// has set the cause by then.
    pub fn leave_safe_state(&self, _: &mut BetweenRuns<'_>) {
        if let Some(gate) = &self.gate {
            gate.end_safe_state();
        }
    }

    /// Restores that the module was safe when its state was recorded.
    pub fn resume_safe_state(&self, _: &mut BetweenRuns<'_>) {
        if let Some(gate) = &self.gate
            && gate.enter_from_outside() == Outside::In
        {
            gate.leave_from_outside();
        }
    }

    /// Exchanges the parameters in use for the prepared ones; returns `false` while a thread from
    /// outside is in.
    pub fn exchange_parameters(&self, parameters: &mut PreparedParameters, _: &mut BetweenRuns<'_>) -> bool {
        let Some(_pass) = self.pass_between_runs() else { return false };
        // The module's own code returns its parameters. SAFETY: between two runs, and nobody from
        // outside is in.
        quietly(|| unsafe { self.instance.alone() }.exchange_parameters(parameters)).is_some()
    }
}

impl Drop for ModuleInstance {
    fn drop(&mut self) {
        let _quiet = Containment::new();
        // SAFETY: this happens once, and nobody uses the instance afterwards.
        let instance = unsafe { ManuallyDrop::take(&mut self.instance) };
        let module = instance.name();
        if let Err(panicked) = instance.end() {
            let reason = format!("panicked{}: {panicked}", take_place());
            self.faults.note(Fault::Destructor { module, location: self.location.to_owned(), reason });
        }
    }
}

impl Deref for ModuleInstance {
    type Target = Instance;

    fn deref(&self) -> &Instance {
        &self.instance
    }
}

/// A task's permission to use a module.
pub struct Pass<'i>(Option<&'i Gate>);

impl Drop for Pass<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(gate) = self.0 {
            gate.leave();
        }
    }
}

#[derive(Default)]
struct Gate(AtomicU32);

const OUTSIDE: u32 = 1 << 31;
const SAFE: u32 = 1 << 30;

/// The outcome of entering from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outside {
    In,
    /// A task is in, or another thread from outside.
    Busy,
    /// The module is safe already.
    Safe,
}

impl Gate {
    /// Lets a task in, and returns whether the module is safe; `None` while a thread from outside
    /// is in.
    #[inline]
    fn pass(&self) -> Option<(Pass<'_>, bool)> {
        let before = self.0.fetch_add(1, Ordering::Acquire);
        let pass = Pass(Some(self));
        (before & OUTSIDE == 0).then_some((pass, before & SAFE != 0))
    }

    fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Lets a thread in from outside. It releases what was done before, even if the module is safe
    /// already: see [`end_safe_state`](Self::end_safe_state).
    fn enter_from_outside(&self) -> Outside {
        let mut now = self.0.load(Ordering::Relaxed);
        loop {
            let (next, outcome) = match now {
                0 => (OUTSIDE, Outside::In),
                _ if now & (SAFE | OUTSIDE) == SAFE => (now, Outside::Safe),
                _ => return Outside::Busy,
            };
            match self.0.compare_exchange(now, next, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return outcome,
                Err(other) => now = other,
            }
        }
    }

    fn is_safe(&self) -> bool {
        self.0.load(Ordering::Relaxed) & SAFE != 0
    }

    /// Lets the thread from outside leave. Tasks may have counted themselves in for a moment, so
    /// their count stays.
    fn leave_from_outside(&self) {
        self.0.fetch_sub(OUTSIDE - SAFE, Ordering::Release);
    }

    /// Lets tasks in again. It acquires what the thread that made the module safe had done before:
    /// also that the robot is in its safe state, if it is again.
    fn end_safe_state(&self) {
        self.0.fetch_and(!SAFE, Ordering::AcqRel);
    }
}

#[cfg(loom)]
mod tests {
    use super::*;
    use crate::sync::{Arc, UnsafeCell};

    struct Guarded(Gate, UnsafeCell<u32>);
    // SAFETY: the cell is used behind the gate only, which is what the models check.
    unsafe impl Sync for Guarded {}

    impl Guarded {
        fn add(&self) {
            // SAFETY: whoever is behind the gate is alone, because each model has one thread of the
            // cycle.
            self.1.with_mut(|value| unsafe { *value += 1 });
        }

        fn task(&self) -> bool {
            let Some((_pass, is_safe)) = self.0.pass() else { return false };
            if !is_safe {
                self.add();
            }
            !is_safe
        }
    }

    #[test]
    fn loom_a_module_is_never_used_from_both_sides_and_not_after_it_was_made_safe() {
        loom::model(|| {
            let guarded = Arc::new(Guarded(Gate::default(), UnsafeCell::new(0)));
            let watchdog = {
                let guarded = guarded.clone();
                loom::thread::spawn(move || {
                    let entered = guarded.0.enter_from_outside();
                    if entered == Outside::In {
                        guarded.add();
                        guarded.0.leave_from_outside();
                    }
                    entered
                })
            };
            let acted = [guarded.task(), guarded.task()];
            let entered = watchdog.join().unwrap();
            assert_eq!(guarded.task(), entered == Outside::Busy);
            assert!(entered != Outside::Busy || acted.contains(&true), "only a task keeps it from coming in");
            assert!(acted[0] || !acted[1] || entered == Outside::Busy, "what was left out stays out");
        });
    }

    #[test]
    fn loom_who_makes_a_module_safe_while_it_is_let_go_is_seen_by_its_cycle() {
        use crate::sync::AtomicU32;

        loom::model(|| {
            let (gate, robot) = (Arc::new(Gate::default()), Arc::new(AtomicU32::new(0)));
            assert_eq!(gate.enter_from_outside(), Outside::In);
            gate.leave_from_outside();
            let watchdog = {
                let (gate, robot) = (gate.clone(), robot.clone());
                loom::thread::spawn(move || {
                    robot.store(1, Ordering::Relaxed);
                    let outcome = gate.enter_from_outside();
                    if outcome == Outside::In {
                        gate.leave_from_outside();
                    }
                    outcome
                })
            };
            gate.end_safe_state();
            let is_seen = robot.load(Ordering::Relaxed) == 1;
            let outcome = watchdog.join().unwrap();
            assert_ne!(outcome, Outside::Busy, "nobody is in");
            assert!(gate.is_safe() || is_seen, "{outcome:?}");
        });
    }
}
