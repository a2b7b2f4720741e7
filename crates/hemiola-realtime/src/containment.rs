//! The containment of panics: their description, without output.

use std::any::Any;
use std::cell::RefCell;
use std::panic;
use std::sync::Once;

thread_local! {
    static WHERE: RefCell<String> = const { RefCell::new(String::new()) };
    static CONTAINED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// A guard: as long as it lives, panics on this thread are reported by the code that made it.
/// Nothing is printed at once, which would be expensive on a real-time thread.
///
/// ```
/// use hemiola_realtime::{Containment, describe_panic, take_place};
///
/// let _quiet = Containment::new();
/// let panic = std::panic::catch_unwind(|| panic!("no ball")).unwrap_err();
/// let text = describe_panic(&*panic, &take_place());
/// assert!(text.starts_with("panicked at ") && text.ends_with(": no ball"), "{text}");
/// ```
pub struct Containment {
    before: bool,
}

impl Containment {
    /// Contains this thread's panics from now on.
    #[expect(clippy::new_without_default, reason = "it is a guard: nobody makes one in passing")]
    pub fn new() -> Self {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if CONTAINED.get() {
                    WHERE.with_borrow_mut(|place| {
                        *place = info.location().map_or_else(String::new, |location| format!(" at {location}"));
                    });
                } else {
                    before(info);
                }
            }));
        });
        Self { before: CONTAINED.replace(true) }
    }
}

impl Drop for Containment {
    fn drop(&mut self) {
        CONTAINED.set(self.before);
    }
}

/// Returns and clears where this thread panicked last under a [`Containment`]; empty when that is
/// not known.
pub fn take_place() -> String {
    WHERE.with_borrow_mut(std::mem::take)
}

/// Returns the message of a panic and its place: see [`take_place`].
pub fn describe_panic(panic: &(dyn Any + Send), place: &str) -> String {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("something that is no text");
    format!("panicked{place}: {message}")
}
