use std::cmp::Reverse;

use super::draws::Draws;
use super::executor::{ExecutorState, Waiting};
use super::links::{Sender, Traffic};
use super::pool::{CycleState, Here};
use super::random::Random;
use super::server::Server;
use super::{Model, Observer, Options, Released, Source, Who};
use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::Span;

/// Simulates a model from time zero.
///
/// # Panics
/// Panics if the model names an executor, callback, cycle or core that does not exist.
pub fn run(model: &Model, options: &Options, observer: &mut impl Observer) {
    let mut engine = Engine::new(model, options);
    while engine.now < options.end {
        engine.receive(observer);
        engine.replenish();
        engine.place(observer);
        let Some(next) = engine.next_event() else { return };
        engine.advance(next, observer);
    }
    // Jobs that run at the end go on until they are done; no other begins.
    while let Some(next) = engine.next_end() {
        engine.advance(next, observer);
    }
}

struct Engine<'m> {
    model: &'m Model,
    draws: Draws,
    now: TimeSpan,
    threads: Vec<Thread>,
    /// The threads, the most important first.
    by_priority: Vec<usize>,
    waiting: Vec<Waiting>,
    /// Set for each callback that ran since it worked, alone or with those that it joins.
    called: Vec<bool>,
    executors: Vec<ExecutorState>,
    cycles: Vec<CycleState>,
    traffic: Traffic,
    /// The thread that each core runs.
    cores: Vec<Option<usize>>,
    /// The thread of each core that ran until now and has not ended its job.
    ran: Vec<Option<usize>>,
}

struct Thread {
    owner: Owner,
    priority: u32,
    /// The server of its reservation, if it has one.
    server: Option<Server>,
    /// The cores on which the thread may run.
    allowed: Vec<usize>,
    /// The core on which the thread ran last.
    last: usize,
    job: Option<Job>,
    /// Set while the thread has just ended a job, and looks for the next.
    goes_on: bool,
    /// The time until which the thread keeps its core even if it finds nothing.
    spins_until: TimeSpan,
}

#[derive(Clone, Copy)]
enum Owner {
    Executor(usize),
    Worker { cycle: usize, worker: usize },
}

struct Job {
    who: Who,
    /// The worker of its pool that runs it.
    worker: usize,
    released: TimeSpan,
    left: TimeSpan,
    /// Set if the job works, so that others are notified of its end.
    works: bool,
}

impl Thread {
    /// Creates a thread that first runs on the core at this position among those on which it may
    /// run.
    fn new(owner: Owner, priority: u32, allowed: Vec<usize>, place: usize) -> Self {
        let last = allowed[place % allowed.len()];
        Self { owner, priority, server: None, allowed, last, job: None, goes_on: false, spins_until: TimeSpan::ZERO }
    }
}

impl<'m> Engine<'m> {
    fn new(model: &'m Model, options: &Options) -> Self {
        let mut threads = Vec::new();
        for (number, executor) in model.executors.iter().enumerate() {
            let allowed = executor.core.map_or_else(|| (0..model.cores).collect(), |core| vec![core]);
            let priority = if executor.reservation.is_some() { u32::MAX } else { executor.priority };
            let server = executor.reservation.map(Server::new);
            threads.push(Thread { server, ..Thread::new(Owner::Executor(number), priority, allowed, number) });
        }
        for (number, cycle) in model.cycles.iter().enumerate() {
            for worker in 0..cycle.workers.max(1) {
                let allowed = if cycle.cores.is_empty() { (0..model.cores).collect() } else { cycle.cores.clone() };
                threads.push(Thread::new(Owner::Worker { cycle: number, worker }, cycle.priority, allowed, worker));
            }
        }
        let mut by_priority: Vec<usize> = (0..threads.len()).collect();
        by_priority.sort_by_key(|&thread| Reverse(threads[thread].priority));
        let mut draws = Draws { durations: options.durations, random: Random::new(options.seed) };
        let costs = &model.costs;
        let waiting =
            model.callbacks.iter().map(|callback| Waiting::new(callback, draws.upto(costs.timer_lateness))).collect();
        let cycle = |(number, cycle)| CycleState::new(number, cycle, costs, &mut draws);
        let cycles = model.cycles.iter().enumerate().map(cycle).collect();
        Self {
            model,
            draws,
            now: TimeSpan::ZERO,
            threads,
            by_priority,
            waiting,
            called: vec![false; model.callbacks.len()],
            executors: (0..model.executors.len()).map(|executor| ExecutorState::new(model, executor)).collect(),
            cycles,
            traffic: Traffic::new(model),
            cores: vec![None; model.cores],
            ran: Vec::new(),
        }
    }

