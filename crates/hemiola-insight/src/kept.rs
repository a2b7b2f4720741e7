//! The contents of a profile, for people and as JSON: the robots that it covers, and the overheads
//! of the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use hemiola_trace::{Conditions, CostProfile, Measured, Pace, Profile, ProfileHistory};
use hemiola_words::{Column, Columns, counted, nanoseconds};
use serde_json::{Value, json};

/// Describes what was measured: the robots, the newest first, the number of runs, and what took
/// longest; and the overheads of machines. `now` is the robot with which they are compared.
pub fn kept(history: &ProfileHistory, now: &Conditions) -> String {
    let mut text = String::new();
    for profile in history.profiles().iter().rev() {
        let runs = counted(profile.runs, "run");
        match (whose(profile, now), profile.conditions.pace) {
            (Whose::Robot, _) => _ = writeln!(text, "this robot, {runs} in real time"),
            (Whose::Other(changes), Pace::RealTime) => {
                let _ = writeln!(text, "another robot, {runs} in real time; the differences to the present one:");
                changes.iter().for_each(|change| _ = writeln!(text, "  {change}"));
            }
            (Whose::Other(_), Pace::Other) => {
                text += "stepped, replayed, not in real time, or changed while it ran: for estimates only\n";
            }
        }
        text += &under(&profile.conditions);
        text += &longest(profile);
        text.push('\n');
    }
    if history.profiles().is_empty() {
        text += "no runs\n\n";
    }
    text += &machines(history);
    text
}

/// Returns the contents of a profile as JSON. Times are in nanoseconds.
pub fn kept_as_json(history: &ProfileHistory, now: &Conditions) -> Value {
    let profiles = history.profiles().iter().rev().map(|profile| {
        let (is_of_this_robot, changes) = match whose(profile, now) {
            Whose::Robot => (true, Vec::new()),
            Whose::Other(changes) => (false, changes),
        };
        let cycle = |cycle: &hemiola_trace::CycleProfile| {
            let tasks: BTreeMap<_, _> = cycle.tasks.iter().map(|(name, task)| (name, figures(task))).collect();
            json!({ "response": figures(&cycle.response), "tasks": tasks })
        };
        let cycles: BTreeMap<_, _> = profile.cycles.iter().map(|(name, measured)| (name, cycle(measured))).collect();
        let sources: BTreeMap<_, _> = profile.sources.iter().map(|(name, source)| (name, figures(source))).collect();
        let callbacks = profile.executors.iter().flat_map(|(executor, measured)| {
            measured.callbacks.iter().map(move |(name, callback)| {
                json!({ "executor": executor, "name": name, "execution": figures(&callback.execution),
                        "response": figures(&callback.response) })
            })
        });
        let chains = profile.chains.iter().map(|chain| {
            json!({ "source": chain.source, "cycle": chain.cycle, "output": chain.output,
                    "reaction": figures(&chain.reaction), "data_age": figures(&chain.data_age),
                    "newest_age": figures(&chain.newest_age) })
        });
        json!({
            "of_this_robot": is_of_this_robot,
            "different_now": changes,
            "runs": profile.runs,
            "conditions": profile.conditions,
            "cycles": cycles,
            "sources": sources,
            "callbacks": callbacks.collect::<Vec<_>>(),
            "chains": chains.collect::<Vec<_>>(),
        })
    });
    let machines = kinds(history).into_iter().map(|(machine, has_priority)| {
        json!({ "machine": machine, "has_priority": has_priority, "costs": history.costs(machine, Some(has_priority)) })
    });
    json!({ "profiles": profiles.collect::<Vec<_>>(), "machines": machines.collect::<Vec<_>>() })
}

enum Whose {
    Robot,
    /// The profile of another robot, with these differences.
    Other(Vec<String>),
}

fn whose(profile: &Profile, now: &Conditions) -> Whose {
    match now.is_same_robot_as(&profile.conditions) {
        true => Whose::Robot,
        false => Whose::Other(now.changes_since(&profile.conditions)),
    }
}

fn under(conditions: &Conditions) -> String {
    let known = |text: &String| if text.is_empty() { "not known".to_owned() } else { text.clone() };
    let Conditions { build, machine, has_priorities, computed, scheduled, .. } = conditions;
    let priorities = match has_priorities {
        Some(true) => "given",
        Some(false) => "refused",
        None => "not requested, or not known",
    };
    format!(
        "  program        {}\n  machine        {}\n  priorities     {priorities}\n  configuration  {} for what is computed, {} for when\n",
        known(build),
        known(machine),
        counted(computed.len() as u64, "value"),
        scheduled.len()
    )
}

