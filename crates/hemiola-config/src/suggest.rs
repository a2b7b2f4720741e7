//! Suggestions of what was probably meant.

/// The length beyond which names are not typing errors; comparing them would only cost time.
const LONGEST: usize = 64;

/// Returns the candidate that `name` was probably meant to be.
///
/// Spelling that differs only in case or separators (`ball-finder`, `ballFinder`) always matches.
/// Otherwise one typing error (a letter wrong, missing, too much, or two swapped) is allowed per
/// three letters: enough for real errors, and too little to turn `rate` into `cores`.
///
/// ```
/// use hemiola_config::nearest;
///
/// assert_eq!(nearest("BallPercepts", ["BallModel", "BallPercept"]), Some("BallPercept"));
/// assert_eq!(nearest("rate", ["cores"]), None);
/// ```
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if name.len() > LONGEST {
        return None;
    }
    let plain = simplify(name);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST && *candidate != name)
        .map(|candidate| (strsim::damerau_levenshtein(&plain, &simplify(candidate)), candidate))
        .filter(|&(slips, candidate)| slips <= plain.chars().count().min(candidate.chars().count()).div_ceil(3))
        .min_by_key(|&(slips, candidate)| (slips, candidate))
        .map(|(_, candidate)| candidate)
}

/// Returns a description of the error that there is no `kind` of that name, with the one that was
/// probably meant, and all that exist.
///
/// ```
/// use hemiola_config::unknown;
///
/// let text = unknown("cycle", "moton", ["motion", "vision"]);
/// assert_eq!(text, "there is no cycle `moton`, did you mean `motion`? There are: motion, vision");
/// ```
pub fn unknown(kind: &str, name: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let meant = nearest(name, known.iter().copied());
    match (known.as_slice(), meant) {
        ([], _) => format!("there is no {kind} `{name}`, and no other either"),
        (known, Some(meant)) => {
            format!("there is no {kind} `{name}`, did you mean `{meant}`? There are: {}", known.join(", "))
        }
        (known, None) => format!("there is no {kind} `{name}`; there are: {}", known.join(", ")),
    }
}

/// Lists the names for people, truncated when the list gets long.
pub(crate) fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 20;
    let names: Vec<_> = names.into_iter().collect();
    let mut text = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

fn simplify(name: &str) -> String {
    name.chars().filter(|character| !matches!(character, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let keys = ["threshold", "rate", "cores", "workers", "deadline"];
        assert_eq!(nearest("treshold", keys), Some("threshold"));
        assert_eq!(nearest("rtae", keys), Some("rate"));
        assert_eq!(nearest("dead-line", keys), Some("deadline"));
        assert_eq!(nearest("ballFinder", ["BallFinder", "BallFilter"]), Some("BallFinder"));
        assert_eq!(nearest("priority", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest(&"x".repeat(100_000), keys), None);
    }
}
