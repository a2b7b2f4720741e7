use std::marker::PhantomData;

use crate::{Data, Parameters, ParametersError, Value};

pub use crate::module::registry::Registration;
pub use inventory;

/// Reads the value of the parameter `name` of `P` and checks it.
pub fn read_parameter<P: Parameters, T: Data>(name: &str, value: &Value) -> Result<T, ParametersError> {
    let read = value.read().map_err(|error| ParametersError::Type { name: name.to_owned(), error })?;
    match P::describe().iter().find(|description| description.name == name) {
        Some(description) => description.check(value).map(|()| read),
        None => Err(unknown_parameter::<P>(name)),
    }
}

/// Returns the error that `P` has no parameter `name`.
pub fn unknown_parameter<P: Parameters>(name: &str) -> ParametersError {
    let known = P::describe().into_iter().map(|description| description.name).collect();
    ParametersError::Unknown { name: name.to_owned(), known }
}

/// Fails to compile, at the span of the call, unless `M` may be shared between threads.
pub fn concurrent_update_needs_sync<M: Sync>() {}

/// Fails to compile, at the span of the call, unless `A` can be an argument.
pub fn argument<A: crate::module::Argument>() {}

/// Finds how a field of an opaque representation is made equal to another in place: as data, as a
/// copy, as an empty vector, or not at all. Method resolution takes the first of the four whose
/// bounds hold. Clones are not among them: what they share is not what `default` makes.
pub struct Restorer<T>(PhantomData<T>);

/// A function that makes the first value equal to the second, and returns whether it could.
pub type Restore<T> = fn(&mut T, &T) -> bool;

impl<T> Restorer<T> {
    /// Creates a restorer; its `get` returns the function.
    #[allow(clippy::new_without_default, reason = "for macros")]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

pub trait RestoreByData<T> {
    fn get(&self) -> Restore<T>;
}

impl<T: Data> RestoreByData<T> for &&&Restorer<T> {
    fn get(&self) -> Restore<T> {
        T::restore
    }
}

pub trait RestoreByCopy<T> {
    fn get(&self) -> Restore<T>;
}

impl<T: Copy> RestoreByCopy<T> for &&Restorer<T> {
    fn get(&self) -> Restore<T> {
        |value, default| {
            // Copy a run of one item: `*value = *default` goes by way of the stack in builds that
            // are not optimised.
            std::slice::from_mut(value).copy_from_slice(std::slice::from_ref(default));
            true
        }
    }
}

pub trait RestoreEmpty<T> {
    fn get(&self) -> Restore<T>;
}

impl<T> RestoreEmpty<Vec<T>> for &Restorer<Vec<T>> {
    fn get(&self) -> Restore<Vec<T>> {
        |value, default| {
            value.clear();
            default.is_empty()
        }
    }
}

pub trait RestoreNot<T> {
    fn get(&self) -> Restore<T>;
}

impl<T> RestoreNot<T> for Restorer<T> {
    fn get(&self) -> Restore<T> {
        |_, _| false
    }
}
