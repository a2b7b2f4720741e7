//! `export`: the robot's types for other programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use hemiola_bus::DeclaredService;
use hemiola_model::cdr::{ActionSchema, MessageSchema, PackageAuthor, RosPackages, ServiceSchema};
use hemiola_model::configuration::Ros2Action;
use hemiola_model::data::DataType;
use hemiola_runtime::Robot;
use hemiola_words::counted;

use crate::command_line::export::{ExportArguments, ExportCommand, RosPackageArguments};
use crate::error::CommandError;
use crate::notes::tell;
use crate::program::Program;
use crate::session::Session;

pub fn export(program: &Program, arguments: &ExportArguments) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        ExportCommand::RosPackage(arguments) => ros_package(program, arguments),
    }
}

fn ros_package(program: &Program, arguments: &RosPackageArguments) -> Result<ExitCode, CommandError> {
    let RosPackageArguments { configuration, result, only, maintainer, license } = arguments;
    let folder = result.path();
    let session = Session::open(program, configuration)?;
    let exportable = Exportable::of(&session, program);
    if let Some(unknown) = only.iter().find(|name| !exportable.has(name)) {
        return Err(exportable.lacks(&session, unknown));
    }
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|wanted| wanted == name);

    let mut packages = RosPackages::default();
    let mut left_out = 0;
    let mut leave_out = |name: &str, error: &dyn Display| {
        left_out += 1;
        tell(format_args!("skipped: {name}: {error}"));
    };
    for (name, data_type) in exportable.messages.iter().filter(|(name, _)| is_wanted(name)) {
        if let Err(error) = packages.add_message(&MessageSchema::of(name, data_type)) {
            leave_out(name, &error);
        }
    }
    for service in exportable.services.iter().filter(|service| is_wanted(service.name())) {
        let mut schemas = service_schemas(&session, service).into_iter();
        if let Err(error) = schemas.try_for_each(|schema| packages.add_service(&schema)) {
            leave_out(service.name(), &error);
        }
    }
    for (name, schema) in exportable.actions.iter().filter(|(name, _)| is_wanted(name)) {
        match schema.as_ref().map(|schema| packages.add_action(schema)) {
            Some(Ok(())) => {}
            Some(Err(error)) => leave_out(name, &error),
            None => {
                leave_out(name, &"its topics are no action's: docs/book/src/ros2.md has the fields of their messages")
            }
        }
    }

    let mut author = PackageAuthor::default();
    if let Some(maintainer) = maintainer {
        (author.name, author.email) = (maintainer.name.clone(), maintainer.email.clone());
    }
    if let Some(license) = license {
        author.license.clone_from(license);
    }
    let written: Vec<&str> = packages.names().collect();
    written.iter().try_for_each(|package| is_ours(&folder.join(package)))?;
    let files = packages.files(&author);
    for (path, text) in &files {
        write(&folder.join(path), text)?;
    }
    if left_out == 0 || !written.is_empty() {
        tell(summary(folder, files.keys().map(String::as_str), &written));
    }
    Ok(if left_out == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Says which definitions were written; types that ROS 2 brings are not.
fn summary<'f>(folder: &Path, files: impl Iterator<Item = &'f str> + Clone, packages: &[&str]) -> String {
    if packages.is_empty() {
        return "nothing to write: ROS 2 brings all of these types".to_owned();
    }
    let count = |ending: &str, what: &str| {
        let count = files.clone().filter(|path| path.ends_with(ending)).count();
        counted(count as u64, what)
    };
    format!(
        "written to {}: {}, {} and {} in the {} {}",
        folder.display(),
        count(".msg", "message"),
        count(".srv", "service"),
        count(".action", "action"),
        if packages.len() == 1 { "package" } else { "packages" },
        packages.join(", ")
    )
}

/// Returns the schemas of a service: by the types that it has in ROS 2 according to `[ros2]`, or
/// else by the type of its requests.
fn service_schemas(session: &Session, service: &DeclaredService) -> Vec<ServiceSchema> {
    let (request, response) = (service.request(), service.response());
    let ros2 = session.robot.configuration().ros2.iter();
    let known =
        ros2.flat_map(|ros2| ros2.serve.iter().chain(&ros2.call)).filter(|known| known.service == service.name());
    let types: BTreeSet<Option<&str>> = known.map(|known| known.service_type.as_deref()).collect();
    let schema = |of_type: Option<&str>| match of_type.and_then(|of_type| of_type.split_once("/srv/")) {
        Some((package, name)) => ServiceSchema::called(package, name, &request, &response),
        None => ServiceSchema::of(service.name(), &request, &response),
    };
    if types.is_empty() { vec![schema(None)] } else { types.into_iter().map(schema).collect() }
}

