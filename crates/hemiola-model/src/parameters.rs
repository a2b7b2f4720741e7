use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use crate::Value;
use crate::data::{DataType, ReadError};

/// The parameters of a module that can be tuned without changing code. Derive it; each field
/// becomes a parameter.
///
/// `#[parameter(default = 0.6, range = 0.0..=1.0, unit = "m")]`: all optional; the documentation
/// comment of the field is the parameter's documentation. Values come from `robot.toml` and can be
/// changed on a running robot.
///
/// ```
/// use hemiola_model::{ParameterDescription, Parameters, ParametersError, Range, Value};
/// # use hemiola_model::{Data, data::DataType};
/// # use std::collections::BTreeMap;
///
/// // What `#[derive(Parameters)]` writes for you:
/// struct WalkParameters { step_height: f32 }
/// # impl Default for WalkParameters { fn default() -> Self { Self { step_height: 0.02 } } }
/// # impl Parameters for WalkParameters {
/// #     fn describe() -> Vec<ParameterDescription> {
/// #         vec![ParameterDescription::new("step_height", f32::data_type(), "", "m", Value::Float(0.02), Some(Range::new(0.0, 0.05)))]
/// #     }
/// #     fn set(&mut self, name: &str, value: &Value) -> Result<(), ParametersError> {
/// #         self.step_height = hemiola_model::macros_support::read_parameter::<Self, f32>(name, value)?; Ok(())
/// #     }
/// # }
/// let mut parameters = WalkParameters::default();
/// let error = parameters.set("step_height", &Value::Float(0.3)).unwrap_err();
/// assert_eq!(error.to_string(), "`step_height` must be within 0.0 ..= 0.05 m, not 0.3");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of parameters",
    note = "add `#[derive(Parameters)]` to `{Self}`"
)]
pub trait Parameters: Default + Send + Sync + 'static {
    /// Returns the descriptions of the parameters in declaration order.
    fn describe() -> Vec<ParameterDescription>;

    /// Sets one parameter.
    ///
    /// # Errors
    /// Fails if the name is unknown, or the value has the wrong type or is out of range; nothing is
    /// changed then.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), ParametersError>;

    /// Returns the defaults, overridden by the given values.
    ///
    /// # Errors
    /// Fails if there are values that cannot be set: an error for each.
    fn with(values: &BTreeMap<String, Value>) -> Result<Self, Vec<ParametersError>> {
        let mut parameters = Self::default();
        let errors: Vec<_> = values.iter().filter_map(|(name, value)| parameters.set(name, value).err()).collect();
        if errors.is_empty() { Ok(parameters) } else { Err(errors) }
    }
}

/// The parameters of a module that has none.
impl Parameters for () {
    fn describe() -> Vec<ParameterDescription> {
        Vec::new()
    }

    fn set(&mut self, name: &str, _: &Value) -> Result<(), ParametersError> {
        Err(ParametersError::Unknown { name: name.to_owned(), known: Vec::new() })
    }
}

/// The description of one parameter, for documentation, checks and tuning pages.
///
/// ```
/// use hemiola_model::{Data, ParameterDescription, Range, Value};
///
/// let range = Some(Range::new(0.0, 0.05));
/// let height = ParameterDescription::new("step_height", f32::data_type(), "", "m", Value::Float(0.02), range);
/// assert!(height.check(&Value::Float(0.03)).is_ok());
/// assert!(height.check(&Value::Float(f64::NAN)).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterDescription {
    /// The name of the field.
    pub name: String,
    /// The type of the parameter.
    pub data_type: DataType,
    /// The documentation comment of the field.
    pub documentation: String,
    /// The unit; empty if the parameter has none.
    pub unit: String,
    /// The value without configuration.
    pub default: Value,
    /// The permitted range, both ends included.
    pub range: Option<Range>,
}

/// A closed range of numbers.
///
/// See [`ParameterDescription`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest permitted value.
    pub minimum: f64,
    /// The largest permitted value.
    pub maximum: f64,
}

/// The reason why a parameter could not be set.
///
/// ```
/// use hemiola_model::{Parameters, Value};
///
/// let error = ().set("threshold", &Value::Float(0.7)).unwrap_err();
/// assert_eq!(error.name(), "threshold");
/// assert_eq!(error.to_string(), "there is no parameter `threshold`; this module has none");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParametersError {
    /// The parameter does not exist.
    #[error("there is no parameter `{name}`{}", known_list(known))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The value has the wrong type.
    #[error("`{name}`: {error}")]
    Type {
        /// The name of the parameter.
        name: String,
        /// The error of reading the value.
        error: ReadError,
    },
    /// The value is out of range.
    #[error("`{name}` must be within {range}{}, not {value}", unit_suffix(unit))]
    Range {
        /// The name of the parameter.
        name: String,
        /// The permitted range.
        range: Range,
        /// The unit of the parameter.
        unit: String,
        /// The value that was given.
        value: Value,
    },
}

impl ParametersError {
    /// Returns the name of the parameter that could not be set.
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown { name, .. } | Self::Type { name, .. } | Self::Range { name, .. } => name,
        }
    }
}

impl ParameterDescription {
    /// Creates the description of a parameter.
    pub fn new(
        name: &str,
        data_type: DataType,
        documentation: &str,
        unit: &str,
        default: Value,
        range: Option<Range>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            data_type,
            documentation: documentation.to_owned(),
            unit: unit.to_owned(),
            default,
            range,
        }
    }

    /// Checks whether `value` may be set.
    ///
    /// # Errors
    /// Fails if the value, or one of its numbers if it is a list, is out of range (NaN always is).
    pub fn check(&self, value: &Value) -> Result<(), ParametersError> {
        let Some(range) = self.range else { return Ok(()) };
        let number = match value {
            Value::Float(number) => *number,
            Value::Integer(number) => *number as f64,
            Value::Unsigned(number) => *number as f64,
            Value::List(items) => return items.iter().try_for_each(|item| self.check(item)),
            _ => return Ok(()),
        };
        if (range.minimum..=range.maximum).contains(&number) {
            return Ok(());
        }
        Err(ParametersError::Range { name: self.name.clone(), range, unit: self.unit.clone(), value: value.clone() })
    }
}

impl Range {
    /// Creates the range from `minimum` to `maximum`, both included.
    pub const fn new(minimum: f64, maximum: f64) -> Self {
        Self { minimum, maximum }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} ..= {:?}", self.minimum, self.maximum)
    }
}

fn known_list(known: &[String]) -> String {
    if known.is_empty() { "; this module has none".into() } else { format!("; known are: {}", known.join(", ")) }
}

fn unit_suffix(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}
