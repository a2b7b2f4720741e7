//! The landmarks in a single image: the same modules, without a robot around them.

use glam::{Quat, Vec2, Vec3};

use super::body_contour::Contour;
use super::camera_matrix::CameraView;
use super::center_circle::{CenterCircle, CenterCircleParameters, SeenCircle};
use super::crossings::{Crossings, CrossingsParameters, ImageLandmark};
use super::field_boundary::{Boundary, FieldBoundary};
use super::field_color::{FieldColor, GreenTone};
use super::goal_posts::GoalPosts;
use super::image_quality::{ImageQuality, Quality};
use super::line_finder::{LineFinder, Lines};
use super::line_spots::{LineSpots, Spots};
use super::penalty_marks::{PenaltyMarks, PenaltyMarksParameters};
use super::scan_lines::{ScanLines, Scans, Seen};
use crate::geometry::Pose3;
use crate::representations::sensing::{Image, JointAngles};
use crate::robot::Joint;
use crate::robot::kinematics::{Camera, Links};

/// Finds landmarks in independent images, such as those of a recording with known camera poses.
#[derive(Default)]
pub struct LandmarkDetector {
    image_quality: ImageQuality,
    field_color: FieldColor,
    scan_lines: ScanLines,
    field_boundary: FieldBoundary,
    line_spots: LineSpots,
    center_circle: CenterCircle,
    line_finder: LineFinder,
    crossings: Crossings,
    penalty_marks: PenaltyMarks,
    goal_posts: GoalPosts,
}

/// The results of all modules for an image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The quality of the image.
    pub quality: Quality,
    /// The colour of the carpet.
    pub green: GreenTone,
    /// The border of the carpet.
    pub boundary: Boundary,
    /// The points of lines.
    pub spots: Spots,
    /// The centre circle.
    pub circle: SeenCircle,
    /// The lines.
    pub lines: Lines,
    /// The crossings, marks and goal posts.
    pub landmarks: Vec<ImageLandmark>,
}

impl LandmarkDetector {
    /// Creates a detector for a field whose centre circle has a `radius` in metres.
    #[must_use]
    pub fn for_circle(radius: f32) -> Self {
        let center_circle = CenterCircle::with(CenterCircleParameters { radius, ..CenterCircleParameters::default() });
        let crossings = Crossings::with(CrossingsParameters { flattest: 0.5, ..CrossingsParameters::default() });
        let penalty_marks =
            PenaltyMarks::with(PenaltyMarksParameters { least_visible: 0.5, ..PenaltyMarksParameters::default() });
        Self { center_circle, crossings, penalty_marks, ..Self::default() }
    }

    /// Returns everything that can be found in one image. The lean of a robot varies a little, and
    /// a single image comes without an inertial sensor: of several leans, this uses the one for
    /// which lines and circle agree best with a field.
    #[must_use]
    pub fn find(&self, image: &Image, view: &CameraView) -> Findings {
        /// The leans in degrees, the usual one first, which is preferred among equals.
        const LEANS: [f32; 7] = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0];
        /// The number of pairs of lines that outweigh a degree of difference from the usual lean.
        const PAIRS_PER_DEGREE: f32 = 0.3;
        let mut best: Option<(f32, Findings)> = None;
        for lean in LEANS {
            let mut leaning = view.clone();
            leaning.pose.rotation *= Quat::from_rotation_y(lean.to_radians());
            let found = self.find_with(image, &leaning);
            let agreement = agreement(&found) - PAIRS_PER_DEGREE * lean.abs();
            if best.as_ref().is_none_or(|best| agreement > best.0) {
                best = Some((agreement, found));
            }
        }
        best.map(|best| best.1).unwrap_or_default()
    }

    /// Returns everything that can be found in one image whose camera is known.
    fn find_with(&self, image: &Image, view: &CameraView) -> Findings {
        let contour = Contour::default();
        let mut found = Findings { quality: self.image_quality.quality(image), ..Findings::default() };
        found.green = self.field_color.green(image, view, &found.quality, &GreenTone::default());
        let seen = Seen { image, view, tone: &found.green, contour: &contour };
        let mut scans = Scans::default();
        self.scan_lines.scan(&seen, &found.quality, &mut scans);
        self.field_boundary.hull(&scans, &mut found.boundary);
        self.line_spots.find(&seen, &found.boundary, &mut found.spots);
        found.circle = self.center_circle.find(view, &found.spots);
        self.line_finder.find(view, &found.spots, &found.circle, &mut found.lines);
        self.crossings.find(&seen, &found.lines, &found.circle, &mut found.landmarks);
        let mut marks = Vec::new();
        self.penalty_marks.find(&seen, &scans, &mut marks);
        found.landmarks.append(&mut marks);
        self.goal_posts.find(&seen, &found.boundary, &mut marks);
        found.landmarks.append(&mut marks);
        found
    }
}

