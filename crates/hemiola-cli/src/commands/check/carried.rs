//! Representations that links carry: those that nobody reads here, and those that are read
//! elsewhere.

use hemiola_config::{Diagnostic, Diagnostics, Origins};
use hemiola_model::configuration::{Configuration, LinkConfiguration, Received, Subject};
use hemiola_plan::Warning;
use hemiola_runtime::Robot;

/// Returns warnings of representations that links receive and that nobody reads as they come.
pub fn unread(robot: &Robot, origins: &Origins) -> Diagnostics {
    let sources = robot.fed_sources();
    let received = robot.configuration().links.iter().flat_map(|link| link.receive.iter().map(move |it| (link, it)));
    let received = received.filter(|(link, received)| sources.contains(&received.source(&link.name).as_str()));
    let warning = |(link, received): (&LinkConfiguration, &Received)| {
        let name = &received.subject.name;
        let why = match robot.provider(name) {
            Some(provider) => format!("and `{}` provides it here", provider.update),
            None if robot.reads(name) => return None,
            None => "and no module reads it".to_owned(),
        };
        let warning = Diagnostic::warning(format!("link `{}` receives `{name}`, {why}", link.name));
        let warning = warning.help("leave it out of `receive`, or run a module that reads what comes");
        Some(match origins.at(&["link", &link.name, "receive"]) {
            Some(origin) => warning.at(&origin.place, ""),
            None => warning,
        })
    };
    received.filter_map(warning).collect()
}

/// Returns the warnings without those of representations that links send: they are read elsewhere.
pub fn without_sent(warnings: &[Warning], configuration: &Configuration) -> Vec<Warning> {
    let is_sent = |name: &String| {
        let subject = Subject::representation(name);
        configuration.links.iter().flat_map(|link| &link.send).any(|sent| sent.subject == subject)
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
    fn what_is_sent_is_read_elsewhere() {
        let (robot, _) = robot("\"Navigator\"", "Wind", "send = [{ representation = \"Course\" }]");
        let unread = |warnings: &[Warning]| warnings.iter().any(|it| matches!(it, Warning::Unused { .. }));
        assert!(unread(robot.warnings()));
        assert!(!unread(&without_sent(robot.warnings(), robot.configuration())));
    }
}
