//! Curves and marks that updates add to a trace.

use super::{
    Writer,
    encoder::{Details, Track, Unit, Value},
};
use crate::{clock::Ticks, error::Error};
use std::{borrow::Cow, io::Write};

impl<W: Write> Writer<W> {
    /// Adds a point to the curve of that name, a counter of the process. A value that is not a
    /// number is skipped, and so are all curves after the 65,536th.
    ///
    /// # Errors
    /// Returns an error if writing to the sink fails.
    pub fn plot(&mut self, at: Ticks, name: &str, value: f64) -> Result<(), Error> {
        let curve = match self.curves.get(name) {
            Some(curve) => *curve,
            None => {
                let Ok(curve) = u16::try_from(self.curves.len()) else { return Ok(()) };
                self.curves.insert(name.to_owned(), curve);
                curve
            }
        };
        if !value.is_finite() {
            return Ok(());
        }
        let track = Track::Curve(curve);
        self.encoder.describe(track, |track| track.counter(Track::Process, name, Unit::Named("")));
        self.encoder.counter(track, self.scale.nanoseconds(at), Value::Real(value));
        self.write()
    }

    /// Adds a mark, on a track that all marks share.
    ///
    /// # Errors
    /// Returns an error if writing to the sink fails.
    pub fn annotate(&mut self, at: Ticks, update: &str, name: &str, words: &str) -> Result<(), Error> {
        self.encoder.describe(Track::Annotations, |track| track.child(Track::Process, "annotations", 0));
        let (words, update) = (Value::Text(Cow::Borrowed(words)), Value::Text(Cow::Borrowed(update)));
        let details = Details::annotated([("text", words), ("update", update)]);
        self.encoder.instant(Track::Annotations, self.scale.nanoseconds(at), name, &details);
        self.write()
    }
}
