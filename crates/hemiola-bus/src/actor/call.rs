//! A call on its way, and the result on its way back: values of any type in places of one size.
//!
//! # Invariant
//! The function pointer beside an [`Inline`] was made for the type that is in there. A `Call` or
//! `Answer` that exists holds its value: whoever takes that out does not let the `Call` or `Answer`
//! be dropped.
#![expect(unsafe_code, reason = "calls and answers of any type in places of one size")]

use super::inline::Inline;
use super::report::Figures;
use crate::exchange::Taken;
use crate::reply::Answerer;
use hemiola_trace::Ticks;
use std::mem::{ManuallyDrop, MaybeUninit};

/// A call as a handle sends it.
pub(super) trait Task<S>: Send + 'static {
    fn run(self, state: &mut S, figures: &Figures);
}

/// A call whose result nobody waits for.
pub(super) struct Order<F>(pub(super) F);

/// A call whose result somebody waits for.
pub(super) struct Question<F> {
    pub(super) call: F,
    pub(super) answerer: Answerer<Answer>,
}

/// A task that records how long it waited.
pub(super) struct Timed<T> {
    pub(super) task: T,
    sent: Ticks,
}

impl<T> Timed<T> {
    /// `true` if the stamp does not make the task need a box that it would not need without.
    pub(super) const FITS: bool = Inline::<7>::fits::<Self>() == Inline::<7>::fits::<T>();

    pub(super) fn now(task: T) -> Self {
        Timed { task, sent: Ticks::now() }
    }
}

impl<S, T: Task<S>> Task<S> for Timed<T> {
    fn run(self, state: &mut S, figures: &Figures) {
        figures.note_wait(self.sent);
        self.task.run(state, figures);
    }
}

impl<S, F: FnOnce(&mut S) + Send + 'static> Task<S> for Order<F> {
    #[inline]
    fn run(self, state: &mut S, _: &Figures) {
        (self.0)(state);
    }
}

impl<S, R: Send + 'static, F: FnOnce(&mut S) -> R + Send + 'static> Task<S> for Question<F> {
    fn run(self, state: &mut S, _: &Figures) {
        let Question { call, answerer } = self;
        answerer.answer(Answer::new(call(state)));
    }
}

/// A task of any type. It fills one cache line: 48 bytes of captures, who waits for the result, and
/// what to do.
#[repr(align(64))]
pub(super) struct Call<S> {
    task: Inline<7>,
    /// Moves the task out, and runs it if there is something to run it on.
    invoke: unsafe fn(&mut Inline<7>, Option<(&mut S, &Figures)>),
}

// SAFETY: it holds nothing but a task, and tasks are Send.
unsafe impl<S> Send for Call<S> {}

/// # Safety
/// There is a task of type `T` in `task`, which is not used afterwards.
unsafe fn invoke<S, T: Task<S>>(task: &mut Inline<7>, actor: Option<(&mut S, &Figures)>) {
    // SAFETY: that is what the caller promises.
    let task: T = unsafe { task.take() };
    if let Some((state, figures)) = actor {
        task.run(state, figures);
    }
}

impl<S> Call<S> {
    /// Writes a call into the place where it will lie.
    #[inline]
    pub(super) fn write<T: Task<S>>(place: &mut MaybeUninit<Self>, task: T) {
        let call = place.as_mut_ptr();
        // SAFETY: the fields are in the place; an uninitialised `Inline` is one as good as any.
        unsafe {
            (&raw mut (*call).invoke).write(invoke::<S, T>);
            Inline::<7>::write(&mut *(&raw mut (*call).task).cast(), task);
        }
    }

    /// Executes the call in the place where it lies.
    #[inline]
    pub(super) fn run(call: Taken<'_, Self>, state: &mut S, figures: &Figures) {
        let call = call.forget();
        // SAFETY: `invoke` was made for the task, which is in there, and nobody uses it after this.
        unsafe { (call.invoke)(&mut call.task, Some((state, figures))) };
    }

    /// # Safety
    /// The call was made with a task of type `T`.
    pub(super) unsafe fn into_task<T: Task<S>>(self) -> T {
        // SAFETY: the caller knows the type; the task is in there, and is not dropped with the
        // call.
        unsafe { ManuallyDrop::new(self).task.take() }
    }
}

impl<S> Drop for Call<S> {
    fn drop(&mut self) {
        // SAFETY: `invoke` was made for the task, which is in there, and nobody uses it after this.
        unsafe { (self.invoke)(&mut self.task, None) };
    }
}

/// A result of any type: up to 64 bytes in place, more in a box.
pub(crate) struct Answer {
    value: Inline<8>,
    discard: unsafe fn(&mut Inline<8>),
}

// SAFETY: it holds nothing but a value that is Send: `new` asks for that.
unsafe impl Send for Answer {}

/// # Safety
/// There is a value of type `R` in `value`, which is not used afterwards.
unsafe fn discard<R>(value: &mut Inline<8>) {
    // SAFETY: that is what the caller promises.
    drop(unsafe { value.take::<R>() });
}

impl Answer {
    fn new<R: Send + 'static>(value: R) -> Self {
        Answer { value: Inline::new(value), discard: discard::<R> }
    }

    /// # Safety
    /// The answer was made with a value of type `R`.
    pub(super) unsafe fn into_value<R>(self) -> R {
        // SAFETY: the caller knows the type; the value is in there, and is not dropped with the
        // answer.
        unsafe { ManuallyDrop::new(self).value.take() }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // SAFETY: `discard` was made for the value, which is in there, and nobody uses it after
        // this.
        unsafe { (self.discard)(&mut self.value) };
    }
}
