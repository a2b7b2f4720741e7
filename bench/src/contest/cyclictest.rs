//! The wake-up latencies of this machine's timers by the community's own tool, cyclictest
//! (rt-tests), for comparison with our wake-ups.

use std::process::Command;
use std::time::Duration;

/// Returns how late the tool's thread was, in nanoseconds; `None` if the tool is not there or not
/// allowed to run.
pub fn run(period: Duration, loops: usize) -> Option<Vec<f64>> {
    let output = Command::new("cyclictest")
        .args(["--quiet", "--mlockall", "--threads=1", "--priority=80", "--histogram=5000"])
        .arg(format!("--interval={}", period.as_micros()))
        .arg(format!("--loops={loops}"))
        .output()
        .ok()?;
    let samples = samples(&String::from_utf8_lossy(&output.stdout));
    if samples.is_empty() { None } else { Some(samples) }
}

/// Reads the histogram, which has a line for each microsecond: `000012 000345`.
fn samples(text: &str) -> Vec<f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let buckets = lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        let (microseconds, count) = (words.next()?.parse::<u64>().ok()?, words.next()?.parse::<usize>().ok()?);
        Some((microseconds as f64 * 1e3, count))
    });
    buckets.flat_map(|(latency, count)| std::iter::repeat_n(latency, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_histogram_is_understood() {
        let text =
            "# /dev/cpu_dma_latency set to 0us\n# Histogram\n000000 000000\n000007 000002\n000031 000001\n# Total: 3\n";
        assert_eq!(samples(text), [7_000.0, 7_000.0, 31_000.0]);
        assert!(samples("cyclictest: no permission").is_empty());
    }
}
