//! The file that keeps the games of an experiment, so that one that was interrupted can go on.
//!
//! Its first line says what the games are played with, as [`Head`]. Every other line is a game,
//! appended when it has ended: whatever ends the program, only games that were going on are lost.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hemiola::trace::Profile;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::game::Outcome;
use crate::NaoError;

/// All that determines a game besides its condition and its seed, and the robot's program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The length of a game.
    pub length: Duration,
    /// The factor by which tasks take longer than in the profile.
    pub slower: f64,
    /// The settings of the robot.
    pub settings: Vec<String>,
    /// The durations of the robot's tasks.
    pub profile: Profile,
    /// The conditions.
    pub conditions: Vec<Condition>,
}

/// A line of the file: a game that has ended.
#[derive(Serialize, Deserialize)]
struct Played {
    condition: String,
    seed: u64,
    outcome: Outcome,
}

/// The games that have been played, and the file that keeps them, if there is one.
#[derive(Debug, Default)]
pub struct Kept {
    games: BTreeMap<(String, u64), Outcome>,
    file: Option<(PathBuf, File)>,
}

impl Kept {
    /// Returns what the games of a file were played with; `None` if there is no such file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or is another kind of file.
    pub fn head(path: &Path) -> Result<Option<Head>, NaoError> {
        let Some(text) = read(path)? else { return Ok(None) };
        let (head, _) = text.split_once('\n').unwrap_or((&text, ""));
        Ok(Some(parse(path, head)?))
    }

    /// Opens the file for games that are played with `head`, and reads those that it has; creates
    /// it if there is none.
    ///
    /// # Errors
    /// Returns an error if it can be neither read nor written, or has games that were played with
    /// something else.
    pub fn open(path: &Path, head: &Head) -> Result<Self, NaoError> {
        let mut games = BTreeMap::new();
        let text = read(path)?;
        let complete = text.as_ref().map(|text| text.len() as u64);
        match text {
            None => {
                let line = line(head)?;
                fs::write(path, line).map_err(NaoError::io(path))?;
            }
            Some(text) => {
                let (first, lines) = text.split_once('\n').unwrap_or((&text, ""));
                if parse::<Head>(path, first)? != *head {
                    return Err(NaoError::OtherGames { file: path.to_owned() });
                }
                for line in lines.lines() {
                    let Played { condition, seed, outcome } = parse(path, line)?;
                    games.insert((condition, seed), outcome);
                }
            }
        }
        let file = OpenOptions::new().append(true).open(path).map_err(NaoError::io(path))?;
        if let Some(length) = complete {
            // A line that was cut off is played again. Those before it are not written once more,
            // so that they cannot be lost.
            file.set_len(length).map_err(NaoError::io(path))?;
        }
        Ok(Self { games, file: Some((path.to_owned(), file)) })
    }

    /// Returns a game that has been played under a condition.
    #[must_use]
    pub fn get(&self, condition: &Condition, seed: u64) -> Option<&Outcome> {
        self.games.get(&(condition.name.clone(), seed))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn add(&mut self, condition: &Condition, seed: u64, outcome: Outcome) -> Result<(), NaoError> {
        let condition = condition.name.clone();
        if let Some((path, file)) = &mut self.file {
            let played = line(&Played { condition: condition.clone(), seed, outcome: outcome.clone() })?;
            file.write_all(played.as_bytes()).map_err(NaoError::io(&*path))?;
        }
        self.games.insert((condition, seed), outcome);
        Ok(())
    }
}

/// Reads all lines of a file that are complete; `None` if there is no such file.
fn read(path: &Path) -> Result<Option<String>, NaoError> {
    let mut text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(NaoError::io(path))?,
    };
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    Ok(Some(text))
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path, line: &str) -> Result<T, NaoError> {
    serde_json::from_str(line).map_err(|error| NaoError::NotKept { file: path.to_owned(), reason: error.to_string() })
}

fn line(value: &impl Serialize) -> Result<String, NaoError> {
    Ok(serde_json::to_string(value).map_err(io::Error::from)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(slower: f64) -> Head {
        let length = Duration::from_secs(60);
        Head { length, slower, settings: Vec::new(), profile: Profile::default(), conditions: Condition::all() }
    }

    /// Runs a test in a directory of its own.
    fn in_a_directory(name: &str, test: impl FnOnce(&Path)) {
        let directory = std::env::temp_dir().join(format!("nao-kept-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        test(&directory.join("games.json"));
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn games_are_kept_and_one_that_was_cut_off_is_not() {
        in_a_directory("cut", |path| {
            let conditions = Condition::all();
            let outcome = Outcome { goals: 2, position_error: 0.1 + 0.2, fingerprint: u64::MAX, ..Outcome::default() };
            let mut kept = Kept::open(path, &head(1.0)).unwrap();
            for seed in [1, 2] {
                kept.add(&conditions[1], seed, outcome.clone()).unwrap();
            }
            let text = fs::read(path).unwrap();
            fs::write(path, &text[..text.len() - 3]).unwrap();
            let mut kept = Kept::open(path, &head(1.0)).unwrap();
            assert_eq!(kept.get(&conditions[1], 1), Some(&outcome));
            assert_eq!((kept.get(&conditions[1], 2), kept.get(&conditions[0], 1)), (None, None));
            kept.add(&conditions[1], 2, outcome.clone()).unwrap();
            assert_eq!(Kept::open(path, &head(1.0)).unwrap().get(&conditions[1], 2), Some(&outcome));
        });
    }

    #[test]
    fn games_that_were_played_with_something_else_are_not_mixed_in() {
        in_a_directory("else", |path| {
            assert_eq!(Kept::head(path).unwrap(), None);
            Kept::open(path, &head(1.0)).unwrap();
            assert_eq!(Kept::head(path).unwrap(), Some(head(1.0)));
            let error = Kept::open(path, &head(2.0)).unwrap_err().to_string();
            assert!(error.contains("games.json") && error.contains("--keep"), "{error}");
            fs::write(path, "{}\n").unwrap();
            let error = Kept::open(path, &head(1.0)).unwrap_err().to_string();
            assert!(error.contains("games.json") && error.contains("--keep"), "{error}");
        });
    }
}
