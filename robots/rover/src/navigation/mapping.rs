//! The map of obstacles, built from scans.

use hemiola::prelude::*;
use hemiola_ros::nav_msgs::{MapMetaData, OccupancyGrid};
use hemiola_ros::sensor_msgs::LaserScan;

use super::cells::Cells;
use super::inflation::OCCUPIED;
use super::scan::{Ray, rays};
use crate::geometry::{Pose2, drawn, normalize_angle};
use crate::representations::{MAP, MapPose};

/// Parameters of [`Mapping`]. Size and resolution cannot change after the start of the robot.
#[derive(Parameters)]
pub struct MappingParameters {
    /// The lower left corner of the map.
    #[parameter(default = [-1.0, -1.0], unit = "m")]
    corner: [f64; 2],
    /// The size of the map.
    #[parameter(default = [14.0, 10.0], unit = "m")]
    size: [f64; 2],
    /// The width of a cell.
    #[parameter(default = 0.05, range = 0.01..=1.0, unit = "m")]
    resolution: f64,
    /// The range beyond which rays do not count.
    #[parameter(default = 8.0, range = 0.5..=100.0, unit = "m")]
    range: f64,
    /// The log odds that a cell gains when a ray ends in it.
    #[parameter(default = 0.85, range = 0.05..=3.0)]
    hit: f64,
    /// The log odds that a cell loses when a ray passes through it.
    #[parameter(default = 0.4, range = 0.05..=3.0)]
    pass: f64,
    /// The distance after which the next scan is added to the map: repeated scans from the same
    /// place carry no new information.
    #[parameter(default = 0.05, range = 0.0..=5.0, unit = "m")]
    way: f64,
    /// The turn after which the next scan is added to the map.
    #[parameter(default = 0.05, range = 0.0..=3.0, unit = "rad")]
    turn: f64,
}

/// An occupancy grid with log odds (Probabilistic Robotics, chapter 9).
#[derive(Module)]
pub struct Mapping {
    #[parameters]
    parameters: MappingParameters,
    /// Log odds of each cell, in steps of [`UNIT`]; none before the first scan.
    log_odds: Vec<i8>,
    /// Cells that a ray has passed through or ended in; of others nothing is known.
    is_seen: Vec<bool>,
    last: Option<Pose2>,
    scans: u32,
    /// The number of the scan that was last put into a cell: each cell counts once per scan.
    #[stateless]
    touched: Vec<u32>,
}

/// The step in which log odds are stored, from -5 to 5: a probability of 0.7 to 99.3 %.
const UNIT: f64 = 0.05;
const MOST: i8 = 100;
/// The number of scans that are added to the map before the robot has moved.
const FIRST_SCANS: u32 = 5;
/// The maximum size of a map, in cells.
const MOST_CELLS: usize = 1 << 24;

#[module]
impl Mapping {
    #[update]
    pub(super) fn map(
        &mut self,
        scan: &LaserScan,
        pose: &MapPose,
        clock: &Clock,
        debug: &Debug,
        map: &mut OccupancyGrid,
    ) {
        let cells = self.cells();
        let pose = pose.mean();
        if self.log_odds.is_empty() {
            self.log_odds.resize(cells.len(), 0);
            self.is_seen.resize(cells.len(), false);
        }
        let has_moved = self.last.is_none_or(|last| {
            last.distance(pose.position()) >= self.parameters.way
                || normalize_angle(last.heading - pose.heading).abs() >= self.parameters.turn
        });
        if has_moved || self.scans < FIRST_SCANS {
            self.last = Some(pose);
            self.scans += 1;
            self.insert(&cells, scan, pose);
        }
        map.header.stamp = clock.now();
        map.header.frame_id.push_str(MAP);
        map.info = MapMetaData {
            resolution: cells.resolution as f32,
            width: cells.width as u32,
            height: cells.height as u32,
            origin: Pose2::new(cells.origin[0], cells.origin[1], 0.0).to_message(),
            ..MapMetaData::default()
        };
        let percents: [i8; 256] = std::array::from_fn(|odds| percent(odds as u8 as i8));
        let occupancies = self.log_odds.iter().zip(&self.is_seen);
        map.data
            .extend(occupancies.map(|(odds, is_seen)| if *is_seen { percents[usize::from(*odds as u8)] } else { -1 }));
        debug.background("map/occupied", |canvas| {
            let occupied = map.data.iter().enumerate().filter(|(_, percent)| **percent > OCCUPIED);
            canvas.points(occupied.map(|(cell, _)| drawn(cells.middle(cell))), 0x3fa7d6);
        });
    }

    fn cells(&self) -> Cells {
        let MappingParameters { corner, size, resolution, .. } = self.parameters;
        let count = |length: f64| (length / resolution).ceil().clamp(1.0, MOST_CELLS as f64) as usize;
        let width = count(size[0]);
        Cells { origin: corner, resolution, width, height: count(size[1]).min(MOST_CELLS / width).max(1) }
    }

    /// Adds a scan to the map. Ends of rays count before the cells that rays pass through, so that
    /// a wall seen at a flat angle is not erased by the neighbouring ray.
    fn insert(&mut self, cells: &Cells, scan: &LaserScan, pose: Pose2) {
        self.touched.resize(cells.len(), 0);
        let odds = |value: f64| (value / UNIT).round() as i8;
        let (hit, pass) = (odds(self.parameters.hit), odds(self.parameters.pass));
        let number = self.scans;
        let (log_odds, is_seen, touched) = (&mut self.log_odds, &mut self.is_seen, &mut self.touched);
        let mut touch = |cell: usize, change: i8| {
            if touched[cell] != number {
                touched[cell] = number;
                is_seen[cell] = true;
                log_odds[cell] = log_odds[cell].saturating_add(change).clamp(-MOST, MOST);
            }
        };
        let range = self.parameters.range;
        for ray in rays(scan, range) {
            if let Ray::Hit(end) = ray
                && let Some(cell) = cells.at(pose.transform(end))
            {
                touch(cell, hit);
            }
        }
        let from = cells.place(pose.position());
        for ray in rays(scan, range) {
            let (Ray::Hit(end) | Ray::Free(end)) = ray;
            cells.line(from, cells.place(pose.transform(end)), |cell| touch(cell, -pass));
        }
    }
}

/// Returns the probability that a cell is occupied, in percent.
fn percent(odds: i8) -> i8 {
    (100.0 / (1.0 + (-f64::from(odds) * UNIT).exp())).round() as i8
}
