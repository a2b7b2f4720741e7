//! Parses changes in the form in which people write them.

use super::{Change, Takes, WhatIfError};
use crate::TimeSpan;
use crate::system::Span;

/// Parses a change.
pub(super) fn parse(text: &str) -> Result<Change, WhatIfError> {
    let no_value = |value: &str, expected| {
        let (text, value) = (text.to_owned(), value.to_owned());
        WhatIfError::NoValue { text, value, expected }
    };
    if let Some((name, value)) = text.split_once('=')
        && name.trim() == "cores"
    {
        let cores = value.trim().parse().ok().filter(|&cores| cores > 0);
        return cores.map(Change::Cores).ok_or_else(|| no_value(value.trim(), "number of cores, as in `cores = 4`"));
    }
    // The last occurrence counts, because names may consist of several words.
    let split = |verb: &str| {
        let (name, value) = text.rsplit_once(&format!(" {verb} "))?;
        Some((name.trim().trim_matches('`').to_owned(), value.trim().to_owned()))
    };
    let time = |value: &str| {
        let span = value.parse::<Span>().ok().filter(|span| span.shortest == TimeSpan::ZERO);
        span.map(|span| span.longest).ok_or_else(|| no_value(value, "time: write one as `10 ms`"))
    };
    if let Some((name, value)) = split("takes") {
        let takes = takes(&value);
        let expected = "time: write a factor, as `2x` or `80 %`, or a time, as `3 ms`";
        return takes.map(|takes| Change::Takes(name, takes)).ok_or_else(|| no_value(&value, expected));
    }
    if let Some((name, value)) = split("every") {
        return Ok(Change::Every(name, time(&value)?));
    }
    if let Some((name, value)) = split("offset") {
        return Ok(Change::Offset(name, time(&value)?));
    }
    if let Some((name, value)) = split("deadline") {
        return Ok(Change::Deadline(name, time(&value)?));
    }
    if let Some((name, value)) = split("priority") {
        let priority = value.parse().map_err(|_| no_value(&value, "priority: write a number from 1 to 99"))?;
        return Ok(Change::Priority(name, priority));
    }
    if let Some((name, value)) = split("workers") {
        let workers = value.parse().ok().filter(|&workers| workers > 0);
        let workers = workers.ok_or_else(|| no_value(&value, "number of workers: write one from 1 on"))?;
        return Ok(Change::Workers(name, workers));
    }
    if let Some((name, value)) = split("on") {
        let cores =
            cores(&value).ok_or_else(|| no_value(&value, "place: write `core 1`, `cores 0 1` or `all cores`"))?;
        return Ok(Change::On(name, cores));
    }
    Err(WhatIfError::NotUnderstood { text: text.to_owned() })
}

/// Parses `2x`, `80 %`, `3 ms` or `1 ms .. 3 ms`.
fn takes(value: &str) -> Option<Takes> {
    let factor = |number: &str, unit: f64| {
        let factor = number.trim().parse::<f64>().ok()? * unit;
        (0.0..=1e6).contains(&factor).then_some(Takes::Factor(factor))
    };
    if let Some(number) = value.strip_suffix('x').or_else(|| value.strip_suffix('×')) {
        return factor(number, 1.0);
    }
    if let Some(number) = value.strip_suffix('%') {
        return factor(number, 0.01);
    }
    value.parse().ok().map(Takes::Span)
}

/// Parses `core 1`, `cores 0 1` or `all cores`.
fn cores(value: &str) -> Option<Vec<usize>> {
    if value == "all cores" {
        return Some(Vec::new());
    }
    let numbers = value.strip_prefix("cores ").or_else(|| value.strip_prefix("core "))?;
    numbers.split_whitespace().map(|number| number.parse().ok()).collect()
}
