use super::*;
use std::time::Duration;

#[test]
fn a_name_keeps_its_number() -> Result<(), Error> {
    let catalog = Catalog::new("robot");
    let motion = catalog.cycle(Cycle::named("motion"))?;
    let cognition = catalog.cycle(Cycle::named("cognition"))?;
    let first = catalog.task(motion, "Filter.update")?;
    let same_name_elsewhere = catalog.task(cognition, "Filter.update")?;
    assert_ne!(first, same_name_elsewhere);
    assert_eq!(catalog.task(motion, "Filter.update")?, first);
    assert_eq!(catalog.clone().task(motion, "Filter.update")?, first, "clones are one catalog");
    assert_eq!(catalog.source("imu")?, catalog.source("imu")?);
    assert_eq!(catalog.counter("battery", "%")?, catalog.counter("battery", "%")?);
    assert_eq!(catalog.exchange(motion, "motion")?, catalog.exchange(motion, "motion")?);
    Ok(())
}

#[test]
fn a_cycle_registered_again_gets_the_new_deadline() -> Result<(), Error> {
    let catalog = Catalog::new("robot");
    let motion = catalog.cycle(Cycle::named("motion").deadline(Duration::from_millis(12)))?;
    assert_eq!(catalog.cycle(Cycle::named("motion").deadline(Duration::from_millis(10)))?, motion);
    assert_eq!(catalog.read().cycle(motion).unwrap().deadline, Some(Duration::from_millis(10)));
    Ok(())
}

#[test]
fn a_worker_started_anew_keeps_its_number_and_gets_the_new_thread() -> Result<(), Error> {
    let catalog = Catalog::new("robot");
    let motion = catalog.cycle(Cycle::named("motion"))?;
    let worker = catalog.worker(motion, 1, 100)?;
    assert_eq!(catalog.worker(motion, 1, 200)?, worker);
    assert_eq!(catalog.read().worker(worker).unwrap().thread, Some(200));
    assert_eq!(catalog.read().worker_name(worker), "motion 1");
    Ok(())
}

#[test]
fn the_same_graph_is_the_same_plan() -> Result<(), Error> {
    let catalog = Catalog::new("robot");
    let cycle = catalog.cycle(Cycle::named("motion"))?;
    let [a, b, c] = [catalog.task(cycle, "a")?, catalog.task(cycle, "b")?, catalog.task(cycle, "c")?];
    let plan = catalog.plan(cycle, &[(b, c), (a, b), (a, b)])?;
    assert_eq!(catalog.plan(cycle, &[(a, b), (b, c)])?, plan);
    assert_ne!(catalog.plan(cycle, &[(a, c)])?, plan);
    assert_eq!(catalog.read().plan(plan).unwrap().edges, [(a, b), (b, c)]);
    Ok(())
}

#[test]
fn a_full_catalog_says_so_and_stays_readable() {
    let mut entries = vec!["x"; 3];
    let error = add(&mut entries, "late", 3, "task", "late").unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot register task `late`: all 3 numbers are taken (they are not reused; restart the process)"
    );
    assert_eq!(entries.len(), 3);
}

#[test]
fn unknown_numbers_have_readable_names() {
    let catalog = Catalog::new("robot");
    let names = catalog.read();
    assert_eq!(names.task_name(TaskId(9)), "task 9");
    assert_eq!(names.cycle_name(CycleId(9)), "cycle 9");
    assert_eq!(names.worker_name(WorkerId(9)), "worker 9");
    assert_eq!(names.source_name(SourceId(9)), "source 9");
}
