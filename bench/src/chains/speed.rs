use std::fmt::Write as _;
use std::time::{Duration, Instant};

use hemiola_analysis::TimeSpan;
use hemiola_schedulability::picas::case_study;
use hemiola_schedulability::simulation::{Model, Observer, Options, Who, run};

use super::reference_system::{Scheduler, model};

/// Measures how many events a second the simulator makes of some systems, each simulated for that
/// long again and again.
pub fn text(length: Duration) -> String {
    let mut text = String::from("The simulator: begins and ends of jobs, and changes on a core\n");
    let (case_study, _) = case_study::model(&case_study::deployment());
    let systems = [
        ("case study: 18 executors on 4 cores", case_study),
        ("reference system: 36 callbacks, 4 executors", model(Scheduler::Picas, 4, TimeSpan::milliseconds(10))),
    ];
    for (name, model) in systems {
        let (events, seconds, simulated) = speed(&model, length);
        // Writing to a String cannot fail.
        _ = writeln!(
            text,
            "  {name:46}{:>8.2} million events per second, {:>9.0} × real time",
            events as f64 / seconds / 1e6,
            simulated / seconds
        );
    }
    text
}

/// Returns the number of events, the seconds that they took, and those that were simulated.
fn speed(model: &Model, length: Duration) -> (u64, f64, f64) {
    const ONCE: TimeSpan = TimeSpan::milliseconds(10_000);
    let (begin, mut count, mut runs) = (Instant::now(), Count::default(), 0);
    while begin.elapsed() < length || runs == 0 {
        run(model, &Options { end: ONCE, ..Options::default() }, &mut count);
        runs += 1;
    }
    let simulated = Duration::from(ONCE).as_secs_f64() * f64::from(runs);
    (count.events, begin.elapsed().as_secs_f64(), simulated)
}

#[derive(Default)]
struct Count {
    events: u64,
}

impl Observer for Count {
    fn callback_started(&mut self, _callback: usize, _released: TimeSpan, _now: TimeSpan) {
        self.events += 1;
    }

    fn callback_ended(&mut self, _callback: usize, _released: TimeSpan, _now: TimeSpan) {
        self.events += 1;
    }

    fn ran(&mut self, _core: usize, _who: Who, _from: TimeSpan, _to: TimeSpan) {
        self.events += 1;
    }
}
