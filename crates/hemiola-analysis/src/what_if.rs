//! Hypothetical changes of a system, written as people would ask for them.
//!
//! `cores = 4`, `BallPerceptor takes 2x`, `walk takes 3 ms`, `motion every 10 ms`,
//! `motion priority 50`, `motion workers 2`, `motion deadline 8 ms`, `brake offset 5 ms`,
//! `arm on core 1`, `arm on all cores`; several at once with commas between.

mod apply;
mod words;

use std::str::FromStr;

use thiserror::Error;

use crate::TimeSpan;
use crate::system::{Span, System};

/// Changes that belong together.
///
/// ```
/// use hemiola_analysis::{Analysis, System, TimeSpan, WhatIf};
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
///     "`long` in `Walk takes long` is not a time: write a factor, as `2x` or `80 %`, or a time, as `3 ms`");
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
    Every(String, TimeSpan),
    Offset(String, TimeSpan),
    Deadline(String, TimeSpan),
    Priority(String, u32),
    Workers(String, usize),
    /// The cores of a thread; an empty list means all.
    On(String, Vec<usize>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Takes {
    Factor(f64),
    Span(Span),
}

/// The reason why a change was not understood, or cannot be applied to the system.
///
/// ```
/// use hemiola_analysis::{System, WhatIf};
/// let nothing = System { cores: 1, ..System::default() };
/// let error = "walk takes 2x".parse::<WhatIf>().unwrap().applied_to(&nothing).unwrap_err();
/// assert_eq!(error.to_string(), "there is no task, callback, module, cycle or chain `walk`, and no other either");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WhatIfError {
    /// The text has no known form.
    #[error(
        "`{text}` is not understood: write `cores = 4`, `NAME takes 2x` (or 3 ms), `NAME every 10 ms`, `NAME deadline 8 ms`, `NAME offset 5 ms`, `NAME priority 50`, `NAME workers 2` or `NAME on core 1`, several with commas between"
    )]
    NotUnderstood {
        /// The text of the question.
        text: String,
    },
    /// A value is not of the expected kind.
    #[error("`{value}` in `{text}` is not a {expected}")]
    NoValue {
        /// The text of the question.
        text: String,
        /// The value in the text.
        value: String,
        /// The expected kind of value, with an example.
        expected: &'static str,
    },
    /// Nothing has the name that was given.
    #[error("there is no {kind} `{name}`, {}", alternatives(known, name))]
    Unknown {
        /// The kind of thing that was looked for.
        kind: &'static str,
        /// The name that was looked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The changed system would not be valid.
    #[error("with `{text}` the system would be invalid: {problems}")]
    Nonsense {
        /// The text of the question.
        text: String,
        /// The problems of the changed system.
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
        let changes = text.split(',').map(|change| words::parse(change.trim())).collect::<Result<_, _>>()?;
        Ok(Self { text: text.trim().to_owned(), changes })
    }
}

impl WhatIf {
    /// Returns the text of the question.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the changed system.
    ///
    /// # Errors
    /// Returns an error if something that is to be changed does not exist, or the result would be
    /// invalid.
    pub fn applied_to(&self, system: &System) -> Result<System, WhatIfError> {
        let mut changed = system.clone();
        self.changes.iter().try_for_each(|change| apply::apply(change, &mut changed))?;
        let nonsense = |problems: crate::system::Problems| WhatIfError::Nonsense {
            text: self.text.clone(),
            problems: problems.to_string(),
        };
        changed.check().map_err(nonsense)?;
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Analysis;
    use crate::system::Begin;

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

    fn bound(change: &str, of: &str) -> TimeSpan {
        Analysis::of(&changed(change)).find(of).unwrap().bound.clone().unwrap()
    }

    #[test]
    fn each_change_changes_what_it_says() {
        let ms = TimeSpan::milliseconds;
        assert_eq!(bound("cores = 4", "cognition"), ms(5));
        assert_eq!(bound("Ball takes 2x", "cognition"), ms(10));
        assert_eq!(bound("Ball.find takes 7 ms", "cognition"), ms(8));
        assert_eq!(bound("cognition takes 50 %", "cognition"), TimeSpan::microseconds(2_500));
        assert_eq!(bound("cognition every 20 ms", "image to ball"), ms(20 + 3 + 5));
        let Begin::Every { offset, .. } = changed("camera offset 5 ms").cycles[0].begins else {
            panic!("it has a period")
        };
        assert_eq!(offset, Some(ms(5)));
        assert_eq!(changed("cognition on core 1").cycles[1].cores, [1]);
        assert!(changed("cognition on cores 0 1, cognition on all cores").cycles[1].cores.is_empty());
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
        assert!(
            refused("cores = many").ends_with("`many` in `cores = many` is not a number of cores, as in `cores = 4`")
        );
        assert_eq!(
            refused("Bal takes 2x"),
            "there is no task, callback, module, cycle or chain `Bal`, did you mean `Ball`?"
        );
        assert!(refused("cognition priority 200").contains("200 is not a real-time priority"));
        assert!(refused("camera offset 40 ms").contains("the offset of 40 ms is not below the period of 33 ms"));
        assert!(refused("cognition offset 5 ms").contains("there is no chain or cycle with a period `cognition`"));
        assert!(refused("cognition every 0 ms").contains("the period is zero"));
        assert!(
            refused("cognition on core x").ends_with(
                "`core x` in `cognition on core x` is not a place: write `core 1`, `cores 0 1` or `all cores`"
            )
        );
        assert!(refused("cognition on core 7").contains("core 7"));
        for wrong in ["", "cognition", "cognition takes", "cognition workers 0", "Ball takes -2x", "Ball takes NaNx"] {
            assert!(!refused(wrong).is_empty(), "{wrong}");
        }
    }
}
