//! A value whose type only its user knows, in a place of fixed size.
//!
//! # Invariant
//!
//! An `Inline` holds one value of the type that it was made with: in place if it fits, else a box
//! with it. Whoever takes it out names that type, does so once, and does not drop it otherwise: an
//! `Inline` that is dropped forgets its value.
#![expect(unsafe_code, reason = "values of any type in places of one size")]

use std::mem::MaybeUninit;

#[repr(transparent)]
pub(super) struct Inline<const WORDS: usize>(MaybeUninit<[usize; WORDS]>);

impl<const WORDS: usize> Inline<WORDS> {
    /// Returns whether values of this type need no box.
    pub(super) const fn fits<T>() -> bool {
        size_of::<T>() <= size_of::<[usize; WORDS]>() && align_of::<T>() <= align_of::<usize>()
    }

    #[inline]
    pub(super) fn new<T>(value: T) -> Self {
        let mut inline = MaybeUninit::uninit();
        Self::write(&mut inline, value);
        // SAFETY: any words will do, and those of the value are written.
        unsafe { inline.assume_init() }
    }

    /// Writes a value into its place: a few words are written once instead of all of them twice.
    #[inline]
    pub(super) fn write<T>(place: &mut MaybeUninit<Self>, value: T) {
        const { assert!(WORDS > 0, "a box takes one word") };
        // SAFETY: the place is large and aligned enough for the value or its box.
        unsafe {
            if Self::fits::<T>() {
                place.as_mut_ptr().cast::<T>().write(value);
            } else {
                place.as_mut_ptr().cast::<Box<T>>().write(Box::new(value));
            }
        }
    }

    /// Takes the value out.
    ///
    /// # Safety
    /// It was made with a value of this type, which was not taken yet.
    #[inline]
    pub(super) unsafe fn take<T>(&mut self) -> T {
        // SAFETY: a value of this type is there (see above), in place or in a box by the same rule
        // as when it was made.
        unsafe {
            if Self::fits::<T>() {
                self.0.as_ptr().cast::<T>().read()
            } else {
                *self.0.as_ptr().cast::<Box<T>>().read()
            }
        }
    }
}
