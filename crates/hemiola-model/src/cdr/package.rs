//! Packages of ROS 2 with the definitions of messages, services and actions.

mod build;

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::{ActionSchema, MessageSchema, ServiceSchema};

/// Packages for a ROS 2 workspace: they define messages, services and actions as they are in logs
/// and on links, with the same hashes. Packages that come with ROS 2 are only named.
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_model::cdr::{MessageSchema, PackageAuthor, RosPackages};
/// use hemiola_model::data::{Data, DataType, Field};
///
/// let seen = DataType::structure("soccer/Seen", vec![Field::new("at", Time::data_type(), "When.")]);
/// let mut packages = RosPackages::default();
/// packages.add_message(&MessageSchema::of("Seen", &seen))?;
///
/// let files = packages.files(&PackageAuthor::default());
/// assert_eq!(files["soccer/msg/Seen.msg"], "# When.\nbuiltin_interfaces/Time at\n");
/// assert!(files["soccer/package.xml"].contains("<depend>builtin_interfaces</depend>"));
/// assert!(files["soccer/CMakeLists.txt"].contains("\"msg/Seen.msg\""));
/// # Ok::<(), hemiola_model::cdr::PackageError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RosPackages {
    packages: BTreeMap<String, Package>,
}

#[derive(Clone, Debug, Default)]
struct Package {
    /// The definitions by their paths, such as `msg/Ball.msg`.
    definitions: BTreeMap<String, String>,
    /// The packages whose messages the definitions contain.
    needs: BTreeSet<String>,
}

/// The author's fields of a package manifest, which every package of ROS 2 must have.
///
/// See [`RosPackages::files`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageAuthor {
    /// The maintainer's name.
    pub name: String,
    /// The maintainer's address.
    pub email: String,
    /// The licence.
    pub license: String,
}

/// The reason why a type cannot be part of a package of ROS 2.
///
/// ```
/// use hemiola_model::cdr::{MessageSchema, RosPackages};
/// use hemiola_model::data::{DataType, Field};
///
/// let ball = |data_type| {
///     let ball = DataType::structure("soccer/Ball", vec![Field::new("radius", data_type, "")]);
///     MessageSchema::of("Ball", &ball)
/// };
/// let mut packages = RosPackages::default();
/// packages.add_message(&ball(DataType::Float32))?;
/// let error = packages.add_message(&ball(DataType::Float64)).unwrap_err();
/// assert!(error.to_string().starts_with("there are two types `soccer/msg/Ball`"));
/// # Ok::<(), hemiola_model::cdr::PackageError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackageError {
    /// Two types have the same name.
    #[error(
        "there are two types `{name}` with different fields; a package has one of a name (give one of them another with \
         `#[data(name = \"..\")]`)"
    )]
    TwoTypes {
        /// The full name.
        name: String,
    },
    /// Two fields of a type have the same name in the spelling of ROS 2.
    #[error("`{name}` has two fields that are called `{field}` in ROS 2 (rename one of them)")]
    TwoFields {
        /// The full name of the type.
        name: String,
        /// The name of the fields.
        field: String,
    },
    /// A type that belongs to no package contains types of a package, which in turn contains it in
    /// one of its own types: packages of ROS 2 cannot depend on each other.
    #[error(
        "`{name}` has `{inner}` in it, and would be in another package than what it is a part of, each of which needs the \
         other (a sequence in a sequence or option, or a tuple, of such a type: write a struct with that field instead)"
    )]
    Circle {
        /// The full name of the type.
        name: String,
        /// The full name of a type that it contains.
        inner: String,
    },
}

/// The package for types that belong to none of the user's packages.
const OURS: &str = "hemiola";
/// The field that stands for the absence of fields.
const EMPTY: &str = "uint8 structure_needs_at_least_one_member\n";
/// The message packages that come with ROS 2, or are installed with it: they are not written.
const OF_ROS: [&str; 27] = [
    "action_msgs",
    "actionlib_msgs",
    "builtin_interfaces",
    "composition_interfaces",
    "control_msgs",
    "diagnostic_msgs",
    "example_interfaces",
    "foxglove_msgs",
    "geometry_msgs",
    "lifecycle_msgs",
    "map_msgs",
    "nav2_msgs",
    "nav_msgs",
    "rcl_interfaces",
    "rosgraph_msgs",
    "sensor_msgs",
    "service_msgs",
    "shape_msgs",
    "statistics_msgs",
    "std_msgs",
    "std_srvs",
    "stereo_msgs",
    "tf2_msgs",
    "trajectory_msgs",
    "type_description_interfaces",
    "unique_identifier_msgs",
    "visualization_msgs",
];

impl RosPackages {
    /// Adds a message with all messages that it contains. After an error, nothing of it is added.
    ///
    /// # Errors
    /// Fails if a name is taken by another type, or the type is not possible in ROS 2.
    pub fn add_message(&mut self, schema: &MessageSchema) -> Result<(), PackageError> {
        let mut next = self.clone();
        next.add_definitions(schema.definitions())?;
        *self = next;
        Ok(())
    }

    /// Adds a service with all messages that it contains. After an error, nothing of it is added.
    ///
    /// # Errors
    /// Returns the same errors as [`add_message`](Self::add_message).
    pub fn add_service(&mut self, schema: &ServiceSchema) -> Result<(), PackageError> {
        self.add_parts(&schema.name, "srv", [&schema.request, &schema.response], None)
    }

