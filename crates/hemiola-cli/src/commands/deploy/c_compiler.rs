//! The compiler of C for the machine: Hemiola's logs are compressed by a library in C.

use std::env;

/// The compiler of C for a target of another architecture.
#[derive(Debug, PartialEq, Eq)]
pub enum Compiler {
    /// One that cargo finds, or that is configured.
    Found,
    /// One for GNU's C library. Its output can be linked with musl as long as it calls only what
    /// both have: zstd calls six functions, such as `memcpy`.
    Gnu(String),
    /// There is none.
    Missing {
        /// The package of Debian and Ubuntu that has one.
        package: String,
    },
}

impl Compiler {
    /// Finds the compiler for a target.
    pub fn of(target: &str) -> Self {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<_> = env::split_paths(&path).collect();
        let has_program = |name: &str| folders.iter().any(|folder| folder.join(name).is_file());
        Self::find(target, has_program, |name| env::var_os(name).is_some())
    }

    fn find(target: &str, has_program: impl Fn(&str) -> bool, is_set: impl Fn(&str) -> bool) -> Self {
        let architecture = target.split('-').next().unwrap_or_default();
        let is_foreign = architecture != env::consts::ARCH && target.ends_with("-linux-musl");
        let variables = [variable("CC", target), format!("CC_{target}"), "TARGET_CC".to_owned(), "CC".to_owned()];
        let gnu = format!("{architecture}-linux-gnu-gcc");
        if !is_foreign
            || variables.iter().any(|name| is_set(name))
            || has_program(&format!("{architecture}-linux-musl-gcc"))
        {
            Self::Found
        } else if has_program(&gnu) {
            Self::Gnu(gnu)
        } else {
            Self::Missing { package: format!("gcc-{}-linux-gnu", architecture.replace('_', "-")) }
        }
    }

    /// Returns the variables with which cargo uses the compiler.
    pub fn variables(&self, target: &str) -> Vec<(String, String)> {
        match self {
            Self::Gnu(program) => vec![
                (variable("CC", target), program.clone()),
                // Checks that some distributions switch on are functions of GNU's library alone.
                (variable("CFLAGS", target), "-U_FORTIFY_SOURCE".to_owned()),
            ],
            Self::Found | Self::Missing { .. } => Vec::new(),
        }
    }
}

/// Returns the name of a variable for one target.
fn variable(name: &str, target: &str) -> String {
    format!("{name}_{}", target.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a target of another architecture, and the name of that.
    fn foreign() -> (String, &'static str) {
        let architecture = if env::consts::ARCH == "aarch64" { "x86_64" } else { "aarch64" };
        (format!("{architecture}-unknown-linux-musl"), architecture)
    }

    #[test]
    fn the_compiler_that_distributions_have_is_used_for_musl_too() {
        let (target, architecture) = foreign();
        let gnu = format!("{architecture}-linux-gnu-gcc");
        let compiler = Compiler::find(&target, |name| name == gnu, |_| false);
        let variables = compiler.variables(&target);
        let name = format!("CC_{architecture}_unknown_linux_musl");
        assert!(variables.contains(&(name.clone(), gnu)), "{variables:?}");
        // One that is chosen has precedence.
        assert_eq!(Compiler::find(&target, |_| true, |set| set == name), Compiler::Found);
        assert_eq!(Compiler::find(&target, |name| name.ends_with("-musl-gcc"), |_| false), Compiler::Found);
    }

    #[test]
    fn one_that_is_missing_is_named_by_its_package() {
        let (target, architecture) = foreign();
        let package = format!("gcc-{}-linux-gnu", architecture.replace('_', "-"));
        assert_eq!(Compiler::find(&target, |_| false, |_| false), Compiler::Missing { package });
        let own = format!("{}-unknown-linux-musl", env::consts::ARCH);
        assert_eq!(Compiler::find(&own, |_| false, |_| false), Compiler::Found);
    }
}
