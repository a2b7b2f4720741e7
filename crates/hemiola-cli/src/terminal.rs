//! The terminal: its size, the whole screen for a view with keys, or a few lines that are redrawn.

mod bell;
mod over;
mod screen;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::crossterm::{cursor, execute, terminal};
use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcgetpgrp, tcsetattr,
};

pub use bell::Bell;
pub use over::Over;
pub use screen::{Key, Screen};

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

/// Returns the size of the terminal that the standard output is, if it is one.
pub fn terminal_size() -> Option<Size> {
    let (columns, rows) = terminal_size::terminal_size_of(io::stdout())?;
    Some(Size { columns: usize::from(columns.0), rows: usize::from(rows.0) })
}

/// Returns whether there is a terminal on which this program may draw. A program in the background
/// may not: it would be stopped when it changes the modes of the terminal.
pub fn is_ours() -> bool {
    isatty(io::stdout()) && tcgetpgrp(io::stdout()).is_ok_and(|foreground| foreground == getpgrp())
}

/// The state with which the terminal is restored, shared with code that ends the program early.
#[derive(Clone, Default)]
pub struct Terminal(Arc<Mutex<Option<Before>>>);

/// The state of the terminal before a view took it over.
struct Before {
    /// The modes of the standard input, if that is a terminal.
    modes: Option<Termios>,
}

impl Terminal {
    /// Takes over the whole terminal: the alternate screen, unbuffered keys without echo. Ctrl-C
    /// stays a signal; Ctrl-Z does nothing, as a robot must not stop in the middle of a movement.
    fn take(&self) -> io::Result<()> {
        let modes = tcgetattr(io::stdin()).ok();
        if let Some(before) = &modes {
            let mut now = before.clone();
            now.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            now.special_codes[SpecialCodeIndex::VMIN] = 1;
            now.special_codes[SpecialCodeIndex::VTIME] = 0;
            now.special_codes[SpecialCodeIndex::VSUSP] = DISABLED;
            tcsetattr(io::stdin(), OptionalActions::Now, &now)?;
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Before { modes });
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)
    }

    /// Restores the terminal; does nothing if it was not taken over. Errors of a terminal that is
    /// gone are ignored.
    pub fn restore(&self) {
        let Some(before) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        _ = execute!(io::stdout(), terminal::LeaveAlternateScreen, cursor::Show);
        if let Some(modes) = before.modes {
            _ = tcsetattr(io::stdin(), OptionalActions::Drain, &modes);
        }
    }
}

/// The character that no key stands for: `_POSIX_VDISABLE`.
const DISABLED: u8 = 0;
