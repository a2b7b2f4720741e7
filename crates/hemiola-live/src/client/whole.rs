//! All processes of a robot, used as one.
//!
//! | file | what |
//! |---|---|
//! | `holdings` | what each process has, and so whom a request is for |
//! | `joined` | the answers of all processes as one |
//! | `clock` | times of one process on the clock of another |
//!
//! A request goes to the process that has the thing, or to all where that is what it means. All are
//! asked at once: one that hangs holds nobody up.

mod clock;
mod holdings;
mod joined;

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

use super::{Address, ClientError, Connection, Incoming, Welcome};
use crate::place::{RunningRobot, RunningSocket};
use crate::protocol::binary::Frame;
use crate::protocol::{ChangeText, Request, Watched};
use clock::Clock;
use holdings::{Holdings, Sought};
use joined::Said;

/// The connections to all processes of a running robot, which are used as one.
///
/// Times are those of the first process's clock. A robot that is a single process is asked as by a
/// [`Connection`], and answers the same.
///
/// ```no_run
/// use hemiola_live::RunningRobot;
/// use hemiola_live::client::WholeRobot;
/// use hemiola_live::protocol::Request;
///
/// for robot in RunningRobot::all() {
///     let mut whole = WholeRobot::open(&robot)?;
///     println!("{}: {}", robot.name, whole.request(Request::Describe {})?["cycles"]);
///     whole.complete()?; // an error, if a process did not answer
/// }
/// # Ok::<(), hemiola_live::client::ClientError>(())
/// ```
pub struct WholeRobot {
    members: Vec<Member>,
    /// The processes that are not reached, and why.
    missing: Vec<(String, String)>,
    /// Whether requests go to the process that has the thing; otherwise there is only one.
    is_cut: bool,
}

/// One process of the robot.
struct Member {
    name: String,
    connection: Connection,
    clock: Clock,
    holdings: Holdings,
    /// The subscriptions, with the numbers of the fields that are asked of this process.
    subscriptions: BTreeMap<u32, Vec<u32>>,
    /// The newest statistics, and how many of them have not been joined.
    statistics: Option<Value>,
    fresh: u32,
}

/// The time within which a process says what it has: one that hangs is not waited for longer.
const DESCRIPTION: Duration = Duration::from_secs(5);
/// The time within which a process makes itself safe, and the like.
const PROMPT: Duration = Duration::from_secs(10);
/// The time within which processes answer questions: bounds of a large robot take seconds.
const ANSWER: Duration = Duration::from_secs(60);

impl WholeRobot {
    /// Connects to what is at one address: a robot, or only that process of it.
    ///
    /// # Errors
    /// The errors of [`Connection::open`].
    pub fn at(address: &Address) -> Result<Self, ClientError> {
        Connection::open(address).map(Self::of)
    }

    /// Connects to a robot that has a process at this address, through whose door all are reached.
    ///
    /// # Errors
    /// The errors of [`Connection::open`].
    pub fn through(address: &Address) -> Result<Self, ClientError> {
        let connection = Connection::open(address)?;
        match connection.welcome().parts.as_slice() {
            [] => Ok(Self::of(connection)),
            parts => Self::open_all(parts.iter().map(|part| (part.clone(), address.of_process(part))).collect()),
        }
    }

    fn of(connection: Connection) -> Self {
        let member = Member::new(connection.welcome().name.clone(), connection);
        Self { members: vec![member], missing: Vec::new(), is_cut: false }
    }

    /// Connects to all processes of a robot at once.
    ///
    /// # Errors
    /// Returns an error if none of them can be reached; if some can, [`complete`](Self::complete)
    /// says which cannot.
    pub fn open(robot: &RunningRobot) -> Result<Self, ClientError> {
        match robot.sockets.as_slice() {
            [only] if !robot.is_cut() => Self::at(&Address::Unix(only.path.clone())),
            sockets => {
                let address = |socket: &RunningSocket| (name_of(socket), Address::Unix(socket.path.clone()));
                Self::open_all(sockets.iter().map(address).collect())
            }
        }
    }

