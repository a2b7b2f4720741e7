//! `export`: the robot's types for other programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use hemiola_model::cdr::{MessageSchema, PackageAuthor, RosPackages, ServiceSchema};
use hemiola_model::data::DataType;
use hemiola_words::counted;

use crate::command_line::export::{ExportArguments, ExportCommand, RosPackageArguments};
use crate::error::CommandError;
use crate::notes::tell;
use crate::program::{DeclaredService, Program};
use crate::session::Session;

pub fn export(program: &Program, arguments: &ExportArguments) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        ExportCommand::RosPackage(arguments) => ros_package(program, arguments),
    }
}

fn ros_package(program: &Program, arguments: &RosPackageArguments) -> Result<ExitCode, CommandError> {
    let RosPackageArguments { configuration, folder, only, maintainer, license } = arguments;
    let session = Session::open(program, configuration)?;
    let exportable = Exportable::of(&session, program);
    if let Some(unknown) = only.iter().find(|name| !exportable.has(name)) {
        return Err(exportable.lacks(&session, unknown));
    }
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|wanted| wanted == name);

    let mut packages = RosPackages::default();
    let (mut messages, mut services, mut left_out) = (0, 0, 0);
    let mut leave_out = |name: &str, error| {
        left_out += 1;
        tell(format_args!("skipped: {name}: {error}"));
    };
    for (name, data_type) in exportable.messages.iter().filter(|(name, _)| is_wanted(name)) {
        match packages.add_message(&MessageSchema::of(name, data_type)) {
            Ok(()) => messages += 1,
            Err(error) => leave_out(name, error),
        }
    }
    for service in exportable.services.iter().filter(|service| is_wanted(&service.name)) {
        match service_schemas(&session, service).iter().try_for_each(|schema| packages.add_service(schema)) {
            Ok(()) => services += 1,
            Err(error) => leave_out(&service.name, error),
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
    for (path, text) in packages.files(&author) {
        write(&folder.join(path), &text)?;
    }
    tell(format_args!(
        "written to {}: {} and {} in the {} {}",
        folder.display(),
        counted(messages, "message"),
        counted(services, "service"),
        if written.len() == 1 { "package" } else { "packages" },
        written.join(", ")
    ));
    Ok(if left_out == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Returns the schemas of a service: by the types that it has in ROS 2 according to `[ros2]`, or
/// else by the type of its requests.
fn service_schemas(session: &Session, service: &DeclaredService) -> Vec<ServiceSchema> {
    let (request, response) = ((service.request)(), (service.response)());
    let ros2 = session.robot.configuration().ros2.iter();
    let known = ros2.flat_map(|ros2| ros2.serve.iter().chain(&ros2.call)).filter(|known| known.service == service.name);
    let types: BTreeSet<Option<&str>> = known.map(|known| known.service_type.as_deref()).collect();
    let schema = |of_type: Option<&str>| match of_type.and_then(|of_type| of_type.split_once("/srv/")) {
        Some((package, name)) => ServiceSchema::called(package, name, &request, &response),
        None => ServiceSchema::of(&service.name, &request, &response),
    };
    if types.is_empty() { vec![schema(None)] } else { types.into_iter().map(schema).collect() }
}

/// The types that can be in a package, by name.
struct Exportable<'p> {
    messages: BTreeMap<String, DataType>,
    services: &'p [DeclaredService],
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
        Self { messages: provided.chain(topics).collect(), services: &program.services }
    }

    fn has(&self, name: &str) -> bool {
        self.messages.contains_key(name) || self.services.iter().any(|service| service.name == name)
    }

    fn lacks(&self, session: &Session, name: &str) -> CommandError {
        let robot = &session.robot;
        if robot.representation(name).is_some() || robot.topics().contains(&name) {
            return CommandError::Usage(format!("`{name}` is opaque: its values cannot leave the process"));
        }
        let services = self.services.iter().map(|service| service.name.as_str());
        let known = self.messages.keys().map(String::as_str).chain(services);
        CommandError::unknown("representation, topic or service", name, known)
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
