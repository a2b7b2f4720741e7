use hemiola_model::Time;

/// The sensor samples that a value derives from: per source, the time stamps of the oldest and the newest. Those whose effect came with
/// messages of a topic on the way are kept apart: messages take ways of their own, and may be older or newer than values.
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
///
/// let mut remark = Provenance::none(2);
/// remark.hear(&ball); // of a message
/// assert_eq!((remark.span(0), remark.heard(0)), (None, ball.span(0)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// By values all the way.
    read: Box<[Span]>,
    /// By a message somewhere on the way.
    heard: Box<[Span]>,
}

/// The stamps of the oldest and the newest sample.
type Span = (Time, Time);

/// No sample: the neutral element of `join`.
const NONE: Span = (Time::from_nanoseconds(i64::MAX), Time::from_nanoseconds(i64::MIN));

fn join(span: &mut Span, (oldest, newest): Span) {
    *span = (span.0.min(oldest), span.1.max(newest));
}

fn known((oldest, newest): Span) -> Option<Span> {
    (oldest <= newest).then_some((oldest, newest))
}

impl Provenance {
    /// No sample of so many sources.
    pub fn none(sources: usize) -> Self {
        let none: Box<[Span]> = vec![NONE; sources].into();
        Self { read: none.clone(), heard: none }
    }

    /// How many sources there are.
    pub fn sources(&self) -> usize {
        self.read.len()
    }

    /// The stamps of the oldest and the newest sample of a source, of those that came by values.
    ///
    /// # Panics
    /// If there is no source of that number.
    pub fn span(&self, source: usize) -> Option<(Time, Time)> {
        known(self.read[source])
    }

    /// The stamps of the oldest and the newest sample of a source, of those whose effect came with messages.
    ///
    /// # Panics
    /// If there is no source of that number.
    pub fn heard(&self, source: usize) -> Option<(Time, Time)> {
        known(self.heard[source])
    }

    /// The stamp of the newest sample of all sources. Messages do not count: which ones a run got may depend on how fast others were.
    pub fn newest(&self) -> Option<Time> {
        self.read.iter().copied().filter_map(known).map(|(_, newest)| newest).max()
    }

    /// Adds a sample.
    ///
    /// # Panics
    /// If there is no source of that number.
    pub fn include(&mut self, source: usize, stamp: Time) {
        join(&mut self.read[source], (stamp, stamp));
    }

    /// Adds all samples of `other`, of which there is a value.
    pub fn merge(&mut self, other: &Self) {
        self.read.iter_mut().zip(&other.read).for_each(|(mine, &theirs)| join(mine, theirs));
        self.heard.iter_mut().zip(&other.heard).for_each(|(mine, &theirs)| join(mine, theirs));
    }

    /// Adds all samples of `other`, of which there is a message.
    pub fn hear(&mut self, other: &Self) {
        let theirs = other.read.iter().zip(&other.heard);
        for (mine, (&read, &heard)) in self.heard.iter_mut().zip(theirs) {
            join(mine, read);
            join(mine, heard);
        }
    }

    /// Makes this the same as `other`, without allocation.
    ///
    /// # Panics
    /// If the other one is for another number of sources.
    pub fn copy_from(&mut self, other: &Self) {
        self.read.copy_from_slice(&other.read);
        self.heard.copy_from_slice(&other.heard);
    }

    /// Passes on all that it is, four times per source.
    pub(crate) fn write_down(&self, mut word: impl FnMut(Time)) {
        for &(oldest, newest) in self.read.iter().chain(&self.heard) {
            word(oldest);
            word(newest);
        }
    }

    /// Becomes what was written down.
    pub(crate) fn read_back(&mut self, mut word: impl FnMut() -> Time) {
        for span in self.read.iter_mut().chain(&mut self.heard) {
            *span = (word(), word());
        }
    }

    /// Forgets all samples.
    pub fn clear(&mut self) {
        self.read.fill(NONE);
        self.heard.fill(NONE);
    }
}
