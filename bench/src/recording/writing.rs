//! Gigabytes to the disk, in turn: as a file, through the page cache and past it, with the `mcap`
//! crate and its defaults, and with our writer.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Instant;

use hemiola_bench_contestant::Usage;
use hemiola_log::{LogCompression, LogError, LogWriter, Origin};
use hemiola_model::cdr::MessageSchema;
use hemiola_model::{Data, Time};
use hemiola_realtime::{HUGE_PAGE, prefer_huge_pages};

use crate::contest::discipline::Effort;
use crate::contest::host::Host;
use crate::contest::result::quantile;
use crate::error::BenchError;

/// One way of writing.
pub struct Row {
    pub label: &'static str,
    pub bytes_per_second: f64,
    pub cpu_seconds_per_gigabyte: f64,
    /// The length of the file, relative to what was to be written.
    pub file_share: f64,
}

#[derive(Clone, Copy)]
enum Way {
    File,
    /// The disk's own rate.
    Direct(Pages),
    /// Writing directly, with each message copied to where it is written from: the least that
    /// encoding there costs.
    Copied(Pages),
    McapCrate,
    Ours(LogCompression),
}

/// The memory from which blocks are written.
#[derive(Clone, Copy)]
enum Pages {
    /// Blocks of a megabyte, in pages as they come.
    Small,
    /// Blocks twice as large, in huge pages where the system has some: as our writer's.
    Huge,
}

const WAYS: [(&str, Way); 9] = [
    ("file, through the cache", Way::File),
    ("file, past the cache (O_DIRECT)", Way::Direct(Pages::Small)),
    ("the same, messages copied there", Way::Copied(Pages::Small)),
    ("past the cache, huge pages", Way::Direct(Pages::Huge)),
    ("the same, messages copied there", Way::Copied(Pages::Huge)),
    ("mcap crate, BufWriter, no codec", Way::McapCrate),
    ("Hemiola, no codec", Way::Ours(LogCompression::None)),
    ("Hemiola, lz4", Way::Ours(LogCompression::Lz4)),
    ("Hemiola, zstd", Way::Ours(LogCompression::Zstd)),
];

pub fn measure(folder: &Path, size: usize, effort: Effort, host: &mut Host) -> Result<Vec<Row>, BenchError> {
    // Small messages are more work per byte.
    let (bytes, rounds) = match (effort, size) {
        (Effort::Quick, _) => (2_000_000, 1),
        (Effort::Full, ..100) => (100_000_000, 3),
        (Effort::Full, _) => (1_000_000_000, 3),
    };
    let message = message(size);
    let path = folder.join(format!("hemiola-bench-recording-{}", std::process::id()));
    let mut samples = vec![Vec::new(); WAYS.len()];
    for _ in 0..rounds {
        for ((_, way), samples) in WAYS.iter().zip(&mut samples) {
            let sample = host.hold(|| {
                let (begin, before) = (Instant::now(), Usage::now());
                let written = write(*way, &path, &message, bytes / size);
                let (seconds, used) = (begin.elapsed().as_secs_f64(), Usage::now().since(&before));
                let length = std::fs::metadata(&path).map_or(0, |file| file.len());
                _ = std::fs::remove_file(&path);
                written
                    .map(|()| (bytes as f64 / seconds, used.cpu_ns as f64 / bytes as f64, length as f64 / bytes as f64))
            });
            match sample {
                // Some file systems do not allow that.
                Err(BenchError::Write { error, .. })
                    if matches!(way, Way::Direct(_) | Way::Copied(_)) && error.kind() == ErrorKind::InvalidInput => {}
                sample => samples.push(sample?),
            }
        }
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        quantile(&values, 0.5).unwrap_or(f64::NAN)
    };
    let measured = WAYS.iter().zip(samples).filter(|(_, samples)| !samples.is_empty());
    let rows = measured.map(|(&(label, _), samples)| Row {
        label,
        bytes_per_second: median(samples.iter().map(|sample| sample.0).collect()),
        cpu_seconds_per_gigabyte: median(samples.iter().map(|sample| sample.1).collect()),
        file_share: median(samples.iter().map(|sample| sample.2).collect()),
    });
    Ok(rows.collect())
}

