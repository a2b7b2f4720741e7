//! The style of tables.

/// The style of a table. The caller knows whether the table is printed on a terminal.
///
/// ```
/// use hemiola_trace::{Colour, Style};
///
/// assert_eq!(Style::plain().colour, Colour::Never);
/// assert_eq!(Style::terminal(120).width, 120);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// The number of columns of the terminal; tables are narrower if they can be, and never wider
    /// than this or [`Style::NARROWEST`].
    pub width: usize,
    /// The use of colours for emphasis.
    pub colour: Colour,
    /// The number of tasks listed per cycle; the others are summed up.
    pub tasks: usize,
}

impl Style {
    /// The minimum width of a table.
    pub const NARROWEST: usize = 80;

    /// Returns the style for files and pipes: 110 columns, no colours, all tasks.
    pub const fn plain() -> Self {
        Self { width: 110, colour: Colour::Never, tasks: usize::MAX }
    }

    /// Returns the style for a terminal of `width` columns: colours, the 12 tasks with the largest
    /// share of the time.
    pub const fn terminal(width: usize) -> Self {
        Self { width, colour: Colour::Ansi, tasks: 12 }
    }

    /// Sets the number of tasks per cycle.
    pub const fn tasks(self, tasks: usize) -> Self {
        Self { tasks, ..self }
    }

    pub(super) fn columns(&self) -> usize {
        self.width.max(Self::NARROWEST)
    }

    pub(super) fn paint(&self, tone: Tone, text: &str) -> String {
        match self.colour {
            Colour::Never => text.to_owned(),
            Colour::Ansi => format!("\x1b[{}m{text}\x1b[0m", tone.code()),
        }
    }
}

/// The use of colours for emphasis.
///
/// See [`Style`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Text without colours.
    Never,
    /// Text with the escape sequences of terminals.
    Ansi,
}

#[derive(Clone, Copy)]
pub(super) enum Tone {
    Title,
    Quiet,
    Good,
    Bad,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Title => "1",
            Self::Quiet => "2",
            Self::Good => "32",
            Self::Bad => "1;31",
        }
    }
}

/// Draws a bar of `cells` columns, the full width of which represents `limit`: solid to the mean,
/// light to the 99th percentile, a dot at the maximum, or an arrow if that exceeds the limit.
pub(super) fn bar(cells: usize, limit: u64, mean: u64, p99: u64, maximum: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = |value: u64| {
        let share = value as f64 / limit.max(1) as f64;
        ((share * cells as f64 * 8.0).round() as usize).min(cells * 8)
    };
    let solid = eighths(mean);
    let mut columns: Vec<&str> = vec!["█"; solid / 8];
    if !solid.is_multiple_of(8) {
        columns.push(EIGHTHS[solid % 8]);
    }
    let light = eighths(p99).div_ceil(8);
    while columns.len() < light {
        columns.push("░");
    }
    columns.resize(cells, " ");
    let beyond = maximum > limit;
    if let Some(column) = columns.get_mut(eighths(maximum).div_ceil(8).clamp(1, cells.max(1)) - 1) {
        match *column {
            _ if beyond => *column = "▶",
            " " => *column = "·",
            _ => {}
        }
    }
    columns.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_mean_tail_and_maximum() {
        assert_eq!(bar(10, 1_000, 300, 500, 800), "███░░  ·  ");
        assert_eq!(bar(10, 1_000, 250, 250, 250), "██▌       ");
        assert_eq!(bar(4, 1_000, 5_000, 5_000, 5_000), "███▶");
        assert_eq!(bar(4, 1_000, 10, 20, 1_001), "░  ▶");
        assert_eq!(bar(4, 0, 0, 0, 0), "·   ");
    }

    #[test]
    fn a_bar_is_as_wide_as_asked() {
        for mean in 0..1_200 {
            assert_eq!(bar(7, 1_000, mean, mean + 50, mean + 100).chars().count(), 7);
        }
    }
}
