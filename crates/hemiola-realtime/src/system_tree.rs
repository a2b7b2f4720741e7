//! The files in which a Linux kernel describes itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The folders `proc` and `sys` below a root folder. Files that cannot be read or understood are
/// absent.
pub(crate) struct SystemTree {
    root: PathBuf,
}

impl SystemTree {
    pub(crate) fn below(root: &Path) -> Self {
        SystemTree { root: root.to_path_buf() }
    }

    pub(crate) fn of_this_machine() -> Self {
        Self::below(Path::new("/"))
    }

    /// Returns the file's text without white space around it.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok().map(|text| text.trim().to_string())
    }

    /// Returns the file's text as a number or the like.
    pub(crate) fn value<T: FromStr>(&self, path: &str) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// Returns the file as a list of cores, such as `0-3,8`.
    pub(crate) fn cores(&self, path: &str) -> Option<Vec<usize>> {
        parse_cores(&self.text(path)?)
    }

    /// Returns the soft limit that `proc/self/limits` states under `name`; `None` inside if there
    /// is none.
    pub(crate) fn limit(&self, name: &str) -> Option<Option<u64>> {
        let limits = self.text("proc/self/limits")?;
        let soft = limits.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?;
        if soft == "unlimited" { Some(None) } else { soft.parse().ok().map(Some) }
    }

    /// Returns the folders and files in a folder, sorted.
    pub(crate) fn entries(&self, path: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.root.join(path))
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names
    }

    /// Returns the texts of the files called `version_2` of this process' control group for the
    /// processor, and of all groups around it, innermost first. `version_1` is the name of the file
    /// in a hierarchy of the first version.
    pub(crate) fn control_group_files(&self, version_1: &str, version_2: &str) -> Vec<String> {
        let membership = self.text("proc/self/cgroup").unwrap_or_default();
        let mut texts = Vec::new();
        for line in membership.lines() {
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
            let (hierarchy, file) = if controllers.is_empty() {
                ("sys/fs/cgroup".to_string(), version_2)
            } else if controllers.split(',').any(|controller| controller == "cpu") {
                (format!("sys/fs/cgroup/{controllers}"), version_1)
            } else {
                continue;
            };
            for ancestor in Path::new(group.trim_start_matches('/')).ancestors() {
                texts.extend(self.text(&format!("{hierarchy}/{}/{file}", ancestor.display())));
            }
        }
        texts
    }
}

/// Parses `0-3,8` as the kernel writes lists of cores; an empty text is an empty list.
pub(crate) fn parse_cores(list: &str) -> Option<Vec<usize>> {
    /// The largest number of cores, more than any kernel is built for: a damaged file must not fill
    /// the memory.
    const MOST: usize = 1 << 16;
    let mut cores = Vec::new();
    for range in list.split(',').map(str::trim).filter(|range| !range.is_empty() && *range != "(null)") {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last >= MOST {
            return None;
        }
        cores.extend(first..=last);
    }
    Some(cores)
}

/// Returns the word in brackets, as in `always [madvise] never` or `none (full)`.
pub(crate) fn chosen(options: &str) -> Option<&str> {
    options.split_whitespace().find_map(|word| {
        word.strip_prefix('[')
            .and_then(|word| word.strip_suffix(']'))
            .or_else(|| word.strip_prefix('(').and_then(|word| word.strip_suffix(')')))
    })
}
