//! The names that a robot's log has for things: topics, metadata and attachments. They stand in
//! files, so they stay as they are.

/// The name of the metadata that a log begins with: the robot, its program, machine and clock.
pub const ABOUT: &str = "hemiola";
/// The metadata with what `robot.toml` and everything put over it say.
pub const CONFIGURATION: &str = "hemiola/configuration";
/// The metadata with all parameters, those left at their defaults included.
pub const PARAMETERS: &str = "hemiola/parameters";
/// The metadata that counts, for each channel, what was written, left out and dropped.
pub const COUNTS: &str = "hemiola/channels";
/// The prefix of topics in [`ABOUT`] of which only some values were meant to be recorded.
pub const PARTIAL: &str = "partial";
/// The attachment with the execution times that were measured.
pub const PROFILE: &str = "profile.json";
/// The topic of changes from outside.
pub const CHANGES: &str = "/hemiola/changes";

/// The topic of a representation of a cycle or source; topics have letters, digits and underscores.
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
