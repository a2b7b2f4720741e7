//! Requests to a robot of several processes: whom each is for, and what all answer together.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::holdings::Sought;
use super::joined::{self, Said};
use super::member::Member;
use super::{ANSWER, WholeRobot, panicked};
use crate::client::ClientError;
use crate::protocol::{ChangeText, Request, Watched};

/// The time within which a process makes itself safe, and the like.
const PROMPT: Duration = Duration::from_secs(10);

impl WholeRobot {
    /// Sends a request to the process that it is for, or to all, and joins the answers.
    ///
    /// # Errors
    /// Returns an error if no process has the thing or several have it, and those of
    /// [a connection](crate::client::Connection::request). What is for all processes is done by all
    /// that can: [`ClientError::Processes`] names the others.
    pub fn request(&mut self, request: Request) -> Result<Value, ClientError> {
        if !self.is_cut {
            return self.members[0].connection.request(request);
        }
        match &request {
            Request::Describe {} => {
                let answers = self.ask_all(&request);
                Ok(joined::description(&self.named(&answers)))
            }
            Request::Subscribe { subscription, value, topic, .. } => {
                let (subscription, sought) = match (value, topic) {
                    (Some(value), _) => (*subscription, Sought::Representation(value)),
                    (_, topic) => (*subscription, Sought::Topic(topic.as_deref().unwrap_or_default())),
                };
                let member = self.home(sought)?;
                let answer = self.members[member].connection.request(request)?;
                self.members[member].subscriptions.insert(subscription, Vec::new());
                Ok(answer)
            }
            Request::Unsubscribe { subscription } => {
                for member in &mut self.members {
                    if member.subscriptions.remove(subscription).is_some() {
                        member.connection.request(request.clone())?;
                    }
                }
                Ok(json!({}))
            }
            Request::Plot { subscription, fields, rate } => self.plot(*subscription, fields, *rate),
            Request::Read { value } | Request::Fields { value: Some(value), .. } => {
                let member = self.home(Sought::Representation(head(value)))?;
                self.ask_at(member, request)
            }
            Request::Fields { topic, .. } => {
                let member = self.home(Sought::Topic(topic.as_deref().unwrap_or_default()))?;
                self.ask_at(member, request)
            }
            Request::Parameters { module: Some(module) } => {
                let member = self.home(Sought::Module(module))?;
                self.ask_at(member, request)
            }
            Request::Parameters { module: None } => {
                let answers = self.ask_all(&request);
                Ok(joined::parameters(&self.named(&answers)))
            }
            Request::Save { parameters: None, .. } => {
                // They write the same file, so that one comes after the other.
                let mut answers = Vec::new();
                for member in &mut self.members {
                    answers.push(member.connection.request(request.clone())?);
                }
                Ok(joined::saved(&answers))
            }
            Request::Save { overlay, parameters: Some(parameters) } => self.save(overlay.as_ref(), parameters),
            Request::Publish { topic, .. } => {
                let homes = self.homes(Sought::Topic(topic))?;
                homes.into_iter().try_for_each(|member| self.ask_at(member, request.clone()).map(drop))?;
                Ok(json!({}))
            }
            Request::Call { service, .. } => {
                let member = self.home(Sought::Service(service))?;
                self.ask_at(member, request)
            }
            Request::Change { change } => self.change(change),
            Request::Record { file, stop } => self.record(file.as_deref(), *stop),
            Request::Capture {} => {
                let answers = self.ask_all(&request);
                Ok(joined::capture(&self.named(&answers)))
            }
            Request::Bounds {} => {
                let answers = self.ask_all(&request);
                Ok(joined::bounds(&self.named(&answers)))
            }
            Request::Why { subject, .. } => self.why(subject.as_deref(), &request),
            Request::Watch { what: what @ (Watched::Statistics | Watched::Journal), .. } => {
                // Those that are reached later are asked then.
                self.watches.insert(format!("{what:?}"), request.clone());
                _ = self.ask_all(&request);
                Ok(json!({}))
            }
            Request::Unwatch { what } => {
                self.watches.remove(&format!("{what:?}"));
                _ = self.ask_all(&request);
                Ok(json!({}))
            }
            Request::Mark { .. } | Request::Stop {} => self.all(|_| request.clone()).map(|_| json!({})),
            // Layouts lie beside robot.toml, and are the same for all; the rest is for single
            // processes.
            _ => self.ask_at(0, request),
        }
    }

