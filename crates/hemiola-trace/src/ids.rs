//! The numbers that events carry instead of names. The [`Catalog`](crate::Catalog) assigns them and
//! never reuses one.

macro_rules! id {
    ($(#[$documentation:meta])* $name:ident($width:ty)) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub $width);

        impl $name {
            /// Returns the number as an index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// The number of a cycle.
    ///
    /// ```
    /// use hemiola_trace::{Catalog, Cycle};
    ///
    /// let catalog = Catalog::new("robot");
    /// let motion = catalog.cycle(Cycle::named("motion"))?;
    /// assert_eq!(catalog.read().cycle(motion).unwrap().name, "motion");
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    CycleId(u16)
}
id! {
    /// The number of an update of a module in a cycle. An update keeps its number in all plans.
    ///
    /// ```
    /// use hemiola_trace::{Catalog, Cycle};
    ///
    /// let catalog = Catalog::new("robot");
    /// let motion = catalog.cycle(Cycle::named("motion"))?;
    /// let walk = catalog.task(motion, "Walk.joints")?;
    /// assert_eq!(catalog.task(motion, "Walk.joints")?, walk); // in the next plan, too
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    TaskId(u16)
}
id! {
    /// The number of a worker thread of a cycle's pool, or of the thread of a callback executor.
    ///
    /// ```
    /// use hemiola_trace::{Catalog, Cycle};
    ///
    /// let catalog = Catalog::new("robot");
    /// let motion = catalog.cycle(Cycle::named("motion"))?;
    /// let worker = catalog.worker(motion, 0, std::process::id())?;
    /// assert_eq!(catalog.read().worker_name(worker), "motion 0");
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    WorkerId(u16)
}
id! {
    /// The number of a source of sensor samples: a driver, a simulator's sensor, a stream of a log.
    ///
    /// ```
    /// use hemiola_trace::Catalog;
    ///
    /// let catalog = Catalog::new("robot");
    /// let camera = catalog.source("UpperCamera")?;
    /// assert_eq!(catalog.read().source(camera), Some("UpperCamera"));
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    SourceId(u16)
}
id! {
    /// The number of an exchange, which carries the representations that one cycle provides to
    /// those that read them.
    ///
    /// ```
    /// use hemiola_trace::{Catalog, Cycle};
    ///
    /// let catalog = Catalog::new("robot");
    /// let motion = catalog.cycle(Cycle::named("motion"))?;
    /// let joints = catalog.exchange(motion, "to cognition")?;
    /// assert_eq!(catalog.read().exchange(joints).unwrap().publisher, motion);
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    ExchangeId(u16)
}
id! {
    /// The number of a counter, a value over time.
    ///
    /// ```
    /// use hemiola_trace::Catalog;
    ///
    /// let catalog = Catalog::new("robot");
    /// let temperature = catalog.counter("processor temperature", "°C")?;
    /// assert_eq!(catalog.read().counter(temperature).unwrap().unit, "°C");
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    CounterId(u16)
}
id! {
    /// The number of a topic, to whose messages callbacks subscribe.
    ///
    /// ```
    /// use hemiola_trace::Catalog;
    ///
    /// let catalog = Catalog::new("robot");
    /// let pose = catalog.topic("pose")?;
    /// assert_eq!(catalog.read().topic(pose), Some("pose"));
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    TopicId(u16)
}
id! {
    /// The number of a callback, which an executor runs for a timer or for the messages of a topic.
    ///
    /// ```
    /// use hemiola_trace::Catalog;
    ///
    /// let catalog = Catalog::new("robot");
    /// let executor = catalog.executor("control")?;
    /// let balance = catalog.callback(hemiola_trace::Callback::of(executor, "every 10 ms"))?;
    /// assert_eq!(catalog.read().callback(balance).unwrap().executor, executor);
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    CallbackId(u16)
}
id! {
    /// The number of a compiled task graph of a cycle.
    ///
    /// ```
    /// use hemiola_trace::{Catalog, Cycle};
    ///
    /// let catalog = Catalog::new("robot");
    /// let motion = catalog.cycle(Cycle::named("motion"))?;
    /// let (imu, walk) = (catalog.task(motion, "Imu.filter")?, catalog.task(motion, "Walk.joints")?);
    /// let plan = catalog.plan(motion, &[(imu, walk)])?;
    /// assert_eq!(catalog.plan(motion, &[(imu, walk)])?, plan); // the same graph, with other priorities, say
    /// # Ok::<(), hemiola_trace::Error>(())
    /// ```
    PlanId(u32)
}
