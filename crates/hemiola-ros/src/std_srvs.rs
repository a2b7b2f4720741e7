//! Services for triggers and switches: `std_srvs`.
//!
//! With the feature `ros2` and a line in robot.toml, a robot serves them or calls those of other
//! nodes:
//!
//! ```toml
//! [ros2.serve]
//! "~/enable" = "Enable"
//! ```
//!
//! ```
//! use hemiola::RobotHandle;
//! use hemiola::bus::RunningServer;
//! use hemiola::realtime::ThreadSettings;
//! use hemiola_ros::std_srvs::{SetBoolRequest, SetBoolResponse};
//!
//! /// Serves `Enable`: each request goes on to modules as a message.
//! fn serve(robot: &RobotHandle) -> Result<RunningServer, Box<dyn std::error::Error>> {
//!     let mut requests = robot.bus().readable_topic::<SetBoolRequest>("SetBoolRequest")?.publisher();
//!     let enable = move |request: &SetBoolRequest| {
//!         requests.publish(*request);
//!         SetBoolResponse { success: true, message: String::new() }
//!     };
//!     robot.bus().allow_calls::<SetBoolRequest, SetBoolResponse>("Enable");
//!     Ok(robot.bus().server("Enable", 4)?.spawn(ThreadSettings::new("enable"), enable)?)
//! }
//! ```

use hemiola::Representation;

/// A request of `SetBool`.
#[derive(Representation, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[data(name = "std_srvs/SetBoolRequest")]
pub struct SetBoolRequest {
    /// The value to be set, such as whether a device is to be on.
    pub data: bool,
}

/// The response of `SetBool`.
#[derive(Representation, Clone, Debug, Default, PartialEq, Eq)]
#[data(name = "std_srvs/SetBoolResponse")]
pub struct SetBoolResponse {
    /// Set if it was done.
    pub success: bool,
    /// An explanation, such as the reason for a failure.
    pub message: String,
}

/// A request of `Trigger`.
#[derive(Representation, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[data(name = "std_srvs/TriggerRequest")]
pub struct TriggerRequest {}

/// The response of `Trigger`.
#[derive(Representation, Clone, Debug, Default, PartialEq, Eq)]
#[data(name = "std_srvs/TriggerResponse")]
pub struct TriggerResponse {
    /// Set if it was done.
    pub success: bool,
    /// An explanation, such as the reason for a failure.
    pub message: String,
}

/// A request of `Empty`.
#[derive(Representation, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[data(name = "std_srvs/EmptyRequest")]
pub struct EmptyRequest {}

/// The response of `Empty`.
#[derive(Representation, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[data(name = "std_srvs/EmptyResponse")]
pub struct EmptyResponse {}
