use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use hemiola_model::{Time, ValueMut};

/// Values of a representation that are taken from a recording instead of from its provider:
/// [`Course::taking`](crate::Course::taking).
///
/// ```
/// use hemiola_model::{RepresentationDescriptor, Time, ValueMut};
/// use hemiola_runtime::TakenValues;
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Distance(f32);
/// # impl Representation for Distance { const NAME: &'static str = "Distance"; fn form() -> Form<Self> { Form::opaque() } }
///
/// /// A wall that comes closer, and is seen in every other run.
/// struct Approach;
///
/// impl TakenValues for Approach {
///     fn take(&mut self, run: u32, now: Time, value: &mut ValueMut<'_>) -> Option<Time> {
///         let distance = value.downcast_mut::<Distance>().filter(|_| run % 2 == 0)?;
///         *distance = Distance(3.0 - now.seconds() as f32);
///         Some(now)
///     }
/// }
///
/// let mut value = RepresentationDescriptor::of::<Distance>().create();
/// assert_eq!(Approach.take(10, Time::from_seconds(0.5), &mut ValueMut::of(&mut value)), Some(Time::from_seconds(0.5)));
/// assert_eq!(value.downcast_ref::<Distance>().unwrap().0, 2.5);
/// ```
pub trait TakenValues: Send {
    /// Fills the value, which holds its default, with that of this run of its cycle, and returns
    /// the time stamp of the newest sample from which it derives. Returns `None` if there is none:
    /// then the last value stays, marked as stale. Called in the order of the runs, by a stepped
    /// robot.
    fn take(&mut self, run: u32, now: Time, value: &mut ValueMut<'_>) -> Option<Time>;
}

/// The taken values of a robot, by representation. The robot is stepped, so the locks are never
/// contended.
#[derive(Clone, Default)]
pub struct Taken(BTreeMap<String, Arc<Mutex<Box<dyn TakenValues>>>>);

/// The taken values of one representation.
#[derive(Clone)]
pub struct TakenRepresentation(Arc<Mutex<Box<dyn TakenValues>>>);

impl Taken {
    pub fn insert(&mut self, representation: String, values: Box<dyn TakenValues>) {
        self.0.insert(representation, Arc::new(Mutex::new(values)));
    }

    /// Returns the representations that are taken.
    pub fn representations(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn of(&self, representation: &str) -> Option<TakenRepresentation> {
        self.0.get(representation).cloned().map(TakenRepresentation)
    }
}

impl TakenRepresentation {
    pub fn take(&self, run: u32, now: Time, value: &mut ValueMut<'_>) -> Option<Time> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(run, now, value)
    }
}
