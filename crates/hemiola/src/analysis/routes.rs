//! The ways from each source to each output: through which cycles, by what tasks read of each other.
//!
//! A value derives from what its provider requires or collects in the same run, as it does for the time stamps that it carries; not from `Previous<T>`.

use std::collections::{BTreeMap, BTreeSet};

use hemiola_plan::{Consumer, Origin, Resolved, ResolvedCycle, TaskGraph, TaskKind, UpdateId};

/// A source, and an output that samples of it have an effect on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub source: String,
    /// The cycle with the output.
    pub cycle: String,
    /// The output: a task.
    pub output: String,
    /// The cycles on each way, the way with the fewest first.
    pub routes: Vec<Vec<String>>,
    /// Values derive from each other in a circle, so that the oldest sample that one derives from may be of any age.
    pub is_circular: bool,
}

/// All chains of a robot, in the order of its sources and cycles.
pub fn chains(resolved: &Resolved, sources: &[&str]) -> Vec<Chain> {
    let names: BTreeMap<&str, usize> =
        resolved.cycles.iter().enumerate().map(|(index, cycle)| (cycle.name.as_str(), index)).collect();
    let graphs: Vec<TaskGraph> = resolved.cycles.iter().map(TaskGraph::of).collect();
    sources.iter().flat_map(|source| Search::of(source, resolved, &names, &graphs).chains()).collect()
}

/// A representation that a cycle imports.
type Import<'r> = (usize, &'r str);

struct Search<'r> {
    source: &'r str,
    resolved: &'r Resolved,
    names: &'r BTreeMap<&'r str, usize>,
    graphs: &'r [TaskGraph],
    /// What is read of each import that derives from the source: outputs, and imports of other cycles.
    reached: BTreeMap<Import<'r>, Reached<'r>>,
    found: BTreeMap<(usize, String), BTreeSet<Vec<usize>>>,
}

#[derive(Clone, Default)]
struct Reached<'r> {
    outputs: BTreeSet<String>,
    imports: BTreeSet<Import<'r>>,
}

impl<'r> Search<'r> {
    fn of(
        source: &'r str,
        resolved: &'r Resolved,
        names: &'r BTreeMap<&'r str, usize>,
        graphs: &'r [TaskGraph],
    ) -> Self {
        let (reached, found) = <_>::default();
        Self { source, resolved, names, graphs, reached, found }
    }

    fn chains(mut self) -> Vec<Chain> {
        let sampled = |origin: &Origin| match origin {
            Origin::Trigger { source, .. } | Origin::Sample { source, .. } => source == self.source,
            Origin::Cycle(_) => false,
        };
        let mut first: BTreeMap<usize, BTreeSet<&'r str>> = BTreeMap::new();
        for (index, cycle) in self.resolved.cycles.iter().enumerate() {
            for input in cycle.inputs.iter().filter(|input| sampled(&input.origin)) {
                first.entry(index).or_default().insert(&input.representation);
            }
        }
        let mut open: Vec<Import<'r>> =
            first.iter().flat_map(|(&cycle, imports)| imports.iter().map(move |&import| (cycle, import))).collect();
        while let Some(import) = open.pop() {
            if !self.reached.contains_key(&import) {
                let reached = self.read_from(import);
                open.extend(&reached.imports);
                self.reached.insert(import, reached);
            }
        }
        let circular = self.circular();
        for (cycle, imports) in first {
            self.follow(cycle, &imports, &mut Vec::new(), circular.is_empty());
        }
        let name = |&cycle: &usize| self.resolved.cycles[cycle].name.clone();
        let chains = self.found.iter().map(|((cycle, output), routes)| {
            let mut routes: Vec<Vec<String>> = routes.iter().map(|route| route.iter().map(name).collect()).collect();
            routes.sort_by_key(Vec::len);
            let is_circular = circular.iter().any(|import| self.leads_to(*import, *cycle, output));
            Chain { source: self.source.to_owned(), cycle: name(cycle), output: output.clone(), routes, is_circular }
        });
        chains.collect()
    }

    /// What derives from an import within its cycle.
    fn read_from(&self, (index, import): Import<'r>) -> Reached<'r> {
        let cycle = &self.resolved.cycles[index];
        let updates = derived(cycle, import);
        let is_derived = |name: &String| cycle.providers.get(name).is_some_and(|provider| updates.contains(provider));
        let mut reached = Reached::default();
        for update in cycle.updates.iter().filter(|update| updates.contains(&update.id)) {
            if update.provides.is_empty() && update.discarded.is_empty() {
                reached.outputs.insert(format!("{}.{}", update.module, update.name));
            }
        }
        for (number, group) in cycle.publishes.iter().enumerate() {
            let published = group.representations.iter().filter(|name| is_derived(name));
            match &group.consumer {
                Consumer::Cycle(reader) => {
                    let Some(&reader) = self.names.get(reader.as_str()) else { continue };
                    reached.imports.extend(published.map(|name| (reader, name.as_str())));
                }
                Consumer::Source(_) if published.count() > 0 => {
                    let graph = &self.graphs[index];
                    let task = graph.find(TaskKind::Publish(number));
                    reached.outputs.extend(task.map(|task| graph.task(task).name.clone()));
                }
                Consumer::Source(_) => {}
            }
        }
        reached
    }

    /// Goes on from imports that one cycle took together. Where imports do not derive from themselves, a cycle may come twice.
    fn follow(&mut self, cycle: usize, imports: &BTreeSet<&'r str>, way: &mut Vec<usize>, may_return: bool) {
        if way.contains(&cycle) && !may_return {
            return;
        }
        way.push(cycle);
        let mut next: BTreeMap<usize, BTreeSet<&'r str>> = BTreeMap::new();
        for &import in imports {
            let Some(reached) = self.reached.get(&(cycle, import)) else { continue };
            for output in &reached.outputs {
                self.found.entry((cycle, output.clone())).or_default().insert(way.clone());
            }
            for &(reader, name) in &reached.imports {
                next.entry(reader).or_default().insert(name);
            }
        }
        for (reader, imports) in next {
            self.follow(reader, &imports, way, may_return);
        }
        way.pop();
    }

    /// Imports that derive from themselves, or from one that does and lead to one that does.
    fn circular(&self) -> BTreeSet<Import<'r>> {
        let mut left: BTreeSet<Import<'r>> = self.reached.keys().copied().collect();
        loop {
            let leads_on = |import: &Import<'r>| self.reached[import].imports.iter().any(|next| left.contains(next));
            let is_led_to = |import: &Import<'r>| left.iter().any(|other| self.reached[other].imports.contains(import));
            let ends: Vec<_> = left.iter().copied().filter(|import| !leads_on(import) || !is_led_to(import)).collect();
            if ends.is_empty() {
                return left;
            }
            ends.iter().for_each(|import| _ = left.remove(import));
        }
    }

