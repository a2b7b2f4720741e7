//! Calls of user code that may panic.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is left of a panic: its message.
///
/// ```
/// use hemiola_model::module::contain;
///
/// let panicked = contain(|| panic!("no camera {}", 3)).unwrap_err();
/// assert_eq!(panicked.to_string(), "no camera 3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked {
    message: String,
}

/// Calls what may panic, and gives the panic's message if it does. Nothing of the panic goes on,
/// not even one of its payload's `Drop`.
///
/// # Errors
/// The call panicked.
pub fn contain<R>(call: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(call)).map_err(Panicked::of)
}

impl Panicked {
    /// What a payload says; it is dropped here.
    pub fn of(payload: Box<dyn Any + Send>) -> Self {
        let text =
            payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = text.unwrap_or("a panic without a message").to_owned();
        if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            // Its `Drop` may panic as well, and so on: better a few bytes lost.
            std::mem::forget(another);
        }
        Self { message }
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_that_panics_when_it_is_dropped_stays_inside() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                std::panic::panic_any(Self);
            }
        }
        let panicked = contain(|| std::panic::panic_any(Bomb)).unwrap_err();
        assert_eq!(panicked.message(), "a panic without a message");
    }
}
