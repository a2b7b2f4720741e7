//! The calibration of a recording's camera, from landmarks that people marked in pictures taken at
//! known places.

use glam::Vec2;

use crate::cognition::perception::camera_matrix::CameraView;
use crate::cognition::perception::landmark_score::LandmarkClass;
use crate::cognition::perception::landmarks::{FIELD_RECORDING_CIRCLE, FieldCamera};
use crate::geometry::Pose2;

/// A picture with a known pose on the field and marked landmarks.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// The pose of the robot on the field.
    pub place: Pose2,
    /// The pitch of the head, in radians.
    pub head_pitch: f32,
    /// The yaw of the head, in radians.
    pub head_yaw: f32,
    /// The size of the picture, in pixels.
    pub size: [u32; 2],
    /// The landmarks that people marked in it.
    pub marked: Vec<(LandmarkClass, Vec2)>,
}

/// A camera, and the quality of its fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraFit {
    /// The camera.
    pub camera: FieldCamera,
    /// The number of marked landmarks that match one of the field of their class.
    pub landmarks: usize,
    /// The root mean square distance between these and where the camera should see them, in pixels
    /// of a picture 320 wide.
    pub error: f32,
}

/// Returns the camera that explains the marked landmarks best: Gauss-Newton on their distances to
/// the nearest landmark of the same class on the field, from coarse to fine. A robot that is put
/// down by hand turns and leans a little differently in each picture; both are estimated as well.
/// It starts with an upright NAO as in the drawing, so that no initial guess is needed. `None` if
/// there are too few landmarks or no camera explains them.
pub fn fit(sightings: &[Sighting]) -> Option<CameraFit> {
    let mut values = START;
    let mut stances = vec![Stance::default(); sightings.len()];
    // The radii in pixels within which a landmark of the field may be the marked one, which shrink
    // as the camera becomes known.
    for radius in [60.0, 60.0, 60.0, 60.0, 40.0, 40.0, 25.0, 25.0, FARTHEST, FARTHEST, FARTHEST, FARTHEST] {
        let mut system = System::<COUNT>::default();
        let cameras: [FieldCamera; COUNT] = std::array::from_fn(|index| {
            let mut moved = values;
            moved[index] += STEP;
            camera(&moved)
        });
        let current = camera(&values);
        for (sighting, stance) in sightings.iter().zip(&mut stances) {
            *stance = sighting.stand(&current, *stance, radius);
            let moved = cameras.map(|camera| sighting.view(&camera, stance));
            for (seen, place, _) in sighting.matches(&current, stance, radius) {
                let image = |view: &CameraView| view.image_of_ground(sighting.relative(stance, place));
                system.add(seen, image(&sighting.view(&current, stance)), moved.each_ref().map(image));
            }
        }
        for (index, spread) in SPREAD.into_iter().enumerate() {
            system.expect(index, values[index] - START[index], spread);
        }
        let change = system.solve()?;
        for (value, change) in values.iter_mut().zip(change) {
            *value += change;
        }
        // The part that all stances share belongs to the camera.
        let shared = stances.iter().map(|stance| stance.lean).sum::<f32>() / stances.len().max(1) as f32;
        values[LEAN] += shared;
        stances.iter_mut().for_each(|stance| stance.lean -= shared);
    }
    let fit = explain(&camera(&values), sightings);
    (fit.landmarks >= FEWEST_LANDMARKS && fit.error <= LARGEST_ERROR).then_some(fit)
}

/// Returns how well a camera explains the marked landmarks.
pub fn explain(camera: &FieldCamera, sightings: &[Sighting]) -> CameraFit {
    let (mut landmarks, mut squares) = (0, 0.0);
    for sighting in sightings {
        let scale = 320.0 / sighting.size[0] as f32;
        let mut stance = Stance::default();
        for radius in [60.0, 40.0, 25.0, FARTHEST, FARTHEST] {
            stance = sighting.stand(camera, stance, radius);
        }
        for (_, _, error) in sighting.matches(camera, &stance, FARTHEST) {
            landmarks += 1;
            squares += (error * scale).powi(2);
        }
    }
    CameraFit { camera: *camera, landmarks, error: (squares / landmarks.max(1) as f32).sqrt() }
}

/// The stance of the robot in one picture, relative to the surveyed pose and the average lean.
#[derive(Clone, Copy, Default)]
struct Stance {
    /// The turn relative to the surveyed pose, in radians.
    turn: f32,
    /// The lean relative to the average one, in radians.
    lean: f32,
}

