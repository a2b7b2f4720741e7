//! The bars that we set for measurements of whole robots, and whether they are met.

use std::fmt;

/// A figure, and its limit.
pub struct Bar {
    pub what: &'static str,
    pub limit: Limit,
    pub is: f64,
    /// The unit behind both numbers, with its space.
    pub unit: &'static str,
}

/// The limit of a figure.
#[derive(Clone, Copy)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

impl fmt::Display for Bar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bar { what, limit, is, unit } = self;
        let (asked, is_met) = match limit {
            Limit::AtMost(most) => (format!("at most {most}"), is <= most),
            Limit::AtLeast(least) => (format!("at least {least}"), is >= least),
        };
        let verdict = if is_met { "met" } else { "MISSED" };
        writeln!(formatter, "  our bar: {what}: {asked}{unit}; {is:.2}{unit}, {verdict}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_says_what_was_asked_and_what_is() {
        let bar = |limit, is| Bar { what: "frames", limit, is, unit: " a second" }.to_string();
        assert_eq!(bar(Limit::AtLeast(60.0), 60.0), "  our bar: frames: at least 60 a second; 60.00 a second, met\n");
        assert_eq!(bar(Limit::AtMost(3.0), 3.001), "  our bar: frames: at most 3 a second; 3.00 a second, MISSED\n");
    }
}
