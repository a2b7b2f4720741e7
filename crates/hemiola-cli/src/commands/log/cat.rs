//! `log cat`: messages, one by one.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use hemiola_log::{Entry, LogError, LogTime, Message};

use super::LOSSY;
use super::selection::{check_topics, open, select};
use crate::command_line::log::{CatArguments, CatFormat};
use crate::error::CommandError;

pub fn cat(arguments: &CatArguments) -> Result<ExitCode, CommandError> {
    let (mut log, begin) = open(&arguments.log, &arguments.selection.span)?;
    let selection = select(&arguments.selection, begin, &[&log])?;
    log = log.select(selection);
    let mut output = BufWriter::new(io::stdout().lock());
    let mut left = arguments.first.unwrap_or(u64::MAX);
    let mut problems = 0_u64;
    while left > 0
        && let Some(entry) = log.next_entry()
    {
        let printed = match entry {
            Ok(Entry::Message(message)) => {
                left -= 1;
                let line = line(&message, begin, arguments.format());
                line.map(|line| writeln!(output, "{line}"))
            }
            Ok(_) => continue,
            Err(error @ LogError::Read { .. }) => return Err(error.into()),
            Err(error) => Err(error),
        };
        match printed {
            Ok(Ok(())) => {}
            // A reader that closes its end, as `head` does, is not an error.
            Ok(Err(error)) if error.kind() == ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
            Ok(Err(error)) => return Err(CommandError::Write { path: "the standard output".into(), error }),
            Err(problem) => {
                problems += 1;
                if problems <= MOST_PROBLEMS {
                    // Problems are printed in order with the messages.
                    _ = output.flush();
                    eprintln!("{problem}");
                }
            }
        }
    }
    if problems > MOST_PROBLEMS {
        eprintln!("and {} more of that kind", problems - MOST_PROBLEMS);
    }
    let flushed = output.flush();
    // A topic that is not in the readable part of a damaged log may have been in the rest.
    match check_topics(&arguments.selection, &[&log]) {
        Err(unknown) if problems == 0 && left > 0 => return Err(unknown),
        Err(unknown) if left > 0 => eprintln!("{unknown}"),
        _ => {}
    }
    match flushed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::Write { path: "the standard output".into(), error })
        }
        _ => Ok(ExitCode::from(if problems > 0 { LOSSY } else { 0 })),
    }
}

/// The number of problems that are printed; a channel that cannot be decoded has one for each
/// message.
const MOST_PROBLEMS: u64 = 20;

fn line(message: &Message<'_>, begin: LogTime, format: CatFormat) -> Result<String, LogError> {
    let (topic, seconds) = (&message.channel.topic, message.log_time.seconds_since(begin));
    Ok(match format {
        CatFormat::Raw => format!("{seconds:.6} {topic} {} {} bytes", message.channel.type_name(), message.data.len()),
        CatFormat::Text => format!("{seconds:.6} {topic} {}", message.decode()?),
        // JSON is written by hand, so that fields keep the order of the message.
        CatFormat::Json => format!(
            r#"{{"topic":{},"type":{},"log_time":{},"publish_time":{},"sequence":{},"value":{}}}"#,
            quoted(topic),
            quoted(message.channel.type_name()),
            message.log_time.nanoseconds(),
            message.publish_time.nanoseconds(),
            message.sequence,
            serde_json::to_string(&message.decode()?).unwrap_or_else(|_| "null".to_owned()),
        ),
    })
}

/// Returns the text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
