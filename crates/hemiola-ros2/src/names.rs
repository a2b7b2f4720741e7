//! Names of types, nodes and topics, by the rules of ROS 2.

use std::fmt;
use std::str::FromStr;

use crate::error::Ros2Error;

/// The full name of a type: `sensor_msgs/msg/Imu`.
///
/// ```
/// use hemiola_ros2::{InterfaceKind, TypeName};
///
/// let imu: TypeName = "sensor_msgs/msg/Imu".parse()?;
/// assert_eq!((imu.package(), imu.kind(), imu.name()), ("sensor_msgs", InterfaceKind::Message, "Imu"));
/// assert_eq!(imu.dds(), "sensor_msgs::msg::dds_::Imu_");
/// assert_eq!(TypeName::from_dds("sensor_msgs::msg::dds_::Imu_")?, imu);
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeName {
    package: String,
    kind: InterfaceKind,
    name: String,
}

/// The kind of an interface, which is the folder of its file.
///
/// ```
/// use hemiola_ros2::InterfaceKind;
///
/// assert_eq!(InterfaceKind::Service.folder(), "srv");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InterfaceKind {
    /// A message, `msg`.
    Message,
    /// A service, `srv`.
    Service,
    /// A part of an action, `action`.
    Action,
}

/// The full name of a node: a namespace and a name in it.
///
/// ```
/// use hemiola_ros2::NodeName;
///
/// let node = NodeName::new("/rover", "base")?;
/// assert_eq!(node, "/rover/base".parse()?);
/// assert_eq!((node.namespace(), node.name(), node.to_string().as_str()), ("/rover", "base", "/rover/base"));
/// assert_eq!(NodeName::new("/", "base")?.to_string(), "/base");
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName {
    /// `/` or `/a/b`.
    namespace: String,
    name: String,
}

/// The full name of a topic or service: `/scan`.
///
/// ```
/// use hemiola_ros2::{NodeName, TopicName};
///
/// let base = NodeName::new("/rover", "base")?;
/// assert_eq!(TopicName::new("/scan")?.as_str(), "/scan");
/// assert_eq!(TopicName::of(&base, "scan")?.as_str(), "/rover/scan");
/// assert_eq!(TopicName::of(&base, "~/scan")?.as_str(), "/rover/base/scan");
/// assert_eq!(TopicName::of(&base, "/scan")?.as_str(), "/scan");
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicName(String);

/// The longest name of a topic (`RMW_TOPIC_MAX_NAME_LENGTH`).
const LONGEST_TOPIC: usize = 247;
/// The longest namespace (`RMW_NAMESPACE_MAX_LENGTH`).
const LONGEST_NAMESPACE: usize = 245;
/// The longest name of a node (`RMW_NODE_NAME_MAX_NAME_LENGTH`).
const LONGEST_NODE: usize = 255;

impl InterfaceKind {
    /// Returns the folder in which files of this kind lie.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Message => "msg",
            Self::Service => "srv",
            Self::Action => "action",
        }
    }

    fn of_folder(folder: &str) -> Option<Self> {
        [Self::Message, Self::Service, Self::Action].into_iter().find(|kind| kind.folder() == folder)
    }
}

impl TypeName {
    /// Creates the name of a type.
    ///
    /// # Errors
    /// Returns an error if the package contains anything but lower-case letters, digits and `_`,
    /// the name anything but letters, digits and `_`, or one of them does not begin with a letter.
    pub fn new(package: &str, kind: InterfaceKind, name: &str) -> Result<Self, Ros2Error> {
        let wrong = |why, remedy| {
            let name = format!("{package}/{}/{name}", kind.folder());
            Err(Ros2Error::Name { what: "type name", name, why, remedy })
        };
        if let Some(why) = flaw(package, |letter| letter.is_ascii_lowercase() || letter.is_ascii_digit()) {
            return wrong(format!("its package {why}"), "use lower-case letters, digits and `_`, as in `sensor_msgs`");
        }
        if let Some(why) = flaw(name, |letter| letter.is_ascii_alphanumeric()) {
            return wrong(format!("its last part {why}"), "use letters and digits, as in `PointCloud2`");
        }
        Ok(Self { package: package.to_owned(), kind, name: name.to_owned() })
    }

    /// Parses a name in the spelling of DDS: `sensor_msgs::msg::dds_::Imu_`.
    ///
    /// # Errors
    /// Returns an error if it is not in that spelling.
    pub fn from_dds(text: &str) -> Result<Self, Ros2Error> {
        let parts: Vec<&str> = text.split("::").collect();
        if let [package, folder, "dds_", name] = parts[..]
            && let (Some(kind), Some(name)) = (InterfaceKind::of_folder(folder), name.strip_suffix('_'))
        {
            return Self::new(package, kind, name);
        }
        Err(Ros2Error::Name {
            what: "type name",
            name: text.to_owned(),
            why: "it is not in the spelling of DDS".to_owned(),
            remedy: "as in `sensor_msgs::msg::dds_::Imu_`",
        })
    }

    /// Returns the package.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// Returns the kind.
    pub fn kind(&self) -> InterfaceKind {
        self.kind
    }

    /// Returns the name within its package.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name in the spelling of DDS, which keys and tokens use.
    pub fn dds(&self) -> String {
        format!("{}::{}::dds_::{}_", self.package, self.kind.folder(), self.name)
    }
}

impl FromStr for TypeName {
    type Err = Ros2Error;