    fn leads_to(&self, import: Import<'r>, cycle: usize, output: &str) -> bool {
        let (mut open, mut seen) = (vec![import], BTreeSet::new());
        while let Some(import) = open.pop() {
            let Some(reached) = self.reached.get(&import).filter(|_| seen.insert(import)) else { continue };
            if import.0 == cycle && reached.outputs.contains(output) {
                return true;
            }
            open.extend(&reached.imports);
        }
        false
    }
}

/// The updates that derive from an import, directly or not.
fn derived(cycle: &ResolvedCycle, import: &str) -> BTreeSet<UpdateId> {
    let mut derived: BTreeSet<UpdateId> = BTreeSet::new();
    loop {
        let reads = |name: &String| match cycle.providers.get(name) {
            Some(provider) => derived.contains(provider),
            None => name == import,
        };
        let new: Vec<UpdateId> = cycle
            .updates
            .iter()
            .filter(|update| !derived.contains(&update.id))
            .filter(|update| update.requires.iter().chain(&update.collects).any(reads))
            .map(|update| update.id)
            .collect();
        if new.is_empty() {
            return derived;
        }
        derived.extend(new);
    }
}

#[cfg(test)]
mod tests {
    use hemiola_plan::{
        Access, CycleDescription, ModuleDescription, SampleDescription, SourceDescription, System, Trigger,
        UpdateDescription, resolve,
    };

    use super::*;

    fn cycle(name: &str, trigger: &str, modules: Vec<ModuleDescription>) -> CycleDescription {
        let trigger = Trigger::Sample { source: trigger.into(), sample: "sample".into() };
        CycleDescription { name: name.into(), modules, trigger }
    }

    fn module(name: &str, requires: &[&str], provides: &[&str]) -> ModuleDescription {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let update = UpdateDescription::new("update", Access::Exclusive);
        ModuleDescription::new(name).with(update.requires(names(requires)).provides(names(provides)))
    }

    fn source(name: &str, provides: &[&str], reads: &[&str]) -> SourceDescription {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let sample = SampleDescription { name: "sample".into(), provides: names(provides), reads: names(reads) };
        SourceDescription { name: name.into(), samples: vec![sample] }
    }

    fn robot(odometry_from: &str) -> Resolved {
        let motion = vec![
            module("Attitude", &["Imu"], &["Tilt"]),
            module("Walk", &["Tilt", "Request"], &["Joints"]),
            module("Odometer", &[odometry_from], &["Odometry"]),
            module("Leds", &["Tilt"], &[]),
        ];
        let cognition = vec![module("Mind", &["Image", "Odometry"], &["Request"])];
        let system = System {
            cycles: vec![cycle("motion", "body", motion), cycle("cognition", "camera", cognition)],
            sources: vec![source("body", &["Imu"], &["Joints"]), source("camera", &["Image"], &[])],
            ..System::default()
        };
        resolve(&system).unwrap()
    }

    fn routes(chains: &[Chain], source: &str, output: &str) -> Vec<String> {
        let chain = chains.iter().find(|chain| chain.source == source && chain.output == output).unwrap();
        chain.routes.iter().map(|route| route.join(" ")).collect()
    }

    #[test]
    fn each_way_from_a_source_to_an_output_is_found() {
        let chains = chains(&robot("Tilt"), &["body", "camera"]);
        assert_eq!(routes(&chains, "camera", "output to body"), ["cognition motion"]);
        assert_eq!(routes(&chains, "body", "output to body"), ["motion", "motion cognition motion"]);
        assert_eq!(routes(&chains, "body", "Leds.update"), ["motion"]);
        assert_eq!(chains.len(), 3, "{chains:?}");
        assert!(chains.iter().all(|chain| !chain.is_circular));
    }

    #[test]
    fn values_that_derive_from_each_other_in_a_circle_are_noticed() {
        let chains = chains(&robot("Joints"), &["body", "camera"]);
        let circular: Vec<_> = chains.iter().filter(|chain| chain.is_circular).map(|chain| &chain.output).collect();
        assert_eq!(circular, ["output to body", "output to body"]);
        assert_eq!(routes(&chains, "body", "output to body"), ["motion"]);
    }
}
