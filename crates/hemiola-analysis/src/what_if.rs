//! What if something were different: changes of a system, in the words in which people ask.
//!
//! `cores = 4`, `BallPerceptor takes 2x`, `walk takes 3 ms`, `motion every 10 ms`, `motion priority 50`, `motion workers 2`,
//! `motion deadline 8 ms`, `brake offset 5 ms`; several at once with commas between.

use std::str::FromStr;

use thiserror::Error;

use crate::Time;
use crate::system::{Begin, Span, System, Work};

/// Changes that belong together.
///
/// ```
/// use hemiola_analysis::{Analysis, System, Time, WhatIf};
/// let text = r#"
///     cores = 1
///     [[cycle]]
///     name = "motion"
///     begins = { every = "12 ms" }
///     priority = 80
///     tasks = [{ name = "Walk.joints", takes = "2 ms" }]
/// "#;
/// let system = System::from_toml(text, "system.toml").unwrap();
/// let slower: WhatIf = "Walk takes 3x, motion every 5 ms".parse().unwrap();
/// let analysis = Analysis::of(&slower.applied_to(&system).unwrap());
/// assert_eq!(analysis.find("motion").unwrap().bound.clone().ok(), None);
/// assert_eq!("Walk takes long".parse::<WhatIf>().unwrap_err().to_string(),
///     "`long` in `Walk takes long` is no time: write a factor, as `2x` or `80 %`, or a time, as `3 ms`");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    text: String,
    changes: Vec<Change>,
}

#[derive(Debug, Clone, PartialEq)]
enum Change {
    Cores(usize),
    Takes(String, Takes),
    Every(String, Time),
    Offset(String, Time),
    Deadline(String, Time),
    Priority(String, u32),
    Workers(String, usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Takes {
    Factor(f64),
    Span(Span),
}

/// Why a change was not understood, or does not fit the system.
///
/// ```
/// use hemiola_analysis::{System, WhatIf};
/// let nothing = System { cores: 1, ..System::default() };
/// let error = "walk takes 2x".parse::<WhatIf>().unwrap().applied_to(&nothing).unwrap_err();
/// assert_eq!(error.to_string(), "there is no task, callback, module, cycle or chain `walk`, and no other either");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WhatIfError {
    /// It is in no form that is known.
    #[error(
        "`{text}` is not understood: write `cores = 4`, `NAME takes 2x` (or 3 ms), `NAME every 10 ms`, `NAME deadline 8 ms`, `NAME offset 5 ms`, `NAME priority 50` or `NAME workers 2`, several with commas between"
    )]
    NotUnderstood {
        /// What was asked.
        text: String,
    },
    /// A number or a time is none.
    #[error("`{value}` in `{text}` is no {expected}")]
    NoValue {
        /// What was asked.
        text: String,
        /// Its last part.
        value: String,
        /// What is expected, with an example.
        expected: &'static str,
    },
    /// Nothing has this name.
    #[error("there is no {kind} `{name}`, {}", alternatives(known, name))]
    Unknown {
        /// What was looked for.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The system would make no sense.
    #[error("with `{text}` there would be something wrong: {problems}")]
    Nonsense {
        /// What was asked.
        text: String,
        /// What is wrong.
        problems: String,
    },
}

fn alternatives(known: &[String], name: &str) -> String {
    let nearest = known.iter().min_by_key(|other| strsim::damerau_levenshtein(name, other));
    match nearest {
        Some(near) if strsim::damerau_levenshtein(name, near) <= name.len().div_ceil(3) => {
            format!("did you mean `{near}`?")
        }
        Some(_) => format!("there are {}", known.join(", ")),
        None => "and no other either".to_owned(),
    }
}

impl FromStr for WhatIf {
    type Err = WhatIfError;

    fn from_str(text: &str) -> Result<Self, WhatIfError> {
        let changes = text.split(',').map(|change| parse(change.trim())).collect::<Result<_, _>>()?;
        Ok(Self { text: text.trim().to_owned(), changes })
    }
}

impl WhatIf {
    /// As it was asked.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The system as it would be.
    ///
    /// # Errors
    /// Something that is to be changed does not exist, or the result would make no sense.
    pub fn applied_to(&self, system: &System) -> Result<System, WhatIfError> {
        let mut changed = system.clone();
        self.changes.iter().try_for_each(|change| apply(change, &mut changed))?;
        let nonsense = |problems: crate::system::Problems| WhatIfError::Nonsense {
            text: self.text.clone(),
            problems: problems.to_string(),
        };
        changed.check().map_err(nonsense)?;
        Ok(changed)
    }
}

