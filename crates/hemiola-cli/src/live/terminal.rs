//! Draws over itself with plain cursor movements.

use std::io::Write;

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

/// The size of the terminal that the standard output is, if it is one.
pub fn terminal_size() -> Option<Size> {
    let (columns, rows) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(Size { columns: usize::from(columns.0), rows: usize::from(rows.0) })
}

/// The lines at the end of the terminal that are drawn again and again.
#[derive(Default)]
pub struct Screen {
    shown: usize,
}

impl Screen {
    /// Replaces what was shown last.
    pub fn show(&mut self, lines: impl FnOnce(Size) -> Vec<String>) {
        let size = terminal_size().unwrap_or(Size { columns: 80, rows: 24 });
        let lines = lines(size);
        let mut text = self.back();
        for line in &lines {
            text += line;
            text += "\x1b[K\r\n";
        }
        text += "\x1b[J";
        self.shown = lines.len();
        write(&text);
    }

    /// Takes away what was shown last.
    pub fn clear(&mut self) {
        let text = self.back() + "\x1b[J";
        self.shown = 0;
        write(&text);
    }

    /// Moves to where the lines begin.
    fn back(&self) -> String {
        match self.shown {
            0 => String::new(),
            lines => format!("\r\x1b[{lines}A"),
        }
    }
}

/// In one piece, so that nothing flickers. A terminal that went away does not stop the robot.
fn write(text: &str) {
    let mut stdout = std::io::stdout().lock();
    _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
