use std::time::Duration;

use hemiola::prelude::*;

use super::RecordingReport;

/// The multiple of the median step beyond which a step is a gap.
const GAP: u32 = 5;

/// Generates stamps that never step back from recorded ones, or from none, over any number of
/// rounds of a recording.
#[derive(Debug)]
pub struct Timeline {
    pace: Pace,
    /// The offset of the stamps of this round.
    offset: Duration,
    /// The recorded stamp of the last sample of this round.
    recorded: Option<Time>,
    delivered: Option<Time>,
}

#[derive(Debug)]
enum Pace {
    /// The stamps of the samples, with the usual step between them.
    Stamps(Duration),
    /// A constant step, whatever is recorded.
    Period(Duration),
}

impl Timeline {
    /// Creates a timeline with `rate` samples per second, whatever is recorded.
    pub fn at_rate(rate: f64) -> Self {
        Self::new(Pace::Period(Duration::from_secs_f64(1.0 / rate.clamp(1e-3, 1e6))))
    }

    /// Creates a timeline with the recorded stamps. All of them are given (in seconds), and
    /// determine what counts as a gap.
    pub fn of_stamps(stamps: impl Iterator<Item = f64>) -> Self {
        let stamps: Vec<f64> = stamps.collect();
        let mut steps: Vec<f64> = stamps.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        let middle = steps.len() / 2;
        let median = if steps.is_empty() { 0.0 } else { *steps.select_nth_unstable_by(middle, f64::total_cmp).1 };
        Self::new(Pace::Stamps(duration(median)))
    }

    /// Continues with another recording, whose stamps are given, one usual step after the last
    /// sample.
    pub fn followed_by(mut self, stamps: impl Iterator<Item = f64>) -> Self {
        self.restart();
        if let Pace::Stamps(usual) = &mut self.pace
            && let Pace::Stamps(next) = Self::of_stamps(stamps).pace
        {
            *usual = next;
        }
        self
    }

    fn new(pace: Pace) -> Self {
        Self { pace, offset: Duration::ZERO, recorded: None, delivered: None }
    }

    /// Returns the time of the next sample, which was recorded `seconds` after the first one.
    /// Counts irregularities in the report.
    pub fn next(&mut self, seconds: f64, report: &mut RecordingReport) -> Time {
        let time = match self.pace {
            Pace::Period(period) => self.delivered.map_or(Time::ZERO, |last| last + period),
            Pace::Stamps(usual) => {
                let recorded = Time::from_seconds(seconds);
                if let Some(last) = self.recorded {
                    let (back, step) = (last.since(recorded), recorded.since(last));
                    if back > Duration::ZERO {
                        report.steps_back += 1;
                        report.farthest_back = report.farthest_back.max(back);
                    }
                    if usual > Duration::ZERO && step > usual * GAP {
                        report.gaps += 1;
                        report.longest_gap = report.longest_gap.max(step);
                    }
                }
                self.recorded = Some(recorded);
                (recorded + self.offset).max(self.delivered.unwrap_or(Time::ZERO))
            }
        };
        report.samples += 1;
        self.delivered = Some(time);
        time
    }

    /// Starts another round one usual step after the last sample.
    pub fn restart(&mut self) {
        if let (Pace::Stamps(usual), Some(last)) = (&self.pace, self.delivered) {
            self.offset = last.since(Time::ZERO) + (*usual).max(Duration::from_millis(1));
        }
        self.recorded = None;
    }
}

/// Returns a step of a recording; zero if no clock can represent it.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
}
