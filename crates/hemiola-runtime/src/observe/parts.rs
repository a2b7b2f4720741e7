//! Checkpoints of everything that later runs depend on, with which a replay can begin in the middle
//! of a log.
//!
//! # The cut
//! Cycles that run on threads of their own cannot be stopped to read all of them at the same
//! moment. Instead each cycle writes a part of its own, between two of its runs; the parts with one
//! number are a cut through the robot's history (Chandy and Lamport, "Distributed Snapshots",
//! 1985). A part is what the first run after the cut computes from: the states of the modules, the
//! values on the blackboard, the clock of the previous run, and the values that it has just read
//! from other cycles. Samples of sources are in the log already.
//!
//! The first cycle that comes determines the moment: at its beginning, every run raises a word that
//! all cycles share to the number of checkpoints that there should be by its clock, and if the word
//! is higher than the number of the last one in which the cycle took part, this run is its first
//! after the cut.
//!
//! # What is in transit
//! There may be values that A published before the cut and B reads after it. In the algorithm of
//! Chandy and Lamport markers in the channels distinguish them from others; here that one word
//! does. Let `a` and `b` be the first runs of A and B after the cut. **What B reads in `b` comes
//! from A's run `a - 2`, or a newer one.** For A changed the word in `a - 1` while it was low (else
//! `a - 1` would have been after the cut), and B changed it in `b` when it was high. Changes of one
//! word are in one order, in which A's comes first, and each of them acquires what those before it
//! released. So what A did before that change, publishing in `a - 2`, happened before B read its
//! inputs in `b`, for both do these things in that order.
//!
//! So what B reads later of A's runs before the cut can only be that of `a - 1`: the last one,
//! whose values stay in A's stores until A's next run provides others, and so are in A's part. A
//! replay publishes them again before it begins. The same holds for samples, because a run takes
//! all that are in its queues. What B read before the cut from runs of A after it does no harm: a
//! replay computes these runs again, and passes on only what was read after the cut, as the
//! [transcript](crate::observe::runs) records.
//!
//! Messages of topics have numbers, so it is known which are in transit: those that a publisher had
//! published, and a subscription not received. `b` receives all that were published before `a - 1`,
//! and they are in B's part. If one of `a - 1` comes later than that, or one of `a` before it, a
//! replay begins with another checkpoint.
//!
//! # What it costs
//! Between two checkpoints it costs one change of a word per run. A part is written by worker 0,
//! into memory that the recorder sent: no allocation, lock or system call. A piece for which there
//! is no room is missing in that part, and the next one has more room; so the first checkpoints are
//! not as far apart as the others.

mod cut;
mod item;
mod page;
mod writer;

pub use cut::{Cut, CutWord};
pub use item::Inventory;
pub use writer::{PartLine, PartWriter, When, parts};
