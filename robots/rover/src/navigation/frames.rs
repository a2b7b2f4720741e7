//! The tree of frames in one message, as ROS 2 expects it on `/tf`.

use hemiola::prelude::*;
use hemiola_ros::tf2_msgs::TFMessage;

use crate::representations::{MapToOdom, OdomToBase};

/// Joins both branches of the tree, `map` → `odom` → `base_link`.
#[derive(Module)]
pub struct Frames;

#[module]
impl Frames {
    #[update]
    pub(super) fn join(&self, map_to_odom: &MapToOdom, odom_to_base: &OdomToBase, tree: &mut TFMessage) {
        let branches = [&map_to_odom.tf, &odom_to_base.tf];
        tree.transforms.extend(branches.into_iter().flat_map(|branch| &branch.transforms).cloned());
    }
}
