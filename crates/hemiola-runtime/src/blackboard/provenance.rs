use hemiola_model::Time;

use super::feedback::{Entrance, Shape};

/// The sensor samples from which a value derives: the time stamps of the oldest and the newest one
/// of each source. Samples whose effect came with messages of a topic somewhere on the path are
/// kept separately: messages take paths of their own, and may be older or newer than values.
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
///
/// The oldest samples are those that came by paths that do not return to themselves, as
/// `blackboard/feedback.rs` explains; those that entered different cycles with feedback are kept
/// separately until they are queried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The samples that came by values all the way: the sources of the first set of marks, of the
    /// second, ...
    read: Box<[Span]>,
    /// The samples that came by a message somewhere on the path.
    heard: Box<[Span]>,
    sources: usize,
}

/// The stamps of the oldest and the newest sample. If the oldest one is after the newest, the
/// samples came by no path that counts.
type Span = (Time, Time);

/// The span without samples: the neutral element of `join`.
const NONE: Span = (Time::from_nanoseconds(i64::MAX), Time::from_nanoseconds(i64::MIN));

fn join(span: &mut Span, (oldest, newest): Span) {
    *span = (span.0.min(oldest), span.1.max(newest));
}

fn known((oldest, newest): Span) -> Option<Span> {
    (oldest <= newest).then_some((oldest, newest))
}

/// Returns the newest sample, by whatever path it came.
fn newest(span: Span) -> Option<Time> {
    (span != NONE).then_some(span.1)
}

/// Returns the span of samples that have come by a path that does not count.
fn without_oldest((_, newest): Span) -> Span {
    (NONE.0, newest)
}

/// Adds samples that enter a cycle: they get the cycle's mark, and those that already have it may
/// not count.
fn enter(inside: &mut [Span], outside: &[Span], sources: usize, Entrance { mark, refuses }: Entrance) {
    if sources == 0 {
        return;
    }
    for (way, spans) in outside.chunks_exact(sources).enumerate() {
        let is_refused = refuses && way & mark != 0;
        let inside = inside.chunks_exact_mut(sources).nth(way | mark);
        for (mine, &theirs) in inside.into_iter().flatten().zip(spans) {
            join(mine, if is_refused { without_oldest(theirs) } else { theirs });
        }
    }
}

impl Provenance {
    /// Creates a provenance without samples, for that many sources.
    pub fn none(sources: usize) -> Self {
        Self::shaped(sources.into())
    }

    /// Creates a provenance without samples, of that shape.
    pub(crate) fn shaped(Shape { sources, ways }: Shape) -> Self {
        let none: Box<[Span]> = vec![NONE; sources * ways].into();
        Self { read: none.clone(), heard: none, sources }
    }

    /// Returns the number of sources.
    pub fn sources(&self) -> usize {
        self.sources
    }

    /// Returns all samples of one source, whatever marks they have.
    fn joined(&self, spans: &[Span], source: usize) -> Span {
        assert!(source < self.sources, "there are {} sources, and none of number {source}", self.sources);
        let mut all = NONE;
        spans.iter().skip(source).step_by(self.sources).for_each(|&span| join(&mut all, span));
        all
    }

    /// Returns the stamps of the oldest and the newest sample of a source, among those that came by
    /// values. It is also `None` if they came only by paths that return to themselves: that is
    /// state, which has no age.
    ///
    /// # Panics
    /// Panics if there is no source of that number.
    pub fn span(&self, source: usize) -> Option<(Time, Time)> {
        known(self.joined(&self.read, source))
    }

    /// Returns the stamps of the oldest and the newest sample of a source, among those whose effect
    /// came with messages.
    ///
    /// # Panics
    /// Panics if there is no source of that number.
    pub fn heard(&self, source: usize) -> Option<(Time, Time)> {
        known(self.joined(&self.heard, source))
    }

    /// Returns the same as `span`, or the newest sample alone if the value is state, which is
    /// needed to resume.
    pub(crate) fn extent(&self, source: usize) -> Option<(Time, Time)> {
        let (oldest, latest) = self.joined(&self.read, source);
        newest((oldest, latest)).map(|newest| (oldest.min(newest), newest))
    }

    /// Returns the stamp of the newest sample of all sources. Messages do not count: which ones a
    /// run received may depend on how fast others were.
    pub fn newest(&self) -> Option<Time> {
        self.read.iter().copied().filter_map(newest).max()
    }

    /// Returns the stamp of the newest sample of all sources, whether it came by values or by
    /// messages.
    pub(crate) fn latest(&self) -> Option<Time> {
        self.read.iter().chain(&self.heard).copied().filter_map(newest).max()
    }

    /// Adds a sample.
    ///
    /// # Panics
    /// Panics if there is no source of that number.
    pub fn include(&mut self, source: usize, stamp: Time) {
        join(&mut self.read[source], (stamp, stamp));
    }