    fn open_all(processes: Vec<(String, Address)>) -> Result<Self, ClientError> {
        let opened = at_once(&processes, |(_, address)| {
            let mut connection = Connection::open(address)?;
            connection.set_patience(DESCRIPTION);
            let described = connection.request(Request::Describe {})?;
            connection.set_patience(ANSWER);
            Ok((connection, Holdings::of(&described)))
        });
        let (mut members, mut missing) = (Vec::new(), Vec::new());
        for ((name, _), opened) in processes.into_iter().zip(opened) {
            match opened {
                Ok((connection, holdings)) => members.push(Member { holdings, ..Member::new(name, connection) }),
                Err(error) => missing.push((name, error.to_string())),
            }
        }
        let Some(first) = members.first() else {
            return Err(ClientError::Processes { done: Vec::new(), failed: missing });
        };
        let parts = first.connection.welcome().parts.clone();
        members.sort_by_key(|member| parts.iter().position(|part| *part == member.name));
        let origin = members[0].connection.welcome().clock_origin;
        for member in &mut members {
            member.clock = Clock::between(member.connection.welcome().clock_origin, origin);
        }
        for part in parts {
            let is_known = members.iter().map(|member| &member.name).chain(missing.iter().map(|(name, _)| name));
            if !is_known.into_iter().any(|name| *name == part) {
                missing.push((part, "it does not run now".to_owned()));
            }
        }
        Ok(Self { members, missing, is_cut: true })
    }

    /// Returns the robot's name: that of the whole, unless it is one process of several.
    pub fn name(&self) -> &str {
        let welcome = self.welcome();
        welcome.robot.as_ref().filter(|_| self.is_cut).unwrap_or(&welcome.name)
    }

    /// Returns the first message of the first process.
    pub fn welcome(&self) -> &Welcome {
        self.members[0].connection.welcome()
    }

    /// Returns the address of the first process.
    pub fn address(&self) -> &Address {
        self.members[0].connection.address()
    }

    /// Returns the names of the processes that are asked; none if the robot is a single one.
    pub fn processes(&self) -> Vec<&str> {
        let members = self.members.iter().filter(|_| self.is_cut);
        members.map(|member| member.name.as_str()).collect()
    }

    /// Checks that all processes of the robot have been reached.
    ///
    /// # Errors
    /// Returns the processes that have not, with the reasons.
    pub fn complete(&self) -> Result<(), ClientError> {
        match self.missing.as_slice() {
            [] => Ok(()),
            missing => Err(ClientError::Processes { done: Vec::new(), failed: missing.to_vec() }),
        }
    }

