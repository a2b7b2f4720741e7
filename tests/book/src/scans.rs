//! Messages in their wire form, which are encoded once and read in place.

use hemiola::prelude::*;

// ANCHOR: wire
#[derive(Representation, InPlace, Clone, Default)]
pub struct Scan {
    pub frame: String,
    pub points: Vec<Point>,
}

#[derive(Data, InPlace, Clone, Copy)]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

#[derive(Module)]
pub struct Lidar {
    /// Filled anew in every run.
    #[stateless]
    scan: Scan,
}

#[module]
impl Lidar {
    #[update]
    pub fn turn(&mut self, scans: &mut Publisher<Wire<Scan>>) {
        self.scan.measure();
        // It is encoded here, into the buffer of an earlier message that nobody has any more.
        let mut message = scans.loan();
        message.overwrite(&self.scan);
        message.publish();
    }
}

#[derive(Module)]
pub struct ObstacleDetector {}

#[module]
impl ObstacleDetector {
    #[update]
    pub fn nearest(&self, scans: &Subscription<Wire<Scan>>, nearest: &mut Nearest) {
        for scan in scans {
            let scan = scan.view(); // a `ScanView`: nothing is decoded or copied
            if scan.frame == "front" {
                let distances = scan.points.iter().map(|point| point.x.hypot(point.y));
                nearest.metres = distances.fold(f32::INFINITY, f32::min);
            }
        }
    }
}
// ANCHOR_END: wire

#[derive(Representation, Clone, Default)]
pub struct Nearest {
    pub metres: f32,
}

impl Scan {
    fn measure(&mut self) {
        self.frame = "front".into();
        self.points = vec![Point { x: 3.0, y: 4.0 }, Point { x: 0.0, y: 7.0 }];
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hemiola::configuration::{Catalog, parse};
    use hemiola::runtime::Robot;

    use super::Nearest;

    #[test]
    fn the_nearest_point_is_found_in_place() {
        let text = "
            [cycle.mind]
            rate = 10.0
            modules = ['Lidar', 'ObstacleDetector']
            [source.RangeFinder]
            enabled = false
            [source.Camera]
            enabled = false
        ";
        let loaded = parse(text, "robot.toml", &Catalog::linked()).unwrap();
        let mut robot = Robot::assemble(loaded.configuration).unwrap().into_stepper().unwrap();
        robot.run_for(Duration::from_secs(1));
        assert_eq!(robot.with_value(|nearest: &Nearest| nearest.metres), Some(5.0));
    }
}