    /// Adds an action with all messages that it contains. After an error, nothing of it is added.
    ///
    /// # Errors
    /// Returns the same errors as [`add_message`](Self::add_message).
    pub fn add_action(&mut self, schema: &ActionSchema) -> Result<(), PackageError> {
        // What ROS 2 makes of an action contains messages of this package.
        let parts = [&schema.goal, &schema.result, &schema.feedback];
        self.add_parts(&schema.name, "action", parts, Some("action_msgs"))
    }

    /// Adds a definition that consists of several messages, and `needed`, a package that it needs
    /// beside those of its messages.
    fn add_parts<const COUNT: usize>(
        &mut self,
        name: &str,
        kind: &str,
        schemas: [&MessageSchema; COUNT],
        needed: Option<&str>,
    ) -> Result<(), PackageError> {
        let (package, short) = name.split_once(&format!("/{kind}/")).unwrap_or_default();
        if OF_ROS.contains(&package) {
            return Ok(());
        }
        let mut next = self.clone();
        let mut parts = Vec::new();
        let mut needs: BTreeSet<String> = needed.map(str::to_owned).into_iter().collect();
        for schema in schemas {
            let mut definitions = schema.definitions();
            let (name, text) = definitions.next().unwrap_or_default();
            check_fields(&name, text)?;
            needs.extend(packages_in(text));
            parts.push(file_of(text));
            next.add_definitions(definitions)?;
        }
        next.add(name, package, format!("{kind}/{short}.{kind}"), parts.join("---\n"), needs)?;
        *self = next;
        Ok(())
    }

    /// Returns the files by their paths, which begin with the package's name and have `/` between
    /// folders.
    pub fn files(&self, author: &PackageAuthor) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for (name, package) in &self.packages {
            files.insert(format!("{name}/package.xml"), package.manifest(name, author));
            files.insert(format!("{name}/CMakeLists.txt"), package.build_file(name));
            files.extend(package.definitions.iter().map(|(path, text)| (format!("{name}/{path}"), text.clone())));
        }
        files
    }

    /// Returns the names of the packages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.keys().map(String::as_str)
    }

    fn add_definitions<'t>(
        &mut self,
        definitions: impl Iterator<Item = (String, &'t str)>,
    ) -> Result<(), PackageError> {
        for (name, text) in definitions {
            check_fields(&name, text)?;
            let (package, short) = name.split_once("/msg/").unwrap_or_default();
            self.add(&name, package, format!("msg/{short}.msg"), file_of(text), packages_in(text).collect())?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: &str,
        package: &str,
        path: String,
        text: String,
        mut needs: BTreeSet<String>,
    ) -> Result<(), PackageError> {
        if OF_ROS.contains(&package) {
            return Ok(());
        }
        needs.remove(package);
        if package == OURS
            && let Some(inner) = needs.iter().find(|needed| !OF_ROS.contains(&needed.as_str()))
        {
            let inner = element_of(&text, inner).unwrap_or_else(|| inner.clone());
            return Err(PackageError::Circle { name: name.to_owned(), inner });
        }
        let package = self.packages.entry(package.to_owned()).or_default();
        package.needs.extend(needs);
        let known = package.definitions.entry(path).or_insert_with(|| text.clone());
        if without_comments(known).eq(without_comments(&text)) {
            return Ok(());
        }
        Err(PackageError::TwoTypes { name: name.to_owned() })
    }
}

impl PackageAuthor {
    /// The text by which `package.xml` of a package that is written here differs from all others.
    pub const MARK: &str = "Messages and services of a robot, written by Hemiola";
}

impl Default for PackageAuthor {
    /// Returns the values that `ros2 pkg create` writes by default.
    fn default() -> Self {
        let license = "TODO: License declaration".to_owned();
        Self { name: "maintainer".to_owned(), email: "maintainer@example.com".to_owned(), license }
    }
}

/// Returns the text of a file with these fields. Where there are none, ROS 2 adds the one that
/// stands for their absence.
fn file_of(text: &str) -> String {
    if text == EMPTY { String::new() } else { text.to_owned() }
}

/// Returns the type and the name of each field, without the constants.
fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    without_comments(text).filter_map(|line| line.split_once(' ')).filter(|(_, name)| !name.contains('='))
}

fn without_comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// Returns the packages of the messages that a definition names.
fn packages_in(text: &str) -> impl Iterator<Item = String> {
    fields(text).filter_map(|(of_type, _)| Some(of_type.split_once('/')?.0.to_owned()))
}

/// Returns the full name of a message of this package that a definition names.
fn element_of(text: &str, package: &str) -> Option<String> {
    let (_, name) = fields(text).filter_map(|(of_type, _)| of_type.split_once('/')).find(|(of, _)| *of == package)?;
    Some(format!("{package}/msg/{}", name.split('[').next().unwrap_or(name)))
}

fn check_fields(name: &str, text: &str) -> Result<(), PackageError> {
    let mut known = BTreeSet::new();
    match fields(text).find(|(_, field)| !known.insert(*field)) {
        Some((_, field)) => Err(PackageError::TwoFields { name: name.to_owned(), field: field.to_owned() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
