//! The cheapest path over a grid: A* (Hart, Nilsson, Raphael 1968).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cells::Cells;
use super::inflation::LETHAL;

/// The memory of the search, which is kept from one search to the next.
#[derive(Clone, Debug, Default)]
pub struct AStar {
    /// The cost of the cheapest path to each cell so far; valid if the cell's `search` is this one.
    cost: Vec<u64>,
    from: Vec<u32>,
    search: Vec<u32>,
    searches: u32,
    open: BinaryHeap<Reverse<(u64, u32)>>,
}

/// The cost of a step to the side; that of a diagonal one is below. Costs are whole numbers, so
/// that paths of the same length cost the same.
const STRAIGHT: u64 = 10_000;
const DIAGONAL: u64 = 14_142;
const STEPS: [([i64; 2], u64); 8] = [
    ([1, 0], STRAIGHT),
    ([0, 1], STRAIGHT),
    ([-1, 0], STRAIGHT),
    ([0, -1], STRAIGHT),
    ([1, 1], DIAGONAL),
    ([-1, 1], DIAGONAL),
    ([-1, -1], DIAGONAL),
    ([1, -1], DIAGONAL),
];

impl AStar {
    /// Writes the cells of the cheapest path into `path`, from start to goal, and returns whether
    /// there is one. `factor` returns by how much a cell multiplies the cost of a step, at least 1;
    /// `None` is a cell that cannot be entered.
    pub fn search(
        &mut self,
        cells: &Cells,
        start: usize,
        goal: usize,
        factor: impl Fn(usize) -> Option<f64>,
        path: &mut Vec<usize>,
    ) -> bool {
        path.clear();
        self.begin(cells.len());
        let [goal_column, goal_row] = cells.column_row(goal);
        // As if there were no obstacles: never too much, so that the first path found is the best.
        let at_least = |cell: usize| {
            let [column, row] = cells.column_row(cell);
            let (across, along) = ((column - goal_column).unsigned_abs(), (row - goal_row).unsigned_abs());
            STRAIGHT * across.max(along) + (DIAGONAL - STRAIGHT) * across.min(along)
        };
        self.visit(start, start, 0);
        self.open.push(Reverse((at_least(start), start as u32)));
        while let Some(Reverse((total, cell))) = self.open.pop() {
            let cell = cell as usize;
            if cell == goal {
                return self.trace_back(start, goal, path);
            }
            let cost = self.cost[cell];
            if total > cost + at_least(cell) {
                continue; // A cheaper path to it has been found since.
            }
            let [column, row] = cells.column_row(cell);
            for ([across, along], length) in STEPS {
                let Some(next) = cells.index([column + across, row + along]) else { continue };
                let Some(factor) = factor(next) else { continue };
                let next_cost = cost + (length as f64 * factor) as u64;
                if self.search[next] != self.searches || next_cost < self.cost[next] {
                    self.visit(next, cell, next_cost);
                    self.open.push(Reverse((next_cost + at_least(next), next as u32)));
                }
            }
        }
        false
    }

    fn begin(&mut self, count: usize) {
        if self.search.len() != count || self.searches == u32::MAX {
            self.searches = 0;
            self.search.clear();
            self.search.resize(count, 0);
            self.cost.resize(count, 0);
            self.from.resize(count, 0);
        }
        self.searches += 1;
        self.open.clear();
    }

    fn visit(&mut self, cell: usize, from: usize, cost: u64) {
        (self.search[cell], self.from[cell], self.cost[cell]) = (self.searches, from as u32, cost);
    }

    fn trace_back(&self, start: usize, goal: usize, path: &mut Vec<usize>) -> bool {
        let mut cell = goal;
        path.push(cell);
        while cell != start {
            cell = self.from[cell] as usize;
            path.push(cell);
        }
        path.reverse();
        true
    }
}

/// Returns the factor of each cell for paths from a start: near obstacles it rises by up to
/// `dislike`. It is `None` where the robot would touch something, except near a start that is
/// already so near, so that the robot can leave.
pub fn factor(cells: &Cells, costs: &[u8], start: usize, dislike: f64, leave: f64) -> impl Fn(usize) -> Option<f64> {
    let [column, row] = cells.column_row(start);
    let leave = (leave / cells.resolution).ceil() as i64;
    move |cell| {
        let cost = costs[cell];
        let [at_column, at_row] = cells.column_row(cell);
        let is_leaving = (at_column - column).abs() <= leave && (at_row - row).abs() <= leave;
        (cost < LETHAL || is_leaving).then(|| 1.0 + dislike * f64::from(cost) / f64::from(LETHAL))
    }
}

#[cfg(test)]
mod tests;
