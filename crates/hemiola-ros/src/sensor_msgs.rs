//! Measurements of sensors.

use super::geometry_msgs::{Quaternion, Vector3};
use super::std_msgs::Header;
use hemiola::prelude::*;

/// An image, row by row.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/Image")]
pub struct Image {
    /// When, and in which frame.
    pub header: Header,
    /// Rows.
    pub height: u32,
    /// Columns.
    pub width: u32,
    /// How pixels are stored: `rgb8`, `mono8`, `yuv422_yuy2`, ...
    pub encoding: String,
    /// Not 0 where numbers of several bytes begin with the highest.
    pub is_bigendian: u8,
    /// Bytes per row.
    pub step: u32,
    /// `step` times `height` bytes.
    pub data: Vec<u8>,
}

/// A compressed image, as the content of a file.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/CompressedImage")]
pub struct CompressedImage {
    /// When, and in which frame.
    pub header: Header,
    /// `jpeg`, `png`, ...
    pub format: String,
    /// The file.
    pub data: Vec<u8>,
}

/// A region of an image; all zero means the whole image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/RegionOfInterest")]
pub struct RegionOfInterest {
    /// Its leftmost column.
    pub x_offset: u32,
    /// Its topmost row.
    pub y_offset: u32,
    /// Rows.
    pub height: u32,
    /// Columns.
    pub width: u32,
    /// Whether it is to be cut out of the rectified picture.
    pub do_rectify: bool,
}

/// The calibration of a camera.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/CameraInfo")]
pub struct CameraInfo {
    /// When, and in which frame.
    pub header: Header,
    /// Rows.
    pub height: u32,
    /// Columns.
    pub width: u32,
    /// `plumb_bob`, `rational_polynomial`, ...
    pub distortion_model: String,
    /// The model's coefficients.
    pub d: Vec<f64>,
    /// The intrinsic matrix, row by row.
    pub k: [f64; 9],
    /// The rectification.
    pub r: [f64; 9],
    /// The projection of the rectified picture.
    pub p: [f64; 12],
    /// Columns in one.
    pub binning_x: u32,
    /// Rows in one.
    pub binning_y: u32,
    /// The part that is sent.
    pub roi: RegionOfInterest,
}

/// An inertial measurement; a covariance that begins with -1 means that the quantity is not
/// measured.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/Imu")]
pub struct Imu {
    /// When, and in which frame.
    pub header: Header,
    /// In the world.
    pub orientation: Quaternion,
    /// Row by row.
    pub orientation_covariance: [f64; 9],
    /// In rad/s.
    pub angular_velocity: Vector3,
    /// Row by row.
    pub angular_velocity_covariance: [f64; 9],
    /// In m/s².
    pub linear_acceleration: Vector3,
    /// Row by row.
    pub linear_acceleration_covariance: [f64; 9],
}

/// The state of joints; a quantity that is not known is empty.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/JointState")]
pub struct JointState {
    /// When, and in which frame.
    pub header: Header,
    /// The joints, in the order of what follows.
    pub name: Vec<String>,
    /// In rad or m.
    pub position: Vec<f64>,
    /// In rad/s or m/s.
    pub velocity: Vec<f64>,
    /// In N m or N.
    pub effort: Vec<f64>,
}

/// One turn of a laser scanner.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/LaserScan")]
pub struct LaserScan {
    /// When the first ray was sent, and the scanner's frame.
    pub header: Header,
    /// Of the first ray, in rad.
    pub angle_min: f32,
    /// Of the last one.
    pub angle_max: f32,
    /// Between two.
    pub angle_increment: f32,
    /// Between two, in s.
    pub time_increment: f32,
    /// Between two scans, in s.
    pub scan_time: f32,
    /// What is nearer is to be ignored, in m.
    pub range_min: f32,
    /// What is farther, too.
    pub range_max: f32,
    /// In m.
    pub ranges: Vec<f32>,
    /// In units of the device; may be empty.
    pub intensities: Vec<f32>,
}

