//! A stack of boxes to which any thread posts and from which one thread takes all at once. Outlets
//! reach a cycle through it while the cycle runs, and come back through another.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | a thread that posts | lets its box point to the top one, then makes it the top one, unless another box has become the top meanwhile | release: the thread that takes the box sees what is in it |
//! | the thread that takes | checks whether there is a top one | relaxed: the next check finds it |
//! | the thread that takes | makes none the top one | acquire |
//!
//! Boxes are taken all at once, so that none can come back to the top while another thread accesses
//! it. Neither side allocates or frees, and the thread that takes never waits. That is the
//! invariant behind the `unsafe` blocks: a box belongs to the thread that posts it until it is the
//! top one, to the stack until the top is taken, and then to the thread that has taken it.

#![expect(unsafe_code, reason = "boxes pass from thread to thread as pointers; see the invariant")]

use std::ptr;

use crate::sync::{AtomicPtr, Ordering};

/// A box of a list or a stack.
pub struct Node<T> {
    pub item: T,
    /// The next box of a list.
    pub next: Option<Box<Node<T>>>,
    /// The box below in a stack.
    below: *mut Node<T>,
}

// SAFETY: the pointer leads to what belongs to the stack, see the module.
unsafe impl<T: Send> Send for Node<T> {}

impl<T> Node<T> {
    pub fn new(item: T) -> Box<Self> {
        Box::new(Self { item, next: None, below: ptr::null_mut() })
    }
}

/// A stack of boxes that any thread posts.
pub struct Stack<T> {
    top: AtomicPtr<Node<T>>,
}

// SAFETY: it passes boxes from thread to thread, each to one.
unsafe impl<T: Send> Send for Stack<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Stack<T> {}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Self { top: AtomicPtr::new(ptr::null_mut()) }
    }
}

impl<T> Stack<T> {
    /// Posts a box.
    pub fn post(&self, node: Box<Node<T>>) {
        let node = Box::into_raw(node);
        let mut top = self.top.load(Ordering::Relaxed);
        loop {
            // SAFETY: it is not the top one yet.
            unsafe { (*node).below = top };
            match self.top.compare_exchange_weak(top, node, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => top = other,
            }
        }
    }

    /// Returns whether the stack is empty, as far as is known, by one load.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.top.load(Ordering::Relaxed).is_null()
    }

    /// Takes all boxes, as a list in the order in which they were posted.
    pub fn take_all(&self) -> Option<Box<Node<T>>> {
        let mut top = self.top.swap(ptr::null_mut(), Ordering::Acquire);
        let mut list = None;
        while !top.is_null() {
            // SAFETY: it was posted as a box, and has been taken by this alone.
            let mut node = unsafe { Box::from_raw(top) };
            top = std::mem::replace(&mut node.below, ptr::null_mut());
            node.next = list;
            list = Some(node);
        }
        list
    }
}

impl<T> Drop for Stack<T> {
    fn drop(&mut self) {
        let mut list = self.take_all();
        // Nodes are dropped one by one: a long list would need a deep stack.
        while let Some(mut node) = list {
            list = node.next.take();
        }
    }
}

#[cfg(all(test, loom))]
mod tests {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    #[test]
    fn loom_each_box_is_taken_once_and_those_of_one_thread_in_their_order() {
        loom::model(|| {
            let stack = Arc::new(Stack::default());
            let poster = thread::spawn({
                let stack = stack.clone();
                move || (1..=2).for_each(|number| stack.post(Node::new(number)))
            });
            stack.post(Node::new(10));
            let mut taken = Vec::new();
            let mut take = |stack: &Stack<u32>| {
                let mut list = stack.take_all();
                while let Some(mut node) = list {
                    list = node.next.take();
                    taken.push(node.item);
                }
            };
            take(&stack);
            poster.join().unwrap();
            take(&stack);
            assert_eq!(taken.iter().filter(|number| **number < 10).collect::<Vec<_>>(), [&1, &2]);
            assert_eq!(taken.len(), 3);
        });
    }
}
