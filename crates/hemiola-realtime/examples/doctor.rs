//! Examines this machine: `cargo run -p hemiola-realtime --example doctor`. With the argument
//! `json`, the output is for machines.

use hemiola_realtime::{examine, findings_as_json, findings_as_text};

fn main() {
    let findings = examine();
    match std::env::args().nth(1).as_deref() {
        Some("json") => println!("{}", findings_as_json(&findings)),
        _ => print!("{}", findings_as_text(&findings, 80)),
    }
}
