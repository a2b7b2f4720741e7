//! The state of a robot in several processes: whether it is in its safe state, and the changes in
//! each process. The process that has started them keeps it, as it never dies alone, and sends it
//! to each process that begins.
//!
//! **Safe wins.** Processes enter and leave their safe states by themselves, and report that;
//! others follow. Two that report different things at once have not received each other's message.
//! So a process that leaves sends how often it has received that others are safe, and is not
//! followed if that number has grown meanwhile; and a process that is requested to leave receives
//! how often it has reported that it is safe, and stays if it has done so once more. Several hosts
//! agree by [`Entries`].
//!
//! **Who begins waits.** A process that begins before the other hosts have been met, or before a
//! process without which the robot must not run, does not know whether the robot is safe. It waits
//! in its safe state until nothing is missing; it does not wait again when something is lost later.

use std::collections::BTreeMap;

use hemiola_live::protocol::ChangeText;

use super::entries::Entries;
use super::met::{Connection, KnownHost};
use super::words::{HostKnows, LONGEST, SafeCause, Said, Told};

/// The state of a robot in several processes.
pub struct Standing {
    processes: Vec<Kept>,
    /// The name of this run of this host.
    run: String,
    entries: Entries,
    hosts: Vec<KnownHost>,
}

/// The facts that are kept of a process.
struct Kept {
    name: String,
    changes: BTreeMap<Key, ChangeText>,
    /// The length of all changes as text.
    length: usize,
    /// Set if the robot must not run without it.
    is_needed: bool,
    is_there: bool,
    /// The thing that it waits for in its safe state.
    waits: Option<String>,
    /// The number of times that it has reported that it is safe, since it began.
    said: u64,
    /// The number of times that it was notified that others are safe, since it began.
    told: u64,
}

/// The subject of a change, in the order in which changes are repeated: a module that becomes a
/// provider begins with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Parameter(String, String),
    Provider(String),
    Override(String),
    Workers(String),
}

/// The largest number of changes of a process that are kept, each of another subject.
const MOST_CHANGES: usize = 256;
/// The largest length of all of them.
const MOST_LENGTH: usize = LONGEST as usize / 2;

/// The error that there is no room for a change, which a restarted process will not have.
#[derive(Debug, PartialEq, Eq)]
pub struct NoRoom;