/// Returns the agreement of the results with a field, whose lines are parallel or at right angles,
/// and whose circle is round.
fn agreement(found: &Findings) -> f32 {
    /// The minimum length of a piece, in pixels: the direction of shorter ones is not exact.
    const SHORTEST: f32 = 25.0;
    /// The sine of twice the angle from which on an angle is no longer right.
    const CROOKED: f32 = 0.3;
    /// The weight of the circle, in pairs of lines.
    const CIRCLE: f32 = 5.0;
    let long = || found.lines.lines.iter().filter(|line| line.image_from.distance(line.image_to) > SHORTEST);
    let pairs = long().enumerate().flat_map(|(index, first)| long().take(index).map(move |second| (first, second)));
    let right = pairs.map(|(first, second)| {
        let (first, second) = (first.direction(), second.direction());
        let crooked = 2.0 * (first.perp_dot(second) * first.dot(second)).abs();
        (1.0 - crooked / CROOKED).max(0.0)
    });
    right.sum::<f32>() + if found.circle.seen { CIRCLE } else { 0.0 }
}

/// The lower camera of a NAO whose recording has the joints of its head, but not its stance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldCamera {
    /// The height of the torso over the ground, in metres.
    pub torso_height: f32,
    /// The angle by which the robot leans forward, in radians.
    pub lean: f32,
    /// The angle by which the robot leans to the side, in radians.
    pub roll: f32,
    /// The horizontal and vertical field of view, in radians.
    pub field_of_view: Vec2,
}

impl FieldCamera {
    /// The NAO that recorded the field landmarks in 2012: fitted to all marked landmarks and
    /// surveyed poses of its recordings `grid` and `straightwalk`, together with the turn and lean
    /// of the robot in each picture.
    pub const OF_2012: Self = Self {
        torso_height: 0.333,
        lean: 6.0_f32.to_radians(),
        roll: -0.55_f32.to_radians(),
        field_of_view: Vec2::new(59.24_f32.to_radians(), 46.19_f32.to_radians()),
    };

    /// Returns the view of the camera, from the head's joints (radians).
    #[must_use]
    pub fn view(&self, head_pitch: f32, head_yaw: f32, width: u32, height: u32) -> CameraView {
        let mut joints = JointAngles::default();
        joints.positions[Joint::HeadPitch.index()] = head_pitch;
        joints.positions[Joint::HeadYaw.index()] = head_yaw;
        let camera = Links::new(&joints.positions).camera(Camera::Lower);
        let correction = Pose3::from_rotation(Quat::from_rotation_y(self.lean) * Quat::from_rotation_x(self.roll));
        let pose = Pose3::from_translation(Vec3::Z * self.torso_height) * camera * correction;
        CameraView::new(pose, width, height, self.field_of_view)
    }
}

/// The radius of the centre circle of that field, which is smaller than today's, in metres.
pub const FIELD_RECORDING_CIRCLE: f32 = 0.6;
