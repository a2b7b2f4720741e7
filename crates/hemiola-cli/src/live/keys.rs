//! Single keys of the terminal, without Enter.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use crate::sync::{AtomicBool, Ordering};

/// The terminal as it was before keys were read; shared with who ends the program in a hurry.
#[derive(Clone, Default)]
pub struct Terminal(Arc<Mutex<Option<Termios>>>);

impl Terminal {
    /// Keys come at once, and are not shown. `false` if the standard input is no terminal.
    fn give_keys(&self) -> bool {
        let Ok(before) = tcgetattr(io::stdin()) else { return false };
        let mut now = before.clone();
        // Ctrl-C stays a signal.
        now.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        now.special_codes[SpecialCodeIndex::VMIN] = 1;
        now.special_codes[SpecialCodeIndex::VTIME] = 0;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        tcsetattr(io::stdin(), OptionalActions::Now, &now).is_ok()
    }

    /// As it was.
    pub fn restore(&self) {
        if let Some(before) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A terminal that went away needs nothing more.
            _ = tcsetattr(io::stdin(), OptionalActions::Drain, &before);
        }
    }
}

/// Keys as they are pressed, until this is dropped.
pub struct Keys {
    terminal: Terminal,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// How soon it ends.
const LOOK_PERIOD: Duration = Duration::from_millis(50);

impl Keys {
    /// Tells each key; `None` if there is no terminal that they could come from.
    pub fn read(terminal: &Terminal, mut tell: impl FnMut(char) + Send + 'static) -> Option<Self> {
        if !terminal.give_keys() {
            return None;
        }
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let listen = move || {
            while !over.load(Ordering::Relaxed) {
                let mut key = [0];
                if is_pressed() && !matches!(rustix::io::read(io::stdin(), &mut key), Ok(1)) {
                    return;
                } else if key[0].is_ascii() && key[0] != 0 {
                    tell(key[0].into());
                }
            }
        };
        let thread = thread::Builder::new().name("hemiola keys".into()).spawn(listen).ok();
        Some(Self { terminal: terminal.clone(), is_over, thread })
    }
}

fn is_pressed() -> bool {
    let stdin = io::stdin();
    let timeout = Timespec { tv_sec: 0, tv_nsec: LOOK_PERIOD.subsec_nanos().into() };
    let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
    matches!(poll(&mut waited, Some(&timeout)), Ok(count) if count > 0)
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of its own was reported by the default hook.
            _ = thread.join();
        }
        self.terminal.restore();
    }
}
