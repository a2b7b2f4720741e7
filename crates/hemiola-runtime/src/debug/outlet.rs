use std::cell::RefCell;
use std::sync::Arc;

use hemiola_bus::exchange::{LatestReader, LatestWriter, QueueReader, QueueWriter, latest, queue};
use hemiola_model::Time;
use hemiola_model::module::{DebugContent, DebugKind, DebugSink, ImageFormat};
use hemiola_trace::{TaskId, Ticks};

use super::interest::Interest;
use super::names::NameTable;
use crate::sync::{AtomicU64, Ordering};

/// The worker's end of debug output.
pub struct DebugOutlet(RefCell<Outlet>);

struct Outlet {
    call: Call,
    /// The number of records that the call has created.
    sequence: u32,
    interest: LatestReader<Arc<Interest>>,
    names: NameTable,
    records: QueueWriter<Written>,
    images: QueueWriter<WrittenImage>,
    buffers: QueueReader<Box<[u8]>>,
    /// A buffer whose image was not finished.
    spare: Option<Box<[u8]>>,
    found: QueueWriter<FoundName>,
    tally: Arc<Tally>,
}

/// The call of an update that creates records.
#[derive(Clone, Copy)]
pub struct Call {
    pub update: TaskId,
    pub run: u32,
    pub time: Time,
}

/// The origin of a record.
#[derive(Clone, Copy)]
pub struct Origin {
    pub call: Call,
    pub sequence: u32,
    pub name: &'static str,
    pub at: Ticks,
}

/// A record in transit.
pub struct Written {
    pub origin: Origin,
    pub content: DebugContent,
}

/// A buffer in transit, with an image if it was filled.
pub struct WrittenImage {
    pub buffer: Box<[u8]>,
    pub image: Option<(Origin, ImageFormat)>,
}

/// A name that an update has used for the first time.
pub struct FoundName {
    pub name: &'static str,
    pub kind: DebugKind,
    pub update: TaskId,
}

/// The counters of a worker.
#[derive(Default)]
pub struct Tally {
    /// The number of records that did not fit.
    pub dropped: AtomicU64,
    /// The size of the largest image for which there was no buffer.
    pub image_bytes: AtomicU64,
}

/// The other end of a worker's outlet.
pub struct DebugInlet {
    pub interest: LatestWriter<Arc<Interest>>,
    pub records: QueueReader<Written>,
    pub images: QueueReader<WrittenImage>,
    pub buffers: QueueWriter<Box<[u8]>>,
    pub found: QueueReader<FoundName>,
    pub tally: Arc<Tally>,
}

/// The number of records that fit, and that are gathered at a time: some hundredths of a second of
/// an update that draws a lot.
pub const RECORDS: usize = 2048;
const NAMES: usize = 256;
/// The capacity of the queues of images: larger than the number of buffers.
pub const IMAGES: usize = 64;
/// The maximum size of an image.
pub const LARGEST_IMAGE: usize = 1 << 24;

impl DebugOutlet {
    pub fn new() -> (Self, DebugInlet) {
        let (interest_writer, interest) = latest(Arc::<Interest>::default);
        let (records, record_reader) = queue(RECORDS);
        let (images, image_reader) = queue(IMAGES);
        let (buffer_writer, buffers) = queue(IMAGES);
        let (found, found_reader) = queue(NAMES);
        let tally = Arc::<Tally>::default();
        let call = Call { update: TaskId(0), run: 0, time: Time::ZERO };
        let names = NameTable::new();
        let inlet = DebugInlet {
            interest: interest_writer,
            records: record_reader,
            images: image_reader,
            buffers: buffer_writer,
            found: found_reader,
            tally: tally.clone(),
        };
        let outlet = Outlet { call, sequence: 0, interest, names, records, images, buffers, spare: None, found, tally };
        (Self(RefCell::new(outlet)), inlet)
    }

    /// Notes the call to which records belong from now on.
    pub fn begin(&mut self, call: Call) {
        let outlet = self.0.get_mut();
        (outlet.call, outlet.sequence) = (call, 0);
        if outlet.interest.take() {
            outlet.names.renew();
        }
    }
}

impl DebugSink for DebugOutlet {
    fn wants(&self, name: &'static str, kind: DebugKind) -> bool {
        let Outlet { call, interest, names, found, .. } = &mut *self.0.borrow_mut();
        let is_wanted = || interest.with_front(|interest| interest.wants(name, kind));
        let announce = || found.push(FoundName { name, kind, update: call.update }).is_ok();
        names.wants((name, kind), call.time, is_wanted, announce)
    }

    fn record(&self, name: &'static str, content: DebugContent) {
        let mut outlet = self.0.borrow_mut();
        let origin = outlet.origin(name);
        // Contents from updates own nothing that would be freed here.
        if outlet.records.push(Written { origin, content }).is_err() {
            outlet.tally.drop_one();
        }
    }

    fn image(&self, name: &'static str, format: ImageFormat, fill: &mut dyn FnMut(&mut [u8])) {
        let (origin, buffer) = {
            let mut outlet = self.0.borrow_mut();
            let origin = outlet.origin(name);
            (origin, outlet.buffer_of(format.bytes()))
        };
        let Some(buffer) = buffer else { return self.0.borrow().tally.drop_one() };
        // The closure that fills the buffer is the user's, and may panic or create other records.
        let mut filling = Filling { outlet: self, buffer };
        let pixels = &mut filling.buffer[..format.bytes()];
        pixels.fill(0);
        fill(pixels);
        filling.finish(origin, format);
    }
}

impl Outlet {
    fn origin(&mut self, name: &'static str) -> Origin {
        let origin = Origin { call: self.call, sequence: self.sequence, name, at: Ticks::now() };
        self.sequence += 1;
        origin
    }

    /// Returns a buffer for that many bytes; if there is none, the service thread creates some.
    fn buffer_of(&mut self, bytes: usize) -> Option<Box<[u8]>> {
        while let Some(buffer) = self.spare.take().or_else(|| self.buffers.pop()) {
            if buffer.len() >= bytes {
                return Some(buffer);
            }
            // The queue has room for all buffers; they are not freed here.
            if let Err(WrittenImage { buffer, .. }) = self.images.push(WrittenImage { buffer, image: None }) {
                self.spare = Some(buffer);
                return None;
            }
        }
        self.tally.image_bytes.fetch_max(bytes as u64, Ordering::Relaxed);
        None
    }
}

impl Tally {
    fn drop_one(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// A buffer that is being filled, which is reused even if filling it panics.
struct Filling<'o> {
    outlet: &'o DebugOutlet,
    buffer: Box<[u8]>,
}

impl Filling<'_> {
    fn finish(mut self, origin: Origin, format: ImageFormat) {
        let buffer = std::mem::take(&mut self.buffer);
        let mut outlet = self.outlet.0.borrow_mut();
        if let Err(WrittenImage { buffer, .. }) =
            outlet.images.push(WrittenImage { buffer, image: Some((origin, format)) })
        {
            outlet.spare = Some(buffer);
            outlet.tally.drop_one();
        }
    }
}

impl Drop for Filling<'_> {
    fn drop(&mut self) {
        if !self.buffer.is_empty() {
            self.outlet.0.borrow_mut().spare = Some(std::mem::take(&mut self.buffer));
        }
    }
}
