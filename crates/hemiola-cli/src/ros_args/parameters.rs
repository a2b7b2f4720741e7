//! Parameters of ROS 2 for the modules and sources of a robot.

use hemiola_model::configuration::{Configuration, Ros2Configuration};
use hemiola_model::module::registry;

use super::yaml::{self, Yaml};

/// The parameters that every node has, and that a robot does not let others set.
const OF_NODE: [&str; 2] = ["use_sim_time", "start_type_description_service"];
/// The key below which a node's parameters stand in a file.
const PARAMETERS: &str = "ros__parameters";

/// Returns the full names of a robot's nodes: one for each process.
pub fn nodes(configuration: &Configuration, robot: &str) -> Vec<String> {
    let node = configuration.ros2.clone().unwrap_or_default();
    let others = configuration.processes.iter().map(|process| Some(process.name.clone()));
    [None]
        .into_iter()
        .chain(others)
        .map(|process| Ros2Configuration { process, ..node.clone() }.full_name(robot))
        .collect()
}

/// Returns the parameters in a file that are those of one of the nodes, with values in TOML.
///
/// # Errors
/// Returns an error with the line and the reason.
pub fn of_file(text: &str, nodes: &[String]) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    collect(&yaml::file(text)?, "", nodes, &mut found)?;
    Ok(found)
}

fn collect(yaml: &Yaml, path: &str, nodes: &[String], found: &mut Vec<(String, String)>) -> Result<(), String> {
    let Yaml::Table(entries) = yaml else {
        return Err(format!("`{path}` has a value, and no `{PARAMETERS}`"));
    };
    for (key, inner) in entries {
        if key == PARAMETERS {
            if nodes.iter().any(|node| fits(path, node)) {
                flatten(inner, "", found);
            }
        } else {
            collect(inner, &format!("{path}/{}", key.trim_matches('/')), nodes, found)?;
        }
    }
    Ok(())
}

/// Returns whether the name of a node fits a pattern, in which `*` is any word and `**` any number
/// of words.
fn fits(pattern: &str, node: &str) -> bool {
    fn from(pattern: &[&str], node: &[&str]) -> bool {
        match (pattern, node) {
            ([], []) => true,
            (["**", rest @ ..], _) => (0..=node.len()).any(|skipped| from(rest, &node[skipped..])),
            ([word, rest @ ..], [first, others @ ..]) => (*word == "*" || word == first) && from(rest, others),
            _ => false,
        }
    }
    let [pattern, node] = [pattern, node].map(|text| text.trim_matches('/').split('/').collect::<Vec<_>>());
    from(&pattern, &node)
}

fn flatten(yaml: &Yaml, prefix: &str, found: &mut Vec<(String, String)>) {
    match yaml {
        Yaml::Value(value) => found.push((prefix.to_owned(), value.clone())),
        Yaml::Table(entries) => {
            for (key, inner) in entries {
                let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(inner, &name, found);
            }
        }
    }
}

/// Returns the assignment of a parameter, as of `--set`; `None` for those of a node that are not
/// set.
///
/// # Errors
/// Returns an error if no module or source has that name.
pub fn assignment(name: &str, value: &str) -> Result<Option<String>, String> {
    if OF_NODE.contains(&name) {
        return Ok(None);
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
    fn a_file_gives_what_is_for_one_of_the_robots_nodes() {
        let text = "/**:\n  ros__parameters:\n    Walk:\n      gain: 1\nteam:\n  rover:\n    ros__parameters:\n      Walk.gain: 2\n  \
                    lidar:\n    ros__parameters:\n      range: 8\n";
        let pair = |value: &str| ("Walk.gain".to_owned(), value.to_owned());
        assert_eq!(of_file(text, &["/team/rover".to_owned()]), Ok(vec![pair("1"), pair("2")]));
        assert_eq!(of_file(text, &["/rover".to_owned()]), Ok(vec![pair("1")]));
        assert!(of_file("rover: 3\n", &[]).is_err_and(|why| why == "`/rover` has a value, and no `ros__parameters`"));
    }

    #[test]
    fn each_process_is_a_node() {
        assert_eq!(nodes(&Configuration::default(), "my-rover"), ["/my_rover"]);
    }

    #[test]
    fn what_belongs_to_no_module_is_an_error_and_what_belongs_to_the_node_is_left_out() {
        assert_eq!(assignment("use_sim_time", "true"), Ok(None));
        assert!(assignment("Nobody.gain", "1").is_err_and(|why| why.contains("`Nobody.gain` is no parameter")));
        assert!(assignment("gain", "1").is_err());
    }
}
