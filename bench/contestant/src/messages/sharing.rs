/// The way in which a thread waits that must not sleep: it spins for a moment, then yields to
/// others, which may be those that it waits for.
///
/// ```
/// use hemiola_bench_contestant::messages::Patience;
///
/// let mut attempts = 0;
/// Patience::until(|| {
///     attempts += 1;
///     attempts == 100
/// });
/// assert_eq!(attempts, 100);
/// ```
#[derive(Debug, Default)]
pub struct Patience {
    looks: u32,
}

impl Patience {
    /// Waits a moment. To be called after each failed attempt.
    #[inline]
    pub fn wait(&mut self) {
        const SPINS: u32 = 64;
        self.looks += 1;
        if self.looks < SPINS {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }

    /// Begins to spin again. To be called after a success.
    #[inline]
    pub fn reset(&mut self) {
        self.looks = 0;
    }

    /// Waits until something has succeeded.
    #[inline]
    pub fn until(mut succeeds: impl FnMut() -> bool) {
        let mut patience = Patience::default();
        while !succeeds() {
            patience.wait();
        }
    }
}
