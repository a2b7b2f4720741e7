//! Names that are replaced by others, as remapping does in ROS 2.

use hemiola_model::configuration::Ros2Configuration;

use crate::error::Ros2Error;
use crate::names::{NodeName, TopicName};

/// Returns the configuration of a node with its names replaced as `remap` says. Names are compared
/// as full names, so that `scan` and `/scan` are one in the root namespace.
///
/// # Errors
/// Returns an error if ROS 2 does not permit a name.
pub fn remapped(configuration: &Ros2Configuration, node: &NodeName) -> Result<Ros2Configuration, Ros2Error> {
    let mut remapped = configuration.clone();
    let full = |name: &str| TopicName::of(node, name);
    let rules = configuration.remap.iter().map(|(from, to)| Ok((full(from)?, full(to)?)));
    let rules = rules.collect::<Result<Vec<_>, Ros2Error>>()?;
    let Ros2Configuration { publish, subscribe, serve, call, action_server, action_client, .. } = &mut remapped;
    let topics = publish.iter_mut().map(|it| &mut it.name).chain(subscribe.iter_mut().map(|it| &mut it.name));
    let services = serve.iter_mut().chain(call).map(|it| &mut it.name);
    let actions = action_server.iter_mut().chain(action_client).map(|it| &mut it.name);
    for name in topics.chain(services).chain(actions) {
        let before = full(name)?;
        if let Some((_, to)) = rules.iter().find(|(from, _)| *from == before) {
            *name = to.to_string();
        }
    }
    Ok(remapped)
}

#[cfg(test)]
mod tests {
    use hemiola_model::configuration::{Ros2Action, Ros2Service, Ros2Subscribed, Subject};

    use super::*;

    fn configuration(remap: &[(&str, &str)]) -> Ros2Configuration {
        let subscribed = |name: &str| Ros2Subscribed::new(name, Subject::topic("Any"));
        Ros2Configuration {
            subscribe: ["/scan", "scan", "~/scan"].map(subscribed).to_vec(),
            serve: vec![Ros2Service::new("reset", "Reset")],
            action_client: vec![Ros2Action::new("~/dock", "Dock")],
            remap: remap.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect(),
            ..Ros2Configuration::default()
        }
    }

    fn names(remap: &[(&str, &str)]) -> Vec<String> {
        let Ros2Configuration { subscribe, serve, action_client, .. } =
            remapped(&configuration(remap), &"/left/rover".parse().unwrap()).unwrap();
        let names = subscribe.into_iter().map(|it| it.name).chain(serve.into_iter().map(|it| it.name));
        names.chain(action_client.into_iter().map(|it| it.name)).collect()
    }

    #[test]
    fn names_are_compared_as_full_names_and_the_first_rule_counts() {
        let all = ["/scan", "scan", "~/scan", "reset", "~/dock"];
        assert_eq!(names(&[]), all);
        assert_eq!(names(&[("/gone", "/front")]), all);
        assert_eq!(names(&[("/scan", "front")]), ["/left/front", "scan", "~/scan", "reset", "~/dock"]);
        let rules = [("scan", "/front"), ("/left/scan", "/back"), ("~/scan", "~/near"), ("/left/reset", "/reset")];
        assert_eq!(names(&rules), ["/scan", "/front", "/left/rover/near", "/reset", "~/dock"]);
        assert_eq!(names(&[("~/dock", "/dock")])[4], "/dock");
    }

    #[test]
    fn a_name_that_ros_2_does_not_have_is_an_error() {
        let node: NodeName = "/rover".parse().unwrap();
        let error = remapped(&configuration(&[("/scan", "/the scan")]), &node).unwrap_err().to_string();
        assert!(error.contains("`/the scan`"), "{error}");
    }
}
