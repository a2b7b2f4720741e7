//! A running robot on a terminal, or line by line where there is none.

mod bar;
mod journal;
mod keys;
mod terminal;
mod view;

pub use journal::Journal;
pub use keys::{Keys, Terminal};
pub use terminal::{Screen, terminal_size};
pub use view::{Frame, LiveView};
