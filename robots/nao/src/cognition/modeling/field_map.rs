//! The distances to the field's painted lines, by direction, in look-up tables.

use glam::Vec2;

use crate::field::{CENTER_CIRCLE_RADIUS, LINES, Line};

/// The side of a cell, in metres.
const CELL: f32 = 0.05;
/// The half extent of the map around the centre, in metres: the field, its border, and a little
/// beyond.
const HALF: Vec2 = Vec2::new(6.0, 4.5);
const COLUMNS: usize = (2.0 * HALF.x / CELL) as usize;
const ROWS: usize = (2.0 * HALF.y / CELL) as usize;

/// Two distance maps, one of the lines along x and one of the lines along y, 43 kB each; the centre
/// circle is computed.
///
/// Distances are clipped at [`FieldMap::LIMIT`] and rounded to 4 mm.
#[derive(Debug)]
pub struct FieldMap {
    along_x: Vec<u8>,
    along_y: Vec<u8>,
}

impl Default for FieldMap {
    /// Computes the maps, which takes some milliseconds.
    fn default() -> Self {
        let is_along_x = |line: &&Line| line.from.y == line.to.y;
        Self {
            along_x: map(LINES.iter().filter(is_along_x)),
            along_y: map(LINES.iter().filter(|line| !is_along_x(line))),
        }
    }
}

impl FieldMap {
    /// The maximum distance, in metres.
    pub const LIMIT: f32 = 1.0;

    /// Returns the distance from a point of the field to the nearest line roughly along `direction`
    /// (a unit vector), or to the centre circle, whose pieces run in all directions.
    pub fn distance(&self, point: Vec2, direction: Vec2) -> f32 {
        let circle = (point.length() - CENTER_CIRCLE_RADIUS).abs().min(Self::LIMIT);
        let (x, y) = (direction.x.abs(), direction.y.abs());
        // Within 30 degrees of an axis.
        let map = if y < 0.5 {
            &self.along_x
        } else if x < 0.5 {
            &self.along_y
        } else {
            return circle;
        };
        let cell = (point + HALF) / CELL;
        let is_inside = cell.x >= 0.0 && cell.y >= 0.0 && cell.x < COLUMNS as f32 && cell.y < ROWS as f32;
        if !is_inside {
            return circle;
        }
        let straight = f32::from(map[cell.y as usize * COLUMNS + cell.x as usize]) * (Self::LIMIT / 255.0);
        straight.min(circle)
    }
}

fn map<'l>(lines: impl Iterator<Item = &'l Line> + Clone) -> Vec<u8> {
    let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    cells
        .map(|(column, row)| {
            let center = (Vec2::new(column as f32, row as f32) + 0.5) * CELL - HALF;
            let nearest = lines.clone().map(|line| line.distance(center)).fold(FieldMap::LIMIT, f32::min);
            (nearest * (255.0 / FieldMap::LIMIT)).round() as u8
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::distance_to_line;

    #[test]
    fn the_nearest_line_of_a_direction_is_looked_up_to_within_a_cell() {
        let map = FieldMap::default();
        let close = |point: (f32, f32), direction: Vec2, expected: f32| {
            let distance = map.distance(Vec2::from(point), direction);
            assert!((distance - expected).abs() < 0.05, "{point:?} {direction}: {distance}, not {expected}");
        };
        close((0.3, 2.5), Vec2::Y, 0.3);
        close((0.3, 2.5), Vec2::X, 0.5);
        close((0.3, 2.5), Vec2::new(0.8, 0.6).perp().normalize(), FieldMap::LIMIT);
        close((0.75, 0.1), Vec2::X, 0.01);
        close((8.0, 0.0), Vec2::X, FieldMap::LIMIT);
    }

    #[test]
    fn both_maps_together_tell_the_distance_to_any_line() {
        let map = FieldMap::default();
        for step in 0..400_u16 {
            let point = Vec2::from_angle(f32::from(step) * 0.7) * (f32::from(step) * 0.01);
            // Marks are not part of the maps: they are landmarks.
            if point.distance(Vec2::new(3.2, 0.0)).min(point.distance(Vec2::new(-3.2, 0.0))).min(point.length()) > 0.4 {
                let both = map.distance(point, Vec2::X).min(map.distance(point, Vec2::Y));
                let expected = distance_to_line(point).min(FieldMap::LIMIT);
                assert!((both - expected).abs() < 0.05, "{point}: {both}, not {expected}");
            }
        }
    }
}
