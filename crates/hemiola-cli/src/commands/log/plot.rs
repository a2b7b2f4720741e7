//! `log plot`: numbers over time as a picture.

use std::collections::BTreeSet;
use std::process::ExitCode;

use hemiola_log::{Series, plot_svg};

use super::LOSSY;
use super::progress::Progress;
use super::selection::{open, span, usual};
use crate::command_line::log::PlotArguments;
use crate::commands::print_or_write;
use crate::error::CommandError;
use hemiola_recording::shown::topic as debug_topic;

pub fn plot(arguments: &PlotArguments) -> Result<ExitCode, CommandError> {
    let (mut log, begin) = open(&arguments.log, &arguments.span)?;
    if log.summary().is_none_or(|summary| summary.channels.is_empty()) {
        // Without a summary, channels are known when the whole log has been read; problems are
        // reported when it is read again.
        while log.next_entry().is_some() {}
    }
    let topics: BTreeSet<String> = log.channels().map(|channel| channel.topic.clone()).collect();
    let fields = arguments.fields.iter().map(|field| series(field, &topics)).collect::<Result<Vec<_>, _>>()?;
    let (log, _) = open(&arguments.log, &arguments.span)?;
    let mut problems = 0;
    let mut progress = Progress::new();
    let span = span(&arguments.span, begin);
    let series = Series::read(
        log,
        span,
        fields,
        |done, all| progress.show(done, all),
        |problem| {
            eprintln!("{problem}");
            problems += 1;
        },
    )?;
    drop(progress);
    if let Some(empty) = series.iter().find(|series| series.count() == 0) {
        let (topic, path) = (&empty.topic, &empty.path);
        return Err(CommandError::Usage(format!(
            "{topic} has no number at `{path}` in this span of time; `log cat {} --topic {topic} --first 1` shows its fields",
            arguments.log.display()
        )));
    }
    print_or_write(&plot_svg(&series), arguments.output.as_deref())?;
    Ok(ExitCode::from(if problems > 0 { LOSSY } else { 0 }))
}

/// Finds the topic and the field of a series. Topics may contain dots: the longest match counts.
/// The last part of a topic's name is enough if it is unique. A plot of a module may have its name
/// there, `ball.score`, and as live ones, `plot:ball.score`.
fn series(field: &str, topics: &BTreeSet<String>) -> Result<Series, CommandError> {
    let plot = |name: &str| Some(debug_topic(name)).filter(|topic| topics.contains(topic));
    if let Some(name) = field.strip_prefix("plot:") {
        let plots = topics.iter().filter(|topic| topic.starts_with("/debug/")).map(String::as_str);
        let unknown = || CommandError::unknown("topic of a plot", &debug_topic(name), plots);
        return Ok(Series::new(&plot(name).ok_or_else(unknown)?, PLOTTED));
    }
    let of = |name: &str| field.strip_prefix(name)?.strip_prefix('.');
    let whole = topics.iter().filter_map(|topic| Some((topic, of(topic)?)));
    if let Some((topic, path)) = whole.max_by_key(|(topic, _)| topic.len()) {
        return Ok(Series::new(topic, path));
    }
    let named: Vec<_> = usual(topics).filter_map(|topic| Some((topic, of(topic.rsplit('/').next()?)?))).collect();
    match (named.as_slice(), plot(field)) {
        ([(topic, path)], _) => Ok(Series::new(topic, path)),
        (_, Some(topic)) => Ok(Series::new(&topic, PLOTTED)),
        _ => Err(CommandError::unknown("topic with a field", field, usual(topics))),
    }
}

/// The field of a module's plot that holds its number.
const PLOTTED: &str = "value";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_topic_is_enough_if_it_is_the_only_one() {
        let topics = ["/cognition/Ball", "/cognition/_state/value/Ball", "/left/Image", "/right/Image"];
        let topics: BTreeSet<String> = topics.map(str::to_owned).into();
        let found = |field| series(field, &topics).map(|series| (series.topic, series.path.to_string()));
        let ball = ("/cognition/Ball".to_owned(), "position.x".to_owned());
        assert_eq!(found("Ball.position.x").unwrap(), ball);
        assert_eq!(found("/cognition/Ball.position.x").unwrap(), ball);
        assert_eq!(found("/cognition/_state/value/Ball.x").unwrap().0, "/cognition/_state/value/Ball");
        let two = found("Image.width").unwrap_err().to_string();
        assert!(two.contains("/left/Image, /right/Image") && !two.contains("_state"), "{two}");
    }

    #[test]
    fn a_plot_of_a_module_is_found_by_the_name_that_it_has_there() {
        let topics = ["/debug/ball/score", "/debug/field", "/cognition/Ball"];
        let topics: BTreeSet<String> = topics.map(str::to_owned).into();
        let found = |field| series(field, &topics).map(|series| (series.topic, series.path.to_string()));
        let score = ("/debug/ball/score".to_owned(), "value".to_owned());
        for field in ["ball.score", "plot:ball.score", "/debug/ball/score.value"] {
            assert_eq!(found(field).unwrap(), score, "{field}");
        }
        let unknown = found("plot:ball.scores").unwrap_err().to_string();
        assert!(unknown.contains("/debug/ball/scores") && unknown.contains("/debug/ball/score`"), "{unknown}");
        assert!(found("ball.scores").is_err());
    }
}
