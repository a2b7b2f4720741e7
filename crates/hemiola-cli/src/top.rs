//! The view of a running robot on the whole terminal, in tabs, with keys.
//!
//! | file | contents |
//! |---|---|
//! | `frame` | one moment of a robot, from its handle or from its door |
//! | `notes` | messages and changes |
//! | `rates` | rates per second |
//! | `table` | columns that fit, and rows in the chosen order |
//! | `tabs` | the contents of each tab |
//! | `head`, `help` | the lines around the tabs, and the help |

mod bar;
mod frame;
mod head;
mod help;
mod notes;
mod rates;
mod table;
mod tabs;
#[cfg(test)]
mod tests;

use ratatui::layout::{Constraint, Layout, Rect};

pub use bar::milliseconds;
pub use frame::{Bounds, Channel, Frame};
pub use notes::Notes;
use rates::Rates;
use table::Position;
pub use tabs::Tab;

use crate::terminal::Key;

/// The view of the newest frame.
pub struct Top {
    frame: Frame,
    rates: Rates,
    tab: Tab,
    /// The sorting and selection in each tab.
    positions: [Position; Tab::ALL.len()],
    shows_help: bool,
    /// The keys of the program around the view, for the help.
    keys: Vec<(&'static str, &'static str)>,
    /// The thing that the key `q` ends.
    ends: Ends,
    /// Set if the key that ends the robot was pressed once.
    asks: bool,
}

/// The thing that ends when `q` is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The view alone ends.
    View,
    /// The robot ends, once that is confirmed.
    Robot,
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// The view has changed.
    Shown,
    /// The user wants to quit.
    Quit,
    /// The view has no such key.
    Other(Key),
}

impl Top {
    /// Creates a view. The program around it has these further keys, each with its effect.
    pub fn new(ends: Ends, keys: Vec<(&'static str, &'static str)>) -> Self {
        Self {
            frame: Frame::default(),
            rates: Rates::default(),
            tab: Tab::Cycles,
            positions: Default::default(),
            shows_help: false,
            keys,
            ends,
            asks: false,
        }
    }

    /// Shows this frame from now on.
    pub fn update(&mut self, frame: Frame) {
        self.rates.add(&frame);
        self.frame = frame;
    }

    /// Applies a key.
    pub fn press(&mut self, key: Key) -> Pressed {
        let asked = std::mem::take(&mut self.asks);
        if self.shows_help {
            self.shows_help = false;
            return Pressed::Shown;
        }
        let position = &mut self.positions[self.tab as usize];
        match key {
            Key::Character('q') | Key::Escape if self.ends == Ends::Robot && !asked => self.asks = true,
            Key::Character('q') | Key::Escape => return Pressed::Quit,
            Key::Character('?' | 'h') => self.shows_help = true,
            Key::NextTab | Key::Right => self.tab = self.tab.after(1),
            Key::PreviousTab | Key::Left => self.tab = self.tab.after(Tab::ALL.len() - 1),
            Key::Character('s') => position.sort_by_next(),
            Key::Character('S') => position.reverse(),
            Key::Up => position.move_by(-1),
            Key::Down => position.move_by(1),
            Key::PageUp => position.move_by_page(-1),
            Key::PageDown => position.move_by_page(1),
            Key::First => position.move_by(isize::MIN),
            Key::Last => position.move_by(isize::MAX),
            Key::Redraw => {}
            Key::Character(digit @ '1'..='9') if (digit as usize - '1' as usize) < Tab::ALL.len() => {
                self.tab = Tab::ALL[digit as usize - '1' as usize];
            }
            key => return Pressed::Other(key),
        }
        Pressed::Shown
    }

    /// Draws the whole view.
    pub fn draw(&mut self, canvas: &mut ratatui::Frame<'_>) {
        let area = canvas.area();
        let alarm = u16::from(self.frame.safe_state.is_some());
        // A terminal with few rows has room for the robot and its figures only.
        let (tabs, foot) = (u16::from(area.height > 4), u16::from(area.height > 5));
        let heights = [1, alarm, tabs, 0, foot].map(Constraint::Length);
        let heights = [heights[0], heights[1], heights[2], Constraint::Min(0), heights[4]];
        let [head, alarm, tabs, content, foot] = Layout::vertical(heights).areas::<5>(area);
        head::draw_head(canvas, head, &self.frame);
        head::draw_alarm(canvas, alarm, &self.frame);
        head::draw_tabs(canvas, tabs, self.tab);
        self.draw_tab(canvas, content);
        head::draw_foot(canvas, foot, self.ends, self.asks);
        if self.shows_help {
            help::draw(canvas, area, self.ends, &self.keys);
        }
    }

    fn draw_tab(&mut self, canvas: &mut ratatui::Frame<'_>, area: Rect) {
        let position = &mut self.positions[self.tab as usize];
        tabs::draw(canvas, area, self.tab, &self.frame, &self.rates, position);
    }
}
