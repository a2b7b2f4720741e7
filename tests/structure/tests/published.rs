//! What crates.io, docs.rs and users need of each crate that may be published.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

use hemiola_structure::House;
use toml::{Table, Value};

/// A crate that does not say `publish`.
struct Published {
    name: String,
    manifest: Table,
    licence: Option<String>,
}

fn manifest(path: &Path) -> Table {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn house() -> House {
    House::here().unwrap_or_else(|error| panic!("{error}"))
}

fn published(house: &House) -> Vec<Published> {
    let of = |folder: &str| {
        let folder = house.root.join(folder);
        let manifest = manifest(&folder.join("Cargo.toml"));
        let package = &manifest["package"];
        if package.get("publish").is_some() {
            return None;
        }
        let name = package["name"].as_str()?.to_owned();
        Some(Published { name, manifest, licence: fs::read_to_string(folder.join("LICENSE")).ok() })
    };
    let found: Vec<_> = house.crates.iter().filter_map(|one| of(&one.folder)).collect();
    assert!(found.iter().any(|one| one.name == "hemiola"), "users name it");
    found
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn every_published_crate_says_what_it_is() {
    let house = house();
    let licence = fs::read_to_string(house.root.join("LICENSE")).unwrap();
    for Published { name, manifest, licence: own } in published(&house) {
        let package = manifest["package"].as_table().unwrap();
        let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
        assert!(text("description").ends_with('.'), "{name}: a description is a sentence");
        assert_eq!(text("documentation"), format!("https://docs.rs/{name}"));
        let keywords = texts(package.get("keywords"));
        assert!(
            (3..=5).contains(&keywords.len()) && keywords.iter().all(|word| word.len() <= 20),
            "{name}: {keywords:?}"
        );
        assert!((1..=5).contains(&texts(package.get("categories")).len()), "{name}: categories");
        assert_eq!(own.as_ref(), Some(&licence), "{name}: its archive has the licence: ln -s ../../LICENSE");
        assert!(package["metadata"]["docs"]["rs"].get("targets").is_some(), "{name}: what docs.rs builds");
        let workspace = || package["include"].get("workspace").is_some();
        let included = texts(package.get("include"));
        assert!(
            workspace() || ["/src/**", "/LICENSE"].iter().all(|path| included.contains(path)),
            "{name}: {included:?}"
        );
    }
}

/// An archive names its dependencies by version. Those of tests would have to be published before
/// the crate that they test, which they need: they have a path alone, and are left out of it.
#[test]
fn published_crates_need_published_crates_only() {
    let house = house();
    let root = manifest(&house.root.join("Cargo.toml"));
    let version = &root["workspace"]["package"]["version"];
    let shared = root["workspace"]["dependencies"].as_table().unwrap();
    let published = published(&house);
    let is_ours = |name: &str| house.crates.iter().any(|one| one.name == name);
    for Published { name, manifest, .. } in &published {
        let needs = |section: &str| {
            let section = manifest.get(section).and_then(Value::as_table).cloned().unwrap_or_default();
            section.into_iter().filter(|(needed, _)| is_ours(needed)).collect::<Vec<_>>()
        };
        for (needed, how) in needs("dependencies") {
            assert!(published.iter().any(|one| one.name == needed), "{name} needs {needed}, which is not published");
            assert!(how.get("workspace").is_some(), "{name}: {needed}: its version is in the workspace");
            assert_eq!(shared[&needed].get("version"), Some(version), "{needed}: in [workspace.dependencies]");
        }
        for (needed, how) in needs("dev-dependencies") {
            let has_version = how.get("workspace").is_some() && shared[&needed].get("version").is_some();
            let is_circle = published.iter().any(|one| one.name == needed);
            assert!(
                !(has_version && is_circle && needed_by(&published, &needed, name)),
                "{name}: {needed}: say its path alone"
            );
        }
    }
}

/// Returns whether `of` is among all that `needed` needs.
fn needed_by(published: &[Published], needed: &str, of: &str) -> bool {
    let one = published.iter().find(|one| one.name == needed);
    let table = one.and_then(|one| one.manifest.get("dependencies")?.as_table());
    table.is_some_and(|table| table.keys().any(|next| next == of || needed_by(published, next, of)))
}
