//! The values that the modules exchange. Angles are in radians, lengths in metres; seen from the
//! head, x is forward, y to the left and z up. In images x is to the right and y down, in pixels.

use glam::DVec2;
use hemiola::prelude::*;
use hemiola_ros::sensor_msgs::Image;

use crate::geometry::Direction;

/// An image of the camera. To logs, viewers and ROS 2 it is a `sensor_msgs/Image`.
#[derive(Representation, Clone, Default)]
#[data(transparent)]
pub struct CameraImage {
    pub image: Image,
}

/// The direction in which the head looks, as its encoders measure it.
#[derive(Representation, Clone, Default)]
pub struct HeadAngles {
    pub direction: Direction,
}

/// The direction in which the head looked when the image was taken.
#[derive(Representation, Clone, Default)]
pub struct Exposure {
    pub direction: Direction,
}

/// The pixels that have the colour of the ball: runs of neighbours, row by row from the left.
#[derive(Representation, Clone, Default)]
pub struct ColorRuns {
    pub runs: Vec<Run>,
}

/// Neighbouring pixels of one row, from `begin` to just before `end`.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Run {
    pub row: u32,
    pub begin: u32,
    pub end: u32,
}

/// Connected areas of these pixels.
#[derive(Representation, Clone, Default)]
pub struct Regions {
    pub regions: Vec<Region>,
}

/// A connected area, and the box around it.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Region {
    pub area: u32,
    pub center: DVec2,
    pub left: u32,
    pub top: u32,
    pub right: u32,
    pub bottom: u32,
}

/// All that looks like the ball in this image.
#[derive(Representation, Clone, Default)]
pub struct Balls {
    pub balls: Vec<Ball>,
}

/// A place in the image, and where a ball is that is seen there.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Ball {
    pub pixel: DVec2,
    /// In pixels.
    pub radius: f64,
    pub direction: Direction,
    pub distance: f64,
}

/// The ball, as all images so far say where it is and how it moves.
#[derive(Representation, Clone, Default)]
pub struct BallTrack {
    pub is_known: bool,
    /// The moment of which all else speaks: that of the newest image.
    pub time: Time,
    pub direction: Direction,
    /// In radians per second.
    pub rates: Direction,
    pub distance: f64,
    /// The standard deviation of the direction.
    pub deviation: Direction,
    /// In how many images the ball was found since the track began.
    pub sightings: u32,
}

/// The direction in which the head shall look now, and how fast that changes.
#[derive(Representation, Clone, Default)]
pub struct GazeRequest {
    pub direction: Direction,
    /// In radians per second.
    pub rates: Direction,
}

/// The speeds that the servos shall have.
#[derive(Representation, Clone, Default)]
pub struct ServoCommand {
    /// In radians per second.
    pub rates: Direction,
}
