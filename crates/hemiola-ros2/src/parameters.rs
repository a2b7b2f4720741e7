//! The parameters of a robot under names such as `Walk.gain`, as the parameters of a node.

mod answer;
mod time;

use std::collections::{BTreeMap, BTreeSet};

use hemiola_model::data::{DataType, Variant};
use hemiola_model::module::{ModuleDescriptor, registry};
use hemiola_model::{ParameterDescription, Value};
use hemiola_runtime::RobotHandle;

use crate::rcl_interfaces::{
    FloatingPointRange, IntegerRange, Kind, ListParameters, ListParametersResult, Parameter, ParameterDescriptor,
    ParameterValue,
};

/// The parameters of a robot's modules and sources for which ROS 2 has types, by their names.
#[derive(Default)]
pub struct ParameterTable {
    entries: BTreeMap<String, Entry>,
    /// The descriptors of the modules, which check values.
    modules: Vec<ModuleDescriptor>,
}

/// A parameter with its value.
pub struct Entry {
    /// The name of the module or source; empty for the node.
    pub owner: &'static str,
    pub description: ParameterDescription,
    pub value: Value,
    kind: Kind,
    origin: Origin,
}

/// The owner of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Module,
    /// Parameters of sources can be set in robot.toml only.
    Source,
    /// Parameters of the node itself say how the robot was started.
    Node,
}

/// The separator between the parts of a name.
const SEPARATOR: char = '.';

impl ParameterTable {
    /// Returns the parameters of a robot with their current values.
    pub fn of(robot: &RobotHandle) -> Self {
        let clock = robot.clock();
        robot.with_robot(|robot| {
            let (configuration, description) = (robot.configuration(), robot.description());
            let runs: BTreeSet<&str> =
                description.cycles.iter().flat_map(|cycle| &cycle.modules).map(|module| module.name.as_str()).collect();
            let delivers: BTreeSet<&str> = description.sources.iter().map(|source| source.name.as_str()).collect();
            let mut table = Self::default();
            for module in registry::modules().into_iter().filter(|module| runs.contains(module.name())) {
                let values = configuration.modules.get(module.name()).map(|module| &module.parameters);
                table.add(module.name(), module.parameters(), values, Origin::Module);
                table.modules.push(module);
            }
            for source in registry::sources().iter().filter(|source| delivers.contains(source.name())) {
                let values = configuration.sources.get(source.name()).map(|source| &source.parameters);
                table.add(source.name(), source.parameters(), values, Origin::Source);
            }
            table.add_time(clock, configuration.ros2.as_ref().is_some_and(|node| node.clock.is_some()));
            table
        })
    }

    fn add(
        &mut self,
        owner: &'static str,
        descriptions: &[ParameterDescription],
        values: Option<&BTreeMap<String, Value>>,
        origin: Origin,
    ) {
        for description in descriptions {
            let name = format!("{owner}{SEPARATOR}{}", description.name);
            let value = values.and_then(|values| values.get(&description.name)).unwrap_or(&description.default);
            self.add_entry(name, owner, description.clone(), value.clone(), origin);
        }
    }

