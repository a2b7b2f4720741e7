//! The reasons why a chain from a sensor to an output took as long as it did.

use std::cmp::Reverse;
use std::fmt::Write;

use hemiola_trace::causes::{Explanation, Hop, Latency, Reaction, Step, UsualHops};
use hemiola_trace::{CatalogGuard, SourceId, TaskId, source_of_messages};

use super::evidence::Evidence;
use super::{Answer, ChainFacts, Facts, HopFacts, HopReason, Moment, Question, ReactionFacts, ReasonFacts, moment};
use crate::chains::is_output_of;
use crate::error::InsightError;

/// Explains the chain, with the time of the first explained reaction.
pub fn explain(evidence: &Evidence, subject: &str, question: &Question) -> Result<Answer, InsightError> {
    let (source, output) = find(evidence, subject)?;
    let latency = if question.age { Latency::DataAge } else { Latency::Reaction };
    let mut reactions = evidence.history.reactions(source, output, latency);
    match question.at {
        Some(time) => reactions.retain(|reaction| reaction.output >= evidence.at(time)),
        None => reactions.sort_by_key(|reaction| (Reverse(reaction.ticks()), reaction.output)),
    }
    reactions.truncate(if question.at.is_some() { 1 } else { question.worst.max(1) });
    let first = reactions.first().map(|reaction| (reaction.changed, reaction.output));
    let mut text = evidence.heading();
    if !evidence.is_in_real_time() {
        text += "the robot was stepped, or not in real time: sample times of its clock and times of the machine cannot be compared, and \
            what is said of this chain means little\n";
    }
    if first.is_none() {
        return Err(InsightError::NoReaction { latency: latency.to_string() });
    }
    let (texts, reactions): (Vec<_>, Vec<_>) =
        reactions.into_iter().map(|reaction| explain_reaction(evidence, (source, output), latency, reaction)).unzip();
    text += &texts.concat();
    let names = evidence.trace.catalog.read();
    let facts = Facts::Chain {
        chain: title(&names, (source, output)),
        name: declared_name(evidence, &names, (source, output)).map(str::to_owned),
        latency: latency.to_string(),
        in_real_time: evidence.is_in_real_time(),
        reactions,
    };
    Ok(Answer { from: evidence.from().to_owned(), text, facts, span: first })
}

/// Returns the longest latencies of each chain.
pub fn overview(evidence: &Evidence, names: &CatalogGuard<'_>) -> Vec<ChainFacts> {
    let longest = |chain: (SourceId, TaskId), latency| {
        let reactions = evidence.history.reactions(chain.0, chain.1, latency);
        reactions.iter().map(Reaction::ticks).max()
    };
    let facts = evidence.history.chains().map(|chain| ChainFacts {
        chain: title(names, chain),
        name: declared_name(evidence, names, chain).map(str::to_owned),
        reaction_time: longest(chain, Latency::Reaction),
        data_age: longest(chain, Latency::DataAge),
    });
    facts.collect()
}

fn title(names: &CatalogGuard<'_>, (source, output): (SourceId, TaskId)) -> String {
    format!("{} -> {}", names.source_name(source), names.task_name(output))
}

/// Returns the chain of that name: its name in robot.toml, or `Camera -> Legs.request` with an
/// arrow of either kind, or as much of it as is unambiguous.
fn find(evidence: &Evidence, subject: &str) -> Result<(SourceId, TaskId), InsightError> {
    let names = evidence.trace.catalog.read();
    let plain = |text: &str| text.replace('→', "->").split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = plain(subject);
    let chains: Vec<_> = evidence.history.chains().map(|chain| (chain, title(&names, chain))).collect();
    let (from, to) = wanted.split_once("->").map_or((wanted.as_str(), ""), |(from, to)| (from.trim(), to.trim()));
    let declared = |chain: &(SourceId, TaskId)| declared_name(evidence, &names, *chain);
    if let Some((chain, _)) = chains.iter().find(|(chain, title)| *title == wanted || declared(chain) == Some(&wanted))
    {
        return Ok(*chain);
    }
    let is_similar =
        |title: &str| title.split_once(" -> ").is_some_and(|(source, output)| source == from && output.contains(to));
    let similar: Vec<_> = chains.iter().filter(|(_, title)| is_similar(title)).collect();
    if let [(chain, _)] = similar[..] {
        return Ok(*chain);
    }
    let cycles = names.cycles().map(|(_, cycle)| cycle.name.as_str());
    let known = cycles.chain(chains.iter().filter_map(|(chain, _)| declared(chain)));
    let known = known.chain(chains.iter().map(|(_, title)| title.as_str())).map(str::to_owned).collect();
    Err(InsightError::UnknownSubject { name: subject.to_owned(), known })
}

