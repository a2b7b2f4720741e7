//! The demands of a robot that this machine does not meet, and threads without a real-time priority
//! that others with one depend on.

use std::collections::BTreeSet;

use hemiola_config::{Diagnostic, Diagnostics, Origins, Place};
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_plan::{Consumer, Input, Origin, Resolved, ResolvedCycle};
use hemiola_realtime::{Affinity, CoreId};
use hemiola_runtime::Robot;

/// Returns all warnings for a machine on which these cores may be used.
pub fn warnings(robot: &Robot, origins: &Origins, usable: &Affinity) -> Diagnostics {
    let look = Look { configuration: robot.configuration(), resolved: robot.resolved(), origins, usable };
    let prioritised: Vec<_> = look.prioritised().collect();
    // If the system does not say which cores there are, all may exist.
    let of_machine = look.cores().chain(look.workers()).filter(|_| !usable.cores().is_empty());
    let sources = prioritised.iter().flat_map(|cycle| look.sources(cycle));
    let readers = prioritised.iter().flat_map(|cycle| look.readers(cycle));
    of_machine.chain(sources).chain(readers).collect()
}

struct Look<'r> {
    configuration: &'r Configuration,
    resolved: &'r Resolved,
    origins: &'r Origins,
    usable: &'r Affinity,
}

/// A cycle with a real-time priority.
struct Prioritised<'r> {
    cycle: &'r CycleConfiguration,
    resolved: &'r ResolvedCycle,
    priority: u8,
}

impl<'r> Look<'r> {
    /// Warns about cores that do not exist.
    fn cores(&self) -> impl Iterator<Item = Diagnostic> {
        let cycles = self.configuration.cycles.iter().map(|cycle| ("cycle", cycle.name.as_str(), &cycle.cores));
        let sources = self.configuration.sources.iter().map(|(name, source)| ("source", name.as_str(), &source.cores));
        let executors = self.configuration.executors.iter().map(|(name, it)| ("executor", name.as_str(), &it.cores));
        cycles.chain(sources).chain(executors).filter_map(|(table, name, cores)| {
            let absent: Vec<_> = cores.iter().filter(|&&core| !self.usable.cores().contains(&CoreId(core))).collect();
            let [first, others @ ..] = absent.as_slice() else { return None };
            let (noun, are) = if others.is_empty() { ("core", "is") } else { ("cores", "are") };
            let named = others.iter().fold(first.to_string(), |named, core| format!("{named}, {core}"));
            let message = format!(
                "{noun} {named} of `[{table}.{name}]` {are} not available: this program may use {}",
                self.usable
            );
            let warning = self.at(Diagnostic::warning(message), &[table, name, "cores"], "");
            Some(warning.help("write cores of this machine, or remove `cores` to use all of them"))
        })
    }

    /// Warns about more workers than cores.
    fn workers(&self) -> impl Iterator<Item = Diagnostic> {
        self.configuration.cycles.iter().filter_map(|cycle| {
            let is_allowed = |core: &&CoreId| cycle.cores.is_empty() || cycle.cores.contains(&core.0);
            // A cycle that may use none of the existing cores uses all of them.
            let cores = match self.usable.cores().iter().filter(is_allowed).count() {
                0 => self.usable.cores().len(),
                cores => cores,
            };
            let workers = cycle.workers.filter(|&workers| workers > cores)?;
            let (name, noun) = (cycle.name.as_str(), if cores == 1 { "core" } else { "cores" });
            let message = format!("`[cycle.{name}]` has {workers} workers on {cores} {noun}: they wait for each other");
            let warning = self.at(Diagnostic::warning(message), &["cycle", name, "workers"], "");
            Some(warning.help(format!("write `workers = {cores}` or less, or remove it: then the plan chooses")))
        })
    }

    /// Warns about sources without a real-time priority that trigger the cycle, or that it reads.
    fn sources(&self, cycle: &Prioritised<'r>) -> impl Iterator<Item = Diagnostic> {
        let triggering = match &cycle.cycle.trigger {
            Trigger::Source(source) => Some(source.as_str()),
            Trigger::Rate(_) | Trigger::Topic(_) => None,
        };
        let all: BTreeSet<&str> = cycle.resolved.inputs.iter().filter_map(source_of).chain(triggering).collect();
        let without = all.into_iter().filter(|source| !self.has_priority("source", source));
        without.filter_map(move |source| match triggering == Some(source) {
            true => Some(self.triggering(cycle, source)),
            false => self.read(cycle, source),
        })
    }

