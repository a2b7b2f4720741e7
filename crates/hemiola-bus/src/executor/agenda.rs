//! What is ready, and which of it comes next.

use super::Priority;
use super::ranks::{NONE, Ranks};
use super::ready::CAPACITY;

/// How an executor chooses among the callbacks that have something to do. None is preempted by another one of its executor.
///
/// ```
/// use hemiola_bus::{Executor, Order, RobotClock};
/// use std::sync::Arc;
///
/// let clock = Arc::new(RobotClock::running(1.0));
/// let baseline = Executor::new("baseline", &clock).order(Order::Ros2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The one of highest priority, looked for anew before each call; those of equal priority take turns.
    #[default]
    Priority,
    /// As ROS 2's single-threaded executor does since Eloquent. When nothing is left of the last look (its polling point), it looks
    /// what is ready, and then calls each of that once: timers first, then subscriptions, in the order in which they were added.
    /// What becomes ready meanwhile waits for the next look. Priorities mean nothing.
    Ros2,
    /// As [`Order::Ros2`], but timers are looked at before each call and can delay everything else: the executor of Crystal, which the
    /// response-time analysis of Casini et al. (ECRTS 2019) is about.
    Ros2Crystal,
}

/// What kind of callback it is: ROS 2's order goes by that first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Timer,
    Message,
}

/// The callbacks by rank, the one to be preferred first, with a bit for each that is ready.
pub(super) struct Agenda {
    order: Order,
    entries: Vec<Entry>,
    /// The rank of each callback, by its number; [`NONE`] if there is none of that number.
    ranks: [u8; CAPACITY],
    /// To be called before anybody looks again; by priority, all that are ready.
    window: Ranks,
    /// In ROS 2's order, ready since the last look.
    later: Ranks,
}

/// A callback, at the place of its rank.
#[derive(Clone, Copy)]
struct Entry {
    index: u8,
    kind: Kind,
    priority: Priority,
    /// The ranks of those with the same priority.
    first: u8,
    last: u8,
    /// At the first of them: whose turn it is.
    turn: u8,
}

impl Agenda {
    pub(super) fn new(order: Order) -> Self {
        Self {
            order,
            entries: Vec::with_capacity(CAPACITY),
            ranks: [NONE; CAPACITY],
            window: Ranks::default(),
            later: Ranks::default(),
        }
    }

    /// Sets the order, while there are no callbacks.
    pub(super) fn set_order(&mut self, order: Order) {
        assert!(self.entries.is_empty(), "the order is chosen before the first callback is added");
        self.order = order;
    }

    pub(super) fn order(&self) -> Order {
        self.order
    }

    /// Adds callback `index`, after all others that are equal to it.
    pub(super) fn insert(&mut self, index: usize, kind: Kind, priority: Priority) {
        let marked = self.unmark_all();
        let entry = Entry { index: index as u8, kind, priority, first: 0, last: 0, turn: 0 };
        let place = match self.order {
            Order::Priority => self.entries.partition_point(|other| other.priority >= priority),
            Order::Ros2 | Order::Ros2Crystal => self.entries.partition_point(|other| other.kind <= kind),
        };
        self.entries.insert(place, entry);
        self.renumber(marked);
    }

    pub(super) fn remove(&mut self, index: usize) {
        let marked = self.unmark_all();
        self.entries.retain(|entry| usize::from(entry.index) != index);
        self.ranks[index] = NONE;
        self.renumber(marked);
    }

    /// Notes that a callback is ready.
    #[inline]
    pub(super) fn mark(&mut self, index: usize) {
        let rank = self.ranks[index];
        self.marks().insert(rank);
    }

    /// Notes that a callback is not ready: it has seen to all for which it was marked.
    #[inline]
    pub(super) fn unmark(&mut self, index: usize) {
        let rank = self.ranks[index];
        self.marks().remove(rank);
    }

    /// Where it is noted who is ready.
    #[inline]
    fn marks(&mut self) -> &mut Ranks {
        match self.order {
            Order::Priority => &mut self.window,
            Order::Ros2 | Order::Ros2Crystal => &mut self.later,
        }
    }

    pub(super) fn is_marked(&self, index: usize) -> bool {
        let rank = self.ranks[index];
        self.window.contains(rank) || self.later.contains(rank)
    }

    /// Notes that a timer's callback is ready.
    #[inline]
    pub(super) fn mark_timer(&mut self, index: usize) {
        match self.order {
            Order::Priority | Order::Ros2 => self.mark(index),
            Order::Ros2Crystal => self.window.insert(self.ranks[index]),
        }
    }