    /// Receives everything that comes from outside at this time.
    fn receive(&mut self, observer: &mut impl Observer) {
        for (number, callback) in self.model.callbacks.iter().enumerate() {
            if let Source::Messages { depth, arrivals } = &callback.source {
                let waiting = &mut self.waiting[number];
                while let Some(&arrival) = arrivals.get(waiting.arrived).filter(|&&arrival| arrival <= self.now) {
                    waiting.arrived += 1;
                    if waiting.receive(*depth, arrival, arrival + self.draws.upto(self.model.costs.wake_up)) {
                        observer.dropped(number);
                    }
                }
            }
        }
        while let Some(link) = self.traffic.deliver(self.now, observer) {
            let model = self.model;
            self.release(&model.links[link].releases, None, observer);
        }
        for number in 0..self.cycles.len() {
            let here = self.here(number);
            self.cycles[number].hear(here, &mut self.draws, observer);
        }
    }

    fn here(&self, cycle: usize) -> Here<'m> {
        Here { cycle: &self.model.cycles[cycle], costs: &self.model.costs, now: self.now }
    }

    /// Returns whether a thread has something to do.
    fn has_work(&self, number: usize) -> bool {
        let thread = &self.threads[number];
        thread.job.is_some()
            || match thread.owner {
                Owner::Executor(executor) => self.executors[executor].has_work(&self.waiting, self.now),
                Owner::Worker { cycle, worker } => {
                    let state = &self.cycles[cycle];
                    self.now < thread.spins_until || state.is_awake(self.now) || state.has_work(worker, self.now)
                }
            }
    }

    /// Gives threads with a reservation the budgets that are due.
    fn replenish(&mut self) {
        for number in 0..self.threads.len() {
            let has_work = self.threads[number].server.is_some() && self.has_work(number);
            if let Some(server) = &mut self.threads[number].server {
                server.replenish(has_work, self.now, &self.model.costs, &mut self.draws);
            }
        }
    }

    /// Gives cores to the most important threads that have something to do; those without a job
    /// choose one then, and not before.
    fn place(&mut self, observer: &mut impl Observer) {
        let with_job = |thread: Option<usize>| thread.filter(|&thread| self.threads[thread].job.is_some());
        self.ran.clear();
        self.ran.extend(self.cores.drain(..).map(with_job));
        self.cores.resize(self.model.cores, None);
        // Of equally important threads, those that have begun a job go on, and then those that have
        // just ended one.
        let mut order = std::mem::take(&mut self.by_priority);
        order.sort_by_key(|&thread| {
            let Thread { priority, server, job, goes_on, .. } = &self.threads[thread];
            (Reverse(*priority), server.as_ref().map(|server| server.deadline), job.is_none(), !goes_on)
        });
        self.threads.iter_mut().for_each(|thread| thread.goes_on = false);
        for &number in &order {
            let thread = &self.threads[number];
            let is_stopped = thread.server.as_ref().is_some_and(Server::is_stopped);
            if is_stopped || !self.has_work(number) {
                continue;
            }
            let is_free = |core: &&usize| self.cores[**core].is_none();
            let Some(&core) = [&thread.last].into_iter().chain(&thread.allowed).find(is_free) else { continue };
            self.cores[core] = Some(number);
            self.threads[number].last = core;
            if self.threads[number].job.is_none() {
                self.threads[number].job = self.choose(self.threads[number].owner, observer);
            }
        }
        self.by_priority = order;
        for (ran, runs) in self.ran.iter().zip(&self.cores) {
            if let Some(number) = ran.filter(|_| ran != runs)
                && let Some(job) = &mut self.threads[number].job
            {
                job.left += self.draws.upto(self.model.costs.preemption);
            }
        }
    }

    fn choose(&mut self, owner: Owner, observer: &mut impl Observer) -> Option<Job> {
        let (who, worker, released, takes, works) = match owner {
            Owner::Executor(executor) => {
                let dispatch = self.model.executors[executor].dispatch;
                let (waiting, draws) = (&mut self.waiting, &mut self.draws);
                let (callback, released) =
                    self.executors[executor].choose(self.model, dispatch, waiting, self.now, draws)?;
                observer.callback_started(callback, released, self.now);
                let works = self.join(callback);
                let takes = if works { self.model.callbacks[callback].takes } else { Span::upto(TimeSpan::ZERO) };
                (Who::Callback(callback), 0, released, takes, works)
            }
            Owner::Worker { cycle, worker } => {
                let here = self.here(cycle);
                let node = self.cycles[cycle].choose(here, worker, &mut self.draws, observer)?;
                (Who::Task { cycle, node }, worker, self.now, self.model.cycles[cycle].takes[node], true)
            }
        };
        let left = self.draws.within(takes) + self.draws.upto(self.model.costs.dispatch);
        Some(Job { who, worker, released, left, works })
    }

    /// Returns whether a callback that runs works: all callbacks that it joins ran, too.
    fn join(&mut self, callback: usize) -> bool {
        let joined = &self.model.callbacks[callback].joins;
        let works = joined.iter().all(|&other| self.called[other]);
        self.called[callback] = !works;
        if works {
            joined.iter().for_each(|&other| self.called[other] = false);
        }
        works
    }

    /// Returns the next time at which something ends or is released.
    fn next_event(&self) -> Option<TimeSpan> {
        let outside =
            self.model.callbacks.iter().zip(&self.waiting).filter_map(|(callback, waiting)| match &callback.source {
                Source::Timer { .. } => None,
                Source::Messages { arrivals, .. } => arrivals.get(waiting.arrived).copied(),
            });
        let noticed = self.waiting.iter().map(Waiting::next_event);
        let cycles = self.cycles.iter().flat_map(CycleState::next_event);
        // Work that is already due waits for a core.
        let asleep = self.threads.iter().map(|thread| thread.spins_until);
        let links = self.traffic.next_event();
        let servers = self.threads.iter().filter_map(|thread| thread.server.as_ref()?.next_event());
        let stops = self.cores.iter().flatten().filter_map(|&thread| self.threads[thread].server.as_ref());
        let servers = servers.chain(stops.map(|server| self.now + server.time_left()));
        let later = outside
            .chain(noticed)
            .chain(cycles)
            .chain(links)
            .chain(asleep)
            .chain(servers)
            .filter(|&time| time > self.now);
        self.next_end().into_iter().chain(later).min().filter(|&time| time < TimeSpan::MAX)
    }

    /// Returns when the next of the running jobs ends.
    fn next_end(&self) -> Option<TimeSpan> {
        let running = self.cores.iter().flatten().filter_map(|&thread| self.threads[thread].job.as_ref());
        running.map(|job| self.now + job.left).min()
    }

    fn advance(&mut self, next: TimeSpan, observer: &mut impl Observer) {
        let passed = next - self.now;
        let from = std::mem::replace(&mut self.now, next);
        for core in 0..self.cores.len() {
            let Some(number) = self.cores[core] else { continue };
            let Some(job) = &mut self.threads[number].job else { continue };
            job.left = job.left - passed;
            if passed > TimeSpan::ZERO {
                observer.ran(core, job.who, from, next);
            }
            let has_ended = job.left == TimeSpan::ZERO;
            if let Some(server) = &mut self.threads[number].server {
                server.ran(passed, &self.model.costs, &mut self.draws);
            }
            if has_ended && let Some(job) = self.threads[number].job.take() {
                self.threads[number].goes_on = true;
                if let Owner::Worker { .. } = self.threads[number].owner {
                    self.threads[number].spins_until = self.now + self.draws.upto(self.model.costs.spin);
                }
                self.end(&job, observer);
            }
        }
    }

    fn end(&mut self, job: &Job, observer: &mut impl Observer) {
        let (model, costs) = (self.model, &self.model.costs);
        let (released, others, sender) = match job.who {
            Who::Callback(number) => {
                observer.callback_ended(number, job.released, self.now);
                if !job.works {
                    return;
                }
                let callback = &model.callbacks[number];
                for &receiver in &callback.publishes {
                    let same_thread = model.callbacks[receiver].executor == callback.executor;
                    let wake_up = if same_thread { TimeSpan::ZERO } else { self.draws.upto(costs.wake_up) };
                    if let Source::Messages { depth, .. } = model.callbacks[receiver].source
                        && self.waiting[receiver].receive(depth, job.released, self.now + wake_up)
                    {
                        observer.dropped(receiver);
                    }
                }
                (Some(job.released), &callback.releases, Sender::Callback(number))
            }
            Who::Task { cycle, node } => {
                let here = self.here(cycle);
                let ended = self.cycles[cycle].ended(here, job.worker, node, &mut self.draws, observer);
                (ended, &model.cycles[cycle].releases, Sender::Cycle(cycle))
            }
        };
        // A cycle that begins after something else is released when that ends.
        if released.is_some() {
            let executor = match sender {
                Sender::Callback(number) => Some(model.callbacks[number].executor),
                Sender::Cycle(_) => None,
            };
            self.release(others, executor, observer);
            self.traffic.send(sender, (model, self.now), &mut self.draws, observer);
        }
    }

    /// Releases others after something, which this executor did if it was an executor.
    fn release(&mut self, others: &[Released], executor: Option<usize>, observer: &mut impl Observer) {
        let wake_up = self.model.costs.wake_up;
        for &other in others {
            match other {
                Released::Cycle(cycle) => self.cycles[cycle].release(self.now, wake_up, &mut self.draws),
                Released::Callback(number) => {
                    let callback = &self.model.callbacks[number];
                    let is_awake = executor == Some(callback.executor);
                    let wake_up = if is_awake { TimeSpan::ZERO } else { self.draws.upto(wake_up) };
                    if let Source::Messages { depth, .. } = callback.source
                        && self.waiting[number].receive(depth, self.now, self.now + wake_up)
                    {
                        observer.dropped(number);
                    }
                }
            }
        }
    }
}
