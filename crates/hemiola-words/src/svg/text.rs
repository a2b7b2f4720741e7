/// Escapes text so that it is safe inside elements and attributes.
///
/// ```
/// assert_eq!(hemiola_words::svg::escape("a < b"), "a &lt; b");
/// ```
pub fn escape(text: &str) -> String {
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

/// Estimates the width of text in the widest of the usual sans-serif faces (DejaVu Sans, to which
/// many systems fall back), in pixels: rather too wide than too narrow.
///
/// ```
/// use hemiola_words::svg::text_width;
///
/// assert!(text_width("WWW", 12.0) > text_width("iii", 12.0));
/// ```
pub fn text_width(text: &str, size: f64) -> f64 {
    let em = |character: char| match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | '\'' | '|' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | ' ' | '-' | '/' => 0.41,
        'm' | 'w' | 'M' | 'W' | '@' => 0.98,
        'A'..='Z' => 0.75,
        '→' => 0.84,
        _ => 0.63,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// Estimates the width of text in bold.
pub fn bold_width(text: &str, size: f64) -> f64 {
    1.14 * text_width(text, size)
}

/// Returns as much of the beginning of a text as fits into a width, with an ellipsis; nothing if
/// hardly anything fits.
///
/// ```
/// use hemiola_words::svg::fit;
///
/// assert_eq!(fit("Ball", 10.0, 100.0).as_deref(), Some("Ball"));
/// assert_eq!(fit("BallPerceptProvider", 10.0, 15.0), None);
/// ```
pub fn fit(text: &str, size: f64, width: f64) -> Option<String> {
    let short = shortened(text, size, width);
    (short == text || short.chars().count() >= 5).then_some(short)
}

/// Returns as much of the beginning of a text as fits into a width, with an ellipsis if that is not
/// all.
///
/// ```
/// assert!(hemiola_words::svg::shortened("BallPerceptProvider", 10.0, 60.0).ends_with('…'));
/// ```
pub fn shortened(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        short.push(character);
        if text_width(&short, size) + size * 0.9 > width {
            short.pop();
            break;
        }
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_the_document() {
        assert_eq!(escape("<a b=\"c\">&\u{7}"), "&lt;a b=&quot;c&quot;&gt;&amp;\u{fffd}");
    }

    /// The figures are advance widths of DejaVu Sans, in its own units.
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
        assert_eq!(shortened("Ball", 10.0, 3.0), "…");
    }
}