/// Returns the name of a chain in robot.toml.
fn declared_name<'e>(evidence: &'e Evidence, names: &CatalogGuard<'_>, chain: (SourceId, TaskId)) -> Option<&'e str> {
    let (begin, output) = (names.source_name(chain.0), names.task_name(chain.1));
    // The name of a source means the path of values if there is one.
    let heard = source_of_messages(&begin).filter(|source| {
        let by_values = names.sources().find(|(_, name)| name == source).map(|(id, _)| (id, chain.1));
        by_values.is_none_or(|by_values| evidence.history.chains().all(|other| other != by_values))
    });
    let is_from = |from: &str| from == begin || Some(from) == heard;
    let declared = evidence.chains.iter().find(|known| is_from(&known.from) && is_output_of(&output, &known.to));
    declared.map(|chain| chain.name.as_str())
}

/// Explains an output: heading, path, reason, remedy.
fn explain_reaction(
    evidence: &Evidence,
    chain: (SourceId, TaskId),
    latency: Latency,
    reaction: Reaction,
) -> (String, ReactionFacts) {
    let names = evidence.trace.catalog.read();
    let hops = evidence.history.hops(chain.0, chain.1, reaction);
    let (when, took) = (moment(evidence, reaction.output), evidence.duration(reaction.ticks()));
    let mut text = format!("\n{}, {latency} {took} {when}\n\n        at     takes\n", title(&names, chain));
    let source = names.source_name(chain.0);
    for hop in &hops {
        let (at, long) = (evidence.duration(hop.begin.since(reaction.changed)), evidence.duration(hop.ticks()));
        _ = writeln!(text, "  {at:>8}  {long:>8}  {}", hop.describe(&names, &source));
    }
    let usual = UsualHops::of(&evidence.history, chain.0, chain.1, latency);
    let reason = usual.most_unusual(&hops).map(|index| {
        let (because, reason) = reason(evidence, &names, (&hops, index), usual.excess(&hops[index]), &source);
        text += &because;
        reason
    });
    let path = hops.iter().map(|hop| HopFacts::of(hop, reaction.changed, &names)).collect();
    let at = Moment::of(evidence, reaction.output);
    (text, ReactionFacts { at, takes: reaction.ticks(), path, reason })
}

/// Explains what took the time of the hop that exceeds its usual duration most.
fn reason(
    evidence: &Evidence,
    names: &CatalogGuard<'_>,
    (hops, index): (&[Hop], usize),
    excess: u64,
    source: &str,
) -> (String, HopReason) {
    let hop = &hops[index];
    let because_of = |run: Option<ReasonFacts>, remedy: Option<String>| HopReason { hop: index, excess, remedy, run };
    let (long, more) = (evidence.duration(hop.ticks()), evidence.duration(excess));
    let share = hop.describe(names, source);
    let within = if matches!(hop.step, Step::Run { .. }) { "in " } else { "" };
    // A twentieth more than usual counts as usual.
    let is_usual = excess <= hop.ticks() / 20;
    let more = if is_usual { "as usual".to_owned() } else { format!("{more} more than usual") };
    let because = format!("\nbecause  {long} of it, {more}, passed {within}{share}");
    let remedy = match hop.step {
        Step::Sample => "only a faster or more regular sensor shortens it".to_owned(),
        Step::Release { .. } => {
            "a higher rate of that cycle shortens it, or being triggered by what it waits for".to_owned()
        }
        Step::Kept { .. } => {
            let provider = hops[..index].iter().rev().find_map(|hop| match hop.step {
                Step::Run { cycle, .. } => Some(names.cycle_name(cycle)),
                _ => None,
            });
            let provider = provider.map_or(format!("source {source}"), |cycle| format!("cycle {cycle}"));
            format!("ask why {provider} provided nothing newer {}", moment(evidence, hop.begin))
        }
        Step::Unknown => "a trace that begins earlier would show it".to_owned(),
        Step::Run { cycle, run } => {
            let Some(chain) = evidence.history.blocking_chain_until(cycle, run, hop.end) else {
                return (because + "\n", because_of(None, None));
            };
            let durations = evidence.durations((cycle, run));
            let explanation =
                Explanation::of(chain, &durations, &evidence.trace.scale).with_accounts(&evidence.history);
            let (table, sentence) = (explanation.table(names), explanation.sentence(names));
            let remedy = explanation.remedy(names);
            let text = format!("{because}:\n\n{table}\n         {sentence}\nso       {remedy}\n");
            return (text, because_of(Some(ReasonFacts::of(&explanation, names)), Some(remedy)));
        }
    };
    (format!("{because}\nso       {remedy}\n"), because_of(None, Some(remedy)))
}