    /// Adds a parameter, if ROS 2 has a type for it.
    fn add_entry(
        &mut self,
        name: String,
        owner: &'static str,
        description: ParameterDescription,
        value: Value,
        origin: Origin,
    ) {
        if let Some(kind) = kind(&description.data_type) {
            self.entries.insert(name, Entry { owner, description, value, kind, origin });
        }
    }

    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// Returns the names below the prefixes, and their own prefixes, as `rclcpp` does.
    pub fn list(&self, asked: &ListParameters) -> ListParametersResult {
        let is_near = |rest: &str| asked.depth == 0 || (rest.matches(SEPARATOR).count() as u64) < asked.depth;
        let is_below = |name: &str, prefix: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(SEPARATOR).is_some_and(is_near))
        };
        let is_asked = |name: &str| match &asked.prefixes[..] {
            [] => is_near(name),
            prefixes => prefixes.iter().any(|prefix| is_below(name, prefix)),
        };
        let names: Vec<String> = self.entries.keys().filter(|name| is_asked(name)).cloned().collect();
        let prefixes: BTreeSet<String> =
            names.iter().filter_map(|name| Some(name.rsplit_once(SEPARATOR)?.0.to_owned())).collect();
        ListParametersResult { names, prefixes: prefixes.into_iter().collect() }
    }

    /// Returns the value of a parameter; `NotSet` if there is none.
    pub fn value(&self, name: &str) -> ParameterValue {
        self.get(name).map(Entry::to_ros).unwrap_or_default()
    }

    /// Describes a parameter; the description holds only its name if there is no such parameter.
    pub fn describe(&self, name: &str) -> ParameterDescriptor {
        self.get(name).map_or_else(
            || ParameterDescriptor { name: name.to_owned(), ..ParameterDescriptor::default() },
            |entry| entry.describe(name),
        )
    }

    /// Checks a parameter that somebody wants to set. Returns its entry and the new value.
    ///
    /// # Errors
    /// Returns an error with the reason if there is no such parameter, it cannot be set, or it
    /// cannot have the value. This calls user code, which may panic.
    pub fn accept(&self, wanted: &Parameter) -> Result<(&Entry, Value), String> {
        let name = &wanted.name;
        let entry = self.get(name).ok_or_else(|| {
            format!("there is no parameter `{name}`: write Module.parameter, as list_parameters spells it")
        })?;
        let Entry { owner, description, .. } = entry;
        let module = match entry.origin {
            Origin::Module => self.modules.iter().find(|module| module.name() == *owner),
            Origin::Source => None,
            Origin::Node => return Err(format!("`{name}` cannot be set: {}", description.documentation)),
        };
        let Some(module) = module else {
            return Err(format!("`{name}` belongs to a source: set it in `[source.{owner}.parameters]` of robot.toml"));
        };
        let value = wanted.value.to_value().map_err(|why| format!("`{name}`: {why}"))?;
        let alone = BTreeMap::from([(description.name.clone(), value.clone())]);
        module.check(&alone).map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        Ok((entry, value))
    }
}

impl Entry {
    /// Returns the value as a value of ROS 2.
    pub fn to_ros(&self) -> ParameterValue {
        ParameterValue::of(self.kind, &self.value)
    }

    fn describe(&self, name: &str) -> ParameterDescriptor {
        let ParameterDescription { documentation, unit, range, data_type, .. } = &self.description;
        let mut constraints = Vec::new();
        if !unit.is_empty() {
            constraints.push(format!("unit: {unit}"));
        }
        if let Some(names) = variants(data_type) {
            constraints.push(format!("one of: {}", names.join(", ")));
        }
        let (mut floating_point_range, mut integer_range) = (Vec::new(), Vec::new());
        match (range, self.kind) {
            (Some(range), Kind::Double | Kind::DoubleArray) => {
                let (from_value, to_value) = (range.minimum, range.maximum);
                floating_point_range.push(FloatingPointRange { from_value, to_value, step: 0.0 });
            }
            (Some(range), Kind::Integer | Kind::IntegerArray | Kind::ByteArray) => {
                // The nearest integers within the range, which may end between two of them.
                let (from_value, to_value) = (range.minimum.ceil() as i64, range.maximum.floor() as i64);
                integer_range.push(IntegerRange { from_value, to_value, step: 1 });
            }
            _ => {}
        }
        ParameterDescriptor {
            name: name.to_owned(),
            kind: self.kind as u8,
            description: documentation.clone(),
            additional_constraints: constraints.join("; "),
            read_only: self.origin != Origin::Module,
            dynamic_typing: false,
            floating_point_range,
            integer_range,
        }
    }
}

impl ParameterValue {
    /// Creates a value of the given kind.
    fn of(kind: Kind, value: &Value) -> Self {
        let mut ros = Self { kind: kind as u8, ..Self::default() };
        let items = match value {
            Value::List(items) => &items[..],
            _ => &[],
        };
        match (kind, value) {
            (_, Value::Nothing) => ros.kind = Kind::NotSet as u8,
            (Kind::Bool, Value::Boolean(value)) => ros.bool_value = *value,
            (Kind::Integer, value) => ros.integer_value = integer(value),
            (Kind::Double, value) => ros.double_value = double(value),
            (Kind::String, value) => ros.string_value = text(value),
            (Kind::ByteArray, _) => ros.byte_array_value = items.iter().map(|item| integer(item) as u8).collect(),
            (Kind::BoolArray, _) => {
                ros.bool_array_value = items.iter().map(|item| *item == Value::Boolean(true)).collect();
            }
            (Kind::IntegerArray, _) => ros.integer_array_value = items.iter().map(integer).collect(),
            (Kind::DoubleArray, _) => ros.double_array_value = items.iter().map(double).collect(),
            (Kind::StringArray, _) => ros.string_array_value = items.iter().map(text).collect(),
            (Kind::NotSet | Kind::Bool, _) => {}
        }
        ros
    }

