//! Scores of the robot's modules on recordings with ground truth: `nao score DIRECTORY`.
//!
//! | directory | recognised by | measured |
//! |---|---|---|
//! | IMU trials | tables with `ref_qw` | inclination error of the orientation filter |
//! | walking humanoid | `imu.csv` and `groundtruth_base.csv` | its roll and pitch error |
//! | field landmarks | `landmarks.csv` and `poses.csv` | precision and recall of line landmarks and goal posts |
//! | whistles | `whistle_yes` and `whistle_no` | detected whistles and false alarms |
//! | any other recording | files that a [source](crate::recordings) plays | the part that can be read |

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::NaoError;

mod camera_fit;
mod landmarks;
mod orientation;
mod playback;
mod result;
mod whistles;

pub use result::{Format, Measure, Score};
pub use whistles::WhistleEar;

/// Scores the modules on a directory of any kind. Takes seconds.
///
/// # Errors
/// The directory is of an unknown kind, or one of its files cannot be used.
pub fn evaluate(directory: &Path) -> Result<Score, NaoError> {
    let has = |name: &str| directory.join(name).exists() || directory.join(format!("{name}.gz")).is_file();
    if has("whistle_yes") && has("whistle_no") {
        whistles::evaluate(directory)
    } else if has("landmarks.csv") && has("poses.csv") {
        landmarks::evaluate(directory)
    } else if has("imu.csv") && has("groundtruth_base.csv") {
        orientation::evaluate_humanoid(directory)
    } else if orientation::has_trials(directory)? {
        orientation::evaluate_trials(directory)
    } else {
        playback::evaluate(directory)
    }
}

/// Scores the modules on a directory and writes the result.
///
/// ```no_run
/// # fn main() -> Result<(), nao::NaoError> {
/// nao::score::run("recordings/nao-whistles".as_ref(), nao::score::Format::Table, &mut std::io::stdout())?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// The same as for [`evaluate`]; or the output cannot be written.
pub fn run(directory: &Path, format: Format, output: &mut impl Write) -> Result<(), NaoError> {
    evaluate(directory)?.write(format, output)
}

/// Returns the folder of recordings for tests: `recordings` in `$HEMIOLA_SHARED/data`, or in
/// `../shared/data` beside the workspace.
#[must_use]
pub fn shared_recordings() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(beside, PathBuf::from);
    Some(shared.join("data/recordings")).filter(|directory| directory.is_dir())
}

#[cfg(test)]
mod tests;
