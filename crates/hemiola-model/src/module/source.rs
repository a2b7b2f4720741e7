//! Sources of samples, which are created and called like modules.

use std::collections::BTreeMap;

use super::{
    ArgumentDescriptor, Context, Create, CreationError, ForeignArguments, ForeignModule, Instance, Outcome, Owner,
    Refusal, StateForm, Update, no_parameters, refusals,
};
use crate::{Name, ParameterDescription, Parameters, RepresentationDescriptor, Value};

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
    maker: Maker,
}

/// A function of the program's that creates an instance with these parameters.
type CreateWith = dyn Fn(&BTreeMap<String, Value>) -> Result<Instance, CreationError> + Send + Sync;

/// The way in which instances are created.
enum Maker {
    Rust(Create),
    Program(Box<CreateWith>),
    Fed(Name),
}

/// The instance of a source that is fed from elsewhere: it has no samples of its own.
struct Fed;

impl ForeignModule for Fed {
    fn call(&mut self, _: usize, _: ForeignArguments<'_>, _: &Context<'_>) -> Outcome {
        Outcome::Ended
    }
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
            maker: Maker::Rust(|values| Instance::of_source::<S>(values, S::create)),
        }
    }

    /// Creates instances by `create` instead of [`Source::create`]: a program that assembles
    /// several robots gives each of them what parameters cannot name, such as its place in a world
    /// that all share.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use hemiola_model::{Source, SourceDescriptor, SourceRate, module::Update};
    /// # #[derive(Default)] struct Camera { world: Option<Arc<Mutex<u32>>>, parameters: () }
    /// # impl Source for Camera {
    /// #     const NAME: &'static str = "Camera";
    /// #     type Parameters = ();
    /// #     fn create((): ()) -> Self { Self::default() }
    /// #     fn parameters_mut(&mut self) -> &mut () { &mut self.parameters }
    /// # }
    /// # let sample = Update::exclusive::<Camera, (), _>("image", |_, ()| ());
    /// # let rate = SourceRate::Hertz(30.0);
    /// # let camera = SourceDescriptor::of::<Camera>("nao", "src/lib.rs:7", rate, sample);
    ///
    /// let world = Arc::new(Mutex::new(0));
    /// let shared = world.clone();
    /// let camera = camera.created_by(move |()| Camera { world: Some(shared.clone()), parameters: () });
    /// let instance = camera.create(&Default::default()).unwrap();
    /// assert_eq!(Arc::strong_count(&world), 3);
    /// # drop(instance);
    /// ```
    ///
    /// # Panics
    /// If this describes another type than `S`.
    #[must_use]
    pub fn created_by<S: Source>(self, create: impl Fn(S::Parameters) -> S + Send + Sync + 'static) -> Self {
        let is_same = self.sample.is_owned_by(Owner::of::<S>());
        assert!(is_same, "`{}` cannot be created as `{}`; give its own constructor", self.name, S::NAME);
        let make = move |values: &BTreeMap<String, Value>| Instance::of_source(values, &create);
        Self { maker: Maker::Program(Box::new(make)), ..self }
    }

    /// Describes a source of one representation that is not a Rust type and has no samples of its
    /// own: the code that assembles a robot feeds it, as a link does. `location` is the file and
    /// line where it is requested.
    ///
    /// ```
    /// use hemiola_model::{Name, RepresentationDescriptor, SourceDescriptor, SourceRate};
    /// # use hemiola_model::{Form, Representation};
    /// # #[derive(Default)] struct Ball;
    /// # impl Representation for Ball { const NAME: &'static str = "Ball"; fn form() -> Form<Self> { Form::opaque() } }
    ///
    /// let name = Name::intern("link.head.Ball");
    /// let ball = SourceDescriptor::fed(name, "robot.toml:7:12", RepresentationDescriptor::of::<Ball>());
    /// assert!(ball.is_fed() && ball.rate() == SourceRate::OwnStamps);
    /// ```
    pub fn fed(name: Name, location: &str, representation: &'static RepresentationDescriptor) -> Self {
        Self {
            name: name.as_str(),
            path: "fed",
            location: Name::intern(location).as_str(),
            rate: SourceRate::OwnStamps,
            parameters: Vec::new(),
            sample: Update::foreign(Name::new("sample"), 0, vec![ArgumentDescriptor::provides(representation)]),
            maker: Maker::Fed(name),
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

    /// Returns whether the source has no samples of its own: see [`fed`](Self::fed).
    pub fn is_fed(&self) -> bool {
        matches!(self.maker, Maker::Fed(_))
    }

    /// Returns the reason why the sample method cannot be called, if it cannot.
    pub fn refusal(&self) -> Option<Refusal> {
        refusals(self.name, self.location, std::slice::from_ref(&self.sample)).next()
    }

    /// Creates an instance with these parameters.
    ///
    /// # Errors
    /// Fails if there are parameters that cannot be set, or the constructor panics.
    pub fn create(&self, parameters: &BTreeMap<String, Value>) -> Result<Instance, CreationError> {
        match &self.maker {
            Maker::Rust(create) => create(parameters),
            Maker::Program(create) => create(parameters),
            Maker::Fed(name) => {
                no_parameters(parameters).map_err(CreationError::Parameters)?;
                Instance::of_foreign(*name, StateForm::Opaque, || Box::new(Fed))
            }
        }
    }
}
