//! The processes of a robot that a request is for, and how their answers are combined.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::holdings::{Sought, items};
use super::joined::{self, Said};
use super::process::Process;
use crate::protocol::{ChangeText, Request};

/// The time within which a process executes an urgent request, such as to enter the safe state.
const PROMPT: Duration = Duration::from_secs(10);
/// The time within which processes answer questions: the bounds of a large robot take seconds.
pub const ANSWER: Duration = Duration::from_secs(60);

/// The processes that a request goes to, and how their answers are combined.
pub struct Route {
    /// The indices of the processes, each with its own request.
    pub asked: Vec<(usize, Request)>,
    pub joint: Joint,
}

/// The way in which the answers of several processes are combined.
pub enum Joint {
    /// The only process's answer is the answer.
    Only,
    /// The answers that arrive in time are combined; missing ones are left out.
    Known(Join),
    /// The request must be executed by all processes: one that cannot be reached counts as a
    /// failure.
    Done(Join),
    /// The same as `Done`, but the processes are asked one after the other, because they write one
    /// file.
    InTurn(Join),
    /// The answer consists of the explanations of the processes that have one.
    Explained { is_of_one: bool },
    /// The answer has an item for each field of a plot. `numbers` are those of the fields that each
    /// process is asked for.
    Plotted { numbers: Vec<Vec<u32>>, fields: Vec<Value> },
}

