use serde::Deserialize;

use super::{Span, text};
use crate::TimeSpan;

/// A link that carries the values of a cycle or chain to another process, where a thread delivers
/// them: a cycle that begins after the link. Messages of a topic are there for whoever subscribes
/// as soon as the link has delivered them.
///
/// How long that takes is measured: it includes sockets, the time-sharing threads that serve them,
/// and the kernel, which no analysis covers. The time of the receiving thread, and what delays it,
/// is not part of it.
///
/// ```
/// use hemiola_analysis::{Analysis, System, TimeSpan};
/// let text = r#"
///     cores = 1
///     [[cycle]]
///     name = "vision"
///     begins = { every = "30 ms" }
///     priority = 40
///     tasks = [{ name = "ball", takes = "5 ms" }]
///     [[link]]
///     name = "Ball"
///     from = "vision"
///     takes = "20 µs .. 300 µs"
///     clock_error = "10 µs"
///     [[cycle]]
///     name = "Ball delivered"
///     begins = { after = "Ball" }
///     priority = 79
///     tasks = [{ name = "sample", takes = "10 µs" }]
///     [[path]]
///     name = "seen"
///     through = ["vision", "Ball", "Ball delivered"]
///     from = "sample"
/// "#;
/// let analysis = Analysis::of(&System::from_toml(text, "system.toml").unwrap());
/// // What is more important delays vision once: it is not known when the link delivers.
/// let bound = 5000 + 10 + 300 + 10 + 10;
/// assert_eq!(analysis.find("seen").unwrap().bound, Ok(TimeSpan::microseconds(bound)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The name, as people know it.
    pub name: String,
    /// The cycle or chain that provides the values.
    pub from: String,
    /// The time from the end of a run that provides a value until it is delivered to the receiving
    /// thread; for a value that another one replaces on the way, until that one is delivered.
    pub takes: Span,
    /// The largest error of the comparison of the clocks at both ends: time stamps, and latencies
    /// that are observed, may be wrong by it.
    #[serde(default, deserialize_with = "text::time")]
    pub clock_error: TimeSpan,
}
