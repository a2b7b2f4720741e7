use proptest::prelude::*;

use super::*;

/// A frame that owns its texts and bytes.
#[derive(Clone, Debug)]
struct Owned {
    kind: u8,
    topic: u32,
    answer: Answer,
    why: NoAnswer,
    sequence: u64,
    time: i64,
    others: [i64; 2],
    texts: [String; 4],
    cdr: Vec<u8>,
}

impl Owned {
    fn frame(&self) -> Frame<'_> {
        let [name, schema, hash, definition] = &self.texts;
        match self.kind {
            HELLO => Frame::Hello { version: VERSION + (self.sequence % 3) as u32, robot: name },
            OFFER => {
                let kinds = [
                    OfferKind::Topic,
                    OfferKind::Representation,
                    OfferKind::ServiceRequests,
                    OfferKind::ServiceAnswers,
                ];
                let kind = kinds[self.sequence as usize % 4];
                Frame::Offer(Offer { topic: self.topic, kind, name, schema, hash, definition })
            }
            ANSWER => Frame::Answer { topic: self.topic, answer: self.answer, reason: name },
            MESSAGE | VALUE => Frame::Message(Message {
                topic: self.topic,
                sequence: self.sequence,
                time: self.time,
                stamp: (self.kind == VALUE).then_some(self.others[0]),
                cdr: &self.cdr,
            }),
            PING => Frame::Ping { left: self.time },
            REQUEST => Frame::Request(Request { topic: self.topic, call: self.sequence, cdr: &self.cdr }),
            RESPONSE => Frame::Response(Response { call: self.sequence, cdr: &self.cdr }),
            REFUSAL => Frame::Refusal { call: self.sequence, why: self.why, reason: name },
            MEMORY => Frame::Memory { bytes: self.sequence, word: self.topic },
            LENT_MESSAGE | LENT_VALUE => {
                let stamp = (self.kind == LENT_VALUE).then_some(self.others[0]);
                let message = Message { topic: self.topic, sequence: self.sequence, time: self.time, stamp, cdr: &[] };
                let [offset, length] = self.others.map(i64::cast_unsigned);
                let marks = LentMarks {
                    wants_notice: self.answer == Answer::Wanted,
                    may_be_kept: self.topic.is_multiple_of(2),
                };
                Frame::Lent(Lent { message, offset, length, marks })
            }
            RETURNED => Frame::Returned,
            PIPE => {
                let [offset, length] = self.others.map(i64::cast_unsigned);
                Frame::Pipe(PipeAt { offset, length, word: self.topic })
            }
            PIPED => Frame::Piped,
            KEEPS => Frame::Keeps { word: self.topic },
            TOGETHER => Frame::Together { values: self.topic },
            FRAGMENT => {
                let bytes: &[u8] = if self.cdr.is_empty() { &[7] } else { &self.cdr };
                let index = self.topic % 2048;
                let length = index * PIECE as u32 + bytes.len() as u32;
                Frame::Fragment(Fragment { topic: self.topic, sequence: self.sequence, length, index, bytes })
            }
            RELIABLE => {
                let frame: &[u8] = if self.topic.is_multiple_of(2) { &[MESSAGE, 1, 2] } else { &[FRAGMENT] };
                Frame::Reliable(Reliable { number: self.sequence, frame })
            }
            ACKNOWLEDGEMENT => Frame::Acknowledgement { next: self.sequence, later: self.time.cast_unsigned() },
            PONG => Frame::Pong { left: self.time, arrived: self.others[0], answered: self.others[1] },
            _ => Frame::Goodbye { reason: name },
        }
    }
}

fn frames() -> impl Strategy<Value = Owned> {
    let answers = prop::sample::select(vec![Answer::Unknown, Answer::Later, Answer::Wanted, Answer::Misfit]);
    let whys = vec![NoAnswer::Ended, NoAnswer::Panicked, NoAnswer::TimedOut, NoAnswer::Refused];
    let answers = (answers, prop::sample::select(whys));
    let texts = [".{0,20}", ".{0,20}", ".{0,20}", ".{0,20}"];
    let bytes = prop::collection::vec(any::<u8>(), 0..40);
    let numbers = (any::<u64>(), any::<i64>(), any::<[i64; 2]>());
    (HELLO..=TOGETHER, 0..MOST_OFFERS, answers, numbers, texts, bytes).prop_map(
        |(kind, topic, (answer, why), (sequence, time, others), texts, cdr)| Owned {
            kind,
            topic,
            answer,
            why,
            sequence,
            time,
            others,
            texts,
            cdr,
        },
    )
}

fn written(frame: &Frame<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame.write(&mut bytes);
    bytes
}

fn is_known(version: u32) -> bool {
    (VERSION..=VERSION_WITH_ACKNOWLEDGEMENTS).contains(&version)
}