fn parse(text: &str) -> Result<Change, WhatIfError> {
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
    // The last one: names may consist of several words.
    let split = |verb: &str| {
        let (name, value) = text.rsplit_once(&format!(" {verb} "))?;
        Some((name.trim().trim_matches('`').to_owned(), value.trim().to_owned()))
    };
    let time = |value: &str| {
        let span = value.parse::<Span>().ok().filter(|span| span.shortest == Time::ZERO);
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
    Err(WhatIfError::NotUnderstood { text: text.to_owned() })
}

/// `2x`, `80 %`, `3 ms`, `1 ms .. 3 ms`.
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

fn apply(change: &Change, system: &mut System) -> Result<(), WhatIfError> {
    match change {
        Change::Cores(cores) => system.cores = *cores,
        Change::Takes(name, takes) => {
            for work in named(system, name)? {
                let span = system.takes_mut(work);
                *span = match takes {
                    Takes::Span(span) => *span,
                    Takes::Factor(factor) => Span { shortest: span.shortest, longest: scaled(span.longest, *factor) },
                };
                span.shortest = span.shortest.min(span.longest);
            }
        }
        Change::Every(name, period) => set_period(system, name, *period)?,
        Change::Offset(name, offset) => set_offset(system, name, *offset)?,
        Change::Deadline(name, deadline) => {
            let found = deadline_of(system, name).map(|place| *place = Some(*deadline));
            found.ok_or_else(|| unknown("cycle, chain or path", name, parts(system, true)))?;
        }
        Change::Priority(name, priority) => match system.executors.iter_mut().find(|it| it.name == *name) {
            Some(executor) => executor.priority = *priority,
            None => cycle(system, name, "cycle or executor")?.priority = *priority,
        },
        Change::Workers(name, workers) => cycle(system, name, "cycle")?.workers = *workers,
    }
    Ok(())
}

fn scaled(time: Time, factor: f64) -> Time {
    Time::nanoseconds((time.as_nanoseconds() as f64 * factor).ceil() as u64)
}

/// All that a name can mean: a task or callback, a module's tasks, or all that a cycle or chain does.
fn named(system: &System, name: &str) -> Result<Vec<Work>, WhatIfError> {
    let module = format!("{name}.");
    let all = system.work();
    let ways: [&dyn Fn(&Work) -> bool; 3] =
        [&|&work| system.name(work) == name, &|&work| system.name(work).starts_with(&module), &|&work| {
            system.owner(work) == name
        }];
    let found = ways.iter().map(|is_meant| all.iter().copied().filter(|work| is_meant(work)).collect::<Vec<_>>());
    found.into_iter().find(|found| !found.is_empty()).ok_or_else(|| {
        let modules = all.iter().map(|&work| system.name(work)).map(|name| name.split('.').next().unwrap_or(name));
        let mut known: Vec<String> = modules.map(str::to_owned).chain(parts(system, false)).collect();
        known.sort_unstable();
        known.dedup();
        unknown("task, callback, module, cycle or chain", name, known)
    })
}

/// A cycle that begins after another one gets the period of that.
fn set_period(system: &mut System, name: &str, period: Time) -> Result<(), WhatIfError> {
    if let Some(chain) = system.chains.iter_mut().find(|chain| chain.name == name) {
        chain.period = period;
        return Ok(());
    }
    let found = cycle(system, name, "cycle or chain")?;
    match found.begins.clone() {
        Begin::Every { offset, .. } => found.begins = Begin::Every { period, offset },
        Begin::After(before) => set_period(system, &before, period)?,
    }
    Ok(())
}

fn set_offset(system: &mut System, name: &str, offset: Time) -> Result<(), WhatIfError> {
    let chains = system.chains.iter_mut().map(|chain| (&chain.name, &mut chain.offset));
    let cycles = system.cycles.iter_mut().filter_map(|cycle| match &mut cycle.begins {
        Begin::Every { offset, .. } => Some((&cycle.name, offset)),
        Begin::After(_) => None,
    });
    match chains.chain(cycles).find(|(known, _)| *known == name) {
        Some((_, known)) => *known = Some(offset),
        None => return Err(unknown("chain or cycle with a period", name, parts(system, false))),
    }
    Ok(())
}

fn deadline_of<'s>(system: &'s mut System, name: &str) -> Option<&'s mut Option<Time>> {
    let chains = system.chains.iter_mut().map(|chain| (&chain.name, &mut chain.deadline));
    let cycles = system.cycles.iter_mut().map(|cycle| (&cycle.name, &mut cycle.deadline));
    let paths = system.paths.iter_mut().map(|path| (&path.name, &mut path.deadline));
    chains.chain(cycles).chain(paths).find(|(known, _)| *known == name).map(|(_, deadline)| deadline)
}

