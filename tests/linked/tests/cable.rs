//! Two hosts with a network each, joined by a cable that is pulled: network namespaces, and a pair
//! of virtual Ethernet devices.
#![forbid(unsafe_code)]

#[allow(dead_code, reason = "other tests use other parts of it")]
mod host;

use std::io::Read;
use std::net::Ipv4Addr;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use host::{Addresses, Host, PROGRAM, TOKEN, robot_at};

/// A network namespace, which exists as long as a process in it.
struct Network {
    holder: Child,
}

impl Network {
    fn create() -> Result<Self, String> {
        let script = "ip link set lo up && echo ready && exec sleep 3600";
        let mut unshare = Command::new("unshare");
        let unshare = unshare.args(["--net", "--", "sh", "-c", script]);
        let unshare = unshare.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut holder = unshare.spawn().map_err(|error| format!("unshare: {error}"))?;
        let mut ready = [0; 6];
        match holder.stdout.take().map(|mut said| said.read_exact(&mut ready)) {
            Some(Ok(())) => Ok(Self { holder }),
            _ => {
                let mut said = String::new();
                _ = holder.stderr.take().map(|mut stderr| stderr.read_to_string(&mut said));
                _ = holder.wait();
                Err(said)
            }
        }
    }

    /// Returns a command that runs another one in this network.
    fn within(&self) -> Vec<String> {
        let target = self.holder.id().to_string();
        ["nsenter", "--net", "--target", &target, "--"].map(str::to_owned).into()
    }

    fn ip(&self, arguments: &str) -> Result<(), String> {
        let within = self.within();
        let mut command = Command::new(&within[0]);
        let output = command.args(&within[1..]).arg("ip").args(arguments.split(' ')).output();
        output.map_err(|error| error.to_string()).and_then(succeeded)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        _ = self.holder.kill();
        _ = self.holder.wait();
    }
}

fn succeeded(output: Output) -> Result<(), String> {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(said) }
}

/// The two hosts' networks, joined by a cable.
struct Cable {
    body: Network,
    head: Network,
}

impl Cable {
    const ADDRESSES: Addresses = Addresses { body: Ipv4Addr::new(10, 9, 8, 7), head: Ipv4Addr::new(10, 9, 8, 6) };

    fn create() -> Result<Self, String> {
        let (body, head) = (Network::create()?, Network::create()?);
        body.ip(&format!("link add cable type veth peer name cable netns {}", head.holder.id()))?;
        let Addresses { body: body_address, head: head_address } = Self::ADDRESSES;
        body.ip(&format!("address add {body_address}/24 dev cable"))?;
        head.ip(&format!("address add {head_address}/24 dev cable"))?;
        body.ip("link set cable up")?;
        Ok(Self { body, head })
    }

    /// Plugs the cable in, or pulls it: what one end lacks is a carrier for the other one.
    #[track_caller]
    fn set(&self, state: &str) {
        self.head.ip(&format!("link set cable {state}")).unwrap();
    }
}

/// Starts a host in a network.
fn start(network: &Network, name: &'static str, robot: &str) -> Host {
    let within = network.within();
    let command: Vec<&str> = within.iter().map(String::as_str).chain([PROGRAM]).collect();
    Host::start_by(&command, "cable", name, robot, &[])
}

#[test]
fn a_robot_is_safe_while_the_cable_between_its_hosts_is_pulled() {
    let cable = match Cable::create() {
        Ok(cable) => cable,
        Err(error) => {
            eprintln!(
                "SKIPPED: no networks can be made here, as root may by `unshare --net` and `ip link add type veth`: \
                 {error}"
            );
            return;
        }
    };
    let robot = robot_at(Cable::ADDRESSES, 7420, "on_loss = 'safe-state'\n");
    let robot = format!("{robot}[page]\ntoken = '{TOKEN}'\n");

    // Without the cable, the host that drives waits for the other one.
    let body = start(&cable.body, "body", &robot);
    assert_eq!(body.is_safe("main", true), "it is waiting for host `head`: it has not been met yet");
    // That may run without it, after it has tried to reach it.
    let head = start(&cable.head, "head", &robot);
    head.is_safe("vision", false);
    body.is_safe_because("main", "it is waiting for host `head`: it has not been met yet");
    cable.set("up");
    for host in [&body, &head] {
        host.has_both();
        let listed = host.prints(&["ps"]);
        assert!(listed.contains("  main on body  ") && listed.contains("  vision on head  "), "{listed}");
    }
    // It goes on by itself: it has waited for nothing else.
    body.is_safe("main", false);
    body.follows(0.25);

    cable.set("down");
    let pulled = Instant::now();
    let reason = body.is_safe("main", true);
    println!("safe {:.1} s after the cable was pulled: {reason}", pulled.elapsed().as_secs_f64());
    assert!(reason.starts_with("link `vision` (it has lost `convoy-vision`"), "{reason}");
    body.until(&["ps"], |robots| robots[0]["missing"] == serde_json::json!(["vision"]));
    head.is_safe("vision", false);

    // When it is back, the robot is one again, and safe until a person says that it may go on.
    cable.set("up");
    head.is_safe_because("vision", &format!("{reason} in process `main`"));
    body.has_both();
    head.has_both();
    body.is_safe_because("main", &reason);
    assert_eq!(head.prints(&["safe-state", "leave"]), "main has left its safe state\nvision has left its safe state\n");
    body.is_safe("main", false);
    head.is_safe("vision", false);
    head.prints(&["parameters", "set", "LineDetector.offset", "0.5"]);
    body.follows(0.5);
}
