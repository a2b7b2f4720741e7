//! Calls in steady state call no allocator, on either side.

use hemiola_bus::{Actor, ActorHandle, Bus, DeclaredService, EventLoop, Requests, Signal, WaitStrategy, answers_of};
use hemiola_model::module::Port;
use hemiola_model::{Form, Representation};
use hemiola_realtime::{AllocationGuard, CountingAllocator, ThreadSettings, allocations_on_this_thread};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn sending_running_and_refusing_allocate_nothing() {
    let bus = Bus::with_timing();
    let (mut actor, mut handle) = Actor::new(0, 64);
    bus.list_actor("sum", &actor);
    let captured = [1_u64; 6];
    let guard = AllocationGuard::new();
    for _ in 0..1_000 {
        for _ in 0..64 {
            handle.send(move |sum| *sum += captured.iter().sum::<u64>()).unwrap();
        }
        assert!(handle.send(|_| ()).is_err());
        assert_eq!(actor.run(64), 64);
    }
    assert_eq!(guard.counted().calls(), 0);
    assert_eq!(actor.state(), &(6 * 64_000));
    assert_eq!(bus.actors()[0].latency.unwrap().count, 4_000);
}

#[test]
fn asking_and_answering_allocate_nothing_on_either_side() {
    let bus = Bus::with_timing();
    let (mut actor, mut handle) = Actor::new([0_u64; 8], 64);
    bus.list_actor("sums", &actor);
    let thread = std::thread::spawn(move || actor.run_until_closed());
    let ask = |handle: &mut ActorHandle<[u64; 8]>| {
        let captured = [1; 6];
        let call = move |sums: &mut [u64; 8]| {
            sums[0] += captured[0];
            *sums
        };
        handle.call(call, Duration::from_secs(60)).expect("it is answered")[0]
    };
    // On the actor's thread: what other tests of this process allocate does not matter.
    let calls_there = |handle: &mut ActorHandle<[u64; 8]>| {
        let call = |_: &mut [u64; 8]| allocations_on_this_thread().calls();
        handle.call(call, Duration::from_secs(60)).expect("it is answered")
    };
    ask(&mut handle); // the first makes the place for answers
    calls_there(&mut handle);
    let before = calls_there(&mut handle);
    let guard = AllocationGuard::new();
    for number in 2..1_000 {
        assert_eq!(ask(&mut handle), number);
    }
    assert_eq!(guard.counted().calls(), 0);
    assert_eq!(calls_there(&mut handle), before);
    drop(handle);
    thread.join().unwrap();
}

#[test]
fn publishing_and_consuming_events_allocate_nothing() {
    let bus = Bus::with_timing();
    let mut events = EventLoop::<[u64; 16]>::new(64);
    let mut consumer = events.consumer(WaitStrategy::Park);
    let mut producer = events.producer();
    bus.list_event_loop("numbers", &producer);
    let mut sum = 0;
    let guard = AllocationGuard::new();
    for _ in 0..1_000 {
        while producer.publish(|event| event[0] += 1).is_ok() {}
        while consumer.poll(|event| sum += event[0]) > 0 {}
    }
    assert_eq!(guard.counted().calls(), 0);
    assert_eq!(sum, 64 * 1_000 * 1_001 / 2);
}

#[test]
fn services_allocate_nothing_on_either_side() {
    let bus = Bus::new();
    // The last number of an answer is how often the server's thread has called the allocator.
    let serve = |request: &[u64; 32]| {
        let mut answer = request.map(|number| number + 1);
        answer[31] = allocations_on_this_thread().calls();
        answer
    };
    let _server = bus.server("increment", 4).unwrap().spawn(ThreadSettings::new("server"), serve).unwrap();
    let mut client = bus.client::<[u64; 32], [u64; 32]>("increment").unwrap();
    let mut ask = |request| client.call(request, Duration::from_secs(60)).expect("it is answered");
    // The first finds the server and makes the place for answers, the second finds all of it there.
    let mut numbers = ask([0; 32]);
    numbers = ask(numbers);
    let calls_there = numbers[31];
    let guard = AllocationGuard::new();
    for _ in 2..1_000 {
        numbers = ask(numbers);
    }
    assert_eq!(guard.counted().calls(), 0);
    assert_eq!(numbers[..31], [1_000; 31]);
    assert_eq!(numbers[31], calls_there);
}