/// A field of each point of a cloud.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/PointField")]
pub struct PointField {
    /// `x`, `y`, `z`, `intensity`, `rgb`, ...
    pub name: String,
    /// In bytes from the point's begin.
    pub offset: u32,
    /// 1 `i8`, 2 `u8`, 3 `i16`, 4 `u16`, 5 `i32`, 6 `u32`, 7 `f32`, 8 `f64`.
    pub datatype: u8,
    /// How many of it.
    pub count: u32,
}

/// A cloud of points, packed.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/PointCloud2")]
pub struct PointCloud2 {
    /// When, and in which frame.
    pub header: Header,
    /// 1 where the points are in no order.
    pub height: u32,
    /// Points per row.
    pub width: u32,
    /// What a point is made of.
    pub fields: Vec<PointField>,
    /// Whether numbers begin with the highest byte.
    pub is_bigendian: bool,
    /// Bytes per point.
    pub point_step: u32,
    /// Bytes per row.
    pub row_step: u32,
    /// `row_step` times `height` bytes.
    pub data: Vec<u8>,
    /// Whether all points are valid.
    pub is_dense: bool,
}

/// The status of a satellite receiver.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/NavSatStatus")]
pub struct NavSatStatus {
    /// -1 no fix, 0 a fix, 1 and 2 with augmentation.
    pub status: i8,
    /// 1 GPS, 2 GLONASS, 4 Compass, 8 Galileo, added up.
    pub service: u16,
}

/// A position on earth.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/NavSatFix")]
pub struct NavSatFix {
    /// When, and in which frame.
    pub header: Header,
    /// How it is known.
    pub status: NavSatStatus,
    /// In degrees, north is positive.
    pub latitude: f64,
    /// In degrees, east is positive.
    pub longitude: f64,
    /// In m above the WGS 84 ellipsoid.
    pub altitude: f64,
    /// Of east, north, up in m², row by row.
    pub position_covariance: [f64; 9],
    /// 0 unknown, 1 approximated, 2 diagonal known, 3 known.
    pub position_covariance_type: u8,
}

/// A magnetic field.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/MagneticField")]
pub struct MagneticField {
    /// When, and in which frame.
    pub header: Header,
    /// In T.
    pub magnetic_field: Vector3,
    /// Row by row.
    pub magnetic_field_covariance: [f64; 9],
}

/// A distance.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/Range")]
pub struct Range {
    /// When, and in which frame.
    pub header: Header,
    /// 0 ultrasound, 1 infrared.
    pub radiation_type: u8,
    /// In rad.
    pub field_of_view: f32,
    /// In m.
    pub min_range: f32,
    /// In m.
    pub max_range: f32,
    /// In m.
    pub range: f32,
    /// In m².
    pub variance: f32,
}

/// A temperature.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/Temperature")]
pub struct Temperature {
    /// When, and in which frame.
    pub header: Header,
    /// In °C.
    pub temperature: f64,
    /// 0 where it is not known.
    pub variance: f64,
}

/// A pressure.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/FluidPressure")]
pub struct FluidPressure {
    /// When, and in which frame.
    pub header: Header,
    /// In Pa.
    pub fluid_pressure: f64,
    /// 0 where it is not known.
    pub variance: f64,
}

/// The state of a battery; NaN stands for a value that is not known.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/BatteryState")]
pub struct BatteryState {
    /// When, and in which frame.
    pub header: Header,
    /// In V.
    pub voltage: f32,
    /// In °C.
    pub temperature: f32,
    /// In A, negative while it gives.
    pub current: f32,
    /// In Ah.
    pub charge: f32,
    /// In Ah.
    pub capacity: f32,
    /// In Ah.
    pub design_capacity: f32,
    /// From 0 to 1.
    pub percentage: f32,
    /// 0 unknown, 1 charging, 2 giving, 3 neither, 4 full.
    pub power_supply_status: u8,
    /// 0 unknown, 1 good; else what is wrong.
    pub power_supply_health: u8,
    /// 0 unknown, 2 lithium ion, 3 lithium polymer, ...
    pub power_supply_technology: u8,
    /// Whether there is one.
    pub present: bool,
    /// In V.
    pub cell_voltage: Vec<f32>,
    /// In °C.
    pub cell_temperature: Vec<f32>,
    /// Where it is.
    pub location: String,
    /// Which one it is.
    pub serial_number: String,
}
