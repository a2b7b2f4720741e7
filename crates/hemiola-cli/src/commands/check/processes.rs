//! The processes of a robot: what runs in each, and what it sends to others.

use hemiola_model::configuration::{Configuration, Received, Subject};
use hemiola_trace::Known;
use hemiola_words::nanoseconds;

use crate::command_line::ConfigurationArguments;
use crate::commands::wrapped;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::Session;

/// Returns lines for each process of a robot; none if it is a single one.
///
/// # Errors
/// The robot cannot be cut like that.
pub fn lines(
    program: &Program,
    arguments: &ConfigurationArguments,
    whole: &Configuration,
) -> Result<Vec<String>, CommandError> {
    let names = whole.process_names();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    let open = |name: &&str| {
        let arguments = ConfigurationArguments { process: Some((*name).to_owned()), ..arguments.clone() };
        Session::open(program, &arguments)
    };
    let parts = names.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    for (name, Session { robot: part, .. }) in names.iter().zip(&parts) {
        let cycles = part.configuration().cycles.iter().map(|cycle| cycle.name.as_str());
        let fed = part.fed_sources();
        let sources = part.samples().into_iter().map(|(source, _)| source).filter(|source| !fed.contains(source));
        let runs: Vec<&str> = cycles.chain(sources).collect();
        lines.push(format!("process {name:width$}  {}", runs.join(", ")));
        for link in part.configuration().links.iter().filter(|link| names.contains(&link.name.as_str())) {
            let receiver = names.iter().position(|there| *there == link.name).map(|there| &parts[there].known);
            let sent: Vec<_> = link.send.iter().map(|sent| with_delay(&sent.subject, name, receiver)).collect();
            if !sent.is_empty() {
                let begin = format!("     to {:width$}  ", link.name);
                let indent = begin.chars().count();
                lines.push(begin + &wrapped(&sent.join(", "), indent));
            }
        }
    }
    Ok(lines)
}

/// Returns the name of what a process sends, with the longest that it took, as far as the receiver
/// knows that: `MotionRequest (210 µs)`.
fn with_delay(subject: &Subject, from: &str, receiver: Option<&Known>) -> String {
    let source = Received::new(subject.clone()).source(from);
    let measured = receiver.and_then(|known| known.profile.links.get(&source));
    match measured.map(|link| link.delay.maximum()).filter(|longest| *longest > 0) {
        Some(longest) => format!("{} ({})", subject.name, nanoseconds(longest)),
        None => subject.name.clone(),
    }
}
