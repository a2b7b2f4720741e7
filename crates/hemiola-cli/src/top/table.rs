//! Tables: columns that fit the terminal, and rows in the chosen order.

use std::cmp::Ordering;

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{self, TableState};

use super::bar::bar;

/// The table of a tab.
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
}

/// A column: it is as wide as its widest cell.
pub struct Column {
    title: &'static str,
    alignment: Alignment,
    /// Columns of the lowest importance are omitted first if there is no room for all.
    importance: u8,
    /// Set if the column takes the remaining room.
    fills: bool,
}

/// The contents of a row and column.
pub struct Cell {
    content: Content,
    style: Style,
    /// The value by which rows are sorted.
    key: Key,
}

enum Content {
    Text(String),
    /// A bar of the mean, p99 and maximum, against a limit.
    Bar {
        limit: u64,
        figures: [u64; 3],
    },
}

enum Key {
    Number(f64),
    Text(String),
}

impl Column {
    /// Creates a column of names.
    pub const fn name(title: &'static str, importance: u8) -> Self {
        Self { title, alignment: Alignment::Left, importance, fills: false }
    }

    /// Creates a column of figures.
    pub const fn figure(title: &'static str, importance: u8) -> Self {
        Self { title, alignment: Alignment::Right, importance, fills: false }
    }

    /// Creates a column that takes the remaining room.
    pub const fn rest(title: &'static str, importance: u8) -> Self {
        Self { title, alignment: Alignment::Left, importance, fills: true }
    }
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { key: Key::Text(text.clone()), content: Content::Text(text), style: Style::new() }
    }

    /// Creates a cell of a number with its text.
    pub fn number(number: f64, text: impl Into<String>) -> Self {
        Self { content: Content::Text(text.into()), style: Style::new(), key: Key::Number(number) }
    }

    /// Creates a cell of a count that is dim if it is zero and has a colour otherwise.
    pub fn count(count: u64, colour: Color) -> Self {
        let style = if count == 0 { QUIET } else { Style::new().fg(colour) };
        Self::number(count as f64, count.to_string()).style(style)
    }

    pub fn bar(limit: u64, figures: [u64; 3]) -> Self {
        let share = figures[1] as f64 / limit.max(1) as f64;
        Self { content: Content::Bar { limit, figures }, style: Style::new(), key: Key::Number(share) }
    }

    pub fn style(self, style: impl Into<Style>) -> Self {
        Self { style: style.into(), ..self }
    }

    fn width(&self) -> usize {
        match &self.content {
            Content::Text(text) => Line::raw(text.as_str()).width(),
            Content::Bar { .. } => NARROWEST_REST,
        }
    }

    fn drawn(&self, width: usize, alignment: Alignment) -> Text<'static> {
        let text = match &self.content {
            Content::Text(text) => hemiola_words::fitted(text, width).trim_end().to_owned(),
            Content::Bar { limit, figures } => format!("▕{}▏", bar(width.saturating_sub(2), *limit, *figures)),
        };
        Text::styled(text, self.style).alignment(alignment)
    }
}

/// The style of cells without information.
pub const QUIET: Style = Style::new().add_modifier(Modifier::DIM);

/// The largest width of a column of text.
const WIDEST: usize = 44;
const NARROWEST_REST: usize = 12;
const WIDEST_REST: usize = 200;

/// The sorting, selection and scrolling of a table.
#[derive(Default)]
pub struct Position {
    state: TableState,
    sorting: Option<Sorting>,
    columns: usize,
    /// The number of rows that were shown at once.
    page: usize,
    rows: usize,
}

struct Sorting {
    column: usize,
    is_reversed: bool,
}

impl Position {
    pub fn sort_by_next(&mut self) {
        let next = self.sorting.as_ref().map_or(0, |sorting| sorting.column + 1);
        // After the last column, rows are in their own order again.
        self.sorting = (next < self.columns).then_some(Sorting { column: next, is_reversed: false });
    }

    pub fn reverse(&mut self) {
        if let Some(sorting) = &mut self.sorting {
            sorting.is_reversed = !sorting.is_reversed;
        }
    }

    pub fn move_by(&mut self, rows: isize) {
        let last = self.rows.saturating_sub(1);
        let now = self.state.selected();
        let next = match now {
            // The first step selects the first row that is shown.
            None if rows > 1 => last,
            None => self.state.offset(),
            Some(now) => now.saturating_add_signed(rows).min(last),
        };
        self.state.select((self.rows > 0).then_some(next));
    }

    pub fn move_by_page(&mut self, pages: isize) {
        self.move_by(pages.saturating_mul(isize::try_from(self.page.max(1)).unwrap_or(isize::MAX)));
    }

