//! Reduced data age of periodic tasks with known phases and response times.
//!
//! - **Model.** Strictly periodic tasks that read when they begin and write when they end, in any
//!   schedule in which they meet their response times.
//! - **Formula.** A job begins between its release and its release plus R - C; its value is there
//!   until the next job's latest end. A job of the next task can read it if it is released before.
//!   From each job of the first task, the latest such job of each next one.
//! - **From when on.** From the last first release on: a job that is overwritten before the next
//!   task is first released is read by none, so no chain leads through it, and those that count
//!   repeat with the hyperperiod.
//! - **Complexity.** Releases in the hyperperiod times tasks.
//! - **Source.** Becker, Dasari, Mubeen, Behnam and Nolte, Journal of Systems Architecture 2017.

use super::{Releases, Step};
use hemiola_analysis::{Bound, Search, TimeSpan};

/// Returns the bound of the data age without the wait for the next output.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{Release, Step, becker_2017};
/// let ns = TimeSpan::nanoseconds;
/// let step = |period, cost, response| Step::new(Release::Periodic { period: ns(period), phase: ns(0) }, ns(cost), ns(response));
/// assert_eq!(becker_2017::reduced_data_age(&[step(5000, 467, 696), step(2000, 75, 75)]), Ok(ns(5075)));
/// ```
///
/// # Errors
/// Returns the errors of [`super::kloda_2018::reaction_time`].
pub fn reduced_data_age(chain: &[Step]) -> Bound {
    let Releases { tasks, settled, repeats } = Releases::of(chain)?;
    let (Some(&(first_period, first_phase)), Some(last)) = (tasks.first(), chain.last()) else {
        return Ok(TimeSpan::ZERO);
    };
    let mut search = Search::below(TimeSpan::MAX);
    let mut worst = TimeSpan::ZERO;
    // A value that is read before all tasks were released may be overwritten before any task reads
    // it; later on, every value that is read is used.
    let begin = first_phase + first_period * (settled - first_phase).jobs_of(first_period);
    for number in 0.. {
        search.step()?;
        if first_period * number > repeats {
            break;
        }
        let read = begin + first_period * number;
        let mut release = read;
        for (place, pair) in chain.windows(2).enumerate() {
            let overwritten = release + tasks[place].0 + pair[0].response_time;
            let (period, phase) = tasks[place + 1];
            // This is the latest release before the value is overwritten.
            let jobs = (overwritten - phase).jobs_of(period);
            release = phase + period * jobs.saturating_sub(1);
        }
        worst = worst.max(release + last.response_time - read);
    }
    Ok(worst)
}
