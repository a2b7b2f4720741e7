//! How tables look.

/// How a table is to look: the caller knows whether it goes to a terminal.
///
/// ```
/// use hemiola_trace::{Colour, Style};
///
/// assert_eq!(Style::plain().colour, Colour::Never);
/// assert_eq!(Style::terminal(120).width, 120);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Columns of the terminal; tables are narrower if they can, and never wider than this or [`Style::NARROWEST`].
    pub width: usize,
    /// Whether to emphasise with colours.
    pub colour: Colour,
    /// How many tasks to list per cycle; the others are summed up.
    pub tasks: usize,
}

impl Style {
    /// No table is narrower than this.
    pub const NARROWEST: usize = 80;

    /// For files and pipes: 110 columns, no colours, all tasks.
    pub const fn plain() -> Self {
        Self { width: 110, colour: Colour::Never, tasks: usize::MAX }
    }

    /// For a terminal of `width` columns: colours, the 12 tasks with the largest share of the time.
    pub const fn terminal(width: usize) -> Self {
        Self { width, colour: Colour::Ansi, tasks: 12 }
    }

    /// The same with another number of tasks per cycle.
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

/// Whether to emphasise with colours.
///
/// ```
/// assert_ne!(hemiola_trace::Colour::Never, hemiola_trace::Colour::Ansi);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Text only.
    Never,
    /// With the escape sequences of terminals.
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

/// A duration for people, in three digits and the unit that fits: what reports and explanations say.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(hemiola_trace::human_duration(Duration::from_micros(52)), "52.0 µs");
/// ```
pub fn human_duration(duration: std::time::Duration) -> String {
    self::duration(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// Three digits and a unit: `52.0 µs`.
pub(crate) fn duration(nanoseconds: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let (size, unit) =
        UNITS.into_iter().find(|&(size, _)| nanoseconds.saturating_add(size / 2_000) >= size).unwrap_or((1, "ns"));
    let value = nanoseconds as f64 / size as f64;
    let decimals = match value {
        _ if size == 1 => 0,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

/// `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `text` cut or filled to exactly `width` columns.
pub(super) fn fitted(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return format!("{text}{}", " ".repeat(width - length));
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// A bar of `cells` columns that stands for `limit`: solid to the mean, light to the 99 % quantile, a dot at the maximum,
/// or an arrow if that is beyond.
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
    fn durations_have_three_digits_and_the_unit_that_fits() {
        for (nanoseconds, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (52_000, "52.0 µs"),
            (999_700, "1.00 ms"),
            (12_345_678, "12.3 ms"),
            (99_999_000, "100 ms"),
            (2_500_000_000, "2.50 s"),
        ] {
            assert_eq!(duration(nanoseconds), text);
        }
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn text_fills_its_columns_exactly() {
        assert_eq!(fitted("Walk", 6), "Walk  ");
        assert_eq!(fitted("Schritt für Schritt", 9), "Schritt …");
    }

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
