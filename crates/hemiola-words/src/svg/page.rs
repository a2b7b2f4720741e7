use std::fmt::{self, Display, Write};

use super::escape;
use super::palette::{INK, MUTED, PAPER};

/// An SVG document under construction. Lines can be written with `writeln!`, too.
///
/// See [the module](super).
#[derive(Debug, Clone)]
pub struct Page {
    body: String,
    width: f64,
    height: f64,
}

impl Page {
    /// The margin of a page with a heading, in pixels.
    pub const MARGIN: f64 = 36.0;

    /// Creates an empty page of `width` by `height` pixels.
    pub fn new(width: f64, height: f64) -> Self {
        let (width, height) = (width.ceil(), height.ceil());
        let body = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Inter,'Helvetica Neue',Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif" fill="{INK}">"##
        );
        Self { body: body + "\n", width, height }
    }

    /// Creates a page with a heading, a line of facts under it, and style rules of its own.
    ///
    /// ```
    /// use hemiola_words::svg::Page;
    ///
    /// let page = Page::with_heading(300.0, 200.0, "cognition", "12 tasks", "");
    /// assert!(page.finish().contains("<title>cognition</title>"));
    /// ```
    pub fn with_heading(width: f64, height: f64, heading: &str, facts: &str, style: &str) -> Self {
        let mut page = Self::new(width, height);
        let (heading, facts, margin) = (escape(heading), escape(facts), Self::MARGIN);
        page.line(format_args!("<title>{heading}</title>"));
        page.line(format_args!("<style>{style}text{{pointer-events:none}}</style>"));
        page.ground(0.0, PAPER);
        page.line(format_args!(r#"<text x="{margin}" y="46" font-size="24" font-weight="700">{heading}</text>"#));
        page.line(format_args!(r#"<text x="{margin}" y="70" font-size="14" fill="{MUTED}">{facts}</text>"#));
        page
    }

    /// Fills the page with a colour; its corners are rounded.
    pub fn ground(&mut self, radius: f64, colour: &str) {
        let (width, height) = (self.width, self.height);
        self.line(format_args!(r#"<rect width="{width}" height="{height}" rx="{radius}" fill="{colour}"/>"#));
    }

    /// Adds a line of markup.
    pub fn line(&mut self, markup: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.body, "{markup}");
    }

    /// Returns the finished document.
    pub fn finish(mut self) -> String {
        self.body += "</svg>\n";
        self.body
    }
}

impl Write for Page {
    fn write_str(&mut self, markup: &str) -> fmt::Result {
        self.body.write_str(markup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_one_element_whatever_its_words_are() {
        let page = Page::with_heading(10.2, 20.0, "</svg><script>", "a < b", ".x{}").finish();
        assert!(page.starts_with("<svg ") && page.contains(r#"viewBox="0 0 11 20""#), "{page}");
        assert_eq!((page.matches("</svg>").count(), page.matches("<script").count()), (1, 0), "{page}");
    }
}
