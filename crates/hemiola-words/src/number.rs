//! Figures with as many digits as are worth reading.

use std::time::Duration;

/// Formats a duration in three digits and the unit that fits: `12.3 ms`, `847 µs`, `90 ns`.
///
/// ```
/// use std::time::Duration;
///
/// assert_eq!(hemiola_words::duration(Duration::from_micros(52)), "52.0 µs");
/// ```
pub fn duration(duration: Duration) -> String {
    let nanos = duration.as_nanos() as f64;
    let (value, unit) = match nanos {
        ..999.5 => return format!("{nanos:.0} ns"),
        ..999.5e3 => (nanos / 1e3, "µs"),
        ..999.5e6 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    three_digits(value, unit)
}

/// Formats nanoseconds like [`duration`].
///
/// ```
/// assert_eq!(hemiola_words::nanoseconds(847_312), "847 µs");
/// ```
pub fn nanoseconds(nanoseconds: u64) -> String {
    duration(Duration::from_nanos(nanoseconds))
}

/// Formats a size in three digits and the unit that fits: `12.3 MB`.
///
/// ```
/// assert_eq!(hemiola_words::bytes(20_000_000_000), "20.0 GB");
/// ```
pub fn bytes(count: u64) -> String {
    let value = count as f64;
    let (value, unit) = match value {
        ..1e3 => return format!("{count} bytes"),
        ..999.5e3 => (value / 1e3, "kB"),
        ..999.5e6 => (value / 1e6, "MB"),
        ..999.5e9 => (value / 1e9, "GB"),
        _ => (value / 1e12, "TB"),
    };
    three_digits(value, unit)
}

fn three_digits(value: f64, unit: &str) -> String {
    let decimals = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

/// Formats a count with its thousands separated: `16,806`.
///
/// ```
/// assert_eq!(hemiola_words::grouped(1_234_567), "1,234,567");
/// ```
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun in singular or plural: `1 message`, `2 messages`,
/// `3 dependencies`.
///
/// ```
/// use hemiola_words::counted;
///
/// assert_eq!([counted(1, "entry"), counted(2, "entry")], ["1 entry", "2 entries"]);
/// ```
pub fn counted(count: u64, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        _ if count == 1 => noun.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    format!("{} {plural}", grouped(count))
}

/// Formats a number of any size with as many digits as are worth reading: `0.05`, `123.46`,
/// `1.000e9`.
///
/// ```
/// assert_eq!(hemiola_words::number(9.80665), "9.8066");
/// ```
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    trimmed(value, (4 - value.abs().log10().floor() as i32).clamp(0, 8) as usize)
}

/// Formats a number with at most `decimals` decimals, and without zeros at their end: `2.5`, not
/// `2.50`.
///
/// ```
/// use hemiola_words::trimmed;
///
/// assert_eq!([trimmed(12.0, 2), trimmed(2.504, 2), trimmed(100.0, 0)], ["12", "2.5", "100"]);
/// ```
pub fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_the_unit_that_fits() {
        for (nanos, text) in [
            (0, "0 ns"),
            (90, "90 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (9_996, "10.0 µs"),
            (52_000, "52.0 µs"),
            (99_960, "100 µs"),
            (847_000, "847 µs"),
            (999_700, "1.00 ms"),
            (12_345_678, "12.3 ms"),
            (99_999_000, "100 ms"),
            (2_500_000_000, "2.50 s"),
        ] {
            assert_eq!(duration(Duration::from_nanos(nanos)), text);
        }
        assert_eq!([7, 999_700, u64::MAX].map(nanoseconds), ["7 ns", "1.00 ms", "18446744074 s"]);
    }

    #[test]
    fn sizes_and_counts_are_for_people() {
        let sizes = [0, 999, 1000, 12_345, 999_499, 999_500, 1_566_822, 20_000_000_000, u64::MAX].map(bytes);
        let expected =
            ["0 bytes", "999 bytes", "1.00 kB", "12.3 kB", "999 kB", "1.00 MB", "1.57 MB", "20.0 GB", "18446744 TB"];
        assert_eq!(sizes, expected);
        assert_eq!([0, 999, 16_806, 1_234_567].map(grouped), ["0", "999", "16,806", "1,234,567"]);
        let counts = [counted(1, "topic"), counted(0, "topic"), counted(2, "dependency"), counted(2, "day")];
        assert_eq!(counts, ["1 topic", "0 topics", "2 dependencies", "2 days"]);
    }

    #[test]
    fn numbers_are_as_long_as_they_say_something() {
        let numbers = [0.0, 0.05, -1.5, 9.80665, 123.456, 1e9, 1e-7].map(number);
        assert_eq!(numbers, ["0", "0.05", "-1.5", "9.8066", "123.46", "1.000e9", "1.000e-7"]);
        assert_eq!([1.0, 2.504, 0.0, -0.5].map(|value| trimmed(value, 2)), ["1", "2.5", "0", "-0.5"]);
    }
}
