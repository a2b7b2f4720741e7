//! The processor time of a process' threads, as the kernel counts it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::{BenchError, read};

/// The time that the threads of a process have used up to now.
pub struct ThreadTimes {
    at: Instant,
    /// The name and the nanoseconds of each thread, by its number.
    threads: BTreeMap<u32, (String, u64)>,
}

/// The time that threads of one name have used, of one core.
pub struct Used {
    pub name: String,
    pub percent: f64,
}

impl ThreadTimes {
    /// Reads the times of all threads of a process: `schedstat` counts in nanoseconds what `stat`
    /// counts in ticks.
    pub fn of(process: u32) -> Result<Self, BenchError> {
        let folder = format!("/proc/{process}/task");
        let at = Instant::now();
        let failed = |error| BenchError::Read { path: folder.clone().into(), error };
        let mut threads = BTreeMap::new();
        for entry in fs::read_dir(&folder).map_err(failed)?.flatten() {
            let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            // A thread may end between listing and reading.
            if let Ok(thread) = thread_at(&entry.path()) {
                threads.insert(number, thread);
            }
        }
        Ok(Self { at, threads })
    }

    /// Returns what was used since `earlier`, by name, most first. A thread that has ended since is
    /// not counted.
    pub fn since(&self, earlier: &ThreadTimes) -> Vec<Used> {
        let seconds = self.at.duration_since(earlier.at);
        let mut names: BTreeMap<&str, Duration> = BTreeMap::new();
        for (number, (name, now)) in &self.threads {
            let before = earlier.threads.get(number).map_or(0, |(_, before)| *before);
            *names.entry(name).or_default() += Duration::from_nanos(now.saturating_sub(before));
        }
        let used = names.into_iter().map(|(name, used)| Used {
            name: name.to_owned(),
            percent: 100.0 * used.as_secs_f64() / seconds.as_secs_f64(),
        });
        let mut used: Vec<Used> = used.collect();
        used.sort_by(|a, b| b.percent.total_cmp(&a.percent));
        used
    }
}

/// Returns what the chosen threads have used together, in percent of a core.
pub fn sum(used: &[Used], is_meant: impl Fn(&str) -> bool) -> f64 {
    used.iter().filter(|used| is_meant(&used.name)).fold(0.0, |sum, used| sum + used.percent)
}

/// Returns the processor time that the calling thread has used.
pub fn own_time() -> Result<Duration, BenchError> {
    thread_at(Path::new("/proc/thread-self")).map(|(_, nanoseconds)| Duration::from_nanos(nanoseconds))
}

fn thread_at(folder: &Path) -> Result<(String, u64), BenchError> {
    let name = read(&folder.join("comm"))?.trim_end().to_owned();
    let used = read(&folder.join("schedstat"))?.split(' ').next().and_then(|number| number.parse().ok());
    Ok((name, used.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_computes_is_told_from_one_that_sleeps() {
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let builder = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let sleeper = builder("sleeper").spawn(move || _ = stopped.recv()).expect("a thread");
        let before = ThreadTimes::of(std::process::id()).expect("Linux has them");
        let worker = builder("worker").spawn(move || {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_millis(100) {
                std::hint::spin_loop();
            }
            let after = ThreadTimes::of(std::process::id());
            drop(stop);
            after
        });
        let after = worker.expect("a thread").join().expect("no panic").expect("Linux has them");
        sleeper.join().expect("no panic");
        let used = after.since(&before);
        let of = |name: &str| sum(&used, |thread| thread == name);
        assert!(of("worker") > of("sleeper") + 1.0, "{} and {}", of("worker"), of("sleeper"));
    }
}