/// Combines the answers of processes.
pub type Join = Box<dyn Fn(&[Said<'_>]) -> Value + Send>;

/// Returns the route of a request; `missing` are the processes that are not reached, with the
/// reasons.
///
/// # Errors
/// Returns an error if no process has the thing, or several have it.
pub fn route<C>(processes: &[Process<C>], missing: &[(String, String)], request: &Request) -> Result<Route, String> {
    let homes = Homes { processes, missing };
    let all = |joint| Route { asked: (0..processes.len()).map(|index| (index, request.clone())).collect(), joint };
    let one = |sought| homes.one(sought).map(|home| only(home, request));
    Ok(match request {
        Request::Describe {} => all(Joint::Known(Box::new(joined::description))),
        Request::Subscribe { value: Some(value), .. } => one(Sought::Representation(value))?,
        Request::Subscribe { topic, .. } => one(Sought::Topic(topic.as_deref().unwrap_or_default()))?,
        Request::Plot { subscription, fields, rate } => plot(&homes, *subscription, fields, *rate),
        Request::Read { value } | Request::Fields { value: Some(value), .. } => {
            one(Sought::Representation(head(value)))?
        }
        Request::Fields { topic, .. } => one(Sought::Topic(topic.as_deref().unwrap_or_default()))?,
        Request::Parameters { module: Some(module) } => one(Sought::Module(module))?,
        Request::Parameters { module: None } => all(Joint::Known(Box::new(joined::parameters))),
        Request::Save { parameters: None, .. } => all(Joint::InTurn(Box::new(joined::saved))),
        Request::Save { overlay, parameters: Some(parameters) } => save(&homes, overlay.as_ref(), parameters)?,
        Request::Publish { topic, .. } => {
            let homes = homes.all(Sought::Topic(topic))?.into_iter();
            Route {
                asked: homes.map(|home| (home, request.clone())).collect(),
                joint: Joint::InTurn(Box::new(joined::nothing)),
            }
        }
        Request::Call { service, .. } => one(Sought::Service(service))?,
        Request::Change { change } => change_route(&homes, change, request)?,
        Request::Record { file, stop } => {
            let file = |process: &str| file.as_deref().map(|file| of_process(file, process));
            let asked = processes.iter().map(|process| Request::Record { file: file(&process.name), stop: *stop });
            Route { asked: asked.enumerate().collect(), joint: Joint::Done(Box::new(joined::recorded)) }
        }
        Request::Capture {} => all(Joint::Known(Box::new(joined::capture))),
        Request::Bounds {} => all(Joint::Known(Box::new(joined::bounds))),
        Request::Why { subject, .. } => match subject.as_deref().map(|subject| homes.one(Sought::Timed(subject))) {
            Some(Ok(home)) => only(home, request),
            subject => all(Joint::Explained { is_of_one: subject.is_some() }),
        },
        Request::Events { .. } | Request::Watch { .. } | Request::Unwatch { .. } | Request::Unsubscribe { .. } => {
            all(Joint::Known(Box::new(joined::nothing)))
        }
        Request::Mark { .. } | Request::Stop {} => all(Joint::Done(Box::new(joined::nothing))),
        // The layouts are stored beside robot.toml, and are the same for all processes; the other
        // requests are only for robots of a single process.
        _ => only(0, request),
    })
}

/// Returns how long to wait for the answer to a request.
pub fn patience(request: &Request) -> Duration {
    match request {
        Request::Describe {}
        | Request::Parameters { module: None }
        | Request::Capture {}
        | Request::Watch { .. }
        | Request::Unwatch { .. }
        | Request::Unsubscribe { .. }
        | Request::Record { .. }
        | Request::Mark { .. }
        | Request::Stop {}
        | Request::Change { change: ChangeText::SafeState(_) | ChangeText::Trace { .. } } => PROMPT,
        _ => ANSWER,
    }
}

impl Route {
    /// Returns the numbers of the plotted fields that a process is asked for.
    pub fn numbers(&self, process: usize) -> &[u32] {
        match &self.joint {
            Joint::Plotted { numbers, .. } => &numbers[process],
            _ => &[],
        }
    }

    /// Returns whether the processes are asked one after the other until one fails.
    pub fn is_in_turn(&self) -> bool {
        matches!(self.joint, Joint::InTurn(_))
    }

    /// Combines the answers of the processes, given with their indices.
    ///
    /// # Errors
    /// Returns an error if a request for all processes was not executed by all, or no process knows
    /// the answer.
    pub fn answer<C, E: ToString>(
        self,
        processes: &[Process<C>],
        missing: &[(String, String)],
        answers: Vec<(usize, Result<Value, E>)>,
    ) -> Result<Value, Undone<E>> {
        let (mut known, mut failed) = (Vec::new(), Vec::new());
        for (index, answer) in answers {
            match answer {
                Ok(answer) => known.push((index, answer)),
                Err(error) => failed.push((index, error)),
            }
        }
        let said = || known.iter().map(|(index, answer)| processes[*index].said(answer)).collect::<Vec<_>>();
        let name = |index: usize| processes[index].name.clone();
        let is_for_all = matches!(self.joint, Joint::Known(_) | Joint::Done(_) | Joint::Explained { .. });
        if !(is_for_all || failed.is_empty()) {
            return Err(Undone::Refused(failed.swap_remove(0).1));
        }
        match self.joint {
            Joint::Only => {
                let Some((index, mut answer)) = known.pop() else { return Ok(Value::Null) };
                if let Some(time) = answer["time"].as_i64() {
                    answer["time"] = processes[index].clock.convert(time).into();
                }
                Ok(answer)
            }
            Joint::Known(join) | Joint::InTurn(join) => Ok(join(&said())),
            Joint::Done(join) => {
                let failed = failed.iter().map(|(index, error)| (name(*index), error.to_string()));
                let failed: Vec<_> = failed.chain(missing.iter().cloned()).collect();
                match failed.is_empty() {
                    true => Ok(join(&said())),
                    false => {
                        Err(Undone::Processes { done: known.iter().map(|(index, _)| name(*index)).collect(), failed })
                    }
                }
            }
            Joint::Explained { is_of_one } => match failed.into_iter().next() {
                Some((_, error)) if known.is_empty() => Err(Undone::Refused(error)),
                _ => Ok(joined::explanations(&said(), is_of_one)),
            },
            Joint::Plotted { numbers, mut fields } => {
                for (index, answer) in known {
                    for (number, said) in numbers[index].iter().zip(items(&answer["fields"])) {
                        let field = &mut fields[*number as usize];
                        if field.is_null() || field.get("error").is_some() {
                            *field = said.clone();
                        }
                    }
                }
                Ok(json!({ "fields": fields }))
            }
        }
    }
}

/// The reason why a request was not executed.
pub enum Undone<E> {
    /// A process refuses the request.
    Refused(E),
    /// Some processes have not executed a request that was for all, each with its reason.
    Processes { done: Vec<String>, failed: Vec<(String, String)> },
}

/// Formats which processes have not executed a request, and which have.
pub fn undone_by(done: &[String], failed: &[(String, String)]) -> String {
    let failed: Vec<_> = failed.iter().map(|(name, error)| format!("process `{name}`: {error}")).collect();
    match done {
        [] => failed.join("; "),
        done => format!("{}; done by: {}", failed.join("; "), done.join(", ")),
    }
}

/// The processes among which the owner of a thing is looked up.
struct Homes<'a, C> {
    processes: &'a [Process<C>],
    missing: &'a [(String, String)],
}

impl<C> Homes<'_, C> {
    /// Returns the process that has the thing.
    fn one(&self, sought: Sought<'_>) -> Result<usize, String> {
        let homes = self.all(sought)?;
        let [home] = homes[..] else {
            let names: Vec<_> = homes.iter().map(|home| self.processes[*home].name.as_str()).collect();
            return Err(format!("several processes have {sought}: choose one with --process: {}", names.join(", ")));
        };
        Ok(home)
    }

    /// Returns the processes that have the thing, at least one.
    fn all(&self, sought: Sought<'_>) -> Result<Vec<usize>, String> {
        let has = |index: &usize| self.processes[*index].holdings.have(sought);
        let homes: Vec<usize> = (0..self.processes.len()).filter(has).collect();
        if !homes.is_empty() {
            return Ok(homes);
        }
        let known = self.processes.iter().flat_map(|process| process.holdings.known(sought));
        let mut text = hemiola_config::unknown(sought.kind(), sought.name(), known);
        for (name, error) in self.missing {
            text += &format!("; process `{name}` may have it, but cannot be reached: {error}");
        }
        Err(text)
    }
}

