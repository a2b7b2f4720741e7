//! Measurements of sensors.

use super::geometry_msgs::{Quaternion, Vector3};
use super::std_msgs::Header;
use hemiola::prelude::*;

/// An image, row by row.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/Image")]
pub struct Image {
    /// The time stamp and the frame.
    pub header: Header,
    /// The number of rows.
    pub height: u32,
    /// The number of columns.
    pub width: u32,
    /// The encoding of the pixels: `rgb8`, `mono8`, `yuv422_yuy2`, ...
    pub encoding: String,
    /// The byte order of numbers of several bytes: 0 for little-endian, else big-endian.
    pub is_bigendian: u8,
    /// The number of bytes per row.
    pub step: u32,
    /// The pixels: `step` times `height` bytes.
    pub data: SharedBytes,
}

/// A compressed image, as the content of a file.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/CompressedImage")]
pub struct CompressedImage {
    /// The time stamp and the frame.
    pub header: Header,
    /// The format of the file: `jpeg`, `png`, ...
    pub format: String,
    /// The file.
    pub data: SharedBytes,
}

/// A region of an image; all zero means the whole image.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/RegionOfInterest")]
pub struct RegionOfInterest {
    /// The leftmost column of the region.
    pub x_offset: u32,
    /// The topmost row of the region.
    pub y_offset: u32,
    /// The number of rows.
    pub height: u32,
    /// The number of columns.
    pub width: u32,
    /// Set if the region is to be cut out of the rectified image.
    pub do_rectify: bool,
}

/// The calibration of a camera.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/CameraInfo")]
pub struct CameraInfo {
    /// The time stamp and the frame.
    pub header: Header,
    /// The number of rows.
    pub height: u32,
    /// The number of columns.
    pub width: u32,
    /// The distortion model: `plumb_bob`, `rational_polynomial`, ...
    pub distortion_model: String,
    /// The coefficients of the distortion model.
    pub d: Vec<f64>,
    /// The intrinsic matrix, row by row.
    pub k: [f64; 9],
    /// The rectification matrix, row by row.
    pub r: [f64; 9],
    /// The projection matrix of the rectified image, row by row.
    pub p: [f64; 12],
    /// The number of columns that are combined into one.
    pub binning_x: u32,
    /// The number of rows that are combined into one.
    pub binning_y: u32,
    /// The part of the image that is sent.
    pub roi: RegionOfInterest,
}

/// An inertial measurement; a covariance that begins with -1 means that the quantity is not
/// measured.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/Imu")]
pub struct Imu {
    /// The time stamp and the frame.
    pub header: Header,
    /// The orientation in the world.
    pub orientation: Quaternion,
    /// The covariance of the orientation, row by row.
    pub orientation_covariance: [f64; 9],
    /// The angular velocity, in rad/s.
    pub angular_velocity: Vector3,
    /// The covariance of the angular velocity, row by row.
    pub angular_velocity_covariance: [f64; 9],
    /// The linear acceleration, in m/s².
    pub linear_acceleration: Vector3,
    /// The covariance of the linear acceleration, row by row.
    pub linear_acceleration_covariance: [f64; 9],
}

/// The state of joints; a quantity that is not known is empty.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/JointState")]
pub struct JointState {
    /// The time stamp and the frame.
    pub header: Header,
    /// The names of the joints, in the order of the other fields.
    pub name: Vec<String>,
    /// The positions, in rad or m.
    pub position: Vec<f64>,
    /// The velocities, in rad/s or m/s.
    pub velocity: Vec<f64>,
    /// The efforts, in N m or N.
    pub effort: Vec<f64>,
}

/// One turn of a laser scanner.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/LaserScan")]
pub struct LaserScan {
    /// The time at which the first ray was sent, and the scanner's frame.
    pub header: Header,
    /// The angle of the first ray, in rad.
    pub angle_min: f32,
    /// The angle of the last ray, in rad.
    pub angle_max: f32,
    /// The angle between two rays, in rad.
    pub angle_increment: f32,
    /// The time between two rays, in s.
    pub time_increment: f32,
    /// The time between two scans, in s.
    pub scan_time: f32,
    /// The smallest valid range, in m; smaller ones are to be ignored.
    pub range_min: f32,
    /// The largest valid range, in m; larger ones are to be ignored.
    pub range_max: f32,
    /// The ranges, in m.
    pub ranges: Vec<f32>,
    /// The intensities, in units of the device; may be empty.
    pub intensities: Vec<f32>,
}

/// A field of each point of a cloud.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/PointField")]
pub struct PointField {
    /// The name of the field: `x`, `y`, `z`, `intensity`, `rgb`, ...
    pub name: String,
    /// The offset from the start of the point, in bytes.
    pub offset: u32,
    /// The type of the field: 1 `i8`, 2 `u8`, 3 `i16`, 4 `u16`, 5 `i32`, 6 `u32`, 7 `f32`, 8 `f64`.
    pub datatype: u8,
    /// The number of elements in the field.
    pub count: u32,
}

