//! A robot on two cores, simulated in steps of 10 µs: the events that real rings would hold, the
//! same in every run.
//!
//! There are three cycles with pools of their own; at each step the workers of the highest
//! priorities run, one per core, and the others wait where they are, as under a fixed-priority
//! scheduler.

use hemiola_trace::{
    Capture, Catalog, Core, Cycle, CycleId, Event, ExchangeId, PlanId, SourceId, Stamp, TaskId, Ticks, WorkerId,
};
use std::{collections::BTreeMap, time::Duration};

pub const STEP: u64 = 10_000;
pub const CORES: usize = 2;

/// A task: its name, typical duration in steps, and the tasks that it waits for.
type Task = (&'static str, u64, &'static [usize]);

const MOTION: &[Task] = &[
    ("ImuFilter.orientation", 22, &[]),
    ("JointSensors.joints", 9, &[]),
    ("Kinematics.robot_model", 30, &[1]),
    ("GroundContact.contact", 10, &[1]),
    ("FallDetector.fall_state", 14, &[0, 3]),
    ("Odometry.odometry", 18, &[0, 2]),
    ("FootstepPlanner.footsteps", 34, &[5]),
    ("HeadControl.head", 16, &[2]),
    ("PatternGenerator.com", 62, &[6, 4]),
    ("SwingFoot.swing_foot", 26, &[6]),
    ("InverseKinematics.legs", 44, &[8, 9]),
    ("JointRequest.request", 12, &[10, 7]),
];

const AUDIO: &[Task] = &[("Spectrum.spectrum", 95, &[]), ("WhistleDetector.whistle", 60, &[0])];

const COGNITION: &[Task] = &[
    ("UpperCamera.image", 70, &[]),
    ("LowerCamera.image", 60, &[]),
    ("CameraMatrix.matrix", 24, &[]),
    ("FieldColour.upper", 160, &[0]),
    ("FieldColour.lower", 130, &[1]),
    ("ScanLines.upper", 210, &[3, 2]),
    ("ScanLines.lower", 180, &[4, 2]),
    ("FieldBoundary.boundary", 120, &[5]),
    ("LineFinder.lines", 260, &[5, 6]),
    ("BallCandidates.candidates", 230, &[6, 7]),
    ("BallClassifier.percept", 310, &[9]),
    ("Obstacles.obstacles", 150, &[7]),
    ("BallFilter.ball", 40, &[10]),
    ("SelfLocalisation.pose", 240, &[8]),
    ("WorldModel.world", 50, &[12, 13, 11]),
    ("PathPlanner.path", 90, &[14]),
    ("Behaviour.motion_request", 60, &[15]),
];

/// The names of the robot and the events that happened on it.
pub struct Scenario {
    pub catalog: Catalog,
    pub capture: Capture,
}

impl Scenario {
    /// Simulates the first `duration` of the robot's life.
    pub fn of(duration: Duration) -> Self {
        let catalog = Catalog::new("nao");
        let mut robot = Robot {
            events: BTreeMap::new(),
            imu: catalog.source("imu").unwrap(),
            camera: catalog.source("upper camera").unwrap(),
            exchange: None,
            published: 0,
            pools: vec![
                Pool::new(&catalog, "motion", 80, 12_000, 2, MOTION),
                Pool::new(&catalog, "audio", 70, 21_330, 1, AUDIO),
                Pool::new(&catalog, "cognition", 60, 33_330, 2, COGNITION),
            ],
        };
        robot.exchange = Some(catalog.exchange(robot.pools[2].cycle, "cognition").unwrap());
        for step in 0..duration.as_nanos() as u64 / STEP {
            robot.step(step * STEP);
        }
        let mut capture = Capture::default();
        for (worker, events) in robot.events {
            capture.insert(worker, events);
        }
        Self { catalog, capture }
    }
}

struct Robot {
    events: BTreeMap<WorkerId, Vec<Event>>,
    pools: Vec<Pool>,
    imu: SourceId,
    camera: SourceId,
    exchange: Option<ExchangeId>,
    published: u32,
}

impl Robot {
    fn step(&mut self, now: u64) {
        let exchange = self.exchange.unwrap();
        for (index, pool) in self.pools.iter_mut().enumerate() {
            if let Some((run, trigger)) = pool.release(now) {
                let (cycle, plan, begin) = (pool.cycle, pool.plan, Ticks(now));
                let events = self.events.entry(pool.workers[0].id).or_default();
                events.push(Event::CycleBegin { cycle, plan, run, trigger: Ticks(trigger), begin });
                if index == 0 && self.published > 0 {
                    let published = self.published - 1;
                    events.push(Event::Take { exchange, cycle, run, published, at: begin });
                }
            }
            pool.hand_out(now);
        }
        let mut free: Vec<usize> = (0..CORES).collect();
        // Pools are listed by priority: the first workers that have work get the cores.
        let running = self.pools.iter_mut().flat_map(|pool| &mut pool.workers).filter(|worker| worker.job.is_some());
        for worker in running.take(CORES) {
            worker.core = free.remove(free.iter().position(|&core| core == worker.core).unwrap_or(0));
            worker.job.as_mut().unwrap().left -= 1;
        }
        let end = Ticks(now + STEP);
        for (index, pool) in self.pools.iter_mut().enumerate() {
            let ran = pool.finish(end);
            for (worker, event) in ran {
                let events = self.events.entry(worker).or_default();
                events.push(event);
                let Event::TaskRun { task: output, .. } = event else { continue };
                let last = pool.tasks.last() == Some(&output);
                let (source, age) = if index == 0 { (self.imu, 400_000) } else { (self.camera, 9_000_000) };
                let (now, newest) = (Stamp(end.0 + 20_000_000), Stamp(pool.trigger + 20_000_000 - age));
                if last && index != 1 {
                    events.push(Event::arrival(output, source, end, now, Stamp(newest.0 - age), newest));
                }
            }
            if pool.running && pool.left == 0 {
                pool.running = false;
                let (cycle, run) = (pool.cycle, pool.run);
                let events = self.events.entry(pool.workers[0].id).or_default();
                if index == 2 {
                    events.push(Event::Publish { exchange, run, at: end });
                    self.published = run + 1;
                }
                events.push(Event::CycleEnd { cycle, run, at: end });
                pool.run += 1;
            }
        }
    }
}

