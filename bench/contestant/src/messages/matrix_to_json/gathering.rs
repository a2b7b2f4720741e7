//! Gathering vectors into matrices, and serialising these.

use super::{ROWS, Vector};
use crate::monotonic_ns;
use crate::sync::{AtomicU64, Ordering};

static SERIALISED: AtomicU64 = AtomicU64::new(0);

/// Returns how many matrices were serialised, by any thread.
pub(super) fn serialised() -> u64 {
    SERIALISED.load(Ordering::SeqCst)
}

/// A matrix of 500 rows.
#[derive(Debug)]
pub struct Matrix {
    rows: Vec<Vec<f64>>,
}

impl Default for Matrix {
    fn default() -> Self {
        Self { rows: vec![vec![0.0; 100]; ROWS] }
    }
}

/// A serialiser that writes matrices as JSON, always into the same memory.
#[derive(Debug)]
pub struct Serialiser {
    json: Vec<u8>,
}

impl Default for Serialiser {
    fn default() -> Self {
        Self { json: touched(b' ', ROWS * 100 * 24) }
    }
}

impl Serialiser {
    /// Writes a matrix.
    pub fn serialise(&mut self, matrix: &Matrix) {
        self.json.clear();
        serde_json::to_writer(&mut self.json, &matrix.rows).expect("numbers can be written to memory");
        std::hint::black_box(&self.json);
        SERIALISED.fetch_add(1, Ordering::SeqCst);
    }
}

/// A matrix that is filled, and the figures of all that was filled so far.
#[derive(Debug)]
pub struct Gathering {
    matrix: Matrix,
    serialiser: Serialiser,
    row: usize,
    gathered: Gathered,
}

/// The figures of some vectors.
#[derive(Debug)]
pub struct Gathered {
    /// The number of vectors that were published, but found no room.
    pub lost: u64,
    pub(super) vectors: u64,
    /// The sum of the vectors' first numbers.
    pub(super) checksum: u64,
    /// The time from publishing each vector until it was handled.
    pub(super) latencies_ns: Vec<u64>,
    handling_ns: f64,
    handling_squares: f64,
}

impl Default for Gathering {
    fn default() -> Self {
        let latencies_ns = touched(1, 1 << 17);
        let gathered =
            Gathered { lost: 0, vectors: 0, checksum: 0, latencies_ns, handling_ns: 0.0, handling_squares: 0.0 };
        Self { matrix: Matrix::default(), serialiser: Serialiser::default(), row: 0, gathered }
    }
}

impl Gathering {
    /// Handles a vector that was `received` then; serialises the matrix, here and now, when that
    /// was its last row.
    pub fn handle(&mut self, vector: &Vector, received: u64) {
        if self.copy(vector) {
            self.serialiser.serialise(&self.matrix);
        }
        self.note(vector, received);
    }

    /// Handles a vector; if that was the last row, `exchange` gets the matrix and leaves another
    /// one in its place.
    pub fn handle_and_exchange(&mut self, vector: &Vector, received: u64, exchange: impl FnOnce(&mut Matrix)) {
        if self.copy(vector) {
            exchange(&mut self.matrix);
        }
        self.note(vector, received);
    }

    /// Returns the figures.
    pub fn finish(self) -> Gathered {
        self.gathered
    }

    fn copy(&mut self, vector: &Vector) -> bool {
        self.matrix.rows[self.row].copy_from_slice(vector);
        self.row = (self.row + 1) % ROWS;
        self.row == 0
    }

    fn note(&mut self, vector: &Vector, received: u64) {
        let end = monotonic_ns();
        let gathered = &mut self.gathered;
        gathered.vectors += 1;
        gathered.checksum += vector[0] as u64;
        let handling = (end - received) as f64;
        gathered.handling_ns += handling;
        gathered.handling_squares += handling * handling;
        gathered.latencies_ns.push(end.saturating_sub(vector[99] as u64));
    }
}

impl Gathered {
    pub(super) fn handling_mean_ns(&self) -> u64 {
        (self.handling_ns / self.vectors.max(1) as f64) as u64
    }

    pub(super) fn handling_sd_ns(&self) -> u64 {
        let count = self.vectors.max(1) as f64;
        let mean = self.handling_ns / count;
        (self.handling_squares / count - mean * mean).max(0.0).sqrt() as u64
    }
}

/// Makes an empty list whose memory is already mapped, so that no page fault is measured.
fn touched<T: Clone>(value: T, capacity: usize) -> Vec<T> {
    let mut list = vec![value; capacity];
    list.clear();
    list
}
