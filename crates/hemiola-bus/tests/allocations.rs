//! Publishing and receiving call no allocator, whatever the policy and whatever is dropped.

use hemiola_bus::{Bus, WhenFull};
use hemiola_realtime::{AllocationGuard, CountingAllocator};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn messages_are_published_and_received_without_allocation() {
    for bus in [Bus::new(), Bus::with_timing()] {
        let topic = bus.topic::<[u64; 16]>("test").unwrap();
        let mut publishers = [topic.publisher(), topic.publisher()];
        let mut queues =
            [WhenFull::DropOldest, WhenFull::DropNewest, WhenFull::Wait].map(|policy| topic.queue(8, policy));
        let mut latest = topic.latest();
        let guard = AllocationGuard::new();
        for round in 0..10_000 {
            for publisher in &mut publishers {
                publisher.publish([round; 16]);
                let mut loan = publisher.loan();
                loan[0] = round;
                loan.publish();
            }
            if round % 7 == 0 {
                for queue in &mut queues {
                    assert_eq!(queue.receive().unwrap().len(), 16);
                    assert!(!queue.batch(4).is_empty());
                    while queue.receive().is_some() {}
                }
            }
            assert_eq!(latest.get().unwrap()[0], round);
        }
        assert_eq!(guard.counted().calls(), 0);
    }
}

#[test]
fn a_loaned_message_reuses_its_memory() {
    let topic = Bus::new().topic::<Vec<u8>>("image").unwrap();
    let mut publisher = topic.publisher();
    let mut images = topic.queue(2, WhenFull::DropOldest);
    let mut publish = |publisher: &mut hemiola_bus::Publisher<Vec<u8>>| {
        let mut image = publisher.loan();
        image.clear();
        image.resize(10_000, 7);
        image.publish();
        assert_eq!(images.receive().unwrap().len(), 10_000);
    };
    (0..10).for_each(|_| publish(&mut publisher)); // each slot once
    let guard = AllocationGuard::new();
    (0..1000).for_each(|_| publish(&mut publisher));
    assert_eq!(guard.counted().calls(), 0);
}

#[test]
fn who_joins_and_leaves_elsewhere_makes_no_publisher_allocate() {
    let topic = Bus::new().topic::<u64>("test").unwrap();
    let mut publisher = topic.publisher();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let guard = AllocationGuard::new();
            for value in 0.. {
                publisher.publish(value);
                if done.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
            }
            assert_eq!(guard.counted().calls(), 0);
        });
        for _ in 0..1000 {
            let mut queue = topic.queue(4, WhenFull::DropOldest);
            queue.batch(4);
            drop((topic.latest(), topic.publisher()));
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