impl Sighting {
    fn view(&self, camera: &FieldCamera, stance: &Stance) -> CameraView {
        let camera = FieldCamera { lean: camera.lean + stance.lean, ..*camera };
        camera.view(self.head_pitch, self.head_yaw, self.size[0], self.size[1])
    }

    /// Returns a position on the field relative to the robot.
    fn relative(&self, stance: &Stance, place: Vec2) -> Vec2 {
        Pose2 { rotation: self.place.rotation + stance.turn, ..self.place }.relative(place)
    }

    /// Returns marked landmarks with the position of the matching one on the field, and their
    /// distance in pixels.
    fn matches(&self, camera: &FieldCamera, stance: &Stance, radius: f32) -> impl Iterator<Item = (Vec2, Vec2, f32)> {
        let radius = radius * self.size[0] as f32 / 320.0;
        let (view, stance) = (self.view(camera, stance), *stance);
        self.marked.iter().filter_map(move |&(class, seen)| {
            let of_class = FIELD_OF_2012.iter().filter(|landmark| landmark.0 == class);
            let images =
                of_class.filter_map(|(_, place)| Some((*place, view.image_of_ground(self.relative(&stance, *place))?)));
            let distances = images.map(|(place, image)| (place, image.distance(seen)));
            let (place, distance) = distances.min_by(|a, b| a.1.total_cmp(&b.1))?;
            (distance <= radius).then_some((seen, place, distance))
        })
    }

    /// Computes one step of the fit of the stance.
    fn stand(&self, camera: &FieldCamera, stance: Stance, radius: f32) -> Stance {
        let mut system = System::<2>::default();
        let moved = [Stance { turn: stance.turn + STEP, ..stance }, Stance { lean: stance.lean + STEP, ..stance }];
        for (seen, place, _) in self.matches(camera, &stance, radius) {
            let image = |stance: &Stance| self.view(camera, stance).image_of_ground(self.relative(stance, place));
            system.add(seen, image(&stance), moved.each_ref().map(image));
        }
        for (index, value) in [stance.turn, stance.lean].into_iter().enumerate() {
            system.expect(index, value, USUAL_STANCE);
        }
        let [turn, lean] = system.solve().unwrap_or_default();
        Stance { turn: stance.turn + turn, lean: stance.lean + lean }
    }
}

/// The normal equations of a step that moves projected points to where they were seen.
struct System<const N: usize> {
    normal: [[f32; N]; N],
    right: [f32; N],
}

impl<const N: usize> Default for System<N> {
    fn default() -> Self {
        Self { normal: [[0.0; N]; N], right: [0.0; N] }
    }
}

impl<const N: usize> System<N> {
    /// Adds a point, its current projection, and its projection after a step of each value.
    fn add(&mut self, seen: Vec2, now: Option<Vec2>, moved: [Option<Vec2>; N]) {
        let Some(now) = now else { return };
        let slopes = moved.map(|moved| (moved.unwrap_or(now) - now) / STEP);
        // A wrong match has no more influence than one that is a little off (Huber).
        let weight = HUBER / seen.distance(now).max(HUBER);
        for (row, slope) in slopes.iter().enumerate() {
            self.right[row] += weight * slope.dot(seen - now);
            for (column, other) in slopes.iter().enumerate() {
                self.normal[row][column] += weight * slope.dot(*other);
            }
        }
    }

    /// Adds the prior of a value: its difference from the known one, and its spread.
    fn expect(&mut self, index: usize, difference: f32, spread: f32) {
        let weight = (PIXEL_ERROR / spread).powi(2);
        self.normal[index][index] += weight;
        self.right[index] -= weight * difference;
    }

    /// Returns the step, by Gaussian elimination with pivots; none if the points do not determine
    /// it.
    fn solve(mut self) -> Option<[f32; N]> {
        let (matrix, right) = (&mut self.normal, &mut self.right);
        for column in 0..N {
            let largest = (column..N).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))?;
            if matrix[largest][column].abs() < 1e-3 {
                return None;
            }
            matrix.swap(column, largest);
            right.swap(column, largest);
            for row in (0..N).filter(|row| *row != column) {
                let factor = matrix[row][column] / matrix[column][column];
                let pivot = matrix[column];
                for (value, pivot) in matrix[row].iter_mut().zip(pivot).skip(column) {
                    *value -= factor * pivot;
                }
                right[row] -= factor * right[column];
            }
        }
        Some(std::array::from_fn(|row| (right[row] / matrix[row][row]).clamp(-LARGEST_CHANGE, LARGEST_CHANGE)))
    }
}

