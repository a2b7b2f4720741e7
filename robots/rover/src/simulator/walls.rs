//! The walls of the world: segments from (x, y) to (x, y), in metres.

/// A wall from its first to its second point.
pub type Wall = [f64; 4];

/// Returns the distance from a point to the first wall that a ray hits, in metres.
///
/// ```
/// use rover::simulator::walls::range;
///
/// let walls = [[2.0, -1.0, 2.0, 1.0]];
/// assert_eq!(range(&walls, [0.0, 0.0], 0.0), Some(2.0));
/// assert_eq!(range(&walls, [0.0, 0.0], 3.0), None);
/// ```
#[must_use]
pub fn range(walls: &[Wall], [x, y]: [f64; 2], angle: f64) -> Option<f64> {
    let (sine, cosine) = angle.sin_cos();
    let hits = walls.iter().filter_map(|[from_x, from_y, to_x, to_y]| {
        let (wall_x, wall_y) = (to_x - from_x, to_y - from_y);
        let (begin_x, begin_y) = (from_x - x, from_y - y);
        let cross = cosine * wall_y - sine * wall_x;
        let (along_ray, along_wall) = (begin_x * wall_y - begin_y * wall_x, begin_x * sine - begin_y * cosine);
        let (range, fraction) = (along_ray / cross, along_wall / cross);
        (cross != 0.0 && range >= 0.0 && (0.0..=1.0).contains(&fraction)).then_some(range)
    });
    hits.min_by(f64::total_cmp)
}

/// Returns the distance from a point to the nearest wall, in metres; infinity without walls.
#[must_use]
pub fn distance(walls: &[Wall], [x, y]: [f64; 2]) -> f64 {
    let distances = walls.iter().map(|[from_x, from_y, to_x, to_y]| {
        let (wall_x, wall_y) = (to_x - from_x, to_y - from_y);
        let square = wall_x * wall_x + wall_y * wall_y;
        let along = ((x - from_x) * wall_x + (y - from_y) * wall_y) / square.max(f64::MIN_POSITIVE);
        let along = along.clamp(0.0, 1.0);
        (from_x + along * wall_x - x).hypot(from_y + along * wall_y - y)
    });
    distances.fold(f64::INFINITY, f64::min)
}
