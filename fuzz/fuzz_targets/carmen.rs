//! Any line of a CARMEN log is a scan with as many ranges as it says, of another message, or an
//! error that is short enough to be told.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rover::recordings::CarmenScan;

fuzz_target!(|line: &str| {
    match CarmenScan::parse(line) {
        Ok(Some(scan)) => {
            let said = line.split_ascii_whitespace().nth(1).and_then(|count| count.parse().ok());
            assert_eq!(said, Some(scan.ranges.len()));
        }
        Ok(None) => {}
        Err(fault) => assert!(fault.to_string().len() < 300),
    }
});
