use std::time::Duration;

/// The longest duration that makes sense for a deadline or a watchdog.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

const UNITS: [(&str, f64); 6] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9)];

/// Parses a duration: `12 ms`, `1.5 s`, `200 us`.
///
/// # Errors
/// Returns a description of the error, as the end of "must be a duration ...".
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(hemiola_config::parse_duration("12 ms"), Ok(Duration::from_millis(12)));
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, &'static str> {
    let text = text.trim();
    let unit_start =
        text.find(|c: char| !matches!(c, '0'..='9' | '.' | '_')).ok_or("with its unit: ns, us, ms, s or min")?;
    let (number, unit) = text.split_at(unit_start);
    let number: f64 = number.replace('_', "").parse().map_err(|_| "that starts with a number")?;
    let unit = unit.trim();
    let (_, nanoseconds) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or("in ns, us, ms, s or min")?;
    let nanoseconds = (number * nanoseconds).round();
    if nanoseconds < 1.0 {
        return Err("longer than zero");
    }
    if nanoseconds > LONGEST.as_nanos() as f64 {
        return Err("of at most a day");
    }
    Ok(Duration::from_nanos(nanoseconds as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_number_and_a_unit() {
        assert_eq!(parse_duration("12 ms"), Ok(Duration::from_millis(12)));
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration(" 200 us "), Ok(Duration::from_micros(200)));
        assert_eq!(parse_duration("200 µs"), Ok(Duration::from_micros(200)));
        assert_eq!(parse_duration("2 min"), Ok(Duration::from_secs(120)));
        for wrong in
            ["", "12", "ms", "12 days", "-3 ms", "0 ms", "1..2 ms", "inf s", "1e9 s", "999999999 min", "0.1 ns"]
        {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
