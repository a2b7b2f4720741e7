/// Returns the smallest of 1, 2, 5 times a power of ten by which a span has at most `most` steps.
///
/// ```
/// use hemiola_words::svg::round_step;
///
/// assert_eq!([round_step(80, 12), round_step(7, 12), round_step(12_345, 10)], [10, 1, 2_000]);
/// ```
pub fn round_step(span: u64, most: u64) -> u64 {
    let wanted = span.div_ceil(most.max(1));
    let mut power: u64 = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if step >= wanted {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Returns at most about `most` round values of a range: 1, 2 or 5 times a power of ten apart.
///
/// ```
/// use hemiola_words::svg::ticks;
///
/// assert_eq!(ticks(-1.0, 1.0, 4), [-1.0, -0.5, 0.0, 0.5, 1.0]);
/// assert_eq!(ticks(f64::NAN, 1.0, 4), []);
/// ```
pub fn ticks(from: f64, to: f64, most: u32) -> Vec<f64> {
    // The difference is computed in halves, because the whole may exceed the range of a number.
    let rough = (to / 2.0 - from / 2.0) * 2.0 / f64::from(most);
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    let step = factor * power;
    let (first, last) = ((from / step).ceil(), (to / step).floor());
    if !step.is_normal() || !first.is_finite() || last - first > 100.0 {
        return Vec::new();
    }
    (0..=(last - first) as u32).map(|index| (first + f64::from(index)) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_not_too_many() {
        for span in [0, 1, 7, 80, 999, 12_345, 300_000_000, u64::MAX] {
            let step = round_step(span, 12);
            assert!(step.saturating_mul(12) >= span && (step == 1 || span.div_ceil(step) > 4), "{span}: {step}");
        }
        assert_eq!(ticks(0.0, 395.0, 10), [0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0]);
    }

    #[test]
    fn no_range_is_too_strange() {
        for (from, to) in [(f64::MIN, f64::MAX), (0.0, f64::INFINITY), (1e-320, 2e-320), (1.0, 1.0), (2.0, 1.0)] {
            assert!(ticks(from, to, 10).len() <= 101, "{from} to {to}");
        }
    }
}
