use super::{Span, System};

/// What can be made shorter or longer: a callback of a chain, or a task of a cycle.
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
    /// By the numbers of its chain, and of itself in there.
    Callback(usize, usize),
    /// By the numbers of its cycle, and of itself in there.
    Task(usize, usize),
}

impl System {
    /// All of it, in the order of the description.
    pub fn work(&self) -> Vec<Work> {
        let chains = self.chains.iter().enumerate();
        let callbacks =
            chains.flat_map(|(chain, it)| (0..it.callbacks.len()).map(move |own| Work::Callback(chain, own)));
        let cycles = self.cycles.iter().enumerate();
        let tasks = cycles.flat_map(|(cycle, it)| (0..it.tasks.len()).map(move |own| Work::Task(cycle, own)));
        callbacks.chain(tasks).collect()
    }

    /// The name of the chain or cycle that it belongs to.
    ///
    /// # Panics
    /// If it is none of this system.
    pub fn owner(&self, work: Work) -> &str {
        match work {
            Work::Callback(chain, _) => &self.chains[chain].name,
            Work::Task(cycle, _) => &self.cycles[cycle].name,
        }
    }

    /// Its own name.
    ///
    /// # Panics
    /// If it is none of this system.
    pub fn name(&self, work: Work) -> &str {
        match work {
            Work::Callback(chain, own) => &self.chains[chain].callbacks[own].name,
            Work::Task(cycle, own) => &self.cycles[cycle].tasks[own].name,
        }
    }

    /// How long it takes.
    ///
    /// # Panics
    /// If it is none of this system.
    pub fn takes(&self, work: Work) -> Span {
        match work {
            Work::Callback(chain, own) => self.chains[chain].callbacks[own].takes,
            Work::Task(cycle, own) => self.cycles[cycle].tasks[own].takes,
        }
    }

    /// How long it takes, to be changed.
    ///
    /// # Panics
    /// If it is none of this system.
    pub fn takes_mut(&mut self, work: Work) -> &mut Span {
        match work {
            Work::Callback(chain, own) => &mut self.chains[chain].callbacks[own].takes,
            Work::Task(cycle, own) => &mut self.cycles[cycle].tasks[own].takes,
        }
    }
}
