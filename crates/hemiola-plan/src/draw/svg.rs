//! What both kinds of SVG pictures need: a page, escaped text, and an idea of how wide text is.

use std::fmt::{Display, Write};

use super::palette::{INK, MUTED, PAPER};

/// An SVG document under construction.
pub(super) struct Page {
    body: String,
}

impl Page {
    /// A page with a heading and a line of facts under it.
    pub(super) fn new(width: f64, height: f64, heading: &str, facts: &str) -> Self {
        let (width, height) = (width.ceil(), height.ceil());
        let mut page = Self { body: String::new() };
        page.line(format_args!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="'Inter','Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif" fill="{INK}">"##
        ));
        page.line(format_args!("<title>{}</title>", escape(heading)));
        page.line(format_args!(
            "<style>.t:hover rect,.t:hover path{{stroke-width:3}}.e:hover path{{stroke:{INK};stroke-opacity:1;stroke-width:3}}\
             text{{pointer-events:none}}</style>"
        ));
        page.line(format_args!(r#"<rect width="{width}" height="{height}" fill="{PAPER}"/>"#));
        page.line(format_args!(
            r#"<text x="{MARGIN}" y="46" font-size="24" font-weight="700">{}</text>"#,
            escape(heading)
        ));
        page.line(format_args!(r#"<text x="{MARGIN}" y="70" font-size="14" fill="{MUTED}">{}</text>"#, escape(facts)));
        page
    }

    /// Adds a line of markup.
    pub(super) fn line(&mut self, markup: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.body, "{markup}");
    }

    /// The finished document.
    pub(super) fn finish(mut self) -> String {
        self.body += "</svg>\n";
        self.body
    }
}

/// The empty rim of a page, in pixels.
pub(super) const MARGIN: f64 = 36.0;
/// Where the picture begins below heading, facts and legend.
pub(super) const TOP: f64 = 124.0;

/// Text that is safe inside elements and attributes.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\n' => safe += "&#10;",
            character if character.is_control() => safe.push('\u{fffd}'),
            character => safe.push(character),
        }
    }
    safe
}

/// About how wide text is in the widest of the usual sans-serif faces (DejaVu Sans, which many systems fall back to), in pixels:
/// rather too wide than too narrow.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let em = |character: char| match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | '\'' | '|' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | ' ' | '-' | '/' => 0.41,
        'm' | 'w' | 'M' | 'W' | '@' => 0.98,
        'A'..='Z' => 0.75,
        _ => 0.63,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// The same in bold.
pub(super) fn bold_width(text: &str, size: f64) -> f64 {
    1.14 * text_width(text, size)
}

/// As much of the beginning of a text as fits, with an ellipsis; nothing if that is hardly anything.
pub(super) fn fit(text: &str, size: f64, width: f64) -> Option<String> {
    if text_width(text, size) <= width {
        return Some(text.to_string());
    }
    let mut short = String::new();
    for character in text.chars() {
        short.push(character);
        if text_width(&short, size) + size * 0.9 > width {
            short.pop();
            break;
        }
    }
    (short.chars().count() >= 4).then(|| short + "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_the_document() {
        assert_eq!(escape("<a b=\"c\">&\u{7}"), "&lt;a b=&quot;c&quot;&gt;&amp;\u{fffd}");
    }

    /// Advance widths of DejaVu Sans, in its own units.
    #[test]
    fn text_is_estimated_for_the_widest_usual_face() {
        for (name, regular, bold) in [
            ("report", 3.076, 3.545),
            ("attention", 4.562, 5.241),
            ("WorldModeler", 6.953, 7.932),
            ("calibrated_imu", 7.405, 8.306),
            ("publish to cognition", 9.877, 11.268),
        ] {
            assert!((regular..1.15 * regular).contains(&text_width(name, 1.0)), "{name}");
            assert!((bold..1.15 * bold).contains(&bold_width(name, 1.0)), "{name}");
        }
    }

    #[test]
    fn text_that_does_not_fit_is_cut_or_dropped() {
        assert_eq!(fit("Ball", 10.0, 100.0).as_deref(), Some("Ball"));
        let cut = fit("BallPerceptProvider", 10.0, 60.0).unwrap();
        assert!(cut.ends_with('…') && text_width(&cut, 10.0) <= 64.0, "{cut}");
        assert_eq!(fit("BallPerceptProvider", 10.0, 15.0), None);
    }
}