/// The minimum number of landmarks for a fit.
const FEWEST_LANDMARKS: usize = 30;
/// The maximum distance of a marked landmark from one of the field, in pixels.
const FARTHEST: f32 = 15.0;
/// The maximum error, in pixels; a larger one means that the poses or the field are not as assumed.
const LARGEST_ERROR: f32 = 6.0;
/// The accuracy with which people mark landmarks, in pixels.
const PIXEL_ERROR: f32 = 2.0;
/// The usual deviation in turn and lean of a robot that was put down by hand, in radians.
const USUAL_STANCE: f32 = 0.035;
/// The distance in pixels from which on it counts only linearly.
const HUBER: f32 = 4.0;
/// The step of each value for numerical derivatives, in metres or radians.
const STEP: f32 = 1e-3;
/// The maximum change of each value from one round to the next, in metres or radians.
const LARGEST_CHANGE: f32 = 0.1;

/// The number of fitted values of a camera.
const COUNT: usize = 5;
/// The index of the lean among them.
const LEAN: usize = 1;
/// The values of a NAO that stands upright with its knees bent a little, and with the
/// manufacturer's field of view (61.0 x 47.6 degrees).
const START: [f32; COUNT] = [0.33, 0.0, 0.0, 1.064, 0.831];
/// The uncertainty of each of these.
const SPREAD: [f32; COUNT] = [0.02, 0.1, 0.03, 0.03, 0.03];

fn camera(&[torso_height, lean, roll, across, down]: &[f32; COUNT]) -> FieldCamera {
    FieldCamera { torso_height, lean, roll, field_of_view: Vec2::new(across, down) }
}

/// The landmarks of the field of 2012: 6 m x 4 m, a goal area of 0.6 m x 2.2 m, marks 1.8 m from
/// the goal line.
const FIELD_OF_2012: [(LandmarkClass, Vec2); 23] = {
    use LandmarkClass::{G, L, T, X};
    const fn at(class: LandmarkClass, x: f32, y: f32) -> (LandmarkClass, Vec2) {
        (class, Vec2::new(x, y))
    }
    [
        at(X, 0.0, 0.0),
        at(X, 0.0, FIELD_RECORDING_CIRCLE),
        at(X, 0.0, -FIELD_RECORDING_CIRCLE),
        at(X, 1.2, 0.0),
        at(X, -1.2, 0.0),
        at(L, 3.0, 2.0),
        at(L, 3.0, -2.0),
        at(L, -3.0, 2.0),
        at(L, -3.0, -2.0),
        at(L, 2.4, 1.1),
        at(L, 2.4, -1.1),
        at(L, -2.4, 1.1),
        at(L, -2.4, -1.1),
        at(T, 0.0, 2.0),
        at(T, 0.0, -2.0),
        at(T, 3.0, 1.1),
        at(T, 3.0, -1.1),
        at(T, -3.0, 1.1),
        at(T, -3.0, -1.1),
        at(G, 3.0, 0.75),
        at(G, 3.0, -0.75),
        at(G, -3.0, 0.75),
        at(G, -3.0, -0.75),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_is_found_from_what_it_sees() {
        let true_camera =
            FieldCamera { torso_height: 0.31, lean: 0.06, roll: 0.02, field_of_view: Vec2::new(1.06, 0.83) };
        let places = (0..24_u8).map(|index| Pose2::new(-2.0 + 0.15 * f32::from(index), 0.3, 0.5 * f32::from(index)));
        let sightings: Vec<_> = places
            .map(|place| {
                let mut sighting =
                    Sighting { place, head_pitch: -0.5, head_yaw: 0.1, size: [320, 240], marked: Vec::new() };
                let view = sighting.view(&true_camera, &Stance::default());
                let seen = FIELD_OF_2012
                    .iter()
                    .filter_map(|(class, at)| Some((*class, view.image_of_ground(place.relative(*at))?)));
                sighting.marked = seen.filter(|(_, image)| view.contains(*image, 0.0)).collect();
                sighting
            })
            .collect();
        let fit = fit(&sightings).unwrap();
        assert!(fit.error < 0.1, "{fit:?}");
        // The prior from the drawing has a little influence where pictures hardly distinguish
        // height, lean and view.
        assert!((fit.camera.lean - 0.06).abs() < 5e-3 && (fit.camera.roll - 0.02).abs() < 2e-3, "{fit:?}");
        assert!((fit.camera.torso_height - 0.31).abs() < 0.01, "{fit:?}");
        assert!(fit.camera.field_of_view.distance(true_camera.field_of_view) < 0.015, "{fit:?}");
        assert!(super::fit(&sightings[..2]).is_none());
    }
}
