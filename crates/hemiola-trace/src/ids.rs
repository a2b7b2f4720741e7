//! The numbers that events carry instead of names. The [`Catalog`](crate::Catalog) gives them out and never reuses one.

macro_rules! id {
    ($(#[$documentation:meta])* $name:ident($width:ty)) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub $width);

        impl $name {
            /// The number as an index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A cycle.
    CycleId(u16)
}
id! {
    /// An update of a module in a cycle. The same update keeps its number over all plans.
    TaskId(u16)
}
id! {
    /// A worker thread of a cycle's pool.
    WorkerId(u16)
}
id! {
    /// A source of sensor samples: a driver, a simulator's sensor, a stream of a log.
    SourceId(u16)
}
id! {
    /// What carries the representations that one cycle provides to those that read them.
    ExchangeId(u16)
}
id! {
    /// A value over time.
    CounterId(u16)
}
id! {
    /// A compiled task graph of a cycle.
    PlanId(u32)
}
