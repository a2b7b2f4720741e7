//! A program with a thread that serves the requests of a module.

use std::cell::RefCell;
use std::path::PathBuf;

use hemiola::Application;

use crate::bumper::SaveMap;

// ANCHOR: server
use std::error::Error;

use hemiola::RobotHandle;
use hemiola::bus::RunningServer;
use hemiola::realtime::ThreadSettings;

pub fn serve_maps(robot: &RobotHandle) -> Result<RunningServer, Box<dyn Error>> {
    let server = robot.bus().server("SaveMap", 4)?;
    Ok(server.spawn(ThreadSettings::new("maps"), save_map)?)
}

pub fn robot() -> Application {
    let running = RefCell::new(None); // the server ends when it is dropped
    Application::new("robot.toml").started(move |robot| match serve_maps(robot) {
        Ok(server) => _ = running.replace(Some(server)),
        Err(error) => robot.note(format!("nobody saves maps: {error}")),
    })
}
// ANCHOR_END: server

/// Writes the map to the disk, which is slow.
fn save_map(request: &SaveMap) -> Result<PathBuf, String> {
    Ok(PathBuf::from(format!("map-{:.0}.pgm", request.at.seconds())))
}
