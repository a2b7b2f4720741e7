use std::collections::BTreeMap;

use crate::module::{Create, Instance, Update};
use crate::{ParameterDescription, Parameters, ParametersError, Value};

/// Where samples come from: a sensor driver, a simulator, a recording. Derive it and put `#[source]` on its `impl`.
///
/// A source runs on a thread of its own, outside of every cycle. Its one `#[sample]` method reads the latest values that
/// cycles provide (`&T`) and fills representations (`&mut T`), as an update does, and returns
/// - `()`, with `#[sample(rate = 30.0)]`: it is called at that rate on the framework's clock;
/// - `Option<Time>` without a rate: it blocks until the sensor delivers, or reads ahead in a recording, and tells when the
///   sample was taken; `None` ends the source, and a robot all of whose sources have ended stops.
pub trait Source: Send + 'static {
    /// The name in configuration: the type's own.
    const NAME: &'static str;

    /// What can be tuned; `()` for nothing.
    type Parameters: Parameters;

    /// A new source; called once, before the robot starts. May open devices and files.
    fn create(parameters: Self::Parameters) -> Self;

    /// The parameters in use.
    fn parameters_mut(&mut self) -> &mut Self::Parameters;
}

/// What paces a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SourceRate {
    /// The framework calls it so many times a second.
    Hertz(f64),
    /// It tells the time of each sample itself.
    OwnStamps,
}

/// A source without its type.
pub struct SourceDescriptor {
    /// The type's name.
    pub name: &'static str,
    /// The Rust module that it stands in.
    pub path: &'static str,
    /// What paces it, unless configuration says otherwise.
    pub rate: SourceRate,
    /// What can be tuned.
    pub parameters: Vec<ParameterDescription>,
    /// The method that takes a sample.
    pub sample: Update,
    create: Create,
}

impl SourceDescriptor {
    /// Describes `S`.
    pub fn of<S: Source>(path: &'static str, rate: SourceRate, sample: Update) -> Self {
        Self {
            name: S::NAME,
            path,
            rate,
            parameters: S::Parameters::describe(),
            sample,
            create: |values| S::Parameters::with(values).map(Instance::of_source::<S>),
        }
    }

    /// A new instance with these parameters.
    ///
    /// # Errors
    /// Every parameter that cannot be set.
    pub fn create(&self, parameters: &BTreeMap<String, Value>) -> Result<Instance, Vec<ParametersError>> {
        (self.create)(parameters)
    }
}
