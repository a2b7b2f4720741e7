//! The derives and attributes that turn plain Rust into representations, parameters, modules and
//! sources.
//!
//! The code that they generate is small: implementations of the traits of `hemiola-model` that call
//! ordinary generic functions. It contains no logic of its own, and no `unsafe`, so that a crate of
//! modules may forbid it. Use them through `hemiola`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod data;
mod in_place;
mod marker;
mod module;
mod parameters;
mod range;
mod representation;
mod source;
mod state;
mod update;
mod written;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemImpl, parse_macro_input};

/// Makes a type part of a representation's data: implements `Data` (schema, text form, fingerprint)
/// field by field.
///
/// The type is a structure or an enum of 1 to 256 variants, whose fields are `Data` themselves,
/// named or not. It may be generic over types, which are `Data` then.
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[data(name = "sensor_msgs/Imu")]` | the type | its name in schemas, instead of its own in the package that is compiled: it is that message of ROS 2 |
/// | `#[data(transparent)]` | a structure with one field | outside of the process it is what that field is |
/// | `#[data(was = "old_name")]` | a field or variant, also several times | what it is called in earlier logs |
///
/// ```
/// use hemiola::data::Value;
/// use hemiola::prelude::*;
///
/// #[derive(Data, Clone, Default)]
/// struct Line { from: [f32; 2], to: [f32; 2] }
///
/// #[derive(Representation, Clone, Default)]
/// struct FieldLines { lines: Vec<Line> }
///
/// let seen = FieldLines { lines: vec![Line { from: [0.0, 1.0], to: [4.5, 1.0] }] };
/// assert_eq!(Value::of(&seen).to_string(), "{lines: [{from: [0.0, 1.0], to: [4.5, 1.0]}]}");
/// ```
#[proc_macro_derive(Data, attributes(data))]
pub fn derive_data(input: TokenStream) -> TokenStream {
    finish(data::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a type a representation: a type that modules exchange. It needs `Default` and is not
/// generic.
///
/// Implements `Representation` and [`Data`](derive@Data), with the attributes of that; with
/// `#[representation(opaque)]` only `Representation`, for types that cannot leave the process.
///
/// ```
/// use hemiola::data::RepresentationDescriptor;
/// use hemiola::prelude::*;
///
/// #[derive(Representation, Clone, Default)]
/// struct BallPercept { seen: bool, position_in_image: [f32; 2] }
///
/// #[derive(Representation, Default)]
/// #[representation(opaque)]
/// struct NeuralNetwork { weights: Vec<f32> }
///
/// assert!(RepresentationDescriptor::of::<BallPercept>().data_type().is_some()); // can be logged, shown, sent
/// assert!(RepresentationDescriptor::of::<NeuralNetwork>().data_type().is_none());
/// ```
#[proc_macro_derive(Representation, attributes(representation, data))]
pub fn derive_representation(input: TokenStream) -> TokenStream {
    finish(representation::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a type readable in place, in the bytes of its message: implements `InPlace`. It goes
/// beside [`Data`](derive@Data) or [`Representation`](derive@Representation), and is not generic.
///
/// A structure `Pose` gets a view `PoseView`, with fields of the same names: numbers are numbers, a
/// `String` is a `&str`, a `Vec` is a `Sequence`, which for `u8` is a slice. An enum with data has
/// a view with the same variants. An enum without data is its own view, so it is `Copy` and
/// `Debug`.
///
/// ```
/// use hemiola::prelude::*;
///
/// #[derive(Representation, InPlace, Clone, Default)]
/// struct Image { width: u32, encoding: String, pixels: Vec<u8> }
///
/// let image = Wire::encode(&Image { width: 2, encoding: "mono8".into(), pixels: vec![10, 20, 30, 40] });
/// let image: ImageView<'_> = image.view();
/// assert_eq!((image.width, image.encoding, &image.pixels[2..]), (2, "mono8", &[30, 40][..]));
/// ```
#[proc_macro_derive(InPlace, attributes(data))]
pub fn derive_in_place(input: TokenStream) -> TokenStream {
    finish(in_place::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a structure a set of parameters: implements `Parameters` and `Default`.
///
/// The structure has named fields, each of them a parameter whose type is `Data`. The field's
/// documentation comment is the parameter's, and `#[parameter(..)]` has the rest, all optional:
///
/// | part | meaning |
/// |---|---|
/// | `default = 0.6` | an expression; without it the value is `Default::default()` |
/// | `range = 0.0..=1.0` | the least and the greatest value that a number may have; both ends are named; a default of literals and constants that is outside does not compile |
/// | `unit = "m"` | the unit, as people see it |
///
/// ```
/// use hemiola::data::Value;
/// use hemiola::prelude::*;
///
/// #[derive(Parameters)]
/// struct PilotParameters {
///     /// Where the cart stops, from the wall.
///     #[parameter(default = 0.5, range = 0.1..=2.0, unit = "m")]
///     distance: f32,
/// }
///
/// let mut parameters = PilotParameters::default();
/// let error = parameters.set("distance", &Value::Float(5.0)).unwrap_err();
/// assert_eq!(error.to_string(), "`distance` must be within 0.1 ..= 2.0 m, not 5.0");
/// ```
#[proc_macro_derive(Parameters, attributes(parameter))]
pub fn derive_parameters(input: TokenStream) -> TokenStream {
    finish(parameters::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a structure a module: implements `Module`. Its fields have names, and it is not generic.
/// One field may be `#[parameters]`; all others are made by `Default`.
///
/// The other fields are the module's state: logs have checkpoints of it, from which a replay can
/// begin. So they are `Data`; or, each or all of them (on the structure), `#[stateless]`: no later
/// run depends on it, because it is scratch memory or follows from the parameters; or `#[opaque]`:
/// it cannot be recorded, and a replay of this module begins where its log does.
///
/// ```
/// use hemiola::prelude::*;
///
/// #[derive(Parameters)]
/// struct FilterParameters {
///     #[parameter(default = 0.9, range = 0.0..=1.0)]
///     smoothing: f32,
/// }
///
/// #[derive(Module)]
/// struct Filter { #[parameters] parameters: FilterParameters, estimate: f32, #[stateless] sorted: Vec<f32> }
///
/// let filter = Filter::create(FilterParameters::default());
/// assert_eq!((filter.parameters.smoothing, filter.estimate), (0.9, 0.0));
/// ```
#[proc_macro_derive(Module, attributes(parameters, stateless, opaque))]
pub fn derive_module(input: TokenStream) -> TokenStream {
    finish(module::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a structure a source: implements `Source`. Its fields have names, and it is not generic.
/// One field may be `#[parameters]`; all others are made by `Default`.
///
/// ```
/// use hemiola::prelude::*;
///
/// #[derive(Parameters)]
/// struct CameraParameters {
///     #[parameter(default = 30.0, range = 1.0..=60.0, unit = "Hz")]
///     rate: f32,
/// }
///
/// #[derive(Source)]
/// struct Camera { #[parameters] parameters: CameraParameters, frames: u64 }
///
/// assert_eq!(Camera::create(CameraParameters::default()).frames, 0);
/// ```
#[proc_macro_derive(Source, attributes(parameters))]
pub fn derive_source(input: TokenStream) -> TokenStream {
    finish(source::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Registers a module. The attribute belongs on the type's own `impl` block, and takes nothing.
///
/// | method | meaning |
/// |---|---|
/// | `#[update]` | is called in each run of the module's cycle, after all that it requires is there; at least one |
/// | `#[safe_state]` | `fn(&mut self)`, or with `Result<(), E>`: is called when the robot enters its safe state, and when it ends; at most one |
/// | any other | is left alone |
///
/// # Updates
/// The first argument is `&self` or `&mut self`. Updates of a module with `&self` may run at the
/// same time, which takes a module that is `Sync`; those with `&mut self` run one after another.
/// All other arguments say what the update exchanges, in any order and number:
///
/// | argument | what the update gets |
/// |---|---|
/// | `&T` | the value of this run, after its provider's update; of another cycle or a source the newest value when the run began |
/// | `Fresh<T>` | the same with its time stamp, its age, and whether it is stale |
/// | `Previous<T>` | the value at the end of the previous run; gives no order, and so cuts circles |
/// | `Samples<T>` | all values that another cycle or a source has provided since the last run |
/// | `&mut T` | the value that it provides, which begins as `T::default()` with its buffers kept |
/// | `&Clock` | the time of this run, and that since the one before |
/// | `&Scope` | fork and join on the workers of the cycle |
/// | `&Debug` | plots, drawings, images and texts for observers |
/// | `&SafeState` | whether the robot is in its safe state; such an update is also called in it |
/// | `&mut Publisher<T>` | the topic `T`, to publish messages |
/// | `&Subscription<T>` | the messages of the topic `T` that have arrived since the last run |
/// | `&mut Requests<T, A>` | the service `T`, to send requests, and answers to earlier ones |
///
/// `T` is a type with `#[derive(Representation)]`. `A` is what the service answers: any type that
/// can be sent to another thread. `Fresh`, `Previous` and `Samples` are recognised by their names,
/// so an update takes them under these and not under an alias.
///
/// An update is neither `async` nor generic, and names no lifetimes. Of one representation it has
/// at most one argument of each kind:
///
/// | together with | may be | may not be |
/// |---|---|---|
/// | `&mut T` | `Previous<T>` | `&T`, `Fresh<T>`, `Samples<T>`, another `&mut T` |
/// | `&T` | `Previous<T>`, `Samples<T>` | `Fresh<T>`, which is the same value |
///
/// It returns nothing, or a `Result<(), E>` whose error can be displayed and sent to another
/// thread. If it fails or panics, what it provides keeps the last value, marked as stale, and
/// `on_failure` in `[module.NAME]` of robot.toml says what else happens.
///
/// A module with a `#[safe_state]` method is not updated in the safe state, except for updates that
/// take `&SafeState`.
///
/// # Example
/// ```
/// use hemiola::prelude::*;
///
/// #[derive(Representation, Clone, Default)]
/// struct Odometry { metres: f32 }
///
/// #[derive(Representation, Clone, Default)]
/// struct Speed { metres_per_second: f32 }
///
/// #[derive(Module)]
/// struct Integrator {}
///
/// #[module]
/// impl Integrator {
///     #[update]
///     fn odometry(&self, speed: &Speed, last: Previous<Odometry>, clock: &Clock, odometry: &mut Odometry) {
///         odometry.metres = last.metres + speed.metres_per_second * clock.step_seconds();
///     }
/// }
///
/// let linked = hemiola::module::registry::modules();
/// let integrator = linked.iter().find(|module| module.name() == "Integrator").expect("it registered itself");
/// assert_eq!(integrator.updates()[0].name(), "odometry");
/// ```
#[proc_macro_attribute]
pub fn module(attribute: TokenStream, item: TokenStream) -> TokenStream {
    finish(module::register(attribute.into(), parse_macro_input!(item as ItemImpl)))
}

/// Registers a source. The attribute belongs on the type's own `impl` block, which has one method
/// with `#[sample]` or `#[sample(rate = 30.0)]`, and takes nothing. The method is called on a
/// thread of the source's own; all other methods are left alone.
///
/// | attribute | when it is called | what it returns |
/// |---|---|---|
/// | `#[sample(rate = 30.0)]` | this many times a second, by the robot's clock; the rate is an expression of type `f64`, and `rate` in `[source.NAME]` of robot.toml overrides it | nothing |
/// | `#[sample]` | again as soon as its last sample was delivered; it may block. With `rate` in robot.toml it is called at that rate | `Option<Time>`: when the sample was taken, by the robot's clock, or `None` if there are no more |
///
/// Both may return it in a `Result<_, E>`: after an error or a panic there is no sample this time,
/// readers keep the last one, the robot reports it, and the method is called again.
///
/// Its arguments are those of an [update](macro@module), after `&mut self` or `&self`. What it
/// reads, as a simulator does, are the newest values of the cycles. `&Scope` has this one thread,
/// and output to `&Debug` is not shown. A [`Clock`] holds the time at which the method was called,
/// so a sample for which it has waited was taken at `clock.now()` plus the time that it has waited.
///
/// [`Clock`]: https://docs.rs/hemiola/latest/hemiola/struct.Clock.html
///
/// # Example
/// ```
/// use hemiola::prelude::*;
///
/// #[derive(Representation, Clone, Default)]
/// struct Frame { number: u64 }
///
/// #[derive(Source)]
/// struct Recording { next: u64 }
///
/// #[source]
/// impl Recording {
///     /// 100 frames with time stamps of their own, then the end.
///     #[sample]
///     fn frame(&mut self, frame: &mut Frame) -> Option<Time> {
///         frame.number = self.next;
///         self.next += 1;
///         (frame.number < 100).then(|| Time::from_seconds(frame.number as f64 / 30.0))
///     }
/// }
///
/// let mut frame = Frame::default();
/// assert_eq!(Recording { next: 30 }.frame(&mut frame), Some(Time::from_seconds(1.0)));
/// assert_eq!(Recording { next: 100 }.frame(&mut frame), None);
/// ```
#[proc_macro_attribute]
pub fn source(attribute: TokenStream, item: TokenStream) -> TokenStream {
    finish(source::register(attribute.into(), parse_macro_input!(item as ItemImpl)))
}

/// Marks a method that each run of a cycle calls: it belongs in an `impl` block with
/// [`#[module]`](macro@module), whose page says what its arguments can be.
#[proc_macro_attribute]
pub fn update(_: TokenStream, method: TokenStream) -> TokenStream {
    marker::stray("update", "module", &method.into()).into()
}

/// Marks the method that stops what a module moves: it belongs in an `impl` block with
/// [`#[module]`](macro@module).
#[proc_macro_attribute]
pub fn safe_state(_: TokenStream, method: TokenStream) -> TokenStream {
    marker::stray("safe_state", "module", &method.into()).into()
}

/// Marks the method that acquires a sample: it belongs in an `impl` block with
/// [`#[source]`](macro@source).
#[proc_macro_attribute]
pub fn sample(_: TokenStream, method: TokenStream) -> TokenStream {
    marker::stray("sample", "source", &method.into()).into()
}

fn finish(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(|error| error.to_compile_error()).into()
}
