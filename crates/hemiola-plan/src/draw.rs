//! Pictures of graphs and schedules: text for a terminal, DOT for other tools, SVG for a browser or a wall.

mod graph_svg;
mod graph_text;
mod layout;
mod legend;
mod palette;
mod schedule_svg;
mod schedule_text;
mod svg;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use graph_svg::graph_svg;
pub use graph_text::{graph_dot, graph_text};
pub use schedule_svg::schedule_svg;
pub use schedule_text::schedule_text;

/// What the colour of a task says.
///
/// ```
/// use hemiola_plan::draw::Colour;
/// assert_eq!(Colour::default(), Colour::Module);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    /// Which module it belongs to.
    #[default]
    Module,
    /// Its share of the work of a cycle: where the time goes.
    Share,
}

/// Three significant digits and a unit that fits: `12.3 ms`, `847 µs`, `90 ns`.
pub(crate) fn human(duration: Duration) -> String {
    let nanos = duration.as_nanos() as f64;
    let (value, unit) = match nanos {
        nanos if nanos < 999.5 => return format!("{nanos:.0} ns"),
        nanos if nanos < 999.5e3 => (nanos / 1e3, "µs"),
        nanos if nanos < 999.5e6 => (nanos / 1e6, "ms"),
        nanos => (nanos / 1e9, "s"),
    };
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$} {unit}")
}

/// `1 task`, `2 tasks`.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_a_unit() {
        let nanos = [0, 90, 999, 1_000, 9_996, 99_960, 847_000, 12_340_000, 1_500_000_000];
        let texts = nanos.map(|nanos| human(Duration::from_nanos(nanos)));
        assert_eq!(texts, ["0 ns", "90 ns", "999 ns", "1.00 µs", "10.0 µs", "100 µs", "847 µs", "12.3 ms", "1.50 s"]);
    }
}
