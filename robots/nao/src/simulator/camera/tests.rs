use glam::{Quat, Vec2, Vec3};

use super::*;
use crate::field::{BALL_RADIUS, LANDMARKS, LandmarkKind, distance_to_line, is_carpet};
use crate::geometry::{Pose2, Pose3};
use crate::robot::Joint;
use crate::simulator::{OtherRobot, Scenario, Team, World, standing_positions};

/// Returns a world with a robot at `place` with the given head angles; the ball is far away.
fn world(place: Pose2, head_yaw: f32, head_pitch: f32) -> SimulatedWorld {
    let mut world = SimulatedWorld::default();
    World::new(1, Scenario::AloneInTheMiddle).snapshot(&mut world);
    world.joints = standing_positions();
    world.joints[Joint::HeadYaw.index()] = head_yaw;
    world.joints[Joint::HeadPitch.index()] = head_pitch;
    world.torso = Pose3::above(&place, 0.31);
    world.ball = Vec2::new(-4.0, -2.5);
    world.exposure = 0.0;
    world
}

fn image(world: &SimulatedWorld, camera: Camera) -> Image {
    let mut image = Image::default();
    render(world, camera, 7, &mut image);
    image
}

fn pixel(image: &Image, place: Vec2) -> Option<[u8; 3]> {
    let inside = place.cmpge(Vec2::ZERO).all() && place.x < image.width as f32 && place.y < image.height as f32;
    inside.then(|| image.ycbcr(place.x as u32, place.y as u32))
}

fn is_green([_, cb, cr]: [u8; 3]) -> bool {
    cb < 118 && cr < 112
}

fn is_white([y, cb, cr]: [u8; 3]) -> bool {
    y > 140 && cb.abs_diff(128) < 14 && cr.abs_diff(128) < 14
}

#[test]
fn a_point_of_the_field_appears_where_its_ray_comes_from() {
    let world = world(Pose2::new(1.0, -0.5, 0.4), 0.3, 0.1);
    for camera in [Camera::Upper, Camera::Lower] {
        let projection = Projection::new(&world, camera, WIDTH, HEIGHT);
        for (u, v) in [(0.5, 0.5), (160.0, 120.0), (300.0, 20.0), (10.0, 239.5)] {
            let point = projection.pose().translation + 2.0 * projection.ray(u, v);
            let (seen, depth) = projection.project(point).expect("in front of the camera");
            assert!(seen.abs_diff_eq(Vec2::new(u, v), 0.01) && (depth - 2.0).abs() < 1e-4, "{seen} {depth}");
        }
        assert_eq!(projection.project(projection.pose().transform(-Vec3::X)), None);
    }
}

#[test]
fn the_horizon_lies_where_the_camera_s_pitch_puts_it() {
    let world = world(Pose2::default(), 0.0, 0.0);
    let projection = Projection::new(&world, Camera::Upper, WIDTH, HEIGHT);
    let (horizon, _) = projection.project(Vec3::new(1e5, 0.0, 0.0)).expect("ahead");
    // The upper camera looks 1.2 degrees down; 299 pixels are one radian.
    assert!((horizon.y - (120.0 - 299.0 * 1.2_f32.to_radians().tan())).abs() < 0.5, "{horizon}");
}

#[test]
fn lines_are_white_and_carpet_is_green_where_the_field_has_them() {
    let mut checked = [0, 0];
    for (place, pitch) in
        [(Pose2::new(-1.0, 0.5, 0.2), 0.2), (Pose2::new(2.5, 1.0, -0.5), 0.0), (Pose2::new(-3.0, -1.0, 2.0), 0.3)]
    {
        let world = world(place, 0.2, pitch);
        for camera in [Camera::Upper, Camera::Lower] {
            let image = image(&world, camera);
            let projection = Projection::new(&world, camera, WIDTH, HEIGHT);
            for step in 0..40_000_u32 {
                let point = Vec2::new((step % 200) as f32 * 0.052 - 5.2, (step / 200) as f32 * 0.037 - 3.7);
                let Some((seen, depth)) = projection.project(point.extend(0.0)) else { continue };
                // Farther away a pixel is larger than a line; at the ends, goals hide the lines.
                if depth > 2.0 || !is_carpet(point) || point.x.abs() > 4.3 {
                    continue;
                }
                let Some(color) = pixel(&image, seen) else { continue };
                let distance = distance_to_line(point);
                if distance < 0.008 {
                    checked[0] += 1;
                    assert!(is_white(color), "{point} on a line is {color:?} at {seen} of {camera:?}");
                } else if distance > 0.05 {
                    checked[1] += 1;
                    assert!(is_green(color), "{point} on carpet is {color:?} at {seen} of {camera:?}");
                }
            }
        }
    }
    assert!(checked[0] > 30 && checked[1] > 1000, "{checked:?}");
}

#[test]
fn the_penalty_mark_is_seen_from_the_penalty_area_s_edge() {
    let mark = LANDMARKS.into_iter().find(|landmark| landmark.kind == LandmarkKind::PenaltyMark).expect("a mark");
    let world = world(Pose2::new(mark.pose.translation.x - 0.8, 0.1, 0.0), 0.0, 0.0);
    let projection = Projection::new(&world, Camera::Lower, WIDTH, HEIGHT);
    let (seen, _) = projection.project(mark.pose.translation.extend(0.0)).expect("ahead");
    let color = pixel(&image(&world, Camera::Lower), seen).expect("in the image");
    assert!(is_white(color), "{color:?} at {seen}");
}

