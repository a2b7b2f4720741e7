//! The statistics of all links, for whatever shows them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::statistics::LinkStatistics;

/// A view of the links of a robot, for whatever shows them while the robot runs. Clones show the
/// same links, and the default view shows none.
///
/// ```
/// use hemiola_link::LinksView;
///
/// let without_links = LinksView::default();
/// assert!(without_links.statistics().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinksView(Arc<Mutex<Vec<LinkStatistics>>>);

impl LinksView {
    /// Returns a view of links that have these statistics so far.
    pub(crate) fn of(links: impl Iterator<Item = LinkStatistics>) -> Self {
        Self(Arc::new(Mutex::new(links.collect())))
    }

    /// Returns the statistics of each link, in the order of the configuration.
    pub fn statistics(&self) -> Vec<LinkStatistics> {
        self.lock().clone()
    }

    /// Shows what is known of a link by now.
    pub(crate) fn update(&self, link: usize, now: &LinkStatistics) {
        if let Some(shown) = self.lock().get_mut(link) {
            shown.update(now);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LinkStatistics>> {
        // The statistics are consistent even if another thread has panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
