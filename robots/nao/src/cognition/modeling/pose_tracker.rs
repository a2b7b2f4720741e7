//! The estimate of a single pose from particles.

use glam::Vec2;
use hemiola::prelude::*;

use super::pitch;
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::modeling::{OdometryStep, PoseCluster, PoseClusters, PoseParticles, RobotPose};

/// The maximum number of clusters.
const MOST_CLUSTERS: usize = 4;

/// Groups particles into clusters and follows one of them smoothly.
///
/// Another cluster is only followed if it is clearly more probable, so that the pose does not
/// alternate between two that explain the same images.
#[derive(Module)]
pub struct PoseTracker {
    #[parameters]
    parameters: PoseTrackerParameters,
    tracked: Option<Pose2>,
    #[stateless]
    taken: Vec<bool>,
}

/// Parameters of [`PoseTracker`].
#[derive(Parameters)]
pub struct PoseTrackerParameters {
    /// The radius of a cluster around its part with the most weight.
    #[parameter(default = 0.5, range = 0.05..=2.0, unit = "m")]
    radius: f32,
    /// The maximum difference between the headings of a cluster.
    #[parameter(default = 0.5, range = 0.05..=3.2, unit = "rad")]
    turn: f32,
    /// The factor by which another cluster must be more probable to be followed instead.
    #[parameter(default = 1.5, range = 1.0..=10.0)]
    advantage: f32,
    /// The share of the distance to the cluster's mean by which the pose moves in a run.
    #[parameter(default = 0.3, range = 0.01..=1.0)]
    pull: f32,
}

/// Returns the covariance of all particles around a position.
fn spread(particles: &PoseParticles, middle: Vec2) -> [[f32; 2]; 2] {
    let (mut covariance, mut weight) = (glam::Mat2::ZERO, 0.0);
    for particle in &particles.particles {
        let offset = particle.pose.translation - middle;
        covariance += glam::Mat2::from_cols(offset * offset.x, offset * offset.y) * particle.weight;
        weight += particle.weight;
    }
    (covariance * (1.0 / weight.max(f32::MIN_POSITIVE))).to_cols_array_2d()
}

#[module]
impl PoseTracker {
    #[update]
    pub(crate) fn clusters(&mut self, particles: &PoseParticles, clusters: &mut PoseClusters) {
        self.taken.clear();
        self.taken.resize(particles.particles.len(), false);
        while clusters.clusters.len() < MOST_CLUSTERS {
            let Some(cluster) = self.heaviest(particles) else { break };
            clusters.clusters.push(cluster);
        }
        clusters.clusters.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight));
    }

    #[update]
    pub(crate) fn pose(
        &mut self,
        clusters: &PoseClusters,
        particles: &PoseParticles,
        odometry: &OdometryStep,
        debug: &Debug,
        pose: &mut RobotPose,
    ) {
        let Some(best) = clusters.clusters.first() else { return };
        let expected = self.tracked.map(|tracked| tracked * odometry.step);
        let is_expected =
            |cluster: &&PoseCluster| expected.is_some_and(|expected| self.are_neighbours(&expected, &cluster.pose));
        let followed = clusters.clusters.iter().find(is_expected);
        let cluster = followed.filter(|cluster| cluster.weight * self.parameters.advantage >= best.weight);
        let tracked = match (expected, cluster) {
            (Some(expected), Some(cluster)) => between(&expected, &cluster.pose, self.parameters.pull),
            _ => best.pose,
        };
        self.tracked = Some(tracked);
        pose.pose = tracked;
        pose.quality = (cluster.unwrap_or(best).weight * particles.fit).clamp(0.0, 1.0);
        debug.plot("pose.quality", pose.quality);
        debug.background("field/pitch", pitch::draw);
        debug.draw("field/pose", |canvas| {
            canvas.place("robot", tracked.translation, tracked.rotation);
            canvas.circle(tracked.translation, 0.13, Color::BLUE);
            canvas.arrow(tracked.translation, tracked.transform(Vec2::new(0.3, 0.0)), Color::BLUE);
            canvas.covariance(tracked.translation, spread(particles, tracked.translation), Color::CYAN);
        });
    }

    /// Returns the neighbourhood of a free particle with the most weight, and its mean. Quadratic:
    /// 22,500 comparisons for 150 particles.
    fn heaviest(&mut self, particles: &PoseParticles) -> Option<PoseCluster> {
        let particles = &particles.particles;
        let free = || particles.iter().zip(&self.taken).filter(|(_, taken)| !**taken).map(|(particle, _)| particle);
        let weight_around = |center: &Pose2| -> f32 {
            free().filter(|particle| self.are_neighbours(center, &particle.pose)).map(|particle| particle.weight).sum()
        };
        let weighed = free().map(|particle| (particle.pose, weight_around(&particle.pose)));
        let (center, weight) = weighed.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (mut place, mut forward) = (Vec2::ZERO, Vec2::ZERO);
        for (index, particle) in particles.iter().enumerate() {
            if !self.taken[index] && self.are_neighbours(&center, &particle.pose) {
                self.taken[index] = true;
                place += particle.pose.translation * particle.weight;
                forward += particle.pose.forward() * particle.weight;
            }
        }
        let translation = if weight > 0.0 { place / weight } else { center.translation };
        let rotation = if weight > 0.0 { forward.to_angle() } else { center.rotation };
        Some(PoseCluster { pose: Pose2 { rotation, translation }, weight })
    }

    fn are_neighbours(&self, one: &Pose2, other: &Pose2) -> bool {
        let radius = self.parameters.radius;
        one.translation.distance_squared(other.translation) <= radius * radius
            && normalize_angle(one.rotation - other.rotation).abs() <= self.parameters.turn
    }
}