/// Returns the schema of an action by the messages of its topics; `None` if these are not those of
/// an action.
fn action_schema(robot: &Robot, action: &Ros2Action) -> Option<ActionSchema> {
    let message = |suffix: &str| robot.message(&format!("{}{suffix}", action.action))?.data_type();
    let [goal, result, feedback] = [message("Goal")?, message("Result")?, message("Feedback")?];
    let [Some(goal_content), Some(result), Some(feedback)] = ActionSchema::contents([&goal, &result, &feedback]) else {
        return None;
    };
    let named = action.action_type.as_deref().and_then(|named| named.split_once("/action/"));
    let named = named.map(|(package, name)| (package.to_owned(), name.to_owned()));
    let (package, name) = named.or_else(|| ActionSchema::name_by(&goal))?;
    Some(ActionSchema::called(&package, &name, [goal_content, result, feedback]))
}

/// The types that can be in a package, by name.
struct Exportable<'p> {
    messages: BTreeMap<String, DataType>,
    services: &'p [DeclaredService],
    /// The actions of `[ros2]` by their names in the robot; `None` for one whose topics are no
    /// action's.
    actions: Vec<(String, Option<ActionSchema>)>,
}

impl<'p> Exportable<'p> {
    /// Finds the representations that are provided, the messages of topics, and the services
    /// that the program declares. Opaque types cannot leave the process.
    fn of(session: &Session, program: &'p Program) -> Self {
        let robot = &session.robot;
        let recordable = robot.recordable();
        let provided = recordable.iter().filter_map(|name| Some((name.clone(), robot.data_type(name)?)));
        let topics = robot.topics().into_iter();
        let topics = topics.filter_map(|topic| Some((topic.to_owned(), robot.message(topic)?.data_type()?)));
        let ros2 = robot.configuration().ros2.iter();
        let actions = ros2.flat_map(|ros2| ros2.action_server.iter().chain(&ros2.action_client));
        let actions = actions.map(|known| (known.action.clone(), action_schema(robot, known)));
        Self { messages: provided.chain(topics).collect(), services: &program.services, actions: actions.collect() }
    }

    fn has(&self, name: &str) -> bool {
        self.messages.contains_key(name)
            || self.services.iter().any(|service| service.name() == name)
            || self.actions.iter().any(|(action, _)| action == name)
    }

    fn lacks(&self, session: &Session, name: &str) -> CommandError {
        let robot = &session.robot;
        if robot.representation(name).is_some() || robot.topics().contains(&name) {
            return CommandError::Usage(format!("`{name}` is opaque: its values cannot leave the process"));
        }
        let services = self.services.iter().map(DeclaredService::name);
        let actions = self.actions.iter().map(|(action, _)| action.as_str());
        let known = self.messages.keys().map(String::as_str).chain(services).chain(actions);
        CommandError::unknown("representation, topic, service or action", name, known)
    }
}

/// Checks that a folder has no package that another program wrote.
fn is_ours(package: &Path) -> Result<(), CommandError> {
    let path = package.join("package.xml");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(CommandError::Read { path, error }),
    };
    if text.contains(PackageAuthor::MARK) {
        return Ok(());
    }
    let path = path.display();
    Err(CommandError::Usage(format!("{path} was not written by Hemiola and is not overwritten: use another folder")))
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let wrong = |error| CommandError::Write { path: path.to_owned(), error };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(wrong)?;
    }
    fs::write(path, text).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_counted() {
        let files = ["rover/CMakeLists.txt", "rover/package.xml", "rover/msg/Drive.msg", "rover/srv/Reset.srv"];
        let folder = Path::new("src");
        assert_eq!(
            summary(folder, files.into_iter(), &["rover"]),
            "written to src: 1 message, 1 service and 0 actions in the package rover"
        );
        assert_eq!(summary(folder, [].into_iter(), &[]), "nothing to write: ROS 2 brings all of these types");
    }
}
