use std::path::PathBuf;

/// The numbered traces that a robot leaves in a folder.
///
/// ```
/// use hemiola_insight::Traces;
///
/// let traces = Traces::new("/robots/cart/traces", "cart");
/// assert_eq!(traces.next_free(), std::path::Path::new("/robots/cart/traces/cart-1.pftrace"));
/// assert_eq!(traces.newest(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traces {
    folder: PathBuf,
    robot: String,
}

impl Traces {
    /// Describes the traces of the robot of that name.
    pub fn new(folder: impl Into<PathBuf>, robot: impl Into<String>) -> Self {
        Self { folder: folder.into(), robot: robot.into() }
    }

    /// Returns the robot's name.
    pub fn robot(&self) -> &str {
        &self.robot
    }

    /// Returns the folder of the traces.
    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// Returns the path of the next trace, whose number is one more than the highest that exists.
    pub fn next_free(&self) -> PathBuf {
        let last = self.numbers().map(|(number, _)| number).max().unwrap_or(0);
        self.folder.join(format!("{}-{}.pftrace", self.robot, u64::from(last) + 1))
    }

    /// Returns the path of the trace with the highest number.
    pub fn newest(&self) -> Option<PathBuf> {
        self.numbers().max().map(|(_, path)| path)
    }

    fn numbers(&self) -> impl Iterator<Item = (u32, PathBuf)> {
        let number = |path: &PathBuf| -> Option<u32> {
            let name = path.file_name()?.to_str()?.strip_prefix(&self.robot)?.strip_prefix('-')?;
            name.strip_suffix(".pftrace")?.parse().ok()
        };
        let files = self.folder.read_dir().into_iter().flatten().flatten().map(|file| file.path());
        files.filter_map(move |path| Some((number(&path)?, path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_numbered_by_robot_and_never_overwritten() {
        let folder = std::env::temp_dir().join(format!("hemiola-traces-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["cart-2.pftrace", "cart-10.pftrace", "cart-x.pftrace", "cart-11.mcap", "dog-40.pftrace"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let traces = Traces::new(&folder, "cart");
        assert_eq!(traces.newest(), Some(folder.join("cart-10.pftrace")));
        assert_eq!(traces.next_free(), folder.join("cart-11.pftrace"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
