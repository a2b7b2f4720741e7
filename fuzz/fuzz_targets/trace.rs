//! Any bytes, and a trace with some changes, are a trace of which `why` explains every run and
//! every chain, or an error; what is cut out of it can be read again. Nothing panics, and no claim
//! of a length or a time takes memory.
#![no_main]

mod patched;
mod robot;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use hemiola::configuration::{Catalog, Configuration};
use hemiola_insight::Traces;
use hemiola_insight::why::{Evidence, Question};
use hemiola_trace::perfetto::Trace;
use libfuzzer_sys::fuzz_target;
use patched::patched;

struct Setup {
    folder: PathBuf,
    whole: Vec<u8>,
    configuration: Configuration,
}

static SETUP: LazyLock<Setup> = LazyLock::new(|| {
    let folder = robot::folder("trace");
    let (trace, profile) = (folder.join("whole.pftrace"), folder.join("profile.json"));
    let set = format!("output.profile=\"{}\"", profile.display());
    robot::run("20ms", &["--trace", trace.to_str().expect("it is text"), "--set", &set]);
    let whole = fs::read(&trace).expect("it was written");
    let text = format!("{}\n[output]\nprofile = \"{}\"\n", robot::configuration(), profile.display());
    let loaded = hemiola::configuration::parse(&text, "robot.toml", &Catalog::linked());
    Setup { folder, whole, configuration: loaded.expect("it is right").configuration }
});

fuzz_target!(|input: &[u8]| {
    let Setup { folder, whole, configuration } = &*SETUP;
    let Some((choice, rest)) = input.split_first() else { return };
    let bytes = if choice % 8 == 0 { rest.to_vec() } else { patched(whole, rest) };
    let trace = match Trace::decode(&bytes, "fuzz.pftrace") {
        Ok(trace) => trace,
        Err(error) => return assert!(error.to_string().contains("fuzz.pftrace"), "{error}"),
    };
    let path = folder.join("trace.pftrace");
    fs::write(&path, &bytes).expect("it is ours");
    let question = Question { trace: Some(path.clone()), worst: 2, ..Question::default() };
    // What is usual is read from a profile now and then, for it takes longer than all else.
    let mut configuration = configuration.clone();
    configuration.output.profile.take_if(|_| choice % 16 != 1);
    let evidence = Evidence::find(&question, configuration, &Traces::new(folder, "robot")).expect("it was decoded");
    let overview = evidence.answer(&question).expect("there is always an overview").text;
    let names = trace.catalog.read();
    let subjects: Vec<_> =
        names.cycles().map(|(_, cycle)| cycle.name.clone()).chain(overview.lines().filter_map(chain)).collect();
    let subject = subjects.get(usize::from(choice / 8) % subjects.len()).cloned();
    let question = match choice % 8 {
        0 | 1 => Question { subject, run: Some(u32::from(choice / 8)), ..question },
        2 | 3 => Question { subject, age: true, ..question },
        4 => Question { subject, at: Some(Duration::from_millis(u64::from(choice / 8))), ..question },
        _ => Question { subject, ..question },
    };
    match evidence.answer(&question) {
        Ok(answer) => {
            assert!(!answer.text.is_empty());
            if let Some(span) = answer.span {
                let slice = folder.join("slice.pftrace");
                evidence.write_slice(&slice, span).expect("it can be written");
                Trace::read(&slice).expect("it was written");
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

/// The name of a chain in a line of an overview.
fn chain(line: &str) -> Option<String> {
    let (source, output) = line.split_once(" -> ")?;
    let output = output.split_once("  (").map_or(output, |(output, _)| output);
    Some(format!("{} -> {output}", source.split_whitespace().skip(2).collect::<Vec<_>>().join(" ")))
}
