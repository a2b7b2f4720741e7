//! The geometry of a grid: the positions of cells in the plane, and their neighbourhoods.

use hemiola_ros::nav_msgs::MapMetaData;

/// A grid whose rows lie along x.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cells {
    /// The corner of the first cell, in metres.
    pub origin: [f64; 2],
    /// The size of a cell, in metres.
    pub resolution: f64,
    /// The number of cells per row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
}

impl Cells {
    /// Returns the grid of a map, which is not rotated.
    pub fn of(map: &MapMetaData) -> Self {
        let corner = &map.origin.position;
        Self {
            origin: [corner.x, corner.y],
            resolution: f64::from(map.resolution),
            width: map.width as usize,
            height: map.height as usize,
        }
    }

    /// Returns the number of cells.
    pub const fn len(&self) -> usize {
        self.width * self.height
    }

    /// Returns the column and row of a point, which may lie outside the grid.
    pub fn place(&self, [x, y]: [f64; 2]) -> [i64; 2] {
        let cell = |at: f64, origin: f64| ((at - origin) / self.resolution).floor() as i64;
        [cell(x, self.origin[0]), cell(y, self.origin[1])]
    }

    /// Returns the cell in a column and row.
    pub fn index(&self, [column, row]: [i64; 2]) -> Option<usize> {
        let (column, row) = (usize::try_from(column).ok()?, usize::try_from(row).ok()?);
        (column < self.width && row < self.height).then(|| row * self.width + column)
    }

    /// Returns the cell at a point.
    pub fn at(&self, point: [f64; 2]) -> Option<usize> {
        self.index(self.place(point))
    }

    /// Returns the column and row of a cell.
    pub const fn column_row(&self, cell: usize) -> [i64; 2] {
        [(cell % self.width) as i64, (cell / self.width) as i64]
    }

    /// Returns the centre of a cell, in metres.
    pub fn middle(&self, cell: usize) -> [f64; 2] {
        let [column, row] = self.column_row(cell).map(|at| at as f64 + 0.5);
        [self.origin[0] + column * self.resolution, self.origin[1] + row * self.resolution]
    }

    /// Calls `visit` for the cells on the line between two places, except the last one (Bresenham
    /// 1965).
    pub fn line(&self, from: [i64; 2], to: [i64; 2], mut visit: impl FnMut(usize)) {
        let [mut x, mut y] = from;
        let (width, height) = ((to[0] - x).abs(), (to[1] - y).abs());
        let mut error = width - height;
        while [x, y] != to {
            if let Some(cell) = self.index([x, y]) {
                visit(cell);
            }
            let doubled = 2 * error;
            if doubled > -height {
                error -= height;
                x += (to[0] - x).signum();
            }
            if doubled < width {
                error += width;
                y += (to[1] - y).signum();
            }
        }
    }
}

/// A round stamp: the values of the cells around an obstacle.
#[derive(Clone, Debug, Default)]
pub struct Stamp {
    reach: i64,
    values: Vec<u8>,
}

impl Stamp {
    /// Creates a stamp that reaches `radius` metres, with a value for each distance in metres.
    pub fn new(radius: f64, resolution: f64, value: impl Fn(f64) -> u8) -> Self {
        let reach = (radius / resolution).ceil() as i64;
        let values = (-reach..=reach).flat_map(|row| (-reach..=reach).map(move |column| (column, row)));
        let values = values.map(|(column, row)| (column as f64).hypot(row as f64) * resolution);
        Self { reach, values: values.map(|distance| if distance > radius { 0 } else { value(distance) }).collect() }
    }

    /// Raises the values around a cell to those of the stamp.
    pub fn press(&self, cells: &Cells, values: &mut [u8], [column, row]: [i64; 2]) {
        let side = 2 * self.reach + 1;
        let columns = (column - self.reach).max(0)..(column + self.reach + 1).min(cells.width as i64);
        for at in (row - self.reach).max(0)..(row + self.reach + 1).min(cells.height as i64) {
            let (Some(first), false) = (cells.index([columns.start, at]), columns.is_empty()) else { continue };
            let from = (at - row + self.reach) * side + columns.start - column + self.reach;
            let count = (columns.end - columns.start) as usize;
            let stamped = &self.values[from as usize..from as usize + count];
            for (value, stamp) in values[first..first + count].iter_mut().zip(stamped) {
                *value = (*value).max(*stamp);
            }
        }
    }
}