impl Standing {
    /// Returns the state of a robot of which no process has begun.
    pub fn of<'n>(processes: impl IntoIterator<Item = &'n str>, run: String) -> Self {
        let kept = |name: &str| Kept {
            name: name.to_owned(),
            changes: BTreeMap::new(),
            length: 0,
            is_needed: false,
            is_there: false,
            waits: None,
            said: 0,
            told: 0,
        };
        let (entries, hosts) = (Entries::default(), Vec::new());
        Self { processes: processes.into_iter().map(kept).collect(), run, entries, hosts }
    }

    /// Sets those for which a process that begins waits: the processes without which the robot must
    /// not run, and other hosts.
    pub fn waiting_for(mut self, is_needed: impl Fn(&str) -> bool, hosts: Vec<KnownHost>) -> Self {
        self.processes.iter_mut().for_each(|kept| kept.is_needed = is_needed(&kept.name));
        Self { hosts, ..self }
    }

    /// Returns the state with which a process begins; it is sent everything from now on. Others may
    /// have [waited](Self::note_waits) for it.
    pub fn begin(&mut self, process: usize) -> Told {
        let waits = self.missing(process);
        let kept = &mut self.processes[process];
        (kept.is_there, kept.said, kept.told) = (true, 0, 0);
        kept.waits.clone_from(&waits);
        Told::Begin { changes: kept.changes.values().cloned().collect(), safe: self.entries.cause().cloned(), waits }
    }

    /// Notes that a process is gone.
    pub fn end(&mut self, process: usize) {
        self.processes[process].is_there = false;
    }

    /// Returns the messages for processes that wait, if they wait for something else by now, or for
    /// nothing any more.
    pub fn note_waits(&mut self) -> Vec<(usize, Told)> {
        let waiting = (0..self.processes.len()).filter(|at| self.processes[*at].waits.is_some());
        let missing: Vec<_> = waiting.map(|process| (process, self.missing(process))).collect();
        let tell = |(process, missing): (usize, Option<String>)| {
            let kept = &mut self.processes[process];
            let is_new = kept.is_there && kept.waits != missing;
            kept.waits.clone_from(&missing);
            is_new.then_some((process, Told::Waits(missing)))
        };
        missing.into_iter().filter_map(tell).collect()
    }

    /// Returns what is missing for a process that begins.
    fn missing(&self, process: usize) -> Option<String> {
        let others = self.processes.iter().enumerate().filter(|(number, _)| *number != process);
        let mut missing = others.map(|(_, kept)| kept).filter(|kept| kept.is_needed && !kept.is_there);
        let process = missing.next().map(|kept| format!("process `{}`: it has not begun yet", kept.name));
        process.or_else(|| self.hosts.iter().find_map(KnownHost::missing))
    }

    /// Keeps a change of a process.
    pub fn keep(&mut self, process: usize, change: ChangeText) -> Result<(), NoRoom> {
        self.processes[process].keep(change)
    }

    /// Handles the report of a process about its safe state; returns the messages for others.
    pub fn hear(&mut self, process: usize, said: &Said) -> Vec<(usize, Told)> {
        let name = self.processes[process].name.clone();
        match said {
            Said::Safe { reason } => {
                self.processes[process].said += 1;
                let is_new = self.entries.cause().is_none();
                let cause = SafeCause { process: name, reason: reason.clone() };
                self.entries.enter(&self.run, cause.clone());
                if is_new { self.tell_safe(&cause, Some(process)) } else { Vec::new() }
            }
            Said::Left { heard } if *heard == self.processes[process].told => {
                self.entries.leave(&name);
                self.tell_left(&name, Some(process))
            }
            Said::Left { .. } | Said::Begins { .. } | Said::Changed(_) => Vec::new(),
        }
    }

    /// Adds what another host has said over this connection; returns the messages for processes.
    pub fn join(&mut self, host: usize, connection: Connection, knows: HostKnows) -> Vec<(usize, Told)> {
        self.hosts[host].hear(connection, &knows);
        let was_safe = self.entries.cause().is_some();
        let left_by = self.entries.merge(knows.entries, &self.run);
        let mut told = match (was_safe, self.entries.cause().cloned()) {
            (false, Some(cause)) => self.tell_safe(&cause, None),
            (true, None) => self.tell_left(&left_by.unwrap_or_default(), None),
            _ => Vec::new(),
        };
        // Whoever has waited knows the safe state of the others when it waits no more.
        told.extend(self.note_waits());
        told
    }

    /// Notes that another host could not be reached; returns the messages for processes.
    pub fn note_absence(&mut self, host: usize) -> Vec<(usize, Told)> {
        self.hosts[host].note_absence();
        self.note_waits()
    }

    /// Notes that another host says nothing more over this connection; returns the messages for
    /// processes.
    pub fn part(&mut self, host: usize, connection: &Connection) -> Vec<(usize, Told)> {
        self.hosts[host].part(connection);
        self.note_waits()
    }

    /// Returns what other hosts have to know.
    pub fn knows(&self) -> HostKnows {
        let begun = self.processes.iter().filter(|kept| kept.is_there).map(|kept| kept.name.clone());
        HostKnows { entries: self.entries.clone(), begun: begun.collect() }
    }

    fn tell_safe(&mut self, cause: &SafeCause, except: Option<usize>) -> Vec<(usize, Told)> {
        let tell = |(number, kept): (usize, &mut Kept)| {
            kept.told += 1;
            (number, Told::Safe(cause.clone()))
        };
        self.others(except).map(tell).collect()
    }

    fn tell_left(&mut self, process: &str, except: Option<usize>) -> Vec<(usize, Told)> {
        let tell =
            |(number, kept): (usize, &mut Kept)| (number, Told::Left { process: process.to_owned(), heard: kept.said });
        self.others(except).map(tell).collect()
    }

    fn others(&mut self, except: Option<usize>) -> impl Iterator<Item = (usize, &mut Kept)> {
        let all = self.processes.iter_mut().enumerate();
        all.filter(move |(number, kept)| Some(*number) != except && kept.is_there)
    }
}

