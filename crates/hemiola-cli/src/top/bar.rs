//! Numbers and bars of fixed width.

/// Formats milliseconds with three decimals at most, fewer for larger values: `0.052`, `1.24`,
/// `12.3`, `140`.
pub fn milliseconds(nanoseconds: u64) -> String {
    let value = nanoseconds as f64 / 1e6;
    let decimals = match value {
        ..0.9995 => 3,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Draws a bar of `cells` columns that stands for `limit`: solid to the mean, a thin line to the
/// p99, a dot at the maximum, an arrow if that exceeds it.
pub fn bar(cells: usize, limit: u64, [mean, p99, maximum]: [u64; 3]) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = |value: u64| ((value as f64 / limit.max(1) as f64 * cells as f64 * 8.0) as usize).min(cells * 8);
    let mut columns = vec!['█'; eighths(mean) / 8];
    if columns.len() < cells && !eighths(mean).is_multiple_of(8) {
        columns.push(EIGHTHS[eighths(mean) % 8]);
    }
    let light = eighths(p99).div_ceil(8);
    columns.resize(columns.len().max(light), '─');
    columns.resize(cells, ' ');
    let last = eighths(maximum).div_ceil(8).clamp(1, cells.max(1)) - 1;
    match columns.get_mut(last) {
        Some(column) if maximum > limit => *column = '▶',
        Some(column) if maximum > 0 && matches!(*column, ' ' | '─') => *column = '•',
        _ => {}
    }
    columns.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_have_three_digits() {
        assert_eq!([52_000, 1_240_000, 12_340_000, 140_000_000].map(milliseconds), ["0.052", "1.24", "12.3", "140"]);
    }

    #[test]
    fn a_bar_shows_mean_tail_and_maximum() {
        assert_eq!(bar(10, 1000, [300, 500, 800]), "███──  •  ");
        assert_eq!(bar(10, 1000, [250, 250, 250]), "██▌       ");
        assert_eq!(bar(4, 1000, [5000, 5000, 5000]), "███▶");
        assert_eq!(bar(4, 1000, [0, 0, 0]), "    ");
    }

    #[test]
    fn a_bar_is_as_wide_as_asked() {
        for mean in (0..1200).step_by(7) {
            for cells in [0, 1, 5, 12] {
                assert_eq!(bar(cells, 1000, [mean, mean + 50, mean + 100]).chars().count(), cells);
            }
        }
    }
}
