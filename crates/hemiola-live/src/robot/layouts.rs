//! The layouts of the page that people have saved. They are in a file beside the robot's
//! configuration, so that a team shares them.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::RobotFacts;
use crate::protocol::NamedLayout;

/// The maximum size of all layouts together, in bytes.
const LONGEST: usize = 256 << 10;
/// The most layouts.
const MOST: usize = 100;

/// Saves or removes a layout, and returns all layouts.
pub fn perform(facts: &RobotFacts, save: Option<NamedLayout>, remove: Option<&str>) -> Result<Value, String> {
    let path = facts.file.as_deref().map(file);
    let mut layouts = path.as_deref().map(read).transpose()?.unwrap_or_default();
    if save.is_none() && remove.is_none() {
        return Ok(json!(layouts));
    }
    let path = path.ok_or("the configuration is part of the program: there is no folder to save layouts in")?;
    if let Some(NamedLayout { name, layout }) = save {
        if name.is_empty() || name.chars().count() > 60 || name.chars().any(char::is_control) {
            return Err(
                "the name of a layout must have 1 to 60 characters, none of them a control character".to_owned()
            );
        }
        layouts.insert(name, layout);
    }
    remove.map(|name| layouts.remove(name));
    if layouts.len() > MOST {
        return Err(format!("there are {MOST} layouts already, which is the limit: remove one"));
    }
    let text = serde_json::to_string_pretty(&layouts).map_err(|error| error.to_string())? + "\n";
    if text.len() > LONGEST {
        return Err("all layouts together must not exceed 256 KiB".to_owned());
    }
    // The file is replaced atomically.
    let fresh = path.with_extension("json.new");
    fs::write(&fresh, text)
        .and_then(|()| fs::rename(&fresh, &path))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    Ok(json!(layouts))
}

/// Returns the file of the layouts, beside the robot's own file.
fn file(robot: &Path) -> PathBuf {
    robot.with_file_name("page.json")
}

fn read(path: &Path) -> Result<BTreeMap<String, Value>, String> {
    match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| format!("{} is damaged: {error}", path.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}
