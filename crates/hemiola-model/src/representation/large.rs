//! Values that are too large to pass over a stack.
//!
//! `T::default()` returns by value, and an unoptimised build copies what it returns several times
//! on its stack. So a large value is made on a thread that is there for it alone, whose stack has
//! room, and is put back to its default in place, from a value that is kept for that
//! ([`Representation::restore`]).

use std::any::{Any, TypeId};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Representation;

/// From this size on.
pub const LARGE: usize = 16 << 10;

/// What `default` may need of the stack: so many values (one for each type that it is nested in,
/// and a few), and so much besides.
const VALUES: usize = 8;
const BESIDES: usize = 1 << 20;

/// A new default value.
pub fn create<T: Representation>() -> Box<T> {
    let stack = size_of::<T>().saturating_mul(VALUES).saturating_add(BESIDES);
    let maker = thread::Builder::new().name("default value".to_owned()).stack_size(stack);
    match maker.spawn(Box::<T>::default) {
        Ok(maker) => maker.join().unwrap_or_else(|panic| resume_unwind(panic)),
        // No memory for such a stack: ours may do.
        Err(_) => Box::default(),
    }
}

/// The default value that all of this type are restored from. It is made once.
pub fn default_of<T: Representation>() -> &'static T {
    static KNOWN: Mutex<Vec<(TypeId, &'static (dyn Any + Send + Sync))>> = Mutex::new(Vec::new());
    let find = |known: &[(TypeId, &'static (dyn Any + Send + Sync))]| {
        let (_, value) = known.iter().find(|(type_id, _)| *type_id == TypeId::of::<T>())?;
        value.downcast_ref::<T>()
    };
    // A list is whole even if somebody panicked beside it.
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
