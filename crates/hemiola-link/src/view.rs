//! The statistics of all links, in a form that can be shown while the robot runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::statistics::LinkStatistics;
use crate::tally::Tally;

/// A view of the links of a robot, in which their statistics can be read while the robot runs.
/// Clones show the same links, and the default view shows none.
///
/// ```
/// use hemiola_link::LinksView;
///
/// let without_links = LinksView::default();
/// assert!(without_links.statistics().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinksView(Vec<Shown>);

/// The statistics of links of one thread, which writes them.
#[derive(Clone, Debug, Default)]
struct Shown(Arc<Mutex<Vec<LinkStatistics>>>);

impl LinksView {
    /// Creates a view of another carrier that is shown like a link, with its first statistics.
    ///
    /// ```
    /// use hemiola_link::{LinkStatistics, LinksView};
    ///
    /// let mut first = LinkStatistics::default();
    /// first.name = "ros2".to_owned();
    /// let view = LinksView::of(first);
    /// view.show(&LinkStatistics::default());
    /// assert_eq!(view.statistics(), [LinkStatistics::default()]);
    /// ```
    pub fn of(statistics: LinkStatistics) -> Self {
        Self::of_links(std::iter::once(statistics))
    }

    /// Creates a view of links that have these statistics so far.
    pub(crate) fn of_links(links: impl Iterator<Item = LinkStatistics>) -> Self {
        Self(vec![Shown(Arc::new(Mutex::new(links.collect())))])
    }

    /// Returns a view of these links, followed by those of another view.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Returns the statistics of each link, in the order of the configuration.
    pub fn statistics(&self) -> Vec<LinkStatistics> {
        self.0.iter().flat_map(|shown| shown.lock().clone()).collect()
    }

    /// Shows new statistics in a view that was created by [`of`](Self::of).
    pub fn show(&self, statistics: &LinkStatistics) {
        let Some(shown) = self.0.first() else { return };
        if let Some(shown) = shown.lock().first_mut()
            && shown != statistics
        {
            shown.clone_from(statistics);
        }
    }

    /// Shows the current statistics of one link, in a view of the links of one thread.
    pub(crate) fn update(&self, link: usize, now: &mut Tally) {
        let Some(shown) = self.0.first() else { return };
        if let Some(shown) = shown.lock().get_mut(link) {
            now.show(shown);
        }
    }

    /// Shows the current statistics of one link as [`update`](Self::update) does, unless somebody
    /// reads them at this moment. Returns whether it has.
    pub(crate) fn update_at_once(&self, link: usize, now: &mut Tally) -> bool {
        let shown = self.0.first().and_then(|shown| shown.0.try_lock().ok());
        let Some(mut shown) = shown else { return false };
        shown.get_mut(link).into_iter().for_each(|shown| now.show(shown));
        true
    }
}

impl Shown {
    fn lock(&self) -> MutexGuard<'_, Vec<LinkStatistics>> {
        // The statistics are consistent even if another thread has panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
