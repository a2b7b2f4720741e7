//! Derivation of the executors beside a robot's cycles, as they were observed in runs: executors
//! with chains of one callback each.
//!
//! - **Threads.** Priority or reservation, and cores, are those of the thread itself, as it was
//!   seen, unless `[executor.*]` sets others: one core, or all of them.
//! - **Timers** come once per period, and have to be served before the next time; messages have no
//!   such deadline.
//! - **Messages** arrive no closer together than was observed, or than `[analysis.period]`
//!   specifies. Where bursts of n were observed, they are n chains, each of which begins once in
//!   the shortest time in which n + 1 arrived: the first message and the n-th after it are that far
//!   apart, and so are the second and the n-th after it, and so on.
//! - **Spinning** before it sleeps belongs to each call. The time spent awake before a timer is due
//!   is a chain of its own, because what delays it does not delay the timer.

use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::{Beginning, Callback, Chain, Executor, Order, Reservation, Span, System};
use hemiola_model::configuration::{ExecutorConfiguration, Scheduling};
use hemiola_runtime::Robot;
use hemiola_trace::{CallbackOrder, CallbackProfile, ExecutorThread, Measured};

use crate::knowledge::Knowledge;
use crate::unbounded::Unbounded;

/// The priority of time-sharing threads, below all real-time ones.
pub const SHARING: u32 = 1;

/// The callbacks of a robot, as far as they were observed.
#[derive(Default)]
pub struct Callbacks {
    /// The callbacks, of which most are part of the system.
    pub called: Vec<Called>,
    /// The bursts in which messages arrived.
    pub bursts: Vec<Burst>,
    /// The callbacks that are not part of the system, so that their time is not counted.
    pub left_out: Vec<String>,
    /// Set if some of those may run before something that has a real-time priority.
    pub leaves_out_important: bool,
    /// The executors that run under time sharing with all other programs.
    pub sharing: Vec<String>,
}

/// A callback, and the chain that bounds its response time, or the reason why none does.
pub struct Called {
    /// The name of the callback in tables.
    pub name: String,
    /// The name of its executor.
    pub executor: String,
    /// The name of the callback in the executor.
    pub callback: String,
    /// The time by which it has to have ended.
    pub deadline: Option<TimeSpan>,
    /// The chain that bounds it, or the reason why none does.
    pub verdict: Result<String, Unbounded>,
    /// The time from when the callback became ready to its end.
    pub response: Measured,
}

/// The largest number of messages that arrived for a callback within a time.
pub struct Burst {
    /// The name of the callback.
    pub name: String,
    /// The number of messages.
    pub messages: usize,
    /// The time within which they arrived.
    pub within: TimeSpan,
}

/// Adds the known executors to a system of cycles.
pub fn add(system: &mut System, robot: &Robot, knowledge: &Knowledge) -> Callbacks {
    let mut derived = Callbacks::default();
    for (name, executor) in &knowledge.known.profile.executors {
        let configured = robot.configuration().executors.get(name);
        let thread = executor.thread.clone().map(|thread| as_configured(thread, configured, system.cores));
        let thread = called_by(thread.as_ref(), system.cores);
        if let Ok((thread, level)) = thread {
            let order = match thread.order {
                CallbackOrder::Priority => Order::Priority,
                CallbackOrder::Registration => Order::Registration,
            };
            // A robot's computer may have fewer cores than that of the run.
            let core = thread.core().filter(|&core| core < system.cores);
            let executor = match level {
                Level::Reserved(reservation) => Executor { reservation: Some(reservation), ..Executor::new(name, 0) },
                Level::Priority(priority) => {
                    if priority == 0 {
                        derived.sharing.push(name.clone());
                    }
                    Executor { core, ..Executor::new(name, u32::from(priority).max(SHARING)) }
                }
            };
            system.executors.push(Executor { order, ..executor });
        }
        for (callback, profile) in &executor.callbacks {
            let name_of_both = format!("{name}: {callback}");
            let priority = configured.and_then(|it| it.priority_of(callback)).unwrap_or(profile.priority);
            let chains = thread.clone().and_then(|(thread, _)| {
                let arrivals = Arrivals::of(profile, robot)?;
                let takes = knowledge.span(&profile.execution).ok_or(Unbounded::NeverMeasured)?;
                Ok((thread, arrivals, takes))
            });
            let verdict = match chains {
                Ok((thread, arrivals, takes)) => {
                    let executor = Some(name.clone());
                    let of = Callback { executor, priority: Some(priority.into()), ..Callback::new(callback, takes) };
                    add_chains(system, &name_of_both, &of, &arrivals, thread);
                    derived.bursts.extend(arrivals.burst(&name_of_both));
                    if profile.response.count() > 0 { Ok(name_of_both.clone()) } else { Err(Unbounded::BeginUnknown) }
                }
                Err(reason) => {
                    derived.left_out.push(name_of_both.clone());
                    let shares_time = executor.thread.as_ref().is_some_and(|thread| thread.priority == Some(0));
                    derived.leaves_out_important |= !shares_time;
                    Err(reason)
                }
            };
            let deadline = profile.period.map(TimeSpan::nanoseconds);
            let (executor, callback) = (name.clone(), callback.clone());
            let response = profile.response.clone();
            derived.called.push(Called { name: name_of_both, executor, callback, deadline, verdict, response });
        }
    }
    derived
}

