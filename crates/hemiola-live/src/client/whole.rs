//! All processes of a robot, used as one.
//!
//! A request goes to the process that has the thing that it is about, or to all processes if it
//! concerns the whole robot. All are asked at the same time, so that a process that hangs does not
//! delay the others.

use std::collections::BTreeMap;
use std::mem;
use std::os::fd::BorrowedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Deserialize;
use serde_json::Value;

use super::{Address, ClientError, Connection, Incoming, Welcome};
use crate::place::{RunningRobot, RunningSocket};
use crate::protocol::{Request, RobotHosts, Watched};
use crate::whole::clock::{Clock, HostClocks};
use crate::whole::holdings::Holdings;
use crate::whole::process::Process;
use crate::whole::routes::{self, ANSWER, Joint, Undone};
use crate::whole::statistics;

/// The connections to all processes of a running robot, which are used as one.
///
/// All times are those of the first process's clock. A robot of a single process gets the same
/// requests, and gives the same answers, as over a [`Connection`].
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
    /// The processes that are not reached, each with the reason.
    missing: Vec<(String, String)>,
    /// Set if requests are routed to the process that has the thing; otherwise there is only one
    /// process.
    is_cut: bool,
    /// The origin of the first process's clock, with which those of the others are compared.
    origin: Option<u64>,
    /// The clocks of other hosts than the first process's.
    hosts: HostClocks,
    /// The sockets of processes to which connecting was tried.
    tried: Vec<RunningSocket>,
    /// The subscriptions that every process gets.
    watches: BTreeMap<String, Request>,
}

/// The time within which a process must describe itself; one that hangs is not waited for any
/// longer.
const DESCRIPTION: Duration = Duration::from_secs(5);

/// One process of the robot, with the connection to it.
type Member = Process<Connection>;

impl WholeRobot {
    /// Connects to whatever has this address: a whole robot, or only one process of it.
    ///
    /// # Errors
    /// The errors of [`Connection::open`].
    pub fn at(address: &Address) -> Result<Self, ClientError> {
        Connection::open(address).map(Self::of)
    }

