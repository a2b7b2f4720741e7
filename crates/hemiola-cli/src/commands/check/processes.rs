//! The processes of a robot: what runs in each, and what it sends to others.

use hemiola_model::configuration::Configuration;

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
    let shown = |name: &str| match whole.host_of(name) {
        Some(host) => format!("{name} on {}", host.name),
        None => name.to_owned(),
    };
    let width = names.iter().map(|name| shown(name).chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for name in &names {
        let arguments = ConfigurationArguments { process: Some((*name).to_owned()), ..arguments.clone() };
        let part = Session::open(program, &arguments)?.robot;
        let cycles = part.configuration().cycles.iter().map(|cycle| cycle.name.as_str());
        let fed = part.fed_sources();
        let sources = part.samples().into_iter().map(|(source, _)| source).filter(|source| !fed.contains(source));
        let runs: Vec<&str> = cycles.chain(sources).collect();
        lines.push(format!("process {:width$}  {}", shown(name), runs.join(", ")));
        for link in part.configuration().links.iter().filter(|link| names.contains(&link.name.as_str())) {
            let sent: Vec<_> = link.send.iter().map(|sent| sent.subject.name.as_str()).collect();
            if !sent.is_empty() {
                let begin = format!("     to {:width$}  ", link.name);
                let indent = begin.chars().count();
                lines.push(begin + &wrapped(&sent.join(", "), indent));
            }
        }
    }
    Ok(lines)
}
