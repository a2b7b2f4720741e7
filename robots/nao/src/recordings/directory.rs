use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::table::Table;
use crate::NaoError;

/// The maximum size of a file that a robot records, uncompressed.
const LARGEST_FILE: u64 = 512 << 20;

/// Reads a whole file, and decompresses it if its name ends in `.gz`.
///
/// # Errors
/// The file cannot be read, or is larger than half a gigabyte.
pub fn read_bounded(file: &Path) -> Result<Vec<u8>, NaoError> {
    let open = File::open(file).map_err(NaoError::io(file))?;
    let mut bytes = Vec::new();
    let result = if file.extension().is_some_and(|extension| extension == "gz") {
        MultiGzDecoder::new(open).take(LARGEST_FILE + 1).read_to_end(&mut bytes)
    } else {
        open.take(LARGEST_FILE + 1).read_to_end(&mut bytes)
    };
    result.map_err(NaoError::io(file))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(NaoError::TooLarge { file: file.to_owned(), limit: LARGEST_FILE });
    }
    Ok(bytes)
}

/// Reads the table `name` of a directory, compressed (`name.gz`) or not; `None` if there is
/// neither.
///
/// # Errors
/// The table exists and cannot be read.
pub fn read_table(directory: &Path, name: &str) -> Result<Option<Table>, NaoError> {
    for name in [name.to_owned(), format!("{name}.gz")] {
        let file = directory.join(name);
        if file.is_file() {
            return Table::parse(&file, &read_bounded(&file)?).whole().map(Some);
        }
    }
    Ok(None)
}

/// Returns the files of a directory whose names end in one of `endings` (lower case), sorted by
/// name.
///
/// # Errors
/// The directory cannot be read.
pub fn files_with(directory: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, NaoError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(NaoError::io(directory))? {
        let path = entry.map_err(NaoError::io(directory))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if endings.iter().any(|ending| name.ends_with(ending)) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
