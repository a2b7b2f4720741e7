//! The selection of the host of robot.toml that this machine is.

use hemiola_model::configuration::Configuration;

use crate::error::CommandError;

/// Returns the name of the host of robot.toml whose processes run here: the given one, or the one
/// with the name of this machine; `None` if the robot has a single host.
///
/// # Errors
/// Returns an error if there is no such host, or nothing runs on it.
pub fn this_host(configuration: &Configuration, typed: Option<&str>) -> Result<Option<String>, CommandError> {
    let names: Vec<&str> = configuration.hosts.iter().map(|host| host.name.as_str()).collect();
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name = match typed {
        Some(typed) if names.is_empty() => {
            let text = format!("--host {typed}: this robot has no hosts; add `[host.{typed}]` with its `address`");
            return Err(CommandError::Usage(text));
        }
        Some(typed) => names.iter().find(|name| **name == typed),
        None if names.is_empty() => return Ok(None),
        None => names.iter().find(|name| **name == machine),
    };
    let Some(name) = name else {
        if let Some(typed) = typed {
            return Err(CommandError::unknown("host", typed, names.iter().copied()));
        }
        let text = format!(
            "this machine is named `{machine}`, which is none of the robot's hosts: {}; select one: \
             --host {}, or run one process: --process {}",
            names.join(", "),
            names[0],
            configuration.process_names().first().unwrap_or(&"NAME")
        );
        return Err(CommandError::Usage(text));
    };
    if configuration.processes_of(name).is_empty() {
        let text = format!("no process runs on `{name}`; write `host = \"{name}\"` in the table of one");
        return Err(CommandError::Usage(text));
    }
    Ok(Some((*name).to_owned()))
}

#[cfg(test)]
mod tests {
    use hemiola_model::configuration::{HostConfiguration, ProcessConfiguration};

    use super::*;

    fn two_hosts(first: &str) -> Configuration {
        Configuration {
            hosts: vec![HostConfiguration::new(first, [127, 0, 0, 2]), HostConfiguration::new("head", [127, 0, 0, 3])],
            processes: vec![ProcessConfiguration::new("motion", [])],
            ..Configuration::default()
        }
    }

    #[test]
    fn a_host_is_the_one_that_is_typed_or_has_the_machines_name() {
        let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let robot = two_hosts(&machine);
        assert_eq!(this_host(&robot, None).unwrap(), Some(machine.clone()));
        assert_eq!(this_host(&robot, Some(&machine)).unwrap(), Some(machine));
        assert_eq!(this_host(&Configuration::default(), None).unwrap(), None);
    }

    #[test]
    fn a_host_that_is_not_there_or_has_nothing_to_do_is_an_error_that_says_what_to_do() {
        let robot = two_hosts("body.that-nobody-has");
        let error = |robot: &Configuration, typed| this_host(robot, typed).unwrap_err().to_string();
        let unknown = error(&robot, None);
        assert!(unknown.contains("which is none of the robot's hosts: body.that-nobody-has, head"), "{unknown}");
        assert!(unknown.contains("--host body.that-nobody-has, or run one process: --process motion"), "{unknown}");
        assert!(error(&robot, Some("haed")).contains("did you mean `head`?"));
        assert!(error(&robot, Some("head")).contains("write `host = \"head\"` in the table of one"));
        assert!(error(&Configuration::default(), Some("head")).contains("this robot has no hosts"));
    }
}
