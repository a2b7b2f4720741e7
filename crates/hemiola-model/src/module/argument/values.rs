//! Values that updates read, together with their origin: this run, the previous one, or everything
//! that arrived.
#![expect(unsafe_code, reason = "what an update borrows lives on a blackboard that is shared: see `Argument`")]

use std::fmt;
use std::ops::{Deref, Range};
use std::time::Duration;

use super::{Argument, ArgumentDescriptor, ArgumentKind, Binding};
use crate::module::Context;
use crate::module::cell::View;
use crate::{Representation, Time};

/// The value at the end of the previous run of the cycle; the default value in the first run.
///
/// It imposes no order, so it breaks circular dependencies. It can be read like `&T`.
///
/// ```
/// use hemiola_model::module::Previous;
///
/// // In a unit test of an update:
/// let previous: Previous<f32> = Previous::new(&3.0);
/// assert_eq!(*previous, 3.0);
/// ```
pub struct Previous<'f, T>(&'f T);

impl<'f, T> Previous<'f, T> {
    /// Wraps `value` as the previous one, to test an update by hand.
    pub fn new(value: &'f T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Previous<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

// SAFETY: the description is of T, and `fetch` reads the cell's previous value as a T.
unsafe impl<T: Representation> Argument for Previous<'_, T> {
    type Item<'f> = Previous<'f, T>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of::<T>(ArgumentKind::Uses)
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, _: &'f Context<'f>) -> Previous<'f, T> {
        // SAFETY: the cell holds T by the caller's promise, and `previous` does not change during a
        // run.
        Previous(unsafe { &*binding.cell().previous().value.cast() })
    }
}

/// A value together with the time it derives from. It can be read like `&T`.
///
/// ```
/// use hemiola_model::{Time, module::Fresh};
/// use std::time::Duration;
///
/// let pose = Fresh::new(&7.0_f64, Time::from_seconds(1.0), Time::from_seconds(1.25));
/// assert_eq!((*pose, pose.age(), pose.is_stale()), (7.0, Duration::from_millis(250), false));
/// ```
pub struct Fresh<'f, T> {
    value: &'f T,
    stamp: Time,
    now: Time,
    stale: bool,
}

impl<'f, T> Fresh<'f, T> {
    /// Wraps a value, seen at `now`, whose newest sensor sample was taken at `stamp`.
    pub fn new(value: &'f T, stamp: Time, now: Time) -> Self {
        Self { value, stamp, now, stale: false }
    }

    /// Returns when the newest sensor sample that this value derives from was taken.
    pub fn stamp(&self) -> Time {
        self.stamp
    }

    /// Returns the present age of that sample.
    pub fn age(&self) -> Duration {
        self.now.since(self.stamp)
    }

    /// Returns whether the provider failed in this run, so that this is an older value.
    pub fn is_stale(&self) -> bool {
        self.stale
    }
}

impl<T> Deref for Fresh<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value
    }
}

// SAFETY: the description is of T, and `fetch` reads the cell's current value as a T.
unsafe impl<T: Representation> Argument for Fresh<'_, T> {
    type Item<'f> = Fresh<'f, T>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of::<T>(ArgumentKind::Requires)
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, context: &'f Context<'f>) -> Fresh<'f, T> {
        // SAFETY: the cell holds T by the caller's promise, and `current` does not change while its
        // readers run.
        unsafe { fresh(binding.cell().view(), context.clock().now()) }
    }
}

/// # Safety
/// The view shows a `T` that stays unchanged for `'f`.
unsafe fn fresh<'f, T>(view: View, now: Time) -> Fresh<'f, T> {
    // SAFETY: promised by the caller.
    Fresh { value: unsafe { &*view.value.cast() }, stamp: view.stamp, now, stale: view.stale }
}

/// Everything that arrived since the last run, oldest first: 200 Hz samples in a 30 Hz cycle.
///
/// The queue is bounded (32 values, or what `robot.toml` sets); what does not fit is dropped and
/// counted.
///
/// ```
/// use hemiola_model::module::Samples;
///
/// let samples = Samples::of(&[1.0, 2.0, 4.0]);
/// let mut sum = 0.0;
/// for sample in &samples {
///     sum += *sample;
/// }
/// assert_eq!(sum, 7.0);
/// ```
pub struct Samples<'f, T> {
    from: From<'f, T>,
    now: Time,
}

enum From<'f, T> {
    Cell(&'f [View]),
    Slice(&'f [T]),
}

impl<'f, T> Samples<'f, T> {
    /// Wraps `values` as the samples that arrived, to test an update by hand.
    pub fn of(values: &'f [T]) -> Self {
        Self { from: From::Slice(values), now: Time::ZERO }
    }

    /// Returns how many samples arrived.
    pub fn len(&self) -> usize {
        match self.from {
            From::Cell(views) => views.len(),
            From::Slice(values) => values.len(),
        }
    }

    /// Returns whether no sample arrived.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the samples, oldest first.
    pub fn iter(&self) -> SamplesIter<'_, 'f, T> {
        SamplesIter { samples: self, left: 0..self.len() }
    }

    /// Returns the sample with this index; the oldest one has 0.
    fn at(&self, index: usize) -> Fresh<'f, T> {
        match self.from {
            // SAFETY: `fetch` made this from a cell of T whose collected values stay unchanged for
            // 'f.
            From::Cell(views) => unsafe { fresh(views[index], self.now) },
            From::Slice(values) => Fresh::new(&values[index], self.now, self.now),
        }
    }

    /// Returns the newest sample.
    pub fn last(&self) -> Option<Fresh<'f, T>> {
        self.iter().next_back()
    }
}

/// An iterator over [`Samples`], oldest first.
///
/// ```
/// use hemiola_model::module::Samples;
///
/// let samples = Samples::of(&[1.0, 2.0, 4.0]);
/// let steps: Vec<f32> = samples.iter().zip(samples.iter().skip(1)).map(|(one, next)| *next - *one).collect();
/// assert_eq!(steps, [1.0, 2.0]);
/// ```
pub struct SamplesIter<'s, 'f, T> {
    samples: &'s Samples<'f, T>,
    left: Range<usize>,
}

impl<'f, T> Iterator for SamplesIter<'_, 'f, T> {
    type Item = Fresh<'f, T>;

    fn next(&mut self) -> Option<Fresh<'f, T>> {
        self.left.next().map(|index| self.samples.at(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<T> DoubleEndedIterator for SamplesIter<'_, '_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left.next_back().map(|index| self.samples.at(index))
    }
}

impl<T> ExactSizeIterator for SamplesIter<'_, '_, T> {}

impl<'s, 'f, T> IntoIterator for &'s Samples<'f, T> {
    type Item = Fresh<'f, T>;
    type IntoIter = SamplesIter<'s, 'f, T>;

    fn into_iter(self) -> SamplesIter<'s, 'f, T> {
        self.iter()
    }
}

// SAFETY: the description is of T, and `fetch` reads the cell's collected values as values of T.
unsafe impl<T: Representation> Argument for Samples<'_, T> {
    type Item<'f> = Samples<'f, T>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of::<T>(ArgumentKind::Collects)
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, context: &'f Context<'f>) -> Samples<'f, T> {
        Samples { from: From::Cell(binding.cell().collected()), now: context.clock().now() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Previous<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
