//! The names of topics, metadata and attachments in a robot's log. They are part of files, so they
//! must not change.

/// The name of the metadata with which a log begins: the robot, its program, machine and clock.
pub const ABOUT: &str = "hemiola";
/// The metadata with the values of `robot.toml` and its overrides.
pub const CONFIGURATION: &str = "hemiola/configuration";
/// The metadata with all parameters, including those with defaults.
pub const PARAMETERS: &str = "hemiola/parameters";
/// The metadata with the numbers of messages that were written, left out and dropped for each
/// channel.
pub const COUNTS: &str = "hemiola/channels";
/// The prefix of topics in [`ABOUT`] of which only some values were to be recorded.
pub const PARTIAL: &str = "partial";
/// The key in [`ABOUT`] of the process whose part of the robot was recorded, if the robot is
/// divided into processes.
pub const PROCESS: &str = "process";
/// The prefix of topics in [`ABOUT`] that come from another process; the value is the name of that
/// process.
pub const RECEIVED: &str = "received";
/// The key in [`ABOUT`] of the processes whose logs were merged.
pub const PROCESSES: &str = "processes";
/// The metadata with the times of other clocks when the robot's clock shows zero. It comes before
/// the first value: until then, the start may still be postponed.
pub const CLOCK: &str = "hemiola/clock";
/// The attachment with the execution times that were measured.
pub const PROFILE: &str = "profile.json";
/// The topic of changes from outside.
pub const CHANGES: &str = "/hemiola/changes";

/// Returns the topic of a representation of a cycle or source; topics contain letters, digits and
/// underscores.
///
/// ```
/// use hemiola_recording::names::topic;
///
/// assert_eq!(topic("motion", "JointAngles"), "/motion/JointAngles");
/// ```
pub fn topic(owner: &str, representation: &str) -> String {
    let plain = |name: &str| -> String {
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
    };
    format!("/{}/{}", plain(owner), plain(representation))
}
