//! Files in which values are saved: read as a whole, replaced as a whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hemiola_model::Value;

use super::{SavedValue, save_values};
use crate::ConfigError;
use crate::document::LONGEST_TEXT;
use crate::load::beside;

/// Writes values into the file at `path`, which is created if it does not exist, as [`save_values`]
/// does with its text. The file is replaced as a whole or not at all.
///
/// # Errors
/// Fails if the file cannot be read or written, is not TOML, or holds something else where a value
/// belongs.
///
/// ```no_run
/// use hemiola_config::{SavedValue, save_in_file};
/// use hemiola_model::Value;
///
/// let tuned = [SavedValue::new("module.BallFinder", "threshold", Value::Float(0.72))];
/// save_in_file("overlays/outdoor.toml".as_ref(), &tuned)?;
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
pub fn save_in_file(path: &Path, values: &[SavedValue]) -> Result<(), ConfigError> {
    let text = match read(path) {
        Err(ConfigError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let saved = save_values(&text, values).map_err(|error| match error {
        ConfigError::Unsavable { key, reason, .. } => {
            ConfigError::Unsavable { file: Some(path.to_owned()), key, reason }
        }
        error => error,
    })?;
    replace(path, &saved)
}

/// Writes the value of a module's parameter into the configuration at `path`, and returns the path
/// of the file that was changed. Comments, order and layout of everything else stay as they are;
/// the file is replaced as a whole or not at all.
///
/// If `parameters/<module>.toml` exists beside `path` it is changed, since it overrides the base
/// file; otherwise the table `[module.<module>]` at `path`, which is added if there is none.
/// [`Value::Nothing`] removes the parameter, so that its default applies again. The value is not
/// checked: use one that a running robot has accepted. An overlay or a `--set` that gives the same
/// parameter still overrides what is written here, as [`Origins::of`](crate::Origins::of) shows;
/// give the path of the overlay to change it there.
///
/// # Errors
/// Fails if the file cannot be read or written, is not TOML, or holds something else where the
/// parameter belongs.
///
/// ```no_run
/// use hemiola_config::save_parameter;
/// use hemiola_model::Value;
///
/// save_parameter("robot.toml".as_ref(), "BallFinder", "threshold", &Value::Float(0.72))?;
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
pub fn save_parameter(path: &Path, module: &str, name: &str, value: &Value) -> Result<PathBuf, ConfigError> {
    let own_file = beside(path, "parameters").join(format!("{module}.toml"));
    let has_own_file = is_plain_name(module) && own_file.is_file();
    let (path, section) = match has_own_file {
        true => (own_file, String::new()),
        false => (path.to_owned(), format!("module.{module}")),
    };
    // A base file that is missing means a wrong path, and is not created.
    read(&path)?;
    save_in_file(&path, &[SavedValue::new(section, name, value.clone())])?;
    Ok(path)
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST_TEXT as u64 + 1).read_to_string(&mut text))
        .and_then(|length| if length > LONGEST_TEXT { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) })
        .map_err(|error| ConfigError::File { action: "read", path: path.to_owned(), error })?;
    Ok(text)
}

/// Writes a new file beside the old one and renames it, so that a loss of power leaves one of the
/// two.
fn replace(path: &Path, text: &str) -> Result<(), ConfigError> {
    let write = || {
        // The target of a link is replaced, not the link; a new file is created at `path`.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut new_name = path.file_name().map(OsString::from).unwrap_or_default();
        new_name.push(".new");
        let new = path.with_file_name(new_name);
        let put_in_place = || {
            let mut file = File::create(&new)?;
            if let Ok(old) = fs::metadata(&path) {
                file.set_permissions(old.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        put_in_place().inspect_err(|_| _ = fs::remove_file(&new))
    };
    write().map_err(|error| ConfigError::File { action: "write", path: path.to_owned(), error })
}

/// Returns whether a module's name, which may come from a studio's request, stays in the folder.
fn is_plain_name(module: &str) -> bool {
    !module.is_empty() && !module.contains(['/', '\\', '.', '\0'])
}
