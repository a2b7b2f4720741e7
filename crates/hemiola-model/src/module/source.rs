//! Sources of samples, which are created and called like modules.

use std::collections::BTreeMap;

use super::{Create, CreationError, Instance, Owner, Refusal, Update, refusals};
use crate::{ParameterDescription, Parameters, Value};

/// An origin of samples: a sensor driver, a simulator, a recording. Derive it and put `#[source]`
/// on its `impl`.
///
/// A source runs on a thread of its own, outside of every cycle. Its one `#[sample]` method reads
/// the latest values that cycles provide (`&T`) and fills representations (`&mut T`), as an update
/// does, and returns
/// - `()`, with `#[sample(rate = 30.0)]`: it is called at that rate on the framework's clock;
/// - `Option<Time>` without a rate: it blocks until the sensor delivers, or reads ahead in a
///   recording, and returns when the sample was taken; `None` ends the source, and a robot all of
///   whose sources have ended stops.
///
/// ```
/// use hemiola_model::Source;
///
/// struct Microphone { parameters: (), buffer: Vec<f32> }
///
/// // By hand, where creation does more than filling in defaults:
/// impl Source for Microphone {
///     const NAME: &'static str = "Microphone";
///     type Parameters = ();
///
///     fn create((): ()) -> Self {
///         Self { parameters: (), buffer: vec![0.0; 1024] }
///     }
///
///     fn parameters_mut(&mut self) -> &mut () {
///         &mut self.parameters
///     }
/// }
/// assert_eq!(Microphone::create(()).buffer.len(), 1024);
/// ```
pub trait Source: Send + 'static {
    /// The name of the source in configuration: the name of the type.
    const NAME: &'static str;

    /// The parameters that can be tuned; `()` for none.
    type Parameters: Parameters;

    /// Creates a source; called once, before the robot starts. It may open devices and files.
    fn create(parameters: Self::Parameters) -> Self;

    /// Returns the parameters in use.
    fn parameters_mut(&mut self) -> &mut Self::Parameters;
}

/// The pace of a source.
///
/// ```
/// use hemiola_model::SourceRate;
/// use std::time::Duration;
///
/// let period = |rate| match rate {
///     SourceRate::Hertz(rate) => Some(Duration::from_secs_f64(1.0 / rate)),
///     SourceRate::OwnStamps => None, // it blocks until its sensor delivers
/// };
/// assert_eq!(period(SourceRate::Hertz(50.0)), Some(Duration::from_millis(20)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SourceRate {
    /// The framework calls the source this many times a second.
    Hertz(f64),
    /// The source stamps each sample itself.
    OwnStamps,
}

/// The descriptor of a source, without its type.
///
/// ```
/// use hemiola_model::{SourceDescriptor, SourceRate, module::Update};
/// # struct Camera { parameters: () }
/// # impl hemiola_model::Source for Camera {
/// #     const NAME: &'static str = "Camera";
/// #     type Parameters = ();
/// #     fn create((): ()) -> Self { Self { parameters: () } }
/// #     fn parameters_mut(&mut self) -> &mut () { &mut self.parameters }
/// # }
///
/// // What `#[source]` registers, here of a source without parameters:
/// let sample = Update::exclusive::<Camera, (), _>("image", |_, ()| ());
/// let camera = SourceDescriptor::of::<Camera>("nao::drivers", "src/drivers.rs:7", SourceRate::Hertz(30.0), sample);
/// assert_eq!(camera.create(&Default::default()).unwrap().name(), "Camera");
/// ```
pub struct SourceDescriptor {
    name: &'static str,
    path: &'static str,
    location: &'static str,
    rate: SourceRate,
    parameters: Vec<ParameterDescription>,
    sample: Update,
    create: Create,
}

impl SourceDescriptor {
    /// Describes `S`. A sample method of another type than `S` is [refused](Self::refusal).
    pub fn of<S: Source>(path: &'static str, location: &'static str, rate: SourceRate, sample: Update) -> Self {
        Self {
            name: S::NAME,
            path,
            location,
            rate,
            parameters: S::Parameters::describe(),
            sample: sample.owned_by(Owner::of::<S>()),
            create: Instance::of_source::<S>,
        }
    }

    /// Returns the name of the type.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the path of the Rust module that contains the type.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the file and line of the `#[source]` attribute.
    pub fn location(&self) -> &'static str {
        self.location
    }

    /// Returns the pace of the source, which configuration may override.
    pub fn rate(&self) -> SourceRate {
        self.rate
    }

    /// Returns the parameters that can be tuned.
    pub fn parameters(&self) -> &[ParameterDescription] {
        &self.parameters
    }

    /// Returns the method that takes a sample.
    pub fn sample(&self) -> &Update {
        &self.sample
    }

    /// Returns why the sample method cannot be called, if it cannot.
    pub fn refusal(&self) -> Option<Refusal> {
        refusals(self.name, self.location, std::slice::from_ref(&self.sample)).next()
    }

    /// Creates an instance with these parameters.
    ///
    /// # Errors
    /// If there are parameters that cannot be set, or the constructor panics.
    pub fn create(&self, parameters: &BTreeMap<String, Value>) -> Result<Instance, CreationError> {
        (self.create)(parameters)
    }
}