fn cycle<'s>(
    system: &'s mut System,
    name: &str,
    kind: &'static str,
) -> Result<&'s mut crate::system::Cycle, WhatIfError> {
    match system.cycles.iter().position(|cycle| cycle.name == name) {
        Some(place) => Ok(&mut system.cycles[place]),
        None => Err(unknown(kind, name, parts(system, false))),
    }
}

fn unknown(kind: &'static str, name: &str, known: Vec<String>) -> WhatIfError {
    WhatIfError::Unknown { kind, name: name.to_owned(), known }
}

fn parts(system: &System, with_paths: bool) -> Vec<String> {
    let paths = system.paths.iter().filter(|_| with_paths).map(|path| path.name.as_str());
    system.parts().into_iter().chain(paths).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Analysis;

    const ROBOT: &str = r#"
        cores = 2
        [[cycle]]
        name = "camera"
        begins = { every = "33 ms" }
        priority = 30
        tasks = [{ name = "camera.sample", takes = "3 ms" }]
        [[cycle]]
        name = "cognition"
        begins = { after = "camera" }
        priority = 40
        tasks = [{ name = "Ball.find", takes = "4 ms" }, { name = "Ball.filter", takes = "1 ms", after = ["Ball.find"] }]
        [[path]]
        name = "image to ball"
        through = ["camera", "cognition"]
        deadline = "50 ms"
    "#;

    fn changed(change: &str) -> System {
        let system = System::from_toml(ROBOT, "system.toml").unwrap();
        change.parse::<WhatIf>().unwrap().applied_to(&system).unwrap()
    }

    fn bound(change: &str, of: &str) -> Time {
        Analysis::of(&changed(change)).find(of).unwrap().bound.clone().unwrap()
    }

    #[test]
    fn each_change_changes_what_it_says() {
        let ms = Time::milliseconds;
        assert_eq!(bound("cores = 4", "cognition"), ms(5));
        assert_eq!(bound("Ball takes 2x", "cognition"), ms(10));
        assert_eq!(bound("Ball.find takes 7 ms", "cognition"), ms(8));
        assert_eq!(bound("cognition takes 50 %", "cognition"), Time::microseconds(2_500));
        assert_eq!(bound("cognition every 20 ms", "image to ball"), ms(20 + 3 + 5));
        let Begin::Every { offset, .. } = changed("camera offset 5 ms").cycles[0].begins else {
            panic!("it has a period")
        };
        assert_eq!(offset, Some(ms(5)));
        let both = changed("cores = 1, camera priority 50");
        assert_eq!((both.cores, both.cycles[0].priority), (1, 50));
    }

    #[test]
    fn a_deadline_can_be_another_one() {
        let system = System::from_toml(ROBOT, "system.toml").unwrap();
        assert!(Analysis::of(&system).holds());
        let tighter: WhatIf = "image to ball deadline 40 ms".parse().unwrap();
        assert!(!Analysis::of(&tighter.applied_to(&system).unwrap()).holds());
    }

    #[test]
    fn what_is_not_understood_or_unknown_is_refused_with_a_remedy() {
        let system = System::from_toml(ROBOT, "system.toml").unwrap();
        let refused = |text: &str| match text.parse::<WhatIf>() {
            Ok(change) => change.applied_to(&system).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(refused("make it faster").starts_with("`make it faster` is not understood: write `cores = 4`"));
        assert!(refused("cores = many").ends_with("`many` in `cores = many` is no number of cores, as in `cores = 4`"));
        assert_eq!(
            refused("Bal takes 2x"),
            "there is no task, callback, module, cycle or chain `Bal`, did you mean `Ball`?"
        );
        assert!(refused("cognition priority 200").contains("there is no real-time priority 200"));
        assert!(refused("camera offset 40 ms").contains("an offset of 40 ms, and a period of 33 ms"));
        assert!(refused("cognition offset 5 ms").contains("there is no chain or cycle with a period `cognition`"));
        assert!(refused("cognition every 0 ms").contains("a period of no time at all"));
        for wrong in ["", "cognition", "cognition takes", "cognition workers 0", "Ball takes -2x", "Ball takes NaNx"] {
            assert!(!refused(wrong).is_empty(), "{wrong}");
        }
    }
}
