//! The questions of the chapter, each answered by running the cycles in the ways that it compares.

use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola_plan::UpdateOrder;
use hemiola_trace::Distribution;

use super::cycle::{Cycle, Subject};
use super::experiment::{self, Dispatch, OtherPrograms, Outcome, Placement, Scheduling, Setting};
use super::prediction::{self, ROBOT_CORES};
use super::report::{Grid, Origin, Question, Row};
use super::simulator_error::Errors;
use crate::contest::host::Host;
use crate::contestant::ContestantError;
use crate::report::time;

/// An inquiry: it answers all questions, and notes what the system refused.
pub struct Inquiry<'s> {
    pub subject: &'s Subject,
    /// The time for which each way is run.
    pub duration: Duration,
    /// The time that the machine's host took from the runs.
    pub host: Host,
    /// The settings that the system refused, each once.
    pub denials: Vec<String>,
}

/// The number of simulated runs of cognition.
const SIMULATED_RUNS: usize = 300;
/// The largest number of workers of each cycle that is compared.
const MOST_WORKERS: usize = 4;

impl Inquiry<'_> {
    pub fn reference(&mut self) -> Result<Question, ContestantError> {
        let mut question = Question::new("1. Reference: both cycles at once, each in sequence");
        for (way, setting) in [("loop over all modules", sequential()), ("Hemiola, 1 worker", Setting::with_workers(1))]
        {
            self.both(&mut question, way, setting)?;
        }
        let tasks = [&self.subject.motion, &self.subject.cognition].map(|cycle| cycle.graph.tasks().len());
        let [per_motion, per_cognition] = ["motion", "cognition"].map(|what| {
            let [tax, looped] = ["Hemiola, 1 worker", "loop over all modules"].map(|way| question.mean(way, what));
            100.0 * (tax / looped - 1.0)
        });
        question.findings.push(format!(
            "The cost of the framework on one worker: {per_motion:+.2} % in motion ({} tasks), {per_cognition:+.2} % in cognition ({}).",
            tasks[0], tasks[1]
        ));
        Ok(question)
    }

    pub fn priority(&mut self) -> Result<Question, ContestantError> {
        let mut question = Question::new("2. Real-time priority against time sharing");
        for (suffix, busy) in
            [("", None), (", other programs on all cores", Some(OtherPrograms::start as fn() -> OtherPrograms))]
        {
            for (name, scheduling) in [("real time", Scheduling::RealTime), ("time sharing", Scheduling::TimeSharing)] {
                let others = busy.map(|start| start());
                let setting = Setting { scheduling, ..Setting::automatic() };
                let outcomes = self.both(&mut question, &format!("{name}{suffix}"), setting)?;
                drop(others);
                question.add(&format!("{name}{suffix}"), "motion: from trigger to begin", &outcomes[0].start);
            }
        }
        for (suffix, company) in
            [("", "alone on the machine"), (", other programs on all cores", "beside other programs")]
        {
            let [real_time, time_sharing] =
                ["real time", "time sharing"].map(|name| time(question.p99(&format!("{name}{suffix}"), "motion")));
            question.findings.push(format!(
                "Motion's 99th percentile {company}: {real_time} with real-time priority, {time_sharing} without."
            ));
        }
        Ok(question)
    }

    /// Compares numbers of workers: measured where there are cores, simulated for the robot's, with
    /// the error of the simulator.
    pub fn workers(&mut self) -> Result<Question, ContestantError> {
        let mut question = Question::new("3. Number of workers: motion x cognition");
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let measurable = cores.min(MOST_WORKERS);
        let mut errors = Errors::default();
        for cycle in [&self.subject.motion, &self.subject.cognition] {
            for workers in 1..=measurable {
                let (setting, cycle) = (Setting::with_workers(workers), &cycle.profiled_again()?);
                let outcome = self.run(&[(cycle, setting)])?.remove(0);
                let Some(plan) = setting.plan(cycle) else { continue };
                // The simulator gets the durations of the same run, so that a change of the
                // machine's speed does not count as its error.
                let simulated = prediction::alone(&cycle.as_measured(&outcome.events), &plan, SIMULATED_RUNS);
                for (frame, (measured, simulated)) in cycle.frames.iter().zip(outcome.response.iter().zip(&simulated)) {
                    let what = format!("{}, alone", frame.name);
                    let way = count(workers);
                    question.add(&way, &what, measured);
                    question.rows.push(Row::new(&way, &what, Origin::Simulated, simulated));
                    errors.note(&format!("{what}, {way}"), measured, simulated);
                }
            }
        }
        for (motion, cognition) in pairs(measurable) {
            let way = format!("{motion} x {cognition}");
            let settings = [motion, cognition].map(Setting::with_workers);
            let mut cycles = [self.subject.motion.profiled_again()?, self.subject.cognition.profiled_again()?];
            let outcomes = self.run(&[(&cycles[0], settings[0]), (&cycles[1], settings[1])])?;
            // Motion is not preempted, so that its tasks' durations can be those of the same run.
            // Cognition's would contain the time that motion took.
            cycles[0] = cycles[0].as_measured(&outcomes[0].events);
            let simulated = simulated(&cycles, settings, cores);
            let measured = outcomes.iter().flat_map(|outcome| &outcome.response);
            for ((what, simulated), measured) in simulated.iter().zip(measured) {
                let what = format!("{what}, both at once on {cores} cores");
                question.add(&way, &what, measured);
                question.rows.push(Row::new(&way, &what, Origin::Simulated, simulated));
                errors.note(&format!("{what}, {way}"), measured, simulated);
            }
        }
        question.grids = self.grids();
        question.findings.extend(errors.findings());
        Ok(question)
    }

    pub fn update_order(&mut self) -> Result<Question, ContestantError> {
        let mut question = Question::new("4. Order of the updates within a module, 2 workers, each cycle alone");
        let orders = [
            ("most dependents first", UpdateOrder::MostDependentsFirst),
            ("fewest dependents first", UpdateOrder::FewestDependentsFirst),
            ("by name", UpdateOrder::ByName),
            ("critical path (Hemiola)", UpdateOrder::CriticalPath),
        ];
        for cycle in [&self.subject.motion, &self.subject.cognition] {
            for (way, order) in orders {
                let two = Setting::with_workers(2);
                let Dispatch::Executor { workers, .. } = two.dispatch else { continue };
                let setting = Setting { dispatch: Dispatch::Executor { workers, order }, ..two };
                let outcome = self.run(&[(cycle, setting)])?.remove(0);
                let Some(plan) = setting.plan(cycle) else { continue };
                let simulated = prediction::alone(&cycle.as_measured(&outcome.events), &plan, SIMULATED_RUNS);
                for (frame, (measured, simulated)) in cycle.frames.iter().zip(outcome.response.iter().zip(&simulated)) {
                    question.add(way, frame.name, measured);
                    question.rows.push(Row::new(way, frame.name, Origin::Simulated, simulated));
                }
            }
            let against = |way: &str| {
                let descending = question.mean("most dependents first", cycle.name);
                signed_time(question.mean(way, cycle.name) - descending)
            };
            let finding = format!(
                "{}, mean against most dependents first: fewest first {}, by name {}, critical path {}.",
                cycle.name,
                against("fewest dependents first"),
                against("by name"),
                against("critical path (Hemiola)")
            );
            question.findings.push(finding);
        }
        question.findings.push("The thesis found 54 µs between most and fewest in motion.".to_owned());
        Ok(question)
    }

    pub fn stress(&mut self) -> Result<Question, ContestantError> {
        let mut question = Question::new("5. Stress: does motion suffer when cognition has 20 ms more to do?");
        let Subject { motion, cognition, stressed } = self.subject;
        let time_sharing = Setting { scheduling: Scheduling::TimeSharing, ..Setting::automatic() };
        let ways = [
            ("motion alone", None, Setting::automatic()),
            ("beside cognition", Some(cognition), Setting::automatic()),
            ("beside cognition + 20 ms", Some(stressed), Setting::automatic()),
            ("beside cognition + 20 ms, time sharing", Some(stressed), time_sharing),
        ];
        for (way, other, setting) in ways {
            let both: Vec<_> = [Some(motion), other].into_iter().flatten().map(|cycle| (cycle, setting)).collect();
            let outcomes = self.run(&both)?;
            for ((cycle, _), outcome) in both.iter().zip(&outcomes) {
                question.add_frames(way, cycle, outcome);
            }
        }
        let costs = ["beside cognition", "beside cognition + 20 ms"].map(|way| {
            let cost = question.p99(way, "motion") - question.p99("motion alone", "motion");
            format!("{way} {}", signed_time(cost))
        });
        question.findings.push(format!("Motion's 99th percentile against motion alone: {}.", costs.join(", ")));
        Ok(question)
    }

    pub fn pinning(&mut self) -> Result<Question, ContestantError> {
        let mut question = Question::new("6. Pinning workers to cores, both cycles at once");
        for (way, placement) in [("not pinned", Placement::Anywhere), ("worker 0 on core 0, ...", Placement::Pinned)] {
            self.both(&mut question, way, Setting { placement, ..Setting::automatic() })?;
        }
        let gain = |what: &str| {
            let [free, pinned] = ["not pinned", "worker 0 on core 0, ..."].map(|way| question.mean(way, what));
            100.0 * (pinned / free - 1.0)
        };
        let finding = format!(
            "Pinning changes the mean by {:+.1} % in motion, {:+.1} % in cognition; in the thesis by less than 1 %.",
            gain("motion"),
            gain("cognition")
        );
        question.findings.push(finding);
        Ok(question)
    }

    pub fn comparison(&mut self) -> Result<Question, ContestantError> {
        let mut question = Question::new("7. Against a framework that runs modules in sequence, both cycles at once");
        let (before, after) = ("loop over all modules", "Hemiola, its own choice");
        self.both(&mut question, before, sequential())?;
        self.both(&mut question, after, Setting::automatic())?;
        for frame in self.subject.motion.frames.iter().chain(&self.subject.cognition.frames) {
            let share = |figure: fn(&Question, &str, &str) -> f64| {
                100.0 * (figure(&question, after, frame.name) / figure(&question, before, frame.name) - 1.0)
            };
            let (mean, p99) = (share(Question::mean), share(Question::p99));
            question.findings.push(format!("{}: mean {mean:+.1} %, p99 {p99:+.1} %.", frame.name));
        }
        for cycle in [&self.subject.motion, &self.subject.cognition] {
            let workers = Setting::automatic().plan(cycle).map_or(1, |plan| plan.workers());
            question.findings.push(format!("{}: the plan chose {}.", cycle.name, count(workers)));
        }
        question.findings.push(
            "The thesis on 4 cores, means: cognition 16.09 to 10.56 ms, motion 0.965 to 0.883 ms, with preview 1.628 to 1.566 ms."
                .to_owned(),
        );
        Ok(question)
    }

    /// Runs both cycles in the same way.
    fn both(&mut self, question: &mut Question, way: &str, setting: Setting) -> Result<Vec<Outcome>, ContestantError> {
        let cycles = [&self.subject.motion, &self.subject.cognition];
        let outcomes = self.run(&cycles.map(|cycle| (cycle, setting)))?;
        cycles.iter().zip(&outcomes).for_each(|(cycle, outcome)| question.add_frames(way, cycle, outcome));
        Ok(outcomes)
    }

    fn run(&mut self, cycles: &[(&Cycle, Setting)]) -> Result<Vec<Outcome>, ContestantError> {
        let outcomes = self.host.hold(|| experiment::run(cycles, self.duration))?;
        for denial in outcomes.iter().flat_map(|outcome| &outcome.denials) {
            if !self.denials.contains(denial) {
                self.denials.push(denial.clone());
            }
        }
        Ok(outcomes)
    }

    /// Predicts all numbers of workers on the robot's cores.
    fn grids(&self) -> Vec<Grid> {
        let cycles = [self.subject.motion.clone(), self.subject.cognition.clone()];
        let mut grids: Vec<Grid> = Vec::new();
        for (motion, cognition) in pairs(MOST_WORKERS) {
            let settings = [motion, cognition].map(Setting::with_workers);
            for (index, (frame, simulated)) in simulated(&cycles, settings, ROBOT_CORES).into_iter().enumerate() {
                if grids.len() == index {
                    let what = format!("{frame}, both at once on {ROBOT_CORES} cores (simulated)");
                    grids.push(Grid { what, cells: vec![Vec::new(); MOST_WORKERS] });
                }
                grids[index].cells[motion - 1].push(simulated.summary());
            }
        }
        grids
    }
}

