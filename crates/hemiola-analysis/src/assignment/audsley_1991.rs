//! Optimal priority assignment: finds an order in which everything passes a test, if there is one.
//!
//! - **Model.** A test decides whether something meets its deadline, given what has a higher
//!   priority. It must not depend on the order of what is higher, nor on what is lower, and must
//!   not fail because something higher became lower (Davis and Burns 2011).
//! - **Algorithm.** Find anything that passes the test at the lowest priority, then repeat with the
//!   rest.
//! - **Complexity.** A quadratic number of tests.
//! - **Source.** Audsley 1991.

/// Returns the numbers below `count`, the highest priority first, or `None` if no order passes the
/// test.
///
/// ```
/// use hemiola_analysis::assignment::audsley_1991;
/// let cost = [3, 2, 4];
/// let deadline = [9, 2, 6];
/// // All begin at once and run once: what is above delays.
/// let order = audsley_1991::assign(3, |own, above| {
///     cost[own] + above.iter().map(|&other| cost[other]).sum::<u32>() <= deadline[own]
/// });
/// assert_eq!(order, Some(vec![1, 2, 0]));
/// ```
pub fn assign(count: usize, mut meets_deadline: impl FnMut(usize, &[usize]) -> bool) -> Option<Vec<usize>> {
    let mut above: Vec<usize> = (0..count).collect();
    let mut upwards = Vec::with_capacity(count);
    while !above.is_empty() {
        // If several could be lowest, the last one is chosen, so that the order stays as it was
        // where it can.
        let lowest = (0..above.len()).rev().find(|&place| {
            let mut others = above.clone();
            let own = others.remove(place);
            meets_deadline(own, &others)
        })?;
        upwards.push(above.remove(lowest));
    }
    upwards.reverse();
    Some(upwards)
}
