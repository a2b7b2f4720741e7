//! The behaviour of each module in the safe state and at the end of the robot.

use hemiola_model::module::{ModuleDescriptor, Update, registry};
use hemiola_plan::RobotDescription;
use hemiola_words::duration;

use crate::guard::StopCommand;
use crate::session::Session;

/// Returns a line for each module that is stopped, or that declares that it handles the safe state.
pub fn lines(session: &Session, guard: Option<&StopCommand>) -> Vec<String> {
    let description = session.robot.description();
    let modules: Vec<_> =
        registry::modules().into_iter().filter(|module| is_used(description, module.name())).collect();
    let within = duration(session.robot.configuration().safe_state.within);
    let mut lines = match modules.iter().any(ModuleDescriptor::has_safe_state) {
        true => vec![format!("in the safe state, and within {within} of the robot's end:")],
        false => {
            vec!["no module has a `#[safe_state]` method: no actuator is stopped when the robot ends".to_owned()]
        }
    };
    lines.extend(modules.iter().filter_map(line));
    lines.push(match guard {
        Some(command) => format!("when the robot's process dies, `{command}` runs"),
        None => "when the robot's process dies, nothing stops the actuators: robot.toml has no `[guard]`".to_owned(),
    });
    lines
}

fn is_used(description: &RobotDescription, module: &str) -> bool {
    description.cycles.iter().flat_map(|cycle| &cycle.modules).any(|used| used.name == module)
}

fn line(module: &ModuleDescriptor) -> Option<String> {
    let (heeding, others): (Vec<_>, Vec<_>) = module.updates().iter().partition(|update| update.heeds_safe_state());
    let name = module.name();
    match (module.has_safe_state(), heeding.as_slice(), others.as_slice()) {
        (false, [], _) => None,
        (false, heeding, _) => Some(format!("  {name} continues, and handles it in {}", names(heeding))),
        (true, [], _) => Some(format!("  {name} is stopped, and not updated")),
        (true, heeding, []) => Some(format!("  {name} is stopped, and continues with {}", names(heeding))),
        (true, heeding, others) => {
            Some(format!("  {name} is stopped, and continues with {}, without {}", names(heeding), names(others)))
        }
    }
}

fn names(updates: &[&Update]) -> String {
    updates.iter().map(|update| format!("`{}`", update.name())).collect::<Vec<_>>().join(", ")
}
