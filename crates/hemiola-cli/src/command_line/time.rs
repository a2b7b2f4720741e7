//! The times in command lines.

use std::time::Duration;

/// Reads `30s`, `1.5min` or `500ms`; a bare number is seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let unit_at = text.find(|character: char| character.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let factor = match unit {
        "s" | "" => 1.0,
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 30s, 1.5min, 500ms or 1h".to_owned()),
    };
    let seconds = number.trim().parse::<f64>().map_or(f64::NAN, |number| number * factor);
    Duration::try_from_secs_f64(seconds).map_err(|_| "write a time such as 30s, 1.5min, 500ms or 1h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, milliseconds) in
            [("30s", 30_000), ("1.5min", 90_000), ("500ms", 500), ("2", 2_000), ("1h", 3_600_000)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "-1s", "3 weeks", "nans", "1e400s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
