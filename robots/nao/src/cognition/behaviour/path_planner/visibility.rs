//! Shortest paths among circles.

use std::f32::consts::TAU;

use glam::Vec2;

/// The number of corners of the polygon around a circle.
const CORNERS: u16 = 10;
/// The radius below which circles are ignored, in metres.
const SMALLEST_RADIUS: f32 = 0.02;

/// An area that must not be entered.
#[derive(Clone, Copy, Debug)]
pub struct Circle {
    /// The centre.
    pub center: Vec2,
    /// The radius in metres; negative for none.
    pub radius: f32,
}

impl Circle {
    /// Returns whether the line between two points touches the circle.
    fn blocks(&self, from: Vec2, to: Vec2) -> bool {
        let way = to - from;
        let part = (self.center - from).dot(way) / way.length_squared().max(f32::MIN_POSITIVE);
        let nearest = from + way * part.clamp(0.0, 1.0);
        nearest.distance_squared(self.center) < self.radius * self.radius
    }
}

/// A visibility graph over polygons around the circles (Lozano-Pérez, Wesley: An Algorithm for
/// Planning Collision-Free Paths Among Polyhedral Obstacles, 1979), searched with A* (Hart,
/// Nilsson, Raphael 1968).
///
/// The visibility of two corners is only computed when the search needs it, which is rare. A search
/// is at most quadratic in the corners and linear in the circles: well below a millisecond for ten
/// circles. Memory is kept between searches.
#[derive(Debug, Default)]
pub struct VisibilityGraph {
    circles: Vec<Circle>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    place: Vec2,
    /// The length of the shortest path to this node; infinite while there is none.
    length: f32,
    /// The previous node on that path.
    before: usize,
    is_done: bool,
}

const START: usize = 0;
const GOAL: usize = 1;

impl VisibilityGraph {
    /// Removes all circles.
    pub fn clear(&mut self) {
        self.circles.clear();
    }

    /// Adds a circle.
    pub fn add(&mut self, circle: Circle) {
        if circle.radius >= SMALLEST_RADIUS {
            self.circles.push(circle);
        }
    }

    /// Fills `corners` with the path from `start` to `goal`, both included; leaves it empty when
    /// there is none.
    pub fn shortest_way(&mut self, start: Vec2, goal: Vec2, corners: &mut Vec<Vec2>) {
        corners.clear();
        if self.is_free(start, goal) {
            corners.extend([start, goal]);
            return;
        }
        self.place_nodes(start, goal);
        while let Some(current) = self.most_promising() {
            if current == GOAL {
                self.trace_back(corners);
                return;
            }
            self.nodes[current].is_done = true;
            let Node { place, length, .. } = self.nodes[current];
            for next in GOAL..self.nodes.len() {
                let Node { place: next_place, length: known, is_done, .. } = self.nodes[next];
                let through = length + place.distance(next_place);
                if !is_done && through < known && self.is_free(place, next_place) {
                    (self.nodes[next].length, self.nodes[next].before) = (through, current);
                }
            }
        }
    }

    fn place_nodes(&mut self, start: Vec2, goal: Vec2) {
        let node = |place| Node { place, length: f32::INFINITY, before: START, is_done: false };
        self.nodes.clear();
        self.nodes.push(Node { length: 0.0, ..node(start) });
        self.nodes.push(node(goal));
        for circle in &self.circles {
            // The polygon's sides touch the circle, with a small margin, so that they do not enter
            // it by rounding.
            let radius = circle.radius / (TAU / 2.0 / f32::from(CORNERS)).cos() + 0.002;
            for index in 0..CORNERS {
                let place = circle.center + Vec2::from_angle(f32::from(index) / f32::from(CORNERS) * TAU) * radius;
                if self.is_free(place, place) {
                    self.nodes.push(node(place));
                }
            }
        }
    }

