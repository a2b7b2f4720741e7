//! Directories to be imported.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hemiola_log::{Entry, Imported, LogCompression, LogError, LogReader, Timing, Value, import};

/// A directory that is removed when it is dropped.
pub struct Directory(pub PathBuf);

impl Directory {
    pub fn new(files: &[(&str, &[u8])]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("hemiola-import-{}-{number}", std::process::id()));
        for (name, content) in files {
            let file = path.join("in").join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        fs::create_dir_all(path.join("in")).unwrap();
        Self(path)
    }

    pub fn import(&self, timing: &Timing) -> Result<Imported, LogError> {
        import(&self.0.join("in"), &self.log(), LogCompression::None, timing, |_, _| {})
    }

    /// Imports one of its files by itself.
    pub fn import_file(&self, name: &str) -> Result<Imported, LogError> {
        import(&self.0.join("in").join(name), &self.log(), LogCompression::None, &Timing::default(), |_, _| {})
    }

    pub fn log(&self) -> PathBuf {
        self.0.join("out.mcap")
    }

    /// Returns the topic, time in nanoseconds and value of each message, in the order of the file.
    pub fn messages(&self) -> Vec<(String, u64, Value)> {
        messages(&self.log())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the topic, time in nanoseconds and value of each message, in the order of the file.
pub fn messages(path: &Path) -> Vec<(String, u64, Value)> {
    let mut log = LogReader::open(path).unwrap();
    let mut messages = Vec::new();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            messages.push((message.channel.topic.clone(), message.log_time.nanoseconds(), message.decode().unwrap()));
        }
    }
    messages
}

/// Returns a line for each message.
pub fn text(messages: &[(String, u64, Value)]) -> Vec<String> {
    messages.iter().map(|(topic, time, value)| format!("{topic} {time} {value}")).collect()
}
