use thiserror::Error;

/// An update or sample method that cannot be called as it was put together. A robot that has one is
/// not assembled.
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
    /// The module or source.
    pub owner: String,
    /// The method.
    pub update: String,
    /// File and line of the `#[module]` or `#[source]`.
    pub location: String,
    /// What is wrong.
    pub reason: RefusalReason,
}

/// Why an update is refused.
///
/// ```
/// use hemiola_model::module::RefusalReason;
///
/// let reason = RefusalReason::OtherOwner { of: "nao::Walk".into(), given_to: "nao::Balance".into() };
/// assert!(reason.to_string().starts_with("is an update of `nao::Walk`"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RefusalReason {
    /// Two arguments would be references to one value, of which one may write; or the same is asked
    /// for twice.
    #[error(
        "has two arguments for `{representation}` that it cannot have together, number {}, `{first}`, and number {}, `{second}`: {remedy}",
        .places.0 + 1, .places.1 + 1
    )]
    Conflict {
        /// What both are for.
        representation: String,
        /// The one, as its author wrote it.
        first: String,
        /// The other.
        second: String,
        /// Which arguments they are.
        places: (usize, usize),
        /// What to do.
        remedy: &'static str,
    },
    /// It is an update of another type than the one it was given to.
    #[error("is an update of `{of}`, and cannot be one of `{given_to}`: register it with its own type")]
    OtherOwner {
        /// The type whose method it is.
        of: String,
        /// The type it was given to.
        given_to: String,
    },
}
