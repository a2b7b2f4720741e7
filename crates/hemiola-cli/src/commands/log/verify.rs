//! `log verify`: repeats the runs of a log and compares the results with the recorded ones.

mod recorded;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hemiola_model::Time;
use hemiola_model::cdr::CdrWriter;
use hemiola_runtime::{Observation, Robot, RunRecord, Tempo};
use hemiola_words::duration;
use serde_json::json;

use super::progress::{Progress, read_log};
use crate::command_line::ConfigurationArguments;
use crate::command_line::log::VerifyArguments;
use crate::commands::{check, print, print_json};
use crate::error::CommandError;
use crate::notes::note_differences;
use crate::program::Program;
use crate::session::{self, Configured, Session};
use hemiola_recording::names::topic;
use hemiola_recording::replay::{Beginning, Fidelity, Replay, ReplayLog};
use hemiola_recording::split::SplitLog;

use recorded::{Counterpart, Recorded};
use report::{Report, Verdict};

/// The interval at which new values are polled.
const LOOK_PERIOD: Duration = Duration::from_micros(200);

pub fn verify(program: &Program, arguments: &VerifyArguments) -> Result<ExitCode, CommandError> {
    if let (Some(from), Some(end)) = (arguments.from, arguments.end())
        && from >= end
    {
        let text = format!("nothing is between --from {} and --to {}", duration(from), duration(end));
        return Err(CommandError::Usage(text));
    }
    let logs = different(&arguments.logs)?;
    let [only] = logs.as_slice() else { return verify_all(program, arguments, &logs) };
    let report = verify_one(program, arguments, only)?;
    match arguments.json {
        true => print_json(&report.json(only))?,
        false => print(&report.text())?,
    };
    Ok(exit_code(report.verdict()))
}

/// Verifies several logs, such as those of a robot's processes, and prints a common verdict.
fn verify_all(program: &Program, arguments: &VerifyArguments, logs: &[PathBuf]) -> Result<ExitCode, CommandError> {
    let (mut verdicts, mut reports) = (Vec::new(), Vec::new());
    for log in logs {
        if !arguments.json {
            print(&format!("{}\n", log.display()))?;
        }
        let report = verify_one(program, arguments, log);
        match &report {
            Ok(report) if arguments.json => reports.push(report.json(log)),
            Ok(report) => _ = print(&(report.text() + "\n"))?,
            Err(error) => {
                // One that cannot be verified does not keep the others from being verified.
                eprintln!("{error}\n");
                let (log, result) = (log.display().to_string(), Verdict::Incomplete.name());
                reports.push(json!({"log": log, "result": result, "verdict": error.to_string()}));
            }
        }
        verdicts.push(report.map_or(Verdict::Incomplete, |report| report.verdict()));
    }
    let count = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let [same, different, incomplete] = [Verdict::Same, Verdict::Different, Verdict::Incomplete].map(count);
    let (verdict, said) = match (different, incomplete) {
        (0, 0) => (Verdict::Same, format!("all {same} logs are the same to the bit")),
        (0, _) => (
            Verdict::Incomplete,
            format!("{same} of {} logs are the same to the bit; for {incomplete} this is not known", logs.len()),
        ),
        _ => (Verdict::Different, format!("{different} of {} logs are not the same", logs.len())),
    };
    match arguments.json {
        true => print_json(&json!({"result": verdict.name(), "logs": reports, "verdict": said}))?,
        false => print(&format!("{said}\n"))?,
    };
    Ok(exit_code(verdict))
}

/// Returns the logs without the further files of those that were split.
fn different(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let (mut logs, mut files) = (Vec::new(), BTreeSet::new());
    for path in paths {
        let split = SplitLog::find(path)?;
        if !files.contains(split.first()) {
            logs.push(path.clone());
        }
        files.extend(split.files().iter().cloned());
    }
    Ok(logs)
}

fn exit_code(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::Same => ExitCode::SUCCESS,
        Verdict::Different => ExitCode::FAILURE,
        Verdict::Incomplete => ExitCode::from(super::LOSSY),
    }
}

