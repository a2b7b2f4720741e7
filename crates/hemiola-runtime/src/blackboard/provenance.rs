use hemiola_model::Time;

/// The sensor samples that a value derives from: per source, the time stamps of the oldest and the newest.
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_runtime::Provenance;
///
/// let mut pose = Provenance::none(2);
/// pose.include(0, Time::from_seconds(1.0));
/// let mut ball = Provenance::none(2);
/// ball.include(0, Time::from_seconds(1.5));
/// ball.merge(&pose);
/// assert_eq!(ball.span(0), Some((Time::from_seconds(1.0), Time::from_seconds(1.5))));
/// assert_eq!(ball.span(1), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance(Box<[(Time, Time)]>);

/// No sample: the neutral element of `merge`.
const NONE: (Time, Time) = (Time::from_nanoseconds(i64::MAX), Time::from_nanoseconds(i64::MIN));

impl Provenance {
    /// No sample of so many sources.
    pub fn none(sources: usize) -> Self {
        Self(vec![NONE; sources].into())
    }

    /// How many sources there are.
    pub fn sources(&self) -> usize {
        self.0.len()
    }

    /// The stamps of the oldest and the newest sample of a source.
    ///
    /// # Panics
    /// If there is no source of that number.
    pub fn span(&self, source: usize) -> Option<(Time, Time)> {
        let (oldest, newest) = self.0[source];
        (oldest <= newest).then_some((oldest, newest))
    }

    /// The stamp of the newest sample of all sources.
    pub fn newest(&self) -> Option<Time> {
        (0..self.0.len()).filter_map(|source| self.span(source)).map(|(_, newest)| newest).max()
    }

    /// Adds a sample.
    ///
    /// # Panics
    /// If there is no source of that number.
    pub fn include(&mut self, source: usize, stamp: Time) {
        let (oldest, newest) = &mut self.0[source];
        *oldest = stamp.min(*oldest);
        *newest = stamp.max(*newest);
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            mine.0 = mine.0.min(theirs.0);
            mine.1 = mine.1.max(theirs.1);
        }
    }

    /// Makes this the same as `other`, without allocation.
    ///
    /// # Panics
    /// If the other one is for another number of sources.
    pub fn copy_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }

    /// Forgets all samples.
    pub fn clear(&mut self) {
        self.0.fill(NONE);
    }
}
