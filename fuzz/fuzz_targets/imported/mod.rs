//! What must be true of any file that is imported.

use std::path::{Path, PathBuf};

use hemiola_log::{Entry, LogCompression, LogReader, Timing, import};

/// Imports a file of this name with these bytes: the log that comes of it can be read and holds as
/// many messages as were told, or the error names the file.
pub fn check(name: &str, bytes: &[u8]) {
    let directory = directory();
    let (file, log) = (directory.join(name), directory.join("out.mcap"));
    std::fs::write(&file, bytes).expect("it is ours");
    _ = std::fs::remove_file(&log);
    match import(&file, &log, LogCompression::None, &Timing::default(), |_, _| {}) {
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
        Err(error) => assert!(error.to_string().contains(name), "{error}"),
    }
}

fn directory() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let path = place.join(format!("hemiola-fuzz-imported-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("the folder for temporary files can be written");
    path
}
