use std::fmt::Write as _;

use hemiola_analysis::simulation::Observed;
use hemiola_analysis::{Bound, Time};

use super::executed::Executed;

/// A chain under one scheduler.
pub struct Row {
    pub chain: String,
    pub period: Time,
    pub bound: Bound,
    pub simulated: Observed,
    pub executed: Observed,
}

impl Row {
    /// Whether it took longer than it may, really or simulated.
    fn is_exceeded(&self) -> bool {
        self.bound.as_ref().is_ok_and(|&bound| self.simulated.maximum > bound || self.executed.maximum > bound)
    }

    fn verdict(&self) -> String {
        match &self.bound {
            Err(_) => "no bound".to_owned(),
            Ok(bound) if self.is_exceeded() => {
                let beyond = self.executed.maximum.max(self.simulated.maximum) - *bound;
                format!("{:.2} ms beyond", ms(beyond))
            }
            Ok(bound) => format!("{:.0} % of it", 100.0 * ms(self.executed.maximum) / ms(*bound)),
        }
    }
}

/// Latencies in ms: the bound, simulated, and really executed.
pub fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "  {:10}{:>8}{:>9} |{:>7}{:>8}{:>8}{:>8} |{:>7}{:>8}{:>8}{:>8}{:>8} | of the bound\n",
        "", "period", "bound", "min", "mean", "max", "std", "min", "mean", "max", "std", "runs"
    );
    text.insert_str(0, &format!("  {:27} | {:30} | {:38} |\n", "", "simulated", "executed"));
    for row in rows {
        // Writing to a String cannot fail.
        _ = writeln!(
            text,
            "  {:10}{:>8.0}{:>9} |{} |{}{:>8} | {}",
            row.chain,
            ms(row.period),
            bound(&row.bound),
            columns(&row.simulated),
            columns(&row.executed),
            row.executed.count,
            row.verdict()
        );
    }
    text
}

fn columns(observed: &Observed) -> String {
    let [least, mean, most, deviation] =
        [observed.minimum, observed.mean(), observed.maximum, observed.deviation()].map(ms);
    format!("{least:>7.2}{mean:>8.2}{most:>8.2}{deviation:>8.2}")
}

/// What the run says of itself, and whether all bounds held; if not, what may be why.
pub fn remarks(rows: &[Row], executed: &Executed) -> String {
    let Executed { length, cores_used, dropped, skipped, stolen, interruption, denials } = executed;
    let mut text = format!(
        "  {:.0} s; {cores_used:.2} cores used, {dropped} messages dropped, {skipped} expiries skipped; the host took \
         {:.0} ms of the processors' time\n",
        length.as_secs_f64(),
        stolen.as_secs_f64() * 1e3
    );
    let bounded = rows.iter().filter(|row| row.bound.is_ok()).count();
    let exceeded: Vec<&str> = rows.iter().filter(|row| row.is_exceeded()).map(|row| row.chain.as_str()).collect();
    if exceeded.is_empty() {
        _ = writeln!(text, "  nothing took longer than its bound ({bounded} of {} chains have one)", rows.len());
    } else {
        _ = writeln!(
            text,
            "  EXCEEDED: {}. Bounds know nothing of a host that takes the processor away, nor of the kernel's own work: callbacks that\n  \
             nobody of ours can interrupt were interrupted for up to {:.2} ms.",
            exceeded.join(", "),
            interruption.as_secs_f64() * 1e3
        );
    }
    for denial in denials.iter().take(1) {
        _ = writeln!(text, "  refused: {denial}");
    }
    text
}

pub fn ms(time: Time) -> f64 {
    time.as_nanoseconds() as f64 / 1e6
}

pub fn bound(bound: &Bound) -> String {
    bound.as_ref().map_or_else(|_| "none".to_owned(), |&bound| format!("{:.2}", ms(bound)))
}

#[cfg(test)]
mod tests {
    use hemiola_analysis::NoBound;

    use super::*;

    fn row(bound: Bound, executed_ms: u64) -> Row {
        let mut executed = Observed::default();
        executed.add(Time::milliseconds(executed_ms));
        let simulated = Observed::default();
        Row { chain: "brake".into(), period: Time::milliseconds(80), bound, simulated, executed }
    }

    fn run() -> Executed {
        Executed {
            length: std::time::Duration::from_secs(1),
            cores_used: 0.5,
            dropped: 0,
            skipped: 0,
            stolen: std::time::Duration::ZERO,
            interruption: std::time::Duration::ZERO,
            denials: Vec::new(),
        }
    }

    #[test]
    fn a_chain_beyond_its_bound_is_named() {
        let rows = [row(Ok(Time::milliseconds(18)), 20), row(Ok(Time::milliseconds(18)), 9)];
        assert!(table(&rows).contains("2.00 ms beyond") && table(&rows).contains("50 % of it"));
        assert!(remarks(&rows, &run()).contains("EXCEEDED: brake."));
        assert!(remarks(&rows[1..], &run()).contains("nothing took longer"));
    }

    #[test]
    fn a_chain_without_a_bound_is_not_said_to_keep_it() {
        let rows = [row(Err(NoBound::Unbounded { on: "core 0".into() }), 20)];
        assert!(table(&rows).contains("no bound"));
        assert!(remarks(&rows, &run()).contains("0 of 1 chains have one"));
    }
}
