//! Commands for running robots, each in a process of its own, as somebody types them.

#[path = "../../../../tests/addresses.rs"]
mod addresses;
mod cart;
mod terminal;

use std::time::Duration;

use cart::{Cart, ROBOT, command_in, new_folder};
use hemiola_live::client::{Address, Connection};
use hemiola_live::protocol::Request;
use rustix::process::Signal;
use serde_json::{Value, json};

#[test]
fn robots_that_run_are_found_by_name_and_process() {
    let first = Cart::start();
    let listed = first.json(&["ps"]);
    assert_eq!(listed[0]["name"], "cart");
    assert_eq!(listed[0]["process"], first.process());
    assert!(listed[0]["time"].as_i64() > Some(0) && listed[0]["pace"] == "real time");
    assert!(first.prints(&["ps"]).starts_with("robot  process  runs for  pace\ncart "));

    let second = first.start_another();
    assert_eq!(first.json(&["ps"]).as_array().map(Vec::len), Some(2));
    let unclear = first.refuses(&["show", "Drive"], 2);
    assert!(unclear.contains("2 robots are running: choose one by its process"), "{unclear}");
    let process = second.process().to_string();
    assert!(first.json(&["show", "Drive.step", "--robot", &process])["value"].is_u64());
    let unknown = first.refuses(&["show", "Drive", "--robot", "crat"], 2);
    assert!(unknown.contains("did you mean `cart`?"), "{unknown}");

    // A robot that was killed leaves its socket behind; the next look removes it.
    let left = first.folder.join(format!("hemiola/cart.{process}.sock"));
    second.kill();
    assert!(left.exists());
    assert_eq!(first.json(&["ps"]).as_array().map(Vec::len), Some(1));
    assert!(!left.exists());
}

#[test]
fn a_robot_that_is_stopped_ends_and_then_there_is_none() {
    let mut cart = Cart::start();
    assert_eq!(cart.prints(&["stop"]), "cart has ended\n");
    assert!(cart.ends());
    assert_eq!(cart.json(&["ps"]), json!([]));
    // No process has that number.
    let stale = cart.folder.join("hemiola/cart.4194303.sock");
    std::fs::write(&stale, "").unwrap();
    assert_eq!(cart.prints(&["ps"]), "no robot is running here\n");
    assert!(!stale.exists());
    let nobody = cart.refuses(&["top", "--json"], 2);
    assert!(nobody.contains("no robot is running here; start one") && nobody.contains("--at HOST:PORT"), "{nobody}");
}

#[test]
fn values_are_shown_overridden_and_released_as_they_stand_in_robot_toml() {
    let cart = Cart::start();
    assert_eq!(cart.prints(&["show", "Goal"]), "bold = false\nmetres = 1.0\n");
    assert_eq!(cart.prints(&["show", "Drive.path[1][0]"]), "3.0\n");
    assert_eq!(
        cart.prints(&["show", "Goal", "Drive.path"]),
        "[Goal]\nbold = false\nmetres = 1.0\nDrive.path = [[1.0, 2.0], [3.0, 4.0]]\n"
    );
    assert_eq!(cart.json(&["show", "Drive.speed"])["value"], 0.5);

    cart.prints(&["override", "Goal", "{ metres = 1.5 }"]);
    let overridden = cart.until(&["show", "Drive.speed"], |answer| answer["value"] != 0.5);
    assert_eq!(overridden["value"], 0.75);
    // The field that was left out is as it was.
    assert_eq!(cart.prints(&["show", "Goal"]), "bold = false\nmetres = 1.5\n");
    cart.prints(&["release", "Goal"]);
    cart.until(&["show", "Drive.speed"], |answer| answer["value"] == 0.5);

    let printed = cart.prints(&["show", "Drive.step", "--watch", "--count", "3", "--rate", "20", "--json"]);
    let steps: Vec<u64> =
        printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["value"].as_u64().unwrap()).collect();
    assert!(steps.len() == 3 && steps.is_sorted() && steps[0] < steps[2], "{printed}");
    let printed = cart.prints(&["show", "Drive.step", "--watch", "--for", "300ms"]);
    assert!(!printed.is_empty(), "and it has ended");
    assert!(cart.refuses(&["show", "Drive.step", "--for", "300ms"], 2).contains("--watch"));

    // A value of a source comes with its next sample.
    let turns = cart.prints(&["show", "Turns"]);
    assert!(turns.starts_with("count = ") && turns.ends_with("since = [0.5, 1.5]\n"), "{turns}");
    assert_eq!(cart.prints(&["show", "Turns.since[1]"]), "1.5\n");
    let printed = cart.prints(&["show", "Turns.count", "Drive.step", "--watch", "--count", "3", "--json"]);
    assert_eq!(printed.lines().filter(|line| line.contains("\"Turns.count\"")).count(), 3, "{printed}");
    assert!(cart.refuses(&["show", "Turns.cuont"], 2).contains("did you mean `count`?"));

    assert!(cart.refuses(&["show", "Goa"], 1).contains("Goal"));
    assert!(cart.refuses(&["show", "Goal.metre"], 1).contains("did you mean `metres`?"));
    let wrong = cart.refuses(&["override", "Goal", "{ metres = \"far\" }"], 1);
    assert!(wrong.contains("metres"), "{wrong}");
    assert!(cart.refuses(&["override", "Goal", "{ metres = "], 2).contains("this is not TOML"));
}

