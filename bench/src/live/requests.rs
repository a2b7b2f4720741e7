//! The requests of pages to a robot: recorded from pages in Chromium, or loaded from a file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::browser::Browser;
use super::robot::{LiveRobot, RobotProgram};
use crate::error::{BenchError, read, write};

/// The requests of each of some pages, in order.
#[derive(Default, Serialize, Deserialize)]
pub struct Requests {
    pub pages: Vec<Vec<Request>>,
}

/// A request of a page.
#[derive(Clone, Serialize, Deserialize)]
pub struct Request {
    /// The time at which the page sent it, in milliseconds since the robot's first message.
    after_ms: f64,
    /// The request as in `docs/book/src/door.md`.
    request: Value,
}

/// The time that a robot plays in addition to the recording, so that pages can be opened.
const OPENING: Duration = Duration::from_secs(60);

impl Requests {
    /// Opens pages of a robot, and records for that long the requests that each of them sends.
    pub fn record(
        robot: &RobotProgram,
        browser: &mut Browser,
        pages: &[Value],
        length: Duration,
    ) -> Result<Self, BenchError> {
        let running = LiveRobot::start(robot, length + OPENING)?;
        let wish = json!({"do": "requests", "url": running.page(), "pages": pages, "seconds": length.as_secs()});
        browser.measure(&wish, length)
    }

    /// Reads the stored requests.
    pub fn load() -> Result<Self, BenchError> {
        let path = stored();
        serde_json::from_str(&read(&path)?).map_err(|error| BenchError::Report { path, error })
    }

    /// Stores the requests, for computers without a browser.
    pub fn store(&self) -> Result<(), BenchError> {
        let path = stored();
        let json = serde_json::to_string(self).map_err(|error| BenchError::Report { path: path.clone(), error })?;
        // A line for each request, so that people can see what has changed.
        write(&path, &(json.replace("{\"after_ms\"", "\n{\"after_ms\"") + "\n"))
    }
}

impl Request {
    /// Returns the time since the robot's first message after which it is sent.
    pub fn delay(&self) -> Duration {
        Duration::from_secs_f64(self.after_ms.max(0.0) / 1000.0)
    }

    /// Returns the message to the robot.
    pub fn text(&self) -> String {
        self.request.to_string()
    }
}

fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("page-requests.json")
}
