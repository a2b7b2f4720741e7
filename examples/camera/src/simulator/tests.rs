use super::scene::ORANGE;
use super::*;
use crate::geometry::FOCAL_LENGTH;

fn image(scene: &Scene, ball: DVec3, view: &View) -> Vec<u8> {
    let mut pixels = vec![0; 3 * (WIDTH * HEIGHT) as usize];
    render(scene, ball, view, &mut pixels);
    pixels
}

fn pixel(pixels: &[u8], column: u32, row: u32) -> [u8; 3] {
    let begin = 3 * (row * WIDTH + column) as usize;
    [pixels[begin], pixels[begin + 1], pixels[begin + 2]]
}

#[test]
fn the_ball_is_where_geometry_says() {
    let scene = Scene::new(1);
    // Beside the post, and near the optical axis, where it is round in the image.
    let ball = Direction::new(-0.35, 0.1).at(2.5);
    let view = View::towards(Direction::new(-0.3, 0.0));
    let pixels = image(&scene, ball, &view);
    let at = view.pixel(ball).unwrap();
    let radius = FOCAL_LENGTH * BALL_RADIUS / 2.5;
    let is_orange = |x: f64, y: f64| {
        let [red, green, blue] = pixel(&pixels, (at.x + x) as u32, (at.y + y) as u32).map(f64::from);
        red > 80.0 && (green / red - f64::from(ORANGE[1]) / f64::from(ORANGE[0])).abs() < 0.05 && blue < 0.2 * red
    };
    for (x, y) in [(0.9, 0.0), (-0.9, 0.0), (0.0, 0.9), (0.0, -0.9)] {
        assert!(is_orange(x * radius, y * radius), "inside: {x}, {y}");
        assert!(!is_orange(1.3 * x * radius, 1.3 * y * radius), "outside: {x}, {y}");
    }
}

#[test]
fn a_post_hides_the_ball() {
    let scene = Scene::new(1);
    let ball = (scene.post * 1.8).extend(0.0);
    let view = View::towards(Direction::of(ball));
    let [red, green, blue] = pixel(&image(&scene, ball, &view), WIDTH / 2, HEIGHT / 2);
    assert!(red.abs_diff(green) < 4 && green.abs_diff(blue) < 10, "grey: {red}, {green}, {blue}");
    assert!(!scene.is_clear(ball, &view));
}

#[test]
fn the_ball_stays_in_the_room_and_moves_smoothly() {
    for seed in 1..=20 {
        let scene = Scene::new(seed);
        let positions: Vec<DVec3> =
            (0..1800).map(|image| scene.ball(Time::from_seconds(f64::from(image) / 30.0))).collect();
        for pair in positions.windows(2) {
            assert!((1.9..4.2).contains(&pair[0].x) && pair[0].y.abs() < 2.1 && pair[0].z.abs() < 0.8, "{}", pair[0]);
            assert!(pair[0].distance(pair[1]) < 0.1, "faster than 3 m/s");
        }
    }
}

#[test]
fn noise_has_the_deviation_that_is_asked_for_and_is_another_in_each_image() {
    let noisy = |image| {
        let mut pixels = vec![128; 3 * 10_000];
        Random::for_image(1, image).add_noise(4.0, &mut pixels);
        pixels
    };
    let pixels = noisy(1);
    let squares: f64 = pixels.iter().map(|channel| (f64::from(*channel) - 128.0 + 0.5).powi(2)).sum();
    let deviation = (squares / pixels.len() as f64).sqrt();
    assert!((3.8..4.2).contains(&deviation), "{deviation}");
    assert_eq!(pixels, noisy(1));
    assert_ne!(pixels, noisy(2));
}