fn verify_one(program: &Program, arguments: &VerifyArguments, path: &Path) -> Result<Report, CommandError> {
    let recording = read_log(path)?;
    if let Some(processes) = recording.merged_processes() {
        return Err(CommandError::Usage(format!(
            "{} was merged from the logs of several processes ({processes}), and cannot be verified: verify those",
            path.display()
        )));
    }
    let configuration = with_workers(program, arguments, &recording)?;
    let session = Session::of_log(program, &configuration, &recording)?;
    let differences = session.differences_from(&recording)?;
    let Session { robot, warnings, remarks, .. } = session;
    remarks.iter().for_each(|remark| eprintln!("{remark}"));
    check::warn(&warnings, &[]);
    note_differences(&differences);
    // Everything is computed anew, even what a replay would take from the log according to the
    // configuration.
    let beginning = arguments.from.map_or(Beginning::OfLog, |from| Beginning::Before(Time::ZERO + from));
    let Replay { robot, fidelity, resumed, warnings, remarks } = Replay::of(robot, &recording, beginning, &[])?;
    warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    let topics = topics(&robot, &recording);
    if topics.is_empty() {
        let path = path.display();
        return Err(CommandError::Usage(format!("{path} has no value that a cycle of this robot computes")));
    }
    let parts = resumed.map(|resumed| resumed.parts).unwrap_or_default();
    let end = arguments.end().map(|end| Time::ZERO + end);
    let script = recording.script();
    let last_step = end.map(|end| match (&fidelity, &script) {
        (Fidelity::AsRecorded, Ok(script)) => time_of_last_step(script.written(), end),
        _ => end,
    });
    let mut report = Report::new(&robot, &recording, fidelity, &parts, end);
    let runs = script.as_ref().map_or(&[][..], |script| script.written());
    let mut recorded = Recorded::open(recording.split(), topics.keys(), &parts, end, runs)?;
    let is_resumed = !parts.is_empty();

    let player = robot.into_player(Tempo::AsFastAsPossible)?;
    if let Some(time) = last_step {
        player.transport().end_at(time);
    }
    let mut seen = player.handle().observe(Observation::of(topics.values()).complete())?;
    // From here on the player waits for its observer where a value would be dropped.
    player.transport().resume();
    let channels = seen.channels();
    let names: Vec<_> = channels.iter().map(|channel| topic(&channel.owner, channel.descriptor.name())).collect();
    let mut buffer = CdrWriter::default();
    let mut progress = Progress::new();
    loop {
        // This comes first, so that nothing is left in the observer when the player has ended.
        let is_last = player.handle().is_stopping() || player.has_ended();
        while let Some(value) = seen.next_value() {
            let name = &names[value.channel()];
            let is_after_the_end = end.is_some_and(|end| value.now() >= end);
            if is_after_the_end || !topics.contains_key(name) {
                continue;
            }
            buffer.clear();
            value.value().write(&mut buffer);
            // A resumed robot counts its values from the checkpoint.
            let number = (!is_resumed && !recording.is_partial(name)).then(|| value.sequence());
            match recorded.counterpart(name, number, value.now())? {
                Counterpart::Message(message) => {
                    let owner = &channels[value.channel()].owner;
                    report.compare(owner, &value, &message, buffer.bytes());
                }
                Counterpart::Lost => report.count_lost(name),
                Counterpart::None => {}
            }
            let (done, all) = recorded.progress();
            progress.show(done, all);
        }
        if is_last {
            break;
        }
        thread::sleep(LOOK_PERIOD);
    }
    drop(progress);
    remarks.take_new().into_iter().chain(remarks.totals()).for_each(|remark| eprintln!("note: {remark}"));
    report.finish(player.wait(), recorded.left_over()?);
    Ok(report)
}

/// Returns the time at which a player has executed all runs before `end`. It ends when its clock
/// shows that time, and the clocks of runs of different cycles are not in their order.
fn time_of_last_step(runs: &[Arc<RunRecord>], end: Time) -> Time {
    let last = runs.iter().rposition(|run| run.now < end).unwrap_or(0);
    let latest = runs[..last].iter().map(|run| run.now).max();
    latest.map_or(end, |latest| end.max(latest + Duration::from_nanos(1)))
}

/// Sets the number of workers of every cycle, if one was given.
fn with_workers(
    program: &Program,
    VerifyArguments { configuration, workers, .. }: &VerifyArguments,
    recording: &ReplayLog,
) -> Result<ConfigurationArguments, CommandError> {
    let mut arguments = configuration.clone();
    if let Some(workers) = workers {
        let Configured { loaded, .. } = session::recorded_configuration(program, &arguments, recording)?;
        let cycles = loaded.configuration.cycles.iter();
        arguments.assignments.extend(cycles.map(|cycle| format!("cycle.{}.workers={workers}", cycle.name)));
    }
    Ok(arguments)
}

/// Returns the representations that cycles provide and that the log has, by topic.
fn topics(robot: &Robot, recording: &ReplayLog) -> BTreeMap<String, String> {
    let recordable = robot.recordable();
    let cycles = robot.resolved().cycles.iter();
    let all = cycles.flat_map(|cycle| cycle.providers.keys().map(|name| (topic(&cycle.name, name), name.clone())));
    all.filter(|(topic, name)| recording.has(topic) && recordable.contains(name)).collect()
}
