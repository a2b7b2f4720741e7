//! The contents of each tab.

mod chains;
mod channels;
mod cycles;
mod links;
mod messages;
mod sources;
mod tasks;

use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::bar::milliseconds;
use super::rates::Rates;
use super::table::{Cell, Position};
use super::{Frame, table};

/// A tab of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Cycles,
    Tasks,
    Chains,
    Topics,
    Sources,
    Links,
    Messages,
}

impl Tab {
    /// All tabs, in the order in which they stand.
    pub const ALL: [Self; 7] =
        [Self::Cycles, Self::Tasks, Self::Chains, Self::Topics, Self::Sources, Self::Links, Self::Messages];

    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Tasks => "tasks",
            Self::Chains => "chains",
            Self::Topics => "topics",
            Self::Sources => "sources",
            Self::Links => "links",
            Self::Messages => "messages",
        }
    }

    /// Returns the tab that is `places` further, cyclically.
    pub fn after(self, places: usize) -> Self {
        Self::ALL[(self as usize + places) % Self::ALL.len()]
    }
}

pub fn draw(
    canvas: &mut ratatui::Frame<'_>,
    area: Rect,
    tab: Tab,
    frame: &Frame,
    rates: &Rates,
    position: &mut Position,
) {
    match tab {
        Tab::Cycles => cycles::draw(canvas, area, frame, rates, position),
        Tab::Tasks => tasks::table(frame, rates).draw(canvas, area, position),
        Tab::Chains => chains::table(frame, rates).draw(canvas, area, position),
        Tab::Topics => channels::table(frame, rates).draw(canvas, area, position),
        Tab::Sources => sources::table(frame, rates).draw(canvas, area, position),
        Tab::Links => links::draw(canvas, area, frame, rates, position),
        Tab::Messages => messages::draw(canvas, area, frame, position),
    }
}

/// Returns a cell with a time, or an empty one where nothing was measured.
fn time(nanoseconds: u64, count: u64) -> Cell {
    let text = if count == 0 { String::new() } else { milliseconds(nanoseconds) };
    Cell::number(nanoseconds as f64, text)
}

/// Returns a cell with a bound, red if the maximum exceeds it.
fn bound(bound: Option<&u64>, maximum: u64) -> Cell {
    let Some(&bound) = bound else { return Cell::number(0.0, "") };
    let style = if maximum > bound { Style::new().fg(Color::Red) } else { Style::new() };
    Cell::number(bound as f64, milliseconds(bound)).style(style)
}

/// Returns a cell with a rate per second.
fn rate(rate: f64) -> Cell {
    let decimals = usize::from(rate < 99.95);
    Cell::number(rate, format!("{rate:.decimals$}"))
}

/// Returns a cell with a share of one core.
fn share(share: f64) -> Cell {
    let percent = 100.0 * share;
    let decimals = usize::from(percent < 9.95);
    Cell::number(share, format!("{percent:.decimals$} %"))
}

/// Returns a cell in the style of `table::QUIET`, for names that repeat.
fn quiet(text: &str) -> Cell {
    Cell::text(text).style(table::QUIET)
}
