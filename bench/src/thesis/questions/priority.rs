//! Real-time priority, alone and beside other programs.

use super::super::experiment::{OtherPrograms, Scheduling, Setting};
use super::super::inquiry::Inquiry;
use super::super::report::{Origin, Question};
use super::super::subject::Subject;
use super::Inquired;
use crate::contestant::ContestantError;
use crate::report::time;

pub const QUESTION: Inquired = Inquired { title: "2. Real-time priority against time sharing", measure, conclude };

const COMPANY: [(&str, &str); 2] =
    [("", "alone on the machine"), (", other programs on all cores", "beside other programs")];
const REAL_TIME: &str = "real time";
const TIME_SHARING: &str = "time sharing";

fn measure(inquiry: &mut Inquiry, question: &mut Question) -> Result<(), ContestantError> {
    for (suffix, _) in COMPANY {
        for (name, scheduling) in [(REAL_TIME, Scheduling::RealTime), (TIME_SHARING, Scheduling::TimeSharing)] {
            let way = format!("{name}{suffix}");
            let others = (!suffix.is_empty()).then(OtherPrograms::start);
            let outcomes = inquiry.both(question, &way, Setting { scheduling, ..Setting::automatic() })?;
            drop(others);
            question.add(&way, "motion: from trigger to begin", Origin::Measured, &outcomes[0].start);
        }
    }
    Ok(())
}

fn conclude(_: &Subject, question: &mut Question) {
    for (suffix, company) in COMPANY {
        let [real_time, time_sharing] =
            [REAL_TIME, TIME_SHARING].map(|name| time(question.p99(&format!("{name}{suffix}"), "motion")));
        question.findings.push(format!(
            "Motion's 99th percentile {company}: {real_time} with real-time priority, {time_sharing} without."
        ));
    }
}