    /// Returns the reached node from which the goal could be nearest.
    fn most_promising(&self) -> Option<usize> {
        let goal = self.nodes[GOAL].place;
        let open = self.nodes.iter().enumerate().filter(|(_, node)| !node.is_done && node.length.is_finite());
        let promised = open.map(|(index, node)| (index, node.length + node.place.distance(goal)));
        promised.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    }

    fn trace_back(&self, corners: &mut Vec<Vec2>) {
        let mut index = GOAL;
        while index != START {
            corners.push(self.nodes[index].place);
            index = self.nodes[index].before;
        }
        corners.push(self.nodes[START].place);
        corners.reverse();
    }

    fn is_free(&self, from: Vec2, to: Vec2) -> bool {
        !self.circles.iter().any(|circle| circle.blocks(from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec2> {
        (-4.0f32..4.0, -3.0f32..3.0).prop_map(Vec2::from)
    }

    fn circle() -> impl Strategy<Value = Circle> {
        (point(), 0.1f32..0.8).prop_map(|(center, radius)| Circle { center, radius })
    }

    proptest! {
        #[test]
        fn a_way_begins_and_ends_where_it_should_and_never_enters_a_circle(
            circles in proptest::collection::vec(circle(), 0..10), start in point(), goal in point()
        ) {
            let contains = |point: Vec2| circles.iter().any(|circle| circle.center.distance(point) < circle.radius + 0.01);
            prop_assume!(!contains(start) && !contains(goal));
            let mut graph = VisibilityGraph::default();
            circles.iter().for_each(|circle| graph.add(*circle));
            let mut corners = Vec::new();
            graph.shortest_way(start, goal, &mut corners);
            if !corners.is_empty() {
                prop_assert_eq!((corners[0], *corners.last().unwrap()), (start, goal));
            }
            for pair in corners.windows(2) {
                for part in 0..=50_u8 {
                    let place = pair[0].lerp(pair[1], f32::from(part) / 50.0);
                    for circle in &circles {
                        prop_assert!(place.distance(circle.center) > circle.radius - 1e-4, "{place} in {circle:?}");
                    }
                }
            }
        }

        #[test]
        fn a_single_circle_is_passed_on_nearly_the_shortest_way(radius in 0.1f32..1.5, offset in -1.0f32..1.0) {
            let circle = Circle { center: Vec2::new(0.0, offset * radius * 0.9), radius };
            let mut graph = VisibilityGraph::default();
            graph.add(circle);
            let (start, goal) = (Vec2::new(-2.0, 0.0), Vec2::new(2.0, 0.0));
            let mut corners = Vec::new();
            graph.shortest_way(start, goal, &mut corners);
            let length: f32 = corners.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
            prop_assert!(corners.len() > 2);
            prop_assert!(length < around(&circle, start, goal) * 1.06, "{length} {corners:?}");
        }
    }

    /// Returns the exact path around the nearer side: two tangents and the arc between them.
    fn around(circle: &Circle, start: Vec2, goal: Vec2) -> f32 {
        let ways = [start, goal].map(|point| point - circle.center);
        let tangents = ways.map(|way| (way.length_squared() - circle.radius * circle.radius).sqrt());
        let free = ways.map(|way| (circle.radius / way.length()).acos());
        let between = ways[0].angle_to(ways[1]).abs();
        tangents[0] + tangents[1] + circle.radius * (between - free[0] - free[1]).max(0.0)
    }

    #[test]
    fn a_start_that_is_walled_in_has_no_way() {
        let mut graph = VisibilityGraph::default();
        for index in 0..12_u8 {
            let center = Vec2::from_angle(f32::from(index) / 12.0 * TAU);
            graph.add(Circle { center, radius: 0.4 });
        }
        let mut corners = vec![Vec2::ZERO];
        graph.shortest_way(Vec2::ZERO, Vec2::new(3.0, 0.0), &mut corners);
        assert!(corners.is_empty(), "{corners:?}");
    }
}