/// A cloud of points, packed.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/PointCloud2")]
pub struct PointCloud2 {
    /// The time stamp and the frame.
    pub header: Header,
    /// The number of rows; 1 if the points are unordered.
    pub height: u32,
    /// The number of points per row.
    pub width: u32,
    /// The fields of a point.
    pub fields: Vec<PointField>,
    /// Set if numbers are big-endian.
    pub is_bigendian: bool,
    /// The number of bytes per point.
    pub point_step: u32,
    /// The number of bytes per row.
    pub row_step: u32,
    /// The points: `row_step` times `height` bytes.
    pub data: SharedBytes,
    /// Set if all points are valid.
    pub is_dense: bool,
}

/// The status of a satellite receiver.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/NavSatStatus")]
pub struct NavSatStatus {
    /// The fix: -1 none, 0 without augmentation, 1 and 2 with augmentation.
    pub status: i8,
    /// The sum of the systems that were used: 1 GPS, 2 GLONASS, 4 Compass, 8 Galileo.
    pub service: u16,
}

/// A position on earth.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/NavSatFix")]
pub struct NavSatFix {
    /// The time stamp and the frame.
    pub header: Header,
    /// The status of the receiver.
    pub status: NavSatStatus,
    /// The latitude, in degrees; north is positive.
    pub latitude: f64,
    /// The longitude, in degrees; east is positive.
    pub longitude: f64,
    /// The altitude above the WGS 84 ellipsoid, in m.
    pub altitude: f64,
    /// The covariance of east, north and up, in m², row by row.
    pub position_covariance: [f64; 9],
    /// The kind of covariance: 0 unknown, 1 approximated, 2 diagonal known, 3 known.
    pub position_covariance_type: u8,
}

/// A magnetic field.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/MagneticField")]
pub struct MagneticField {
    /// The time stamp and the frame.
    pub header: Header,
    /// The magnetic field, in T.
    pub magnetic_field: Vector3,
    /// The covariance of the magnetic field, row by row.
    pub magnetic_field_covariance: [f64; 9],
}

/// A distance.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/Range")]
pub struct Range {
    /// The time stamp and the frame.
    pub header: Header,
    /// The kind of sensor: 0 ultrasound, 1 infrared.
    pub radiation_type: u8,
    /// The field of view, in rad.
    pub field_of_view: f32,
    /// The smallest valid range, in m.
    pub min_range: f32,
    /// The largest valid range, in m.
    pub max_range: f32,
    /// The range, in m.
    pub range: f32,
    /// The variance of the range, in m².
    pub variance: f32,
}

/// A temperature.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/Temperature")]
pub struct Temperature {
    /// The time stamp and the frame.
    pub header: Header,
    /// The temperature, in °C.
    pub temperature: f64,
    /// The variance; 0 if it is unknown.
    pub variance: f64,
}

/// A pressure.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/FluidPressure")]
pub struct FluidPressure {
    /// The time stamp and the frame.
    pub header: Header,
    /// The pressure, in Pa.
    pub fluid_pressure: f64,
    /// The variance; 0 if it is unknown.
    pub variance: f64,
}

/// The state of a battery; NaN stands for a value that is not known.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "sensor_msgs/BatteryState")]
pub struct BatteryState {
    /// The time stamp and the frame.
    pub header: Header,
    /// The voltage, in V.
    pub voltage: f32,
    /// The temperature, in °C.
    pub temperature: f32,
    /// The current, in A; negative while the battery discharges.
    pub current: f32,
    /// The charge, in Ah.
    pub charge: f32,
    /// The capacity, in Ah.
    pub capacity: f32,
    /// The capacity by design, in Ah.
    pub design_capacity: f32,
    /// The part of the capacity that is charged, from 0 to 1.
    pub percentage: f32,
    /// The status: 0 unknown, 1 charging, 2 discharging, 3 neither, 4 full.
    pub power_supply_status: u8,
    /// The health: 0 unknown, 1 good; any other value names a fault.
    pub power_supply_health: u8,
    /// The technology: 0 unknown, 2 lithium ion, 3 lithium polymer, ...
    pub power_supply_technology: u8,
    /// Set if there is a battery.
    pub present: bool,
    /// The voltages of the cells, in V.
    pub cell_voltage: Vec<f32>,
    /// The temperatures of the cells, in °C.
    pub cell_temperature: Vec<f32>,
    /// The place of the battery in the robot.
    pub location: String,
    /// The serial number of the battery.
    pub serial_number: String,
}
