//! The texts of problems that need more than one sentence: what is wrong, where, why, and what to
//! do.

use std::fmt::{Display, Write};

use super::{Party, Reading};
use crate::circle::Cut;

pub(super) fn missing(
    where_: &str,
    representation: &str,
    readers: &[Reading],
    similar: &Option<(String, Party)>,
    would_provide: &[(String, Option<String>)],
) -> String {
    let mut text = format!("{where_}: nobody provides `{representation}`; {}.", list(readers));
    if let Some((name, provider)) = similar {
        let _ = write!(text, "\n  Did you mean `{name}`, which {} provides?", provider.place());
    }
    for (module, location) in would_provide {
        let location = location.as_ref().map(|location| format!(" ({location})")).unwrap_or_default();
        let _ = write!(text, "\n  Module `{module}`{location} would provide it, but runs in no cycle: add it to one.");
    }
    if similar.is_none() && would_provide.is_empty() {
        text += "\n  Add a module or a source that provides it, or remove its readers.";
    }
    text
}

pub(super) fn doubled(
    cycle: &str,
    representation: &str,
    candidates: &[Party],
    chosen_elsewhere: Option<&str>,
) -> String {
    let mut text =
        format!("cycle `{cycle}`: `{representation}` has {} providers: {}.", candidates.len(), list(candidates));
    if let Some(chosen) = chosen_elsewhere {
        let _ = write!(
            text,
            "\n  [providers] chooses `{chosen}`, which does not run in this cycle: remove all of them but one from it."
        );
    } else {
        text += &settle(representation, candidates);
    }
    text
}

pub(super) fn several_origins(where_: &str, representation: &str, readers: &[Reading], origins: &[Party]) -> String {
    let mut text = format!(
        "{where_}: `{representation}` has to come from outside ({}), and {} provide it: {}.",
        list(readers),
        origins.len(),
        list(origins.iter().map(Party::place))
    );
    let distinct =
        origins.iter().all(|origin| origins.iter().filter(|other| other.choice() == origin.choice()).count() == 1);
    if distinct {
        text += &settle(representation, origins);
    } else {
        text += "\n  They have the same name, so [providers] cannot distinguish them: let one of them provide it under another name.";
    }
    text
}

/// Returns the exact lines that choose the provider of `representation`, with the first candidate
/// as the example.
fn settle(representation: &str, candidates: &[Party]) -> String {
    let mut text = format!(
        "\n  Choose one in robot.toml:\n    [providers]\n    {representation} = \"{}\"",
        candidates[0].choice()
    );
    let others: Vec<_> = candidates[1..].iter().map(|other| format!("\"{}\"", other.choice())).collect();
    let _ = write!(text, "   # or {}", others.join(" or "));
    text
}

pub(super) fn circular(cycle: &str, circle: &[(Party, Vec<String>)], cuts: &[Cut], tangled: usize) -> String {
    let short = |party: &Party| match party {
        Party::Update { module, update, .. } => format!("{module}.{update}"),
        Party::Sample { source, sample } => format!("{source}.{sample}"),
    };
    let mut text = format!("cycle `{cycle}`: updates wait for each other in a circle:\n    ");
    for (party, through) in circle {
        let _ = write!(text, "{} -({})-> ", short(party), through.join(", "));
    }
    text += &short(&circle[0].0);
    if tangled > circle.len() {
        let _ = write!(text, "\n  It is the shortest of several circles; {tangled} updates are caught in them.");
    }
    text += "\n  One of them has to use the value of the previous run. To cut ";
    text += if tangled > circle.len() { "all circles at once:" } else { "the circle:" };
    for (number, cut) in cuts.iter().enumerate() {
        let _ = write!(text, "\n    {} {cut}", if number == 0 { "-" } else { "- or" });
    }
    text
}

pub(super) fn unknown_choice(
    representation: &str,
    chosen: &str,
    similar: Option<&str>,
    is_linked: bool,
    candidates: &[Party],
) -> String {
    let entry = format!("robot.toml: [providers] says `{representation} = \"{chosen}\"`");
    let mut text = if is_linked {
        format!("{entry}, but `{chosen}` runs in no cycle.\n  The module exists: add it to a cycle.")
    } else {
        format!("{entry}, but no module or source is named `{chosen}`.")
    };
    if let Some(similar) = similar {
        let _ = write!(text, "\n  Did you mean `{similar}`?");
    }
    text += &provided_by(representation, candidates);
    text
}

pub(super) fn choice_does_not_provide(
    representation: &str,
    chosen: &str,
    provides: &[String],
    similar: Option<&str>,
    candidates: &[Party],
) -> String {
    let what = if provides.is_empty() {
        "nothing at all".to_string()
    } else {
        list(provides.iter().map(|name| format!("`{name}`")))
    };
    let mut text = format!(
        "robot.toml: [providers] says `{representation} = \"{chosen}\"`, but `{chosen}` does not provide it; it provides {what}."
    );
    if let Some(similar) = similar {
        let _ = write!(text, "\n  Did you mean the representation `{similar}`?");
    }
    text += &provided_by(representation, candidates);
    text
}

fn provided_by(representation: &str, candidates: &[Party]) -> String {
    if candidates.is_empty() {
        format!("\n  Nobody provides `{representation}`.")
    } else {
        format!("\n  `{representation}` is provided by {}.", list(candidates.iter().map(Party::place)))
    }
}

pub(super) fn unknown_trigger(
    cycle: &str,
    source: &str,
    sample: &str,
    similar: Option<&str>,
    known: &[String],
) -> String {
    let mut text = format!("cycle `{cycle}` is triggered by `{source}.{sample}`, which no source delivers.");
    if let Some(similar) = similar {
        let _ = write!(text, "\n  Did you mean `{similar}`?");
    }
    if known.is_empty() {
        text += "\n  This robot has no sources: give the cycle a rate, or link a source.";
    } else {
        let _ = write!(text, "\n  Known samples: {}.", list(known.iter().map(|name| format!("`{name}`"))));
    }
    text
}

/// Formats a list as "a", "a and b" or "a, b and c"; beyond six the rest is counted.
pub(super) fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    const SHOWN: usize = 6;
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.len() > SHOWN + 1 {
        let rest = items.len() - SHOWN;
        items.truncate(SHOWN);
        items.push(format!("{rest} more"));
    }
    match items.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
