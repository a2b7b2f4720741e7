//! The choice of providers, and the search for all problems of a description at once.

mod checks;
mod circles;
mod parties;

use std::collections::{BTreeMap, BTreeSet};

use crate::description::{CycleDescription, RobotDescription, Trigger, UpdateDescription};
use crate::party::Party;
use crate::problem::{Form, Problem, Reading, Warning};
use crate::resolved::{
    Consumer, Delivery, Input, Origin, PublishGroup, Resolved, ResolvedCycle, ResolvedUpdate, UpdateId,
};

/// Determines the providers in every cycle, the values that pass from one cycle to another, and
/// those that come from sources.
///
/// - In a cycle, a representation has one provider; `[providers]` decides where several modules
///   could provide it.
/// - What nobody in the cycle provides comes from outside: from the sample that triggers the cycle,
///   else from another sample or cycle, of which only one may provide it unless `[providers]` names
///   the one.
/// - Choosing a *source* in `[providers]` switches the modules that would provide the
///   representation off.
///
/// The result depends only on `system`.
///
/// # Errors
/// Returns all [`Problem`]s that can be distinguished, not just the first.
///
/// ```
/// use hemiola_plan::{Access, CycleDescription, ModuleDescription, RobotDescription, Trigger, UpdateDescription, resolve};
/// let module = |name: &str| {
///     ModuleDescription::new(name).with(UpdateDescription::new("pose", Access::Exclusive).provides(["RobotPose"]))
/// };
/// let cycle = CycleDescription {
///     name: "cognition".into(),
///     modules: vec![module("ParticleFilter"), module("KalmanFilter")],
///     trigger: Trigger::Rate,
/// };
/// let mut system = RobotDescription { cycles: vec![cycle], ..RobotDescription::default() };
/// let problems = resolve(&system).unwrap_err();
/// assert!(problems[0].to_string().contains("RobotPose = \"ParticleFilter\""));
///
/// system.providers.insert("RobotPose".into(), "KalmanFilter".into());
/// let resolved = resolve(&system).unwrap();
/// assert_eq!(resolved.cycles[0].updates[0].module, "KalmanFilter");
/// ```
pub fn resolve(system: &RobotDescription) -> Result<Resolved, Vec<Problem>> {
    let mut resolver = Resolver::new(system);
    resolver.check_names();
    resolver.check_triggers();
    resolver.settle_providers();
    resolver.check_choices();
    resolver.read_sources();
    for cycle in 0..system.cycles.len() {
        resolver.read_cycle(cycle);
    }
    for cycle in 0..system.cycles.len() {
        resolver.find_circles(cycle);
    }
    resolver.finish()
}

/// The update that fills a representation within one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filler {
    Update(UpdateId),
    /// Several updates could fill it, which is reported once; problems that follow from it are not.
    Unsettled,
}

struct Resolver<'a> {
    system: &'a RobotDescription,
    /// The updates that could provide each representation, per cycle.
    candidates: Vec<BTreeMap<&'a str, Vec<UpdateId>>>,
    /// The samples that fill each representation, as (source, sample).
    samples: BTreeMap<&'a str, Vec<(usize, usize)>>,
    fillers: Vec<BTreeMap<&'a str, Filler>>,
    inputs: Vec<BTreeMap<&'a str, (Origin, Delivery)>>,
    /// The representations that each consumer reads, per cycle.
    publishes: Vec<BTreeMap<Consumer, BTreeSet<&'a str>>>,
    /// The representations for which the choice in `[providers]` made a difference.
    needed: BTreeSet<&'a str>,
    problems: Vec<Problem>,
}

impl<'a> Resolver<'a> {
    fn new(system: &'a RobotDescription) -> Self {
        let candidates = system.cycles.iter().map(|cycle| {
            let mut candidates: BTreeMap<&str, Vec<UpdateId>> = BTreeMap::new();
            for (id, update) in updates(cycle) {
                for representation in &update.provides {
                    candidates.entry(representation).or_default().push(id);
                }
            }
            candidates
        });
        let mut samples: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        for (source_index, source) in system.sources.iter().enumerate() {
            for (sample_index, sample) in source.samples.iter().enumerate() {
                for representation in &sample.provides {
                    samples.entry(representation).or_default().push((source_index, sample_index));
                }
            }
        }
        Self {
            system,
            candidates: candidates.collect(),
            samples,
            fillers: vec![BTreeMap::new(); system.cycles.len()],
            inputs: vec![BTreeMap::new(); system.cycles.len()],
            publishes: vec![BTreeMap::new(); system.cycles.len()],
            needed: BTreeSet::new(),
            problems: Vec::new(),
        }
    }