/// Returns a line for each cycle, source, callback and chain, with the number of measurements and
/// the longest time.
fn longest(profile: &Profile) -> String {
    let mut rows = Vec::new();
    let mut add = |name: String, measured: &Measured, what: &str| {
        if measured.count() > 0 {
            rows.push([name, counted(measured.count(), "time"), nanoseconds(measured.maximum()), what.to_owned()]);
        }
    };
    for (name, cycle) in &profile.cycles {
        add(format!("cycle {name}"), &cycle.response, "response");
        let slowest = cycle.tasks.iter().max_by_key(|(_, task)| task.maximum());
        slowest.into_iter().for_each(|(task, measured)| add(format!("  {task}"), measured, "its longest update"));
    }
    for (name, source) in &profile.sources {
        add(format!("source {name}"), source, "a sample");
    }
    for (executor, measured) in &profile.executors {
        for (name, callback) in &measured.callbacks {
            add(format!("{executor}: {name}"), &callback.execution, "a call");
            add(String::new(), &callback.response, "response");
        }
    }
    for chain in &profile.chains {
        add(format!("chain {} → {}", chain.source, chain.output), &chain.reaction, "reaction time");
        add(String::new(), &chain.data_age, "data age");
    }
    if rows.is_empty() {
        return String::new();
    }
    let head = ["", "seen", "longest", ""].map(str::to_owned);
    let columns =
        [Column::left(0).after(2), Column::right(0).after(2), Column::right(0).after(2), Column::left(0).after(2)];
    let rows: Vec<_> = [head].into_iter().chain(rows).collect();
    let columns = Columns::new(columns).fit(&rows);
    rows.iter().map(|row| columns.line(row).trim_end().to_owned() + "\n").collect()
}

/// Returns the machines, each with whether the threads that measured had real-time priority.
fn kinds(history: &ProfileHistory) -> BTreeSet<(&str, bool)> {
    history.calibrations().iter().map(|costs| (costs.machine.as_str(), costs.has_priority)).collect()
}

fn machines(history: &ProfileHistory) -> String {
    let mut text = String::new();
    for (machine, has_priority) in kinds(history) {
        let threads = if has_priority { "with" } else { "without" };
        let _ = writeln!(text, "{machine}, threads {threads} real-time priority: its overheads in 99 % of cases");
        for (name, cost) in history.costs(machine, Some(has_priority)) {
            let CostProfile { p99, maximum, .. } = cost;
            let name = name.replace('_', " ");
            let _ = writeln!(
                text,
                "  {name:15}{:>9}  ({}), longest {}",
                nanoseconds(p99),
                spread(&cost),
                nanoseconds(maximum)
            );
        }
    }
    if text.is_empty() { "no calibrations\n".to_owned() } else { text }
}

/// Describes the number of calibrations from which a cost derives, and their spread.
pub fn spread(cost: &CostProfile) -> String {
    match cost.calibrations {
        0 | 1 => "one calibration".to_owned(),
        calibrations => format!(
            "the median of {calibrations} calibrations, {} to {}",
            nanoseconds(cost.lowest),
            nanoseconds(cost.highest)
        ),
    }
}

fn figures(measured: &Measured) -> Value {
    json!({ "count": measured.count(), "minimum": measured.minimum(), "p99": measured.quantile(0.99), "maximum": measured.maximum() })
}

#[cfg(test)]
mod tests {
    use hemiola_trace::{Distribution, MeasuredCosts};

    use super::*;

    fn conditions(priority: &str) -> Conditions {
        Conditions {
            pace: Pace::RealTime,
            build: "release build 3f2a".into(),
            machine: "laptop".into(),
            has_priorities: Some(true),
            scheduled: [("cycle.motion.priority".to_owned(), priority.to_owned())].into(),
            ..Conditions::default()
        }
    }

    fn history() -> ProfileHistory {
        let measured = |nanoseconds: u64| {
            let mut distribution = Distribution::new();
            distribution.record(nanoseconds);
            distribution
        };
        let mut history = ProfileHistory::default();
        for (priority, response) in [("40", 937_000_000), ("80", 5_360_000)] {
            let mut run = Profile::default();
            (run.conditions, run.runs) = (conditions(priority), 1);
            run.insert("motion", "Walk.joints", &measured(1_200_000));
            run.cycle_mut("motion").response = (&measured(response)).into();
            history.add(run);
        }
        for p99 in [12_300_000, 28_000, 31_000] {
            let cost = CostProfile { samples: 100, p99, maximum: 2 * p99, ..CostProfile::default() };
            let costs = [("preemption".to_owned(), cost)].into();
            history.calibrate(MeasuredCosts { machine: "laptop".into(), has_priority: true, costs });
        }
        history
    }

    #[test]
    fn a_profile_says_of_which_robots_it_is_and_what_took_longest() {
        let text = kept(&history(), &conditions("80"));
        let (this, other) = text.split_once("another robot, 1 run in real time").unwrap();
        assert!(this.starts_with("this robot, 1 run in real time\n"), "{text}");
        assert!(this.contains("release build 3f2a") && this.contains("5.36 ms") && !this.contains("937 ms"), "{text}");
        assert!(other.contains("cycle.motion.priority (40, now 80)") && other.contains("937 ms"), "{text}");
        // The value that was measured in one bad moment is there, as the far end of the spread.
        assert!(
            other.contains("31.0 µs  (the median of 3 calibrations, 28.0 µs to 12.3 ms), longest 24.6 ms"),
            "{text}"
        );
    }

    #[test]
    fn a_profile_says_the_same_to_machines() {
        let json = kept_as_json(&history(), &conditions("80"));
        assert_eq!(json["profiles"][0]["of_this_robot"], true);
        assert_eq!(json["profiles"][1]["different_now"][0], "cycle.motion.priority (40, now 80)");
        assert_eq!(json["profiles"][1]["cycles"]["motion"]["response"]["maximum"], 937_000_000);
        assert_eq!(json["machines"][0]["costs"]["preemption"]["highest"], 12_300_000);
    }

    #[test]
    fn a_profile_of_nothing_says_so() {
        let text = kept(&ProfileHistory::default(), &conditions("80"));
        assert_eq!(text, "no runs\n\nno calibrations\n");
    }
}
