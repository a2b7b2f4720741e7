use std::fmt::{self, Display, Formatter};

use crate::{architecture::Architecture, house::House};

/// The number of lines above which a file is listed.
const LONG_FILE: usize = 400;

/// The table of what is measured, a line per crate, with a list of places below it.
#[derive(Debug)]
pub struct Table<'a> {
    /// The workspace that is measured.
    pub house: &'a House,
    /// The architecture that the workspace is compared with.
    pub architecture: &'a Architecture,
    /// Set if every arrow of every circle is listed, too.
    pub arrows: bool,
}

impl Display for Table<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{:<20} {:>5} {:>7}  {:<12} {:>6} {:>9} {:>5}  {:>9} {:>8} {:>7}",
            "crate", "files", "lines", "circles", "unsafe", "unsafe fn", "files", "no expect", ">400", "atomics"
        )?;
        let mut total = [0; 8];
        for one in &self.house.crates {
            let circles: Vec<String> = one.graph.circles().iter().map(|circle| circle.len().to_string()).collect();
            let numbers = [
                one.modules.len(),
                one.modules.iter().map(|module| module.source.lines).sum(),
                one.modules.iter().map(|module| module.source.unsafe_uses).sum(),
                one.modules.iter().map(|module| module.source.unsafe_functions).sum(),
                one.with_unsafe().count(),
                one.unsafe_without_expectation().len(),
                one.longer_than(LONG_FILE).len(),
                one.atomics_past_sync().len(),
            ];
            total.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            line(out, &one.name, &numbers, &circles.join(" + "))?;
        }
        line(out, "all", &total, "")?;
        self.places(out)
    }
}

impl Table<'_> {
    fn places(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for one in &self.house.crates {
            for circle in one.graph.circles() {
                writeln!(out, "\n{}: a circle of {}: {}", one.name, circle.len(), circle.join(", "))?;
                for (from, to, places) in one.graph.inside(&circle).into_iter().filter(|_| self.arrows) {
                    writeln!(out, "  {from} -> {to}")?;
                    for place in places {
                        writeln!(out, "    {}: {}", place.file, place.path)?;
                    }
                }
            }
        }
        for one in &self.house.crates {
            list(
                out,
                &one.name,
                "files above 400 lines",
                one.longer_than(LONG_FILE)
                    .iter()
                    .map(|module| format!("{} ({})", module.file.display(), module.source.lines)),
            )?;
            let files = |modules: Vec<&crate::Module>| {
                modules.iter().map(|module| module.file.display().to_string()).collect::<Vec<_>>()
            };
            list(out, &one.name, "atomics past sync.rs", files(one.atomics_past_sync()))?;
            list(out, &one.name, "unsafe without #![expect(unsafe_code)]", files(one.unsafe_without_expectation()))?;
            list(out, &one.name, "unsafe that ARCHITECTURE.md does not name", self.architecture.unlisted_unsafe(one))?;
            if !one.denies_unsafe() {
                writeln!(out, "\n{}: the root does not deny unsafe_code", one.name)?;
            }
        }
        list(
            out,
            "ARCHITECTURE.md",
            "names places without unsafe",
            self.architecture.listed_without_unsafe(self.house),
        )?;
        list(out, "ARCHITECTURE.md", "has no place for", self.architecture.unplaced(self.house))?;
        let up = self.architecture.arrows_up(self.house);
        list(out, "crates", "arrows up", up.iter().map(|(from, to)| format!("{from} -> {to}")))
    }
}

fn line(out: &mut Formatter<'_>, name: &str, numbers: &[usize; 8], circles: &str) -> fmt::Result {
    let [files, lines, uses, functions, unsafe_files, unexpected, long, atomics] = numbers;
    writeln!(
        out,
        "{name:<20} {files:>5} {lines:>7}  {circles:<12} {uses:>6} {functions:>9} {unsafe_files:>5}  {unexpected:>9} {long:>8} {atomics:>7}"
    )
}

fn list(out: &mut Formatter<'_>, whose: &str, what: &str, entries: impl IntoIterator<Item: Display>) -> fmt::Result {
    let mut entries = entries.into_iter().peekable();
    if entries.peek().is_some() {
        writeln!(out, "\n{whose}: {what}")?;
    }
    entries.try_for_each(|entry| writeln!(out, "  {entry}"))
}
