//! A few lines that are redrawn in place with plain cursor movements.

use std::io::Write;

use super::{Size, terminal_size};

/// The lines at the end of the terminal that are redrawn in place.
#[derive(Default)]
pub struct Over {
    shown: usize,
}

impl Over {
    /// Replaces what was shown last, with as many lines as fit on the terminal, cut at its edge.
    pub fn show(&mut self, text: &str) {
        let size = terminal_size().unwrap_or(Size { columns: 80, rows: 24 });
        let mut drawn = match self.shown {
            0 => String::new(),
            lines => format!("\r\x1b[{lines}A"),
        };
        self.shown = 0;
        for line in text.lines().take(size.rows.saturating_sub(1)) {
            let plain = line.chars().map(|character| if character.is_control() { ' ' } else { character });
            drawn.extend(plain.take(size.columns));
            drawn += "\x1b[K\r\n";
            self.shown += 1;
        }
        drawn += "\x1b[J";
        // The text is written in one piece, so that nothing flickers.
        let mut stdout = std::io::stdout().lock();
        _ = stdout.write_all(drawn.as_bytes()).and_then(|()| stdout.flush());
    }
}
