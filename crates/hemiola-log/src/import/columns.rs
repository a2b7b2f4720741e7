//! The types of a table's columns, and their names in messages.

use std::collections::BTreeSet;

use hemiola_model::data::DataType;

/// The type that all cells of a column have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers of 64 bits, in every row.
    Integer,
    /// Numbers, or empty cells.
    Number,
    /// Texts of any kind.
    Text,
}

impl Kind {
    /// Returns the type that also holds this cell.
    pub fn with(self, cell: &str) -> Self {
        match self {
            Self::Integer if cell.parse::<i64>().is_ok() => Self::Integer,
            Self::Integer | Self::Number if cell.is_empty() || cell.parse::<f64>().is_ok() => Self::Number,
            _ => Self::Text,
        }
    }

    pub fn data_type(self) -> DataType {
        match self {
            Self::Integer => DataType::Signed(64),
            Self::Number => DataType::Float64,
            Self::Text => DataType::Text,
        }
    }
}

/// Turns a header into a name that ROS 2 allows: `Gyroscope X (deg/s)` becomes `gyroscope_x_deg_s`.
pub fn identifier(header: &str) -> String {
    let words = header.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_");
    match name.chars().next() {
        None => "unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{name}"),
        Some(_) => name,
    }
}

/// Returns names for all columns, each once.
pub fn names<'h>(headers: impl IntoIterator<Item = &'h str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let names = headers.into_iter().map(|header| {
        let name = identifier(header);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(name);
        taken.insert(free.clone());
        free
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_holds_all_of_its_cells() {
        let kind = |cells: &[&str]| cells.iter().fold(Kind::Integer, |kind, cell| kind.with(cell));
        assert_eq!(kind(&["1", "-7", "9007199254740993"]), Kind::Integer);
        assert_eq!(kind(&["1", "", "2.5e3"]), Kind::Number);
        assert_eq!(kind(&["1", "two", "3"]), Kind::Text);
    }

    #[test]
    fn names_are_those_of_ros_and_each_is_there_once() {
        let names = names(["Gyroscope X (deg/s)", "x", "X", "#time(ns)", "0th", "", "x 2", "ß"]);
        assert_eq!(names, ["gyroscope_x_deg_s", "x", "x_2", "time_ns", "n0th", "unnamed", "x_2_2", "unnamed_2"]);
    }
}