    /// Returns the process that has the thing.
    fn home(&self, sought: Sought<'_>) -> Result<usize, ClientError> {
        let homes = self.homes(sought)?;
        let [home] = homes[..] else {
            let names: Vec<_> = homes.iter().map(|home| self.members[*home].name.as_str()).collect();
            let text = format!("several processes have {sought}: name one with --process: {}", names.join(", "));
            return Err(ClientError::Refused(text));
        };
        Ok(home)
    }

    /// Returns the processes that have the thing, at least one.
    fn homes(&self, sought: Sought<'_>) -> Result<Vec<usize>, ClientError> {
        let has = |index: &usize| self.members[*index].holdings.have(sought);
        let homes: Vec<usize> = (0..self.members.len()).filter(has).collect();
        if !homes.is_empty() {
            return Ok(homes);
        }
        let known = self.members.iter().flat_map(|member| member.holdings.known(sought));
        let mut text = hemiola_config::unknown(sought.kind(), sought.name(), known);
        for (name, error) in &self.missing {
            text += &format!("; process `{name}` may have it, but is not reached: {error}");
        }
        Err(ClientError::Refused(text))
    }

    fn ask_at(&mut self, member: usize, request: Request) -> Result<Value, ClientError> {
        let member = &mut self.members[member];
        let mut answer = member.connection.request(request)?;
        if let Some(time) = answer["time"].as_i64() {
            answer["time"] = member.clock.convert(time).into();
        }
        Ok(answer)
    }

    /// Asks all processes at once; those that do not answer are missing from then on.
    fn ask_all(&mut self, request: &Request) -> Vec<(usize, Value)> {
        let patience = if matches!(request, Request::Bounds {}) { ANSWER } else { PROMPT };
        let asked = self.at_once(|member| member.request_within(patience, request.clone()));
        let mut answers = Vec::new();
        for (index, asked) in asked.into_iter().enumerate() {
            match asked {
                Ok(answer) => answers.push((index, answer)),
                Err(error) => self.missing.push((self.members[index].name.clone(), error.to_string())),
            }
        }
        answers
    }