    /// Records a problem once: a module in several cycles would report it several times.
    fn report(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn trigger_sample(&self, cycle: &CycleDescription) -> Option<(usize, usize)> {
        let Trigger::Sample { source, sample } = &cycle.trigger else { return None };
        let source_index = self.system.sources.iter().position(|candidate| candidate.name == *source)?;
        let samples = &self.system.sources[source_index].samples;
        Some((source_index, samples.iter().position(|candidate| candidate.name == *sample)?))
    }

    fn settle_providers(&mut self) {
        for (index, cycle) in self.system.cycles.iter().enumerate() {
            for (representation, ids) in self.candidates[index].clone() {
                let mut parties: Vec<Party> = ids.iter().map(|&id| self.update_party(index, id)).collect();
                if let Some(trigger) =
                    self.trigger_sample(cycle).filter(|at| self.fillers_of(representation).contains(at))
                {
                    parties.push(self.sample_party(trigger));
                }
                let choice = self.system.providers.get(representation).map(String::as_str);
                let chosen: Vec<UpdateId> =
                    ids.iter().copied().filter(|id| choice == Some(&cycle.modules[id.module].name)).collect();
                let source_is_chosen = choice.is_some_and(|choice| self.source_provides(choice, representation));
                let filler = match (&chosen[..], &ids[..]) {
                    _ if source_is_chosen => {
                        self.needed.insert(representation);
                        continue;
                    }
                    ([one], _) => {
                        if parties.len() > 1 {
                            self.needed.insert(representation);
                        }
                        Filler::Update(*one)
                    }
                    ([], [one]) if parties.len() == 1 => Filler::Update(*one),
                    _ => {
                        self.report_doubled(index, representation, &ids, parties, choice);
                        Filler::Unsettled
                    }
                };
                self.fillers[index].insert(representation, filler);
            }
        }
    }

    fn report_doubled(
        &mut self,
        cycle: usize,
        representation: &str,
        ids: &[UpdateId],
        parties: Vec<Party>,
        choice: Option<&str>,
    ) {
        let description = &self.system.cycles[cycle];
        let twice = ids.windows(2).find(|pair| pair[0].module == pair[1].module);
        if let Some(&[UpdateId { module, .. }, _]) = twice {
            let module = &description.modules[module];
            let providing =
                module.updates.iter().filter(|update| update.provides.iter().any(|name| name == representation));
            self.report(Problem::TwiceInModule {
                module: module.name.clone(),
                representation: representation.to_string(),
                updates: providing.map(|update| update.name.clone()).collect(),
            });
            return;
        }
        let elsewhere = choice
            .filter(|choice| self.everyone_providing(representation).iter().any(|party| party.choice() == *choice));
        self.report(Problem::Doubled {
            cycle: description.name.clone(),
            representation: representation.to_string(),
            candidates: parties,
            chosen_elsewhere: elsewhere.map(str::to_string),
        });
    }

    fn read_sources(&mut self) {
        for (source_index, source) in self.system.sources.iter().enumerate() {
            for (sample_index, sample) in source.samples.iter().enumerate() {
                for representation in &sample.reads {
                    let reader = self.sample_party((source_index, sample_index));
                    let readers = vec![Reading { reader, form: Form::Reads }];
                    let place = format!("source `{}`", source.name);
                    let offers: Vec<_> = self.offers_of_cycles(representation).collect();
                    // Values that only another source provides pass from source to source, and
                    // concern no cycle.
                    let others = self.fillers_of(representation).iter().any(|&(index, _)| index != source_index);
                    if offers.is_empty() && others {
                        continue;
                    }
                    if let Some(Offer::Cycle(cycle, _)) = self.settle_origin(place, representation, readers, offers) {
                        let consumer = Consumer::Source(source.name.clone());
                        self.publishes[cycle].entry(consumer).or_default().insert(representation);
                    }
                }
            }
        }
    }

    fn read_cycle(&mut self, cycle: usize) {
        let description = &self.system.cycles[cycle];
        let mut outside: BTreeMap<&'a str, Vec<Reading>> = BTreeMap::new();
        for (id, update) in updates(description) {
            if !self.certainly_runs(cycle, id) {
                continue;
            }
            for (form, representation) in readings(update) {
                match (self.fillers[cycle].get(representation), form) {
                    (Some(Filler::Update(provider)), Form::Requires) if *provider == id => {
                        let (cycle, update) = (description.name.clone(), self.update_party(cycle, id));
                        self.report(Problem::WaitsForItself {
                            cycle,
                            update,
                            representation: representation.to_string(),
                        });
                    }
                    (Some(Filler::Update(provider)), Form::Collects) => {
                        let provider = self.update_party(cycle, *provider);
                        let (cycle, update) = (description.name.clone(), self.update_party(cycle, id));
                        self.report(Problem::CollectsOwn {
                            cycle,
                            update,
                            representation: representation.to_string(),
                            provider,
                        });
                    }
                    (Some(_), _) => {}
                    (None, _) => {
                        let reader = self.update_party(cycle, id);
                        outside.entry(representation).or_default().push(Reading { reader, form });
                    }
                }
            }
        }
        for (representation, readers) in outside {
            let samples = readers.iter().any(|reading| reading.form == Form::Collects);
            let latest = readers.iter().any(|reading| reading.form != Form::Collects);
            let delivery = match (latest, samples) {
                (true, true) => Delivery::LatestAndSamples,
                (false, true) => Delivery::Samples,
                (_, false) => Delivery::Latest,
            };
            let trigger = self.trigger_sample(description).filter(|at| self.fillers_of(representation).contains(at));
            let names = |(source, sample): (usize, usize)| {
                let source = &self.system.sources[source];
                (source.name.clone(), source.samples[sample].name.clone())
            };
            let origin = if let Some(trigger) = trigger {
                let (source, sample) = names(trigger);
                Origin::Trigger { source, sample }
            } else {
                let mut offers: Vec<Offer> =
                    self.fillers_of(representation).iter().copied().map(Offer::Sample).collect();
                offers.extend(self.offers_of_cycles(representation));
                match self.settle_origin(format!("cycle `{}`", description.name), representation, readers, offers) {
                    Some(Offer::Sample(at)) => {
                        let (source, sample) = names(at);
                        Origin::Sample { source, sample }
                    }
                    Some(Offer::Cycle(from, _)) => {
                        let consumer = Consumer::Cycle(description.name.clone());
                        self.publishes[from].entry(consumer).or_default().insert(representation);
                        Origin::Cycle(self.system.cycles[from].name.clone())
                    }
                    None => continue,
                }
            };
            self.inputs[cycle].insert(representation, (origin, delivery));
        }
    }

    /// Returns the one offer that is chosen, or none after reporting a problem.
    fn settle_origin(
        &mut self,
        where_: String,
        representation: &'a str,
        readers: Vec<Reading>,
        offers: Vec<Offer>,
    ) -> Option<Offer> {
        if let [one] = offers[..] {
            return Some(one).filter(|offer| !matches!(offer, Offer::Cycle(_, Filler::Unsettled)));
        }
        if offers.is_empty() {
            let problem = self.missing(where_, representation, readers);
            self.report(problem);
            return None;
        }
        if offers.iter().any(|offer| matches!(offer, Offer::Cycle(_, Filler::Unsettled))) {
            return None; // reported where it is doubled
        }
        let parties: Vec<Party> = offers.iter().map(|&offer| self.offer_party(offer)).collect();
        let choice = self.system.providers.get(representation);
        let chosen: Vec<usize> =
            (0..offers.len()).filter(|&index| Some(parties[index].choice()) == choice.map(String::as_str)).collect();
        if let [one] = chosen[..] {
            self.needed.insert(representation);
            return Some(offers[one]);
        }
        self.report(Problem::SeveralOrigins {
            where_,
            representation: representation.to_string(),
            readers,
            origins: parties,
        });
        None
    }

    fn missing(&self, where_: String, representation: &str, readers: Vec<Reading>) -> Problem {
        let provided =
            self.candidates.iter().flat_map(|candidates| candidates.keys()).chain(self.samples.keys()).copied();
        let similar = most_similar(representation, provided)
            .map(|name| (name.to_string(), self.everyone_providing(name)[0].clone()));
        let would_provide = self.system.spare.iter().filter(|module| {
            module.updates.iter().any(|update| update.provides.iter().any(|provided| provided == representation))
        });
        let would_provide = would_provide.map(|module| (module.name.clone(), module.location.clone())).collect();
        Problem::Missing { where_, representation: representation.to_string(), readers, similar, would_provide }
    }

    fn finish(self) -> Result<Resolved, Vec<Problem>> {
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        let mut warnings = Vec::new();
        let mut cycles = Vec::new();
        for (index, description) in self.system.cycles.iter().enumerate() {
            let cycle = self.resolved_cycle(index);
            let read_inside: BTreeSet<&str> = (cycle.updates.iter())
                .flat_map(|update| update.requires.iter().chain(&update.uses))
                .map(String::as_str)
                .collect();
            let unused =
                (cycle.updates.iter().flat_map(|update| update.provides.iter().map(move |name| (update.id, name))))
                    .filter(|(_, name)| !read_inside.contains(name.as_str()))
                    .filter(|(_, name)| !cycle.publishes.iter().any(|group| group.representations.contains(name)));
            warnings.extend(unused.map(|(id, name)| Warning::Unused {
                cycle: description.name.clone(),
                provider: self.update_party(index, id),
                representation: name.clone(),
            }));
            cycles.push(cycle);
        }
        let needless =
            self.system.providers.iter().filter(|(representation, _)| !self.needed.contains(representation.as_str()));
        warnings.extend(needless.map(|(representation, chosen)| Warning::NeedlessChoice {
            representation: representation.clone(),
            chosen: chosen.clone(),
        }));
        Ok(Resolved { cycles, warnings })
    }

    fn resolved_cycle(&self, index: usize) -> ResolvedCycle {
        let description = &self.system.cycles[index];
        let provided = |id: UpdateId, name: &str| self.fillers[index].get(name) == Some(&Filler::Update(id));
        let mut cycle = ResolvedCycle { name: description.name.clone(), ..ResolvedCycle::default() };
        for (id, update) in updates(description) {
            if !self.certainly_runs(index, id) {
                cycle.idle.push(id);
                continue;
            }
            let (provides, discarded): (Vec<String>, Vec<String>) =
                update.provides.iter().cloned().partition(|name| provided(id, name));
            cycle.providers.extend(provides.iter().map(|name| (name.clone(), id)));
            cycle.updates.push(ResolvedUpdate {
                id,
                module: description.modules[id.module].name.clone(),
                name: update.name.clone(),
                access: update.access,
                requires: update.requires.clone(),
                uses: update.uses.clone(),
                collects: update.collects.clone(),
                provides,
                discarded,
            });
        }
        cycle.inputs = (self.inputs[index].iter())
            .map(|(name, (origin, delivery))| Input {
                representation: name.to_string(),
                origin: origin.clone(),
                delivery: *delivery,
            })
            .collect();
        cycle.publishes = (self.publishes[index].iter())
            .map(|(consumer, names)| PublishGroup {
                consumer: consumer.clone(),
                representations: names.iter().map(|name| name.to_string()).collect(),
            })
            .collect();
        cycle
    }

    /// Returns whether an update surely runs. One that only fills what is still unsettled may turn
    /// out not to run: nothing is reported about what it reads.
    fn certainly_runs(&self, cycle: usize, id: UpdateId) -> bool {
        let update = &self.system.cycles[cycle].modules[id.module].updates[id.update];
        let chosen = |name: &String| self.fillers[cycle].get(name.as_str()) == Some(&Filler::Update(id));
        update.provides.is_empty() || update.provides.iter().any(chosen)
    }

    /// Returns every cycle that provides a representation. The cycle that looks for it is not among
    /// them, or it would not look for it outside.
    fn offers_of_cycles(&self, representation: &str) -> impl Iterator<Item = Offer> {
        let fillers = self.fillers.iter().enumerate();
        fillers.filter_map(|(cycle, fillers)| fillers.get(representation).map(|&filler| Offer::Cycle(cycle, filler)))
    }

    fn fillers_of(&self, representation: &str) -> &[(usize, usize)] {
        self.samples.get(representation).map_or(&[], Vec::as_slice)
    }

    fn source_provides(&self, source: &str, representation: &str) -> bool {
        self.fillers_of(representation).iter().any(|&(index, _)| self.system.sources[index].name == source)
    }
}

/// A place from which a value could come.
#[derive(Debug, Clone, Copy)]
enum Offer {
    Sample((usize, usize)),
    Cycle(usize, Filler),
}

fn updates(cycle: &CycleDescription) -> impl Iterator<Item = (UpdateId, &UpdateDescription)> {
    cycle.modules.iter().enumerate().flat_map(|(module, description)| {
        description
            .updates
            .iter()
            .enumerate()
            .map(move |(update, description)| (UpdateId { module, update }, description))
    })
}

fn readings(update: &UpdateDescription) -> impl Iterator<Item = (Form, &str)> {
    let requires = update.requires.iter().map(|name| (Form::Requires, name.as_str()));
    let uses = update.uses.iter().map(|name| (Form::Uses, name.as_str()));
    let collects = update.collects.iter().map(|name| (Form::Collects, name.as_str()));
    requires.chain(uses).chain(collects)
}

/// Returns the candidate that somebody who typed `name` most likely meant, if any is close enough.
fn most_similar<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let tolerated = (name.chars().count() / 3).max(1);
    let wanted = name.to_lowercase();
    candidates
        .filter(|&candidate| candidate != name)
        .map(|candidate| (strsim::osa_distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= tolerated)
        .min()
        .map(|(_, candidate)| candidate)
}
