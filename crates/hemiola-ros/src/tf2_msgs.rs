//! The tree of frames.

use super::geometry_msgs::TransformStamped;
use hemiola::prelude::*;

/// Some branches of the tree of frames, published on the topics `/tf` and, where they do not
/// change, `/tf_static`.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "tf2_msgs/TFMessage")]
pub struct TFMessage {
    /// The branches.
    pub transforms: Vec<TransformStamped>,
}
