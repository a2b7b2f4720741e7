//! Pictures of graphs and schedules: text for a terminal, DOT for other tools, SVG for a browser or
//! a wall.

mod graph_svg;
mod graph_text;
mod layout;
mod legend;
mod map;
mod map_text;
mod schedule_svg;
mod schedule_text;

use hemiola_words::svg::Page;
use hemiola_words::svg::palette::INK;
use serde::{Deserialize, Serialize};

pub use graph_svg::graph_svg;
pub use graph_text::{graph_dot, graph_text};
pub use map::{Map, Place, PlaceKind, Way, map_dot, map_svg};
pub use map_text::map_text;
pub use schedule_svg::schedule_svg;
pub use schedule_text::schedule_text;

/// The property that the colour of a task shows.
///
/// See [`graph_svg`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    /// The module that the task belongs to.
    #[default]
    Module,
    /// The share of the task in the work of its cycle: where the time goes.
    Share,
}

const MARGIN: f64 = Page::MARGIN;
/// The height at which the picture begins, below heading, facts and legend.
const TOP: f64 = 124.0;

/// Begins a page on which tasks and edges stand out under the pointer.
fn page(width: f64, height: f64, heading: &str, facts: &str) -> Page {
    let style = format!(
        ".t:hover rect,.t:hover path{{stroke-width:3}}.e:hover path{{stroke:{INK};stroke-opacity:1;stroke-width:3}}"
    );
    Page::with_heading(width, height, heading, facts, &style)
}
