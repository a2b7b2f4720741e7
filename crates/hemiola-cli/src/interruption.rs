//! Ctrl-C, requests to end, and terminals that close.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hemiola_realtime::Wakeup;
use hemiola_runtime::RobotHandle;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level;

use crate::sync::{AtomicBool, Ordering};
use crate::terminal::Terminal;

/// The signals that end a robot, or a view of one. The first one stops the robot, even if the rest
/// of the program is busy; the second one ends the program as soon as the actuators are safe. A
/// view whose terminal closes ends at once: nobody sees it any more.
pub struct Interruption {
    shared: Arc<Shared>,
    listener: Option<(Handle, JoinHandle<()>)>,
}

#[derive(Default)]
struct Shared {
    /// Set if this process has no robot that must be stopped first.
    is_of_view: bool,
    /// The event that each signal notifies.
    event: Option<Arc<Wakeup>>,
    has_come: AtomicBool,
    first: Mutex<Option<Instant>>,
    robot: Mutex<Option<RobotHandle>>,
}

impl Interruption {
    /// Handles the signals of a process that runs a robot from now on. If the system refuses that,
    /// a signal ends the program, which is no reason not to run.
    pub fn of_robot(terminal: &Terminal) -> Self {
        Self::await_signals(terminal, Shared::default())
    }

    /// Handles the signals of a process that only shows a robot, like [`of_robot`](Self::of_robot).
    /// Each signal notifies this event.
    pub fn of_view(terminal: &Terminal, event: &Arc<Wakeup>) -> Self {
        Self::await_signals(terminal, Shared { is_of_view: true, event: Some(event.clone()), ..Shared::default() })
    }

    fn await_signals(terminal: &Terminal, shared: Shared) -> Self {
        let shared = Arc::new(shared);
        let listener = Signals::new([SIGINT, SIGTERM, SIGHUP]).ok().and_then(|mut signals| {
            let (handle, terminal, shared) = (signals.handle(), terminal.clone(), shared.clone());
            let listen = move || signals.forever().for_each(|signal| shared.obey(signal, &terminal));
            let thread = thread::Builder::new().name("hemiola signals".into()).spawn(listen).ok()?;
            Some((handle, thread))
        });
        Self { shared, listener }
    }

    pub fn has_come(&self) -> bool {
        self.shared.has_come.load(Ordering::Relaxed)
    }

    /// Sets the robot that signals stop.
    pub fn concern(&self, robot: &RobotHandle) {
        *self.shared.robot() = Some(robot.clone());
        if self.has_come() {
            robot.stop();
        }
    }
}

/// The time within which a further signal counts as the same one: Ctrl-C reaches a robot and its
/// guard, which forwards it.
const SAME_WISH: Duration = Duration::from_millis(200);

impl Shared {
    fn obey(&self, signal: i32, terminal: &Terminal) {
        let robot = self.robot().clone();
        self.has_come.store(true, Ordering::Relaxed);
        self.event.iter().for_each(|event| event.notify_all());
        let since =
            self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now).elapsed();
        // SIGHUP may come twice from one terminal: the kernel sends it, and the shell.
        let is_gone = signal == SIGHUP && self.is_of_view;
        if !is_gone && (since < SAME_WISH || signal == SIGHUP) {
            robot.inspect(RobotHandle::stop);
            return;
        }
        robot.inspect(|robot| _ = robot.make_safe());
        terminal.restore();
        low_level::exit(128 + signal);
    }

    fn robot(&self) -> MutexGuard<'_, Option<RobotHandle>> {
        self.robot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Interruption {
    fn drop(&mut self) {
        if let Some((handle, thread)) = self.listener.take() {
            handle.close();
            _ = thread.join();
        }
    }
}
