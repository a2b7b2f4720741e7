use hemiola_model::{Time, ValueMut};

/// A feed of samples that do not come from the world: a recording that replaces a source
/// ([`Course::feeding`](crate::Course::feeding)).
///
/// ```
/// use hemiola_model::{RepresentationDescriptor, Time, ValueMut};
/// use hemiola_runtime::Feed;
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Distance(f32);
/// # impl Representation for Distance { const NAME: &'static str = "Distance"; fn form() -> Form<Self> { Form::opaque() } }
///
/// /// A wall that comes closer, ten times a second.
/// struct Approach(std::ops::Range<u32>);
///
/// impl Feed for Approach {
///     fn sample(&mut self, values: &mut [ValueMut<'_>]) -> Result<Option<Time>, String> {
///         let Some(number) = self.0.next() else { return Ok(None) };
///         let distance = values.iter_mut().find_map(|value| value.downcast_mut::<Distance>());
///         *distance.ok_or("the source provides no Distance")? = Distance(3.0 - 0.1 * number as f32);
///         Ok(Some(Time::from_seconds(0.1 * f64::from(number))))
///     }
/// }
///
/// let mut value = RepresentationDescriptor::of::<Distance>().create();
/// assert_eq!(Approach(5..9).sample(&mut [ValueMut::of(&mut value)]), Ok(Some(Time::from_seconds(0.5))));
/// assert_eq!(value.downcast_ref::<Distance>().unwrap().0, 2.5);
/// ```
pub trait Feed: Send {
    /// Fills all values that the source provides, which hold their defaults, with the next sample;
    /// returns its time stamp, or `None` if there are no more. Called on the source's own thread,
    /// ahead of that time.
    ///
    /// # Errors
    /// Returns an error with the reason if there is no sample this time; the next may come.
    fn sample(&mut self, values: &mut [ValueMut<'_>]) -> Result<Option<Time>, String>;

    /// Returns the number of the last sample, among all that the source took; samples that are not
    /// in the recording leave a gap. Needed to follow a [`Script`](crate::Script); without it, no
    /// sample is missing.
    fn number(&self) -> Option<u32> {
        None
    }

    /// Returns the time at which the value was sampled if the last sample only repeats it, marked
    /// as stale, or else `None`. The time of such a sample is that at which the feeder was lost.
    fn lapsed(&self) -> Option<Time> {
        None
    }
}
