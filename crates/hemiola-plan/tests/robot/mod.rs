//! Small robots, written the way one would sketch them: `"&Image Previous<World> -> Ball"`.

#![allow(dead_code, reason = "each test file uses what it needs")]

use hemiola_plan::{
    Access, CycleDescription, ModuleDescription, RobotDescription, SampleDescription, SourceDescription, Trigger,
    UpdateDescription,
};

/// Makes a module with one exclusive update per signature, named `update`, `update2`, `update3` and
/// so on.
pub fn module(name: &str, signatures: &[&str]) -> ModuleDescription {
    let updates = signatures.iter().enumerate().map(|(number, signature)| {
        let name = if number == 0 { "update".to_string() } else { format!("update{}", number + 1) };
        update(&name, Access::Exclusive, signature)
    });
    ModuleDescription { updates: updates.collect(), ..ModuleDescription::new(name) }
}

/// Makes an update from a signature such as
/// `&Image Previous<World> Samples<Imu> -> Ball Obstacles`.
pub fn update(name: &str, access: Access, signature: &str) -> UpdateDescription {
    let (reads, provides) = signature.split_once("->").unwrap_or((signature, ""));
    let mut update = UpdateDescription::new(name, access).provides(provides.split_whitespace());
    for read in reads.split_whitespace() {
        let inside = |prefix: &str| read.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('>'));
        update = match (inside("Previous<"), inside("Samples<"), read.strip_prefix('&')) {
            (Some(name), _, _) => update.uses([name]),
            (_, Some(name), _) => update.collects([name]),
            (_, _, Some(name)) => update.requires([name]),
            _ => panic!("what is `{read}`?"),
        };
    }
    update
}

/// Makes a cycle with a rate.
pub fn cycle(name: &str, modules: impl IntoIterator<Item = ModuleDescription>) -> CycleDescription {
    CycleDescription { name: name.into(), modules: modules.into_iter().collect(), trigger: Trigger::Rate }
}

/// Makes a cycle that a sample triggers.
pub fn triggered(
    name: &str,
    source: &str,
    sample: &str,
    modules: impl IntoIterator<Item = ModuleDescription>,
) -> CycleDescription {
    CycleDescription {
        trigger: Trigger::Sample { source: source.into(), sample: sample.into() },
        ..cycle(name, modules)
    }
}

/// Makes a source with samples, each a name and a signature:
/// `("body", "&JointRequest -> JointAngles Imu")`.
pub fn source(name: &str, samples: &[(&str, &str)]) -> SourceDescription {
    let sample = |(name, signature): &(&str, &str)| {
        let update = update(name, Access::Exclusive, signature);
        SampleDescription { name: name.to_string(), provides: update.provides, reads: update.requires }
    };
    SourceDescription { name: name.into(), samples: samples.iter().map(sample).collect() }
}

/// Makes a robot of cycles.
pub fn robot(cycles: impl IntoIterator<Item = CycleDescription>) -> RobotDescription {
    RobotDescription { cycles: cycles.into_iter().collect(), ..RobotDescription::default() }
}

/// Adds sources to a robot.
pub fn with_sources(
    mut system: RobotDescription,
    sources: impl IntoIterator<Item = SourceDescription>,
) -> RobotDescription {
    system.sources.extend(sources);
    system
}

/// Adds an entry in `[providers]` to a robot.
pub fn choosing(mut system: RobotDescription, representation: &str, chosen: &str) -> RobotDescription {
    system.providers.insert(representation.into(), chosen.into());
    system
}