    /// Removes the ages of what derives from this, as if it were state.
    pub(crate) fn forget_ages(&mut self) {
        let spans = self.read.iter_mut().chain(&mut self.heard);
        spans.filter(|span| **span != NONE).for_each(|span| *span = without_oldest(*span));
    }

    /// Adds all samples of `other`, the provenance of a value.
    pub fn merge(&mut self, other: &Self) {
        self.read.iter_mut().zip(&other.read).for_each(|(mine, &theirs)| join(mine, theirs));
        self.heard.iter_mut().zip(&other.heard).for_each(|(mine, &theirs)| join(mine, theirs));
    }

    /// Adds all samples of `other`, the provenance of a message.
    pub fn hear(&mut self, other: &Self) {
        self.hear_through(other, Entrance::default());
    }

    /// Adds all samples of `other`, the provenance of a message that enters a cycle.
    pub(crate) fn hear_through(&mut self, other: &Self, entrance: Entrance) {
        enter(&mut self.heard, &other.read, self.sources, entrance);
        enter(&mut self.heard, &other.heard, self.sources, entrance);
    }

    /// Becomes `other` as it is after it has entered a cycle, without allocation.
    ///
    /// # Panics
    /// Panics if `other` has a different number of sources.
    pub(crate) fn enter(&mut self, other: &Self, entrance: Entrance) {
        if entrance == Entrance::default() {
            return self.copy_from(other);
        }
        self.clear();
        enter(&mut self.read, &other.read, self.sources, entrance);
        enter(&mut self.heard, &other.heard, self.sources, entrance);
    }

    /// Becomes the extents of `other`, whatever marks they have: this one has no marks.
    pub(crate) fn flatten(&mut self, other: &Self) {
        self.clear();
        let extents = (0..self.sources.min(other.sources)).map(|source| other.extent(source));
        self.read.iter_mut().zip(extents).for_each(|(span, extent)| *span = extent.unwrap_or(NONE));
    }

    /// Copies `other` into this, without allocation.
    ///
    /// # Panics
    /// Panics if `other` has a different number of sources.
    pub fn copy_from(&mut self, other: &Self) {
        self.read.copy_from_slice(&other.read);
        self.heard.copy_from_slice(&other.heard);
    }

    /// Passes all stamps to `word`, four per source.
    pub(crate) fn write_down(&self, mut word: impl FnMut(Time)) {
        for &(oldest, newest) in self.read.iter().chain(&self.heard) {
            word(oldest);
            word(newest);
        }
    }

    /// Reads back the stamps from `word`.
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn at(second: i64) -> Time {
        Time::from_nanoseconds(second * 1_000_000_000)
    }

    /// Odometry has the first mark, the matcher the second, and each reads values that derive from
    /// itself.
    #[test]
    fn the_oldest_sample_is_of_a_way_that_does_not_come_back_to_itself() {
        let shape = Shape { sources: 2, ways: 4 };
        let [odometry, matcher] = [1, 2].map(|mark| Entrance { mark, refuses: true });
        let none = || Provenance::shaped(shape);
        let (mut pose, mut matched) = (none(), none());
        for second in 1..100 {
            let [mut wheels, mut scan, mut imported] = [none(), none(), none()];
            let mut sampled = none();
            sampled.include(0, at(second));
            wheels.enter(&sampled, Entrance { refuses: false, ..odometry });
            sampled.clear();
            sampled.include(1, at(second));
            scan.enter(&sampled, Entrance { refuses: false, ..matcher });
            imported.enter(&matched, odometry);
            pose.clear();
            [&wheels, &imported].iter().for_each(|input| pose.merge(input));
            imported.enter(&pose, matcher);
            matched.clear();
            [&scan, &imported].iter().for_each(|input| matched.merge(input));
            assert_eq!(pose.span(0), Some((at(second), at(second))), "not by the matcher");
            assert_eq!(pose.span(1), Some((at(second - 1), at(second - 1))).filter(|_| second > 1));
            assert_eq!(matched.span(0), Some((at(second), at(second))));
            assert_eq!(pose.newest(), Some(at(second)));
        }
        // When nothing enters any more, what is left is state: its stamp is known, and it has no
        // age.
        let mut state = none();
        state.enter(&pose, matcher);
        let mut back = none();
        back.enter(&state, odometry);
        assert_eq!((back.span(0), back.newest()), (None, Some(at(99))));
        assert_eq!(back.extent(0), Some((at(99), at(99))));
    }

    #[test]
    fn what_gets_no_newer_has_no_age_and_leaves_others_theirs() {
        let mut lost = Provenance::none(2);
        lost.include(0, at(3));
        lost.forget_ages();
        assert_eq!((lost.span(0), lost.span(1), lost.newest()), (None, None, Some(at(3))));
        let mut ball = Provenance::none(2);
        ball.include(1, at(5));
        ball.merge(&lost);
        assert_eq!((ball.span(0), ball.span(1)), (None, Some((at(5), at(5)))));
    }
}
