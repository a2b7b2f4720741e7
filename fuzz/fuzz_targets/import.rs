//! Any text is a table that becomes a log with as many messages as it says, or an error that names
//! the file; nothing panics.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use hemiola_log::{Entry, LogCompression, LogReader, Timing, import};
use libfuzzer_sys::fuzz_target;

static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = std::env::temp_dir().join(format!("hemiola-fuzz-import-{}", std::process::id()));
    std::fs::create_dir_all(path.join("in")).expect("the folder for temporary files can be written");
    path
});

fuzz_target!(|text: &[u8]| {
    std::fs::write(DIRECTORY.join("in/table.csv"), text).expect("it is ours");
    let log = DIRECTORY.join("out.mcap");
    _ = std::fs::remove_file(&log);
    let timing = Timing { column: None, rate: (text.len() % 2 == 0).then_some(10.0) };
    match import(&DIRECTORY.join("in"), &log, LogCompression::None, &timing, |_, _| {}) {
        Ok(imported) => {
            let written: u64 = imported.channels.iter().map(|channel| channel.messages).sum();
            let mut log = LogReader::open(&log).expect("it was written");
            let mut read = 0;
            while let Some(entry) = log.next_entry() {
                if let Entry::Message(message) = entry.expect("it is whole") {
                    message.decode().expect("it fits its schema");
                    read += 1;
                }
            }
            assert_eq!(read, written);
        }
        Err(error) => assert!(error.to_string().contains("hemiola-fuzz-import"), "{error}"),
    }
});