    fn triggering(&self, cycle: &Prioritised<'_>, source: &str) -> Diagnostic {
        let name = &cycle.cycle.name;
        let message = format!(
            "`{name}` has a real-time priority, but `{source}`, which triggers it, has none: runs begin late while other threads run"
        );
        let warning = match self.place(&["source", source, "policy"]) {
            Some(place) => Diagnostic::warning(message).at(&place, "time sharing"),
            None => self.at_priority(Diagnostic::warning(message), cycle),
        };
        warning.help(format!(
            "remove `policy` from `[source.{source}]`: then its priority is above that of the cycle that it triggers"
        ))
    }

    /// Warns about a source that the cycle reads. A source whose policy is written has no priority
    /// on purpose.
    fn read(&self, cycle: &Prioritised<'_>, source: &str) -> Option<Diagnostic> {
        if self.is_on_purpose("source", source) {
            return None;
        }
        let name = &cycle.cycle.name;
        let message = format!(
            "`{name}` has a real-time priority, but `{source}`, which it reads, has none: its values may be arbitrarily old"
        );
        let warning = self.at_priority(Diagnostic::warning(message), cycle);
        Some(warning.help(remedy("source", source, cycle.priority, "old values do no harm")))
    }

    /// Warns about sources and cycles without a real-time priority that read what the cycle
    /// provides.
    fn readers(&self, cycle: &Prioritised<'r>) -> impl Iterator<Item = Diagnostic> {
        cycle.resolved.publishes.iter().filter_map(|group| {
            let (table, reader) = match &group.consumer {
                Consumer::Cycle(reader) => ("cycle", reader),
                Consumer::Source(reader) => ("source", reader),
            };
            // A source that the cycle also reads already has a warning.
            let is_said = table == "source" && cycle.resolved.inputs.iter().any(|it| source_of(it) == Some(reader));
            if is_said || self.is_on_purpose(table, reader) || self.has_priority(table, reader) {
                return None;
            }
            let name = &cycle.cycle.name;
            let message = format!(
                "`{name}` has a real-time priority, but `{reader}`, which reads its results, has none: it may use them late"
            );
            let warning = self.at_priority(Diagnostic::warning(message), cycle);
            Some(warning.help(remedy(table, reader, cycle.priority, "it has no deadline")))
        })
        .collect::<Vec<_>>()
        .into_iter()
    }

    fn prioritised(&self) -> impl Iterator<Item = Prioritised<'r>> {
        let resolved = |name: &str| self.resolved.cycles.iter().find(|cycle| cycle.name == name);
        self.configuration.cycles.iter().filter_map(move |cycle| {
            Some(Prioritised { cycle, resolved: resolved(&cycle.name)?, priority: cycle.scheduling.priority()? })
        })
    }

    fn has_priority(&self, table: &str, name: &str) -> bool {
        if table == "source" {
            return self.configuration.source_scheduling(name).priority().is_some();
        }
        self.configuration.cycles.iter().any(|cycle| cycle.name == name && cycle.scheduling.priority().is_some())
    }

    fn is_on_purpose(&self, table: &str, name: &str) -> bool {
        self.place(&[table, name, "policy"]).is_some()
    }

    fn place(&self, keys: &[&str]) -> Option<Place> {
        self.origins.at(keys).map(|origin| origin.place.clone())
    }

    fn at(&self, diagnostic: Diagnostic, keys: &[&str], label: &str) -> Diagnostic {
        match self.place(keys) {
            Some(place) => diagnostic.at(&place, label),
            None => diagnostic,
        }
    }

    fn at_priority(&self, diagnostic: Diagnostic, cycle: &Prioritised<'_>) -> Diagnostic {
        self.at(diagnostic, &["cycle", &cycle.cycle.name, "priority"], "this one has a priority")
    }
}

/// Returns the source of an input.
fn source_of(input: &Input) -> Option<&str> {
    match &input.origin {
        Origin::Trigger { source, .. } | Origin::Sample { source, .. } => Some(source),
        Origin::Cycle(_) => None,
    }
}

fn remedy(table: &str, name: &str, below: u8, harmless: &str) -> String {
    let priority = below.saturating_sub(1).max(1);
    // The name of a source that is a link has dots, so that TOML requires quotes.
    let name = if name.contains('.') { format!("{name:?}") } else { name.to_owned() };
    format!("write `priority = {priority}` in `[{table}.{name}]`, or `policy = \"time-sharing\"` if {harmless}")
}

#[cfg(test)]
mod tests {
    use hemiola::prelude::*;
    use hemiola_config::{Catalog, Loaded, parse};
    use hemiola_model::module::registry;