/// Predicts the response of each kind of frame of motion and cognition.
fn simulated(cycles: &[Cycle; 2], settings: [Setting; 2], cores: usize) -> Vec<(&'static str, Distribution)> {
    let [motion, cognition] = cycles;
    let (Some(first), Some(second)) = (settings[0].plan(motion), settings[1].plan(cognition)) else {
        return Vec::new();
    };
    let (mut responses, last) = prediction::both((motion, &first), (cognition, &second), cores, SIMULATED_RUNS);
    responses.push(last);
    motion.frames.iter().chain(&cognition.frames).map(|frame| frame.name).zip(responses).collect()
}

impl Question {
    fn new(title: &str) -> Self {
        Self { title: title.to_owned(), rows: Vec::new(), grids: Vec::new(), findings: Vec::new() }
    }

    fn add(&mut self, way: &str, what: &str, measured: &Distribution) {
        self.rows.push(Row::new(way, what, Origin::Measured, measured));
    }

    fn add_frames(&mut self, way: &str, cycle: &Cycle, outcome: &Outcome) {
        cycle.frames.iter().zip(&outcome.response).for_each(|(frame, response)| self.add(way, frame.name, response));
        if outcome.skipped > 0 {
            self.findings
                .push(format!("{}, {way}: {} triggers passed while a run went on.", cycle.name, outcome.skipped));
        }
    }

    fn mean(&self, way: &str, what: &str) -> f64 {
        self.measured(way, what).map_or(f64::NAN, |row| row.figures.mean as f64)
    }

    fn p99(&self, way: &str, what: &str) -> f64 {
        self.measured(way, what).map_or(f64::NAN, |row| row.figures.p99 as f64)
    }

    fn measured(&self, way: &str, what: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.origin == Origin::Measured && row.way == way && row.what == what)
    }
}

fn sequential() -> Setting {
    Setting { dispatch: Dispatch::Loop, ..Setting::with_workers(1) }
}

/// Returns all pairs of 1 to `most` workers.
fn pairs(most: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..=most).flat_map(move |motion| (1..=most).map(move |cognition| (motion, cognition)))
}

fn count(workers: usize) -> String {
    format!("{workers} {}", if workers == 1 { "worker" } else { "workers" })
}

fn signed_time(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "-" } else { "+" }, time(ns.abs()))
}