#[derive(Default)]
struct MapTile(usize);

impl Representation for MapTile {
    const NAME: &'static str = "MapTile";

    fn form() -> Form<Self> {
        Form::opaque()
    }
}

#[test]
fn an_update_that_asks_allocates_and_frees_nothing_also_when_answers_and_servers_come_and_go() {
    const AT_ONCE: usize = 16;
    let bus = Bus::new();
    let mut tiles = Requests::<MapTile, Vec<u8>>::new(&bus).unwrap();
    let (mut asked, mut sum) = (0, 0);
    for _ in 0..3 {
        let mut server = bus.server("MapTile", AT_ONCE).unwrap();
        for _ in 0..100 {
            let guard = AllocationGuard::new();
            for _ in 0..AT_ONCE {
                asked += 1;
                tiles.send(MapTile(asked)).unwrap();
            }
            assert!(tiles.send(MapTile(0)).is_err());
            assert_eq!(guard.counted().calls(), 0);
            server.run(AT_ONCE, |MapTile(number): &MapTile| vec![1_u8; *number]); // allocates, and frees earlier answers
            let guard = AllocationGuard::new();
            tiles.begin_run();
            sum += tiles.answers().flatten().map(Vec::len).sum::<usize>();
            assert_eq!(guard.counted().calls(), 0);
        }
        drop(server);
        let guard = AllocationGuard::new();
        assert!(tiles.send(MapTile(0)).is_err());
        assert_eq!(guard.counted().calls(), 0);
    }
    assert_eq!(sum, asked * (asked + 1) / 2);
}

#[derive(Default)]
struct Depth(u32);

impl hemiola_model::Data for Depth {
    fn data_type() -> hemiola_model::data::DataType {
        u32::data_type()
    }

    fn write(&self, writer: &mut dyn hemiola_model::data::Writer) {
        self.0.write(writer);
    }

    fn read(reader: &mut dyn hemiola_model::data::Reader) -> Result<Self, hemiola_model::data::ReadError> {
        u32::read(reader).map(Self)
    }
}

impl Representation for Depth {
    const NAME: &'static str = "Depth";

    fn form() -> Form<Self> {
        Form::data()
    }
}

#[test]
fn an_update_whose_answers_are_in_the_log_allocates_and_frees_nothing() {
    let bus = Bus::new();
    DeclaredService::of::<Depth, u64>("Depth").allow(&bus);
    let mut depths = Requests::<Depth, u64>::new(&bus).unwrap();
    let mut log = bus.read(&answers_of("Depth"), 64, Signal::Nothing).unwrap().unwrap();
    let mut noted = 0;
    for _ in 0..3 {
        let mut server = bus.server("Depth", 16).unwrap();
        for number in 0..100 {
            let guard = AllocationGuard::new();
            depths.begin_run();
            depths.record().unwrap().received(&mut |inlet| noted += inlet.count);
            for _ in 0..16 {
                depths.send(Depth(number)).unwrap();
            }
            assert!(depths.send(Depth(0)).is_err());
            assert_eq!(guard.counted().calls(), 0);
            server.run(16, |Depth(depth): &Depth| u64::from(*depth));
            while log.receive().is_some() {}
        }
        drop(server);
        let guard = AllocationGuard::new();
        depths.begin_run();
        depths.record().unwrap().received(&mut |inlet| noted += inlet.count);
        assert!(depths.send(Depth(0)).is_err());
        assert_eq!(guard.counted().calls(), 0);
    }
    assert_eq!(noted, 3 * 100 * 16);
}
