//! Actions, as ROS 2 defines them.

use super::MessageSchema;
use super::schema::{Definitions, MessageName};
use super::service::add_service;
use crate::data::{DataType, Field};

/// The definition of an action: three messages, and the hashes of what ROS 2 makes of them, two
/// services and a topic.
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
/// assert_eq!((&*fibonacci.goal.text, &*fibonacci.result.text), ("int32 order\n", "int32[] sequence\n"));
/// assert!(fibonacci.send_goal_hash.starts_with("RIHS01_"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionSchema {
    /// The full name, `package/action/Name`.
    pub name: String,
    /// The schema of what is asked for, `package/action/Name_Goal`.
    pub goal: MessageSchema,
    /// The schema of what a goal has led to, `package/action/Name_Result`.
    pub result: MessageSchema,
    /// The schema of what is said meanwhile, `package/action/Name_Feedback`.
    pub feedback: MessageSchema,
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
            goal: definitions.schema(&goal),
            result: definitions.schema(&result),
            feedback: definitions.schema(&feedback),
            send_goal_hash: hash(&definitions, &send_goal),
            get_result_hash: hash(&definitions, &get_result),
            feedback_hash: hash(&definitions, &message),
        }
    }

    /// Returns the types of an action's goal, result and feedback by those of its messages in a
    /// robot, which begin with the identity of a goal, and that of a result with its status as
    /// well; `None` for a message that does not.
    ///
    /// ```
    /// use hemiola_model::cdr::ActionSchema;
    /// use hemiola_model::data::{Data, DataType, Field};
    ///
    /// let field = |name, data_type| Field::new(name, data_type, "");
    /// let goal = DataType::structure(
    ///     "demo/DockGoal",
    ///     vec![field("goal_id", <[u8; 16]>::data_type()), field("goal", f32::data_type())],
    /// );
    /// let number = f32::data_type();
    /// let contents = ActionSchema::contents([&goal, &number, &goal]);
    /// assert_eq!(contents, [Some(&number), None, Some(&number)]);
    /// assert_eq!(ActionSchema::name_by(&goal), Some(("demo".to_owned(), "Dock".to_owned())));
    /// ```
    pub fn contents([goal, result, feedback]: [&DataType; 3]) -> [Option<&DataType>; 3] {
        let content = |data_type| match fields(data_type)? {
            [id, content] if is_id(&id.data_type) => Some(&content.data_type),
            _ => None,
        };
        let result = match fields(result) {
            Some([id, status, result]) if is_id(&id.data_type) && is_status(&status.data_type) => {
                Some(&result.data_type)
            }
            _ => None,
        };
        [content(goal), result, content(feedback)]
    }

    /// Returns the package and the name of an action's type by the type of its goals' messages in a
    /// robot, without the suffix `Goal`; `None` if that is not a structure.
    pub fn name_by(goal: &DataType) -> Option<(String, String)> {
        let DataType::Structure { name, .. } = goal else { return None };
        let name = MessageName::of(name);
        let stem = name.name().strip_suffix("Goal").filter(|stem| !stem.is_empty()).unwrap_or(name.name());
        Some((name.package().to_owned(), stem.to_owned()))
    }
}

fn fields(data_type: &DataType) -> Option<&[Field]> {
    match data_type {
        DataType::Structure { fields, .. } => Some(fields),
        _ => None,
    }
}

/// Returns whether a type is an identity: 16 bytes, or a structure that contains nothing else.
fn is_id(data_type: &DataType) -> bool {
    match data_type {
        DataType::Array(item, 16) => **item == DataType::Unsigned(8),
        DataType::Structure { fields, .. } => matches!(&fields[..], [only] if is_id(&only.data_type)),
        _ => false,
    }
}

/// Returns whether a type is a byte that can state how a goal has ended.
fn is_status(data_type: &DataType) -> bool {
    match data_type {
        DataType::Signed(8) | DataType::Unsigned(8) => true,
        DataType::Enumeration { variants, .. } => variants.len() > 6 && variants.iter().all(|it| it.fields.is_empty()),
        _ => false,
    }
}