struct Pool {
    cycle: CycleId,
    plan: PlanId,
    tasks: Vec<TaskId>,
    durations: Vec<u64>,
    waits_for: Vec<&'static [usize]>,
    workers: Vec<Worker>,
    period: u64,
    next_trigger: u64,
    trigger: u64,
    run: u32,
    running: bool,
    /// The time at which each task became ready, and whether it was dispatched.
    ready: Vec<Option<u64>>,
    handed_out: Vec<bool>,
    ended: Vec<Option<u64>>,
    left: usize,
}

struct Worker {
    id: WorkerId,
    core: usize,
    job: Option<Job>,
}

struct Job {
    task: usize,
    ready: u64,
    begin: u64,
    left: u64,
}

impl Pool {
    fn new(catalog: &Catalog, name: &str, priority: i32, period_us: u64, workers: usize, tasks: &[Task]) -> Self {
        let period = Duration::from_micros(period_us);
        let cycle = catalog.cycle(Cycle::named(name).priority(priority).period(period).deadline(period)).unwrap();
        let ids: Vec<TaskId> = tasks.iter().map(|(name, ..)| catalog.task(cycle, name).unwrap()).collect();
        let edges: Vec<_> = tasks
            .iter()
            .zip(&ids)
            .flat_map(|((_, _, waits_for), &to)| waits_for.iter().map(move |&from| (from, to)))
            .map(|(from, to)| (ids[from], to))
            .collect();
        let worker = |index| Worker {
            id: catalog.worker(cycle, index, 4000 + priority as u32 * 10 + index as u32).unwrap(),
            core: index,
            job: None,
        };
        Self {
            plan: catalog.plan(cycle, &edges).unwrap(),
            cycle,
            durations: tasks.iter().map(|&(_, duration, _)| duration).collect(),
            waits_for: tasks.iter().map(|&(_, _, waits_for)| waits_for).collect(),
            workers: (0..workers).map(worker).collect(),
            period: period_us * 1_000,
            next_trigger: 2_000_000 * (80 - priority as u64) / 10,
            trigger: 0,
            run: 0,
            running: false,
            ready: Vec::new(),
            handed_out: Vec::new(),
            ended: Vec::new(),
            left: 0,
            tasks: ids,
        }
    }

    /// Starts a run if one is due; returns its number and trigger.
    fn release(&mut self, now: u64) -> Option<(u32, u64)> {
        if self.running || now < self.next_trigger {
            return None;
        }
        (self.trigger, self.running, self.left) = (self.next_trigger, true, self.tasks.len());
        self.next_trigger += self.period;
        self.ready = vec![None; self.tasks.len()];
        self.ended = vec![None; self.tasks.len()];
        self.handed_out = vec![false; self.tasks.len()];
        Some((self.run, self.trigger))
    }

    fn hand_out(&mut self, now: u64) {
        if !self.running {
            return;
        }
        for task in 0..self.tasks.len() {
            if self.ready[task].is_none() {
                let met = self.waits_for[task]
                    .iter()
                    .try_fold(self.trigger, |latest, &other| self.ended[other].map(|end| latest.max(end)));
                self.ready[task] = met;
            }
        }
        for worker in self.workers.iter_mut().filter(|worker| worker.job.is_none()) {
            let next = (0..self.tasks.len()).find(|&task| self.ready[task].is_some() && !self.handed_out[task]);
            let Some(task) = next else { break };
            self.handed_out[task] = true;
            // Execution times vary by up to a third, the same way in every run of the test.
            let noise = (u64::from(self.run) * 31 + task as u64 * 17) * 2_654_435_761 % 97;
            let left = (self.durations[task] * (100 + noise / 3) / 100).max(1);
            worker.job = Some(Job { task, ready: self.ready[task].unwrap(), begin: now, left });
        }
    }

    fn finish(&mut self, end: Ticks) -> Vec<(WorkerId, Event)> {
        let mut ran = Vec::new();
        for worker in &mut self.workers {
            let Some(job) = worker.job.take_if(|job| job.left == 0) else { continue };
            self.ended[job.task] = Some(end.0);
            self.left -= 1;
            let (task, core, run) = (self.tasks[job.task], Core(worker.core as u8), self.run);
            let event = Event::TaskRun { task, core, run, ready: Ticks(job.ready), begin: Ticks(job.begin), end };
            ran.push((worker.id, event));
        }
        ran
    }
}
