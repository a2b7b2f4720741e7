/// The memory that is locked: it stays resident and causes no page faults.
///
/// ```
/// use hemiola_realtime::{Locking, secure_memory};
///
/// let report = secure_memory(0);
/// if report.locking == Some(Locking::Present) {
///     println!("memory that threads allocate later may fault: allocate it all before they start");
/// }
/// assert_eq!(report.locking.is_some(), report.lock.is_granted());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locking {
    /// All present and future memory; faulted in at once.
    PresentAndFuture,
    /// All present and future memory, each page from its first touch on.
    WhenTouched,
    /// All present memory. Future memory is excluded where a limit exists: once it is reached,
    /// every allocation would fail.
    Present,
}
