//! An assignment as an overlay of robot.toml, with the reasons as comments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use hemiola_analysis::assignment::threads::{Assigned, Method};
use hemiola_analysis::system::{Cycle, Executor, Order};
use hemiola_analysis::{Analysis, System};
use hemiola_model::configuration::{Configuration, Scheduling, without_number, without_place};
use hemiola_words::duration;

use hemiola_insight::{Derived, Knowledge, basis};

/// Returns the whole file.
pub fn text(configuration: &Configuration, derived: &Derived, knowledge: &Knowledge, assigned: &Assigned) -> String {
    let mut text = String::from(
        "# Priorities, workers and cores that `assign` found. `run --overlay` applies them, `analyze --overlay` shows all bounds.\n#\n",
    );
    for line in reason(assigned.method).lines() {
        let _ = writeln!(text, "# {line}");
    }
    text += "# Workers are the fewest whose bound is within 2 % of the best. Cores change only where that increases the margin of the tightest deadline.\n#\n";
    for line in comparison(derived, &assigned.system).lines() {
        let _ = writeln!(text, "# {line}");
    }
    text += "#\n";
    basis(derived, knowledge).lines().for_each(|line| _ = writeln!(text, "# {line}"));
    let before = &derived.system;
    for configured in &configuration.cycles {
        let named = |system: &System| system.cycles.iter().find(|cycle| cycle.name == configured.name).cloned();
        if let (Some(was), Some(is)) = (named(before), named(&assigned.system)) {
            cycle(&mut text, configured.scheduling, &was, &is);
        }
    }
    // Sources are written, too, as `check` would derive other priorities for them from those of the
    // cycles than the analysed ones.
    for cycle in &assigned.system.cycles {
        let is_raised = configuration.sources.get(&cycle.name).and_then(|source| source.scheduling).is_none()
            && configuration.most_important_triggered_by(&cycle.name).is_some();
        if is_raised {
            let _ = writeln!(text, "\n[source.{}]\npriority = {}", key(&cycle.name), cycle.priority);
        }
        // So are the sources of links between processes.
        let received = cycle.name.split_once(": ").map(|(_, source)| source).filter(|it| it.starts_with("link."));
        let is_raised = |source: &&str| configuration.sources.get(*source).and_then(|it| it.scheduling).is_none();
        if let Some(source) = received.filter(is_raised).filter(|_| cycle.priority > 1) {
            let _ = writeln!(text, "\n[source.{}]\npriority = {}", key(source), cycle.priority);
        }
    }
    for (was, is) in before.executors.iter().zip(&assigned.system.executors) {
        let is_same = was == is && callbacks(derived, before, was) == callbacks(derived, &assigned.system, is);
        // An executor under time sharing for which nothing waits stays so.
        if !is_same {
            executor(&mut text, derived, &assigned.system, was, is);
        }
    }
    text
}

fn cycle(text: &mut String, scheduling: Scheduling, was: &Cycle, is: &Cycle) {
    let _ = writeln!(text, "\n[cycle.{}]", key(&is.name));
    if scheduling == Scheduling::TimeSharing {
        *text += "policy = \"fifo\"\n";
    }
    let _ = writeln!(text, "priority = {}\nworkers = {}", is.priority, is.workers);
    if was.cores != is.cores {
        let _ = writeln!(text, "cores = {:?}", is.cores);
    }
}

fn executor(text: &mut String, derived: &Derived, system: &System, was: &Executor, is: &Executor) {
    let _ = writeln!(text, "\n[executor.{}]", key(&is.name));
    if derived.callbacks.sharing.contains(&is.name) {
        *text += "policy = \"fifo\"\n";
    }
    // A reservation stays as it is.
    if is.reservation.is_none() {
        let _ = writeln!(text, "priority = {}", is.priority);
    }
    if was.core != is.core {
        // An empty list would mean the cores of the program.
        let cores = is.core.map_or_else(|| (0..system.cores).collect(), |core| vec![core]);
        let _ = writeln!(text, "cores = {cores:?}");
    }
    let priorities = callbacks(derived, system, is);
    if priorities.len() > 1 && is.order == Order::Priority {
        let _ = writeln!(text, "[executor.{}.callbacks]", key(&is.name));
        priorities.iter().for_each(|(name, priority)| _ = writeln!(text, "{} = {priority}", key(name)));
    }
}

