//! The module graph of the example robot, the NAO of this repository, as its own program describes
//! it: for machines that lack the graph of the real robot.

use std::path::Path;
use std::process::{Command, Stdio};

use hemiola_plan::{
    Access, CycleDescription, ModuleDescription, RobotDescription, SampleDescription, SourceDescription, Trigger,
    UpdateDescription, resolve,
};
use serde::Deserialize;

use super::nao_devils::Cycle;
use crate::robot;

/// Returns motion and cognition with the same synthetic durations as the real robot's, as the
/// robot's program lists its modules. The error says why there are none.
pub fn cycles(bench: &Path) -> Result<Vec<Cycle>, String> {
    let program = robot::program(bench)?;
    let mut command = Command::new(&program);
    command.args(["modules", "--json", "--config"]).arg(robot::configuration());
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned());
    }
    read(&String::from_utf8_lossy(&output.stdout))
}

/// Reads what `modules --json` prints.
fn read(json: &str) -> Result<Vec<Cycle>, String> {
    let listed: Listed = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let robot = RobotDescription {
        cycles: listed.cycles.into_iter().map(CycleDescription::from).collect(),
        sources: listed.sources.into_iter().map(SourceDescription::from).collect(),
        ..RobotDescription::default()
    };
    let resolved =
        resolve(&robot).map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    Ok(resolved.cycles.iter().filter_map(Cycle::of).collect())
}

#[derive(Deserialize)]
struct Listed {
    cycles: Vec<ListedCycle>,
    sources: Vec<ListedSource>,
}

#[derive(Deserialize)]
struct ListedCycle {
    name: String,
    modules: Vec<ListedModule>,
}

#[derive(Deserialize)]
struct ListedModule {
    name: String,
    updates: Vec<ListedUpdate>,
}

#[derive(Deserialize)]
struct ListedUpdate {
    name: String,
    access: Access,
    /// Set if other modules provide what it does.
    idle: bool,
    requires: Vec<String>,
    uses: Vec<String>,
    collects: Vec<String>,
    provides: Vec<String>,
}

#[derive(Deserialize)]
struct ListedSource {
    name: String,
    requires: Vec<String>,
    provides: Vec<String>,
}

impl From<ListedCycle> for CycleDescription {
    fn from(cycle: ListedCycle) -> Self {
        let modules = cycle.modules.into_iter().map(ModuleDescription::from).collect();
        Self { name: cycle.name, modules, trigger: Trigger::Rate }
    }
}

impl From<ListedModule> for ModuleDescription {
    fn from(module: ListedModule) -> Self {
        let updates = module.updates.into_iter().filter(|update| !update.idle);
        updates.fold(Self::new(module.name), |described, update| {
            described.with(
                UpdateDescription::new(update.name, update.access)
                    .requires(update.requires)
                    .uses(update.uses)
                    .collects(update.collects)
                    .provides(update.provides),
            )
        })
    }
}

impl From<ListedSource> for SourceDescription {
    fn from(source: ListedSource) -> Self {
        let sample = SampleDescription { name: source.name.clone(), provides: source.provides, reads: source.requires };
        Self { name: source.name, samples: vec![sample] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = r#"{"cycles": [
        {"name": "motion", "modules": [
            {"name": "Walk", "updates": [
                {"name": "gait", "access": "exclusive", "idle": false, "requires": ["Imu", "Plan"], "uses": [], "collects": [], "provides": ["Gait"]},
                {"name": "stand", "access": "exclusive", "idle": true, "requires": [], "uses": [], "collects": [], "provides": ["Gait"]}]},
            {"name": "Joints", "updates": [
                {"name": "move", "access": "concurrent", "idle": false, "requires": ["Gait"], "uses": [], "collects": [], "provides": ["Request"]}]}]},
        {"name": "audio", "modules": []},
        {"name": "cognition", "modules": [
            {"name": "Planner", "updates": [
                {"name": "plan", "access": "exclusive", "idle": false, "requires": [], "uses": [], "collects": ["Imu"], "provides": ["Plan"]}]}]}],
        "sources": [{"name": "Body", "requires": ["Request"], "provides": ["Imu"]}]}"#;

    #[test]
    fn motion_and_cognition_are_read_without_idle_updates() {
        let cycles = read(ROBOT).expect("a robot");
        let tasks = |cycle: &Cycle| cycle.graph.tasks().iter().map(|task| task.name.clone()).collect::<Vec<_>>();
        let facts: Vec<_> = cycles.iter().map(|cycle| (cycle.graph.name(), tasks(cycle))).collect();
        let motion = ["Walk.gait", "Joints.move", "output to Body"].map(str::to_owned).to_vec();
        let cognition = ["Planner.plan", "publish to motion"].map(str::to_owned).to_vec();
        assert_eq!(facts, [("motion", motion), ("cognition", cognition)]);
        assert_eq!(cycles[0].graph.dependencies().len(), 2);
    }

    #[test]
    fn what_is_no_robot_is_refused_with_a_reason() {
        assert!(read("{}").err().is_some_and(|problem| problem.contains("cycles")));
        let unprovided = ROBOT.replace(r#""provides": ["Imu"]"#, r#""provides": []"#);
        assert!(read(&unprovided).err().is_some_and(|problem| problem.contains("Imu")));
    }
}
