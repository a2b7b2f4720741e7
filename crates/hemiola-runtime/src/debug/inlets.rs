use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_model::module::{DebugContent, DebugImage, DebugKind, DebugRecord};
use hemiola_trace::{Catalog, TaskId, Ticks};

use super::interest::Interest;
use super::outlet::{DebugInlet, IMAGES, LARGEST_IMAGE, Origin, RECORDS};
use crate::sync::Ordering;

/// The ends of all workers, on the thread that gathers their output.
#[derive(Default)]
pub struct DebugInlets {
    workers: Vec<Inlet>,
    interest: Arc<Interest>,
    found: BTreeMap<(&'static str, DebugKind), Arc<str>>,
    updates: BTreeMap<TaskId, Arc<str>>,
}

struct Inlet {
    ends: DebugInlet,
    /// The size of the buffers for images; buffers of other sizes are freed when they come back.
    buffer_bytes: usize,
}

/// A name that updates have used while somebody watched:
/// [`RobotHandle::debug_names`](crate::RobotHandle::debug_names).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugName {
    /// The name.
    pub name: &'static str,
    /// The kind of records with that name.
    pub kind: DebugKind,
    /// The update that used it first: `Module.update`.
    pub update: Arc<str>,
}

/// The number of images of a worker that can be in transit.
const BUFFERS: usize = 3;
const SMALLEST_BUFFER: usize = 1 << 16;

impl DebugInlets {
    pub fn add(&mut self, ends: DebugInlet) {
        let mut inlet = Inlet { ends, buffer_bytes: 0 };
        inlet.want(&self.interest);
        self.workers.push(inlet);
    }

    /// Sends workers the names that are wanted from now on, also when somebody begins to watch.
    pub fn want(&mut self, interest: Interest) {
        self.interest = Arc::new(interest);
        self.workers.iter_mut().for_each(|worker| worker.want(&self.interest));
    }

    /// Returns the number of records that did not fit since the last time.
    pub fn take_dropped(&mut self) -> u64 {
        self.workers.iter().map(|worker| worker.ends.tally.dropped.swap(0, Ordering::Relaxed)).sum()
    }

    /// Passes on the records of workers, each with its time.
    pub fn poll(&mut self, catalog: &Catalog, mut show: impl FnMut(Ticks, DebugRecord)) {
        let Self { workers, found, updates, .. } = self;
        let mut update_of =
            |task: TaskId| updates.entry(task).or_insert_with(|| catalog.read().task_name(task).into()).clone();
        for Inlet { ends, buffer_bytes } in workers {
            while let Some(name) = ends.found.pop() {
                found.entry((name.name, name.kind)).or_insert_with(|| update_of(name.update));
            }
            let mut show = |origin: Origin, content| {
                let Origin { call, sequence, name, at } = origin;
                let update = update_of(call.update);
                show(at, DebugRecord { time: call.time, run: call.run, update, sequence, name, content });
            };
            // At most as many records as fit are gathered at a time, so that a worker cannot keep
            // this thread busy.
            for _ in 0..RECORDS {
                let Some(written) = ends.records.pop() else { break };
                show(written.origin, written.content);
            }
            while let Some(written) = ends.images.pop() {
                if let Some((origin, format)) = written.image {
                    let image = DebugImage::new(format, &written.buffer);
                    show(origin, DebugContent::Image(Arc::new(image)));
                }
                if written.buffer.len() == *buffer_bytes {
                    // The queue has room for all buffers.
                    _ = ends.buffers.push(written.buffer);
                }
            }
            let wanted = ends.tally.image_bytes.swap(0, Ordering::Relaxed) as usize;
            if wanted > *buffer_bytes && wanted <= LARGEST_IMAGE {
                // Sizes double, so that there are few of them.
                *buffer_bytes = wanted.next_power_of_two().max(SMALLEST_BUFFER);
                const { assert!(BUFFERS * (LARGEST_IMAGE / SMALLEST_BUFFER).ilog2() as usize + BUFFERS <= IMAGES) };
                (0..BUFFERS).for_each(|_| _ = ends.buffers.push(vec![0; *buffer_bytes].into()));
            }
        }
    }

    /// Returns all names that updates have used while somebody watched, sorted.
    pub fn names(&self) -> Vec<DebugName> {
        let names = self.found.iter();
        names.map(|((name, kind), update)| DebugName { name, kind: *kind, update: update.clone() }).collect()
    }
}

impl Inlet {
    fn want(&mut self, interest: &Arc<Interest>) {
        self.ends.interest.with_back(|back| *back = interest.clone());
        self.ends.interest.publish();
    }
}