impl Kept {
    fn keep(&mut self, change: ChangeText) -> Result<(), NoRoom> {
        let key = match &change {
            ChangeText::Parameter { module, name, .. } => Key::Parameter(module.clone(), name.clone()),
            ChangeText::Provider { representation, .. } => Key::Provider(representation.clone()),
            ChangeText::Override { representation, .. } => Key::Override(representation.clone()),
            ChangeText::Workers { cycle, .. } => Key::Workers(cycle.clone()),
            ChangeText::Release { representation } => {
                self.drop_change(&Key::Override(representation.clone()));
                return Ok(());
            }
            // The others concern something that ends when a process dies, or all processes.
            ChangeText::Restart { .. } | ChangeText::Trace { .. } | ChangeText::SafeState(_) => return Ok(()),
        };
        self.drop_change(&key);
        let length = length(&change);
        if self.changes.len() == MOST_CHANGES || self.length + length > MOST_LENGTH {
            return Err(NoRoom);
        }
        self.length += length;
        self.changes.insert(key, change);
        Ok(())
    }

    fn drop_change(&mut self, key: &Key) {
        self.length -= self.changes.remove(key).map_or(0, |change| length(&change));
    }
}

fn length(change: &ChangeText) -> usize {
    serde_json::to_vec(change).map_or(MOST_LENGTH, |text| text.len())
}

#[cfg(test)]
mod tests {
    use hemiola_model::Value;

    use super::*;

    const MAIN: usize = 0;
    const VISION: usize = 1;
    const AUDIO: usize = 2;

    /// The robot with all processes there.
    fn robot() -> Standing {
        let mut standing = Standing::of(["main", "vision", "audio"], "body".into());
        for process in [MAIN, VISION, AUDIO] {
            assert_eq!(standing.begin(process), Told::Begin { changes: Vec::new(), safe: None, waits: None });
        }
        standing
    }

    fn stopped() -> Said {
        Said::Safe { reason: "cycle `motion` stopped".into() }
    }

    fn because(process: &str) -> SafeCause {
        SafeCause { process: process.into(), reason: "cycle `motion` stopped".into() }
    }

    fn parameter(name: &str, value: f64) -> ChangeText {
        ChangeText::Parameter { module: "Walk".into(), name: name.into(), value: Value::Float(value) }
    }

    #[test]
    fn the_safe_state_of_one_process_is_that_of_all_and_of_whoever_begins() {
        let mut robot = robot();
        robot.end(AUDIO);
        let told = Told::Safe(because("main"));
        assert_eq!(robot.hear(MAIN, &stopped()), [(VISION, told)]);
        assert_eq!(robot.begin(AUDIO), Told::Begin { changes: Vec::new(), safe: Some(because("main")), waits: None });
        robot.end(VISION);
        let left = Told::Left { process: "main".into(), heard: 0 };
        assert_eq!(robot.hear(MAIN, &Said::Left { heard: 0 }), [(AUDIO, left)]);
        assert_eq!(robot.begin(VISION), Told::Begin { changes: Vec::new(), safe: None, waits: None });
    }

    #[test]
    fn one_that_leaves_before_it_has_heard_that_others_are_safe_is_not_followed() {
        let mut robot = robot();
        robot.hear(MAIN, &stopped());
        assert_eq!(robot.hear(VISION, &Said::Left { heard: 0 }), []);
        assert!(matches!(robot.begin(AUDIO), Told::Begin { safe: Some(_), .. }));
        assert_eq!(robot.hear(VISION, &Said::Left { heard: 1 }).len(), 2);
        assert!(matches!(robot.begin(AUDIO), Told::Begin { safe: None, .. }));
    }

