//! The service that switches the avoidance on and off.
//!
//! A module cannot serve, as it may be replaced while somebody waits for its answer. A thread
//! serves, and passes requests on to the module as messages.

use std::error::Error;

use hemiola::bus::RunningServer;
use hemiola::realtime::ThreadSettings;
use hemiola::{Representation, RobotHandle};
use hemiola_ros::std_srvs::{SetBoolRequest, SetBoolResponse};

/// The name of the service in this program.
pub const SERVICE: &str = "Enable";

/// Starts to serve.
///
/// # Errors
/// The thread cannot be started, or something else has the name of the service or the topic.
pub fn serve(robot: &RobotHandle) -> Result<RunningServer, Box<dyn Error>> {
    let topic = robot.bus().readable_topic(SetBoolRequest::NAME)?;
    let mut requests = topic.publisher();
    let answer = move |request: &SetBoolRequest| {
        requests.publish(*request);
        SetBoolResponse {
            success: true,
            message: if request.data { "enabled" } else { "disabled" }.to_owned(),
        }
    };
    let server = robot.bus().server(SERVICE, 4)?;
    Ok(server.spawn(ThreadSettings::new("switch"), answer)?)
}
