use serde::Deserialize;

use super::{Tally, cases, number, ticks};
use hemiola_analysis::TimeSpan;
use hemiola_schedulability::reaction::guenzel_2021::{self, Ages, Stage};
use hemiola_schedulability::reaction::{
    Communication, Job, PeriodicTask, Release, Step, becker_2017, davare_2007, duerr_2019, fixed_priority_schedule,
    guenzel_2023, hyperperiod, kloda_2018, logical_execution,
};

#[derive(Deserialize)]
struct Case {
    id: String,
    synchronous: bool,
    tasks: Vec<OracleTask>,
    chain: Vec<usize>,
    expected: Expected,
}

#[derive(Deserialize)]
struct OracleTask {
    phase: u64,
    wcet: u64,
    period: u64,
    wcrt: u64,
}

#[derive(Deserialize)]
struct Expected {
    davare: u64,
    duerr_mrt: u64,
    duerr_mda: u64,
    kloda_mrt_sync: Option<u64>,
    becker_mrda: u64,
    exact_wcet_schedule: ExpectedAges,
    guenzel_bcet_0pct: ExpectedAges,
    guenzel_bcet_50pct: ExpectedAges,
    guenzel_bcet_100pct: ExpectedAges,
    let_exact: ExpectedAges,
}

#[derive(Debug, Deserialize, PartialEq)]
struct ExpectedAges {
    mrt: u64,
    mda: u64,
    mrda: u64,
    mrrt: Option<u64>,
}

impl ExpectedAges {
    /// Ours, as far as the file has them.
    fn of(ages: &Ages, like: &Self) -> Self {
        Self {
            mrt: ages.reaction_time.as_nanoseconds(),
            mda: ages.data_age.as_nanoseconds(),
            mrda: ages.reduced_data_age.as_nanoseconds(),
            mrrt: like.mrrt.map(|_| ages.reduced_reaction_time.as_nanoseconds()),
        }
    }
}

pub(super) fn implicit(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    for Case { id, synchronous, tasks, chain, expected } in cases(text)? {
        tally.case(id);
        let steps: Vec<Step> = chain
            .iter()
            .map(|&index| {
                let task = &tasks[index];
                let release = Release::Periodic { period: ticks(task.period), phase: ticks(task.phase) };
                Step { priority: u32::MAX - index as u32, ..Step::new(release, ticks(task.wcet), ticks(task.wcrt)) }
            })
            .collect();
        tally.same("davare", expected.davare, davare_2007::reaction_time(&steps).as_nanoseconds());
        tally.same("duerr_mrt", expected.duerr_mrt, duerr_2019::reaction_time(&steps).as_nanoseconds());
        tally.same("duerr_mda", expected.duerr_mda, duerr_2019::reduced_data_age(&steps).as_nanoseconds());
        if synchronous {
            tally.same("kloda_mrt_sync", expected.kloda_mrt_sync, number(&kloda_2018::reaction_time(&steps)));
        }
        tally.same("becker_mrda", Some(expected.becker_mrda), number(&becker_2017::reduced_data_age(&steps)));

        let repeats = hyperperiod(tasks.iter().map(|task| ticks(task.period)));
        let settled = ticks(tasks.iter().map(|task| task.phase).max().unwrap_or(0));
        let observed = settled + repeats * 2;
        let end = observed + davare_2007::reaction_time(&steps) * 2;
        let periodic = |percent: u64| -> Vec<PeriodicTask> {
            let task = |task: &OracleTask| PeriodicTask {
                period: ticks(task.period),
                phase: ticks(task.phase),
                cost: ticks((task.wcet * percent).div_ceil(100)),
            };
            tasks.iter().map(task).collect()
        };
        let slowest = fixed_priority_schedule(&periodic(100), end);
        let through = |fastest: &[Vec<Job>], slowest: &[Vec<Job>], by_priority: bool| {
            let stage = |place: usize| Stage {
                fastest: &fastest[chain[place]],
                slowest: &slowest[chain[place]],
                precedes_next: by_priority && chain.get(place + 1).is_some_and(|&next| chain[place] < next),
            };
            let stages: Vec<Stage<'_>> = (0..chain.len()).map(stage).collect();
            guenzel_2021::ages(&stages, observed)
        };
        let mut compare = |name, expected: ExpectedAges, ages: Ages| {
            let got = ExpectedAges::of(&ages, &expected);
            tally.same(name, expected, got);
        };
        compare("exact_wcet_schedule", expected.exact_wcet_schedule, through(&slowest, &slowest, false));
        for (name, expected, percent) in [
            ("guenzel_bcet_0pct", expected.guenzel_bcet_0pct, 0),
            ("guenzel_bcet_50pct", expected.guenzel_bcet_50pct, 50),
            ("guenzel_bcet_100pct", expected.guenzel_bcet_100pct, 100),
        ] {
            let fastest = fixed_priority_schedule(&periodic(percent), end);
            compare(name, expected, through(&fastest, &slowest, true));
        }
        let logical = logical_execution(&periodic(100), end);
        compare("let_exact", expected.let_exact, through(&logical, &logical, false));
    }
    Ok(())
}

