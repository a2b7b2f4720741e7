//! The set of callbacks that are ready, and the choice of the next one.
//!
//! A callback that is alone with its priority needs a bit to be found. Those that share one wait in
//! a line, by the arrival of what each is to be called for next. A message that took the place of
//! one that was dropped keeps that one's place in the line.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Priority;
use super::ranks::{NONE, Ranks};
use crate::ready::CAPACITY;

/// The order in which an executor chooses among the callbacks that have something to do. None is
/// preempted by another one of its executor.
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
    /// Runs the callback of highest priority, chosen anew before each call; of those with equal
    /// priority, the one whose next message, call or tick arrived first.
    #[default]
    Priority,
    /// Runs callbacks in the order of ROS 2's single-threaded executor since Eloquent. When nothing
    /// is left of the last look (its polling point), it checks what is ready, and then calls each
    /// of that once: timers first, then subscriptions, in the order in which they were added. What
    /// becomes ready meanwhile waits for the next look. Priorities mean nothing.
    Ros2,
    /// Runs callbacks in the order of [`Order::Ros2`], but timers are checked before each call and
    /// can delay everything else: the executor of Crystal, which the response-time analysis of
    /// Casini et al. (ECRTS 2019) is about.
    Ros2Crystal,
}

/// The number (see [`ready`](crate::ready)) of the arrival for which a callback is to be called.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arrival {
    Known(u64),
    /// The number of the present moment: perhaps nothing has arrived yet.
    Guessed(u64),
}

/// The kind of a callback, by which ROS 2's order sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Timer,
    Message,
}

/// The callbacks by rank, the most preferred first, with a bit for each that is ready.
pub(super) struct Agenda {
    order: Order,
    entries: Vec<Entry>,
    /// The rank of each callback, by its number; [`NONE`] if no callback has that number.
    ranks: [u8; CAPACITY],
    /// The callbacks to be called before the next look; in the order of priority, all that are
    /// ready.
    window: Ranks,
    /// The callbacks of the window that share their priority with others; used by
    /// [`Order::Priority`] only.
    line: BinaryHeap<Reverse<Place>>,
    /// The callbacks that became ready since the last look; used by ROS 2's orders only.
    later: Ranks,
}

/// A callback, stored at the place of its rank.
#[derive(Clone, Copy)]
struct Entry {
    index: u8,
    kind: Kind,
    priority: Priority,
    /// The first and the last rank of those with the same priority.
    first: u8,
    last: u8,
}

/// A place in the line: the lowest is served first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The rank of the first callback of the same priority.
    first: u8,
    arrival: u64,
    index: u8,
    is_guess: bool,
}

impl Entry {
    fn is_alone(&self) -> bool {
        self.first == self.last
    }
}

