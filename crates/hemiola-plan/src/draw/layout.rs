//! Layered layout of a graph, left to right or top to bottom, after Sugiyama, Tagawa and Toda
//! (1981).
//!
//! Four steps: tasks get layers; edges that cross layers get a joint in each; the order within the
//! layers is improved until few edges cross; heights are chosen so that edges run straight.

use std::collections::BTreeMap;

/// The number of sweeps over order and heights, to the right and back.
const SWEEPS: usize = 24;

/// The direction in which edges lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Right,
    Down,
}

/// A graph to lay out.
pub(super) struct Request<'a> {
    /// The size of each node, (width, height).
    pub(super) sizes: &'a [(f64, f64)],
    /// The edges, each with its weight: how important it is that it is straight. They form no
    /// circle.
    pub(super) edges: &'a [(usize, usize, f64)],
    /// An order in which every node follows its predecessors.
    pub(super) order: &'a [usize],
    /// The gaps between layers, between the nodes of a layer, and between the edges that pass it.
    pub(super) gaps: (f64, f64, f64),
}

/// The positions of all nodes and edges, from (0, 0).
pub(super) struct Layout {
    /// The left upper corner of each node.
    pub(super) nodes: Vec<(f64, f64)>,
    /// The points at which each edge of the request enters and leaves the columns that it passes.
    pub(super) edges: Vec<Vec<(f64, f64)>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A node or a joint of a long edge.
struct Item {
    layer: usize,
    height: f64,
    is_joint: bool,
    /// Neighbours in the layer to the left and to the right, with weights.
    left: Vec<(usize, f64)>,
    right: Vec<(usize, f64)>,
}

/// Lays out a graph so that its edges lead in one direction.
pub(super) fn layout(request: &Request, flow: Flow) -> Layout {
    if flow == Flow::Right {
        return to_the_right(request);
    }
    // A picture that flows down is one that flows to the right with the axes swapped.
    let swap = |(x, y): (f64, f64)| (y, x);
    let sizes: Vec<_> = request.sizes.iter().copied().map(swap).collect();
    let mirrored = to_the_right(&Request { sizes: &sizes, ..*request });
    Layout {
        nodes: mirrored.nodes.into_iter().map(swap).collect(),
        edges: mirrored.edges.into_iter().map(|points| points.into_iter().map(swap).collect()).collect(),
        width: mirrored.height,
        height: mirrored.width,
    }
}

fn to_the_right(request: &Request) -> Layout {
    let nodes = request.sizes.len();
    if nodes == 0 {
        return Layout { nodes: Vec::new(), edges: Vec::new(), width: 0.0, height: 0.0 };
    }
    let layer_of = layers(nodes, request.edges, request.order);
    let (items, joints) = with_joints(request, &layer_of);
    let mut columns = vec![Vec::new(); layer_of.iter().max().map_or(0, |last| last + 1)];
    // Depth first from the first layer, so that neighbours start out beside each other.
    let mut seen = vec![false; items.len()];
    for root in 0..items.len() {
        let mut stack = vec![root];
        while items[root].left.is_empty()
            && let Some(item) = stack.pop()
        {
            if !std::mem::replace(&mut seen[item], true) {
                columns[items[item].layer].push(item);
                stack.extend(items[item].right.iter().rev().map(|&(next, _)| next));
            }
        }
    }
    untangle(&items, &mut columns);
    let (_, node_gap, edge_gap) = request.gaps;
    let centres = heights(&items, &columns, node_gap, edge_gap);

    let column_width = |column: &Vec<usize>| {
        column.iter().filter(|&&item| item < nodes).map(|&item| request.sizes[item].0).fold(0.0, f64::max)
    };
    let mut left = vec![0.0];
    for column in &columns {
        left.push(left[left.len() - 1] + column_width(column) + request.gaps.0);
    }
    let top = (0..items.len()).map(|item| centres[item] - items[item].height / 2.0).fold(f64::MAX, f64::min);
    let bottom = (0..items.len()).map(|item| centres[item] + items[item].height / 2.0).fold(f64::MIN, f64::max);
    let corner = |node: usize| {
        let column = layer_of[node];
        let slack = left[column + 1] - left[column] - request.gaps.0 - request.sizes[node].0;
        (left[column] + slack / 2.0, centres[node] - items[node].height / 2.0 - top)
    };
    let edges = request.edges.iter().zip(&joints).map(|(&(from, to, _), joints)| {
        let mut points = vec![(corner(from).0 + request.sizes[from].0, centres[from] - top)];
        for &joint in joints {
            let column = items[joint].layer;
            let y = centres[joint] - top;
            points.extend([(left[column], y), (left[column + 1] - request.gaps.0, y)]);
        }
        points.push((corner(to).0, centres[to] - top));
        points
    });
    Layout {
        edges: edges.collect(),
        nodes: (0..nodes).map(corner).collect(),
        width: left[left.len() - 1] - request.gaps.0,
        height: bottom - top,
    }
}

/// Puts every node as far left as its predecessors allow, then moves it right where that shortens
/// more edges than it stretches.
fn layers(nodes: usize, edges: &[(usize, usize, f64)], order: &[usize]) -> Vec<usize> {
    let mut incoming = vec![Vec::new(); nodes];
    let mut outgoing = vec![Vec::new(); nodes];
    for &(from, to, _) in edges {
        outgoing[from].push(to);
        incoming[to].push(from);
    }
    let mut layer = vec![0; nodes];
    for &node in order {
        layer[node] = incoming[node].iter().map(|&before| layer[before] + 1).max().unwrap_or(0);
    }
    for _ in 0..3 {
        for &node in order.iter().rev() {
            if outgoing[node].len() > incoming[node].len() {
                let latest = outgoing[node].iter().map(|&after| layer[after] - 1).min().unwrap_or(layer[node]);
                layer[node] = layer[node].max(latest);
            }
        }
    }
    layer
}

/// Returns the items, first the nodes under their own numbers, then the joints; and the joints of
/// every edge from left to right.
fn with_joints(request: &Request, layer_of: &[usize]) -> (Vec<Item>, Vec<Vec<usize>>) {
    let item = |layer, height, is_joint| Item { layer, height, is_joint, left: Vec::new(), right: Vec::new() };
    let mut items: Vec<Item> =
        layer_of.iter().zip(request.sizes).map(|(&layer, &(_, height))| item(layer, height, false)).collect();
    // Edges that leave the same node share their joints: they run together and part late.
    let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut joints = Vec::with_capacity(request.edges.len());
    for &(from, to, weight) in request.edges {
        let mut passed = Vec::new();
        let mut before = from;
        for layer in layer_of[from] + 1..layer_of[to] {
            let joint = *shared.entry((from, layer)).or_insert_with(|| {
                items.push(item(layer, 0.0, true));
                items.len() - 1
            });
            connect(&mut items, before, joint, weight * 3.0);
            passed.push(joint);
            before = joint;
        }
        connect(&mut items, before, to, weight);
        joints.push(passed);
    }
    (items, joints)
}

fn connect(items: &mut [Item], from: usize, to: usize, weight: f64) {
    if let Some((_, existing)) = items[from].right.iter_mut().find(|(next, _)| *next == to) {
        *existing = existing.max(weight);
        return;
    }
    items[from].right.push((to, weight));
    items[to].left.push((from, weight));
}

/// Sorts every column by the mean position of its neighbours, to and fro, and keeps the order with
/// the fewest crossings.
fn untangle(items: &[Item], columns: &mut Vec<Vec<usize>>) {
    let mut best = (crossings(items, columns), columns.clone());
    let mut position = vec![0.0; items.len()];
    for sweep in 0..SWEEPS {
        let rightwards = sweep % 2 == 0;
        let number = columns.len();
        for step in 0..number {
            let column = if rightwards { step } else { number - 1 - step };
            columns
                .iter()
                .for_each(|column| column.iter().enumerate().for_each(|(at, &item)| position[item] = at as f64));
            let mean = |item: usize| {
                let neighbours = if rightwards { &items[item].left } else { &items[item].right };
                let sum: f64 = neighbours.iter().map(|&(other, _)| position[other]).sum();
                if neighbours.is_empty() { position[item] } else { sum / neighbours.len() as f64 }
            };
            let means: BTreeMap<usize, f64> = columns[column].iter().map(|&item| (item, mean(item))).collect();
            columns[column].sort_by(|one, other| means[one].total_cmp(&means[other]));
        }
        swap_neighbours(items, columns);
        let count = crossings(items, columns);
        if count < best.0 {
            best = (count, columns.clone());
        }
    }
    *columns = best.1;
}

/// Swaps items above each other as long as that removes crossings.
fn swap_neighbours(items: &[Item], columns: &mut [Vec<usize>]) {
    let mut position = vec![0; items.len()];
    columns.iter().for_each(|column| column.iter().enumerate().for_each(|(at, &item)| position[item] = at));
    for column in columns {
        let mut improved = true;
        while std::mem::take(&mut improved) {
            for upper in 0..column.len().saturating_sub(1) {
                let (one, other) = (column[upper], column[upper + 1]);
                let count = |above: usize, below: usize| {
                    pair_crossings(&items[above].left, &items[below].left, &position)
                        + pair_crossings(&items[above].right, &items[below].right, &position)
                };
                if count(other, one) < count(one, other) {
                    column.swap(upper, upper + 1);
                    position.swap(one, other);
                    improved = true;
                }
            }
        }
    }
}

/// Counts crossings between the edges of two items of which the first is above the second.
fn pair_crossings(above: &[(usize, f64)], below: &[(usize, f64)], position: &[usize]) -> usize {
    above.iter().map(|&(one, _)| below.iter().filter(|&&(other, _)| position[other] < position[one]).count()).sum()
}

fn crossings(items: &[Item], columns: &[Vec<usize>]) -> usize {
    let mut position = vec![0; items.len()];
    columns.iter().for_each(|column| column.iter().enumerate().for_each(|(at, &item)| position[item] = at));
    let in_column = |column: &Vec<usize>| -> usize {
        (0..column.len())
            .flat_map(|above| (above + 1..column.len()).map(move |below| (above, below)))
            .map(|(above, below)| pair_crossings(&items[column[above]].right, &items[column[below]].right, &position))
            .sum()
    };
    columns.iter().map(in_column).sum()
}

/// Computes the vertical centre of every item: near its neighbours, in order, and not too close to
/// each other.
fn heights(items: &[Item], columns: &[Vec<usize>], node_gap: f64, edge_gap: f64) -> Vec<f64> {
    let gap =
        |above: usize, below: usize| if items[above].is_joint && items[below].is_joint { edge_gap } else { node_gap };
    let distance = |above: usize, below: usize| (items[above].height + items[below].height) / 2.0 + gap(above, below);
    let mut centres = vec![0.0; items.len()];
    for column in columns {
        for pair in column.windows(2) {
            centres[pair[1]] = centres[pair[0]] + distance(pair[0], pair[1]);
        }
        // All columns begin around a common middle.
        let middle = column.last().map_or(0.0, |&last| centres[last]) / 2.0;
        column.iter().for_each(|&item| centres[item] -= middle);
    }
    for sweep in 0..SWEEPS * 2 {
        let step = |step: usize| if sweep % 2 == 0 { step } else { columns.len() - 1 - step };
        for column in (0..columns.len()).map(|index| &columns[step(index)]) {
            let mut offset = 0.0;
            let mut wishes = Vec::with_capacity(column.len());
            for (index, &item) in column.iter().enumerate() {
                if index > 0 {
                    offset += distance(column[index - 1], item);
                }
                let neighbours = || items[item].left.iter().chain(&items[item].right);
                let weight: f64 = neighbours().map(|&(_, weight)| weight).sum();
                let mean = neighbours().map(|&(other, weight)| centres[other] * weight).sum::<f64>() / weight;
                wishes.push(if weight > 0.0 {
                    (mean - offset, weight, offset)
                } else {
                    (centres[item] - offset, 0.1, offset)
                });
            }
            for (&item, (height, offset)) in column.iter().zip(in_order(&wishes)) {
                centres[item] = height + offset;
            }
        }
    }
    centres
}

/// Returns the non-decreasing values nearest to weighted wishes in the sense of least squares (pool
/// adjacent violators; Ayer, Brunk, Ewing, Reid, Silverman 1955), each with the offset that came
/// with the wish.
fn in_order(wishes: &[(f64, f64, f64)]) -> Vec<(f64, f64)> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new(); // mean, weight, members
    for &(wish, weight, _) in wishes {
        let mut pool = (wish, weight, 1);
        while let Some(&(mean, weight, members)) = pools.last()
            && mean > pool.0
        {
            pools.pop();
            let total = weight + pool.1;
            pool = ((mean * weight + pool.0 * pool.1) / total, total, members + pool.2);
        }
        pools.push(pool);
    }
    let values = pools.iter().flat_map(|&(mean, _, members)| std::iter::repeat_n(mean, members));
    values.zip(wishes).map(|(value, &(_, _, offset))| (value, offset)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(count: usize, edges: &[(usize, usize)]) -> Layout {
        let sizes = vec![(100.0, 30.0); count];
        let edges: Vec<_> = edges.iter().map(|&(from, to)| (from, to, 1.0)).collect();
        let order: Vec<_> = (0..count).collect();
        layout(&Request { sizes: &sizes, edges: &edges, order: &order, gaps: (50.0, 10.0, 5.0) }, Flow::Right)
    }

    #[test]
    fn readers_stand_right_of_their_providers() {
        let edges = [(0, 1), (1, 2), (0, 2), (2, 3)];
        let layout = boxes(4, &edges);
        for (from, to) in edges {
            assert!(layout.nodes[from].0 + 100.0 < layout.nodes[to].0);
        }
    }

    #[test]
    fn boxes_do_not_overlap_and_lie_inside_the_picture() {
        let edges: Vec<_> = (1..30).map(|node| (node / 3, node)).collect();
        let layout = boxes(30, &edges);
        for one in 0..30 {
            let (x, y) = layout.nodes[one];
            assert!(x >= 0.0 && y >= -1e-9 && x + 100.0 <= layout.width + 1e-9 && y + 30.0 <= layout.height + 1e-9);
            for other in 0..one {
                let apart = (layout.nodes[other].0 - x).abs() >= 100.0 || (layout.nodes[other].1 - y).abs() >= 30.0;
                assert!(apart, "{one} and {other}");
            }
        }
    }

    #[test]
    fn downwards_is_the_mirror_image_of_rightwards() {
        let (sizes, edges) = ([(100.0, 30.0), (60.0, 30.0)], [(0, 1, 1.0)]);
        let request = Request { sizes: &sizes, edges: &edges, order: &[0, 1], gaps: (20.0, 10.0, 5.0) };
        let down = layout(&request, Flow::Down);
        assert_eq!((down.width, down.height), (100.0, 80.0));
        assert_eq!(down.nodes, [(0.0, 0.0), (20.0, 50.0)]);
        assert_eq!(down.edges, [vec![(50.0, 30.0), (50.0, 50.0)]]);
    }

    #[test]
    fn a_chain_is_straight() {
        let layout = boxes(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        assert!(layout.nodes.iter().all(|&(_, y)| y.abs() < 1e-9));
    }

    #[test]
    fn edges_that_can_be_untangled_are() {
        // These are two chains whose ends come in the other order.
        let layout = boxes(6, &[(0, 3), (1, 2), (2, 4), (3, 5)]);
        assert_eq!(layout.nodes[0].1 < layout.nodes[1].1, layout.nodes[5].1 < layout.nodes[4].1);
    }

    #[test]
    fn values_in_order_are_the_means_of_what_was_out_of_order() {
        let values: Vec<f64> =
            in_order(&[(1.0, 1.0, 0.0), (5.0, 1.0, 0.0), (3.0, 3.0, 0.0)]).iter().map(|value| value.0).collect();
        assert_eq!(values, [1.0, 3.5, 3.5]);
    }
}
