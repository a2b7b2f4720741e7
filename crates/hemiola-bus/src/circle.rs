//! A ring of places for numbers that only grow.
#![expect(unsafe_code, reason = "a masked number needs no check that there is such a place")]

/// A ring in which number n lies in place n, modulo the number of places: a power of two, so that
/// this takes no division, nor a check.
pub struct Circle<T> {
    places: Box<[T]>,
}

impl<T> Circle<T> {
    /// Creates a ring of at least `least` places.
    ///
    /// # Panics
    /// Panics if there is no power of two that large.
    pub fn new(least: usize, make: impl FnMut() -> T) -> Self {
        // This is not `next_power_of_two`, which gives zero for what is too much.
        let places = least.max(1).checked_next_power_of_two().expect("a capacity is less than half of all numbers");
        Self { places: std::iter::repeat_with(make).take(places).collect() }
    }

    /// Returns how many places there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the place in which a number lies.
    #[inline]
    pub fn at(&self, number: u64) -> &T {
        let place = number as usize & (self.places.len() - 1);
        // SAFETY: there is a power of two of places, at least one; less one it is the greatest
        // index, and masks all above it.
        unsafe { self.places.get_unchecked(place) }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "less than half of all numbers"]
    fn more_places_than_there_can_be_are_refused() {
        Circle::new(usize::MAX, || ());
    }

    #[test]
    fn numbers_go_round_in_at_least_so_many_places() {
        for (least, places) in [(0, 1), (1, 1), (2, 2), (3, 4), (1000, 1024)] {
            let mut numbers = 0..;
            let circle = Circle::new(least, || numbers.next().unwrap());
            assert_eq!(circle.len() as u64, places);
            for number in (0..2 * places).chain(u64::MAX - places..=u64::MAX) {
                assert_eq!(*circle.at(number), number % places);
            }
        }
    }
}