    /// Which callback comes next; it is no longer marked.
    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        if self.order != Order::Priority && self.window.is_empty() {
            self.window = std::mem::take(&mut self.later);
        }
        let best = self.window.first_from(0)?;
        let Entry { first, last, .. } = self.entries[usize::from(best)];
        let rank = if first == last {
            best
        } else {
            // Equal ones take turns: whoever was called goes to the end of the queue.
            let turn = self.entries[usize::from(first)].turn;
            let rank = self.window.first_from(turn).filter(|&rank| rank <= last).unwrap_or(best);
            self.entries[usize::from(first)].turn = rank + 1;
            rank
        };
        self.window.remove(rank);
        Some(usize::from(self.entries[usize::from(rank)].index))
    }

    /// Whether the callback that came out last would come out again if it was marked now, and nobody else.
    #[inline]
    pub(super) fn would_repeat(&self, index: usize) -> bool {
        if self.order != Order::Priority {
            return false;
        }
        // Of those who are marked, nobody is more important; equal ones have a turn.
        let Entry { first, last, .. } = self.entries[usize::from(self.ranks[index])];
        first == last || self.window.first_from(first).is_none_or(|marked| marked > last)
    }

    /// The marked callbacks: those of the window, and the others.
    fn unmark_all(&mut self) -> [Ranks; 2] {
        let indices = |ranks: Ranks, entries: &[Entry]| {
            let mut indices = Ranks::default();
            ranks.each(|rank| indices.insert(entries[usize::from(rank)].index));
            indices
        };
        [std::mem::take(&mut self.window), std::mem::take(&mut self.later)].map(|ranks| indices(ranks, &self.entries))
    }

    fn renumber(&mut self, [window, later]: [Ranks; 2]) {
        let takes_turns = self.order == Order::Priority;
        let mut first = 0;
        for rank in 0..self.entries.len() {
            if rank > 0 && !(takes_turns && self.entries[rank].priority == self.entries[rank - 1].priority) {
                first = rank;
            }
            let entry = &mut self.entries[rank];
            (entry.first, entry.last, entry.turn) = (first as u8, rank as u8, first as u8);
            self.ranks[usize::from(entry.index)] = rank as u8;
            let last = rank as u8;
            self.entries[first..rank].iter_mut().for_each(|equal| equal.last = last);
        }
        window.each(|index| self.window.insert(self.ranks[usize::from(index)]));
        later.each(|index| self.later.insert(self.ranks[usize::from(index)]));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agenda(order: Order, priorities: &[u16]) -> Agenda {
        let mut agenda = Agenda::new(order);
        for (index, &priority) in priorities.iter().enumerate() {
            agenda.insert(index, Kind::Message, Priority(priority));
        }
        agenda
    }

    fn drain(agenda: &mut Agenda) -> Vec<usize> {
        std::iter::from_fn(|| agenda.next()).collect()
    }

    #[test]
    fn the_highest_priority_comes_first_also_when_it_comes_later() {
        let mut agenda = agenda(Order::Priority, &[10, 30, 20]);
        [0, 2].into_iter().for_each(|index| agenda.mark(index));
        assert_eq!(agenda.next(), Some(2));
        agenda.mark(1);
        assert_eq!(drain(&mut agenda), [1, 0]);
    }

    #[test]
    fn equal_priorities_take_turns() {
        let mut agenda = agenda(Order::Priority, &[5, 5, 5, 1]);
        let mut calls = Vec::new();
        for _ in 0..7 {
            // All have more to do all the time.
            (0..4).for_each(|index| agenda.mark(index));
            calls.extend(agenda.next());
        }
        assert_eq!(calls, [0, 1, 2, 0, 1, 2, 0], "and the lower one never");
    }

    #[test]
    fn marks_survive_when_callbacks_come_and_go() {
        let mut agenda = agenda(Order::Priority, &[5, 6, 7]);
        (0..3).for_each(|index| agenda.mark(index));
        agenda.remove(1);
        agenda.insert(3, Kind::Message, Priority(9));
        assert_eq!(drain(&mut agenda), [2, 0]);
    }

    #[test]
    fn what_is_not_there_cannot_be_marked() {
        let mut agenda = agenda(Order::Priority, &[5, 6]);
        agenda.remove(0);
        [0, 77].into_iter().for_each(|index| agenda.mark(index));
        assert_eq!(agenda.next(), None);
    }

    #[test]
    fn ros2_calls_what_it_saw_before_it_looks_again() {
        let mut agenda = agenda(Order::Ros2, &[0, 0]);
        agenda.insert(2, Kind::Timer, Priority(0));
        (0..2).for_each(|index| agenda.mark(index));
        assert_eq!(agenda.next(), Some(0));
        agenda.mark_timer(2);
        agenda.mark(0);
        assert_eq!(drain(&mut agenda), [1, 2, 0]);
    }

    #[test]
    fn in_crystal_a_timer_comes_before_what_was_seen_before() {
        let mut agenda = agenda(Order::Ros2Crystal, &[0, 0]);
        agenda.insert(2, Kind::Timer, Priority(0));
        (0..2).for_each(|index| agenda.mark(index));
        assert_eq!(agenda.next(), Some(0));
        agenda.mark_timer(2);
        agenda.mark(0);
        assert_eq!(drain(&mut agenda), [2, 1, 0]);
    }

    proptest! {
        #[test]
        fn all_that_was_marked_comes_once_by_priority(
            priorities in prop::collection::vec(0_u16..4, 1..CAPACITY),
            marks in prop::collection::vec(any::<prop::sample::Index>(), 0..300),
        ) {
            let mut agenda = agenda(Order::Priority, &priorities);
            let mut marked: Vec<_> = marks.iter().map(|mark| mark.index(priorities.len())).collect();
            marked.iter().for_each(|&index| agenda.mark(index));
            let order = drain(&mut agenda);
            prop_assert!(order.is_sorted_by_key(|&index| std::cmp::Reverse(priorities[index])));
            let mut sorted = order;
            sorted.sort_unstable();
            marked.sort_unstable();
            marked.dedup();
            prop_assert_eq!(sorted, marked);
        }
    }
}