/// The priorities of an executor's callbacks. The names are those that stay the same when lines of
/// the program move, where such a name means one callback.
fn callbacks(derived: &Derived, system: &System, executor: &Executor) -> BTreeMap<String, u32> {
    let of_it = || derived.callbacks.called.iter().filter(|called| called.executor == executor.name);
    let is_alone = |name: &str| {
        let named: BTreeSet<_> = of_it()
            .map(|called| without_number(&called.callback))
            .filter(|other| without_place(other) == name)
            .collect();
        named.len() == 1
    };
    let mut priorities = BTreeMap::new();
    for called in of_it() {
        let Some(priority) = priority(system, &executor.name, &called.callback) else { continue };
        let name = without_number(&called.callback);
        let short = without_place(name);
        let known = priorities.entry(if is_alone(short) { short } else { name }.to_owned()).or_insert(priority);
        // Callbacks of the same name cannot be distinguished in the file.
        *known = priority.max(*known);
    }
    priorities
}

/// Returns the priority of a callback in its executor.
pub fn priority(system: &System, executor: &str, callback: &str) -> Option<u32> {
    let mut callbacks = system.chains.iter().flat_map(|chain| &chain.callbacks);
    callbacks.find(|it| it.executor.as_deref() == Some(executor) && it.name == callback)?.priority
}

fn reason(method: Method) -> &'static str {
    match method {
        Method::DeadlineMonotonic => {
            "Priorities are deadline monotonic: the sooner something is due, the higher its priority. All deadlines are met."
        }
        Method::Audsley => {
            "Priorities come from Audsley's search, because deadline-monotonic ones do not meet all deadlines;\nthese do."
        }
        Method::NothingHolds => {
            "NOT ALL DEADLINES ARE GUARANTEED TO BE MET, with these priorities or any others that were tried. They are deadline\nmonotonic: the sooner something is due, the higher its priority. `analyze` says what to shorten."
        }
    }
}

/// Returns a line for each cycle and callback: its priority, workers and bound, before and now.
fn comparison(derived: &Derived, system: &System) -> String {
    let (before, after) = (Analysis::of(&derived.system), Analysis::of(system));
    let cycles = derived.responses.iter().map(|response| {
        let cell = |system: &System| {
            let cycle = system.cycles.iter().find(|cycle| cycle.name == response.cycle)?;
            Some(format!("{:>2}, {}", cycle.priority, cycle.workers))
        };
        (response.cycle.clone(), &response.verdict, cell(&derived.system), cell(system))
    });
    let callbacks = derived.callbacks.called.iter().filter_map(|called| {
        let cell = |system: &System| {
            let executor = system.executors.iter().find(|executor| executor.name == called.executor)?;
            Some(format!("{:>2}: {}", executor.priority, priority(system, &called.executor, &called.callback)?))
        };
        Some((called.name.clone(), called.verdict.as_ref().ok()?, cell(&derived.system), cell(system)))
    });
    let rows: Vec<_> = cycles.chain(callbacks).collect();
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(5);
    let mut text =
        format!("{:width$}  {:>9}  {:>32}  {:>32}\n", "", "deadline", "priority, workers, bound before", "and now");
    for (name, verdict, was, is) in rows {
        let cell = |priority: Option<String>, analysis: &Analysis| {
            let bound = analysis.find(verdict).map(|verdict| match &verdict.bound {
                Ok(bound) => duration((*bound).into()),
                Err(_) => "no bound".to_owned(),
            });
            priority.zip(bound).map(|(priority, bound)| format!("{priority}, {bound:>9}")).unwrap_or_default()
        };
        let deadline = after.find(verdict).and_then(|verdict| verdict.deadline);
        let deadline = deadline.filter(|&deadline| deadline < hemiola_analysis::TimeSpan::MAX);
        let deadline = deadline.map_or_else(|| "none".to_owned(), |deadline| duration(deadline.into()));
        let _ = writeln!(text, "{name:width$}  {deadline:>9}  {:>32}  {:>32}", cell(was, &before), cell(is, &after));
    }
    text
}

/// Writes a name as a key of TOML.
fn key(name: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { serde_json::json!(name).to_string() }
}
