//! The uses between the top-level modules of a crate, and the circles among them: the strongly
//! connected components of that graph.

use std::collections::{BTreeMap, BTreeSet};

use crate::module_tree::Module;

/// The top-level modules of a crate, and which of them use which.
#[derive(Debug, Default)]
pub struct ModuleGraph {
    /// The modules that each module uses, with the places where it does.
    pub arrows: BTreeMap<String, BTreeMap<String, Vec<Arrow>>>,
}

/// One place where a module uses another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The file, relative to the workspace.
    pub file: String,
    /// The path that it names, as from the crate's root.
    pub path: String,
}

impl ModuleGraph {
    /// Adds the modules of a target, which is a library or a program.
    pub fn add(&mut self, modules: &[Module]) {
        let root = modules.iter().find(|module| module.path.is_empty());
        let rooms: BTreeSet<&String> = modules.iter().filter_map(|module| module.path.first()).collect();
        for room in &rooms {
            self.arrows.entry((*room).clone()).or_default();
        }
        let top = Top { root, rooms: &rooms, modules };
        for module in modules {
            let Some(room) = module.path.first() else { continue };
            for named in &module.source.paths {
                let mut here = module.path.clone();
                here.extend(named.within.iter().cloned());
                let Some(path) = absolute(&here, &named.segments) else { continue };
                let Some(target) = top.room_of(&path) else { continue };
                if target != *room {
                    let arrow = Arrow { file: module.file.display().to_string(), path: path.join("::") };
                    let places = self.arrows.entry(room.clone()).or_default().entry(target).or_default();
                    if !places.contains(&arrow) {
                        places.push(arrow);
                    }
                }
            }
        }
    }

    /// The circles of two modules or more, the largest first.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let names: Vec<&String> = self.arrows.keys().collect();
        let reached: Vec<BTreeSet<&String>> = names.iter().map(|name| self.reached_from(name)).collect();
        let mut circles: Vec<Vec<String>> = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if circles.iter().any(|circle| circle.contains(name)) {
                continue;
            }
            let circle: Vec<String> = names
                .iter()
                .enumerate()
                .filter(|(other, there)| *other == at || reached[at].contains(*there) && reached[*other].contains(name))
                .map(|(_, there)| (*there).clone())
                .collect();
            if circle.len() > 1 {
                circles.push(circle);
            }
        }
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        circles
    }

    /// Returns every place where a module of a circle uses another one of it.
    pub fn inside(&self, circle: &[String]) -> Vec<(String, String, Vec<Arrow>)> {
        let mut found = Vec::new();
        for (from, targets) in &self.arrows {
            for (to, places) in targets {
                if circle.contains(from) && circle.contains(to) {
                    found.push((from.clone(), to.clone(), places.clone()));
                }
            }
        }
        found
    }

    fn reached_from<'a>(&'a self, start: &str) -> BTreeSet<&'a String> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&String> = self.arrows.get(start).into_iter().flat_map(BTreeMap::keys).collect();
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(self.arrows.get(next).into_iter().flat_map(BTreeMap::keys));
            }
        }
        reached
    }
}

struct Top<'a> {
    root: Option<&'a Module>,
    rooms: &'a BTreeSet<&'a String>,
    modules: &'a [Module],
}

impl Top<'_> {
    /// Returns the top-level module that a path from the crate's root leads into. Names that the
    /// root re-exports belong to the module that they come from, names that the root itself
    /// declares to none.
    fn room_of(&self, path: &[String]) -> Option<String> {
        let first = path.first()?;
        if self.rooms.contains(first) {
            return Some(first.clone());
        }
        let root = self.root?;
        if root.source.declares.contains(first) {
            return None;
        }
        for (name, from) in &root.source.imports {
            let from = absolute(&[], from).unwrap_or_else(|| from.clone());
            let Some(room) = from.first().filter(|room| self.rooms.contains(room)) else { continue };
            if name == first || name == "*" && self.declares(&from[..from.len() - 1], first) {
                return Some(room.clone());
            }
        }
        // The path of a macro of the crate is as if the macro stood in the root.
        let home = self
            .modules
            .iter()
            .find(|module| !module.path.is_empty() && path.len() == 1 && module.source.declares.contains(first));
        home.filter(|_| first.chars().all(|letter| letter.is_lowercase() || letter == '_'))
            .map(|module| module.path[0].clone())
    }

    fn declares(&self, path: &[String], name: &str) -> bool {
        let module = self.modules.iter().find(|module| module.path == path);
        module.is_some_and(|module| {
            module.source.declares.contains(name) || module.source.imports.iter().any(|(import, _)| import == name)
        })
    }
}

/// Returns a path as seen from the crate's root, if it begins with `crate`, `self` or `super`.
fn absolute(here: &[String], segments: &[String]) -> Option<Vec<String>> {
    let mut at = here.to_vec();
    let mut rest = segments;
    match segments.first()?.as_str() {
        "crate" => {
            at.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {}
        _ => return None,
    }
    while rest.first().is_some_and(|segment| segment == "super") {
        at.pop();
        rest = &rest[1..];
    }
    at.extend(rest.iter().cloned());
    Some(at)
}
