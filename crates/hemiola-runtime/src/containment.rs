//! Containment of user code, which may panic wherever it is called: in `Default`, `reset`, `Clone`,
//! `Drop` and `Display` as well as in an update, and the payload of a panic may panic when it is
//! dropped. None of that may end a thread of the robot.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hemiola_realtime::{Containment, describe_panic, take_place};

/// Calls user code; returns `None` if it panicked.
pub fn quietly<R>(call: impl FnOnce() -> R) -> Option<R> {
    contained(call).ok()
}

/// Calls user code; if it panics, returns a description of the panic and its place.
pub fn contained<R>(call: impl FnOnce() -> R) -> Result<R, String> {
    let _quiet = Containment::new();
    catch_unwind(AssertUnwindSafe(call)).map_err(describe_and_discard)
}

/// Describes a panic on this thread and its place; the payload is dropped.
pub fn describe_and_discard(panic: Box<dyn Any + Send>) -> String {
    let text = describe_panic(&*panic, &take_place());
    discard(panic);
    text
}

/// Drops the payload of a panic. If its destructor panics, that payload is leaked.
pub fn discard(panic: Box<dyn Any + Send>) {
    let _quiet = Containment::new();
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(another);
    }
}

/// Returns a user's value as text, or states that displaying it panicked.
pub fn in_words(value: &dyn fmt::Display) -> String {
    contained(|| value.to_string()).unwrap_or_else(|panic| format!("an error that cannot be displayed: {panic}"))
}
