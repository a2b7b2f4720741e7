//! The peers, built here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::workload::{Contestant, Program, Workload};
use crate::contest::peers::{build_crates, compile};

/// The programs of all contestants that could be built.
pub struct Programs {
    bench: PathBuf,
    crates: BTreeMap<&'static str, PathBuf>,
    cpp: BTreeMap<&'static str, PathBuf>,
}

/// The workspaces of crates in `peers`, the programs that their contestants are, and what they need
/// besides.
const CRATES: [(&str, &str, &str); 3] =
    [("rust", "messages", ""), ("links", "links", ""), ("dds", "dds", " On Debian: apt install gcc cyclonedds-dev")];

/// The sources in `peers/cpp`, and the packages that they need.
const CPP: [(&str, &str); 3] = [
    ("fan_out", "apt install g++ libboost-dev"),
    ("task_queue", "apt install g++ libboost-dev"),
    ("matrix_to_json", "apt install g++ libcereal-dev"),
];

impl Programs {
    /// Returns the program of a contestant, and the command before the arguments that all get.
    pub fn of(&self, contestant: &Contestant) -> Option<(&PathBuf, Option<&'static str>)> {
        match contestant.program {
            Program::Bench(command) => Some((&self.bench, Some(command))),
            Program::Crates(folder) => self.crates.get(folder).map(|program| (program, None)),
            Program::Cpp(source) => self.cpp.get(source).map(|program| (program, None)),
        }
    }
}

/// Builds the peers of some workloads for which there are compilers and packages; notes what is
/// missing, and how to get it.
pub fn build(bench: &Path, folder: &Path, workloads: &[Workload], notices: &mut Vec<String>) -> Programs {
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers");
    let needs = |program| {
        let mut contestants = workloads.iter().flat_map(|workload| &workload.contestants);
        contestants.any(|contestant| contestant.program == program)
    };
    let mut programs = Programs { bench: bench.to_owned(), crates: BTreeMap::new(), cpp: BTreeMap::new() };
    for (name, program, remedy) in CRATES.into_iter().filter(|(name, ..)| needs(Program::Crates(name))) {
        let target = folder.join(name);
        match build_crates(&sources.join(name), &target) {
            Ok(()) => _ = programs.crates.insert(name, target.join("release").join(program)),
            Err(problem) => notices.push(format!("Left out: all of peers/{name} (cargo: {problem}).{remedy}")),
        }
    }
    let header = sources.join("cpp/messages.hpp");
    for (name, remedy) in CPP.into_iter().filter(|(name, _)| needs(Program::Cpp(name))) {
        let program = folder.join(name);
        let source = sources.join("cpp").join(name).with_extension("cpp");
        match compile("g++", &source, &header, &["-pthread"], &program) {
            Ok(()) => _ = programs.cpp.insert(name, program),
            Err(problem) => notices.push(format!("Left out: {name}.cpp (g++: {problem}). On Debian: {remedy}")),
        }
    }
    programs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::discipline::Effort;
    use crate::links::LINKS;
    use crate::messages::MESSAGES;

    #[test]
    fn every_peer_is_one_that_can_be_built() {
        for workload in [&MESSAGES, &LINKS].into_iter().flat_map(|area| (area.workloads)(Effort::Full)) {
            for contestant in &workload.contestants {
                let is_known = match contestant.program {
                    Program::Bench(_) => true,
                    Program::Crates(folder) => CRATES.iter().any(|(name, ..)| *name == folder),
                    Program::Cpp(source) => CPP.iter().any(|(name, _)| *name == source),
                };
                assert!(is_known, "{}: {}", workload.name, contestant.id);
            }
        }
    }
}
