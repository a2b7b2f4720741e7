//! The numbers of the calls that have arrived.

/// The numbers of the calls that have arrived, so that no call is served twice: over UDP, a request
/// may arrive twice, or after a later one. A number far below the newest counts as one that has
/// arrived.
#[derive(Debug, Default)]
pub struct Window {
    newest: u64,
    /// Bit `n` is set if the call `newest - n` has arrived.
    come: u64,
}

impl Window {
    /// Notes that a call has arrived. Returns `false` if it had arrived before.
    pub fn is_new(&mut self, call: u64) -> bool {
        if let Some(ahead @ 1..) = call.checked_sub(self.newest) {
            let before = u32::try_from(ahead).ok().and_then(|ahead| self.come.checked_shl(ahead));
            (self.newest, self.come) = (call, before.unwrap_or_default() | 1);
            return true;
        }
        let bit = u32::try_from(self.newest - call).ok().and_then(|age| 1_u64.checked_shl(age));
        let is_new = bit.is_some_and(|bit| self.come & bit == 0);
        self.come |= bit.unwrap_or_default();
        is_new
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_comes_is_new_once(calls in prop::collection::vec(prop_oneof![0..200_u64, any::<u64>()], 0..200)) {
            let (mut window, mut come) = (Window::default(), BTreeSet::new());
            for call in calls {
                let newest = come.last().copied().unwrap_or_default();
                let is_new = window.is_new(call);
                prop_assert!(!is_new || !come.contains(&call));
                if call.checked_add(64).is_some_and(|beyond| beyond > newest) {
                    prop_assert_eq!(is_new, !come.contains(&call));
                }
                come.insert(call);
            }
        }
    }

    #[test]
    fn calls_that_overtake_each_other_are_all_served() {
        let mut window = Window::default();
        assert_eq!(
            [2, 1, 3, 2, 66, 3, 4, 1].map(|call| window.is_new(call)),
            [true, true, true, false, true, false, true, false]
        );
    }
}
