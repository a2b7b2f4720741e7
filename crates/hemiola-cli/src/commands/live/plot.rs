//! `plot`: numbers over time.

mod chart;

use std::process::ExitCode;
use std::time::Duration;

use hemiola_live::client::{ClientError, Incoming, WholeRobot};
use hemiola_live::protocol::Request;
use hemiola_live::protocol::binary::Frame;
use serde_json::{Value, json};

use super::connect::connect;
use super::limit::Limit;
use super::text::print_json_line;
use super::wait;
use crate::command_line::live::PlotFieldsArguments;
use crate::commands::print;
use crate::error::CommandError;
use crate::interruption::Interruption;
use crate::terminal::{self, Bell, Key, Screen, Terminal};
use chart::Plot;

pub fn plot(own: Option<&str>, arguments: &PlotFieldsArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    let asked = Request::Plot { subscription: 1, fields: arguments.fields.clone(), rate: None };
    let answer = robot.request(asked)?;
    let problems = arguments.fields.iter().zip(answer["fields"].as_array().into_iter().flatten());
    if let Some((field, problem)) = problems.clone().find_map(|(field, of)| Some((field, of["error"].as_str()?))) {
        return Err(CommandError::Usage(format!("`{field}` cannot be plotted: {problem}")));
    }
    let units: Vec<_> = problems.map(|(_, of)| of["unit"].as_str().unwrap_or_default().to_owned()).collect();
    let limit = Limit::new(None, arguments.duration);
    if arguments.output.json || !terminal::is_ours() {
        return print_points(&mut robot, arguments, limit);
    }
    let terminal = Terminal::default();
    let unusable = |error| CommandError::Write { path: "the terminal".into(), error };
    let bell = Bell::new().map_err(unusable)?;
    let interruption = Interruption::of_view(&terminal, bell.event());
    let mut screen = Screen::open(&terminal).map_err(unusable)?;
    let mut plot = Plot::new(robot.name(), &arguments.fields, &units);
    let ended = watch(&mut robot, &mut screen, &mut plot, &bell, limit, || interruption.has_come());
    drop(screen);
    match ended {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(ClientError::Ended { reason }) => print(&format!("{} has ended: {reason}\n", robot.name())),
        Err(error) => Err(error.into()),
    }
}

fn watch(
    robot: &mut WholeRobot,
    screen: &mut Screen,
    plot: &mut Plot,
    bell: &Bell,
    limit: Limit,
    is_interrupted: impl Fn() -> bool,
) -> Result<(), ClientError> {
    screen.draw(|canvas| plot.draw(canvas));
    while !is_interrupted() && !limit.is_reached(0) && !screen.is_gone() {
        let mut is_changed = false;
        let message = robot.next(Duration::ZERO)?;
        let has_more = message.is_some();
        if let Some(Incoming::Binary(Frame::Points { fields, .. })) = message {
            fields.into_iter().for_each(|points| plot.add(points.field as usize, &points.points));
            is_changed = true;
        }
        while let Some(key) = screen.key() {
            match key {
                Key::Character('q') | Key::Escape => return Ok(()),
                Key::Character(' ') => plot.pause(),
                Key::Character('+') => plot.zoom(0.5),
                Key::Character('-') => plot.zoom(2.0),
                _ => {}
            }
            is_changed = true;
        }
        if is_changed {
            screen.draw(|canvas| plot.draw(canvas));
        }
        if !has_more {
            wait(robot, screen, bell, limit.time_left());
        }
    }
    Ok(())
}

/// Prints a line for each point, for pipes.
fn print_points(
    robot: &mut WholeRobot,
    arguments: &PlotFieldsArguments,
    limit: Limit,
) -> Result<ExitCode, CommandError> {
    while !limit.is_reached(0) {
        let next = robot.next(limit.left(Duration::from_millis(100)))?;
        let Some(Incoming::Binary(Frame::Points { fields, .. })) = next else { continue };
        for points in fields {
            let name = arguments.fields.get(points.field as usize).map(String::as_str).unwrap_or_default();
            for point in points.points {
                if arguments.output.json {
                    let bounds = [("minimum", point.minimum), ("maximum", point.maximum)];
                    let mut line = json!({ "field": name, "time": point.time });
                    bounds.into_iter().for_each(|(key, value)| line[key] = Value::from(value));
                    print_json_line(&line)?;
                } else if point.minimum == point.maximum {
                    print(&format!("{:.6} {name} {}\n", point.time, point.minimum))?;
                } else {
                    print(&format!("{:.6} {name} {} {}\n", point.time, point.minimum, point.maximum))?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
