//! The pose at which a scan fits a map: correlative scan matching (Olson: Real-Time Correlative
//! Scan Matching, ICRA 2009).
//!
//! Every pose in a window around the one that odometry predicts is scored by the distances of the
//! ends of the rays from the obstacles on the map, so that no local optimum is taken for the best
//! pose. It is fast because blocks of poses are scored first, with a map in which each cell has the
//! maximum of all cells that the block reaches: no pose of a block scores better than its block.

use hemiola_ros::nav_msgs::OccupancyGrid;

use super::cells::{Cells, Stamp};
use super::inflation::OCCUPIED;
use crate::geometry::{Pose2, normalize_angle};

/// The number of positions per side of a block.
const BLOCK: usize = 8;
/// The number of cells and angles on each side of the best pose from which its uncertainty is
/// computed.
const AROUND: i64 = 2;
/// The likelihood that a ray ends far from obstacles on the map, relative to an end on a wall.
const STRAY: f64 = 0.05;

/// The window of poses that are searched.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The maximum distance from the predicted position, along x and y, in metres.
    pub way: f64,
    /// The maximum difference from the predicted heading, in radians.
    pub turn: f64,
    /// The step between two headings, in radians.
    pub turn_step: f64,
    /// The standard deviation of the predicted position, in metres.
    pub way_deviation: f64,
    /// The standard deviation of the predicted heading, in radians.
    pub turn_deviation: f64,
    /// The weight of each ray as an independent measurement: the errors of neighbours correlate.
    pub weight: f64,
}

/// The pose at which a scan fits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Match {
    /// The most likely pose, finer than the cells.
    pub pose: Pose2,
    /// Variances and covariances of x, y and heading.
    pub covariance: [[f64; 3]; 3],
    /// The quality, from 0, as for a random scan, to 1, with all points on walls.
    pub quality: f64,
}

/// A map that is prepared for matching, and the memory of the search.
#[derive(Clone, Debug, Default)]
pub struct ScanMatcher {
    cells: Cells,
    /// The log likelihood that a ray ends in a cell: 0 where nothing is near, 255 on a wall.
    field: Vec<u8>,
    /// The maximum of the block of cells that begins at each cell.
    best: Vec<u8>,
    rows: Vec<u8>,
    stamp: Stamp,
    /// The standard deviation of the distance between the end of a ray and its obstacle, in metres.
    deviation: f64,
    /// The cells of the scan's points, for each heading.
    turned: Vec<usize>,
    blocks: Vec<Block>,
}

/// Poses with the same heading.
#[derive(Clone, Copy, Debug)]
struct Block {
    bound: u32,
    heading: i64,
    column: i64,
    row: i64,
}

impl ScanMatcher {
    /// Prepares the part of a map within `reach` metres of a point; `deviation` is that of the ends
    /// of rays, in metres. The cells are half as large as those of the map.
    pub fn prepare(&mut self, map: &OccupancyGrid, around: [f64; 2], reach: f64, deviation: f64) {
        let source = Cells::of(&map.info);
        let resolution = source.resolution / 2.0;
        let side = (2.0 * reach / resolution).ceil() as usize + 2 * BLOCK;
        // The centre of a cell of the map is the centre of one here, too: otherwise all matches
        // would be shifted to one side.
        let corner = |axis: usize| {
            let steps = ((around[axis] - reach - source.origin[axis]) / resolution).floor() + 0.5;
            source.origin[axis] + steps * resolution
        };
        let corner = [corner(0), corner(1)];
        if (self.deviation, self.cells.resolution) != (deviation, resolution) {
            let worst = STRAY.ln();
            self.stamp = Stamp::new(3.0 * deviation, resolution, |distance| {
                let near = (-0.5 * (distance / deviation).powi(2)).exp();
                (255.0 * (1.0 - (STRAY + (1.0 - STRAY) * near).ln() / worst)).round() as u8
            });
            self.deviation = deviation;
        }
        self.cells = Cells { origin: corner, resolution, width: side, height: side };
        self.field.clear();
        self.field.resize(side * side, 0);
        let far = [corner[0] + side as f64 * resolution, corner[1] + side as f64 * resolution];
        let ([first, low], [last, high]) = (source.place(corner), source.place(far));
        for row in low.max(0)..=high.min(source.height as i64 - 1) {
            for column in first.max(0)..=last.min(source.width as i64 - 1) {
                let Some(cell) = source.index([column, row]) else { continue };
                if map.data.get(cell).is_some_and(|occupied| *occupied > OCCUPIED) {
                    self.stamp.press(&self.cells, &mut self.field, self.cells.place(source.middle(cell)));
                }
            }
        }
        self.find_best();
    }

    /// Computes the maxima, first along rows, then along columns.
    fn find_best(&mut self) {
        let width = self.cells.width;
        self.rows.clone_from(&self.field);
        for step in 1..BLOCK {
            raise(&mut self.rows, &self.field[step..]);
        }
        self.best.clone_from(&self.rows);
        for step in 1..BLOCK {
            raise(&mut self.best, &self.rows[step * width..]);
        }
    }

