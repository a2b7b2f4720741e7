//! The chains of a robot, and their names in `[chain.*]`.

use hemiola_runtime::Robot;
use hemiola_trace::{by_messages, source_of_messages};

use crate::error::InsightError;
use crate::routes::{self, Chain, Root};

/// Returns whether `to` in `[chain.*]` names this output: by its own name, that of its module, or
/// that of the source that reads it.
pub fn is_output_of(output: &str, to: &str) -> bool {
    let of = |whose: &str| output.strip_prefix(whose) == Some(to);
    let is_of_module = || output.strip_prefix(to).is_some_and(|update| update.starts_with('.'));
    of("") || of("output to ") || is_of_module()
}

/// Returns whether a robot has a chain from a source to an output, as `[chain.*]` names them.
pub fn has_chain(robot: &Robot, from: &str, to: &str) -> bool {
    find(&chains_of(robot), "", from, to).is_ok()
}

/// Returns whether the chain from a source to an output, as `[chain.*]` names them, goes by
/// messages of a topic.
pub fn is_by_messages(robot: &Robot, from: &str, to: &str) -> bool {
    let chains = chains_of(robot);
    find(&chains, "", from, to).is_ok_and(|number| chains[number].by_messages)
}

/// Returns all chains of a robot. Topics that come from another process are sources, too.
pub fn chains_of(robot: &Robot) -> Vec<Chain> {
    let (samples, received) = (robot.samples(), robot.received_topics());
    let sources = samples.iter().map(|(source, _)| Root { source, tells: robot.told_by(source) });
    let topics = received.iter().map(|(source, topic)| Root { source, tells: vec![*topic] });
    routes::chains(robot.resolved(), &robot.topic_ends(), &sources.chain(topics).collect::<Vec<_>>())
}

/// Returns the chain that the configuration names.
pub fn find(chains: &[Chain], name: &str, from: &str, to: &str) -> Result<usize, InsightError> {
    let leads = |begin: &str| -> Vec<usize> {
        let is_it = |chain: &Chain| chain.begin() == begin && is_output_of(&chain.output, to);
        (0..chains.len()).filter(|&number| is_it(&chains[number])).collect()
    };
    // The name of a source means the path of values if there is one.
    let mut found = leads(from);
    if found.is_empty() {
        found = leads(&by_messages(from));
    }
    let (name, from, to) = (name.to_owned(), from.to_owned(), to.to_owned());
    match found[..] {
        [found] => Ok(found),
        [] => {
            let of_source = chains.iter().filter(|chain| chain.source == source_of_messages(&from).unwrap_or(&from));
            let outputs = of_source.map(|chain| chain.output.clone()).collect();
            Err(InsightError::NoChain { name, from, to, outputs })
        }
        _ => {
            let outputs = found.iter().map(|&number| chains[number].output.clone()).collect();
            Err(InsightError::SeveralChains { name, from, to, outputs })
        }
    }
}
