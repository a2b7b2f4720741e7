#[cfg(loom)]
mod model {
    use crate::exchange::{latest, queue};

    /// In every interleaving, the reader sees whole values, and only newer ones.
    #[test]
    fn loom_latest_gives_whole_values_in_order() {
        loom::model(|| {
            let (mut writer, mut reader) = latest(|| (0, 0));
            let thread = loom::thread::spawn(move || {
                for value in 1..=3 {
                    writer.with_back(|back| *back = (value, value));
                    writer.publish();
                }
            });
            let mut last = 0;
            for _ in 0..2 {
                if reader.take() {
                    let (a, b) = reader.with_front(|front| *front);
                    assert_eq!(a, b);
                    assert!(a > last);
                    last = a;
                }
            }
            thread.join().unwrap();
            if reader.take() {
                last = reader.with_front(|front| front.0);
            }
            assert_eq!(last, 3);
        });
    }

    /// In every interleaving, nothing is lost, doubled or out of order.
    #[test]
    fn loom_queue_keeps_all_in_order() {
        loom::model(|| {
            let (mut writer, mut reader) = queue(2);
            let thread = loom::thread::spawn(move || {
                let mut refused = 0;
                for value in 0..3 {
                    if writer.push(value).is_err() {
                        refused += 1;
                    }
                }
                refused
            });
            let mut seen = Vec::new();
            seen.extend(reader.pop());
            seen.extend(reader.pop());
            let refused = thread.join().unwrap();
            seen.extend(std::iter::from_fn(|| reader.pop()));
            assert_eq!(seen.len() + refused, 3);
            assert!(seen.windows(2).all(|pair| pair[0] < pair[1]));
        });
    }
}

#[cfg(not(loom))]
mod stress {
    use crate::exchange::{latest, queue};

    #[test]
    fn latest_survives_real_threads() {
        let (mut writer, mut reader) = latest(|| [0_u64; 32]);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for value in 1..=200_000 {
                    *writer.back() = [value; 32];
                    writer.publish();
                }
            });
            let mut last = 0;
            while last < 200_000 {
                if reader.take() {
                    let front = reader.front();
                    assert!(front[0] > last && front.iter().all(|value| *value == front[0]));
                    last = front[0];
                }
                std::hint::spin_loop();
            }
        });
    }

    #[test]
    fn queue_survives_real_threads() {
        let (mut writer, mut reader) = queue(16);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for value in 0..200_000_u64 {
                    let mut value = Box::new(value);
                    while let Err(back) = writer.push(value) {
                        value = back;
                        std::thread::yield_now();
                    }
                }
            });
            for expected in 0..200_000 {
                let value = loop {
                    match reader.pop() {
                        Some(value) => break value,
                        None => std::thread::yield_now(),
                    }
                };
                assert_eq!(*value, expected);
            }
        });
    }
}