fn only(home: usize, request: &Request) -> Route {
    Route { asked: vec![(home, request.clone())], joint: Joint::Only }
}

fn change_route<C>(homes: &Homes<'_, C>, change: &ChangeText, request: &Request) -> Result<Route, String> {
    let sought = match change {
        ChangeText::Parameter { module, .. } | ChangeText::Restart { module } => Sought::Module(module),
        ChangeText::Provider { representation, .. }
        | ChangeText::Override { representation, .. }
        | ChangeText::Release { representation } => Sought::Representation(representation),
        ChangeText::Workers { cycle, .. } => Sought::Cycle(cycle),
        ChangeText::SafeState(_) | ChangeText::Trace { file: None } => {
            let asked = (0..homes.processes.len()).map(|index| (index, request.clone()));
            return Ok(Route { asked: asked.collect(), joint: Joint::Done(Box::new(joined::nothing)) });
        }
        ChangeText::Trace { file: Some(file) } => {
            let file = file.clone();
            let of = |process: &str| ChangeText::Trace { file: Some(of_process(&file, process)) };
            let asked = homes.processes.iter().map(|process| Request::Change { change: of(&process.name) });
            let asked = asked.enumerate().collect();
            let files = move |said: &[Said<'_>]| json!({ "files": said.iter().map(|said| of_process(&file, said.process)).collect::<Vec<_>>() });
            return Ok(Route { asked, joint: Joint::Done(Box::new(files)) });
        }
    };
    Ok(only(homes.one(sought)?, request))
}

fn save<C>(homes: &Homes<'_, C>, overlay: Option<&String>, parameters: &[String]) -> Result<Route, String> {
    let mut of_homes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for parameter in parameters {
        let module = parameter.split('.').next().unwrap_or_default();
        of_homes.entry(homes.one(Sought::Module(module))?).or_default().push(parameter.clone());
    }
    let request = |parameters| Request::Save { overlay: overlay.cloned(), parameters: Some(parameters) };
    let asked = of_homes.into_iter().map(|(home, parameters)| (home, request(parameters)));
    Ok(Route { asked: asked.collect(), joint: Joint::InTurn(Box::new(joined::saved)) })
}

fn plot<C>(homes: &Homes<'_, C>, subscription: u32, fields: &[String], rate: Option<f64>) -> Route {
    let mut said = vec![Value::Null; fields.len()];
    let mut numbers: Vec<Vec<u32>> = vec![Vec::new(); homes.processes.len()];
    for (number, field) in fields.iter().enumerate() {
        let of_field = match Sought::of_field(field) {
            // Every module may plot under every name.
            None => Ok((0..homes.processes.len()).collect()),
            Some(sought) => homes.one(sought).map(|home| vec![home]),
        };
        match of_field {
            Ok(homes) => homes.into_iter().for_each(|home| numbers[home].push(number as u32)),
            Err(error) => said[number] = json!({ "error": error }),
        }
    }
    let of_numbers = |numbers: &[u32]| numbers.iter().map(|number| fields[*number as usize].clone()).collect();
    let with_fields = numbers.iter().enumerate().filter(|(_, numbers)| !numbers.is_empty());
    let asked =
        with_fields.map(|(home, numbers)| (home, Request::Plot { subscription, fields: of_numbers(numbers), rate }));
    Route { asked: asked.collect(), joint: Joint::Plotted { numbers, fields: said } }
}

/// Returns the name of the representation at the beginning of a path.
fn head(path: &str) -> &str {
    &path[..path.find(['.', '[']).unwrap_or(path.len())]
}

/// Returns the name of the file that one of several processes writes: `late-vision.pftrace`.
pub fn of_process(file: &str, process: &str) -> String {
    let path = Path::new(file);
    let Some(stem) = path.file_stem() else { return file.to_owned() };
    let mut name = format!("{}-{process}", stem.to_string_lossy());
    if let Some(extension) = path.extension() {
        name += &format!(".{}", extension.to_string_lossy());
    }
    path.with_file_name(name).to_string_lossy().into_owned()
}