    /// Sends a request to the process that it is for, or to all, and joins the answers.
    ///
    /// # Errors
    /// Returns an error if no process has the thing or several have it, and the errors of
    /// [`Connection::request`]. What is for all processes is done by all that can:
    /// [`ClientError::Processes`] names the others.
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
            Request::Watch { what: Watched::Statistics | Watched::Journal, .. }
            | Request::Unwatch { .. }
            | Request::Mark { .. }
            | Request::Stop {} => self.all(|_| request.clone()).map(|_| json!({})),
            // Layouts lie beside robot.toml, and are the same for all; the rest is for single
            // processes.
            _ => self.ask_at(0, request),
        }
    }

    /// Returns the next message that a process sends without being asked; `None` if none arrives
    /// within `timeout`. Statistics come as those of the whole robot.
    ///
    /// # Errors
    /// Returns an error if the last process has ended, or one that values are received of.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<Incoming>, ClientError> {
        if !self.is_cut {
            return self.members[0].connection.next(timeout);
        }
        let deadline = Instant::now() + timeout;
        loop {
            for index in 0..self.members.len() {
                match self.members[index].connection.next(Duration::ZERO) {
                    Ok(Some(message)) => {
                        if let Some(message) = self.joined(index, message) {
                            return Ok(Some(message));
                        }
                    }
                    Ok(None) => {}
                    Err(error) => {
                        self.lose(index, error)?;
                        break;
                    }
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let mut sockets: Vec<_> = self
                .members
                .iter()
                .map(|member| PollFd::from_borrowed_fd(member.connection.as_fd(), PollFlags::IN))
                .collect();
            let left = Timespec::try_from(left).ok();
            // An interruption is looked at as a message that is none.
            _ = poll(&mut sockets, left.as_ref());
        }
    }

    /// Notes that a process has ended. The others go on, unless somebody waits for values of this
    /// one.
    fn lose(&mut self, index: usize, error: ClientError) -> Result<(), ClientError> {
        if self.members.len() == 1 || !self.members[index].subscriptions.is_empty() {
            return Err(error);
        }
        let lost = self.members.remove(index);
        self.missing.push((lost.name, error.to_string()));
        Ok(())
    }

    /// Returns a message of a process as one of the whole robot; `None` if it has to wait for those
    /// of other processes.
    fn joined(&mut self, index: usize, message: Incoming) -> Option<Incoming> {
        let member = &mut self.members[index];
        let clock = member.clock;
        match message {
            Incoming::Journal(mut entry) => {
                entry.time = clock.convert(entry.time);
                Some(Incoming::Journal(entry))
            }
            Incoming::Binary(frame) => Some(Incoming::Binary(member.convert(frame))),
            Incoming::Event { name, content } if name == "statistics" => {
                member.statistics = Some(content);
                member.fresh += 1;
                let is_waiting = self.members.iter().any(|member| member.fresh == 0);
                // One that has sent none while another one sent two is not waited for.
                if is_waiting && self.members[index].fresh < 2 {
                    return None;
                }
                self.members.iter_mut().for_each(|member| member.fresh = 0);
                let known = self.members.iter().filter_map(|member| Some(member.said(member.statistics.as_ref()?)));
                let content = joined::statistics(&known.collect::<Vec<_>>());
                Some(Incoming::Event { name, content })
            }
            Incoming::Event { name, mut content } => {
                content["process"] = member.name.clone().into();
                Some(Incoming::Event { name, content })
            }
        }
    }

    /// Does something with the connections to all processes at once, with each on a thread of its
    /// own. Returns the names of the processes with the outcomes.
    pub fn each<T: Send>(
        &mut self,
        act: impl Fn(&mut Connection) -> Result<T, ClientError> + Sync,
    ) -> Vec<(String, Result<T, ClientError>)> {
        let done = self.at_once(|member| act(&mut member.connection));
        self.members.iter().map(|member| member.name.clone()).zip(done).collect()
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
    fn at_once<T: Send>(
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

impl Member {
    fn new(name: String, connection: Connection) -> Self {
        let (clock, holdings, subscriptions, statistics, fresh) = Default::default();
        Self { name, connection, clock, holdings, subscriptions, statistics, fresh }
    }

    fn request_within(&mut self, patience: Duration, request: Request) -> Result<Value, ClientError> {
        self.connection.set_patience(patience);
        let answer = self.connection.request(request);
        self.connection.set_patience(ANSWER);
        answer
    }

    fn said<'a>(&'a self, content: &'a Value) -> Said<'a> {
        Said { process: &self.name, holdings: &self.holdings, clock: self.clock, content }
    }

    /// Returns a message of this process with times of the first one's clock.
    fn convert(&self, frame: Frame) -> Frame {
        let clock = self.clock;
        match frame {
            Frame::Value(mut message) => {
                message.head.time = clock.convert(message.head.time);
                message.head.stamp = clock.convert(message.head.stamp);
                Frame::Value(message)
            }
            Frame::Points { subscription, mut fields } => {
                let numbers = self.subscriptions.get(&subscription);
                for points in &mut fields {
                    let number = numbers.and_then(|numbers| numbers.get(points.field as usize));
                    points.field = number.copied().unwrap_or(points.field);
                    points.points.iter_mut().for_each(|point| point.time = clock.convert_seconds(point.time));
                }
                Frame::Points { subscription, fields }
            }
            Frame::Events { subscription, mut records } => {
                for record in &mut records {
                    (record.begin, record.end) = (clock.convert(record.begin), clock.convert(record.end));
                }
                Frame::Events { subscription, records }
            }
        }
    }
}

/// Does something with several processes of a robot, with each on a thread of its own, so that none
/// waits for another one. Returns the names of the processes with the outcomes.
///
/// ```no_run
/// use hemiola_live::RunningRobot;
/// use hemiola_live::client::{Address, Connection, each_process};
///
/// for robot in RunningRobot::all() {
///     for (process, connected) in each_process(&robot.sockets, |socket| Connection::open(&Address::Unix(socket.path.clone()))) {
///         println!("{process}: {}", connected.map_or_else(|error| error.to_string(), |robot| robot.welcome().pace.clone()));
///     }
/// }
/// ```
pub fn each_process<T: Send>(
    sockets: &[RunningSocket],
    act: impl Fn(&RunningSocket) -> Result<T, ClientError> + Sync,
) -> Vec<(String, Result<T, ClientError>)> {
    sockets.iter().map(name_of).zip(at_once(sockets, act)).collect()
}

/// Does something with several things, with each on a thread of its own.
fn at_once<P: Sync, T: Send>(
    of: &[P],
    act: impl Fn(&P) -> Result<T, ClientError> + Sync,
) -> Vec<Result<T, ClientError>> {
    let act = &act;
    thread::scope(|scope| {
        let acting: Vec<_> = of.iter().map(|one| scope.spawn(move || act(one))).collect();
        acting.into_iter().map(|acting| acting.join().unwrap_or_else(|_| Err(panicked()))).collect()
    })
}

/// Returns the name of a process of a robot.
fn name_of(socket: &RunningSocket) -> String {
    socket.part.as_ref().map_or_else(|| socket.name(), |part| part.process.clone())
}

fn panicked() -> ClientError {
    ClientError::Refused("this program has a fault: a thread of it has panicked".to_owned())
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