#[test]
fn the_ball_is_a_round_patch_of_its_size_at_its_place() {
    let mut with_ball = world(Pose2::default(), 0.0, 0.0);
    let without = image(&with_ball, Camera::Lower);
    with_ball.ball = Vec2::new(0.6, 0.05);
    let with = image(&with_ball, Camera::Lower);
    let projection = Projection::new(&with_ball, Camera::Lower, WIDTH, HEIGHT);
    let (center, depth) = projection.project(with_ball.ball.extend(BALL_RADIUS)).expect("ahead");
    let radius = projection.focal_length() * BALL_RADIUS / depth;
    let (mut inside, mut green) = (0.0, 0);
    for v in 0..HEIGHT {
        for u in 0..WIDTH {
            let distance = Vec2::new(u as f32 + 0.5, v as f32 + 0.5).distance(center);
            if distance < radius - 1.0 {
                inside += 1.0;
                green += u32::from(is_green(with.ycbcr(u, v)));
            } else if distance > 2.0 * radius + 2.0 {
                assert_eq!(with.y(u, v), without.y(u, v), "pixel ({u}, {v})");
            }
        }
    }
    assert_eq!(green, 0, "carpet shines through the ball");
    assert!((inside / (std::f32::consts::PI * radius * radius) - 0.9).abs() < 0.1, "{inside} {radius}");
}

#[test]
fn a_rolling_ball_turns_its_pattern() {
    let mut world = world(Pose2::default(), 0.0, 0.0);
    world.ball = Vec2::new(0.5, 0.0);
    let before = image(&world, Camera::Lower);
    world.ball_rotation = Quat::from_rotation_y(0.5);
    assert!(image(&world, Camera::Lower) != before);
}

#[test]
fn jerseys_have_their_team_s_colour() {
    let mut world = world(Pose2::default(), 0.0, 0.0);
    for (team, is_jersey) in [
        (Team::Own, (|[_, cb, cr]| cb > 150 && cr < 125) as fn([u8; 3]) -> bool),
        (Team::Opponent, |[_, cb, cr]| cr > 150 && cb < 125),
    ] {
        world.others = vec![OtherRobot { team, pose: Pose2::new(1.5, 0.1, 2.0), stride: 0.0 }];
        let projection = Projection::new(&world, Camera::Upper, WIDTH, HEIGHT);
        let (seen, _) = projection.project(Vec3::new(1.5, 0.1, 0.4)).expect("ahead");
        let color = pixel(&image(&world, Camera::Upper), seen).expect("in the image");
        assert!(is_jersey(color), "{team:?} wears {color:?}");
    }
}

#[test]
fn what_is_near_hides_what_is_far() {
    let mut world = world(Pose2::default(), 0.0, 0.0);
    world.ball = Vec2::new(1.0, 0.0);
    let near = OtherRobot { team: Team::Opponent, pose: Pose2::new(0.7, -0.055, 0.0), stride: 0.0 };
    let projection = Projection::new(&world, Camera::Lower, WIDTH, HEIGHT);
    let dark = |world: &SimulatedWorld| {
        let (seen, _) = projection.project(world.ball.extend(BALL_RADIUS)).expect("ahead");
        let image = image(world, Camera::Lower);
        let around = (-9..9).flat_map(|v| (-9..9).map(move |u| Vec2::new(u as f32, v as f32)));
        around.filter(|offset| pixel(&image, seen + *offset).is_some_and(|[y, ..]| y < 60)).count()
    };
    assert!(dark(&world) > 20, "the ball's pattern is seen");
    world.others.push(near);
    assert!(dark(&world) < 5, "the left leg hides the ball, but {} dark pixels are left", dark(&world));
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_other_noise() {
    let world = world(Pose2::new(0.3, 0.2, 0.1), 0.0, 0.1);
    let rendered = |seed| {
        let mut image = Image::default();
        render(&world, Camera::Upper, seed, &mut image);
        image
    };
    assert!(rendered(3) == rendered(3));
    let (one, other) = (rendered(3), rendered(4));
    let differences = one.pixels.iter().zip(other.pixels.iter()).map(|(a, b)| f32::from(a.abs_diff(*b)));
    let mean = differences.sum::<f32>() / one.pixels.len() as f32;
    assert!((0.5..4.0).contains(&mean), "{mean}");
}

#[test]
fn exposure_brightens_the_image() {
    let mut world = world(Pose2::default(), 0.0, 0.3);
    let mean = |world: &SimulatedWorld| {
        let image = image(world, Camera::Lower);
        image.pixels.iter().step_by(2).map(|y| f32::from(*y)).sum::<f32>() / (WIDTH * HEIGHT) as f32
    };
    let normal = mean(&world);
    world.exposure = 0.5;
    assert!((mean(&world) / normal - 2.0_f32.sqrt()).abs() < 0.05);
}

#[test]
fn any_attitude_of_the_head_and_any_size_of_the_image_can_be_rendered() {
    let mut world = world(Pose2::new(4.4, 0.0, 0.0), 0.0, 0.0);
    for step in 0..60_u8 {
        let angle = f32::from(step) * 0.7;
        world.torso = Pose3::new(
            Quat::from_rotation_x(angle) * Quat::from_rotation_y(2.0 * angle),
            Vec3::new(4.4 * angle.sin(), 3.0 * angle.cos(), 0.05 + 0.3 * (3.0 * angle).sin()),
        );
        world.ball = world.torso.translation.truncate() + Vec2::new(0.05, 0.0);
        let mut image = Image::new(50 + 2 * u32::from(step), 37);
        render(&world, Camera::Upper, 1, &mut image);
        render(&world, Camera::Lower, 1, &mut image);
    }
    let mut largest = Image::new(LARGEST_WIDTH, 16);
    render(&world, Camera::Upper, 1, &mut largest);
}
