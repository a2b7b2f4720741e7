//! The traffic to and from other programs: representations that no module here reads, those that
//! are read elsewhere, and services that no module here calls.

use std::collections::BTreeSet;

use hemiola_config::{Diagnostic, Diagnostics, Origins};
use hemiola_link::LinkError;
use hemiola_model::configuration::{Configuration, Incoming, LinkConfiguration, LinkEnd, Subject};
use hemiola_plan::Warning;
use hemiola_runtime::Robot;

use crate::ros2::MISSING;

/// Returns warnings about representations that come from other programs and that no module reads.
pub fn unread(robot: &Robot, origins: &Origins) -> Diagnostics {
    let sources = robot.fed_sources();
    let incoming = robot.configuration().incoming().filter(|incoming| sources.contains(&incoming.source.as_str()));
    let warning = |Incoming { received, carrier, path, .. }: Incoming<'_>| {
        let name = &received.subject.name;
        let why = match robot.provider(name) {
            Some(provider) => format!("and `{}` provides it here", provider.update),
            None if robot.reads(name) => return None,
            None => "and no module reads it".to_owned(),
        };
        let warning = Diagnostic::warning(format!("{carrier} receives `{name}`, {why}"));
        let warning = warning.help("remove it, or run a module that reads it");
        Some(match origins.at(&path) {
            Some(origin) => warning.at(&origin.place, ""),
            None => warning,
        })
    };
    incoming.filter_map(warning).collect()
}

/// Returns warnings about services of other programs for which there is a module that calls them,
/// but which does not run. Other services may be called by a thread of the program, which is not
/// known before it runs.
pub fn unasked(robot: &Robot, origins: &Origins, asked: &BTreeSet<String>) -> Diagnostics {
    let configuration = robot.configuration();
    let over_links = configuration.links.iter().flat_map(|link| {
        link.call
            .iter()
            .map(move |service| (format!("link `{}`", link.name), vec!["link", &link.name, "call"], service))
    });
    let of_others = configuration.ros2.iter().flat_map(|node| &node.call);
    let of_others = of_others.map(|it| ("`[ros2]`".to_owned(), vec!["ros2", "call", &it.name], &it.service));
    let unasked = over_links.chain(of_others).filter(|(.., name)| asked.contains(*name) && !robot.asks(name));
    let warning = |(carrier, path, service): (String, Vec<&str>, &String)| {
        let message = format!("{carrier} calls `{service}`, but no module that runs sends requests to it");
        let warning = Diagnostic::warning(message).help("remove it from `call`, or run the module that sends requests");
        match origins.at(&path) {
            Some(origin) => warning.at(&origin.place, ""),
            None => warning,
        }
    };
    unasked.map(warning).collect()
}

/// Returns a warning if robot.toml has `[ros2]` and this program cannot be a node of ROS 2.
pub fn without_ros2(configuration: &Configuration, origins: &Origins) -> Diagnostics {
    let missing = MISSING.filter(|_| configuration.ros2.is_some()).map(|missing| {
        let warning = Diagnostic::warning(missing);
        match origins.at(&["ros2"]) {
            Some(origin) => warning.at(&origin.place, ""),
            None => warning,
        }
    });
    missing.into_iter().collect()
}

/// Returns warnings about links at `zenoh:` addresses if this program was built without Zenoh.
pub fn without_zenoh(configuration: &Configuration, origins: &Origins) -> Diagnostics {
    let links = configuration.links.iter().filter(|link| !cfg!(feature = "zenoh") && link.end.is_over_zenoh());
    let warning = |link: &LinkConfiguration| {
        let warning = Diagnostic::warning(LinkError::without_zenoh(link).to_string());
        let key = if matches!(link.end, LinkEnd::Listen(_)) { "listen" } else { "connect" };
        match origins.at(&["link", &link.name, key]) {
            Some(origin) => warning.at(&origin.place, ""),
            None => warning,
        }
    };
    links.map(warning).collect()
}

/// Returns the warnings without those about representations that are sent to other programs: they
/// are read elsewhere.
pub fn without_sent(warnings: &[Warning], configuration: &Configuration) -> Vec<Warning> {
    let is_sent = |name: &String| {
        let subject = Subject::representation(name);
        let published = configuration.ros2.iter().flat_map(|node| &node.publish).map(|published| &published.sent);
        let mut sent = configuration.links.iter().flat_map(|link| &link.send).chain(published);
        sent.any(|sent| sent.subject == subject)
    };
    let others = warnings.iter().filter(|warning| match warning {
        Warning::Unused { representation, .. } => !is_sent(representation),
        _ => true,
    });
    others.cloned().collect()
}

