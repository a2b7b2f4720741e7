//! The questions of a client about parameters, which all processes answer.

use std::collections::BTreeMap;
use std::mem;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::door::outbox::Outbox;
use crate::whole::holdings::items;

/// The time after which a question is answered without the processes that do not respond.
const PATIENCE: Duration = Duration::from_secs(10);
/// The prefix of the IDs of questions to processes.
const OWN: &str = "hemiola.";

/// The questions that have not been answered yet, by their numbers.
#[derive(Default)]
pub struct Questions {
    open: BTreeMap<u64, Question>,
    last: u64,
}

struct Question {
    /// The client's ID.
    id: Option<String>,
    /// The processes that have not answered.
    waiting: Vec<usize>,
    parameters: Vec<Value>,
    deadline: Instant,
}

impl Questions {
    /// Begins a question of the client with this ID. Returns the ID with which these processes are
    /// asked.
    pub fn begin(&mut self, id: Option<String>, asked: Vec<usize>) -> String {
        self.last += 1;
        let question = Question { id, waiting: asked, parameters: Vec::new(), deadline: Instant::now() + PATIENCE };
        self.open.insert(self.last, question);
        format!("{OWN}{}", self.last)
    }

    /// Handles the values of parameters that a process sends, which may answer a question. All
    /// others are forwarded.
    pub fn answer(&mut self, process: usize, values: &Value, out: &mut Outbox) {
        let Some(number) = values["id"].as_str().and_then(|id| id.strip_prefix(OWN)) else {
            return out.send(values);
        };
        // A process that responds too late is not waited for any more.
        let Some(question) = number.parse().ok().and_then(|number: u64| self.open.get_mut(&number)) else { return };
        question.waiting.retain(|waiting| *waiting != process);
        question.parameters.extend(items(&values["parameters"]).cloned());
        self.conclude(|question| question.waiting.is_empty(), out);
    }

    /// Notes that a process will answer nothing any more.
    pub fn give_up(&mut self, process: usize, out: &mut Outbox) {
        self.open.values_mut().for_each(|question| question.waiting.retain(|waiting| *waiting != process));
        self.conclude(|question| question.waiting.is_empty(), out);
    }

    /// Answers the questions that have waited long enough.
    pub fn expire(&mut self, now: Instant, out: &mut Outbox) {
        self.conclude(|question| question.deadline <= now, out);
    }

    /// Returns the time until a question expires.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        self.open.values().map(|question| question.deadline.saturating_duration_since(now)).min()
    }

    fn conclude(&mut self, is_over: impl Fn(&Question) -> bool, out: &mut Outbox) {
        self.open.retain(|_, question| {
            if !is_over(question) {
                return true;
            }
            let mut answer = json!({"op": "parameterValues", "parameters": mem::take(&mut question.parameters)});
            if let Some(id) = question.id.take() {
                answer["id"] = id.into();
            }
            out.send(&answer);
            false
        });
    }
}