    #[test]
    fn one_that_is_told_to_leave_knows_whether_its_own_reason_was_heard() {
        let mut robot = robot();
        robot.hear(MAIN, &stopped());
        robot.hear(VISION, &stopped());
        let left = |heard| Told::Left { process: "main".into(), heard };
        assert_eq!(robot.hear(MAIN, &Said::Left { heard: 0 }), [(VISION, left(1)), (AUDIO, left(0))]);
        // Vision has entered it once more meanwhile, and so the robot does.
        assert_eq!(robot.hear(VISION, &stopped()).len(), 2);
        assert!(matches!(robot.begin(AUDIO), Told::Begin { safe: Some(cause), .. } if cause == because("vision")));
    }

    #[test]
    fn the_safe_state_of_one_host_is_that_of_the_others() {
        let host = |name: &str| vec![KnownHost::new(name, Vec::new())];
        let mut body = robot().waiting_for(|_| false, host("head"));
        let mut head = Standing::of(["arm"], "head".into()).waiting_for(|_| false, host("body"));
        head.note_absence(0);
        head.begin(MAIN);
        let join = |one: &mut Standing, other: &Standing| one.join(0, Connection::default(), other.knows());
        body.hear(VISION, &stopped());
        let told = join(&mut head, &body);
        assert_eq!(told, [(MAIN, Told::Safe(because("vision")))]);
        // Whoever left did not know that the other host had a reason of its own meanwhile.
        assert_eq!(body.hear(VISION, &Said::Left { heard: 0 }).len(), 2);
        head.hear(MAIN, &stopped());
        assert_eq!(join(&mut head, &body), []);
        assert_eq!(join(&mut body, &head).len(), 3);
        // Now it does.
        assert_eq!(body.hear(MAIN, &Said::Left { heard: 2 }).len(), 2);
        let left = Told::Left { process: "main".into(), heard: 1 };
        assert_eq!(join(&mut head, &body), [(MAIN, left)]);
        assert_eq!(join(&mut head, &body), []);
    }

    /// Returns what a process that begins waits for.
    fn waits(standing: &mut Standing, process: usize) -> Option<String> {
        match standing.begin(process) {
            Told::Begin { waits, .. } => waits,
            other => panic!("{other:?}"),
        }
    }

    fn says(begun: &[&str]) -> HostKnows {
        HostKnows { begun: begun.iter().map(|process| (*process).to_owned()).collect(), ..HostKnows::default() }
    }

    #[test]
    fn a_process_waits_for_those_without_which_the_robot_must_not_run_and_for_no_others() {
        let needs_vision = |name: &str| name == "vision";
        let mut robot = Standing::of(["main", "vision", "audio"], "body".into()).waiting_for(needs_vision, Vec::new());
        let not_yet = Some("process `vision`: it has not begun yet");
        assert_eq!(waits(&mut robot, MAIN).as_deref(), not_yet);
        assert_eq!(robot.note_waits(), []);
        // It waits for nobody itself.
        assert_eq!(waits(&mut robot, VISION), None);
        assert_eq!(robot.note_waits(), [(MAIN, Told::Waits(None))]);
        assert_eq!(waits(&mut robot, AUDIO), None);
        // A loss is no reason to wait again, but for whoever begins meanwhile.
        robot.end(VISION);
        assert_eq!(robot.note_waits(), []);
        robot.end(MAIN);
        assert_eq!(waits(&mut robot, MAIN).as_deref(), not_yet);
    }

