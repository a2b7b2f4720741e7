use super::{Span, System};

/// A piece of work whose duration can be changed: a callback of a chain, or a task of a cycle.
///
/// ```
/// use hemiola_analysis::{System, TimeSpan};
/// let text = r#"
///     cores = 1
///     [[cycle]]
///     name = "motion"
///     begins = { every = "12 ms" }
///     priority = 80
///     tasks = [{ name = "walk", takes = "2 ms" }]
/// "#;
/// let mut system = System::from_toml(text, "system.toml").unwrap();
/// let walk = system.work()[0];
/// assert_eq!((system.owner(walk), system.name(walk)), ("motion", "walk"));
/// system.takes_mut(walk).longest = TimeSpan::milliseconds(3);
/// assert_eq!(system.takes(walk).longest, TimeSpan::milliseconds(3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// The numbers of a chain, and of a callback in it.
    Callback(usize, usize),
    /// The numbers of a cycle, and of a task in it.
    Task(usize, usize),
}

impl System {
    /// Returns all pieces of work, in the order of the description.
    pub fn work(&self) -> Vec<Work> {
        let chains = self.chains.iter().enumerate();
        let callbacks =
            chains.flat_map(|(chain, it)| (0..it.callbacks.len()).map(move |own| Work::Callback(chain, own)));
        let cycles = self.cycles.iter().enumerate();
        let tasks = cycles.flat_map(|(cycle, it)| (0..it.tasks.len()).map(move |own| Work::Task(cycle, own)));
        callbacks.chain(tasks).collect()
    }

    /// Returns the name of the chain or cycle that the work belongs to.
    ///
    /// # Panics
    /// Panics if the work does not belong to this system.
    pub fn owner(&self, work: Work) -> &str {
        match work {
            Work::Callback(chain, _) => &self.chains[chain].name,
            Work::Task(cycle, _) => &self.cycles[cycle].name,
        }
    }

    /// Returns the name of the work itself.
    ///
    /// # Panics
    /// Panics if the work does not belong to this system.
    pub fn name(&self, work: Work) -> &str {
        match work {
            Work::Callback(chain, own) => &self.chains[chain].callbacks[own].name,
            Work::Task(cycle, own) => &self.cycles[cycle].tasks[own].name,
        }
    }

    /// Returns how long the work takes.
    ///
    /// # Panics
    /// Panics if the work does not belong to this system.
    pub fn takes(&self, work: Work) -> Span {
        match work {
            Work::Callback(chain, own) => self.chains[chain].callbacks[own].takes,
            Work::Task(cycle, own) => self.cycles[cycle].tasks[own].takes,
        }
    }

    /// Returns how long the work takes, for changes.
    ///
    /// # Panics
    /// Panics if the work does not belong to this system.
    pub fn takes_mut(&mut self, work: Work) -> &mut Span {
        match work {
            Work::Callback(chain, own) => &mut self.chains[chain].callbacks[own].takes,
            Work::Task(cycle, own) => &mut self.cycles[cycle].tasks[own].takes,
        }
    }
}
