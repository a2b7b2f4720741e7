//! `[host.*]`, `[deploy.*]` and processes on hosts: what they mean, and what is wrong with them.

mod robot;

use hemiola_config::{Base, Deployment, LoadOptions, Loaded, deployments, parse};
use robot::catalog;

const ROBOT: &str = "[cycle.motion]\nrate = 83.3\nmodules = [\"nao::motion\"]\n\
    [cycle.cognition]\ntrigger = \"SimulatedCamera\"\nmodules = [\"nao::cognition\"]\n\
    [process.vision]\ncycles = [\"cognition\"]\nhost = \"head\"\n";

fn read(more: &str) -> Loaded {
    parse(&format!("{ROBOT}{more}"), "robot.toml", &catalog()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(more: &str) -> String {
    parse(&format!("{ROBOT}{more}"), "robot.toml", &catalog()).unwrap_err().to_string()
}

fn deployed(text: &str) -> Vec<Deployment> {
    let options = LoadOptions::new(Base::Text { name: "robot.toml".into(), text: text.into() });
    deployments(&options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn processes_run_on_their_hosts_and_meet_at_addresses() {
    let hosts = "[host.body]\naddress = \"127.0.0.2\"\nport = 7500\n[host.head]\naddress = \"127.0.0.3\"\n";
    let Loaded { configuration, warnings, .. } = read(hosts);
    assert!(warnings.is_empty(), "{warnings}");
    assert_eq!(
        (configuration.processes_of("body"), configuration.processes_of("head")),
        (vec!["main"], vec!["vision"])
    );
    assert_eq!(configuration.meeting("main", "vision"), Some(([127, 0, 0, 2], 7500).into()));
}

#[test]
fn main_may_be_on_any_host_and_what_shares_one_needs_no_address() {
    let hosts = "[host.body]\naddress = \"127.0.0.2\"\n[host.head]\naddress = \"127.0.0.3\"\n";
    let configuration = read(&format!("[process.main]\nhost = \"head\"\n{hosts}")).configuration;
    assert_eq!(configuration.processes_of("head"), ["vision", "main"]);
    assert_eq!(configuration.meeting("vision", "main"), None);
}

#[test]
fn what_goes_over_a_network_is_told_unless_it_is_trusted() {
    let hosts =
        |trusted| format!("[host.body]\naddress = \"10.0.0.1\"\n{trusted}[host.head]\naddress = \"127.0.0.3\"\n");
    let warned = read(&hosts("")).warnings.to_string();
    assert!(warned.contains("`[host.body]` goes beyond this computer") && !warned.contains("head"), "{warned}");
    assert!(warned.contains("trusted_network = true"), "{warned}");
    assert!(read(&hosts("trusted_network = true\n")).warnings.is_empty());
    let link = |trusted| {
        format!("{}[link.laptop]\nlisten = \"tcp:0.0.0.0:7400\"\n{trusted}", hosts("trusted_network = true\n"))
    };
    assert!(read(&link("")).warnings.to_string().contains("`[link.laptop]` goes beyond this computer"));
    assert!(read(&link("trusted_network = true\n")).warnings.is_empty());
}

#[test]
fn what_is_wrong_with_hosts_is_told_with_a_remedy() {
    let head = "[host.head]\naddress = \"127.0.0.3\"\n";
    for (more, told) in [
        ("", &["unknown host `head`", "add `[host.head]` with its `address`"] as &[_]),
        ("[host.haed]\naddress = \"127.0.0.3\"\n", &["unknown host `head`", "did you mean `haed`"]),
        ("[host.head]\n", &["does not say where others reach it"]),
        ("[host.head]\naddress = \"nao.local\"\n", &["an IP address of that host", "names are not resolved"]),
        ("[host.head]\naddress = \"0.0.0.0\"\n", &["an IP address of that host"]),
        (&format!("{head}[host.body]\naddress = \"127.0.0.3\"\n"), &["`head` and `body` have the same address"]),
        (&format!("{head}[deploy.head]\nfiles = [\"../secrets\"]\n"), &["a file or folder below that of robot.toml"]),
        (&format!("{head}[deploy.head]\nhost = \"-oProxyCommand=x\"\n"), &["does not begin with `-`"]),
    ] {
        let error = refused(more);
        assert!(told.iter().all(|told| error.contains(told)), "{more}: {error}");
    }
    let single = "[cycle.motion]\nrate = 83.3\nmodules = [\"nao::motion\"]\n";
    let error = parse(&format!("{single}{head}"), "robot.toml", &catalog()).unwrap_err().to_string();
    assert!(error.contains("the robot is a single process"), "{error}");
}

#[test]
fn deployments_are_read_without_the_robots_modules() {
    let text = "[cycle.motion]\nmodules = [\"who::knows\"]\n[host.body]\naddress = \"10.0.0.1\"\n\
        [host.head]\naddress = \"10.0.0.2\"\n\
        [deploy.head]\nuser = \"nao\"\nfolder = \"robots/nao\"\ntarget = \"aarch64-unknown-linux-gnu\"\n\
        overlays = [\"outdoor\"]\nfiles = [\"maps\"]\ncores = [2, 3]\n[deploy.lab]\nhost = \"lab-pc\"\n";
    let [head, lab, body] = &deployed(text)[..] else { panic!("two tables, and a host without one") };
    let expected = Deployment {
        name: "head".into(),
        is_host: true,
        folder: Some("robots/nao".into()),
        target: Some("aarch64-unknown-linux-gnu".into()),
        overlays: vec!["outdoor".into()],
        files: vec!["maps".into()],
        cores: vec![2, 3],
        ..Deployment::to("nao@10.0.0.2")
    };
    assert_eq!(*head, expected);
    assert_eq!((lab.destination.as_str(), lab.is_host), ("lab-pc", false));
    assert_eq!((body.name.as_str(), body.destination.as_str(), body.is_host), ("body", "10.0.0.1", true));
}
