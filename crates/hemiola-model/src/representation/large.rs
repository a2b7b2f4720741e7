//! Values that are too large to pass over a stack.
//!
//! `T::default()` returns by value, and an unoptimised build copies what it returns several times
//! on its stack. So a large value is created on a thread of its own, whose stack has room, and is
//! restored in place from a default value that is kept for that ([`Representation::restore`]).

use std::any::{Any, TypeId};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Representation;

/// The size from which a value is large, in bytes.
pub const LARGE: usize = 16 << 10;

/// The stack that `default` may need: this many values (one for each type in which it is nested,
/// and a few more), and this many additional bytes.
const VALUES: usize = 8;
const BESIDES: usize = 1 << 20;

/// Creates a default value.
pub fn create<T: Representation>() -> Box<T> {
    let stack = size_of::<T>().saturating_mul(VALUES).saturating_add(BESIDES);
    let maker = thread::Builder::new().name("default value".to_owned()).stack_size(stack);
    match maker.spawn(Box::<T>::default) {
        Ok(maker) => maker.join().unwrap_or_else(|panic| resume_unwind(panic)),
        // There is no memory for such a stack: the one of this thread may do.
        Err(_) => create_here(),
    }
}

/// Creates a default value on the stack of this thread. Inlined, it would take that stack from
/// every caller of [`create`], even where it is not called.
#[inline(never)]
fn create_here<T: Representation>() -> Box<T> {
    Box::default()
}

/// Returns the default value that all values of this type are restored from. It is created once.
pub fn default_of<T: Representation>() -> &'static T {
    static KNOWN: Mutex<Vec<(TypeId, &'static (dyn Any + Send + Sync))>> = Mutex::new(Vec::new());
    let find = |known: &[(TypeId, &'static (dyn Any + Send + Sync))]| {
        let (_, value) = known.iter().find(|(type_id, _)| *type_id == TypeId::of::<T>())?;
        value.downcast_ref::<T>()
    };
    // The list is intact even if another thread panicked while it held the lock.
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = find(&lock()) {
        return value;
    }
    let made = create::<T>(); // without the lock: `default` is somebody's code
    let mut known = lock();
    find(&known).unwrap_or_else(|| {
        let value: &'static T = Box::leak(made);
        known.push((TypeId::of::<T>(), value));
        value
    })
}
