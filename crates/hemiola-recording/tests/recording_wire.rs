//! Messages in their wire form are in the log as they were published, and nobody encodes them
//! again.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};

use hemiola::data::{Data, DataType, ReadError, Reader, Writer};
use hemiola::prelude::*;
use hemiola::wire::{InPlace, ViewReader};
use hemiola::{Application, cdr};
use hemiola_log::{Entry, LogReader};

/// How often a number was encoded.
static ENCODED: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Number(u32);

impl Data for Number {
    fn data_type() -> DataType {
        u32::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        ENCODED.fetch_add(1, Ordering::Relaxed);
        self.0.write(writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        u32::read(reader).map(Self)
    }
}

impl InPlace for Number {
    type View<'w> = u32;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<u32, ReadError> {
        reader.value()
    }
}

#[derive(Representation, InPlace, Clone, Default, PartialEq, Debug)]
struct Scan {
    number: Number,
    frame: String,
    ranges: Vec<f32>,
}

/// What was seen of the scans.
#[derive(Representation, Clone, Default)]
struct Nearest {
    metres: f32,
}

#[derive(Module)]
struct Lidar {
    #[stateless]
    scan: Scan,
    runs: u32,
    encoded_before: u32,
}

#[module]
impl Lidar {
    #[update]
    fn scan(&mut self, scans: &mut Publisher<Wire<Scan>>) {
        if self.runs == 0 {
            self.encoded_before = ENCODED.load(Ordering::Relaxed);
        }
        self.runs += 1;
        let Self { scan, runs, .. } = self;
        (scan.number, scan.frame) = (Number(*runs), "front".to_owned());
        scan.ranges.clear();
        scan.ranges.resize(1000, *runs as f32);
        // The slot's buffer is used again.
        let mut message = scans.loan();
        message.overwrite(scan);
        message.publish();
        let encoded = ENCODED.load(Ordering::Relaxed) - self.encoded_before;
        assert_eq!(encoded, self.runs, "by this update, and by nobody else");
    }
}

#[derive(Module)]
struct Bumper {}

#[module]
impl Bumper {
    #[update]
    fn nearest(&self, scans: &Subscription<Wire<Scan>>, nearest: &mut Nearest) {
        for scan in scans {
            nearest.metres = scan.view().ranges.iter().fold(f32::INFINITY, f32::min);
        }
    }
}

const ROBOT: &str = "[cycle.main]\nrate = 100.0\nworkers = 1\n";

#[test]
fn a_log_has_the_bytes_that_were_published_and_can_be_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("scans.mcap");
    let run = |arguments: String| Application::embedded(ROBOT).run_with(arguments.split_whitespace());
    let log = log.display();
    let recorded = run(format!("robot run --headless --no-trace --fast --duration 990ms --log {log}"));
    assert_eq!(recorded, ExitCode::SUCCESS);
    let mut reader = LogReader::open(&folder.path().join("scans.mcap")).unwrap();
    let mut numbers = Vec::new();
    while let Some(entry) = reader.next_entry() {
        let Entry::Message(message) = entry.unwrap() else { continue };
        if message.channel.topic != "/topic/Scan" {
            continue;
        }
        // Any reader decodes it: its type is that of the value.
        assert!(message.decode().unwrap().to_string().contains("front"));
        let scan: Scan = cdr::decode(message.data).unwrap();
        assert_eq!(scan.ranges, [scan.number.0 as f32; 1000]);
        numbers.push(scan.number.0);
    }
    assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
    assert_eq!(run(format!("robot log verify {log}")), ExitCode::SUCCESS);
}
