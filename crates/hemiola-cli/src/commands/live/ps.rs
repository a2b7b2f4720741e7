//! `ps`: the robots that run on this host.

use std::process::ExitCode;

use hemiola_live::RunningSocket;
use hemiola_live::client::{Address, Connection, Welcome};
use hemiola_words::{Column, Columns};
use serde_json::json;

use crate::command_line::live::PsArguments;
use crate::commands::{print, print_json};
use crate::error::CommandError;

pub fn ps(arguments: &PsArguments) -> Result<ExitCode, CommandError> {
    let robots = RunningSocket::all().into_iter().map(|robot| {
        let welcome = Connection::open(&Address::Unix(robot.path.clone())).map(|robot| robot.welcome().clone());
        (robot, welcome.map_err(|error| error.to_string()))
    });
    let robots: Vec<(RunningSocket, Result<Welcome, String>)> = robots.collect();
    if arguments.json {
        let robot = |(robot, welcome): &(RunningSocket, Result<Welcome, String>)| {
            let welcome = welcome.as_ref();
            json!({
                "name": robot.robot,
                "process": robot.process,
                "socket": robot.path,
                "time": welcome.ok().map(|welcome| welcome.time),
                "pace": welcome.ok().map(|welcome| &welcome.pace),
                "program": welcome.ok().map(|welcome| &welcome.program),
                "error": welcome.err(),
            })
        };
        return print_json(&robots.iter().map(robot).collect());
    }
    if robots.is_empty() {
        return print("no robot is running here\n");
    }
    let heading = ["robot", "process", "runs for", "pace"].map(str::to_owned);
    let row = |(robot, welcome): &(RunningSocket, Result<Welcome, String>)| {
        let (time, pace) = match welcome {
            Ok(welcome) => (format!("{:.1} s", welcome.time as f64 / 1e9), welcome.pace.clone()),
            Err(error) => (String::new(), error.clone()),
        };
        [robot.robot.clone(), robot.process.to_string(), time, pace]
    };
    let rows: Vec<_> = std::iter::once(heading).chain(robots.iter().map(row)).collect();
    let gap = |column: Column| column.after(2);
    let columns = [Column::left(0), gap(Column::right(0)), gap(Column::right(0)), gap(Column::left(0))];
    print(&Columns::new(columns).table(&rows))
}
