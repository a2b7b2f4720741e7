//! Ctrl-C, and requests to end.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;

use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level;

use crate::live::Terminal;
use crate::sync::{AtomicBool, Ordering};

/// The first one asks the robot to end; the second one ends the program at once.
pub struct Interruption {
    has_come: Arc<AtomicBool>,
    registered: Vec<SigId>,
}

impl Interruption {
    /// From now on. Without them a signal ends the program, which is no reason not to run.
    pub fn await_signals(terminal: &Terminal) -> Self {
        let has_come = Arc::new(AtomicBool::new(false));
        let mut interruption = Self { has_come: has_come.clone(), registered: Vec::new() };
        let Ok((mut received, sent)) = UnixStream::pair() else { return interruption };
        let terminal = terminal.clone();
        let listen = move || {
            let mut signal = [0];
            // It ends with the other end, which the registered signals have.
            while received.read_exact(&mut signal).is_ok() {
                if has_come.swap(true, Ordering::Relaxed) {
                    terminal.restore();
                    low_level::exit(130);
                }
            }
        };
        if thread::Builder::new().name("hemiola signals".into()).spawn(listen).is_ok() {
            let ends = [SIGINT, SIGTERM].into_iter().filter_map(|signal| Some((signal, sent.try_clone().ok()?)));
            let registered = ends.filter_map(|(signal, end)| low_level::pipe::register(signal, end).ok());
            interruption.registered = registered.collect();
        }
        interruption
    }

    pub fn has_come(&self) -> bool {
        self.has_come.load(Ordering::Relaxed)
    }
}

impl Drop for Interruption {
    fn drop(&mut self) {
        self.registered.drain(..).for_each(|id| _ = low_level::unregister(id));
    }
}
