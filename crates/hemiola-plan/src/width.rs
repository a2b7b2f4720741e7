//! The largest number of tasks of which none waits for another.

use crate::bits::BitMatrix;

/// Computes the width of an order. The largest antichain has as many elements as the fewest chains
/// that cover the order (Dilworth 1950), which is the number of nodes less a maximum matching
/// between "before" and "after" copies of them (Fulkerson 1956).
pub(crate) fn width(reach: &BitMatrix, size: usize) -> usize {
    let mut before_of = vec![None; size];
    let mut matched = 0;
    for start in 0..size {
        let mut tried = vec![false; size];
        if augment(reach, start, &mut tried, &mut before_of) {
            matched += 1;
        }
    }
    size - matched
}

/// Looks for an alternating path from `start` to an unmatched node, depth first without recursion.
fn augment(reach: &BitMatrix, start: usize, tried: &mut [bool], before_of: &mut [Option<usize>]) -> bool {
    // Each level has a "before" node, its untried candidates, and the index of the candidate
    // through which the path goes on.
    let mut path = vec![(start, reach.row(start).collect::<Vec<_>>(), 0)];
    while let Some((_, candidates, chosen)) = path.last_mut() {
        let Some(after) = candidates.pop() else {
            path.pop();
            continue;
        };
        if std::mem::replace(&mut tried[after], true) {
            continue;
        }
        *chosen = after;
        match before_of[after] {
            Some(before) => path.push((before, reach.row(before).collect(), 0)),
            None => {
                for (before, _, after) in path {
                    before_of[after] = Some(before);
                }
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_one_wide_and_forks_as_wide_as_their_branches() {
        assert_eq!(width(&BitMatrix::closure(4, [(0, 1), (1, 2), (2, 3)]), 4), 1);
        assert_eq!(width(&BitMatrix::closure(5, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]), 5), 3);
        assert_eq!(width(&BitMatrix::new(7), 7), 7);
    }

    #[test]
    fn the_widest_set_need_not_lie_on_one_level() {
        // 0 -> 1 -> 2, 3 -> 4 and 5 are apart, so a widest set has one task of each.
        assert_eq!(width(&BitMatrix::closure(6, [(0, 1), (1, 2), (3, 4)]), 6), 3);
    }
}
