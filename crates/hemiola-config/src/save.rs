use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hemiola_model::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike};

use crate::ConfigError;
use crate::document::LONGEST_TEXT;
use crate::load::beside;
use crate::toml_value::to_toml;

/// Writes the value of a module's parameter into the configuration at `path`, and tells which file was changed. Comments,
/// order and layout of everything else stay as they are; the file is replaced as a whole or not at all.
///
/// Where `parameters/<module>.toml` exists beside `path` it is changed, since it is put over the base file; otherwise the
/// table `[module.<module>]` at `path`, which is added if there is none. [`Value::Nothing`] takes the parameter out, so that
/// its default holds again. The value is not checked: take one that a running robot has accepted. An overlay or a `--set`
/// that gives the same parameter still wins over what is written here: [`Origins::of`](crate::Origins::of) tells; give the
/// path of the overlay to change it there.
///
/// # Errors
/// The file cannot be read or written, is no TOML, or holds something else where the parameter belongs.
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
    let path = if has_own_file { own_file } else { path.to_owned() };
    let refuse = |reason: String| ConfigError::CannotSave {
        path: path.clone(),
        module: module.to_owned(),
        name: name.to_owned(),
        reason,
    };

    let mut document: DocumentMut = read(&path)?.parse().map_err(|error| refuse(format!("{error}")))?;
    let table: &mut dyn TableLike = if has_own_file {
        document.as_table_mut()
    } else {
        module_table(document.as_table_mut(), module)
            .map_err(|table| refuse(format!("`{table}` is not a table there")))?
    };
    match to_toml(value) {
        Some(value) => set(table, name, value),
        None => _ = table.remove(name),
    }
    replace(&path, &document.to_string())?;
    Ok(path)
}

/// The table `[module.<module>]`, made if it is not there.
///
/// # Errors
/// The name of what is not a table.
fn module_table<'d>(root: &'d mut Table, module: &str) -> Result<&'d mut dyn TableLike, String> {
    let modules = root.entry("module").or_insert_with(|| {
        let mut modules = Table::new();
        modules.set_implicit(true);
        Item::Table(modules)
    });
    let modules = modules.as_table_like_mut().ok_or("module")?;
    let entry = modules.entry(module).or_insert_with(|| Item::Table(Table::new()));
    entry.as_table_like_mut().ok_or_else(|| format!("module.{module}"))
}

/// Sets a key; a value that is there keeps the space and the comment around it.
fn set(table: &mut dyn TableLike, name: &str, mut value: toml_edit::Value) {
    match table.get_mut(name) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(other) => *other = Item::Value(value),
        None => _ = table.insert(name, Item::Value(value)),
    }
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST_TEXT as u64 + 1).read_to_string(&mut text))
        .and_then(|length| if length > LONGEST_TEXT { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) })
        .map_err(|error| ConfigError::File { action: "read", path: path.to_owned(), error })?;
    Ok(text)
}

/// Writes a new file beside the old one and puts it in its place, so that a power cut leaves one of the two.
fn replace(path: &Path, text: &str) -> Result<(), ConfigError> {
    let write = || {
        let path = fs::canonicalize(path)?; // what a link points at, and not the link
        let mut new_name = path.file_name().map(OsString::from).unwrap_or_default();
        new_name.push(".new");
        let new = path.with_file_name(new_name);
        let put_in_place = || {
            let mut file = File::create(&new)?;
            file.set_permissions(fs::metadata(&path)?.permissions())?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        put_in_place().inspect_err(|_| _ = fs::remove_file(&new))
    };
    write().map_err(|error| ConfigError::File { action: "write", path: path.to_owned(), error })
}

/// A module's name comes from a studio's request as well; it must not lead out of the folder.
fn is_plain_name(module: &str) -> bool {
    !module.is_empty() && !module.contains(['/', '\\', '.', '\0'])
}
