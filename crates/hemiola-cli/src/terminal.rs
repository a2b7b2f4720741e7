//! The terminal: its size, the whole of it for a view with keys, or a few lines that are drawn
//! over.

mod over;
mod screen;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::crossterm::{cursor, execute, terminal};
use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcgetpgrp, tcsetattr,
};

pub use over::Over;
pub use screen::{Key, Screen};

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

/// The size of the terminal that the standard output is, if it is one.
pub fn terminal_size() -> Option<Size> {
    let (columns, rows) = terminal_size::terminal_size_of(io::stdout())?;
    Some(Size { columns: usize::from(columns.0), rows: usize::from(rows.0) })
}

/// Whether there is a terminal that this program may draw on. What runs in the background may not:
/// it would be stopped when it changes how the terminal works.
pub fn is_ours() -> bool {
    isatty(io::stdout()) && tcgetpgrp(io::stdout()).is_ok_and(|foreground| foreground == getpgrp())
}

/// How to give the terminal back; shared with who ends the program in a hurry.
#[derive(Clone, Default)]
pub struct Terminal(Arc<Mutex<Option<Before>>>);

/// The terminal before it was taken.
struct Before {
    /// Of the standard input, if that is a terminal.
    modes: Option<Termios>,
}

impl Terminal {
    /// Takes the whole terminal: another screen, keys at once and not shown. Ctrl-C stays a signal;
    /// Ctrl-Z does nothing, for a robot that stands still in the middle of a movement is no good.
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

    /// Gives it back as it was; does nothing if it was not taken. A terminal that went away needs
    /// nothing more.
    pub fn restore(&self) {
        let Some(before) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        _ = execute!(io::stdout(), terminal::LeaveAlternateScreen, cursor::Show);
        if let Some(modes) = before.modes {
            _ = tcsetattr(io::stdin(), OptionalActions::Drain, &modes);
        }
    }
}

/// A key that is pressed by nothing: `_POSIX_VDISABLE`.
const DISABLED: u8 = 0;