    /// Parses `package/msg/Name`, or `package/Name` for a message.
    fn from_str(text: &str) -> Result<Self, Ros2Error> {
        let parts: Vec<&str> = text.split('/').collect();
        match parts[..] {
            [package, name] => return Self::new(package, InterfaceKind::Message, name),
            [package, folder, name] => {
                if let Some(kind) = InterfaceKind::of_folder(folder) {
                    return Self::new(package, kind, name);
                }
            }
            _ => {}
        }
        Err(Ros2Error::Name {
            what: "type name",
            name: text.to_owned(),
            why: "it does not consist of a package, a kind and a name".to_owned(),
            remedy: "as in `sensor_msgs/msg/Imu` or `std_srvs/srv/Trigger`",
        })
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/{}", self.package, self.kind.folder(), self.name)
    }
}

impl NodeName {
    /// Creates the name of a node in a namespace; `/` or an empty text is the root namespace.
    ///
    /// # Errors
    /// Returns an error if ROS 2 does not permit the name or the namespace.
    pub fn new(namespace: &str, name: &str) -> Result<Self, Ros2Error> {
        let namespace = if namespace.is_empty() { "/" } else { namespace };
        if namespace != "/" {
            check_path("namespace", namespace, LONGEST_NAMESPACE)?;
        }
        let wrong = |why, remedy| Err(Ros2Error::Name { what: "node name", name: name.to_owned(), why, remedy });
        if let Some(why) = flaw(name, |letter| letter.is_ascii_alphanumeric()) {
            return wrong(why, "use letters, digits and `_`, and begin with a letter or `_`");
        }
        if name.len() > LONGEST_NODE {
            return wrong(format!("it has {} letters", name.len()), "use at most 255");
        }
        Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
    }

    /// Returns the namespace: `/`, or `/a/b`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name within its namespace.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for NodeName {
    type Err = Ros2Error;

    /// Parses `/namespace/name`, or a name in the root namespace.
    fn from_str(text: &str) -> Result<Self, Ros2Error> {
        let (namespace, name) = text.rsplit_once('/').unwrap_or(("", text));
        Self::new(namespace, name)
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let namespace = if self.namespace == "/" { "" } else { &self.namespace };
        write!(formatter, "{namespace}/{}", self.name)
    }
}

impl TopicName {
    /// Creates a topic from its full name.
    ///
    /// # Errors
    /// Returns an error if the name does not begin with `/`, or ROS 2 does not permit it.
    pub fn new(name: &str) -> Result<Self, Ros2Error> {
        check_path("topic name", name, LONGEST_TOPIC)?;
        Ok(Self(name.to_owned()))
    }

    /// Creates a topic from a name as a node uses it: one that begins with `/` is absolute, one
    /// that begins with `~/` is private to the node, any other is relative to the node's namespace.
    ///
    /// # Errors
    /// Returns the same errors as [`new`](Self::new).
    pub fn of(node: &NodeName, name: &str) -> Result<Self, Ros2Error> {
        let namespace = if node.namespace == "/" { "" } else { &node.namespace };
        match name.strip_prefix("~/") {
            _ if name.starts_with('/') => Self::new(name),
            Some(rest) => Self::new(&format!("{node}/{rest}")),
            None if name.is_empty() => Self::new(name),
            None => Self::new(&format!("{namespace}/{name}")),
        }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TopicName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Replaces each `/` by `%`, because parts of tokens contain no `/`.
pub(crate) fn mangle(text: &str) -> String {
    text.replace('/', "%")
}

/// Replaces each `%` by `/`.
pub(crate) fn demangle(text: &str) -> String {
    text.replace('%', "/")
}

/// Returns what is wrong with a word, if anything; `_` is always permitted.
fn flaw(word: &str, permitted: impl Fn(char) -> bool) -> Option<String> {
    match word.chars().find(|letter| !permitted(*letter) && *letter != '_') {
        _ if word.is_empty() => Some("is empty".to_owned()),
        Some(letter) => Some(format!("has a `{letter}`")),
        None if word.starts_with(|letter: char| letter.is_ascii_digit()) => Some("begins with a digit".to_owned()),
        None => None,
    }
}

/// Checks a name that consists of `/` and words (`rmw_validate_full_topic_name`).
fn check_path(what: &'static str, name: &str, longest: usize) -> Result<(), Ros2Error> {
    let (why, remedy) = if name.is_empty() {
        ("it is empty".to_owned(), "as in `/camera/image`")
    } else if let Some(letter) =
        name.chars().find(|letter| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '/')))
    {
        (format!("it has a `{letter}`"), "use letters, digits, `_` and `/`")
    } else if !name.starts_with('/') {
        ("it does not begin with `/`".to_owned(), "full names do, as in `/camera/image`")
    } else if name.ends_with('/') {
        ("it ends with `/`".to_owned(), "remove the last `/`")
    } else if name.contains("//") {
        ("it has `//`".to_owned(), "remove one `/`")
    } else if let Some(word) = name.split('/').find(|word| word.starts_with(|letter: char| letter.is_ascii_digit())) {
        (format!("`{word}` begins with a digit"), "begin each part with a letter or `_`")
    } else if name.len() > longest {
        (format!("it has {} letters, and {longest} are permitted", name.len()), "use a shorter one")
    } else {
        return Ok(());
    };
    Err(Ros2Error::Name { what, name: name.to_owned(), why, remedy })
}
