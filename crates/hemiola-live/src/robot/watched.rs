//! The statistics and the journal, and their way to a client.

use std::time::{Duration, Instant};

use hemiola_bus::TopicReport;
use hemiola_runtime::{Observation, Observer, RobotHandle};
use serde_json::{Value, json};

use super::Shared;
use crate::door::outbox::Outbox;
use crate::protocol::{JournalText, bounded};

/// Statistics that are sent periodically.
pub struct StatisticsStream {
    period: Duration,
    due: Instant,
}

/// The shortest period.
const SHORTEST: Duration = Duration::from_millis(50);
/// The default period.
const USUAL: Duration = Duration::from_millis(500);

impl StatisticsStream {
    /// Creates a stream with this period in nanoseconds, or with the default one.
    pub fn open(_: &RobotHandle, period: Option<u64>) -> Result<Self, String> {
        let period = period.map_or(USUAL, Duration::from_nanos).max(SHORTEST);
        Ok(Self { period, due: Instant::now() })
    }

    /// Returns the time until the next statistics.
    pub fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Sends the statistics if they are due.
    pub fn send(&mut self, shared: &Shared, out: &mut Outbox) {
        let now = Instant::now();
        if now < self.due || out.is_congested() {
            return;
        }
        self.due = now.checked_add(self.period).unwrap_or(now);
        out.send(&statistics(shared));
    }
}

fn statistics(shared: &Shared) -> Value {
    let handle = &shared.handle;
    let health = handle.health().into_iter().map(|(name, health)| {
        let figures = json!({
            "runs": health.runs,
            "overruns": health.overruns,
            "dropped": health.dropped,
            "skipped": health.skipped,
            "last_end": health.last_end.nanoseconds(),
        });
        (name, figures)
    });
    let exceedances = handle.exceedances().into_iter().map(|(of, count)| json!({"of": bounded(&of), "count": count}));
    let safe_state =
        handle.safe_state().map(|entry| json!({"since": entry.since.nanoseconds(), "cause": entry.cause.to_string()}));
    let services = handle.bus().services().into_iter().map(|service| {
        json!({
            "name": service.name,
            "requests": service.requests,
            "refused": service.refused,
            "waiting": service.depth,
        })
    });
    let hosts = shared.facts.hosts.hosts();
    json!({
        "event": "statistics",
        "time": handle.now().nanoseconds(),
        "clock_origin": shared.clock_origin(),
        "report": handle.report(),
        "health": health.collect::<serde_json::Map<_, _>>(),
        "topics": handle.bus().topics().iter().map(topic).collect::<Vec<_>>(),
        "services": services.collect::<Vec<_>>(),
        "links": shared.facts.links.statistics(),
        "host": hosts.own,
        "hosts": hosts.others,
        "safe_state": safe_state,
        "exceedances": exceedances.collect::<Vec<_>>(),
        "recording": shared.recording.state(),
        "trace": handle.trace().map(|path| path.display().to_string()),
    })
}

fn topic(report: &TopicReport) -> Value {
    let subscribers = &report.subscribers;
    json!({
        "name": report.name,
        "type": report.type_name,
        "publishers": report.publishers,
        "subscribers": subscribers.len(),
        "sent": report.published,
        "lost": report.dropped,
        "waiting": subscribers.iter().map(|subscriber| subscriber.depth).sum::<u64>(),
        "latency": subscribers.iter().filter_map(|subscriber| subscriber.latency).max_by_key(|latency| latency.p99),
    })
}

/// The journal, beginning with the entries that are still in memory.
pub struct JournalStream {
    seen: Observer,
}

impl JournalStream {
    /// Subscribes to the journal.
    pub fn open(handle: &RobotHandle) -> Result<Self, String> {
        let seen = handle.observe(Observation::default().with_journal()).map_err(|error| error.to_string())?;
        Ok(Self { seen })
    }

    /// Sends the entries that have arrived.
    pub fn send(&mut self, out: &mut Outbox) {
        // Entries that cannot be sent now remain in the queue.
        while !out.is_congested()
            && let Some(entry) = self.seen.next_entry()
        {
            out.send(&json!(JournalText::from(entry)));
        }
    }
}