    use super::*;

    #[derive(Representation, Clone, Default)]
    struct Imu {
        rate: f32,
    }

    #[derive(Representation, Clone, Default)]
    struct Scan {
        metres: f32,
    }

    #[derive(Representation, Clone, Default)]
    struct Pose {
        x: f32,
    }

    #[derive(Source)]
    struct Body;

    #[source]
    impl Body {
        #[sample(rate = 100.0)]
        fn sample(&mut self, imu: &mut Imu) {
            imu.rate = 1.0;
        }
    }

    #[derive(Source)]
    struct Lidar;

    #[source]
    impl Lidar {
        #[sample(rate = 10.0)]
        fn sample(&mut self, scan: &mut Scan) {
            scan.metres = 1.0;
        }
    }

    #[derive(Module)]
    struct Odometry;

    #[module]
    impl Odometry {
        #[update]
        fn pose(&self, imu: &Imu, scan: &Scan, pose: &mut Pose) {
            pose.x = imu.rate + scan.metres;
        }
    }

    #[derive(Module)]
    struct Mapper;

    #[module]
    impl Mapper {
        #[update]
        fn map(&self, _pose: &Pose) {}
    }

    /// Returns the warnings for this robot.toml on a machine with two cores, one line each.
    fn said(more_of_motion: &str, more: &str) -> Vec<String> {
        let text = format!(
            "[cycle.motion]\ntrigger = \"Body\"\nmodules = [\"Odometry\"]\n{more_of_motion}\n\
             [cycle.mapping]\nrate = 5.0\nmodules = [\"Mapper\"]\n{more}\n"
        );
        let Loaded { configuration, origins, .. } =
            parse(&text, "robot.toml", &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
        let modules = registry::modules().into_iter().filter(|module| module.path() == module_path!()).collect();
        let sources = registry::sources().into_iter().filter(|source| source.path() == module_path!()).collect();
        let robot = Robot::assemble_from(configuration, modules, sources).unwrap();
        let found = warnings(&robot, &origins, &Affinity::of([0, 1].map(CoreId)));
        let place = |diagnostic: &Diagnostic| diagnostic.place.as_ref().map(ToString::to_string).unwrap_or_default();
        found.iter().map(|it| format!("{} {}; {}", place(it), it.message, it.help.join("; "))).collect()
    }

    #[test]
    fn cores_and_workers_that_the_machine_has_not_are_warned_of() {
        assert_eq!(said("cores = [0, 1]\nworkers = 2", ""), [""; 0]);
        let cores = said("cores = [1, 99]", "[source.Lidar]\ncores = [2, 7]");
        assert_eq!(cores.len(), 2);
        assert!(
            cores[0].starts_with(
                "robot.toml:4:9 core 99 of `[cycle.motion]` is not available: this program may use cores 0, 1; write"
            ),
            "{cores:?}"
        );
        assert!(cores[1].starts_with("robot.toml:9:9 cores 2, 7 of `[source.Lidar]` are not available"), "{cores:?}");
        let workers = said("workers = 64", "");
        assert!(workers[0].starts_with("robot.toml:4:11 `[cycle.motion]` has 64 workers on 2 cores"), "{workers:?}");
        assert!(said("workers = 2\ncores = [1]", "")[0].contains("`[cycle.motion]` has 2 workers on 1 core:"));
    }

    #[test]
    fn sources_and_readers_without_a_priority_of_a_cycle_with_one_are_warned_of() {
        let [lidar, mapping] = <[String; 2]>::try_from(said("priority = 80", "")).unwrap();
        assert!(
            lidar.starts_with(
                "robot.toml:4:12 `motion` has a real-time priority, but `Lidar`, which it reads, has none"
            ),
            "{lidar}"
        );
        assert!(lidar.contains("write `priority = 79` in `[source.Lidar]`, or `policy = \"time-sharing\"`"), "{lidar}");
        assert!(mapping.contains("but `mapping`, which reads its results, has none"), "{mapping}");
        // Nothing is wrong where they have priorities, or have none on purpose.
        let mended = "priority = 20\n[source.Lidar]\npolicy = \"time-sharing\"";
        assert_eq!(said("priority = 80", mended), [""; 0]);
        let sharing = said("priority = 80", &format!("{mended}\n[source.Body]\npolicy = \"time-sharing\""));
        assert!(
            sharing[0].starts_with(
                "robot.toml:12:10 `motion` has a real-time priority, but `Body`, which triggers it, has none"
            ),
            "{sharing:?}"
        );
    }
}