#[test]
fn parameters_are_changed_compared_and_saved_beside_comments() {
    let cart = Cart::start();
    assert_eq!(cart.prints(&["parameters", "get", "Pilot.gain"]), "0.5\n");
    let listed = cart.prints(&["parameters", "get", "Pilot"]);
    assert!(listed.starts_with("[module.Pilot]\ngain = 0.5  # 1/s; "), "{listed}");
    assert!(listed.contains("robot.toml:11:8; default 0.4; 0.0..0.9\nlimits = [1.0, 2.0]\n"), "{listed}");
    assert_eq!(cart.prints(&["parameters", "diff"]), "all parameters are as configured\n");

    assert_eq!(cart.prints(&["parameters", "set", "Pilot.gain", "0.7"]), "Pilot.gain = 0.7  # was 0.5\n");
    assert_eq!(cart.json(&["parameters", "set", "Pilot.limits", "[0.5, 1.5]"])["before"], json!([1.0, 2.0]));
    cart.until(&["show", "Drive.speed"], |answer| answer["value"] == 0.7);
    let diff = cart.json(&["parameters", "diff"]);
    let names: Vec<_> = diff.as_array().unwrap().iter().map(|parameter| parameter["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["gain", "limits"]);
    assert!(cart.refuses(&["parameters", "set", "Pilot.gain", "1.5"], 1).contains("must be within"));
    assert!(cart.refuses(&["parameters", "set", "Pilot.gian", "0.5"], 2).contains("did you mean `gain`?"));
    assert!(cart.refuses(&["parameters", "set", "Pilot", "0.5"], 2).contains("write MODULE.NAME"));

    assert!(cart.prints(&["parameters", "save", "Pilot.gain"]).contains("robot.toml: Pilot.gain"));
    let saved = std::fs::read_to_string(cart.folder.join("robot.toml")).unwrap();
    assert_eq!(saved, ROBOT.replace("gain = 0.5  #", "gain = 0.7  #"));
    cart.prints(&["parameters", "save", "--overlay", "wet"]);
    let overlay = std::fs::read_to_string(cart.folder.join("overlays/wet.toml")).unwrap();
    assert_eq!(overlay, "[module.Pilot]\ngain = 0.7\nlimits = [0.5, 1.5]\n");
}

#[test]
fn providers_and_workers_are_switched_while_it_runs() {
    let cart = Cart::start();
    let listed = cart.json(&["providers", "list"]);
    let goal = listed.as_array().unwrap().iter().find(|provided| provided["name"] == "Goal").unwrap().clone();
    assert_eq!(goal["provider"], "Careful");
    let lines = cart.prints(&["providers", "list"]);
    let words: Vec<Vec<_>> = lines.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(words.contains(&vec!["Goal", "Careful", "drive", "Bold"]), "{lines}");
    assert_eq!(cart.prints(&["providers", "switch", "Goal", "Bold"]), "Bold provides Goal now\n");
    cart.until(&["show", "Goal.bold"], |answer| answer["value"] == true);
    assert!(cart.refuses(&["providers", "switch", "Goal", "Pilot"], 1).contains("Pilot"));

    assert_eq!(cart.prints(&["workers", "drive", "1"]), "drive runs on 1 worker\n");
    cart.prints(&["workers", "drive", "auto"]);
    assert!(cart.refuses(&["workers", "drvie", "1"], 1).contains("drive"));
    assert!(cart.refuses(&["workers", "drive", "0"], 2).contains("write a number from 1 to 64, or `auto`"));
}

#[test]
fn messages_are_published_heard_and_counted() {
    let cart = Cart::start();
    let listed = cart.json(&["topic", "list"]);
    assert_eq!(listed[0]["name"], "Honk");
    let echo = std::thread::scope(|scope| {
        let echo = scope.spawn(|| cart.prints(&["topic", "echo", "Honk", "--count", "2", "--json"]));
        let publish = ["topic", "pub", "Honk", "{ number = 7, loudness = 0.5 }", "--rate", "20", "--count", "5"];
        while !echo.is_finished() {
            cart.prints(&publish);
        }
        echo.join().unwrap()
    });
    let first: Value = serde_json::from_str(echo.lines().next().unwrap()).unwrap();
    assert_eq!((&first["message"]["number"], &first["message"]["loudness"]), (&json!(7), &json!(0.5)));
    cart.until(&["show", "Drive.honks"], |honks| honks["value"].as_u64() >= Some(2));
    let counted = cart.prints(&["topic", "hz", "Honk", "--for", "1100ms", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&counted).unwrap()["messages"], 0);
    assert_eq!(cart.prints(&["topic", "echo", "Honk", "--for", "100ms"]), "", "nobody publishes");
    let publish = ["topic", "pub", "Honk", "{ number = 7 }", "--rate", "50", "--for", "100ms"];
    assert!(cart.json(&publish)["published"].as_u64() >= Some(1));
    assert!(cart.refuses(&["topic", "echo", "Hnok"], 1).contains("Honk"));
    assert!(cart.refuses(&["topic", "pub", "Honk", "3"], 1).contains("expected a table"));
    assert_eq!(cart.json(&["service", "list"]), json!([]));
    assert_eq!(cart.prints(&["link", "list"]), "this robot has no links\n");
}

#[test]
fn a_message_is_printed_as_it_is_typed() {
    let cart = Cart::start();
    let typed = "{ at = 1500000000, held = 0.25, loudness = 0.5, number = 7, tune = 'High' }";
    let echo = std::thread::scope(|scope| {
        let echo = scope.spawn(|| cart.prints(&["topic", "echo", "Honk", "--count", "1"]));
        while !echo.is_finished() {
            cart.prints(&["topic", "pub", "Honk", typed]);
        }
        echo.join().unwrap()
    });
    let printed: Vec<_> = echo.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(format!("{{ {} }}", printed.join(", ")).replace('"', "'"), typed);
}

#[test]
fn what_goes_over_a_link_is_listed_on_both_sides() {
    let robot = Cart::start_with("--set link.laptop.listen=\"tcp:127.0.0.1:0\" --set link.laptop.send=[\"Honk\"]");
    let listed = robot.json(&["link", "list"]);
    assert_eq!((&listed[0]["name"], &listed[0]["listens"]), (&json!("laptop"), &json!(true)));
    let said = robot.prints(&["link", "list"]);
    assert!(
        said.starts_with("link laptop listens at tcp:127.0.0.1:") && said.contains(": no peer is connected\n"),
        "{said}"
    );

    let address = &listed[0]["address"];
    let laptop = Cart::start_with(&format!("--set link.robot.connect={address} --set link.robot.receive=[\"Honk\"]"));
    let is_wanted = |links: &Value| links[0]["sent"][0]["peers"] == 1;
    let met = robot.until(&["link", "list"], is_wanted);
    assert_eq!((&met[0]["peers"][0]["name"], &met[0]["problem"]), (&json!("cart"), &Value::Null));
    robot.prints(&["topic", "pub", "Honk", "{ number = 7, loudness = 0.5 }"]);
    laptop.until(&["link", "list"], |links| links[0]["received"][0]["messages"] == 1);
    laptop.until(&["show", "Drive.honks"], |honks| honks["value"] == 1);
    let said = laptop.prints(&["link", "list"]);
    assert!(said.starts_with("link robot connects to tcp:127.0.0.1:"), "{said}");
    assert!(said.contains("\n  received Honk: 1 messages, "), "{said}");
}

#[test]
fn logs_and_traces_begin_and_end_while_it_runs_and_moments_are_marked() {
    let cart = Cart::start();
    let begun = cart.json(&["record", "start", "game.mcap"]);
    let log = cart.folder.join("game.mcap");
    assert_eq!(begun["file"].as_str(), log.to_str());
    assert_eq!(cart.json(&["top"])["recording"]["file"], begun["file"]);
    assert_eq!(cart.prints(&["record", "mark", "the ball was lost"]), "marked\n");
    cart.goes_on();
    assert!(cart.refuses(&["record", "start"], 1).contains("is being recorded already"));
    cart.prints(&["record", "stop"]);
    let info = cart.prints(&["log", "info", "game.mcap"]);
    assert!(info.contains("Drive"), "{info}");
    let messages = cart.prints(&["log", "cat", "game.mcap", "--format", "json"]);
    assert!(messages.contains("the ball was lost"));

    cart.prints(&["trace", "start", "late.pftrace"]);
    cart.goes_on();
    cart.prints(&["trace", "stop"]);
    let why = cart.prints(&["why", "drive", "--trace", "late.pftrace"]);
    assert!(why.contains("late.pftrace") && why.contains("drive, run "), "{why}");
    assert_eq!(cart.json(&["why", "drive", "--trace", "late.pftrace"])["cycle"], "drive");
}

/// Waits until `show Drive.step` shows the same twice: nothing moves any more.
fn at_rest(cart: &Cart) -> Value {
    let mut before = Value::Null;
    cart.until(&["show", "Drive.step"], |step| {
        std::thread::sleep(Duration::from_millis(100));
        std::mem::replace(&mut before, step.clone()) == *step
    })
}

#[test]
fn a_replay_is_paused_stepped_and_hurried_from_outside_and_ends_with_its_log() {
    let mut recorded = Cart::start_with("--log game.mcap");
    recorded.until(&["show", "Drive.step"], |step| step["value"].as_u64() > Some(100));
    recorded.prints(&["stop"]);
    assert!(recorded.ends());
    let log = recorded.folder.join("game.mcap");
    // The replay is so slow that it does not end by itself.
    let mut cart = Cart::start_with(&format!("--replay {} --speed 0.05", log.display()));
    let socket = cart.folder.join(format!("hemiola/cart.{}.sock", cart.process()));
    let mut door = Connection::open(&Address::Unix(socket)).unwrap();
    door.request(Request::Pause {}).unwrap();
    let rest = at_rest(&cart)["value"].as_u64().unwrap();
    door.request(Request::Step { runs: Some(3), cycle: Some("drive".into()), event: false }).unwrap();
    cart.until(&["show", "Drive.step"], |step| step["value"] == rest + 3);
    let back = door.request(Request::Seek { time: 0 }).unwrap_err().to_string();
    assert!(back.contains("goes forward only") && back.contains("--from"), "{back}");
    // All runs before that time are computed, and no others; on a busy machine not every run was
    // recorded.
    door.request(Request::Seek { time: 1_990_000_000 }).unwrap();
    cart.until(&["show", "Drive.step"], |step| step["value"].as_u64() > Some(rest + 5));
    let there = at_rest(&cart)["time"].as_i64().unwrap();
    assert!((1_000_000_000..1_990_000_000).contains(&there), "{there}");
    door.request(Request::Play { speed: Some(100.0) }).unwrap();
    drop(door);
    assert!(cart.ends());
}

#[test]
fn a_log_that_was_begun_at_the_door_is_whole_when_the_robot_ends() {
    for signal in [None, Some(Signal::INT)] {
        let mut cart = Cart::start();
        cart.prints(&["record", "start", "game.mcap"]);
        cart.prints(&["record", "mark", "the ball was lost"]);
        cart.goes_on();
        match signal {
            None => _ = cart.prints(&["stop"]),
            Some(signal) => cart.is_sent(signal),
        }
        assert!(cart.ends());
        let info = cart.prints(&["log", "info", "game.mcap"]);
        assert!(info.contains("Drive"), "{info}");
        let messages = cart.prints(&["log", "cat", "game.mcap", "--format", "json"]);
        assert!(messages.contains("the ball was lost"));
    }
}

#[test]
fn the_safe_state_is_entered_shown_and_left() {
    let cart = Cart::start();
    assert!(cart.json(&["top"])["safe_state"].is_null());
    cart.prints(&["safe-state", "enter"]);
    let entered = cart.until(&["top"], |figures| !figures["safe_state"].is_null());
    assert!(entered["safe_state"]["cause"].is_string());
    cart.prints(&["safe-state", "leave"]);
    cart.until(&["top"], |figures| figures["safe_state"].is_null());
}

#[test]
fn a_running_robot_is_plotted_captured_and_explained() {
    let cart = Cart::start();
    let fields = ["Drive.step", "timing:drive.response"];
    let plotted = |duration: &str| {
        let plotted = cart.prints(&["plot", fields[0], fields[1], "--for", duration, "--json"]);
        let points: Vec<Value> = plotted.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(points.iter().all(|point| point["maximum"].as_f64() > Some(0.0)), "{plotted}");
        fields.iter().all(|field| points.iter().filter(|point| point["field"] == *field).count() > 3)
    };
    // A busy machine needs longer for some points.
    assert!(["1s", "5s", "25s"].into_iter().any(plotted));
    let unknown = cart.refuses(&["plot", "Drvie.step"], 2);
    assert!(unknown.contains("`Drvie.step` cannot be plotted"), "{unknown}");

    let captured = cart.json(&["snapshot"]);
    assert_eq!(captured["cycles"]["drive"]["Goal"]["metres"], 1.0);
    assert!(cart.prints(&["snapshot"]).contains("\n[drive]\nDrive = { honks = 0, "));
    let why = cart.prints(&["why", "drive"]);
    assert!(why.contains("drive, run "), "{why}");
    let why = cart.json(&["why", "drive"]);
    assert!(why["from"] == "the running robot" && why["runs"][0]["response"].as_u64() > Some(0), "{why:#}");
}

#[test]
fn a_robot_of_another_host_is_seen_by_all_and_changed_with_its_token_only() {
    let port = addresses::free_port();
    let cart = Cart::start_with(&format!("--page {port}"));
    // A command that runs elsewhere has no socket in its folder.
    let elsewhere = new_folder();
    let command = |arguments: &[&str]| command_in(&elsewhere, arguments);
    let at = format!("127.0.0.1:{port}");
    let shown = command(&["show", "Goal.metres", "--at", &at]);
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "1.0\n");
    let set = ["parameters", "set", "Pilot.gain", "0.6", "--at"];
    let refused = command(&[&set[..], &[at.as_str()]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("token"));
    assert!(command(&[&set[..], &[cart.page()]].concat()).status.success());
    let token = cart.page().rsplit_once("token=").unwrap().1;
    assert!(command(&["safe-state", "enter", "--at", &at, "--token", token]).status.success());
    let wrong = command(&["show", "Goal", "--at", &at, "--token", "wrong"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("the token is not that of the robot"));
    let nobody = command(&["show", "Goal", "--at", "127.0.0.1:1"]);
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("no robot can be reached at 127.0.0.1:1"));
    std::fs::remove_dir_all(&elsewhere).unwrap();
}

#[test]
fn what_needs_the_robots_own_program_says_so() {
    let folder = new_folder();
    for (arguments, said) in [
        (&["analyze"][..], "analyze --system FILE"),
        (&["graph"], "graph --file FILE"),
        (&["log", "verify", "game.mcap"], "in the robot's own program"),
        (&["parameters"], "Usage: hemiola parameters <COMMAND>"),
        (&["why", "motion", "--set", "a=1"], "in the robot's own program"),
        (&["top"], "no robot is running here"),
        (&["why", "motion"], "no robot is running here"),
    ] {
        let output = command_in(&folder, arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
    assert!(command_in(&folder, &["doctor", "--json"]).status.success());
    std::fs::remove_dir_all(&folder).unwrap();
}
