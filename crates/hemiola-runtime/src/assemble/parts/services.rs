//! The services that one process of a robot serves and others call.
//!
//! The program is the same in each process, and so makes its servers in each. A service that is
//! called from another process is served in one of them; the servers of the others are idle.

use std::collections::BTreeSet;

use hemiola_model::module::{PortRole, Update};

use super::{Cut, FIRST};
use crate::error::RuntimeError;

/// A service that crosses the cut, or that a process is said to serve.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Served {
    pub service: String,
    /// The process that serves it.
    pub by: usize,
    /// The processes that call it there.
    pub from: BTreeSet<usize>,
}

impl Cut<'_> {
    /// Returns the services that processes of the robot serve for others, by name.
    pub(super) fn services(&self) -> Result<Vec<Served>, RuntimeError> {
        for process in &self.robot.configuration.processes {
            if let Some(service) = process.services.iter().find(|service| !self.is_declared(service)) {
                let what = format!("`{}` serves `{service}`, which the program does not declare", process.name);
                let remedy = "declare it by `Application::service`, with the types of its requests and answers";
                return Err(self.refuse(what, remedy));
            }
        }
        let declared: BTreeSet<&str> = self.robot.services.iter().map(|service| service.name()).collect();
        Ok(declared.into_iter().filter_map(|service| self.served(service)).collect())
    }

    fn is_declared(&self, service: &str) -> bool {
        self.robot.services.iter().any(|declared| declared.name() == service)
    }

    /// Returns where a service is served, and from where it is called; `None` if each process
    /// serves it for itself, as nobody calls it from another one.
    fn served(&self, service: &str) -> Option<Served> {
        let configuration = &self.robot.configuration;
        let is_said = |name: &&str| {
            let process = configuration.processes.iter().find(|process| process.name == *name);
            process.is_some_and(|process| process.services.iter().any(|it| it == service))
        };
        let said = self.names.iter().position(is_said);
        let (links, node) = (&configuration.links, configuration.ros2.as_ref());
        let serves_others = links.iter().any(|link| link.serve.iter().any(|it| it == service))
            || node.is_some_and(|node| node.serve.iter().any(|it| it.service == service));
        let is_elsewhere = links.iter().any(|link| link.call.iter().any(|it| it == service))
            || node.is_some_and(|node| node.call.iter().any(|it| it.service == service));
        let mut from = self.asking(service);
        // Other programs call it in the first process, or serve it there.
        let of_others = (serves_others || is_elsewhere).then_some(FIRST);
        let by = said.or(of_others).or_else(|| self.first_asking(service))?;
        if serves_others {
            from.insert(FIRST);
        }
        from.remove(&by);
        (said.is_some() || !from.is_empty()).then(|| Served { service: service.to_owned(), by, from })
    }

    /// Returns the processes with a module or source that calls a service.
    fn asking(&self, service: &str) -> BTreeSet<usize> {
        self.updates().filter(|(_, update)| asks(update, service)).map(|(place, _)| place).collect()
    }

    /// Returns the process of the first cycle with a module that calls a service.
    fn first_asking(&self, service: &str) -> Option<usize> {
        self.updates().find(|(_, update)| asks(update, service)).map(|(place, _)| place)
    }
}

fn asks(update: &Update, service: &str) -> bool {
    let mut ports = update.arguments().iter().filter_map(|argument| argument.port());
    ports.any(|port| port.role() == PortRole::Calls && port.name() == service)
}
