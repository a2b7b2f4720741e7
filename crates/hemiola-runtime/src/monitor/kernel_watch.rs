//! Reads the kernel's accounts of the robot's threads and of the cores, from which it can later be
//! derived which thread had a core that another one needed.

use hemiola_realtime::{CoreId, KernelThread, StolenTime, ThreadAccount};
use std::collections::BTreeMap;

use hemiola_trace::{CatalogGuard, Core, Event, Ring, Ticks, WorkerId};

use super::Monitor;
use crate::error::RuntimeError;

/// The open accounts, and a ring of the readings. It belongs to the thread that drains the rings.
pub struct KernelWatch {
    accounts: Vec<(WorkerId, ThreadAccount)>,
    /// The number of the thread on which each executor was seen.
    executors: BTreeMap<WorkerId, u32>,
    stolen: Option<StolenTime>,
    ring: Ring,
}

/// The number of readings that are kept: those of some seconds, for dozens of threads and cores.
const LOOKS: usize = 1 << 13;

impl KernelWatch {
    /// Watches the threads for which the system has accounts.
    pub fn of(threads: impl IntoIterator<Item = (WorkerId, KernelThread)>) -> Self {
        let accounts =
            threads.into_iter().filter_map(|(worker, thread)| Some((worker, ThreadAccount::of(thread).ok()?)));
        let executors = BTreeMap::new();
        Self {
            accounts: accounts.collect(),
            executors,
            stolen: StolenTime::open().ok(),
            ring: Ring::with_capacity(LOOKS),
        }
    }

    /// Starts to watch the threads of executors, too, which come and go with the program.
    pub fn follow_executors(&mut self, names: &CatalogGuard<'_>) {
        let called = names.workers().filter_map(|(id, worker)| Some((id, worker.called_on?)));
        for (id, number) in called {
            if self.executors.insert(id, number) != Some(number) {
                self.accounts.retain(|(worker, _)| *worker != id);
                let account = ThreadAccount::of(KernelThread::from_number(number));
                self.accounts.extend(account.ok().map(|account| (id, account)));
            }
        }
    }

    /// Reads all accounts, by two system calls for each thread and one for the cores, without any
    /// allocation.
    pub fn look(&mut self) {
        let Self { accounts, stolen, ring, .. } = self;
        // All readings have the same time, because they are compared with each other.
        let at = Ticks::now();
        if let Some(cores) = stolen.as_mut().and_then(|stolen| stolen.read().ok()) {
            for (CoreId(core), taken) in cores {
                if let Ok(core) = u8::try_from(core) {
                    let nanoseconds = taken.as_nanos() as u64;
                    ring.push(Event::StolenTime { core: Core(core), nanoseconds, at });
                }
            }
        }
        accounts.retain(|(worker, account)| {
            // A thread that has ended is no longer watched.
            let Ok(times) = account.read() else { return false };
            let [running, waiting] = [times.running, times.waiting].map(|time| time.as_nanos() as u64);
            ring.push(Event::ThreadTime { worker: *worker, running, waiting, at });
            true
        });
    }
}

impl Monitor {
    /// Starts to read the kernel's accounts of these threads.
    pub fn watch_threads(
        &mut self,
        threads: impl IntoIterator<Item = (WorkerId, KernelThread)>,
    ) -> Result<(), RuntimeError> {
        let mut watch = KernelWatch::of(threads);
        self.collector.add(self.catalog.service()?, watch.ring.reader());
        // The first reading is before the first events of the threads.
        watch.look();
        self.kernel = Some(watch);
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use hemiola_trace::Catalog;

    use super::*;

    #[test]
    fn the_thread_of_an_executor_is_looked_at_as_soon_as_it_is_known() {
        let catalog = Catalog::new("robot");
        let arm = catalog.executor("arm").unwrap();
        let mut watch = KernelWatch::of([]);
        let mut reader = watch.ring.reader();
        let mut look = |watch: &mut KernelWatch| {
            watch.follow_executors(&catalog.read());
            watch.look();
            let mut events = Vec::new();
            reader.read(&mut events);
            events.iter().filter(|event| matches!(event, Event::ThreadTime { worker, .. } if *worker == arm)).count()
        };
        assert_eq!(look(&mut watch), 0);
        catalog.executor_runs_on(arm, KernelThread::current().number());
        assert_eq!([look(&mut watch), look(&mut watch)], [1, 1]);
        // The executor moves to another thread, which does not exist.
        catalog.executor_runs_on(arm, u32::MAX);
        assert_eq!(look(&mut watch), 0);
    }

    #[test]
    fn each_look_tells_of_every_thread_that_still_runs() {
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let other = std::thread::spawn(move || {
            tell.send(KernelThread::current()).unwrap();
            ended.recv().unwrap_err();
        });
        let threads = [(WorkerId(0), KernelThread::current()), (WorkerId(1), told.recv().unwrap())];
        let mut watch = KernelWatch::of(threads);
        let mut reader = watch.ring.reader();
        let mut look = |watch: &mut KernelWatch| {
            watch.look();
            let mut events = Vec::new();
            assert_eq!(reader.read(&mut events), 0);
            let threads = events.into_iter().filter_map(|event| match event {
                Event::ThreadTime { worker, running, .. } => Some((worker, running)),
                _ => None,
            });
            threads.collect::<Vec<_>>()
        };
        loop {
            let [first, second] = [look(&mut watch), look(&mut watch)];
            assert!(matches!(first[..], [(WorkerId(0), _), (WorkerId(1), _)]), "{first:?}");
            assert!(second[0].1 > first[0].1, "this thread ran meanwhile: {first:?} {second:?}");
            // The other thread may still be on its way to sleep, after which its time does not
            // change.
            if second[1] == first[1] {
                break;
            }
            std::thread::yield_now();
        }
        drop(end);
        other.join().unwrap();
        // The kernel may still be removing the thread.
        while look(&mut watch).len() > 1 {
            std::thread::yield_now();
        }
    }
}
