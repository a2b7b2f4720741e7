//! Simulated schedules as traces for Perfetto: a track per core.

use std::collections::BTreeMap;
use std::path::Path;

use hemiola_schedulability::simulation::{Schedule, Who};
use hemiola_trace::{Callback, Catalog, Core, Error, Event, TickScale, Ticks, perfetto};

/// Writes a file for ui.perfetto.dev. `name` returns the name of whatever runs.
pub fn write(path: &Path, schedule: &Schedule, cores: usize, name: impl Fn(Who) -> String) -> Result<(), Error> {
    let catalog = Catalog::new("simulated");
    let mut writer = perfetto::Writer::create(path, catalog.clone(), TickScale::nanoseconds_per_tick_one())?;
    for core in 0..cores {
        let worker = catalog.executor(&format!("core {core}"))?;
        let mut callbacks = BTreeMap::new();
        let mut events = Vec::new();
        for slice in schedule.slices.iter().filter(|slice| slice.core == core) {
            let (callback, sequence) = match callbacks.get_mut(&slice.who) {
                Some(known) => known,
                None => {
                    callbacks.entry(slice.who).or_insert((catalog.callback(Callback::of(worker, name(slice.who)))?, 0))
                }
            };
            events.push(Event::Callback {
                callback: *callback,
                core: Core(core as u8),
                sequence: *sequence,
                published: Ticks(0),
                begin: Ticks(slice.start.as_nanoseconds()),
                end: Ticks(slice.end.as_nanoseconds()),
            });
            *sequence += 1;
        }
        writer.append(worker, &events)?;
    }
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use hemiola_analysis::TimeSpan;
    use hemiola_schedulability::simulation::Observer;

    use super::*;

    #[test]
    fn what_runs_and_where_is_in_the_file() {
        let mut schedule = Schedule::default();
        schedule.ran(0, Who::Callback(3), TimeSpan::ZERO, TimeSpan::milliseconds(1));
        schedule.ran(1, Who::Callback(4), TimeSpan::ZERO, TimeSpan::milliseconds(2));
        schedule.ran(0, Who::Callback(3), TimeSpan::milliseconds(5), TimeSpan::milliseconds(6));
        let path = std::env::temp_dir().join(format!("hemiola-bench-{}.perfetto", std::process::id()));
        write(&path, &schedule, 2, |who| format!("{who:?}")).expect("written");
        let bytes = std::fs::read(&path).expect("readable");
        std::fs::remove_file(&path).expect("removable");
        let text = String::from_utf8_lossy(&bytes);
        assert!(["core 0", "core 1", "Callback(3)", "Callback(4)"].iter().all(|name| text.contains(name)));
    }
}
