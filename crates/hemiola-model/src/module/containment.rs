//! Calls of user code that may panic.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of a panic that was caught.
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

/// Calls a function that may panic, and returns the panic's message if it does. No panic leaves
/// this function, not even one of its payload's `Drop`.
///
/// # Errors
/// Fails if the call panicked.
pub fn contain<R>(call: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(call)).map_err(Panicked::of)
}

impl Panicked {
    /// Takes the message from a payload, which is dropped here.
    pub fn of(payload: Box<dyn Any + Send>) -> Self {
        let text =
            payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = text.unwrap_or("a panic without a message").to_owned();
        if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            // Its `Drop` may panic as well, and so on: it is better to leak a few bytes.
            std::mem::forget(another);
        }
        Self { message }
    }

    /// Returns the message.
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
