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

/// There is no parameter `name` of `P`.
pub fn unknown_parameter<P: Parameters>(name: &str) -> ParametersError {
    let known = P::describe().into_iter().map(|description| description.name).collect();
    ParametersError::Unknown { name: name.to_owned(), known }
}

/// Fails to compile, at the span of the call, unless `M` may be shared between threads.
pub fn concurrent_update_needs_sync<M: Sync>() {}

/// Fails to compile, at the span of the call, unless `A` can be an argument.
pub fn argument<A: crate::module::Argument>() {}
