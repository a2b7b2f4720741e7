use thiserror::Error;

/// An update or sample method that cannot be called because its declaration is wrong. A robot that
/// has one is not assembled.
///
/// ```
/// use hemiola_model::module::{ModuleDescriptor, Update};
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Ball;
/// # impl Representation for Ball { const NAME: &'static str = "Ball"; fn form() -> Form<Self> { Form::opaque() } }
/// # struct Finder(());
/// # impl hemiola_model::module::Module for Finder {
/// #     const NAME: &'static str = "Finder";
/// #     type Parameters = ();
/// #     fn create((): ()) -> Self { Self(()) }
/// #     fn parameters_mut(&mut self) -> &mut () { &mut self.0 }
/// # }
/// type AlsoBall = Ball;
///
/// let find = Update::exclusive::<Finder, (&mut Ball, (&mut AlsoBall, ())), ()>("find", |_, _| ())
///     .with_signature(&["ball: &mut Ball", "other: &mut AlsoBall"]);
/// let finder = ModuleDescriptor::of::<Finder>("soccer", "src/finder.rs:12", vec![find], None);
/// let refusal = finder.refusals().next().expect("nobody can write a value twice at once");
/// assert_eq!(
///     refusal.to_string(),
///     "`Finder.find` (src/finder.rs:12) has two arguments for `Ball` that it cannot have together, number 1, `ball: &mut Ball`, \
///      and number 2, `other: &mut AlsoBall`: one `&mut` is enough"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{owner}.{update}` ({location}) {reason}")]
pub struct Refusal {
    /// The name of the module or source.
    pub owner: String,
    /// The name of the method.
    pub update: String,
    /// The file and line of the `#[module]` or `#[source]` attribute.
    pub location: String,
    /// The reason for the refusal.
    pub reason: RefusalReason,
}

/// The reason why an update is refused.
///
/// See [`Refusal`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RefusalReason {
    /// Two arguments would be references to one value, of which one may write; or two arguments
    /// request the same value.
    #[error(
        "has two arguments for `{representation}` that it cannot have together, number {}, `{first}`, and number {}, `{second}`: {remedy}",
        .places.0 + 1, .places.1 + 1
    )]
    Conflict {
        /// The representation of both arguments.
        representation: String,
        /// The first argument, as its author wrote it.
        first: String,
        /// The second argument, as its author wrote it.
        second: String,
        /// The indices of both arguments.
        places: (usize, usize),
        /// The remedy.
        remedy: &'static str,
    },
    /// The update belongs to another type than the one to which it was given.
    #[error("is an update of `{of}`, and cannot be one of `{given_to}`: register it with its own type")]
    OtherOwner {
        /// The type whose method it is.
        of: String,
        /// The type to which it was given.
        given_to: String,
    },
}
