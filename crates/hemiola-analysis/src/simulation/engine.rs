use std::cmp::Reverse;

use super::executor::{ExecutorState, Waiting};
use super::pool::CycleState;
use super::random::SplitMix64;
use super::{Durations, Model, Observer, Options, Source, Who};
use crate::Time;
use crate::system::Span;

/// Simulates a model from time zero.
///
/// # Panics
/// If the model names an executor, callback, cycle or core that there is none of.
pub fn run(model: &Model, options: &Options, observer: &mut impl Observer) {
    let mut engine = Engine::new(model, options);
    while engine.now < options.end {
        engine.receive(observer);
        engine.place(observer);
        let Some(next) = engine.next_event() else { return };
        engine.advance(next, observer);
    }
    // What runs at the end goes on until it is done; nothing else begins.
    while let Some(next) = engine.next_end() {
        engine.advance(next, observer);
    }
}

struct Engine<'m> {
    model: &'m Model,
    durations: Durations,
    random: SplitMix64,
    now: Time,
    threads: Vec<Thread>,
    /// Threads, the most important first.
    by_priority: Vec<usize>,
    waiting: Vec<Waiting>,
    executors: Vec<ExecutorState>,
    cycles: Vec<CycleState>,
    /// Per core, which thread it runs.
    cores: Vec<Option<usize>>,
}

struct Thread {
    owner: Owner,
    priority: u32,
    /// The only core that it may run on.
    core: Option<usize>,
    /// Where it ran last.
    last: usize,
    job: Option<Job>,
}

#[derive(Clone, Copy)]
enum Owner {
    Executor(usize),
    Cycle(usize),
}

struct Job {
    who: Who,
    released: Time,
    left: Time,
}

impl<'m> Engine<'m> {
    fn new(model: &'m Model, options: &Options) -> Self {
        let mut threads = Vec::new();
        for (number, executor) in model.executors.iter().enumerate() {
            let (owner, core) = (Owner::Executor(number), executor.core);
            threads.push(Thread { owner, priority: executor.priority, core: Some(core), last: core, job: None });
        }
        for (number, cycle) in model.cycles.iter().enumerate() {
            for worker in 0..cycle.workers.max(1) {
                let (owner, last) = (Owner::Cycle(number), worker % model.cores.max(1));
                threads.push(Thread { owner, priority: cycle.priority, core: None, last, job: None });
            }
        }
        let mut by_priority: Vec<usize> = (0..threads.len()).collect();
        by_priority.sort_by_key(|&thread| Reverse(threads[thread].priority));
        Self {
            model,
            durations: options.durations,
            random: SplitMix64::new(options.seed),
            now: Time::ZERO,
            threads,
            by_priority,
            waiting: model.callbacks.iter().map(Waiting::new).collect(),
            executors: (0..model.executors.len()).map(|executor| ExecutorState::new(model, executor)).collect(),
            cycles: model.cycles.iter().map(CycleState::new).collect(),
            cores: vec![None; model.cores],
        }
    }

    /// What comes from outside at this time.
    fn receive(&mut self, observer: &mut impl Observer) {
        for (number, callback) in self.model.callbacks.iter().enumerate() {
            if let Source::Messages { depth, arrivals } = &callback.source {
                let waiting = &mut self.waiting[number];
                while let Some(&arrival) = arrivals.get(waiting.arrived).filter(|&&arrival| arrival <= self.now) {
                    waiting.arrived += 1;
                    if waiting.receive(*depth, arrival) {
                        observer.dropped(number);
                    }
                }
            }
        }
        for (number, cycle) in self.model.cycles.iter().enumerate() {
            self.cycles[number].tick(number, cycle, self.now, observer);
        }
    }

