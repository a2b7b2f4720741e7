//! The keys `serve` and `call`: the services that a link carries.

use super::MOST_SUBJECTS;
use crate::catalog::Catalog;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Refusal, Section};
use crate::suggest::nearest;

/// A service, and the place where it is named.
pub(super) type Named<'n> = (String, &'n Node);

/// Reads the names of services of a list. One that is wrong or named twice is an error, and
/// skipped.
pub(super) fn read<'n>(section: &mut Section<'n>, key: &str, found: &mut Diagnostics) -> Vec<Named<'n>> {
    let Some(node) = section.take(key) else { return Vec::new() };
    let Some(items) = node.list().filter(|items| items.len() <= MOST_SUBJECTS) else {
        let expected = format!("a list of up to {MOST_SUBJECTS} services, such as [\"SaveMap\"]");
        found.push(Refusal::new(node, expected).into_diagnostic(key));
        return Vec::new();
    };
    let mut services: Vec<Named<'n>> = Vec::new();
    for (index, node) in items.iter().enumerate() {
        let Some(name) = node.text().filter(|name| !name.is_empty()) else {
            let refusal = Refusal::new(node, "the name of a service").help("such as \"SaveMap\"");
            found.push(refusal.into_diagnostic(&format!("{}.{key}[{index}]", section.path())));
            continue;
        };
        if let Some((_, before)) = services.iter().find(|(known, _)| known == name) {
            let message = format!("`{key}` names `{name}` twice");
            found.push(Diagnostic::error(message).at(&node.place, "").related(&before.place, "named before"));
        } else {
            services.push((name.to_owned(), node));
        }
    }
    services
}

/// Reports services that would have two servers, or that nobody calls. `called` are those that the
/// links before this one call.
pub(super) fn check<'n>(
    link: &str,
    serve: &[Named<'n>],
    call: &[Named<'n>],
    called: &mut Vec<Named<'n>>,
    catalog: &Catalog,
    found: &mut Diagnostics,
) {
    for (name, node) in call {
        if let Some((_, served)) = serve.iter().find(|(known, _)| known == name) {
            let message = format!("`[link.{link}]` both serves and calls `{name}`");
            let error = Diagnostic::error(message).at(&node.place, "called here").related(&served.place, "served here");
            found.push(error.help("a service is served by one of both programs: it has `serve`, the other one `call`"));
        }
        if let Some((_, before)) = called.iter().find(|(known, _)| known == name) {
            let message = format!("two links call the service `{name}`, which can have one server");
            let error = Diagnostic::error(message).at(&node.place, "called here");
            found.push(error.related(&before.place, "and here").help("leave one of them out"));
        }
        called.push((name.clone(), node));
        // A thread of the program may call what no module calls, so only what looks like a mistake
        // is reported.
        let asked = catalog.services.iter().map(String::as_str);
        if !catalog.services.contains(name)
            && let Some(meant) = nearest(name, asked)
        {
            let warning = Diagnostic::warning(format!("no module of this program calls `{name}`"));
            found.push(warning.at(&node.place, format!("did you mean `{meant}`?")));
        }
    }
}
