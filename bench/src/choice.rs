//! Selection by name.

use crate::error::BenchError;

/// Keeps the requested items, or all if none was requested.
pub fn choose<T>(
    what: &'static str,
    all: &mut Vec<T>,
    wanted: &[String],
    name: impl Fn(&T) -> &'static str,
) -> Result<(), BenchError> {
    let known: Vec<String> = all.iter().map(|one| name(one).to_owned()).collect();
    if let Some(unknown) = wanted.iter().find(|wanted| !known.contains(wanted)) {
        return Err(BenchError::Unknown { what, name: unknown.clone(), known });
    }
    all.retain(|one| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name(one)));
    Ok(())
}