    /// Connects to all processes of a robot through the door of one of them, which has this
    /// address.
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
        let (missing, origin, hosts, tried, watches) = Default::default();
        Self { members: vec![member], missing, is_cut: false, origin, hosts, tried, watches }
    }

    /// Connects to all processes of a robot at once.
    ///
    /// # Errors
    /// Returns an error if no process can be reached. If only some can,
    /// [`complete`](Self::complete) names the others.
    pub fn open(robot: &RunningRobot) -> Result<Self, ClientError> {
        match robot.sockets.as_slice() {
            [only] if !robot.is_cut() => Self::at(&Address::Unix(only.path.clone())),
            sockets => {
                let address = |socket: &RunningSocket| (name_of(socket), Address::Unix(socket.path.clone()));
                let whole = Self::open_all(sockets.iter().map(address).collect())?;
                let tried = sockets.iter().filter(|socket| !socket.leads_elsewhere()).cloned().collect();
                Ok(Self { tried, ..whole })
            }
        }
    }

    fn open_all(processes: Vec<(String, Address)>) -> Result<Self, ClientError> {
        let opened = at_once(&processes, |(_, address)| described(address));
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
        let first = members[0].connection.welcome();
        let (origin, hosts) = (first.clock_origin, HostClocks::of(&first.hosts));
        for member in &mut members {
            let own = member.connection.welcome().clock_origin;
            member.clock = Clock::between(own, origin, hosts.ahead(&member.name));
        }
        for part in parts {
            let is_known = members.iter().map(|member| &member.name).chain(missing.iter().map(|(name, _)| name));
            if !is_known.into_iter().any(|name| *name == part) {
                missing.push((part, "it is not running".to_owned()));
            }
        }
        Ok(Self { members, missing, is_cut: true, origin, hosts, tried: Vec::new(), watches: BTreeMap::new() })
    }

    /// Connects to the processes that have been started again since, and subscribes to the same
    /// events as at the others. Each new process is tried once, for a few seconds at most; one on
    /// another host again and again, until it does not answer.
    pub fn rejoin(&mut self) {
        let Some(known) = self.tried.first().cloned() else { return };
        if self.missing.is_empty() {
            return;
        }
        let new = RunningSocket::all().into_iter();
        let new: Vec<_> = new.filter(|socket| socket.is_of_one_robot(&known) && !self.tried.contains(socket)).collect();
        for socket in new {
            let name = name_of(&socket);
            if !self.missing.iter().any(|(missing, _)| *missing == name) {
                continue;
            }
            let joined = described(&Address::Unix(socket.path.clone()));
            // The way to another host is the same when the process there is started again.
            if !socket.leads_elsewhere() || matches!(joined, Err(ClientError::Silent { .. })) {
                self.tried.push(socket);
            }
            let Ok((mut connection, holdings)) = joined else { continue };
            let asked = self.watches.values().try_for_each(|watch| connection.request(watch.clone()).map(drop));
            if asked.is_ok() {
                let own = connection.welcome().clock_origin;
                let clock = Clock::between(own, self.origin, self.hosts.ahead(&name));
                self.missing.retain(|(missing, _)| *missing != name);
                self.members.push(Member { holdings, clock, ..Member::new(name, connection) });
            }
        }
    }

    /// Returns the names of the processes that are not reached.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.missing.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the name of the whole robot, or of the only process that is connected.
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

    /// Returns the names of the connected processes; empty if the robot is a single process.
    pub fn processes(&self) -> Vec<&str> {
        let members = self.members.iter().filter(|_| self.is_cut);
        members.map(|member| member.name.as_str()).collect()
    }

    /// Checks that all processes of the robot have been reached.
    ///
    /// # Errors
    /// Returns an error that names the processes that have not been reached, with the reasons.
    pub fn complete(&self) -> Result<(), ClientError> {
        match self.missing.as_slice() {
            [] => Ok(()),
            missing => Err(ClientError::Processes { done: Vec::new(), failed: missing.to_vec() }),
        }
    }

    /// Returns the next message that a process sends without being asked; `None` if none arrives
    /// within `timeout`. Statistics are combined into those of the whole robot.
    ///
    /// # Errors
    /// Returns an error if the last process has ended, or a process that this client receives
    /// values from.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<Incoming>, ClientError> {
        if !self.is_cut {
            return self.members[0].connection.next(timeout);
        }
        let deadline = Instant::now() + timeout;
        loop {
            let mut has_more = false;
            for index in 0..self.members.len() {
                match self.members[index].connection.next(Duration::ZERO) {
                    Ok(Some(message)) => {
                        if let Some(message) = self.joined(index, message) {
                            return Ok(Some(message));
                        }
                        has_more = true;
                    }
                    Ok(None) => {}
                    Err(error) => {
                        self.lose(index, error)?;
                        break;
                    }
                }
            }
            // A message that was read together with this one is in no socket any more.
            if has_more {
                continue;
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
            // An interrupted wait is treated as one in which no message arrived.
            _ = poll(&mut sockets, left.as_ref());
        }
    }

    /// Returns the sockets of the connections: when one of them can be read, there may be a next
    /// message.
    pub fn sockets(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.members.iter().map(|member| member.connection.as_fd())
    }

    /// Notes that a process has ended. The others remain connected, unless this client receives
    /// values from the process that has ended.
    fn lose(&mut self, index: usize, error: ClientError) -> Result<(), ClientError> {
        if self.members.len() == 1 || !self.members[index].subscriptions.is_empty() {
            return Err(error);
        }
        let lost = self.members.remove(index);
        self.missing.push((lost.name, error.to_string()));
        Ok(())
    }

    /// Converts a message of a process into one of the whole robot; `None` if it must be combined
    /// with messages of other processes that are still missing.
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
                self.hosts.renew(&RobotHosts::deserialize(&content).unwrap_or_default());
                // A process that had not begun when it was reached may have postponed its
                // beginning.
                if let Some(origin) = content["clock_origin"].as_u64() {
                    member.clock = Clock::between(Some(origin), self.origin, self.hosts.ahead(&member.name));
                }
                let content = statistics(&mut self.members, index, content)?;
                Some(Incoming::Event { name, content })
            }
            Incoming::Event { name, mut content } => {
                content["process"] = member.name.clone().into();
                Some(Incoming::Event { name, content })
            }
        }
    }

    /// Sends a request to the process that it is for, or to all, and combines the answers.
    ///
    /// # Errors
    /// Returns an error if no process has the thing, or several have it, and in the cases of
    /// [a connection](crate::client::Connection::request). A request for all processes is executed
    /// by all that can; [`ClientError::Processes`] names the others.
    pub fn request(&mut self, request: Request) -> Result<Value, ClientError> {
        if !self.is_cut {
            return self.members[0].connection.request(request);
        }
        match &request {
            // Processes that are reached later get the same subscription.
            Request::Watch { what: what @ (Watched::Statistics | Watched::Journal), .. } => {
                self.watches.insert(format!("{what:?}"), request.clone());
            }
            Request::Unwatch { what } => _ = self.watches.remove(&format!("{what:?}")),
            _ => {}
        }
        let mut route = routes::route(&self.members, &self.missing, &request).map_err(ClientError::Refused)?;
        let asked = mem::take(&mut route.asked);
        for (index, request) in &asked {
            self.members[*index].note(request, route.numbers(*index));
        }
        let answers = self.ask(asked, route.is_in_turn(), routes::patience(&request));
        // Processes that do not answer a question count as missing from then on.
        if let Joint::Known(_) = route.joint {
            let failed =
                answers.iter().filter_map(|(index, answer)| Some((*index, answer.as_ref().err()?.to_string())));
            let failed = failed.map(|(index, error)| (self.members[index].name.clone(), error));
            self.missing.extend(failed.collect::<Vec<_>>());
        }
        route.answer(&self.members, &self.missing, answers).map_err(|undone| match undone {
            Undone::Refused(error) => error,
            Undone::Processes { done, failed } => ClientError::Processes { done, failed },
        })
    }

    /// Sends each process a request of its own: to all at the same time, or in turn until one
    /// fails.
    fn ask(
        &mut self,
        asked: Vec<(usize, Request)>,
        in_turn: bool,
        patience: Duration,
    ) -> Vec<(usize, Result<Value, ClientError>)> {
        let ask = |member: &mut Member, request: Request| {
            member.connection.set_patience(patience);
            let answer = member.connection.request(request);
            member.connection.set_patience(ANSWER);
            answer
        };
        let mut answers = Vec::new();
        if in_turn || asked.len() == 1 {
            for (index, request) in asked {
                let answer = ask(&mut self.members[index], request);
                let is_over = answer.is_err();
                answers.push((index, answer));
                if is_over {
                    break;
                }
            }
            return answers;
        }
        thread::scope(|scope| {
            let mut requests: BTreeMap<usize, Request> = asked.into_iter().collect();
            let with_request = self.members.iter_mut().enumerate();
            let with_request =
                with_request.filter_map(|(index, member)| Some((index, member, requests.remove(&index)?)));
            let asking =
                with_request.map(|(index, member, request)| (index, scope.spawn(move || ask(member, request))));
            let asking: Vec<_> = asking.collect();
            let answered = asking.into_iter();
            answered.map(|(index, asking)| (index, asking.join().unwrap_or_else(|_| Err(panicked())))).collect()
        })
    }

    /// Runs a function with each connection, all at the same time, each on a thread of its own.
    /// Returns the names of the processes with the results.
    pub fn each<T: Send>(
        &mut self,
        act: impl Fn(&mut Connection) -> Result<T, ClientError> + Sync,
    ) -> Vec<(String, Result<T, ClientError>)> {
        let act = &act;
        thread::scope(|scope| {
            let acting = self.members.iter_mut().map(|member| {
                let name = member.name.clone();
                (name, scope.spawn(move || act(&mut member.connection)))
            });
            let acting: Vec<_> = acting.collect();
            let done = acting.into_iter();
            done.map(|(name, acting)| (name, acting.join().unwrap_or_else(|_| Err(panicked())))).collect()
        })
    }
}

/// Runs a function for each of several processes of a robot, each on a thread of its own, so that
/// none waits for another. Returns the names of the processes with the results.
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

/// Runs a function for each of several items, each on a thread of its own.
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

/// Connects to a process, and asks for its description.
fn described(address: &Address) -> Result<(Connection, Holdings), ClientError> {
    let mut connection = Connection::open(address)?;
    connection.set_patience(DESCRIPTION);
    let described = connection.request(Request::Describe {})?;
    connection.set_patience(ANSWER);
    Ok((connection, Holdings::of(&described)))
}

fn panicked() -> ClientError {
    ClientError::Refused("a thread of this program panicked, which is a bug in it".to_owned())
}
