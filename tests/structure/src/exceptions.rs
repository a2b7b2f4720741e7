use std::{collections::BTreeMap, path::Path};

use crate::error::{StructureError, read};

/// What does not hold yet, from `exceptions.toml`: per crate, as it was when the check was written.
/// Numbers there may only shrink.
#[derive(Debug, Default)]
pub struct Exceptions {
    crates: BTreeMap<String, Tolerated>,
}

/// What one crate may still have.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tolerated {
    /// The sizes of its circles of more than two modules, the largest first.
    pub circles: Vec<usize>,
    /// How many of its files name atomics past `sync.rs`.
    pub atomics: usize,
    /// How many of its files hold `unsafe` without expecting it.
    pub unexpected_unsafe: usize,
    /// Its root does not deny `unsafe` yet.
    pub unsafe_not_denied: bool,
}

impl Exceptions {
    /// Reads the exceptions of this check.
    pub fn read() -> Result<Self, StructureError> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("exceptions.toml");
        let table: toml::Table = read(&path)?.parse().map_err(|cause| StructureError::NotToml { path, cause })?;
        let number = |value: Option<&toml::Value>| value.and_then(toml::Value::as_integer).unwrap_or(0) as usize;
        let crates = table
            .into_iter()
            .map(|(name, of_crate)| {
                let circles = of_crate.get("circles").and_then(toml::Value::as_array).cloned().unwrap_or_default();
                let tolerated = Tolerated {
                    circles: circles.iter().map(|size| number(Some(size))).collect(),
                    atomics: number(of_crate.get("atomics")),
                    unexpected_unsafe: number(of_crate.get("unexpected_unsafe")),
                    unsafe_not_denied: of_crate
                        .get("unsafe_not_denied")
                        .and_then(toml::Value::as_bool)
                        .unwrap_or(false),
                };
                (name, tolerated)
            })
            .collect();
        Ok(Self { crates })
    }

    /// What a crate may still have.
    pub fn of(&self, name: &str) -> Tolerated {
        self.crates.get(name).cloned().unwrap_or_default()
    }
}