    /// Returns which row is selected, in the order that is shown.
    pub fn selected(&self) -> Option<usize> {
        self.state.selected()
    }

    /// Scrolls to the end of a table that grows, unless a row is selected.
    pub fn follow_end(&mut self, rows: usize, height: u16) {
        if self.state.selected().is_none() {
            *self.state.offset_mut() = rows.saturating_sub(usize::from(height.saturating_sub(1)));
        }
    }

    fn sort(&self, rows: &mut [Vec<Cell>]) {
        let Some(Sorting { column, is_reversed }) = self.sorting else { return };
        rows.sort_by(|one, other| {
            let order = match (one.get(column).map(|cell| &cell.key), other.get(column).map(|cell| &cell.key)) {
                // The largest figures come first, because they are of most interest.
                (Some(Key::Number(one)), Some(Key::Number(other))) => other.total_cmp(one),
                (Some(Key::Text(one)), Some(Key::Text(other))) => one.cmp(other),
                _ => Ordering::Equal,
            };
            if is_reversed { order.reverse() } else { order }
        });
    }
}

impl Table {
    pub fn new<const COUNT: usize>(columns: [Column; COUNT], rows: impl IntoIterator<Item = [Cell; COUNT]>) -> Self {
        Self { columns: columns.into(), rows: rows.into_iter().map(Vec::from).collect() }
    }

    /// Inserts a column, of which there is a cell for each row.
    pub fn insert(&mut self, place: usize, column: Column, cells: impl IntoIterator<Item = Cell>) {
        self.columns.insert(place, column);
        self.rows.iter_mut().zip(cells).for_each(|(row, cell)| row.insert(place, cell));
    }

    /// Draws as much of the table as there is room for, or a note that it has no rows.
    pub fn draw(mut self, canvas: &mut Frame<'_>, area: Rect, position: &mut Position) {
        if self.rows.is_empty() {
            return canvas.render_widget(Line::styled(" none yet", QUIET), area);
        }
        (position.columns, position.rows) = (self.columns.len(), self.rows.len());
        position.page = usize::from(area.height.saturating_sub(1));
        if position.state.selected().is_some_and(|selected| selected >= self.rows.len()) {
            position.state.select(self.rows.len().checked_sub(1));
        }
        position.sort(&mut self.rows);
        let widths = self.widths(usize::from(area.width));
        let shown: Vec<usize> = (0..self.columns.len()).filter(|&index| widths[index].is_some()).collect();
        let width = |index: usize| widths[index].unwrap_or_default();
        let title = |&index: &usize| {
            let column = &self.columns[index];
            let sorting = position.sorting.as_ref().filter(|sorting| sorting.column == index);
            let style = if sorting.is_some() { QUIET.add_modifier(Modifier::UNDERLINED) } else { QUIET };
            Text::styled(hemiola_words::fitted(column.title, width(index)).trim_end().to_owned(), style)
                .alignment(column.alignment)
        };
        let row = |cells: &Vec<Cell>| {
            let cells = shown.iter().map(|&index| cells[index].drawn(width(index), self.columns[index].alignment));
            widgets::Row::new(cells.collect::<Vec<_>>())
        };
        let constraints =
            shown.iter().map(|&index| Constraint::Length(u16::try_from(width(index)).unwrap_or(u16::MAX)));
        let table = widgets::Table::new(self.rows.iter().map(row), constraints)
            .header(widgets::Row::new(shown.iter().map(title).collect::<Vec<_>>()))
            .column_spacing(GAP as u16)
            .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
        canvas.render_stateful_widget(table, area, &mut position.state);
    }

    /// Returns the width of each column, and `None` where there is no room for it.
    fn widths(&self, room: usize) -> Vec<Option<usize>> {
        let mut widths = vec![None; self.columns.len()];
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(self.columns[index].importance));
        let mut left = room + GAP;
        for (place, index) in order.into_iter().enumerate() {
            let width = self.wanted(index) + GAP;
            // The most important column is always shown.
            if width <= left || place == 0 {
                widths[index] = Some(width - GAP);
                left = left.saturating_sub(width);
            }
        }
        for (column, width) in self.columns.iter().zip(&mut widths) {
            if let (true, Some(width)) = (column.fills, width) {
                *width = (*width + left).min(WIDEST_REST);
            }
        }
        widths
    }

    fn wanted(&self, index: usize) -> usize {
        let column = &self.columns[index];
        let title = column.title.chars().count();
        if column.fills {
            return title.max(NARROWEST_REST);
        }
        let cells = self.rows.iter().filter_map(|row| row.get(index)).map(Cell::width);
        cells.max().unwrap_or(0).min(WIDEST).max(title)
    }
}

/// The space between two columns.
const GAP: usize = 2;
