//! Colours, chosen in OKLCH so that equally light ones look equally light (Ottosson 2020).
//!
//! ```
//! use hemiola_words::svg::palette::{category, heat};
//!
//! assert_ne!(category(0), category(1));
//! assert_ne!(heat(0.0), heat(1.0));
//! ```

/// The colour of text and axes.
pub const INK: &str = "#1b2430";
/// The colour of secondary text.
pub const MUTED: &str = "#66707d";
/// The colour of rules, frames and ordinary edges.
pub const RULE: &str = "#a9b4c0";
/// The colour of the critical path.
pub const CRITICAL: &str = "#d1342f";
/// The colour of the background.
pub const PAPER: &str = "#fbfcfd";

/// Returns fill and border of one of many categories: neighbours in number are far apart in hue
/// (golden angle).
///
/// See [the module](super).
pub fn category(number: usize) -> (String, String) {
    let hue = (40.0 + number as f64 * 137.507_764) % 360.0;
    let lightness = [0.90, 0.84, 0.93][number / 7 % 3];
    (oklch(lightness, 0.062, hue), oklch(0.58, 0.11, hue))
}

/// Returns fill and border for what belongs to no category.
///
/// See [`category`].
pub fn neutral() -> (String, String) {
    ("#e8ecf0".into(), "#7a8794".into())
}

/// Returns fill and border for a share between 0 and 1: from the colour of paper to a strong
/// orange.
///
/// See [`category`].
pub fn heat(share: f64) -> (String, String) {
    let share = share.clamp(0.0, 1.0);
    let hue = 95.0 - 40.0 * share;
    (oklch(0.97 - 0.20 * share, 0.012 + 0.155 * share, hue), oklch(0.66 - 0.08 * share, 0.03 + 0.11 * share, hue))
}

/// Returns a colour by hue in degrees, saturation and lightness, as `#rrggbb`: not every viewer
/// knows `hsl()`.
///
/// ```
/// assert_eq!(hemiola_words::svg::palette::hsl(0.0, 1.0, 0.5), "#ff0000");
/// ```
pub fn hsl(hue: f64, saturation: f64, lightness: f64) -> String {
    let amplitude = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f64| {
        let position = (offset + hue / 30.0).rem_euclid(12.0);
        let value = lightness - amplitude * (position - 3.0).min(9.0 - position).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0.0), channel(8.0), channel(4.0))
}

fn oklch(lightness: f64, chroma: f64, hue: f64) -> String {
    let (sin, cos) = hue.to_radians().sin_cos();
    let (a, b) = (chroma * cos, chroma * sin);
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let red = 4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s;
    let green = -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s;
    let blue = -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s;
    let channel = |linear: f64| {
        let linear = linear.clamp(0.0, 1.0);
        let gamma = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
        (gamma * 255.0).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(red), channel(green), channel(blue))
}
