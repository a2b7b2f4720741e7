//! A module's instance, and what keeps its cycle and the watchdog apart.
//!
//! Most modules belong to their cycle alone. One with a `#[safe_state]` method must be reached when its cycle has stopped, from
//! another thread, but never while one of its updates runs. Its gate is one word: how many of the cycle's tasks are inside, or
//! that somebody from outside is.
//!
//! | who | step | effect |
//! |---|---|---|
//! | task | adds one; if somebody from outside was in, subtracts it again | in, or left out in this run |
//! | outside | exchanges 0 for `OUTSIDE` | in, only while no task is |
//! | either | subtracts what it added | the other may come in |
//!
//! All steps change the same word, so one of two that meet comes first and the other sees it. Coming in acquires what the one
//! before released by leaving. A task that counts itself in and out again in vain can keep an outsider from entering, who tries
//! again. That is the invariant behind the `unsafe` blocks here.

#![expect(unsafe_code, reason = "modules are shared by their cycle and the watchdog; see the invariant")]

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

use hemiola_model::data::{ReadError, Reader, Writer};
use hemiola_model::module::{BetweenRuns, Instance, PreparedParameters};
use hemiola_realtime::{Containment, take_place};

use crate::containment::quietly;
use crate::faults::{Fault, Faults};
use crate::ports::Ports;
use crate::sync::{AtomicU32, Ordering};

/// See the module.
pub struct ModuleInstance {
    /// Dropped with a report of what its destructor does.
    instance: ManuallyDrop<Instance>,
    /// File and line of its module.
    location: &'static str,
    faults: Arc<Faults>,
    /// For modules with a safe state.
    gate: Option<Gate>,
    /// Of each update.
    ports: Box<[Ports]>,
}

/// How trying to enter a module's safe state went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    Yes,
    /// The module panicked over it.
    Failed,
    /// Somebody is using the module.
    Busy,
}

impl ModuleInstance {
    /// `location` is where its module is declared; `faults` learns of a destructor that panics.
    pub fn new(instance: Instance, ports: Box<[Ports]>, location: &'static str, faults: Arc<Faults>) -> Self {
        let gate = instance.has_safe_state().then(Gate::default);
        Self { instance: ManuallyDrop::new(instance), location, faults, gate, ports }
    }

    /// What the update of that number holds of topics and services.
    pub fn ports(&self, update: usize) -> Option<&Ports> {
        self.ports.get(update)
    }

    /// Lets one of its cycle's tasks in, until the pass is dropped; `None` while somebody from outside is in.
    #[inline]
    pub fn pass(&self) -> Option<Pass<'_>> {
        match &self.gate {
            None => Some(Pass(None)),
            Some(gate) => gate.enter().then_some(Pass(Some(gate))),
        }
    }

    /// Has the module remember what was written down.
    ///
    /// # Errors
    /// What the reader holds is not that.
    pub fn read_state(&self, reader: &mut dyn Reader, _: &mut BetweenRuns<'_>) -> Result<(), ReadError> {
        // SAFETY: between two runs nobody uses it; nothing has begun, so nobody makes it safe.
        unsafe { self.instance.alone() }.read_state(reader)
    }

    /// Writes down what the module remembers; `false` while somebody from outside is in.
    pub fn write_state(&self, writer: &mut dyn Writer, _: &BetweenRuns<'_>) -> bool {
        let Some(_pass) = self.pass() else { return false };
        // SAFETY: between two runs, and nobody from outside is in.
        unsafe { self.instance.write_state(writer) };
        true
    }

    /// Enters the module's safe state, from any thread.
    pub fn enter_safe_state(&self) -> Entered {
        let Some(gate) = &self.gate else { return Entered::Yes };
        if !gate.enter_from_outside() {
            return Entered::Busy;
        }
        // A module that panics here must not keep others from it.
        let result = quietly(|| {
            // SAFETY: no task of its cycle is in, and none comes in.
            unsafe { self.instance.alone() }.enter_safe_state();
        });
        gate.leave_from_outside();
        if result.is_some() { Entered::Yes } else { Entered::Failed }
    }

    /// Exchanges the parameters in use and the prepared ones; `false` while somebody from outside is in.
    pub fn exchange_parameters(&self, parameters: &mut PreparedParameters, _: &mut BetweenRuns<'_>) -> bool {
        let Some(_pass) = self.pass() else { return false };
        // The module's own code hands its parameters out. SAFETY: between two runs, and nobody from outside is in.
        quietly(|| unsafe { self.instance.alone() }.exchange_parameters(parameters)).is_some()
    }
}

impl Drop for ModuleInstance {
    fn drop(&mut self) {
        let _quiet = Containment::new();
        // SAFETY: this happens once, and nobody uses the instance after it.
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

impl Gate {
    fn enter(&self) -> bool {
        let free = self.0.fetch_add(1, Ordering::Acquire) & OUTSIDE == 0;
        if !free {
            self.leave();
        }
        free
    }

    fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    fn enter_from_outside(&self) -> bool {
        self.0.compare_exchange(0, OUTSIDE, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Tasks may have counted themselves in for a moment, so their count stays.
    fn leave_from_outside(&self) {
        self.0.fetch_sub(OUTSIDE, Ordering::Release);
    }
}

#[cfg(loom)]
#[test]
fn loom_a_module_is_never_used_from_both_sides() {
    use crate::sync::{Arc, UnsafeCell};

    struct Guarded(Gate, UnsafeCell<u32>);
    // SAFETY: the cell is used behind the gate only, which is what the model checks.
    unsafe impl Sync for Guarded {}

    loom::model(|| {
        let guarded = Arc::new(Guarded(Gate::default(), UnsafeCell::new(0)));
        let watchdog = {
            let guarded = guarded.clone();
            loom::thread::spawn(move || {
                if guarded.0.enter_from_outside() {
                    // SAFETY: see above.
                    guarded.1.with_mut(|value| unsafe { *value += 1 });
                    guarded.0.leave_from_outside();
                }
            })
        };
        for _ in 0..2 {
            if guarded.0.enter() {
                // SAFETY: see above.
                guarded.1.with_mut(|value| unsafe { *value += 1 });
                guarded.0.leave();
            }
        }
        watchdog.join().unwrap();
        assert!(guarded.0.enter_from_outside());
    });
}
