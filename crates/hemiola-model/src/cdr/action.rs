//! Actions, as ROS 2 defines them.

use super::schema::{Definitions, MessageName};
use super::service::add_service;
use crate::data::{DataType, Field};

/// The hashes of the parts of an action in ROS 2: two services and a topic, whose types are derived
/// from the types of its goals, results and feedback.
///
/// ```
/// use hemiola_model::cdr::ActionSchema;
/// use hemiola_model::data::{DataType, Field};
///
/// let number = || DataType::Signed(32);
/// let list = || DataType::Sequence(Box::new(number()));
/// let structure = |field, of| DataType::structure("demo/Part", vec![Field::new(field, of, "")]);
/// let [goal, result, feedback] =
///     [structure("order", number()), structure("sequence", list()), structure("sequence", list())];
///
/// let fibonacci = ActionSchema::called("example_interfaces", "Fibonacci", [&goal, &result, &feedback]);
/// assert_eq!(fibonacci.name, "example_interfaces/action/Fibonacci");
/// assert!(fibonacci.send_goal_hash.starts_with("RIHS01_"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionSchema {
    /// The full name, `package/action/Name`.
    pub name: String,
    /// The hash of the service `package/action/Name_SendGoal`.
    pub send_goal_hash: String,
    /// The hash of the service `package/action/Name_GetResult`.
    pub get_result_hash: String,
    /// The hash of the message `package/action/Name_FeedbackMessage`.
    pub feedback_hash: String,
}

impl ActionSchema {
    /// Creates the schema of an action whose type is named `package/action/name`, independently of
    /// the names of the types of its goals, results and feedback.
    pub fn called(package: &str, name: &str, [goal, result, feedback]: [&DataType; 3]) -> Self {
        let part = |ending: &str| MessageName::of_action(package, &format!("{name}{ending}"));
        let mut definitions = Definitions::default();
        let goal = definitions.part(part("_Goal"), goal);
        let result = definitions.part(part("_Result"), result);
        let feedback = definitions.part(part("_Feedback"), feedback);
        let id = DataType::structure(
            "unique_identifier_msgs/UUID",
            vec![Field::new("uuid", DataType::Array(Box::new(DataType::Unsigned(8)), 16), "")],
        );
        let id = Field::new("goal_id", id, "");
        let hash = |definitions: &Definitions, name: &MessageName| definitions.schema(name).type_hash;

        let request = definitions.extended(part("_SendGoal_Request"), std::slice::from_ref(&id), Some(("goal", &goal)));
        let accepted = [Field::new("accepted", DataType::Boolean, ""), Field::new("stamp", DataType::Time, "")];
        let response = definitions.extended(part("_SendGoal_Response"), &accepted, None);
        let send_goal =
            add_service(&mut definitions, |ending| part(&format!("_SendGoal{ending}")), &request, &response);

        let request = definitions.extended(part("_GetResult_Request"), std::slice::from_ref(&id), None);
        let status = [Field::new("status", DataType::Signed(8), "")];
        let response = definitions.extended(part("_GetResult_Response"), &status, Some(("result", &result)));
        let get_result =
            add_service(&mut definitions, |ending| part(&format!("_GetResult{ending}")), &request, &response);

        let message = definitions.extended(part("_FeedbackMessage"), &[id], Some(("feedback", &feedback)));
        Self {
            name: part("").full(),
            send_goal_hash: hash(&definitions, &send_goal),
            get_result_hash: hash(&definitions, &get_result),
            feedback_hash: hash(&definitions, &message),
        }
    }
}
