//! `ps`: the robots that are running on this host, with their processes on other hosts.

use std::process::ExitCode;

use hemiola_live::client::{Address, ClientError, Connection, Welcome, each_process};
use hemiola_live::{RunningRobot, RunningSocket};
use hemiola_words::{Column, Columns};
use serde_json::{Value, json};

use crate::command_line::live::PsArguments;
use crate::commands::{print, print_json};
use crate::error::CommandError;

/// A process, and its answer about itself.
type Known = (RunningSocket, Result<Welcome, ClientError>);

pub fn ps(arguments: &PsArguments) -> Result<ExitCode, CommandError> {
    let mut robots = RunningRobot::all();
    let meant = arguments.running.as_deref();
    robots.retain(|robot| meant.is_none_or(|name| robot.name == name));
    let sockets: Vec<_> = robots.iter().flat_map(|robot| robot.sockets.clone()).collect();
    let welcomed = each_process(&sockets, |socket| {
        Connection::open(&Address::Unix(socket.path.clone())).map(|process| process.welcome().clone())
    });
    let mut known = sockets.into_iter().zip(welcomed.into_iter().map(|(_, welcome)| welcome));
    let robots: Vec<(RunningRobot, Vec<Known>)> = robots
        .into_iter()
        .map(|robot| {
            let known = known.by_ref().take(robot.sockets.len()).collect();
            (robot, known)
        })
        .collect();
    print_all(&robots, arguments.json)?;
    let is_running = meant.is_none() || robots.iter().any(|(robot, known)| is_running(robot, known));
    Ok(if is_running { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_all(robots: &[(RunningRobot, Vec<Known>)], json: bool) -> Result<ExitCode, CommandError> {
    if json {
        return print_json(&robots.iter().map(as_json).collect());
    }
    if robots.is_empty() {
        return print("no robot is running here\n");
    }
    let heading = ["robot", "process", "runs for", "pace"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(heading).chain(robots.iter().flat_map(rows)).collect();
    let gap = |column: Column| column.after(2);
    let columns = [Column::left(0), gap(Column::right(0)), gap(Column::right(0)), gap(Column::left(0))];
    print(&Columns::new(columns).table(&rows))
}

fn as_json((robot, known): &(RunningRobot, Vec<Known>)) -> Value {
    let process = |(socket, welcome): &Known| {
        let welcome = welcome.as_ref();
        json!({
            "name": socket.part.as_ref().map_or(&socket.robot, |part| &part.process),
            "host": welcome.ok().and_then(|welcome| welcome.hosts.own.as_ref()),
            "process": number(socket, welcome.ok()),
            "socket": socket.path,
            "time": welcome.ok().map(|welcome| welcome.time),
            "pace": welcome.ok().map(|welcome| &welcome.pace),
            "program": welcome.ok().map(|welcome| &welcome.program),
            "error": welcome.err().map(ToString::to_string),
        })
    };
    match known.as_slice() {
        [only] if !robot.is_cut() => process(only),
        several => {
            let started_by = robot.sockets[0].part.as_ref().and_then(|part| part.started_by);
            let processes: Vec<_> = several.iter().map(process).collect();
            json!({ "name": robot.name, "started_by": started_by, "processes": processes, "missing": missing(several) })
        }
    }
}

/// Returns the number of a process on its host. The socket of a process on another host is that of
/// the process which leads there.
fn number(socket: &RunningSocket, welcome: Option<&Welcome>) -> u32 {
    welcome.map_or(socket.process.cast_unsigned(), |welcome| welcome.process)
}

/// Returns a line for the robot, and below it one for each of its processes if it has several.
fn rows((robot, known): &(RunningRobot, Vec<Known>)) -> Vec<[String; 4]> {
    let row = |name: String, (socket, welcome): &Known| {
        let (time, pace) = match welcome {
            Ok(welcome) => (format!("{:.1} s", welcome.time as f64 / 1e9), welcome.pace.clone()),
            Err(error) => (String::new(), error.to_string()),
        };
        [name, number(socket, welcome.as_ref().ok()).to_string(), time, pace]
    };
    if !robot.is_cut() {
        return known.iter().map(|known| row(robot.name.clone(), known)).collect();
    }
    let mut rows = vec![[robot.name.clone(), String::new(), String::new(), String::new()]];
    let part = |(socket, welcome): &Known| {
        let host = welcome.as_ref().ok().and_then(|welcome| welcome.hosts.own.as_ref());
        let host = host.map(|host| format!(" on {host}")).unwrap_or_default();
        socket.part.as_ref().map(|part| format!("  {}{host}", part.process)).unwrap_or_default()
    };
    rows.extend(known.iter().map(|known| row(part(known), known)));
    let hosts = known.iter().find_map(|(_, welcome)| Some(&welcome.as_ref().ok()?.hosts.others));
    for name in missing(known) {
        let host = hosts.and_then(|hosts| hosts.iter().find(|host| host.processes.contains(&name)));
        let (name, state) = match host {
            Some(host) if host.clock.is_none() => (format!("  {name} on {}", host.name), "its host is not connected"),
            Some(host) => (format!("  {name} on {}", host.name), "is not running"),
            None => (format!("  {name}"), "is not running"),
        };
        rows.push([name, String::new(), String::new(), state.to_owned()]);
    }
    rows
}

/// Returns whether all processes of a robot that run on this host do so.
fn is_running(robot: &RunningRobot, known: &[Known]) -> bool {
    // A way to a process of another host says what that knows.
    let here = |(socket, _): &&Known| !socket.leads_elsewhere();
    let Some(welcome) = known.iter().filter(here).find_map(|(_, welcome)| welcome.as_ref().ok()) else {
        return false;
    };
    let is_elsewhere = |part: &&String| welcome.hosts.others.iter().any(|host| host.processes.contains(part));
    let answers = |part: &String| {
        let is_it = |socket: &RunningSocket| socket.part.as_ref().is_some_and(|it| it.process == *part);
        known.iter().filter(here).any(|(socket, welcome)| is_it(socket) && welcome.is_ok())
    };
    !robot.is_cut() || welcome.parts.iter().filter(|part| !is_elsewhere(part)).all(answers)
}

/// Returns the processes of a robot that are not running.
fn missing(known: &[Known]) -> Vec<String> {
    let parts = known.iter().find_map(|(_, welcome)| Some(welcome.as_ref().ok()?.parts.clone())).unwrap_or_default();
    let runs =
        |part: &String| known.iter().any(|(socket, _)| socket.part.as_ref().is_some_and(|it| it.process == *part));
    parts.into_iter().filter(|part| !runs(part)).collect()
}