    #[test]
    fn a_host_that_starts_waits_until_it_knows_whether_another_one_is_safe() {
        let arm = KnownHost::new("arm", vec!["gripper".into()]);
        let hosts = vec![KnownHost::new("head", Vec::new()), arm];
        let mut body = Standing::of(["main", "vision", "audio"], "body".into()).waiting_for(|_| false, hosts);
        let not_met = |host: &str| Some(format!("host `{host}`: it has not been met yet"));
        assert_eq!(waits(&mut body, MAIN), not_met("head"));
        let mut head = Standing::of(["eyes"], "head".into());
        head.begin(MAIN);
        head.hear(MAIN, &stopped());
        // What it hears of the safe state comes before what it waits for no more.
        let told = body.join(0, Connection::default(), head.knows());
        assert_eq!(told, [(MAIN, Told::Safe(because("eyes"))), (MAIN, Told::Waits(not_met("arm")))]);
        let (arm, gripper) = (Connection::default(), "process `gripper` on host `arm`: it has not begun yet");
        assert_eq!(body.join(1, arm.clone(), says(&[])), [(MAIN, Told::Waits(Some(gripper.into())))]);
        assert_eq!(body.part(1, &arm), [(MAIN, Told::Waits(not_met("arm")))]);
        assert_eq!(body.note_absence(1), [], "it must be there");
        assert_eq!(body.join(1, arm.clone(), says(&["gripper"])), [(MAIN, Told::Waits(None))]);
        // From now on, the cause of the safe state is what counts.
        assert_eq!(body.part(1, &arm), []);
        assert_eq!(body.hear(MAIN, &Said::Left { heard: 1 }), []);
        assert!(matches!(body.begin(MAIN), Told::Begin { safe: None, waits: Some(_), .. }));
    }

    #[test]
    fn a_host_that_may_be_away_is_not_waited_for_when_it_cannot_be_reached() {
        let hosts = vec![KnownHost::new("head", Vec::new())];
        let mut body = Standing::of(["main"], "body".into()).waiting_for(|_| false, hosts);
        assert!(waits(&mut body, MAIN).is_some());
        assert_eq!(body.note_absence(0), [(MAIN, Told::Waits(None))]);
        body.end(MAIN);
        assert_eq!(waits(&mut body, MAIN), None);
        assert_eq!(body.knows().begun, ["main"]);
    }

    #[test]
    fn a_process_begins_with_the_last_change_of_each_thing() {
        let mut robot = robot();
        let shown = |name: &str| ChangeText::Override { representation: name.into(), value: Value::Float(1.0) };
        let provider = ChangeText::Provider { representation: "Ball".into(), module: "BallFilter".into() };
        for change in [shown("Pose"), shown("Ball"), provider.clone(), parameter("gain", 0.5), parameter("gain", 0.7)] {
            robot.keep(VISION, change).unwrap();
        }
        robot.keep(VISION, ChangeText::Release { representation: "Pose".into() }).unwrap();
        robot.keep(VISION, ChangeText::Restart { module: "Walk".into() }).unwrap();
        let changes = vec![parameter("gain", 0.7), provider, shown("Ball")];
        assert_eq!(robot.begin(VISION), Told::Begin { changes, safe: None, waits: None });
        assert_eq!(robot.begin(MAIN), Told::Begin { changes: Vec::new(), safe: None, waits: None });
    }

    #[test]
    fn what_is_kept_is_bounded_in_number_and_length() {
        let mut robot = robot();
        for number in 0..MOST_CHANGES {
            robot.keep(MAIN, parameter(&number.to_string(), 1.0)).unwrap();
        }
        assert_eq!(robot.keep(MAIN, parameter("one more", 1.0)), Err(NoRoom));
        robot.keep(MAIN, parameter("0", 2.0)).unwrap();
        let long =
            |length| ChangeText::Override { representation: "Map".into(), value: Value::Text("x".repeat(length)) };
        assert_eq!(robot.keep(VISION, long(MOST_LENGTH)), Err(NoRoom));
        for _ in 0..3 {
            robot.keep(VISION, long(MOST_LENGTH - 100)).unwrap();
        }
        assert!(serde_json::to_vec(&robot.begin(VISION)).unwrap().len() < LONGEST as usize);
    }
}
