use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// The name of a representation, a module or a topic, which may be known at run time only.
///
/// It is as cheap as the `&'static str` of a type that is known when the program is built, and can
/// stand wherever one does. A name that is only known at run time is [interned](Name::intern): it
/// is kept permanently, and only once however often it is used.
///
/// ```
/// use hemiola_model::Name;
///
/// const BALL: Name = Name::new("Ball");
/// let read = String::from("Ball");
/// assert_eq!(Name::intern(&read), BALL);
/// assert_eq!(Name::intern(&read).as_str().as_ptr(), Name::intern("Ball").as_str().as_ptr());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(&'static str);

impl Name {
    /// Creates a name that is known when the program is built.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Interns a name that is only known at run time. Takes a lock, and memory that is never freed
    /// if the name is new: not for real-time threads, and not for an unlimited number of names from
    /// outside.
    pub fn intern(name: &str) -> Self {
        static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        // The set is intact even if another thread panicked while it held the lock.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(name) {
            return Self(known);
        }
        let kept: &'static str = Box::leak(name.into());
        known.insert(kept);
        Self(kept)
    }

    /// Returns the text of the name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self.0
    }
}

impl From<&'static str> for Name {
    fn from(name: &'static str) -> Self {
        Self(name)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
