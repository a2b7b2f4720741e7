//! A service: save a snapshot, asked for by name from anywhere. `cargo run -p hemiola-bus --example
//! service`

use hemiola_bus::{AnswerError, Bus, CallError, SendError};
use hemiola_realtime::ThreadSettings;
use std::time::Duration;

struct SaveSnapshot {
    folder: String,
}

/// The answer: a service that can fail answers with a `Result`.
type Saved = Result<String, String>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bus = Bus::new();

    let mut count = 0;
    let server =
        bus.server("save_snapshot", 4)?.spawn(ThreadSettings::new("snapshots"), move |request: &SaveSnapshot| {
            if request.folder.is_empty() {
                return Err("where to?".to_string());
            }
            count += 1;
            Ok(format!("{}/{count}.snapshot", request.folder))
        })?;

    // Any number of clients, in any thread, before or after the server.
    let mut client = bus.client::<SaveSnapshot, Saved>("save_snapshot")?;
    for folder in ["logs", ""] {
        match client.call(SaveSnapshot { folder: folder.into() }, Duration::from_secs(1)) {
            Ok(Ok(path)) => println!("saved to {path}"),
            Ok(Err(reason)) => println!("not saved: {reason}"),
            Err(CallError::NoAnswer(AnswerError::TimedOut)) => println!("not saved in time"),
            Err(error) => println!("not saved: {error}"),
        }
    }

    drop(server); // ends the service
    let request = SaveSnapshot { folder: "logs".into() };
    if let Err(CallError::NotSent(SendError::NoReceiver(request))) = client.call(request, Duration::from_secs(1)) {
        println!("nobody can save to {}", request.folder);
    }
    Ok(())
}
