//! Reads the tracks of threads other than the workers of cycles: executors, sources, counters.

use super::{
    packets::{Kind, Packet},
    read::{Reader, core_of},
};
use crate::{
    catalog::Callback,
    clock::{Core, Ticks},
    error::Error,
    event::Event,
    ids::{SourceId, WorkerId},
};

impl Reader<'_> {
    pub(super) fn of_executor(&mut self, executor: WorkerId, packet: &Packet<'_>) -> Result<(), Error> {
        let (names, at) = (self.names, Ticks(packet.time));
        let sequence = names.number(packet, "sequence").unwrap_or_default() as u32;
        let event = match (packet.kind, names.event(packet)) {
            (Kind::SliceBegin, name) => {
                let callback = self.catalog.callback(Callback::of(executor, name))?;
                let core = core_of(names.number(packet, "core"));
                let latency = names.number(packet, "latency_ns");
                let published = latency.map_or(Ticks(0), |latency| Ticks(packet.time.saturating_sub(latency)));
                let called = Event::Callback { callback, core, sequence, published, begin: at, end: at };
                self.open.entry(packet.track).or_default().push(called);
                return Ok(());
            }
            (Kind::SliceEnd, _) => match self.open.get_mut(&packet.track).and_then(Vec::pop) {
                Some(Event::Callback { callback, core, sequence, published, begin, .. }) => {
                    Event::Callback { callback, core, sequence, published, begin, end: at }
                }
                _ => return Ok(()),
            },
            (Kind::Instant, "panic") => {
                let name = names.text(packet, "callback").unwrap_or_default();
                Event::CallbackPanic { callback: self.catalog.callback(Callback::of(executor, name))?, sequence, at }
            }
            _ => return Ok(()),
        };
        self.events.entry(executor).or_default().push(event);
        Ok(())
    }

    pub(super) fn of_source(&mut self, thread: WorkerId, source: SourceId, packet: &Packet<'_>) -> Result<(), Error> {
        let (number, at) = (|name| self.names.number(packet, name), Ticks(packet.time));
        let open = self.open.entry(packet.track).or_default();
        if packet.kind == Kind::SliceBegin {
            let core = core_of(number("core"));
            let sample = number("sample").unwrap_or_default() as u32;
            open.push(Event::Sample { source, core, sample, begin: at, end: at });
        } else if let (Kind::SliceEnd, Some(Event::Sample { core, sample, begin, .. })) = (packet.kind, open.pop()) {
            self.events.entry(thread).or_default().push(Event::Sample { source, core, sample, begin, end: at });
        }
        Ok(())
    }

    pub(super) fn of_counter(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        let (Some(track), Some(value)) = (self.names.tracks.get(&packet.track), packet.value()) else { return Ok(()) };
        let counter = self.catalog.counter(&track.name, &track.unit)?;
        self.counted(Event::Counter { counter, value, at: Ticks(packet.time) })
    }

    /// Adds the first half of the kernel's accounts of a thread: the time on a core.
    pub(super) fn of_running(&mut self, worker: WorkerId, running: u64, time: u64) {
        let looked = Event::ThreadTime { worker, running, waiting: 0, at: Ticks(time) };
        self.events.entry(worker).or_default().push(looked);
    }

    /// Adds the second half: the time waiting for a core.
    pub(super) fn of_waiting(&mut self, worker: WorkerId, waited: u64, time: u64) {
        match self.events.entry(worker).or_default().last_mut() {
            Some(Event::ThreadTime { waiting, at, .. }) if at.0 == time => *waiting = waited,
            _ => {}
        }
    }

    pub(super) fn of_stolen(&mut self, core: Core, nanoseconds: u64, time: u64) -> Result<(), Error> {
        self.counted(Event::StolenTime { core, nanoseconds, at: Ticks(time) })
    }

    /// Adds a counter to the service thread's events, whichever thread counted; all readers accept
    /// counters from any ring.
    fn counted(&mut self, event: Event) -> Result<(), Error> {
        self.events.entry(self.catalog.service()?).or_default().push(event);
        Ok(())
    }
}
