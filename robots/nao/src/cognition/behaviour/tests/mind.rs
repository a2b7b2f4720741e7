//! All modules from percepts to requests, called directly in the order of a plan.

use hemiola::prelude::*;

use crate::cognition::behaviour::approach_planner::ApproachPlanner;
use crate::cognition::behaviour::ball_searcher::BallSearcher;
use crate::cognition::behaviour::behavior_control::BehaviorControl;
use crate::cognition::behaviour::commentator::Commentator;
use crate::cognition::behaviour::game_watcher::GameWatcher;
use crate::cognition::behaviour::head_attention::HeadAttention;
use crate::cognition::behaviour::kick_selector::KickSelector;
use crate::cognition::behaviour::path_planner::PathPlanner;
use crate::cognition::behaviour::place_finder::PlaceFinder;
use crate::cognition::behaviour::target_selector::TargetSelector;
use crate::cognition::behaviour::walk_controller::WalkController;
use crate::cognition::modeling::ball_filter::BallFilter;
use crate::cognition::modeling::ball_predictor::BallPredictor;
use crate::cognition::modeling::field_ball_locator::FieldBallLocator;
use crate::cognition::modeling::ground_viewer::GroundViewer;
use crate::cognition::modeling::obstacle_tracker::ObstacleTracker;
use crate::cognition::modeling::odometry_reader::OdometryReader;
use crate::cognition::modeling::pose_tracker::PoseTracker;
use crate::cognition::modeling::search_mapper::SearchMapper;
use crate::cognition::modeling::self_locator::SelfLocator;
use crate::cognition::modeling::world_modeler::WorldModeler;
use crate::representations::behaviour::*;
use crate::representations::events::WhistleHeard;
use crate::representations::modeling::*;
use crate::representations::motion::{FallState, KeptBelief, Odometry, TorsoPose};
use crate::representations::perception::{BallPercept, LandmarkPercept, LinePercept, ObstaclePercept};
use crate::representations::sensing::JointAngles;

/// The values that perception, motion and audio provide.
#[derive(Default)]
pub struct Senses {
    pub ball: BallPercept,
    pub lines: LinePercept,
    pub landmarks: LandmarkPercept,
    pub obstacles: ObstaclePercept,
    pub odometry: Odometry,
    pub fall: FallState,
    pub torso: TorsoPose,
    pub joints: JointAngles,
    pub whistle: Option<WhistleHeard>,
}

/// The values that modules exchange, as far as tests or the next run read them.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Thoughts {
    pub pose: RobotPose,
    pub ball: BallModel,
    pub world: WorldModel,
    pub game: GameState,
    pub search: BallSearch,
    pub target: BallTarget,
    pub approach: Approach,
    pub path: WalkPath,
    pub behavior: BehaviorState,
    pub motion: MotionRequest,
    pub head: HeadRequest,
    pub commentary: Commentary,
}

macro_rules! mind {
    ($($field:ident: $module:ty,)*) => {
        /// The modules.
        pub struct Mind {
            $($field: $module,)*
            pub thoughts: Thoughts,
        }

        impl Mind {
            /// All modules with their default parameters.
            pub fn new() -> Self {
                Self { $($field: <$module>::create(Default::default()),)* thoughts: Thoughts::default() }
            }
        }
    };
}

mind! {
    odometry_reader: OdometryReader,
    ground_viewer: GroundViewer,
    ball_filter: BallFilter,
    ball_predictor: BallPredictor,
    self_locator: SelfLocator,
    pose_tracker: PoseTracker,
    obstacle_tracker: ObstacleTracker,
    field_ball_locator: FieldBallLocator,
    world_modeler: WorldModeler,
    search_mapper: SearchMapper,
    game_watcher: GameWatcher,
    place_finder: PlaceFinder,
    ball_searcher: BallSearcher,
    target_selector: TargetSelector,
    approach_planner: ApproachPlanner,
    path_planner: PathPlanner,
    walk_controller: WalkController,
    kick_selector: KickSelector,
    behavior_control: BehaviorControl,
    head_attention: HeadAttention,
    commentator: Commentator,
}