    /// Returns the value as a value of the robot.
    fn to_value(&self) -> Result<Value, String> {
        fn list<T: Clone>(items: &[T], of: impl Fn(T) -> Value) -> Value {
            Value::List(items.iter().cloned().map(of).collect())
        }
        let finite =
            |value: f64| if value.is_finite() { Ok(value) } else { Err(format!("{value} is not a finite number")) };
        Ok(match self.kind {
            kind if kind == Kind::NotSet as u8 => Value::Nothing,
            kind if kind == Kind::Bool as u8 => Value::Boolean(self.bool_value),
            kind if kind == Kind::Integer as u8 => Value::Integer(self.integer_value),
            kind if kind == Kind::Double as u8 => Value::Float(finite(self.double_value)?),
            kind if kind == Kind::String as u8 => Value::Text(self.string_value.clone()),
            kind if kind == Kind::ByteArray as u8 => list(&self.byte_array_value, |byte| Value::Integer(byte.into())),
            kind if kind == Kind::BoolArray as u8 => list(&self.bool_array_value, Value::Boolean),
            kind if kind == Kind::IntegerArray as u8 => list(&self.integer_array_value, Value::Integer),
            kind if kind == Kind::DoubleArray as u8 => {
                self.double_array_value.iter().try_for_each(|&value| finite(value).map(drop))?;
                list(&self.double_array_value, Value::Float)
            }
            kind if kind == Kind::StringArray as u8 => list(&self.string_array_value, Value::Text),
            kind => return Err(format!("ROS 2 has no parameters of type {kind}")),
        })
    }
}

/// Returns the ROS 2 type of a parameter; `None` if it cannot be a parameter of ROS 2.
fn kind(data_type: &DataType) -> Option<Kind> {
    Some(match data_type {
        DataType::Boolean => Kind::Bool,
        DataType::Signed(_) | DataType::Unsigned(_) => Kind::Integer,
        DataType::Float32 | DataType::Float64 | DataType::Duration => Kind::Double,
        DataType::Text => Kind::String,
        DataType::Enumeration { .. } => variants(data_type).map(|_| Kind::String)?,
        DataType::Optional(inner) => kind(inner)?,
        DataType::Array(inner, _) | DataType::Sequence(inner) | DataType::Bounded(inner, _) => match &**inner {
            DataType::Unsigned(8) => Kind::ByteArray,
            DataType::Optional(_) => return None,
            inner => match kind(inner)? {
                Kind::Bool => Kind::BoolArray,
                Kind::Integer => Kind::IntegerArray,
                Kind::Double => Kind::DoubleArray,
                Kind::String => Kind::StringArray,
                _ => return None,
            },
        },
        DataType::Time | DataType::Structure { .. } => return None,
    })
}

/// Returns the names that a value of an enum without data can have.
fn variants(data_type: &DataType) -> Option<Vec<&str>> {
    match data_type {
        DataType::Optional(inner)
        | DataType::Array(inner, _)
        | DataType::Sequence(inner)
        | DataType::Bounded(inner, _) => variants(inner),
        DataType::Enumeration { variants, .. } => {
            let name = |variant: &'_ Variant| variant.fields.is_empty();
            variants.iter().all(name).then(|| variants.iter().map(|variant| variant.name.as_str()).collect())
        }
        _ => None,
    }
}

fn integer(value: &Value) -> i64 {
    match value {
        Value::Integer(value) => *value,
        Value::Unsigned(value) => i64::try_from(*value).unwrap_or(i64::MAX),
        _ => 0,
    }
}

fn double(value: &Value) -> f64 {
    match value {
        Value::Float(value) => *value,
        Value::Integer(value) => *value as f64,
        Value::Unsigned(value) => *value as f64,
        _ => f64::NAN,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(value) => value.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests;
