use std::fmt::Write as _;

use hemiola_analysis::{Bound, TimeSpan};
use hemiola_schedulability::simulation::Observed;

use super::executed::Executed;
use super::latencies::Beyond;
use super::sentinels::Stalls;

/// The latencies of a chain under one scheduler.
pub struct Row {
    pub chain: String,
    pub period: TimeSpan,
    pub bound: Bound,
    pub simulated: Observed,
    pub executed: Observed,
    /// The runs that exceeded the chain's bound.
    pub beyond: Vec<Beyond>,
}

impl Row {
    /// Returns whether the chain exceeded its bound, executed or simulated.
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

/// Returns a table of latencies in ms: the bound, simulated, and executed.
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

/// Returns remarks on a run, and whether all bounds held; if not, whether the machine was the
/// cause.
pub fn remarks(rows: &[Row], executed: &Executed, stalls: &Stalls) -> String {
    let Executed { length, cores_used, dropped, skipped, stolen, interruptions, denials, .. } = executed;
    let mut text = format!(
        "  {:.0} s; {cores_used:.2} cores used, {dropped} messages dropped, {skipped} expiries skipped; the host took \
         {:.0} ms of the processors' time\n",
        length.as_secs_f64(),
        stolen.as_secs_f64() * 1e3
    );
    let bounded = rows.iter().filter(|row| row.bound.is_ok()).count();
    let exceeded: Vec<&Row> = rows.iter().filter(|row| row.is_exceeded()).collect();
    if exceeded.is_empty() {
        _ = writeln!(text, "  nothing exceeded its bound ({bounded} of {} chains have one)", rows.len());
    } else {
        _ = writeln!(
            text,
            "  EXCEEDED bounds, which account neither for a host that takes the processor away nor for rare delays by the kernel\n  \
             (callbacks that none of our threads can interrupt were interrupted for up to {:.2} ms). `held up`: these, or threads above all others,\n  \
             which wake every 2 ms, could not run for longer than the excess, between one period before the run's release and its end.",
            ms(interruptions.longest())
        );
    }
    let stalls = stalls.and(interruptions.spans());
    for row in exceeded {
        let excess = |run: &Beyond| run.end - run.released - row.bound.clone().unwrap_or(TimeSpan::MAX);
        let held_up = |run: &Beyond| stalls.within(run.released - row.period, run.end);
        let explained = row.beyond.iter().filter(|run| held_up(run) >= excess(run)).count();
        let stalled = row.beyond.iter().map(held_up).max().unwrap_or(TimeSpan::ZERO);
        _ = writeln!(
            text,
            "    {}: {} of {} runs, {explained} of these held up; by {:.2} ms at most",
            row.chain,
            row.beyond.len(),
            row.executed.count,
            ms(stalled)
        );
    }
    for denial in denials.iter().take(1) {
        _ = writeln!(text, "  refused: {denial}");
    }
    text
}

pub fn ms(time: TimeSpan) -> f64 {
    time.as_nanoseconds() as f64 / 1e6
}

pub fn bound(bound: &Bound) -> String {
    bound.as_ref().map_or_else(|_| "none".to_owned(), |&bound| format!("{:.2}", ms(bound)))
}

#[cfg(test)]
mod tests {
    use hemiola_analysis::NoBound;
    use hemiola_realtime::MonotonicTime;

    use crate::chains::executed::Interruptions;

    use super::*;

    fn row(bound: Bound, executed_ms: u64) -> Row {
        let mut executed = Observed::default();
        executed.add(TimeSpan::milliseconds(executed_ms));
        let simulated = Observed::default();
        let (released, end) = (TimeSpan::milliseconds(100), TimeSpan::milliseconds(100 + executed_ms));
        let beyond = if bound.as_ref().is_ok_and(|bound| end - released > *bound) {
            vec![Beyond { chain: 0, released, end }]
        } else {
            Vec::new()
        };
        Row { chain: "brake".into(), period: TimeSpan::milliseconds(80), bound, simulated, executed, beyond }
    }

    fn run() -> Executed {
        Executed {
            zero: MonotonicTime::default(),
            length: std::time::Duration::from_secs(1),
            cores_used: 0.5,
            dropped: 0,
            skipped: 0,
            stolen: std::time::Duration::ZERO,
            interruptions: Interruptions::default(),
            denials: Vec::new(),
        }
    }

    #[test]
    fn a_chain_beyond_its_bound_is_named() {
        let rows = [row(Ok(TimeSpan::milliseconds(18)), 20), row(Ok(TimeSpan::milliseconds(18)), 9)];
        assert!(table(&rows).contains("2.00 ms beyond") && table(&rows).contains("50 % of it"));
        let remarks = |rows: &[Row], stalls: &[(u64, u64)]| {
            let ms = TimeSpan::milliseconds;
            super::remarks(rows, &run(), &Stalls::of(stalls.iter().map(|&(begin, end)| (ms(begin), ms(end)))))
        };
        assert!(remarks(&rows, &[]).contains("brake: 1 of 1 runs, 0 of these held up"));
        assert!(remarks(&rows, &[(101, 102)]).contains("0 of these held up; by 1.00 ms"));
        assert!(remarks(&rows, &[(101, 104)]).contains("1 of these held up; by 3.00 ms"));
        assert!(remarks(&rows[1..], &[]).contains("nothing exceeded"));
    }

    #[test]
    fn a_chain_without_a_bound_is_not_said_to_keep_it() {
        let rows = [row(Err(NoBound::Unbounded { on: "core 0".into() }), 20)];
        assert!(table(&rows).contains("no bound"));
        assert!(remarks(&rows, &run(), &Stalls::default()).contains("0 of 1 chains have one"));
    }
}
