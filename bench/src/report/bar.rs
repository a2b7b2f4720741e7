//! A bar that we set ourselves, and its verdict.

use std::fmt;

/// A bar: a limit, what was reached, and the verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub what: String,
    pub best_peer: String,
    pub bar: String,
    pub hemiola: String,
    pub verdict: Verdict,
}

/// The verdict on a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    Met,
    /// The bar is missed by this part of it.
    Missed(f64),
    NotMeasured,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Met => formatter.write_str("met"),
            Verdict::Missed(by) if by.is_finite() => write!(formatter, "missed by {:.1} %", 100.0 * by),
            Verdict::Missed(_) => formatter.write_str("missed"),
            Verdict::NotMeasured => formatter.write_str("not measured"),
        }
    }
}

impl Verdict {
    /// Compares values with their limits; the worst one counts.
    pub fn of(pairs: &[(Option<f64>, f64)]) -> Self {
        pairs.iter().fold(Verdict::Met, |verdict, &(value, limit)| match (value, verdict) {
            (None, _) | (_, Verdict::NotMeasured) => Verdict::NotMeasured,
            (Some(value), verdict) if value <= limit => verdict,
            (Some(value), Verdict::Missed(by)) => Verdict::Missed(by.max(value / limit - 1.0)),
            (Some(value), Verdict::Met) => Verdict::Missed(value / limit - 1.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_value_decides() {
        assert_eq!(Verdict::of(&[(Some(9.0), 10.0), (Some(2.0), 2.0)]), Verdict::Met);
        assert_eq!(Verdict::of(&[(Some(11.0), 10.0), (Some(3.0), 2.0)]), Verdict::Missed(0.5));
        assert_eq!(Verdict::of(&[(Some(30.0), 10.0), (None, 2.0)]), Verdict::NotMeasured);
        assert_eq!(Verdict::of(&[(Some(1.0), 0.0)]).to_string(), "missed");
    }
}