impl Agenda {
    pub(super) fn new(order: Order) -> Self {
        Self {
            order,
            entries: Vec::with_capacity(CAPACITY),
            ranks: [NONE; CAPACITY],
            window: Ranks::default(),
            line: BinaryHeap::with_capacity(CAPACITY),
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

    /// Adds callback `index`, after all others that are equal to it. One of those that was marked
    /// and alone until now must [line up](Self::line_up).
    pub(super) fn insert(&mut self, index: usize, kind: Kind, priority: Priority) {
        let marked = self.unmark_all();
        let entry = Entry { index: index as u8, kind, priority, first: 0, last: 0 };
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
        self.line.retain(|Reverse(place)| usize::from(place.index) != index);
        self.ranks[index] = NONE;
        self.renumber(marked);
    }

    /// Returns whether the order of arrival matters for callback `index` if it is marked now.
    #[inline]
    pub(super) fn lines_up(&self, index: usize) -> bool {
        let rank = self.ranks[index];
        self.order == Order::Priority
            && rank != NONE
            && !self.entries[usize::from(rank)].is_alone()
            && !self.window.contains(rank)
    }

    /// Returns the callback that was alone with its priority before `index` came, if it is marked.
    pub(super) fn lonely_before(&self, index: usize) -> Option<usize> {
        let Entry { first, last, .. } = self.entries[usize::from(self.ranks[index])];
        let lonely = self.order == Order::Priority && last - first == 1 && self.window.contains(first);
        lonely.then(|| usize::from(self.entries[usize::from(first)].index))
    }

    /// Marks a callback as ready, with the arrival of what it is to be called for.
    pub(super) fn line_up(&mut self, index: usize, arrival: Arrival) {
        let rank = self.ranks[index];
        self.window.insert(rank);
        let (arrival, is_guess) = match arrival {
            Arrival::Known(arrival) => (arrival, false),
            Arrival::Guessed(arrival) => (arrival, true),
        };
        let first = self.entries[usize::from(rank)].first;
        self.line.push(Reverse(Place { first, arrival, index: index as u8, is_guess }));
    }

    /// Marks a callback as ready that does not [line up](Self::lines_up).
    #[inline]
    pub(super) fn mark(&mut self, index: usize) {
        let rank = self.ranks[index];
        self.marks().insert(rank);
    }

    /// Marks a callback as not ready: it has handled all for which it was marked, and has not been
    /// marked since it [came out](Self::next).
    #[inline]
    pub(super) fn unmark(&mut self, index: usize) {
        let rank = self.ranks[index];
        if self.order != Order::Priority {
            self.later.remove(rank);
        }
    }

    /// Returns the set in which ready callbacks are marked.
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

    /// Marks a timer's callback as ready.
    #[inline]
    pub(super) fn mark_timer(&mut self, index: usize) {
        match self.order {
            Order::Priority | Order::Ros2 => self.mark(index),
            Order::Ros2Crystal => self.window.insert(self.ranks[index]),
        }
    }

    /// Returns the callback that comes next, and whether its place is a guess. It is no longer
    /// marked.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(usize, bool)> {
        if self.order != Order::Priority && self.window.is_empty() {
            self.window = std::mem::take(&mut self.later);
        }
        let best = self.window.first_from(0)?;
        let Entry { index, first, last, .. } = self.entries[usize::from(best)];
        if first != last {
            return self.next_in_line();
        }
        self.window.remove(best);
        Some((usize::from(index), false))
    }

    /// Returns the first of the line. As the best of all ready callbacks lines up, no other is more
    /// important.
    #[inline(never)]
    fn next_in_line(&mut self) -> Option<(usize, bool)> {
        let Reverse(Place { index, is_guess, .. }) = self.line.pop()?;
        self.window.remove(self.ranks[usize::from(index)]);
        Some((usize::from(index), is_guess))
    }

    /// Returns whether the callback that came out last would come out again if it, and no other,
    /// was marked now.
    #[inline]
    pub(super) fn would_repeat(&self, index: usize) -> bool {
        if self.order != Order::Priority {
            return false;
        }
        // None of the marked callbacks is more important, but equal ones may have arrived before.
        let Entry { first, last, .. } = self.entries[usize::from(self.ranks[index])];
        first == last || self.window.first_from(first).is_none_or(|marked| marked > last)
    }

    /// Removes all marks and returns the callbacks that had them: those of the window, and the
    /// others.
    fn unmark_all(&mut self) -> [Ranks; 2] {
        let indices = |ranks: Ranks, entries: &[Entry]| {
            let mut indices = Ranks::default();
            ranks.each(|rank| indices.insert(entries[usize::from(rank)].index));
            indices
        };
        [std::mem::take(&mut self.window), std::mem::take(&mut self.later)].map(|ranks| indices(ranks, &self.entries))
    }

    fn renumber(&mut self, [window, later]: [Ranks; 2]) {
        let lines_up = self.order == Order::Priority;
        let mut first = 0;
        for rank in 0..self.entries.len() {
            if rank > 0 && !(lines_up && self.entries[rank].priority == self.entries[rank - 1].priority) {
                first = rank;
            }
            let entry = &mut self.entries[rank];
            (entry.first, entry.last) = (first as u8, rank as u8);
            self.ranks[usize::from(entry.index)] = rank as u8;
            let last = rank as u8;
            self.entries[first..rank].iter_mut().for_each(|equal| equal.last = last);
        }
        let Self { line, entries, ranks, .. } = self;
        // Those who shared a priority and are alone now need no place in the line, whose memory is
        // reused.
        let mut waiting = std::mem::take(line).into_vec();
        waiting.retain_mut(|Reverse(place)| {
            let entry = &entries[usize::from(ranks[usize::from(place.index)])];
            place.first = entry.first;
            !entry.is_alone()
        });
        *line = waiting.into();
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
        std::iter::from_fn(|| agenda.next()).map(|(index, _)| index).collect()
    }

    #[test]
    fn the_highest_priority_comes_first_also_when_it_comes_later() {
        let mut agenda = agenda(Order::Priority, &[10, 30, 20]);
        [0, 2].into_iter().for_each(|index| agenda.mark(index));
        assert_eq!(agenda.next(), Some((2, false)));
        agenda.mark(1);
        assert_eq!(drain(&mut agenda), [1, 0]);
    }

    #[test]
    fn equal_priorities_are_served_in_the_order_of_arrival() {
        let mut agenda = agenda(Order::Priority, &[5, 5, 5, 1]);
        agenda.mark(3);
        [(1, 10), (2, 11), (0, 12)]
            .into_iter()
            .for_each(|(index, arrival)| agenda.line_up(index, Arrival::Known(arrival)));
        assert_eq!(agenda.next(), Some((1, false)));
        // The callback has another message, which came before those of the others.
        agenda.line_up(1, Arrival::Known(9));
        assert_eq!(drain(&mut agenda), [1, 2, 0, 3]);
    }

    #[test]
    fn places_in_line_survive_when_callbacks_come_and_go() {
        let mut agenda = agenda(Order::Priority, &[5, 5, 5, 7]);
        [(2, 1), (1, 2), (0, 3)]
            .into_iter()
            .for_each(|(index, arrival)| agenda.line_up(index, Arrival::Known(arrival)));
        agenda.mark(3);
        agenda.insert(4, Kind::Timer, Priority(7));
        assert_eq!(agenda.lonely_before(4), Some(3));
        agenda.line_up(3, Arrival::Known(9));
        agenda.line_up(4, Arrival::Known(8));
        agenda.remove(1);
        assert_eq!(drain(&mut agenda), [4, 3, 2, 0]);
    }

    #[test]
    fn who_is_left_alone_with_its_priority_needs_no_place_in_line() {
        let mut agenda = agenda(Order::Priority, &[5, 5]);
        agenda.line_up(0, Arrival::Known(2));
        agenda.remove(1);
        agenda.insert(2, Kind::Timer, Priority(5));
        assert_eq!(agenda.lonely_before(2), Some(0));
        agenda.line_up(0, Arrival::Known(2));
        agenda.line_up(2, Arrival::Known(1));
        assert_eq!(drain(&mut agenda), [2, 0]);
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
        assert_eq!(agenda.next(), Some((0, false)));
        agenda.mark_timer(2);
        agenda.mark(0);
        assert_eq!(drain(&mut agenda), [1, 2, 0]);
    }

    #[test]
    fn in_crystal_a_timer_comes_before_what_was_seen_before() {
        let mut agenda = agenda(Order::Ros2Crystal, &[0, 0]);
        agenda.insert(2, Kind::Timer, Priority(0));
        (0..2).for_each(|index| agenda.mark(index));
        assert_eq!(agenda.next(), Some((0, false)));
        agenda.mark_timer(2);
        agenda.mark(0);
        assert_eq!(drain(&mut agenda), [2, 1, 0]);
    }

    proptest! {
        #[test]
        fn all_that_was_marked_comes_once_by_priority_then_arrival(
            priorities in prop::collection::vec(0_u16..4, 1..CAPACITY),
            marks in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..300),
        ) {
            let mut agenda = agenda(Order::Priority, &priorities);
            let mut expected: Vec<(std::cmp::Reverse<u16>, u64, usize)> = Vec::new();
            for (mark, arrival) in marks {
                let index = mark.index(priorities.len());
                let lines_up = agenda.lines_up(index);
                let alone = priorities.iter().filter(|&&other| other == priorities[index]).count() == 1;
                prop_assert!(!(alone && lines_up));
                if lines_up {
                    agenda.line_up(index, Arrival::Known(arrival));
                } else {
                    agenda.mark(index);
                }
                if expected.iter().all(|&(.., other)| other != index) {
                    expected.push((std::cmp::Reverse(priorities[index]), if alone { 0 } else { arrival }, index));
                }
            }
            expected.sort_unstable();
            prop_assert_eq!(drain(&mut agenda), expected.iter().map(|&(.., index)| index).collect::<Vec<_>>());
        }
    }
}
