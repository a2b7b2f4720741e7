use proptest::prelude::*;

use super::*;
use crate::navigation::tests::{ROOM, drawn_map, scan_at};

const WINDOW: Window =
    Window { way: 0.2, turn: 0.12, turn_step: 0.006, way_deviation: 1e3, turn_deviation: 1e3, weight: 0.1 };

fn points(at: Pose2, seed: u64) -> Vec<[f64; 2]> {
    crate::navigation::scan::hits(&scan_at(at, seed), 8.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The predicted pose is up to 17 cm and 6° off, rays have 1 cm of noise, and cells 5 cm.
    #[test]
    fn the_pose_of_a_scan_is_found_to_three_centimetres_and_half_a_degree(
        (x, y, heading) in (0.5..3.5, 0.5..2.5, -3.0..3.0_f64),
        (off_x, off_y, off_heading) in (-0.17..0.17, -0.17..0.17, -0.1..0.1),
        seed: u64,
    ) {
        let real = Pose2::new(x, y, heading);
        let predicted = Pose2::new(x + off_x, y + off_y, heading + off_heading);
        let mut matcher = ScanMatcher::default();
        matcher.prepare(&drawn_map(&ROOM), predicted.position(), 9.0, 0.05);
        let found = matcher.search(&points(real, seed), predicted, &WINDOW).unwrap();
        let turned = normalize_angle(found.pose.heading - real.heading).abs();
        prop_assert!(found.pose.distance(real.position()) < 0.03 && turned < 0.009, "{:?}, not {real:?}", found.pose);
        prop_assert!(found.quality > 0.8, "{}", found.quality);
        let deviation = found.covariance[0][0].sqrt();
        prop_assert!((0.005..0.1).contains(&deviation), "{deviation} m");
    }

    #[test]
    fn leaving_out_blocks_leaves_out_no_better_pose(
        (x, y, heading) in (0.5..3.5, 0.5..2.5, -3.0..3.0_f64),
        (off_x, off_y) in (-0.3..0.3, -0.3..0.3),
        seed: u64,
    ) {
        let window = Window { turn: 0.03, ..WINDOW };
        let predicted = Pose2::new(x + off_x, y + off_y, heading);
        let (mut matcher, points) = (ScanMatcher::default(), points(Pose2::new(x, y, heading), seed));
        matcher.prepare(&drawn_map(&ROOM), predicted.position(), 9.0, 0.05);
        let found = matcher.search(&points, predicted, &window).unwrap();
        let mut best = 0;
        for heading in -5..=5 {
            let turned = Pose2 { heading: predicted.heading + f64::from(heading) * window.turn_step, ..predicted };
            for row in -8..=8 {
                for column in -8..=8 {
                    let value = |point: &[f64; 2]| {
                        let [at_column, at_row] = matcher.cells.place(turned.transform(*point));
                        u32::from(matcher.field[matcher.cells.index([at_column + column, at_row + row]).unwrap()])
                    };
                    best = best.max(points.iter().map(value).sum::<u32>());
                }
            }
        }
        let quality = f64::from(best) / (255.0 * points.len() as f64);
        prop_assert!((found.quality - quality).abs() < 1e-9, "{} instead of {quality}", found.quality);
    }
}

#[test]
fn in_a_corridor_the_place_along_it_stays_as_predicted_and_is_uncertain() {
    let corridor = [[-20.0, -0.7, 20.0, -0.7], [-20.0, 0.7, 20.0, 0.7]];
    let points: Vec<_> = (0..360)
        .filter_map(|ray| {
            let angle = f64::from(ray).to_radians();
            let range = crate::simulator::walls::range(&corridor, [0.0, 0.0], angle).filter(|range| *range < 5.0)?;
            Some([range * angle.cos(), range * angle.sin()])
        })
        .collect();
    let mut matcher = ScanMatcher::default();
    let predicted = Pose2::new(0.1, 0.05, 0.02);
    matcher.prepare(&drawn_map(&corridor), predicted.position(), 9.0, 0.05);
    let window = Window { way_deviation: 0.1, turn_deviation: 0.05, ..WINDOW };
    let found = matcher.search(&points, predicted, &window).unwrap();
    assert!((found.pose.x - 0.1).abs() < 0.03 && found.pose.y.abs() < 0.02, "{:?}", found.pose);
    assert!(found.covariance[0][0] > 4.0 * found.covariance[1][1], "{:?}", found.covariance);
}

#[test]
fn a_scan_of_nothing_matches_nothing() {
    let mut matcher = ScanMatcher::default();
    assert_eq!(matcher.search(&[[1.0, 0.0]], Pose2::default(), &WINDOW), None);
    matcher.prepare(&drawn_map(&ROOM), [1.0, 1.0], 9.0, 0.05);
    assert_eq!(matcher.search(&[], Pose2::default(), &WINDOW), None);
    // Far beyond the map's reach: nowhere is anything near, and nothing is out of bounds.
    let far = matcher.search(&[[1e9, 1e9], [f64::MAX, 0.0]], Pose2::default(), &WINDOW).unwrap();
    assert_eq!(far.quality, 0.0);
}