/// Returns the value that an update provides, reset first as the runtime does.
fn filled<T: Default>(update: impl FnOnce(&mut T)) -> T {
    let mut value = T::default();
    update(&mut value);
    value
}

impl Mind {
    /// Executes one run of the cycle.
    pub fn run(&mut self, senses: &Senses, clock: &Clock) {
        let (debug, scope) = (&Debug::default(), &Scope::default());
        let previous = std::mem::take(&mut self.thoughts);
        let now = &mut self.thoughts;

        let odometry = &filled(|out| self.odometry_reader.odometry_step(&senses.odometry, out));
        let view = &filled(|out| self.ground_viewer.field_of_view(&senses.joints, &senses.torso, out));
        let mut hypotheses = BallHypotheses::default();
        let (percept, fall) = (&senses.ball, &senses.fall);
        self.ball_filter.ball(percept, odometry, view, fall, clock, debug, &mut hypotheses, &mut now.ball);
        let prediction = &filled(|out| self.ball_predictor.ball_prediction(&now.ball, debug, out));
        let (lines, landmarks, kept) = (&senses.lines, &senses.landmarks, &KeptBelief::default());
        let particles = &filled(|out| {
            let (rules, mirror) = (&PlaceByRules::default(), &MirrorVerdict::default());
            self.self_locator
                .particles(odometry, lines, landmarks, fall, kept, rules, mirror, clock, scope, debug, out);
        });
        let clusters = &filled(|out| self.pose_tracker.clusters(particles, out));
        self.pose_tracker.pose(clusters, particles, odometry, debug, &mut now.pose);
        let obstacles =
            &filled(|out| self.obstacle_tracker.obstacles(&senses.obstacles, odometry, view, clock, debug, out));
        let field_ball = &filled(|out| {
            self.field_ball_locator.field_ball(&now.ball, prediction, &now.pose, clock, debug, out);
        });
        self.world_modeler.world(&now.pose, &now.ball, field_ball, obstacles, debug, &mut now.world);
        let map = &filled(|out| self.search_mapper.search_map(field_ball, &now.pose, view, clock, out));

        let whistles = &Subscription::of(senses.whistle.clone());
        self.game_watcher.game_state(whistles, &now.world, kept, clock, &mut now.game);
        let role = &TeamRole::default();
        let place = &filled(|out| self.place_finder.place(&now.game, role, &now.world, out));
        self.ball_searcher.ball_search(&now.world, map, &now.game, role, clock, &mut now.search);
        self.target_selector.ball_target(&now.world, Previous::new(&previous.behavior), debug, &mut now.target);
        self.approach_planner.approach(&now.world, &now.target, debug, &mut now.approach);
        self.path_planner.walk_path(&now.world, place, &now.approach, &now.search, debug, &mut now.path);
        let walk = &filled(|out| self.walk_controller.walk_velocity(&now.path, &now.world, debug, out));
        let kick = &filled(|out| self.kick_selector.kick(&now.world, &now.target, &now.approach, clock, out));
        let control = &mut self.behavior_control;
        control.behavior_state(
            fall,
            &now.game,
            role,
            place,
            &now.search,
            &now.approach,
            kick,
            clock,
            &mut now.behavior,
        );
        control.motion_request(&now.behavior, &now.search, walk, kick, &mut now.motion);
        let attention =
            &filled(|out| self.head_attention.attention(&now.world, Previous::new(&previous.behavior), out));
        let head = &mut now.head;
        self.head_attention.head_request(attention, &now.world, &now.search, &senses.torso, clock, head);
        let commentary = &mut now.commentary;
        let remarks = &mut Publisher::to_nobody();
        let comment = self.commentator.commentary(&now.behavior, &now.world, &now.target, clock, remarks, commentary);
        comment.expect("text can be written");
    }
}