fn between(from: &Pose2, to: &Pose2, part: f32) -> Pose2 {
    let turn = normalize_angle(to.rotation - from.rotation);
    Pose2 {
        rotation: normalize_angle(from.rotation + part * turn),
        translation: from.translation.lerp(to.translation, part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representations::modeling::PoseParticle;

    fn tracker() -> PoseTracker {
        PoseTracker::create(PoseTrackerParameters::default())
    }

    fn run(tracker: &mut PoseTracker, groups: &[(Pose2, usize)], step: Pose2) -> (PoseClusters, RobotPose) {
        let total: usize = groups.iter().map(|(_, count)| count).sum();
        let weight = 1.0 / total as f32;
        let scattered = |(pose, count): &(Pose2, usize)| {
            let pose = *pose;
            (0..*count).map(move |index| {
                let way = Vec2::from_angle(index as f32) * 0.1;
                PoseParticle { pose: Pose2 { translation: pose.translation + way, ..pose }, weight }
            })
        };
        let particles = PoseParticles { particles: groups.iter().flat_map(scattered).collect(), fit: 1.0 };
        let (mut clusters, mut pose) = (PoseClusters::default(), RobotPose::default());
        tracker.clusters(&particles, &mut clusters);
        tracker.pose(&clusters, &particles, &OdometryStep { step }, &Debug::default(), &mut pose);
        (clusters, pose)
    }

    #[test]
    fn two_groups_of_particles_are_two_clusters_not_a_mean_between_them() {
        let (left, right) = (Pose2::new(-1.0, 2.0, 0.1), Pose2::new(1.0, -2.0, 3.1));
        let (clusters, pose) = run(&mut tracker(), &[(left, 40), (right, 60)], Pose2::default());
        assert_eq!(clusters.clusters.len(), 2);
        assert!((clusters.clusters[0].weight - 0.6).abs() < 1e-4);
        assert!(pose.pose.translation.distance(right.translation) < 0.05, "{pose:?}");
        assert!((pose.quality - 0.6).abs() < 1e-4);
    }

    #[test]
    fn a_slightly_better_cluster_does_not_turn_the_robot_over_a_much_better_one_does() {
        let (here, there) = (Pose2::new(-1.0, 2.0, 0.1), Pose2::new(1.0, -2.0, 3.1));
        let mut tracker = tracker();
        run(&mut tracker, &[(here, 100)], Pose2::default());
        let (_, pose) = run(&mut tracker, &[(here, 45), (there, 55)], Pose2::default());
        assert!(pose.pose.translation.distance(here.translation) < 0.1);
        let (_, pose) = run(&mut tracker, &[(here, 20), (there, 80)], Pose2::default());
        assert!(pose.pose.translation.distance(there.translation) < 0.1);
    }

    #[test]
    fn headings_on_both_sides_of_the_back_average_backwards() {
        let behind = [(Pose2::new(0.0, 0.0, 3.1), 50), (Pose2::new(0.0, 0.0, -3.1), 50)];
        let (_, pose) = run(&mut tracker(), &behind, Pose2::default());
        assert!(pose.pose.rotation.abs() > 3.0, "{pose:?}");
    }
}
