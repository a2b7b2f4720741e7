//! The support polygon: the convex polygon of the touching soles, within which the robot can shift
//! its weight without tipping.

use glam::Vec2;

/// The number of corners of two soles.
const CAPACITY: usize = 16;

/// The convex hull of points on the ground.
#[derive(Clone, Debug, Default)]
pub struct SupportPolygon {
    /// The corners, counter-clockwise. The point that closes the chain needs a place during
    /// construction.
    corners: [Vec2; CAPACITY + 1],
    count: usize,
}

impl SupportPolygon {
    /// Creates the hull of at most 16 points; further points are ignored. Monotone chain (Andrew
    /// 1979), on the stack.
    pub fn around(points: impl IntoIterator<Item = Vec2>) -> Self {
        let mut sorted = [Vec2::ZERO; CAPACITY];
        let mut count = 0;
        for (slot, point) in sorted.iter_mut().zip(points) {
            *slot = point;
            count += 1;
        }
        let sorted = &mut sorted[..count];
        sorted.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));

        let mut hull = Self::default();
        hull.extend(sorted.iter().copied(), 0);
        // The first and the last point are in both halves.
        let lower = hull.count.saturating_sub(1);
        hull.count = lower;
        hull.extend(sorted.iter().rev().copied(), lower);
        hull.count = hull.count.saturating_sub(1);
        hull
    }

    /// Moves the polygon, in metres.
    #[cfg(feature = "game")]
    pub fn shift(&mut self, way: Vec2) {
        for corner in &mut self.corners {
            *corner += way;
        }
    }

    /// Returns the corners, counter-clockwise.
    #[must_use]
    pub fn corners(&self) -> &[Vec2] {
        &self.corners[..self.count]
    }

    /// Returns the point of the polygon (edge and inside) that is nearest to `point`.
    #[must_use]
    pub fn nearest(&self, point: Vec2) -> Vec2 {
        if self.edges().all(|(from, to)| (to - from).perp_dot(point - from) >= 0.0) {
            return point;
        }
        let candidates = self.edges().map(|(from, to)| {
            let way = to - from;
            from + way * ((point - from).dot(way) / way.length_squared()).clamp(0.0, 1.0)
        });
        candidates.min_by(|a, b| a.distance_squared(point).total_cmp(&b.distance_squared(point))).unwrap_or(point)
    }

    /// Returns the corner that lies farthest along `direction`; the origin if there are no corners.
    #[must_use]
    pub fn furthest(&self, direction: Vec2) -> Vec2 {
        let along = |corner: &&Vec2| corner.dot(direction);
        self.corners().iter().max_by(|a, b| along(a).total_cmp(&along(b))).copied().unwrap_or_default()
    }

    fn edges(&self) -> impl Iterator<Item = (Vec2, Vec2)> {
        let corners = self.corners();
        (0..corners.len()).map(|index| (corners[index], corners[(index + 1) % corners.len()]))
    }

    /// Adds points in order and drops those at which the chain, from index `start` on, turns right.
    fn extend(&mut self, points: impl Iterator<Item = Vec2>, start: usize) {
        for point in points {
            while self.count >= start + 2 {
                let [a, b] = [self.corners[self.count - 2], self.corners[self.count - 1]];
                if (b - a).perp_dot(point - b) > 0.0 {
                    break;
                }
                self.count -= 1;
            }
            self.corners[self.count] = point;
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_within_a_square_do_not_change_it() {
        let square = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        let inside = [Vec2::splat(0.5), Vec2::new(0.2, 0.7), Vec2::new(0.5, 0.0)];
        assert_eq!(SupportPolygon::around(square.into_iter().chain(inside)).corners(), square);
    }

    #[test]
    fn the_nearest_point_of_an_outer_point_lies_on_the_edge() {
        let square = SupportPolygon::around([Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y]);
        assert_eq!(square.nearest(Vec2::new(0.4, -2.0)), Vec2::new(0.4, 0.0));
        assert_eq!(square.nearest(Vec2::new(3.0, 3.0)), Vec2::ONE);
        assert_eq!(square.nearest(Vec2::new(0.4, 0.6)), Vec2::new(0.4, 0.6));
    }

    proptest! {
        #[test]
        fn the_hull_contains_every_point_and_is_convex(
            points in proptest::collection::vec((-1.0f32..1.0, -1.0f32..1.0).prop_map(Vec2::from), 3..=CAPACITY)
        ) {
            let hull = SupportPolygon::around(points.iter().copied());
            prop_assert!((2..=points.len()).contains(&hull.corners().len()));
            for point in points {
                prop_assert!(hull.nearest(point).abs_diff_eq(point, 1e-5), "{point} outside {hull:?}");
            }
            for index in 0..hull.count {
                let corner = |offset: usize| hull.corners()[(index + offset) % hull.count];
                prop_assert!((corner(1) - corner(0)).perp_dot(corner(2) - corner(1)) >= 0.0);
            }
        }

        #[test]
        fn a_circle_of_sixteen_points_keeps_all_of_them(turn in 0.0f32..1.0) {
            let points = (0..CAPACITY).map(|index| {
                Vec2::from_angle(turn + index as f32 / CAPACITY as f32 * std::f32::consts::TAU)
            });
            prop_assert_eq!(SupportPolygon::around(points).corners().len(), CAPACITY);
        }
    }
}
