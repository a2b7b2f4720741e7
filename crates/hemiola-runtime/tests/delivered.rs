//! The thread of sources that are shown together allocates nothing once the buffers are as large as
//! the values. The test has a process of its own, because it counts allocations.
#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, LinkAddress, LinkConfiguration, LinkEnd, Received, Subject, Trigger,
};
use hemiola_model::data::{DataType, ReadError, Reader, Writer};
use hemiola_model::{Data, cdr};
use hemiola_realtime::{CountingAllocator, calls_by_watched_threads, watch_this_thread};
use hemiola_runtime::{Observation, Pace, Robot};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A number: the allocations of the thread that reads it from CDR are counted.
#[derive(Clone, Default)]
struct Watching(u64);

impl Data for Watching {
    fn data_type() -> DataType {
        u64::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        self.0.write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        watch_this_thread();
        Ok(Self(u64::read(reader)?))
    }

    // Buffers beside it are kept by this.
    fn restore(&mut self, default: &Self) -> bool {
        self.0.restore(&default.0)
    }
}

#[derive(Representation, Clone, Default)]
struct Scan {
    run: Watching,
    ranges: Vec<f32>,
}

#[derive(Representation, Clone, Default)]
struct Pose {
    run: Watching,
}

#[derive(Representation, Clone, Default)]
struct Way {
    run: u64,
    pose: u64,
}

#[derive(Module)]
struct Planner {}

#[module]
impl Planner {
    #[update]
    fn way(&self, scan: &Scan, pose: &Pose, way: &mut Way) {
        *way = Way { run: scan.run.0, pose: pose.run.0 };
    }
}

fn configuration() -> Configuration {
    let end = LinkEnd::Connect(LinkAddress::Unix("/nowhere.sock".into()));
    let received =
        |name| Received { provider: Some("seeing".to_owned()), ..Received::new(Subject::representation(name)) };
    let receive = ["Scan", "Pose"].map(received).to_vec();
    let trigger = Trigger::Source("link.head.Scan".to_owned());
    Configuration {
        cycles: vec![CycleConfiguration {
            modules: vec!["Planner".to_owned()],
            ..CycleConfiguration::new("planning", trigger)
        }],
        links: vec![LinkConfiguration { receive, ..LinkConfiguration::new("head", end) }],
        ..Configuration::default()
    }
}

#[test]
fn a_thousand_deliveries_of_several_sources_allocate_nothing() {
    let running = Robot::assemble(configuration()).unwrap().start(Pace::RealTime).unwrap();
    let handle = running.handle().clone();
    let [scans, poses] = ["Scan", "Pose"].map(|name| handle.inlet(&format!("link.head.{name}")).unwrap());
    let mut seen = handle.observe(Observation::of(["Way"])).unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    let mut deliver = |run: u64| {
        let together = scans.together();
        let now = handle.clock().now();
        scans.deliver(now, &cdr::encode(&Scan { run: Watching(run), ranges: vec![run as f32; 1000] }));
        poses.deliver(now, &cdr::encode(&Pose { run: Watching(run) }));
        drop(together);
        loop {
            if let Some(value) = seen.next_value() {
                let way = value.get::<Way>().unwrap();
                assert_eq!((way.run, way.pose), (run, run));
                break;
            }
            assert!(Instant::now() < patience, "delivery {run} starts no run");
            std::thread::yield_now();
        }
    };
    (1..=100).for_each(&mut deliver);
    let before = calls_by_watched_threads();
    (101..=1100).for_each(&mut deliver);
    assert_eq!(calls_by_watched_threads() - before, 0);
    running.stop();
}