#[cfg(test)]
mod tests {
    use hemiola::prelude::*;
    use hemiola_config::{Catalog, Loaded, parse};
    use hemiola_model::module::registry;

    use super::*;

    #[derive(Representation, Clone, Default)]
    struct Wind {
        speed: f32,
    }

    #[derive(Representation, Clone, Default)]
    struct Course {
        heading: f32,
    }

    #[derive(Module)]
    struct Navigator;

    #[module]
    impl Navigator {
        #[update]
        fn course(&self, wind: &Wind, course: &mut Course) {
            course.heading = wind.speed;
        }
    }

    #[derive(Module)]
    struct Weathercock;

    #[module]
    impl Weathercock {
        #[update]
        fn wind(&self, wind: &mut Wind) {
            wind.speed = 1.0;
        }
    }

    /// Asks how the weather is elsewhere.
    #[derive(Representation, Clone, Default)]
    struct Forecast {
        hours: u32,
    }

    #[derive(Module)]
    struct Forecaster;

    #[module]
    impl Forecaster {
        #[update]
        fn forecast(&self, forecasts: &mut Requests<Forecast, f32>) {
            _ = forecasts.send(Forecast { hours: 6 });
        }
    }

    /// Returns the robot of these modules that receives and sends, with where all that is written.
    fn robot(modules: &str, receive: &str, more: &str) -> (Robot, Origins) {
        let text = format!(
            "[cycle.main]\nrate = 10.0\nmodules = [{modules}]\n[link.mast]\nlisten = \"unix:/run/mast.sock\"\n\
             receive = [{{ representation = \"{receive}\" }}]\n{more}\n"
        );
        let Loaded { configuration, origins, .. } =
            parse(&text, "robot.toml", &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
        let modules = registry::modules().into_iter().filter(|module| module.path() == module_path!()).collect();
        (Robot::assemble_from(configuration, modules, Vec::new()).unwrap(), origins)
    }

    #[test]
    fn what_is_received_and_not_read_is_warned_of() {
        let said = |modules: &str, receive: &str, more: &str| {
            let (robot, origins) = robot(modules, receive, more);
            unread(&robot, &origins).to_string()
        };
        assert_eq!(said("\"Navigator\"", "Wind", ""), "");
        let unread = said("\"Weathercock\"", "Course", "");
        assert!(unread.contains("link `mast` receives `Course`, and no module reads it"), "{unread}");
        assert!(unread.contains("robot.toml:6:11"), "{unread}");
        let both = "\"Navigator\", \"Weathercock\"";
        let provided = said(both, "Wind", "[providers]\nWind = \"Weathercock\"");
        assert!(provided.contains("and `Weathercock.wind` provides it here"), "{provided}");
        assert_eq!(said(both, "Wind", "[providers]\nWind = \"link.mast.Wind\""), "");
    }

    #[test]
    fn a_service_that_is_called_and_that_no_module_asks_which_runs_is_warned_of() {
        let said = |modules: &str, call: &str| {
            let (robot, origins) = robot(modules, "Wind", &format!("call = [{call}]"));
            unasked(&robot, &origins, &Catalog::linked().services).to_string()
        };
        assert_eq!(said("\"Navigator\", \"Forecaster\"", "\"Forecast\""), "");
        let forgotten = said("\"Navigator\"", "\"Forecast\"");
        assert!(
            forgotten.contains("link `mast` calls `Forecast`, but no module that runs sends requests to it"),
            "{forgotten}"
        );
        assert!(forgotten.contains("robot.toml:7:8"), "{forgotten}");
        assert_eq!(said("\"Navigator\"", "\"Tide\""), "", "a thread may ask it");
    }

    #[test]
    fn what_is_sent_is_read_elsewhere() {
        let (robot, _) = robot("\"Navigator\"", "Wind", "send = [{ representation = \"Course\" }]");
        let unread = |warnings: &[Warning]| warnings.iter().any(|it| matches!(it, Warning::Unused { .. }));
        assert!(unread(robot.warnings()));
        assert!(!unread(&without_sent(robot.warnings(), robot.configuration())));
    }
}
