use std::path::Path;

use crate::{
    error::{StructureError, read},
    house::{Crate, House},
};

/// The promises of ARCHITECTURE.md that can be checked: the order of the crates, and the files with
/// `unsafe`.
#[derive(Debug)]
pub struct Architecture {
    /// The names in the table of crates, from the top: a crate may use only what stands above it.
    pub layers: Vec<String>,
    /// The modules with `unsafe`: `crate` or `crate/module/module`, each with all that is below it.
    pub unsafe_places: Vec<String>,
}

impl Architecture {
    /// Reads ARCHITECTURE.md of a workspace.
    pub fn read(root: &Path) -> Result<Self, StructureError> {
        let path = root.join("ARCHITECTURE.md");
        let text = read(&path)?;
        let layers = section(&text, "## Crates", "\n## ")
            .ok_or_else(|| StructureError::Missing { path: path.clone(), what: "section `## Crates`" })?
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('|').next())
            .flat_map(|cell| cell.split('`').step_by(2).map(str::to_owned).collect::<Vec<_>>())
            .filter(|name| !name.trim().is_empty())
            .collect();
        let places = section(&text, "- **`unsafe`** stands in", ";")
            .ok_or(StructureError::Missing { path, what: "list that begins with \"- **`unsafe`** stands in\"" })?;
        let unsafe_places =
            places.split('`').skip(1).step_by(2).flat_map(|names| expanded(&without_space(names))).collect();
        Ok(Self { layers, unsafe_places })
    }

    /// The crates of a workspace that have no place in the table.
    pub fn unplaced<'h>(&self, house: &'h House) -> Vec<&'h str> {
        house.crates.iter().filter(|one| self.place(one).is_none()).map(|one| one.name.as_str()).collect()
    }

    /// The needs of crates that lead up or sideways instead of down: the crate, and the one that it
    /// needs.
    pub fn arrows_up<'h>(&self, house: &'h House) -> Vec<(&'h str, &'h str)> {
        let mut found = Vec::new();
        for one in &house.crates {
            for need in &one.needs {
                let Some(needed) = house.crates.iter().find(|other| other.name == *need) else { continue };
                if let (Some(below), Some(above)) = (self.place(one), self.place(needed))
                    && above >= below
                    && !(above == below && needed.folder.starts_with(&one.folder))
                {
                    found.push((one.name.as_str(), need.as_str()));
                }
            }
        }
        found
    }

    /// Files with `unsafe` that the list does not name.
    pub fn unlisted_unsafe(&self, one: &Crate) -> Vec<String> {
        one.with_unsafe()
            .filter(|module| !self.unsafe_places.iter().any(|place| covers(place, &place_of(one, &module.path))))
            .map(|module| module.file.display().to_string())
            .collect()
    }

    /// Entries of the list below which there is no `unsafe`.
    pub fn listed_without_unsafe(&self, house: &House) -> Vec<&str> {
        let holds = |place: &&String| {
            house.crates.iter().any(|one| one.with_unsafe().any(|module| covers(place, &place_of(one, &module.path))))
        };
        self.unsafe_places.iter().filter(|place| !holds(place)).map(String::as_str).collect()
    }

    /// Returns the place of a crate in the table; crates for tests only stand below all others.
    fn place(&self, one: &Crate) -> Option<usize> {
        let named = self.layers.iter().position(|layer| *layer == one.name || *layer == one.folder);
        let by_folder = || self.layers.iter().position(|layer| one.folder.starts_with(&format!("{layer}/")));
        named.or_else(by_folder).or(one.folder.starts_with("tests/").then_some(self.layers.len()))
    }
}

/// Returns the name of a module as in the list: `runtime/blackboard/store`,
/// `bench/contestant/cell`.
fn place_of(one: &Crate, path: &[String]) -> String {
    let crate_name = one.folder.strip_prefix("crates/hemiola-").unwrap_or(&one.folder);
    let crate_name = crate_name.strip_prefix("crates/").unwrap_or(crate_name);
    [crate_name].into_iter().chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join("/")
}

fn covers(place: &str, module: &str) -> bool {
    module.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn section<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    let rest = &text[text.find(begin)? + begin.len()..];
    Some(&rest[..rest.find(end).unwrap_or(rest.len())])
}

fn without_space(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// Expands braces as a shell does: `a/{b,c/{d,e}}` is `a/b`, `a/c/d` and `a/c/e`.
fn expanded(text: &str) -> Vec<String> {
    let Some(open) = text.find('{') else { return vec![text.to_owned()] };
    let mut depth = 0;
    let mut parts = Vec::new();
    let mut from = open + 1;
    for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 1 && letter == ',' || depth == 0 {
            parts.push(&text[from..at]);
            from = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    let (before, after) = (&text[..open], &text[from.min(text.len())..]);
    parts.into_iter().flat_map(|part| expanded(&format!("{before}{part}{after}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_expand_as_in_a_shell() {
        assert_eq!(
            expanded("model/{module/{cell,port},representation}"),
            ["model/module/cell", "model/module/port", "model/representation"]
        );
        assert_eq!(expanded("{a,b}/{c,d}"), ["a/c", "a/d", "b/c", "b/d"]);
        assert_eq!(expanded("bus"), ["bus"]);
    }

    #[test]
    fn a_place_covers_what_is_below_it_and_no_namesake() {
        assert!(covers("runtime/tap", "runtime/tap/room"));
        assert!(covers("bus", "bus"));
        assert!(!covers("runtime/tap", "runtime/tape"));
    }
}
