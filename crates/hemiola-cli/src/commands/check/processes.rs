//! The processes of a robot: their cycles and sources, and what they send to each other.

use hemiola_model::configuration::{Configuration, Received, Subject};
use hemiola_trace::Known;
use hemiola_words::nanoseconds;

use crate::command_line::ConfigurationArguments;
use crate::commands::wrapped;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::Session;

/// One process of a robot.
pub struct Part {
    pub name: String,
    pub cycles: Vec<String>,
    /// The sources that run there, without those that deliver what another process sends.
    pub sources: Vec<String>,
    /// The topics and representations that are sent to each other process, and the services that
    /// are called there.
    pub sent: Vec<(String, Vec<Subject>, Vec<String>)>,
    /// The measurements of the process.
    pub known: Known,
}

/// Returns the processes of a robot; none if it is a single process.
///
/// # Errors
/// Returns an error if the robot cannot be split as configured.
pub fn parts(
    program: &Program,
    arguments: &ConfigurationArguments,
    whole: &Configuration,
) -> Result<Vec<Part>, CommandError> {
    let names = whole.process_names();
    let part = |name: &&str| {
        let arguments = ConfigurationArguments { process: Some((*name).to_owned()), ..arguments.clone() };
        let Session { robot: part, known, .. } = Session::open(program, &arguments)?;
        let fed = part.fed_sources();
        let sources = part.samples().into_iter().map(|(source, _)| source).filter(|source| !fed.contains(source));
        let links = part.configuration().links.iter().filter(|link| names.contains(&link.name.as_str()));
        let sent = links.map(|link| {
            (link.name.clone(), link.send.iter().map(|sent| sent.subject.clone()).collect(), link.call.clone())
        });
        Ok(Part {
            name: (*name).to_owned(),
            cycles: part.configuration().cycles.iter().map(|cycle| cycle.name.clone()).collect(),
            sources: sources.map(str::to_owned).collect(),
            sent: sent.collect(),
            known,
        })
    };
    names.iter().map(part).collect()
}

/// Returns lines for each process of a robot; none if it is a single process.
///
/// # Errors
/// Returns an error if the robot cannot be split as configured.
pub fn lines(
    program: &Program,
    arguments: &ConfigurationArguments,
    whole: &Configuration,
) -> Result<Vec<String>, CommandError> {
    let parts = parts(program, arguments, whole)?;
    let shown = |name: &str| match whole.host_of(name) {
        Some(host) => format!("{name} on {}", host.name),
        None => name.to_owned(),
    };
    let width = parts.iter().map(|part| shown(&part.name).chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for part in &parts {
        let runs: Vec<&str> = part.cycles.iter().chain(&part.sources).map(String::as_str).collect();
        let served = served(whole, &part.name).join(", ");
        let runs = if runs.is_empty() && !served.is_empty() { format!("serves {served}") } else { runs.join(", ") };
        lines.push(format!("process {:width$}  {runs}", shown(&part.name)));
        for (to, sent, called) in part.sent.iter().filter(|(_, sent, called)| !(sent.is_empty() && called.is_empty())) {
            let receiver = parts.iter().find(|there| there.name == *to).map(|there| &there.known);
            let sent = sent.iter().map(|subject| with_delay(subject, &part.name, receiver));
            let sent: Vec<_> = sent.chain(called.iter().cloned()).collect();
            let begin = format!("     to {to:width$}  ");
            let indent = begin.chars().count();
            lines.push(begin + &wrapped(&sent.join(", "), indent));
        }
    }
    Ok(lines)
}

/// Returns the services that robot.toml lets a process serve.
fn served<'c>(whole: &'c Configuration, process: &str) -> &'c [String] {
    whole.processes.iter().find(|it| it.name == process).map_or(&[], |process| &process.services)
}

/// Returns the name of what a process sends, with its longest latency, as far as the receiver has
/// measured it: `MotionRequest (210 µs)`.
fn with_delay(subject: &Subject, from: &str, receiver: Option<&Known>) -> String {
    let source = Received::new(subject.clone()).source(from);
    let measured = receiver.and_then(|known| known.profile.links.get(&source));
    match measured.map(|link| link.delay.maximum()).filter(|longest| *longest > 0) {
        Some(longest) => format!("{} ({})", subject.name, nanoseconds(longest)),
        None => subject.name.clone(),
    }
}
