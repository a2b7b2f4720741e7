use std::io::Write;

use proptest::prelude::*;

use super::*;

fn scans() -> impl Strategy<Value = CarmenScan> {
    let number = -1e6..1e6_f64;
    (proptest::collection::vec(0.0..100.0_f32, 1..400), [number.clone(), number.clone(), number.clone()], 0.0..2e9_f64)
        .prop_map(|(ranges, [x, y, heading], seconds)| CarmenScan {
            ranges,
            odometry: Pose2 { x, y, heading },
            seconds,
        })
}

fn written(scan: &CarmenScan) -> String {
    let CarmenScan { ranges, odometry: Pose2 { x, y, heading }, seconds } = scan;
    let ranges: String = ranges.iter().map(|range| format!(" {range}")).collect();
    format!("FLASER {}{ranges} 9 9 9 {x} {y} {heading} {seconds} host 0.5", scan.ranges.len())
}

proptest! {
    #[test]
    fn a_scan_that_was_written_is_read(scan in scans()) {
        prop_assert_eq!(CarmenScan::parse(&written(&scan)), Ok(Some(scan)));
    }

    #[test]
    fn no_line_is_too_strange(line in ".{0,200}", words in proptest::collection::vec("FLASER|ODOM|[0-9]{1,25}|-?[0-9.eE]{1,9}|nan|inf", 0..40)) {
        _ = CarmenScan::parse(&line);
        _ = CarmenScan::parse(&words.join(" "));
        _ = CarmenScan::parse(&format!("FLASER {}", words.join(" ")));
    }

    #[test]
    fn a_scan_that_is_cut_off_is_none(scan in scans(), cut in 0.0..1.0_f64) {
        let fields: Vec<_> = written(&scan).split(' ').map(str::to_owned).collect();
        // All fields but the host and the time of the logger, which are not used.
        let kept = 1 + ((fields.len() - 4) as f64 * cut) as usize;
        prop_assert!(matches!(CarmenScan::parse(&fields[..kept].join(" ")), Err(LineFault::Ends(_))));
    }
}

fn log(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    File::create(&file).unwrap().write_all(bytes).unwrap();
    (folder, file)
}

#[test]
fn errors_say_where_what_and_what_to_do() {
    let text =
        "# a log\nODOM 0 0 0 0 0 0 1 h 1\nFLASER 2 1 x 0 0 0 0 0 0 1 h 1\nFLASER 0\nFLASER 1 2 0 0 0 1 2 3 4 h 5\n";
    let (_folder, file) = log("drive.clf", text.as_bytes());
    let mut log = CarmenLog::open(&file).unwrap();
    let mut fault = || log.next_scan().unwrap_err().to_string().replace(&file.display().to_string(), "drive.clf");
    assert_eq!(fault(), "drive.clf:3: `x` is no number, as a range should be; correct or remove the line");
    assert_eq!(fault(), "drive.clf:4: a scan of 0 beams; 1 to 4096 can be read; correct or remove the line");
    // The scan after a damaged line is read all the same.
    assert_eq!(log.next_scan().unwrap().unwrap().odometry, Pose2::new(1.0, 2.0, 3.0));
    assert!(log.next_scan().unwrap().is_none());
}

#[test]
fn what_is_no_log_is_refused_with_bounded_memory() {
    let (_folder, file) = log("image.clf", &vec![b'7'; 3 * LONGEST_LINE]);
    let error = CarmenLog::open(&file).unwrap().next_scan().unwrap_err();
    assert!(error.to_string().ends_with("image.clf:1: has more than 65536 bytes; this is no CARMEN log"), "{error}");
    let (_folder, file) = log("cut.clf.bz2", b"BZh91AY&SY");
    assert!(matches!(CarmenLog::open(&file).unwrap().next_scan(), Err(RoverError::Io { .. })));
}