proptest! {
    #[test]
    fn what_is_written_is_read(owned in frames()) {
        let bytes = written(&owned.frame());
        prop_assert_eq!(Frame::read(&bytes), Ok(owned.frame()));
    }

    #[test]
    fn what_ends_too_early_is_an_error(owned in frames(), cut in any::<prop::sample::Index>()) {
        let bytes = written(&owned.frame());
        let cut = cut.index(bytes.len());
        // The length of a message is unknown behind its head, so it cannot end too early there.
        prop_assume!(owned.kind != MESSAGE || cut < MESSAGE_HEAD);
        prop_assume!(owned.kind != VALUE || cut < VALUE_HEAD);
        prop_assume!(owned.kind != FRAGMENT || cut < FRAGMENT_HEAD);
        prop_assume!(owned.kind != RELIABLE || cut <= RELIABLE_HEAD);
        prop_assume!(owned.kind != REQUEST || cut < 1 + 4 + 8);
        prop_assume!(owned.kind != RESPONSE || cut < 1 + 8);
        prop_assert_eq!(Frame::read(&bytes[..cut]), Err(WireError::TooShort));
    }

    #[test]
    fn any_bytes_are_a_frame_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(frame) = Frame::read(&bytes)
            && !matches!(frame, Frame::Hello { version, .. } if !is_known(version))
        {
            prop_assert_eq!(written(&frame), bytes);
        }
    }

    #[test]
    fn a_stream_gives_the_same_frames_however_it_is_cut(
        owned in prop::collection::vec(frames(), 1..6),
        cuts in prop::collection::vec((1_usize..30, any::<bool>()), 1..40),
    ) {
        let stream = owned.iter().flat_map(|owned| with_length(&owned.frame())).collect::<Vec<_>>();
        let (mut incoming, mut expected, mut rest) = (Incoming::default(), owned.iter(), stream.as_slice());
        for (cut, is_in_place) in cuts.iter().cycle() {
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            match is_in_place {
                true => incoming.fill(|bytes| bytes.extend_from_slice(piece)),
                false => incoming.push(piece),
            }
            while let Some(frame) = incoming.next().unwrap() {
                prop_assert_eq!(Some(frame), expected.next().map(Owned::frame));
            }
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert!(expected.next().is_none());
    }

    #[test]
    fn what_is_split_off_a_stream_is_its_first_frame(owned in frames(), behind in prop::collection::vec(any::<u8>(), 0..9)) {
        let bytes = with_length(&owned.frame());
        let stream = [&bytes[..], &behind].concat();
        prop_assert_eq!(split(&stream), Ok(Some((owned.frame(), bytes.len()))));
        (0..bytes.len()).for_each(|length| assert_eq!(split(&stream[..length]), Ok(None)));
    }

    #[test]
    fn a_length_takes_no_memory(kind in any::<u8>(), length in any::<u32>()) {
        let mut incoming = Incoming::default();
        incoming.push(&length.to_le_bytes());
        incoming.push(&[kind]);
        _ = incoming.next();
        prop_assert!(incoming.bytes.capacity() < 100);
        incoming.fill(|_| ());
        prop_assert!(incoming.bytes.capacity() < 100_000);
    }
}

#[test]
fn what_is_of_no_kind_is_not_offered_and_not_refused() {
    let offer = Offer { topic: 0, kind: OfferKind::Topic, name: "", schema: "", hash: "", definition: "" };
    let mut bytes = written(&Frame::Offer(offer));
    bytes[5] = 4;
    assert_eq!(Frame::read(&bytes), Err(WireError::Subject(4)));
    let mut bytes = written(&Frame::Refusal { call: 7, why: NoAnswer::Ended, reason: "" });
    bytes[9] = 4;
    assert_eq!(Frame::read(&bytes), Err(WireError::NoAnswer(4)));
    let message = Message { topic: 0, sequence: 0, time: 0, stamp: None, cdr: &[] };
    let mut bytes = written(&Frame::Lent(Lent { message, offset: 0, length: 0, marks: LentMarks::default() }));
    *bytes.last_mut().unwrap() = 4;
    assert_eq!(Frame::read(&bytes), Err(WireError::Marks(4)));
}

#[test]
fn four_gigabytes_are_refused_at_once() {
    let mut incoming = Incoming::default();
    incoming.push(&[0xff, 0xff, 0xff, 0xff, MESSAGE]);
    assert_eq!(incoming.next(), Err(WireError::TooLong { kind: MESSAGE, length: 0xffff_ffff }));
    let mut incoming = Incoming::default();
    incoming.push(b"GET / HTTP/1.1\r\n");
    assert_eq!(incoming.next(), Err(WireError::Kind(b'/')));
}

#[test]
fn of_another_version_only_the_version_is_read() {
    let mut bytes = written(&Frame::Hello { version: 4, robot: "" });
    bytes.truncate(bytes.len() - 4);
    bytes.extend_from_slice(b"whatever comes then");
    assert_eq!(Frame::read(&bytes), Ok(Frame::Hello { version: 4, robot: "" }));
}

#[test]
fn a_fragment_has_as_many_bytes_as_its_place_allows() {
    let read = |length: u32, index: u32, bytes: usize| {
        let bytes = vec![0; bytes];
        let fragment = written(&Frame::Fragment(Fragment { topic: 0, sequence: 1, length, index, bytes: &bytes }));
        Frame::read(&fragment).map(drop)
    };
    let piece = PIECE as u32;
    for (length, index, bytes) in [(1, 0, 1), (piece, 0, PIECE), (piece + 1, 0, PIECE), (piece + 1, 1, 1)] {
        assert_eq!(read(length, index, bytes), Ok(()));
    }
    let longest = LONGEST_FRAME as u32;
    for (length, index, bytes) in [
        (0, 0, 0),
        (piece, 1, 0),
        (piece, 0, PIECE - 1),
        (piece + 1, 1, 2),
        (piece, u32::MAX, PIECE),
        (longest + 1, 0, PIECE),
        (u32::MAX, u32::MAX / piece, PIECE - 1),
    ] {
        assert_eq!(read(length, index, bytes), Err(WireError::Fragment { length, index, bytes }));
    }
    assert_eq!(read(longest, 2047, PIECE), Ok(()));
    let length = FRAGMENT_HEAD + PIECE + 1;
    assert_eq!(read(longest, 0, PIECE + 1), Err(WireError::TooLong { kind: FRAGMENT, length }));
}
