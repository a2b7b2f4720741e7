//! Representations that links carry: those that nobody reads here, and those that are read
//! elsewhere.

use hemiola_config::{Diagnostic, Diagnostics, Origins};
use hemiola_model::configuration::{Configuration, Subject};
use hemiola_plan::Warning;
use hemiola_runtime::Robot;

/// Returns warnings of representations that links receive and no module reads.
pub fn unread(robot: &Robot, origins: &Origins) -> Diagnostics {
    let sources = robot.fed_sources();
    let received = robot.configuration().links.iter().flat_map(|link| link.receive.iter().map(move |it| (link, it)));
    let unread = received.filter(|(link, received)| {
        sources.iter().any(|source| *source == received.source(&link.name)) && !robot.reads(&received.subject.name)
    });
    unread
        .map(|(link, received)| {
            let message = format!("link `{}` receives the {}, which no module reads", link.name, received.subject);
            let help = "leave it out of `receive`, or run a module that reads it";
            let warning = Diagnostic::warning(message).help(help);
            let origin = origins.at(&["link", &link.name, "receive"]);
            origin.map_or(warning.clone(), |origin| warning.at(&origin.place, ""))
        })
        .collect()
}

/// Returns the warnings without those of representations that links send: they are read elsewhere.
pub fn without_sent(warnings: &[Warning], configuration: &Configuration) -> Vec<Warning> {
    let is_sent = |name: &String| {
        let subject = Subject::representation(name);
        configuration.links.iter().flat_map(|link| &link.send).any(|sent| sent.subject == subject)
    };
    let others = warnings.iter().filter(|warning| match warning {
        Warning::Unused { representation, .. } => !is_sent(representation),
        _ => true,
    });
    others.cloned().collect()
}
