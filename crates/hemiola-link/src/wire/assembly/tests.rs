use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Returns a message of this length, different from others of other numbers.
fn message(length: usize, number: u64) -> Vec<u8> {
    (0..length).map(|place| (place as u64 % 251 + number) as u8).collect()
}

/// Returns the fragments of a message.
fn fragments(topic: u32, sequence: u64, frame: &[u8]) -> Vec<Fragment<'_>> {
    let length = frame.len() as u32;
    let pieces = frame.chunks(PIECE).zip(0..);
    pieces.map(|(bytes, index)| Fragment { topic, sequence, length, index, bytes }).collect()
}

fn is_in_order(assembly: &Assembly) -> bool {
    let bytes =
        |unfinished: &Unfinished| unfinished.front.len() + unfinished.ahead.values().map(Vec::len).sum::<usize>();
    let is_counted = assembly.unfinished.iter().all(|unfinished| unfinished.held == bytes(unfinished));
    is_counted && assembly.held == assembly.unfinished.iter().map(bytes).sum::<usize>() && assembly.held <= MOST_HELD
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_message_is_there_as_soon_as_all_of_it_has_come_in_any_order_and_however_often(
        length in 1..5 * PIECE,
        arrivals in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let whole = message(length, 1);
        let fragments = fragments(3, 1, &whole);
        let (mut assembly, mut come) = (Assembly::default(), BTreeSet::new());
        for arrival in arrivals {
            let index = arrival.index(fragments.len());
            come.insert(index);
            let finished = assembly.add(&fragments[index]);
            if come.len() == fragments.len() {
                prop_assert_eq!(finished.as_ref(), Some(&whole));
                come.clear();
            } else {
                prop_assert_eq!(finished, None);
            }
            prop_assert!(is_in_order(&assembly));
        }
    }

    #[test]
    fn of_many_messages_each_comes_exactly_or_not_at_all_and_few_are_kept(
        lengths in prop::collection::vec(1..3 * PIECE, 12),
        arrivals in prop::collection::vec((0..12_usize, any::<prop::sample::Index>(), 0..20_u8), 0..120),
    ) {
        let messages: Vec<_> = lengths.iter().zip(0..).map(|(length, number)| message(*length, number)).collect();
        let mut assembly = Assembly::default();
        for (number, piece, other) in arrivals {
            let (topic, sequence) = (number as u32 % 3, number as u64);
            let fragments = fragments(topic, sequence, &messages[number]);
            if let Some(whole) = assembly.add(&fragments[piece.index(fragments.len())]) {
                prop_assert_eq!(&whole, &messages[number]);
            }
            if other == 0 {
                assembly.forget(topic, sequence);
                prop_assert!(assembly.unfinished.iter().all(|it| it.topic != topic || it.sequence > sequence));
            }
            prop_assert!(is_in_order(&assembly));
            prop_assert!((0..3).all(|topic| assembly.unfinished.iter().filter(|it| it.topic == topic).count() <= 2));
        }
    }
}

#[test]
fn what_a_fragment_claims_takes_no_memory() {
    let mut assembly = Assembly::default();
    let claim =
        Fragment { topic: 0, sequence: 1, length: (LONGEST_FRAME - PIECE + 1) as u32, index: 2047, bytes: &[9] };
    assert_eq!(assembly.add(&claim), None);
    let [unfinished] = assembly.unfinished.make_contiguous() else { panic!("one is begun") };
    assert_eq!((unfinished.front.capacity(), unfinished.ahead.len(), assembly.held), (0, 1, 1));
}

#[test]
fn the_oldest_are_dropped_when_a_peer_holds_too_much() {
    let (frame, mut assembly) = (message(16 << 20, 1), Assembly::default());
    // The last fragment of each of five messages of a quarter of the limit is missing.
    for topic in 0..5 {
        let fragments = fragments(topic, 1, &frame);
        let (_, first) = fragments.split_last().unwrap();
        assert!(first.iter().all(|fragment| assembly.add(fragment).is_none()));
        assert!(is_in_order(&assembly));
    }
    let finishes = |assembly: &mut Assembly, topic| assembly.add(fragments(topic, 1, &frame).last().unwrap());
    assert_eq!([0, 1, 4].map(|topic| finishes(&mut assembly, topic).is_some()), [false, true, true]);
}

#[test]
fn fragments_of_different_lengths_are_of_different_messages() {
    let (one, other, mut assembly) = (message(PIECE + 10, 1), message(PIECE + 20, 2), Assembly::default());
    let (one_of, other_of) = (fragments(0, 1, &one), fragments(0, 1, &other));
    assert_eq!([&one_of[0], &other_of[1]].map(|fragment| assembly.add(fragment)), [None, None]);
    assert_eq!(assembly.add(&other_of[0]), Some(other));
    assert_eq!(assembly.add(&one_of[1]), Some(one));
}