    /// Has all processes do something at once, each its own request.
    ///
    /// # Errors
    /// Returns which of them have not done it, also of those that cannot be reached.
    fn all(&mut self, request: impl Fn(&str) -> Request + Sync) -> Result<Vec<Value>, ClientError> {
        let asked = self.at_once(|member| {
            let request = request(&member.name);
            member.request_within(PROMPT, request)
        });
        let names = self.members.iter().map(|member| member.name.clone());
        let (mut answers, mut done, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for (name, asked) in names.zip(asked) {
            match asked {
                Ok(answer) => {
                    answers.push(answer);
                    done.push(name);
                }
                Err(error) => failed.push((name, error.to_string())),
            }
        }
        failed.extend(self.missing.iter().cloned());
        if failed.is_empty() { Ok(answers) } else { Err(ClientError::Processes { done, failed }) }
    }

    /// Does something with all processes, each on a thread of its own, so that none waits for
    /// another one.
    pub(super) fn at_once<T: Send>(
        &mut self,
        act: impl Fn(&mut Member) -> Result<T, ClientError> + Sync,
    ) -> Vec<Result<T, ClientError>> {
        let act = &act;
        thread::scope(|scope| {
            let acting: Vec<_> = self.members.iter_mut().map(|member| scope.spawn(move || act(member))).collect();
            acting.into_iter().map(|acting| acting.join().unwrap_or_else(|_| Err(panicked()))).collect()
        })
    }

    fn named<'a>(&'a self, answers: &'a [(usize, Value)]) -> Vec<Said<'a>> {
        answers.iter().map(|(index, answer)| self.members[*index].said(answer)).collect()
    }

    fn change(&mut self, change: &ChangeText) -> Result<Value, ClientError> {
        let sought = match change {
            ChangeText::Parameter { module, .. } | ChangeText::Restart { module } => Sought::Module(module),
            ChangeText::Provider { representation, .. }
            | ChangeText::Override { representation, .. }
            | ChangeText::Release { representation } => Sought::Representation(representation),
            ChangeText::Workers { cycle, .. } => Sought::Cycle(cycle),
            ChangeText::SafeState(_) | ChangeText::Trace { file: None } => {
                let change = || change.clone();
                return self.all(|_| Request::Change { change: change() }).map(|_| json!({}));
            }
            ChangeText::Trace { file: Some(file) } => {
                let file_of = |process: &str| of_process(file, process);
                self.all(|process| Request::Change { change: ChangeText::Trace { file: Some(file_of(process)) } })?;
                let files: Vec<_> = self.members.iter().map(|member| file_of(&member.name)).collect();
                return Ok(json!({ "files": files }));
            }
        };
        let member = self.home(sought)?;
        self.members[member].connection.request(Request::Change { change: change.clone() })
    }

    fn record(&mut self, file: Option<&str>, stop: bool) -> Result<Value, ClientError> {
        let request = |process: &str| Request::Record { file: file.map(|file| of_process(file, process)), stop };
        self.all(request).map(|answers| joined::recorded(&answers))
    }

    fn save(&mut self, overlay: Option<&String>, parameters: &[String]) -> Result<Value, ClientError> {
        let mut of_homes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for parameter in parameters {
            let module = parameter.split('.').next().unwrap_or_default();
            of_homes.entry(self.home(Sought::Module(module))?).or_default().push(parameter.clone());
        }
        let mut answers = Vec::new();
        for (member, parameters) in of_homes {
            let save = Request::Save { overlay: overlay.cloned(), parameters: Some(parameters) };
            answers.push(self.members[member].connection.request(save)?);
        }
        Ok(joined::saved(&answers))
    }

    /// Asks the process that has the subject, or all where nobody says of what.
    fn why(&mut self, subject: Option<&str>, request: &Request) -> Result<Value, ClientError> {
        let home = subject.map(|subject| self.home(Sought::Timed(subject)));
        if let Some(Ok(home)) = home {
            return self.ask_at(home, request.clone());
        }
        let asked = self.at_once(|member| member.connection.request(request.clone()));
        let (mut texts, mut refused) = (Vec::new(), None);
        for (member, asked) in self.members.iter().zip(asked) {
            match asked {
                Ok(answer) => texts.push((member.name.as_str(), answer)),
                Err(error) => _ = refused.get_or_insert(error),
            }
        }
        match (texts.is_empty(), refused) {
            (true, Some(error)) => Err(error),
            _ => Ok(joined::explanations(&texts, subject.is_some())),
        }
    }

    fn plot(&mut self, subscription: u32, fields: &[String], rate: Option<f64>) -> Result<Value, ClientError> {
        let mut answers = vec![Value::Null; fields.len()];
        let mut asked: Vec<Vec<u32>> = vec![Vec::new(); self.members.len()];
        for (number, field) in fields.iter().enumerate() {
            let homes = match Sought::of_field(field) {
                // Any module may plot under any name.
                None => Ok((0..self.members.len()).collect()),
                Some(sought) => self.home(sought).map(|home| vec![home]),
            };
            match homes {
                Ok(homes) => homes.into_iter().for_each(|home| asked[home].push(number as u32)),
                Err(error) => answers[number] = json!({ "error": error.to_string() }),
            }
        }
        for (member, numbers) in self.members.iter_mut().zip(asked) {
            if numbers.is_empty() {
                continue;
            }
            let fields = numbers.iter().map(|number| fields[*number as usize].clone()).collect();
            let answer = member.connection.request(Request::Plot { subscription, fields, rate })?;
            for (number, said) in numbers.iter().zip(answer["fields"].as_array().into_iter().flatten()) {
                let known = &mut answers[*number as usize];
                if known.is_null() || known.get("error").is_some() {
                    *known = said.clone();
                }
            }
            member.subscriptions.insert(subscription, numbers);
        }
        Ok(json!({ "fields": answers }))
    }
}

/// Returns the name of the representation in a path.
fn head(path: &str) -> &str {
    &path[..path.find(['.', '[']).unwrap_or(path.len())]
}

/// Returns the name of a file that one of several processes writes: `late-vision.pftrace`.
fn of_process(file: &str, process: &str) -> String {
    let path = Path::new(file);
    let Some(stem) = path.file_stem() else { return file.to_owned() };
    let mut name = format!("{}-{process}", stem.to_string_lossy());
    if let Some(extension) = path.extension() {
        name += &format!(".{}", extension.to_string_lossy());
    }
    path.with_file_name(name).to_string_lossy().into_owned()
}