/// Returns the thread as it is configured.
fn as_configured(
    mut thread: ExecutorThread,
    configured: Option<&ExecutorConfiguration>,
    cores: usize,
) -> ExecutorThread {
    let Some(configured) = configured else { return thread };
    let nanoseconds = |time| TimeSpan::from(time).as_nanoseconds();
    if let Some(scheduling) = configured.scheduling {
        (thread.priority, thread.reservation) = match scheduling {
            Scheduling::Fifo(priority) | Scheduling::RoundRobin(priority) => (Some(priority), None),
            Scheduling::Reservation { budget, period } => (None, Some((nanoseconds(budget), nanoseconds(period)))),
            Scheduling::TimeSharing => (Some(0), None),
        };
    }
    if !configured.cores.is_empty() {
        thread.cores = configured.cores.clone();
        thread.cores.retain(|&core| core < cores);
    }
    thread
}

/// The level at which the system schedules a thread.
#[derive(Clone, Copy)]
enum Level {
    /// The processor time that is reserved for it.
    Reserved(Reservation),
    /// The priority; 0 if it shares time.
    Priority(u8),
}

/// Returns the thread on which an executor runs its callbacks, and its level.
fn called_by(thread: Option<&ExecutorThread>, cores: usize) -> Result<(&ExecutorThread, Level), Unbounded> {
    let thread = thread.ok_or(Unbounded::NoThread)?;
    if let Some((budget, period)) = thread.reservation {
        let [budget, period] = [budget, period].map(TimeSpan::nanoseconds);
        return Ok((thread, Level::Reserved(Reservation { budget, period })));
    }
    let priority = thread.priority.ok_or(Unbounded::OtherScheduling)?;
    if (2..cores).contains(&thread.cores.len()) {
        return Err(Unbounded::SomeCores);
    }
    Ok((thread, Level::Priority(priority)))
}

/// Adds the chains of a callback.
fn add_chains(system: &mut System, name: &str, of: &Callback, arrivals: &Arrivals, thread: &ExecutorThread) {
    let Arrivals { of_timer, streams, period, .. } = *arrivals;
    let is_awake = of_timer && thread.early > 0;
    let chain = |name, takes| Chain {
        name,
        period,
        begins: if is_awake { Beginning::Timer } else { Beginning::WakeUp },
        offset: None,
        deadline: if of_timer { None } else { Some(TimeSpan::MAX) },
        callbacks: vec![Callback { takes, ..of.clone() }],
    };
    let longest = of.takes.longest + TimeSpan::nanoseconds(thread.spin);
    for number in 1..=streams {
        let name = if number == 1 { name.to_owned() } else { format!("{name} ({number} of {streams})") };
        system.chains.push(chain(name, Span { longest, ..of.takes }));
    }
    if is_awake {
        let awake = chain(format!("{name} (awake before)"), Span::upto(TimeSpan::nanoseconds(thread.early)));
        system.chains.push(Chain { deadline: Some(TimeSpan::MAX), ..awake });
    }
}

/// The pattern in which work arrives for a callback.
struct Arrivals {
    of_timer: bool,
    /// The number of streams, of which each comes once per period, independently of the others.
    streams: usize,
    period: TimeSpan,
    /// Set if this was observed rather than configured.
    is_observed: bool,
}

impl Arrivals {
    fn of(profile: &CallbackProfile, robot: &Robot) -> Result<Self, Unbounded> {
        let once = |of_timer, period| Self { of_timer, streams: 1, period, is_observed: false };
        if let Some(period) = profile.period {
            return Ok(once(true, TimeSpan::nanoseconds(period.max(1))));
        }
        let periods = &robot.configuration().analysis.periods;
        if let Some(&period) = profile.topic.as_ref().and_then(|topic| periods.get(topic)) {
            return Ok(once(false, period.into()));
        }
        if profile.spans.is_empty() {
            return Err(Unbounded::CalledOnce);
        }
        let (streams, span) = burst(&profile.spans).ok_or(Unbounded::AllAtOnce)?;
        Ok(Self { of_timer: false, streams, period: TimeSpan::nanoseconds(span), is_observed: true })
    }

    fn burst(&self, name: &str) -> Option<Burst> {
        let Self { streams, period, .. } = *self;
        self.is_observed.then(|| Burst { name: name.to_owned(), messages: streams, within: period })
    }
}

/// Returns a number of messages, and the shortest time from the first of them to the one after the
/// last. It is the smallest number for which not many more messages are assumed than arrived in the
/// long run.
fn burst(spans: &[u64]) -> Option<(usize, u64)> {
    let rate = |&(messages, span): &(usize, u64)| messages as f64 / span as f64;
    let bursts = || (1..).zip(spans.iter().copied()).filter(|&(_, span)| span > 0);
    let lowest = bursts().map(|burst| rate(&burst)).min_by(f64::total_cmp)?;
    bursts().find(|burst| rate(burst) <= lowest * TOLERATED)
}

/// The factor by which more messages than arrived in the long run may be assumed, rather than a
/// longer burst.
const TOLERATED: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_at_even_distances_are_one_stream_and_bursts_are_several() {
        assert_eq!(burst(&[9, 20, 30]), Some((1, 9)));
        // Three come at once every 12 ms.
        assert_eq!(burst(&[0, 1, 12_000, 12_001, 12_001, 24_000]), Some((3, 12_000)));
        assert_eq!(burst(&[0, 0]), None);
    }
}
