//! Tables in a fixed-width font.

use std::iter;

/// The columns of a table, each with its width and alignment.
///
/// Cells that are wider than their column move what follows, unless the column is cut. Lines have
/// no spaces at their end.
///
/// ```
/// use hemiola_words::{Column, Columns};
///
/// let columns = Columns::new([Column::left(6).cut(), Column::right(8)]);
/// assert_eq!(columns.line(["Localisation", "12 ms"]), "Local…   12 ms");
/// ```
#[derive(Debug, Clone)]
pub struct Columns(Vec<Column>);

impl Columns {
    /// Creates columns from left to right.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self(columns.into_iter().collect())
    }

    /// Widens every column to its longest cell.
    ///
    /// ```
    /// use hemiola_words::{Column, Columns};
    ///
    /// let rows = [["topic", "messages"], ["/ball", "12"]];
    /// let columns = Columns::new([Column::left(0), Column::right(0).after(2)]).fit(rows);
    /// assert_eq!(columns.line(rows[1]), "/ball        12");
    /// ```
    pub fn fit<R: IntoIterator<Item: AsRef<str>>>(mut self, rows: impl IntoIterator<Item = R>) -> Self {
        for row in rows {
            for (column, cell) in self.0.iter_mut().zip(row) {
                column.width = column.width.max(cell.as_ref().chars().count());
            }
        }
        self
    }

    /// Returns how many characters a line of all columns has.
    ///
    /// ```
    /// use hemiola_words::{Column, Columns};
    ///
    /// assert_eq!(Columns::new([Column::left(6), Column::right(8).after(2)]).width(), 16);
    /// ```
    pub fn width(&self) -> usize {
        self.0.iter().map(|column| column.gap + column.width).sum()
    }

    /// Returns a line of cells. A cell without a column is appended at the end as it is.
    pub fn line(&self, cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
        let mut line = String::new();
        let columns = self.0.iter().map(Some).chain(iter::repeat(None));
        for (column, cell) in columns.zip(cells) {
            match column {
                Some(column) => column.push(&mut line, cell.as_ref()),
                None => line += cell.as_ref(),
            }
        }
        line.truncate(line.trim_end().len());
        line
    }

    /// Returns all rows, a line each, with every column as wide as its longest cell.
    pub fn table<R: IntoIterator<Item: AsRef<str>>>(self, rows: impl IntoIterator<Item = R> + Clone) -> String {
        let columns = self.fit(rows.clone());
        rows.into_iter().map(|row| columns.line(row) + "\n").collect()
    }
}

/// A column of [`Columns`], with a minimum width in characters.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    width: usize,
    gap: usize,
    is_right: bool,
    is_cut: bool,
}

impl Column {
    /// Creates a column for names, whose text begins at the left.
    pub const fn left(width: usize) -> Self {
        Self { width, gap: 0, is_right: false, is_cut: false }
    }

    /// Creates a column for figures, whose text ends at the right.
    pub const fn right(width: usize) -> Self {
        Self { is_right: true, ..Self::left(width) }
    }

    /// Sets how many spaces precede the column.
    pub const fn after(self, gap: usize) -> Self {
        Self { gap, ..self }
    }

    /// Cuts text that is too long, so that it ends with an ellipsis.
    pub const fn cut(self) -> Self {
        Self { is_cut: true, ..self }
    }

    fn push(&self, line: &mut String, cell: &str) {
        let missing = self.width.saturating_sub(cell.chars().count());
        let (before, after) = if self.is_right { (missing, 0) } else { (0, missing) };
        line.extend(iter::repeat_n(' ', self.gap + before));
        match missing {
            0 if self.is_cut => *line += &fitted(cell, self.width),
            _ => *line += cell,
        }
        line.extend(iter::repeat_n(' ', after));
    }
}

/// Cuts or fills text to exactly `width` characters.
///
/// ```
/// use hemiola_words::fitted;
///
/// assert_eq!([fitted("Walk", 6), fitted("Localisation", 6)], ["Walk  ", "Local…"]);
/// ```
pub fn fitted(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return format!("{text}{}", " ".repeat(width - length));
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    if width > 0 {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_fills_its_columns_exactly() {
        assert_eq!(fitted("Schritt für Schritt", 9), "Schritt …");
        for width in 0..30 {
            assert_eq!(fitted("Schritt für Schritt", width).chars().count(), width);
        }
    }

    #[test]
    fn a_table_has_names_at_the_left_and_figures_at_the_right() {
        let rows = [["", "least", "most"], ["höchster", "1", "12"], ["b", "123456", ""]];
        let table = Columns::new([Column::left(0), Column::right(0).after(2), Column::right(6)]).table(rows);
        assert_eq!(table, "           least  most\nhöchster       1    12\nb         123456\n");
    }

    #[test]
    fn what_is_too_wide_moves_the_rest_or_is_cut() {
        let line = |column| Columns::new([column, Column::right(4)]).line(["12345678", "9", " tail "]);
        assert_eq!(line(Column::left(6)), "12345678   9 tail");
        assert_eq!(line(Column::left(6).cut()), "12345…   9 tail");
        assert_eq!(line(Column::right(10).cut()), "  12345678   9 tail");
    }
}
