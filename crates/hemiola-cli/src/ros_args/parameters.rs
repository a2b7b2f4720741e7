//! Parameters of ROS 2 for the modules and sources of a robot.

use hemiola_model::configuration::{Configuration, Ros2Configuration};
use hemiola_model::module::registry;

use super::yaml::{self, Entry, Place, Yaml, YamlError};

/// A parameter in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    /// The value in TOML.
    pub value: String,
    pub place: Place,
}

/// The parameter that says whether a node goes by `/clock`.
const USE_SIM_TIME: &str = "use_sim_time";
/// The other parameter that every node has, and that a robot does not let others set.
const TYPE_DESCRIPTIONS: &str = "start_type_description_service";
/// The key below which a node's parameters stand in a file.
const PARAMETERS: &str = "ros__parameters";
/// The most parameters in a file.
const MOST_PARAMETERS: usize = 10_000;

/// Returns the full names of a robot's nodes: one for each process.
pub fn nodes(configuration: &Configuration, robot: &str) -> Vec<String> {
    let node = configuration.ros2.clone().unwrap_or_default();
    // The first process has the name that robot.toml says.
    let others = configuration.process_names().into_iter().skip(1).map(|name| Some(name.to_owned()));
    let processes = [None].into_iter().chain(others);
    processes.map(|process| Ros2Configuration { process, ..node.clone() }.full_name(robot)).collect()
}

/// Returns the parameters in a file that are those of one of the nodes, with values in TOML.
///
/// # Errors
/// Returns an error with the line and the reason.
pub fn of_file(text: &str, nodes: &[String]) -> Result<Vec<Parameter>, YamlError> {
    let mut found = Vec::new();
    if let Yaml::Table(entries) = yaml::file(text)? {
        collect(&entries, "", nodes, &mut found)?;
    }
    Ok(found)
}

fn collect(entries: &[Entry], path: &str, nodes: &[String], found: &mut Vec<Parameter>) -> Result<(), YamlError> {
    for Entry { name, content, place } in entries {
        if name == PARAMETERS {
            if nodes.iter().any(|node| fits(path, node)) {
                flatten(content, "", place, found)?;
            }
            continue;
        }
        let path = bounded(format!("{path}/{}", name.trim_matches('/')), place)?;
        match content {
            Yaml::Table(inner) => collect(inner, &path, nodes, found)?,
            Yaml::Value(value) => {
                let why = format!("`{path}` is {value}, and no table with `{PARAMETERS}`: write that line above it");
                return Err(place.error(why));
            }
        }
    }
    Ok(())
}

