//! Every oracle agrees in every case.

mod shared;

use hemiola_analysis::oracles;

#[test]
fn every_case_of_every_oracle_agrees() {
    let mut differing = Vec::new();
    for name in oracles::known() {
        let Some(text) = shared::data_file(&format!("oracles/{name}.json")) else { continue };
        let report = oracles::check(name, &text).expect("the file has the form of its oracle");
        assert!(report.cases > 0 && report.values >= report.cases, "{name} has nothing to compare");
        println!("{name}: {} of {} cases agree", report.cases - report.differing.len(), report.cases);
        differing.extend(report.differing.iter().map(|difference| format!("{name}: {difference}")));
    }
    assert!(differing.is_empty(), "{} cases differ:\n{}", differing.len(), differing.join("\n"));
}
