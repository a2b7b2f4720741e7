//! CycloneDDS as a contestant of the bench of links: a writer, and a reader whose listener is the
//! callback. Reliable and in order, over UDP on the loopback, as Debian's package has no shared
//! memory.
//!
//! # Safety
//! `unsafe` stands at the calls into `dds.c`. Its functions take what C allows: a domain's text
//! that ends with a zero, memory that lives during the call, and a callback for the process's
//! lifetime.

use std::ffi::{CStr, CString, c_char};
use std::process::Stdio;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hemiola_bench_contestant::links::{self, Arrivals, Partner, measure};
use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::monotonic_ns;

/// The result of a contestant; an error ends the program, which then has no figures.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

unsafe extern "C" {
    safe fn bench_dds_version() -> *const c_char;
    fn bench_dds_join(domain: u32, configuration: *const c_char) -> i32;
    safe fn bench_dds_writer() -> i32;
    safe fn bench_dds_readers(writer: i32) -> i32;
    fn bench_dds_write(writer: i32, data: *mut u8, length: u32) -> i32;
    safe fn bench_dds_read(callback: extern "C" fn(*const u8, usize)) -> i32;
}

fn main() -> Outcome {
    let assignment = Assignment::parse(std::env::args().skip(1))?;
    if assignment.contestant() != "cyclonedds" {
        return Err(format!("no contestant `{}` here", assignment.contestant()).into());
    }
    if assignment.receives() {
        links::join(&assignment);
        return receive(&assignment);
    }
    // SAFETY: it is a text of the program.
    assignment.introduce(unsafe { CStr::from_ptr(bench_dds_version()) }.to_str()?);
    send(&assignment)
}

/// The line with the domain that the receiving process has joined.
const READY: &str = "ready";
/// The number of domains among which a process chooses by its number.
const DOMAINS: u32 = 200;
/// The loopback only, without multicast, in datagrams as long as the pieces of the bench's sockets.
const CONFIGURATION: &str = "<CycloneDDS><Domain>\
    <General><Interfaces><NetworkInterface name=\"lo\" multicast=\"false\"/></Interfaces>\
    <AllowMulticast>false</AllowMulticast>\
    <MaxMessageSize>65500B</MaxMessageSize><FragmentSize>60000B</FragmentSize></General>\
    <Discovery><Peers><Peer address=\"127.0.0.1\"/></Peers><ParticipantIndex>auto</ParticipantIndex></Discovery>\
    </Domain></CycloneDDS>";

fn send(assignment: &Assignment) -> Outcome {
    let mut partner = Partner::start(Stdio::null());
    join(partner.hear(READY).parse()?)?;
    let writer = checked(bench_dds_writer())?;
    while checked(bench_dds_readers(writer))? == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let message = vec![0; assignment.number("bytes") as usize];
    measure(assignment, partner, &mut Writing { writer, message });
    Ok(())
}

struct Writing {
    writer: i32,
    message: Vec<u8>,
}

impl links::Sender for Writing {
    fn send(&mut self, number: u64) {
        self.message[..8].copy_from_slice(&number.to_le_bytes());
        self.message[8..16].copy_from_slice(&monotonic_ns().to_le_bytes());
        // SAFETY: the message is written before this returns.
        let result = unsafe { bench_dds_write(self.writer, self.message.as_mut_ptr(), self.message.len() as u32) };
        checked(result).expect("the partner is there");
    }
}

/// What the callback needs.
static RECEPTION: OnceLock<Mutex<(Arrivals, SyncSender<()>)>> = OnceLock::new();

fn receive(assignment: &Assignment) -> Outcome {
    let (last, end) = sync_channel(1);
    _ = RECEPTION.set(Mutex::new((Arrivals::expected(assignment), last)));
    let domain = std::process::id() % DOMAINS;
    join(domain)?;
    checked(bench_dds_read(take))?;
    println!("{READY} {domain}");
    end.recv()?;
    Ok(())
}

extern "C" fn take(data: *const u8, length: usize) {
    // SAFETY: the sample is lent until this returns.
    let message = unsafe { std::slice::from_raw_parts(data, length) };
    let head = |at| message.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let Some(reception) = RECEPTION.get() else { return };
    let mut reception = reception.lock().unwrap_or_else(PoisonError::into_inner);
    match reception.0.note(head(0), head(8)) {
        Ok(true) => _ = reception.1.try_send(()),
        Ok(false) => {}
        Err(problem) => {
            eprintln!("{problem}");
            std::process::exit(1);
        }
    }
}

fn join(domain: u32) -> Outcome {
    let configuration = CString::new(CONFIGURATION)?;
    // SAFETY: the text lives until this returns.
    checked(unsafe { bench_dds_join(domain, configuration.as_ptr()) })?;
    Ok(())
}

/// Returns the result of a call, unless it is an error.
fn checked(result: i32) -> Outcome<i32> {
    if result < 0 { Err(format!("CycloneDDS returns {result} (see dds/ddsrt/retcode.h)").into()) } else { Ok(result) }
}