/// Returns whether the name of a node fits a pattern, in which `*` is any word and `**` any number
/// of words.
fn fits(pattern: &str, node: &str) -> bool {
    let [pattern, node] = [pattern, node].map(|text| text.trim_matches('/').split('/').collect::<Vec<_>>());
    let (mut at, mut word) = (0, 0);
    // The last `**`, and the first word that it may leave to what follows.
    let mut any = None;
    while word < node.len() {
        match pattern.get(at) {
            Some(&"**") => (any, at) = (Some((at, word)), at + 1),
            Some(expected) if *expected == "*" || *expected == node[word] => (at, word) = (at + 1, word + 1),
            _ => match any {
                // It stands for one word more.
                Some((begin, left)) => (any, at, word) = (Some((begin, left + 1)), begin + 1, left + 1),
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|rest| *rest == "**")
}

fn flatten(yaml: &Yaml, prefix: &str, place: &Place, found: &mut Vec<Parameter>) -> Result<(), YamlError> {
    match yaml {
        Yaml::Value(_) if prefix.is_empty() => {
            Err(place.error(format!("`{PARAMETERS}` has a value, and no parameters: write NAME: VALUE below it")))
        }
        Yaml::Value(_) if found.len() >= MOST_PARAMETERS => {
            Err(place.error(format!("the file has more than {MOST_PARAMETERS} parameters: split it")))
        }
        Yaml::Value(value) => {
            found.push(Parameter { name: prefix.to_owned(), value: value.clone(), place: place.clone() });
            Ok(())
        }
        Yaml::Table(entries) => entries.iter().try_for_each(|Entry { name, content, place }| {
            let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            flatten(content, &bounded(name, place)?, place, found)
        }),
    }
}

/// Returns a name that was put together, unless it is longer than any name of ROS 2.
fn bounded(name: String, place: &Place) -> Result<String, YamlError> {
    if name.len() > yaml::LONGEST_NAME {
        let why =
            format!("a name has {} bytes with what stands above it, of at most {}", name.len(), yaml::LONGEST_NAME);
        return Err(place.error(format!("{why}: shorten it")));
    }
    Ok(name)
}

/// Returns the assignment of a parameter, as of `--set`; `None` for those of a node, which say
/// nothing new. `has_own_clock` is whether the robot publishes its clock for others to go by.
///
/// # Errors
/// Returns an error if no module or source has that name, or the robot should go by another clock.
pub fn assignment(name: &str, value: &str, has_own_clock: bool) -> Result<Option<String>, String> {
    match (name, value) {
        (TYPE_DESCRIPTIONS, _) | (USE_SIM_TIME, "false") => return Ok(None),
        (USE_SIM_TIME, "true") if has_own_clock => return Ok(None),
        (USE_SIM_TIME, "true") => {
            return Err(
                "a robot goes by its own clock and not by the `/clock` of others: leave it out, and let the robot \
                        publish its clock for all (`clock = 100.0` in `[ros2]`), or let what the simulator publishes \
                        trigger its cycles"
                    .to_owned(),
            );
        }
        (USE_SIM_TIME, _) => return Err("it is true or false".to_owned()),
        _ => {}
    }
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|it| it.is_alphanumeric() || it == '_');
    match name.split_once('.').filter(|(_, parameter)| parameter.split('.').all(is_word)) {
        Some((owner, parameter)) if registry::modules().iter().any(|module| module.name() == owner) => {
            Ok(Some(format!("module.{owner}.{parameter}={value}")))
        }
        Some((owner, parameter)) if registry::sources().iter().any(|source| source.name() == owner) => {
            Ok(Some(format!("source.{owner}.parameters.{parameter}={value}")))
        }
        _ => Err(format!("`{name}` is no parameter of this robot: write Module.parameter, as `parameters` lists them")),
    }
}

#[cfg(test)]
mod tests {
    use hemiola_model::configuration::{CycleConfiguration, ProcessConfiguration, Trigger};

    use super::*;

    #[test]
    fn a_pattern_names_nodes_as_in_ros_2() {
        for (pattern, fit, unfit) in [
            ("/**", &["/rover", "/team/rover"][..], &[][..]),
            ("/*", &["/rover"], &["/team/rover"]),
            ("/rover", &["/rover"], &["/team/rover", "/rover_navigation"]),
            ("/**/rover", &["/rover", "/a/b/rover"], &["/rover/base"]),
            ("/team/*", &["/team/rover"], &["/rover", "/a/rover"]),
        ] {
            assert!(fit.iter().all(|node| fits(pattern, node)), "{pattern}");
            assert!(!unfit.iter().any(|node| fits(pattern, node)), "{pattern}");
        }
    }

    #[test]
    fn any_number_of_patterns_in_a_pattern_takes_no_time() {
        let pattern = "/**/a".repeat(50) + "/b";
        let node = "/a".repeat(120);
        assert!(!fits(&pattern, &node));
        assert!(fits(&pattern, &format!("{node}/b")) && fits("/**/**", "/rover") && !fits("/**/*/*", "/rover"));
    }

    fn read(text: &str, node: &str) -> Result<Vec<(String, String, usize)>, String> {
        let parameters = of_file(text, &[node.to_owned()]).map_err(|error| error.to_string())?;
        Ok(parameters.into_iter().map(|it| (it.name, it.value, it.place.line)).collect())
    }

    #[test]
    fn a_file_gives_what_is_for_one_of_the_robots_nodes() {
        let text = "/**:\n  ros__parameters:\n    Walk:\n      gain: 1\nteam:\n  rover:\n    ros__parameters:\n      Walk.gain: 2\n  \
                    lidar:\n    ros__parameters:\n      range: 8\n";
        let gain = |value: &str, line| ("Walk.gain".to_owned(), value.to_owned(), line);
        assert_eq!(read(text, "/team/rover"), Ok(vec![gain("1", 4), gain("2", 8)]));
        assert_eq!(read(text, "/rover"), Ok(vec![gain("1", 4)]));
    }

    #[test]
    fn what_is_no_file_of_parameters_is_an_error_with_the_line_and_a_remedy() {
        let long = format!("/**:\n  ros__parameters:\n    {0}:\n      {0}: 1\n", "a".repeat(200));
        let many = format!("/**: {{ros__parameters: {{{}}}}}\n", "a: 1, ".repeat(MOST_PARAMETERS + 1));
        for (text, why) in [
            ("a: 1\n", "line 1: `/a` is 1, and no table with `ros__parameters`: write that line above it"),
            ("/**:\n  ros__parameters: 3\n", "line 2: `ros__parameters` has a value, and no parameters"),
            ("/**:\n  ros__parameters:\n", "line 2: `ros__parameters`: it has no value: write one"),
            (&long, "line 4: a name has 401 bytes with what stands above it, of at most 256: shorten it"),
            (&many, "line 1: the file has more than 10000 parameters: split it"),
        ] {
            let said = read(text, "/rover").unwrap_err();
            assert!(said.starts_with(why), "{said}");
        }
    }

    #[test]
    fn each_process_is_a_node() {
        assert_eq!(nodes(&Configuration::default(), "my-rover"), ["/my_rover"]);
        let processes = ["eyes", "legs"].map(|name| ProcessConfiguration::new(name, [name.to_owned()]));
        let cycles = ["eyes", "legs"].map(|name| CycleConfiguration::new(name, Trigger::Rate(50.0)));
        let robot = Configuration { processes: processes.into(), cycles: cycles.into(), ..Configuration::default() };
        let names = robot.process_names();
        let of_process = |name: &&str| if *name == names[0] { "/rover".to_owned() } else { format!("/rover_{name}") };
        assert_eq!(nodes(&robot, "rover"), names.iter().map(of_process).collect::<Vec<_>>());
        assert!(nodes(&robot, "rover").contains(&"/rover_legs".to_owned()));
    }

    #[test]
    fn what_belongs_to_no_module_is_an_error_and_what_belongs_to_the_node_is_left_out() {
        assert_eq!(assignment("use_sim_time", "false", false), Ok(None));
        assert_eq!(assignment("use_sim_time", "true", true), Ok(None));
        assert_eq!(assignment("start_type_description_service", "true", false), Ok(None));
        for (name, value, why) in [
            (
                "use_sim_time",
                "true",
                "not by the `/clock` of others: leave it out, and let the robot publish its clock",
            ),
            ("use_sim_time", "1", "it is true or false"),
            ("Nobody.gain", "1", "`Nobody.gain` is no parameter of this robot: write Module.parameter"),
            ("gain", "1", "`gain` is no parameter"),
        ] {
            assert!(assignment(name, value, false).is_err_and(|said| said.contains(why)), "{name}");
        }
    }
}