/// Makes a message, half of it noise, half of it smooth, as images are.
fn message(size: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = |index: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if index.is_multiple_of(2) { (state >> 24) as u8 } else { (index / 64) as u8 }
    };
    [0, 1, 0, 0].into_iter().chain((4..size).map(&mut next)).collect()
}

/// The alignment that file systems require of memory for direct I/O.
const ALIGNMENT: usize = 4096;

impl Pages {
    /// Returns the size of a block, and the alignment of its memory.
    fn block(self) -> (usize, usize) {
        match self {
            Self::Small => (1 << 20, ALIGNMENT),
            Self::Huge => (HUGE_PAGE, HUGE_PAGE),
        }
    }
}

/// Writes whole blocks, from one place in memory: nothing is encoded, and messages are copied there
/// each time or once.
fn direct(path: &Path, message: &[u8], count: usize, pages: Pages, copied: bool) -> std::io::Result<()> {
    let (size, alignment) = pages.block();
    let mut memory = vec![0; size + alignment];
    let begin = memory.as_ptr().align_offset(alignment);
    let block = &mut memory[begin..begin + size];
    if let Pages::Huge = pages {
        prefer_huge_pages(block);
    }
    let mut file = File::options().write(true).create_new(true).custom_flags(libc::O_DIRECT).open(path)?;
    // This is the offset in the message with which the next block begins.
    let mut done = 0;
    for number in 0..(message.len() * count).div_ceil(size) {
        let mut rest = &mut *block;
        while !rest.is_empty() && (copied || number == 0) {
            let piece = &message[done..message.len().min(done + rest.len())];
            let (place, behind) = rest.split_at_mut(piece.len());
            place.copy_from_slice(piece);
            rest = behind;
            done = (done + piece.len()) % message.len();
        }
        file.write_all(block)?;
    }
    file.sync_all()
}

fn write(way: Way, path: &Path, message: &[u8], count: usize) -> Result<(), BenchError> {
    let failed = |error| BenchError::Write { path: path.to_owned(), error };
    match way {
        Way::File => {
            let mut file = BufWriter::with_capacity(1 << 20, File::create_new(path).map_err(failed)?);
            (0..count).try_for_each(|_| file.write_all(message)).map_err(failed)?;
            file.flush().and_then(|()| file.get_ref().sync_all()).map_err(failed)
        }
        Way::Direct(pages) => direct(path, message, count, pages, false).map_err(failed),
        Way::Copied(pages) => direct(path, message, count, pages, true).map_err(failed),
        Way::McapCrate => {
            let options = mcap::WriteOptions::new().compression(None).compression_threads(0);
            let file = BufWriter::new(File::create_new(path).map_err(failed)?);
            let written = (|| {
                let mut log = options.create(file)?;
                let schema = log.add_schema("bench/msg/Bytes", "ros2msg", b"uint8[] data\n")?;
                let channel = log.add_channel(schema, "/bytes", "cdr", &Default::default())?;
                for number in 0..count {
                    let time = number as u64 * 1_000_000;
                    let header = mcap::records::MessageHeader {
                        channel_id: channel,
                        sequence: number as u32,
                        log_time: time,
                        publish_time: time,
                    };
                    log.write_to_known_channel(&header, message)?;
                }
                log.finish()?;
                log.into_inner().into_inner().map_err(|error| error.into_error())?.sync_all()?;
                Ok::<(), mcap::McapError>(())
            })();
            written.map_err(|error| failed(std::io::Error::other(error)))
        }
        Way::Ours(compression) => {
            let written = (|| {
                let mut log = LogWriter::create(path, compression)?;
                let channel = log.channel("/bytes", &MessageSchema::of("Bytes", &<Vec<u8>>::data_type()))?;
                for number in 0..count {
                    let now = Time::from_nanoseconds(number as i64 * 1_000_000);
                    log.write(channel, Origin { sequence: number as u32, logged: now, published: now }, message)?;
                }
                log.finish().map(|_| ())
            })();
            written.map_err(|error: LogError| failed(std::io::Error::other(error)))
        }
    }
}