    /// Gives cores to the most important threads that have something to do; those without a job choose one then, and not before.
    fn place(&mut self, observer: &mut impl Observer) {
        self.cores.fill(None);
        let mut promised = vec![0; self.cycles.len()];
        // Of equals, those that have begun go on.
        let mut order = std::mem::take(&mut self.by_priority);
        order.sort_by_key(|&thread| (Reverse(self.threads[thread].priority), self.threads[thread].job.is_none()));
        for &number in &order {
            let thread = &self.threads[number];
            let wants = thread.job.is_some()
                || match thread.owner {
                    Owner::Executor(executor) => self.executors[executor].has_work(&self.waiting, self.now),
                    Owner::Cycle(cycle) => self.cycles[cycle].ready() > promised[cycle],
                };
            if !wants {
                continue;
            }
            let core = match thread.core {
                Some(core) => Some(core).filter(|&core| self.cores[core].is_none()),
                None if self.cores[thread.last].is_none() => Some(thread.last),
                None => self.cores.iter().position(Option::is_none),
            };
            let Some(core) = core else { continue };
            if let (Owner::Cycle(cycle), true) = (thread.owner, thread.job.is_none()) {
                promised[cycle] += 1;
            }
            self.cores[core] = Some(number);
            self.threads[number].last = core;
        }
        self.by_priority = order;
        for core in 0..self.cores.len() {
            if let Some(number) = self.cores[core].filter(|&number| self.threads[number].job.is_none()) {
                self.threads[number].job = self.choose(self.threads[number].owner, observer);
            }
        }
    }

    fn choose(&mut self, owner: Owner, observer: &mut impl Observer) -> Option<Job> {
        match owner {
            Owner::Executor(executor) => {
                let dispatch = self.model.executors[executor].dispatch;
                let (callback, released) =
                    self.executors[executor].choose(self.model, dispatch, &mut self.waiting, self.now)?;
                observer.callback_started(callback, released, self.now);
                let left = self.draw(self.model.callbacks[callback].takes);
                Some(Job { who: Who::Callback(callback), released, left })
            }
            Owner::Cycle(cycle) => {
                let node = self.cycles[cycle].choose(cycle, self.now, observer)?;
                let left = self.draw(self.model.cycles[cycle].takes[node]);
                Some(Job { who: Who::Task { cycle, node }, released: self.now, left })
            }
        }
    }

    fn draw(&mut self, takes: Span) -> Time {
        match self.durations {
            Durations::Longest => takes.longest,
            Durations::Uniform => self.random.time(takes.shortest, takes.longest),
            Durations::Extremes if self.random.once_in(2) => takes.shortest,
            Durations::Extremes => takes.longest,
        }
    }

    /// When something ends or is released.
    fn next_event(&self) -> Option<Time> {
        let arrivals =
            self.model.callbacks.iter().zip(&self.waiting).map(|(callback, waiting)| match &callback.source {
                Source::Timer { .. } => waiting.expires,
                Source::Messages { arrivals, .. } => arrivals.get(waiting.arrived).copied().unwrap_or(Time::MAX),
            });
        // What is due already waits for a core.
        let later = arrivals.chain(self.cycles.iter().map(|cycle| cycle.next_release)).filter(|&time| time > self.now);
        self.next_end().into_iter().chain(later).min().filter(|&time| time < Time::MAX)
    }

    /// When the next of the jobs that run has ended.
    fn next_end(&self) -> Option<Time> {
        let running = self.cores.iter().flatten().filter_map(|&thread| self.threads[thread].job.as_ref());
        running.map(|job| self.now + job.left).min()
    }

    fn advance(&mut self, next: Time, observer: &mut impl Observer) {
        let passed = next - self.now;
        let from = std::mem::replace(&mut self.now, next);
        for core in 0..self.cores.len() {
            let Some(number) = self.cores[core] else { continue };
            let Some(job) = &mut self.threads[number].job else { continue };
            job.left = job.left - passed;
            if passed > Time::ZERO {
                observer.ran(core, job.who, from, next);
            }
            if job.left == Time::ZERO
                && let Some(job) = self.threads[number].job.take()
            {
                self.end(&job, observer);
            }
        }
    }

    fn end(&mut self, job: &Job, observer: &mut impl Observer) {
        let model = self.model;
        let (released, cycles) = match job.who {
            Who::Callback(number) => {
                observer.callback_ended(number, job.released, self.now);
                let callback = &model.callbacks[number];
                for &receiver in &callback.publishes {
                    if let Source::Messages { depth, .. } = model.callbacks[receiver].source
                        && self.waiting[receiver].receive(depth, job.released)
                    {
                        observer.dropped(receiver);
                    }
                }
                (Some(job.released), &callback.releases)
            }
            Who::Task { cycle, node } => {
                let ended = self.cycles[cycle].ended(cycle, &model.cycles[cycle], node, self.now, observer);
                (ended, &model.cycles[cycle].releases)
            }
        };
        // What begins after something else is released when that ends.
        if released.is_some() {
            for &cycle in cycles {
                self.cycles[cycle].release(cycle, &model.cycles[cycle], self.now, self.now, observer);
            }
        }
    }
}
