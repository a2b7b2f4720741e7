#[cfg(loom)]
mod models;
#[cfg(not(loom))]
mod promises;
#[cfg(not(loom))]
mod properties;
#[cfg(not(loom))]
mod stress;
#[cfg(loom)]
mod waiting;
