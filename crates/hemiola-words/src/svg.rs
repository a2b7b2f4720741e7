//! SVG pictures: a page, escaped text, an estimate of the width of text, round marks, and colours.
//!
//! ```
//! use hemiola_words::svg::{Page, escape, palette::category};
//!
//! let mut page = Page::new(320.0, 60.0);
//! let (fill, border) = category(0);
//! page.line(format_args!(r#"<rect x="10" y="10" width="90" height="40" fill="{fill}" stroke="{border}"/>"#));
//! page.line(format_args!(r#"<text x="20" y="35">{}</text>"#, escape("Ball & goal")));
//! assert!(page.finish().contains("Ball &amp; goal"));
//! ```

mod axis;
mod page;
pub mod palette;
mod text;

pub use axis::{round_step, ticks};
pub use page::Page;
pub use text::{bold_width, escape, fit, shortened, text_width};
