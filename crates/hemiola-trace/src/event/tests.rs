use super::*;
use proptest::prelude::*;

fn ticks() -> impl Strategy<Value = Ticks> {
    any::<u64>().prop_map(Ticks)
}

fn events() -> impl Strategy<Value = Event> {
    let (a, b, c) = (any::<u16>(), any::<u16>(), any::<u32>());
    (0..18u8, a, b, c, any::<u32>(), any::<u32>(), (ticks(), ticks(), ticks()), any::<f64>()).prop_map(
        |(kind, a, b, c, d, e, (x, y, z), value)| match kind {
            0 => Event::TaskRun { task: TaskId(a), core: Core(d as u8), run: c, ready: x, begin: y, end: z },
            1 => Event::CycleBegin { cycle: CycleId(a), plan: PlanId(d), run: c, trigger: x, begin: y },
            2 => Event::CycleEnd { cycle: CycleId(a), run: c, at: x },
            3 => Event::Overrun { cycle: CycleId(a), run: c, at: x },
            4 => Event::InputDropped { cycle: CycleId(a), source: SourceId(b), count: c, at: x },
            5 => Event::Woken { cycle: CycleId(a), run: c, asked: x, at: y },
            6 => Event::Publish { exchange: ExchangeId(a), run: c, at: x },
            7 => Event::Take { exchange: ExchangeId(a), cycle: CycleId(b), run: c, published: d, at: x },
            8 => {
                let kind = if d % 2 == 0 { FailureKind::Error } else { FailureKind::Panic };
                Event::Failure { task: TaskId(a), kind, run: c, at: x }
            }
            9 => Event::Stale { task: TaskId(a), run: c, at: x },
            10 => Event::Arrival {
                output: TaskId(a),
                source: SourceId(b),
                at: x,
                newest: Stamp(y.0),
                newest_age: Age(d),
                oldest_age: Age(e),
            },
            11 => Event::Callback {
                callback: CallbackId(a),
                core: Core(d as u8),
                sequence: c,
                published: x,
                begin: y,
                end: z,
            },
            13 => Event::Sample { source: SourceId(a), core: Core(d as u8), sample: c, begin: x, end: y },
            12 => Event::CallbackPanic { callback: CallbackId(a), sequence: c, at: x },
            14 => Event::ThreadTime { worker: WorkerId(a), running: x.0, waiting: y.0, at: z },
            15 => Event::StolenTime { core: Core(d as u8), nanoseconds: x.0, at: y },
            16 => Event::TriggersSkipped { cycle: CycleId(a), count: c, at: x },
            _ => Event::Counter { counter: CounterId(a), value, at: x },
        },
    )
}

proptest! {
    #[test]
    fn every_event_survives_its_slot(event in events()) {
        prop_assert_eq!(Event::from_words(event.to_words()), Some(event));
    }
}

#[test]
fn foreign_words_are_no_event() {
    assert_eq!(Event::from_words([18, 0, 0, 0]), None);
    assert_eq!(Event::from_words([8, 2, 0, 0]), None);
}

#[test]
fn ages_saturate_instead_of_wrapping() {
    assert_eq!(Age::between(Stamp(5), Stamp(1)), Age(0));
    assert_eq!(Age::between(Stamp(0), Stamp(u64::MAX)), Age(u32::MAX));
}
