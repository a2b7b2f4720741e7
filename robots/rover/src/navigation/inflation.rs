//! The costs of cells near obstacles.

use hemiola::prelude::*;
use hemiola_ros::nav_msgs::OccupancyGrid;

use super::cells::{Cells, Stamp};
use crate::representations::Costmap;

/// The probability in percent above which a cell is an obstacle.
pub(super) const OCCUPIED: i8 = 60;
/// The cost of a cell that the robot cannot be in.
pub(super) const LETHAL: u8 = 255;

/// Parameters of [`Inflation`].
#[derive(Parameters)]
pub struct InflationParameters {
    /// The minimum distance of the robot's centre from an obstacle.
    #[parameter(default = 0.23, range = 0.05..=2.0, unit = "m")]
    radius: f64,
    /// The distance beyond which obstacles cost nothing.
    #[parameter(default = 0.6, range = 0.05..=5.0, unit = "m")]
    comfort: f64,
}

/// Inflates the obstacles of the map by the robot's radius, with decreasing costs around them.
#[derive(Module)]
pub struct Inflation {
    #[parameters]
    parameters: InflationParameters,
    /// The resolution and the parameters for which the stamp was made.
    #[stateless]
    made_for: [f64; 3],
    #[stateless]
    stamp: Stamp,
}

#[module]
impl Inflation {
    #[update]
    pub(super) fn costs(&mut self, map: &OccupancyGrid, costmap: &mut Costmap) {
        let cells = Cells::of(&map.info);
        let InflationParameters { radius, comfort } = self.parameters;
        if cells.len() == 0 {
            return;
        }
        let made_for = [cells.resolution, radius, comfort];
        if self.made_for != made_for {
            let slope = |distance: f64| (254.0 * (comfort - distance) / (comfort - radius)) as u8;
            let cost = |distance: f64| if distance <= radius { LETHAL } else { slope(distance).min(LETHAL - 1) };
            self.stamp = Stamp::new(comfort.max(radius), cells.resolution, cost);
            self.made_for = made_for;
        }
        costmap.costs.resize(cells.len(), 0);
        let obstacles = map.data.iter().enumerate().filter(|(_, occupied)| **occupied > OCCUPIED);
        for (cell, _) in obstacles {
            self.stamp.press(&cells, &mut costmap.costs, cells.column_row(cell));
        }
    }
}
