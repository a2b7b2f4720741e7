use hemiola_macros::Data;
use hemiola_model::cdr::{decode, encode};
use proptest::prelude::*;

use super::*;
use crate::action_msgs::Uuid;

/// A goal that is aligned to eight bytes and to one.
#[derive(Data, Clone, Debug, PartialEq)]
struct Dock {
    way: Vec<f64>,
    name: String,
    slot: u8,
    speed: f64,
}

#[derive(Data, Clone, Debug, PartialEq)]
struct DockGoal {
    goal_id: Uuid,
    goal: Dock,
}

#[derive(Data, Clone, Debug, PartialEq)]
struct DockResult {
    goal_id: Uuid,
    status: u8,
    result: Dock,
}

/// The response that ROS 2 sends.
#[derive(Data, Clone, Debug, PartialEq)]
struct Response {
    status: i8,
    result: Dock,
}

fn dock() -> impl Strategy<Value = Dock> {
    let way = prop::collection::vec(-1.0..1.0, 0..4);
    (way, "[a-z]{0,9}", any::<u8>(), -9.0..9.0).prop_map(|(way, name, slot, speed)| Dock { way, name, slot, speed })
}

proptest! {
    #[test]
    fn a_result_without_its_identity_is_the_answer(uuid in any::<GoalId>(), other in any::<GoalId>(), status in 0..7_u8, result in dock()) {
        let message = encode(&DockResult { goal_id: Uuid { uuid }, status, result: result.clone() });
        let (id, found, response) = response_of(&message).unwrap();
        prop_assert_eq!((id, found), (uuid, status));
        prop_assert_eq!(decode::<Response>(&response).unwrap(), Response { status: status as i8, result: result.clone() });
        prop_assert_eq!(result_of(&response, &uuid).unwrap(), message);
        let goal = encode(&DockGoal { goal_id: Uuid { uuid }, goal: result.clone() });
        let renamed = with_id(&goal, &other).unwrap();
        prop_assert_eq!(decode::<DockGoal>(&renamed).unwrap(), DockGoal { goal_id: Uuid { uuid: other }, goal: result });
        prop_assert_eq!(decode::<Uuid>(&only_id(&other)).unwrap().uuid, other);
    }

    /// Bytes that are too short have no identity, and cause no panic.
    #[test]
    fn no_bytes_do_harm(bytes in any::<Vec<u8>>(), id in any::<GoalId>()) {
        prop_assert_eq!(id_of(&bytes).is_some(), bytes.len() >= 20);
        prop_assert_eq!(with_id(&bytes, &id).is_some(), bytes.len() >= 20);
        prop_assert_eq!(response_of(&bytes).is_some(), bytes.len() >= 21);
        prop_assert_eq!(result_of(&bytes, &id).is_some(), bytes.len() >= 4);
    }
}

fn interfaces(action_type: Option<&str>) -> Result<ActionInterfaces, Ros2Error> {
    ActionInterfaces::of(
        "Dock",
        action_type,
        [&DockGoal::data_type(), &DockResult::data_type(), &DockGoal::data_type()],
    )
}

#[test]
fn the_type_is_said_or_that_of_goals() {
    let own = interfaces(None).unwrap();
    assert_eq!(own.send_goal.name.to_string(), "hemiola_ros2/action/Dock_SendGoal");
    let named = interfaces(Some("dock_msgs/action/DockRobot")).unwrap();
    assert_eq!(named.get_result.name.dds(), "dock_msgs::action::dds_::DockRobot_GetResult_");
    assert_eq!(named.feedback.name.dds(), "dock_msgs::action::dds_::DockRobot_FeedbackMessage_");
    assert_eq!(named.cancel_goal, own.cancel_goal);
    assert_ne!(named.send_goal.hash, own.send_goal.hash);
}

#[test]
fn a_message_without_identity_or_status_is_an_error_that_names_the_fields() {
    let error = ActionInterfaces::of("Dock", None, [&Dock::data_type(); 3]).unwrap_err().to_string();
    assert!(error.contains("`DockGoal`") && error.contains("the identity, the goal"), "{error}");
    let goal = DockGoal::data_type();
    let error = ActionInterfaces::of("Dock", None, [&goal; 3]).unwrap_err().to_string();
    assert!(error.contains("`DockResult`") && error.contains("the status"), "{error}");
}