#[derive(Deserialize)]
struct LetCase {
    id: String,
    periods: Vec<u64>,
    expected: ExpectedAges,
}

pub(super) fn logical_execution_time(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    for LetCase { id, periods, expected } in cases(text)? {
        tally.case(id);
        let task = |&period: &u64| PeriodicTask { period: ticks(period), phase: TimeSpan::ZERO, cost: TimeSpan::TICK };
        let tasks: Vec<PeriodicTask> = periods.iter().map(task).collect();
        let observed = hyperperiod(tasks.iter().map(|task| task.period)) * 2;
        let jobs = logical_execution(&tasks, observed + tasks.iter().map(|task| task.period * 4).sum());
        let stages: Vec<Stage<'_>> =
            jobs.iter().map(|jobs| Stage { fastest: jobs, slowest: jobs, precedes_next: false }).collect();
        let got = ExpectedAges::of(&guenzel_2021::ages(&stages, observed), &expected);
        tally.same("ages", expected, got);
    }
    Ok(())
}

#[derive(Deserialize)]
struct MixedCase {
    id: String,
    tasks: Vec<MixedTask>,
    chain: Vec<usize>,
    expected: MixedExpected,
}

#[derive(Deserialize)]
struct MixedTask {
    #[serde(flatten)]
    release: MixedRelease,
    comm: MixedCommunication,
    wcet: u64,
    wcrt: u64,
    deadline: u64,
}

#[derive(Deserialize)]
#[serde(tag = "release", rename_all = "lowercase")]
enum MixedRelease {
    Periodic { period: u64, phase: u64 },
    Sporadic { min_iat: u64, max_iat: u64 },
}

#[derive(Deserialize)]
enum MixedCommunication {
    #[serde(rename = "implicit")]
    Implicit,
    #[serde(rename = "LET")]
    LogicalExecutionTime,
}

#[derive(Deserialize)]
struct MixedExpected {
    pessimistic_sum: u64,
    cut_at_every_change: u64,
    cut_at_release_change: u64,
    sporadic_formula: u64,
    let_sporadic: Option<u64>,
}

pub(super) fn mixed(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    for MixedCase { id, tasks, chain, expected } in cases(text)? {
        tally.case(id);
        let step = |&index: &usize| {
            let MixedTask { release, comm, wcet, wcrt, deadline } = &tasks[index];
            let release = match *release {
                MixedRelease::Periodic { period, phase } => {
                    Release::Periodic { period: ticks(period), phase: ticks(phase) }
                }
                MixedRelease::Sporadic { min_iat, max_iat } => {
                    Release::Sporadic { shortest: ticks(min_iat), longest: ticks(max_iat) }
                }
            };
            Step {
                communication: match comm {
                    MixedCommunication::Implicit => Communication::Implicit,
                    MixedCommunication::LogicalExecutionTime => Communication::LogicalExecutionTime,
                },
                deadline: ticks(*deadline),
                priority: u32::MAX - index as u32,
                ..Step::new(release, ticks(*wcet), ticks(*wcrt))
            }
        };
        let steps: Vec<Step> = chain.iter().map(step).collect();
        // Every task on a core of its own: no order is known between any two.
        let apart = steps.iter().enumerate().map(|(core, step)| Step { core, ..*step }).collect::<Vec<_>>();
        let sum = guenzel_2023::sporadic(&apart).as_nanoseconds();
        tally.same("pessimistic_sum", expected.pessimistic_sum, sum);
        let every = number(&guenzel_2023::cut_at_every_change(&steps));
        tally.same("cut_at_every_change", Some(expected.cut_at_every_change), every);
        let release = number(&guenzel_2023::reaction_time(&steps));
        tally.same("cut_at_release_change", Some(expected.cut_at_release_change), release);
        let sporadic = guenzel_2023::sporadic(&steps).as_nanoseconds();
        tally.same("sporadic_formula", expected.sporadic_formula, sporadic);
        if let Some(expected) = expected.let_sporadic {
            tally.same("let_sporadic", expected, sporadic);
        }
    }
    Ok(())
}
