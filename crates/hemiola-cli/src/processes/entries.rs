//! The safe state of a robot whose processes run on several hosts, as each host knows it.
//!
//! Hosts tell each other in any order, more than once, and not at all while a network is down. So
//! what they tell only grows: of each run of a host, how often the safe state was entered there,
//! and how many of these entries somebody who left the safe state has known. The robot is safe as
//! long as there is an entry that nobody who left has known: **safe wins**. Hosts that have told
//! each other everything agree, whatever has happened meanwhile.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::words::SafeCause;

/// The safe state as far as it is known, by the names of the runs of all hosts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Entries(BTreeMap<String, Entry>);

/// The part that one run of a host has in it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
struct Entry {
    /// The number of times that the safe state was entered there.
    entered: u64,
    /// The cause of the first of these that nobody has left.
    cause: SafeCause,
    /// The number of these that somebody who left has known.
    left: u64,
    /// The process that left.
    left_by: String,
}

/// The most runs that are kept. Each start of a host is one.
const MOST_RUNS: usize = 64;

impl Entries {
    /// Notes that the safe state was entered on a host, in this run of it.
    pub fn enter(&mut self, run: &str, cause: SafeCause) {
        let entry = self.0.entry(run.to_owned()).or_insert_with(|| Entry {
            entered: 0,
            cause: cause.clone(),
            left: 0,
            left_by: String::new(),
        });
        if !entry.is_open() {
            entry.cause = cause;
        }
        entry.entered += 1;
    }

    /// Notes that a process has left the safe state, which knew of all entries.
    pub fn leave(&mut self, process: &str) {
        for entry in self.0.values_mut().filter(|entry| entry.is_open()) {
            entry.left = entry.entered;
            process.clone_into(&mut entry.left_by);
        }
    }

    /// Returns the cause of the safe state; `None` if the robot is outside of it.
    pub fn cause(&self) -> Option<&SafeCause> {
        self.0.values().find(|entry| entry.is_open()).map(|entry| &entry.cause)
    }

    /// Adds what another host knows, in this run of this host, which knows better how often it has
    /// entered the safe state itself. Returns the process that has left, if one has as far as was
    /// not known here.
    pub fn merge(&mut self, others: Self, own: &str) -> Option<String> {
        let mut left_by = None;
        for (run, theirs) in others.0 {
            let is_own = run == own;
            let left = theirs.left.min(theirs.entered);
            let Some(ours) = self.0.get_mut(&run) else {
                if !is_own {
                    self.0.insert(run, Entry { left, ..theirs });
                }
                continue;
            };
            if !is_own && theirs.entered > ours.entered {
                (ours.entered, ours.cause) = (theirs.entered, theirs.cause);
            }
            let left = left.min(ours.entered);
            if left > ours.left {
                ours.left = left;
                ours.left_by.clone_from(&theirs.left_by);
                left_by = Some(theirs.left_by);
            }
        }
        while self.0.len() > MOST_RUNS
            && let Some(over) =
                self.0.iter().find(|(run, entry)| *run != own && !entry.is_open()).map(|(run, _)| run.clone())
        {
            self.0.remove(&over);
        }
        left_by
    }
}

impl Entry {
    fn is_open(&self) -> bool {
        self.entered > self.left
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Something that happens to a robot of three hosts.
    #[derive(Clone, Debug)]
    enum Step {
        Enter(usize),
        Leave(usize),
        /// A host sends everything that it knows to another one, which receives it when it likes.
        Send(usize, usize),
        Receive(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let host = 0..3_usize;
        let step = prop_oneof![
            host.clone().prop_map(Step::Enter),
            host.clone().prop_map(Step::Leave),
            (host.clone(), host).prop_map(|(from, to)| Step::Send(from, to)),
            any::<usize>().prop_map(Step::Receive),
        ];
        prop::collection::vec(step, 0..40)
    }

    fn because(host: usize, number: usize) -> SafeCause {
        SafeCause { process: format!("process {host}"), reason: format!("reason {number}") }
    }

    proptest! {
        #[test]
        fn in_whatever_order_hosts_hear_they_agree_and_no_entry_is_left_unknown(steps in steps()) {
            let mut hosts: [Entries; 3] = Default::default();
            // The entries that a host knows, which are never forgotten, and those that were left.
            let mut known: [Vec<usize>; 3] = Default::default();
            let (mut left, mut all, mut sent) = (Vec::new(), 0, Vec::new());
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Enter(host) => {
                        hosts[host].enter(&host.to_string(), because(host, number));
                        known[host].push(number);
                        all += 1;
                    }
                    Step::Leave(host) => {
                        hosts[host].leave("main");
                        left.extend(known[host].clone());
                    }
                    Step::Send(from, to) => sent.push((to, hosts[from].clone(), known[from].clone())),
                    Step::Receive(which) if !sent.is_empty() => {
                        // A message may come twice, or never.
                        let (to, entries, knows) = sent[which % sent.len()].clone();
                        hosts[to].merge(entries, &to.to_string());
                        known[to].extend(knows);
                    }
                    Step::Receive(_) => {}
                }
            }
            let [first, second, third] = hosts.clone();
            for (number, host) in hosts.iter_mut().enumerate() {
                for others in [&third, &first, &second, &first] {
                    host.merge(others.clone(), &number.to_string());
                }
            }
            prop_assert_eq!(hosts[0].cause(), hosts[1].cause());
            prop_assert_eq!(hosts[0].cause(), hosts[2].cause());
            left.sort_unstable();
            left.dedup();
            prop_assert_eq!(hosts[0].cause().is_some(), left.len() < all);
        }
    }

    proptest! {
        #[test]
        fn whatever_others_claim_a_host_that_enters_its_safe_state_is_in_it(
            claims in prop::collection::vec((0..80_usize, any::<u64>(), any::<u64>()), 0..100),
            before in 0..3_usize,
        ) {
            let mut body = Entries::default();
            (0..before).for_each(|number| body.enter("run 0", because(0, number)));
            for (run, entered, left) in claims {
                let entry = Entry { entered, cause: because(run, 0), left, left_by: "main".into() };
                body.merge(Entries([(format!("run {run}"), entry)].into()), "run 0");
            }
            body.leave("main");
            prop_assert_eq!(body.cause(), None);
            body.enter("run 0", because(0, 7));
            prop_assert_eq!(body.cause(), Some(&because(0, 7)));
        }
    }

    #[test]
    fn whoever_was_away_hears_who_left() {
        let (mut body, mut head) = (Entries::default(), Entries::default());
        body.enter("body", because(0, 0));
        assert_eq!(head.merge(body.clone(), "head"), None);
        assert_eq!(head.cause(), Some(&because(0, 0)));
        body.leave("main");
        assert_eq!(head.merge(body.clone(), "head").as_deref(), Some("main"));
        assert_eq!(head.cause(), None);
        assert_eq!(head.merge(body, "head"), None);
    }

    #[test]
    fn runs_are_forgotten_unless_the_robot_is_safe_because_of_them() {
        let mut robot = Entries::default();
        robot.enter("head 0", because(0, 0));
        robot.leave("main");
        robot.enter("head 1", because(0, 1));
        for run in 2..100 {
            let mut other = Entries::default();
            other.enter(&format!("head {run}"), because(0, run));
            other.leave("main");
            robot.merge(other, "head 0");
        }
        assert_eq!((robot.0.len(), robot.cause()), (MOST_RUNS, Some(&because(0, 1))));
    }
}