    /// Finds the most likely pose of a scan with these points, which are within reach of the
    /// prepared map; `None` without points or map.
    pub fn search(&mut self, points: &[[f64; 2]], predicted: Pose2, window: &Window) -> Option<Match> {
        if points.is_empty() || self.field.is_empty() {
            return None;
        }
        let cell = self.cells.resolution;
        let shifts = (window.way / cell).round() as i64;
        let headings = (window.turn / window.turn_step).round() as i64;
        self.turn(points, predicted, headings + AROUND, shifts + AROUND, window.turn_step);
        let prior = |[column, row, heading]: [i64; 3]| {
            let way = (column as f64).hypot(row as f64) * cell / window.way_deviation;
            let turn = heading as f64 * window.turn_step / window.turn_deviation;
            -0.5 * (way * way + turn * turn)
        };
        // Converts the sum of values to a log likelihood.
        let scale = -STRAY.ln() / 255.0 * window.weight;
        let count = points.len();
        let scan = |turned: &[usize], heading: i64| {
            let first = (heading + headings + AROUND) as usize * count;
            first..first + count.min(turned.len() - first)
        };

        self.blocks.clear();
        for heading in -headings..=headings {
            let turned = &self.turned[scan(&self.turned, heading)];
            for row in (-shifts..=shifts).step_by(BLOCK) {
                for column in (-shifts..=shifts).step_by(BLOCK) {
                    let bound = sum(&self.best, turned, self.offset(column, row));
                    self.blocks.push(Block { bound, heading, column, row });
                }
            }
        }
        self.blocks.sort_unstable_by_key(|block| (u32::MAX - block.bound, block.heading, block.row, block.column));
        let (mut best, mut likelihood) = ([0; 3], f64::NEG_INFINITY);
        for block in &self.blocks {
            if f64::from(block.bound) * scale <= likelihood {
                break;
            }
            let turned = &self.turned[scan(&self.turned, block.heading)];
            for row in block.row..=(block.row + BLOCK as i64 - 1).min(shifts) {
                for column in block.column..=(block.column + BLOCK as i64 - 1).min(shifts) {
                    let place = [column, row, block.heading];
                    let value = sum(&self.field, turned, self.offset(column, row));
                    let found = f64::from(value) * scale + prior(place);
                    if found > likelihood {
                        (best, likelihood) = (place, found);
                    }
                }
            }
        }

        // The mean and covariance of the poses around the best one, weighted by likelihood.
        let mut moments = Moments::default();
        for heading in best[2] - AROUND..=best[2] + AROUND {
            let turned = &self.turned[scan(&self.turned, heading)];
            for row in best[1] - AROUND..=best[1] + AROUND {
                for column in best[0] - AROUND..=best[0] + AROUND {
                    let value = sum(&self.field, turned, self.offset(column, row));
                    let weight = (f64::from(value) * scale + prior([column, row, heading]) - likelihood).exp();
                    moments.add(weight, [column as f64 * cell, row as f64 * cell, heading as f64 * window.turn_step]);
                }
            }
        }
        let turned = &self.turned[scan(&self.turned, best[2])];
        let value = sum(&self.field, turned, self.offset(best[0], best[1]));
        let ([x, y, heading], mut covariance) = moments.result();
        // The result cannot be more precise than the steps of the search.
        for (axis, step) in [cell, cell, window.turn_step].into_iter().enumerate() {
            covariance[axis][axis] += step * step / 12.0;
        }
        Some(Match {
            pose: Pose2::new(predicted.x + x, predicted.y + y, normalize_angle(predicted.heading + heading)),
            covariance,
            quality: f64::from(value) / (255.0 * count as f64),
        })
    }

    /// Finds the cells of all points for each heading. Points that would leave the map when they
    /// are shifted get the first cell that may be shifted, which is far from obstacles.
    fn turn(&mut self, points: &[[f64; 2]], predicted: Pose2, headings: i64, shifts: i64, step: f64) {
        let (width, height) = (self.cells.width as i64, self.cells.height as i64);
        let nowhere = (shifts * width + shifts) as usize;
        self.turned.clear();
        for heading in -headings..=headings {
            let turned = Pose2 { heading: predicted.heading + heading as f64 * step, ..predicted };
            self.turned.extend(points.iter().map(|point| {
                let [column, row] = self.cells.place(turned.transform(*point));
                let is_inside = |at: i64, size: i64| (shifts..size - shifts - BLOCK as i64).contains(&at);
                let cell = if is_inside(column, width) && is_inside(row, height) {
                    row * width + column
                } else {
                    nowhere as i64
                };
                cell as usize
            }));
        }
    }

    fn offset(&self, column: i64, row: i64) -> isize {
        (row * self.cells.width as i64 + column) as isize
    }
}

fn raise(values: &mut [u8], others: &[u8]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value = (*value).max(*other);
    }
}

fn sum(field: &[u8], cells: &[usize], offset: isize) -> u32 {
    cells.iter().map(|cell| u32::from(field[cell.wrapping_add_signed(offset)])).sum()
}

/// Sums for a mean and a covariance.
#[derive(Default)]
struct Moments {
    weight: f64,
    first: [f64; 3],
    second: [[f64; 3]; 3],
}

impl Moments {
    fn add(&mut self, weight: f64, at: [f64; 3]) {
        self.weight += weight;
        for row in 0..3 {
            self.first[row] += weight * at[row];
            for column in 0..3 {
                self.second[row][column] += weight * at[row] * at[column];
            }
        }
    }

    fn result(&self) -> ([f64; 3], [[f64; 3]; 3]) {
        let mean = self.first.map(|sum| sum / self.weight);
        let covariance = |row: usize, column: usize| self.second[row][column] / self.weight - mean[row] * mean[column];
        (mean, std::array::from_fn(|row| std::array::from_fn(|column| covariance(row, column))))
    }
}

#[cfg(test)]
mod tests;
