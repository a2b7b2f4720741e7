//! The order of overriding: files, overlays, parameter files, assignments.

mod robot;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use hemiola_config::{ConfigError, ForeignFile, ForeignValue, LoadOptions, Loaded, load, save_parameter};
use hemiola_model::Value;
use hemiola_model::configuration::{FailurePolicy, Trigger};
use proptest::prelude::*;
use robot::catalog;

const BASE: &str = "[cycle.main]\nrate = 30.0\nmodules = [\"nao\"]\n";

/// A robot's folder, which is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("hemiola-config-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = Self(std::env::temp_dir().join(name));
        for (name, text) in files {
            let path = folder.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn load(&self, overlays: &[&str], assignments: &[&str]) -> Result<Loaded, ConfigError> {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let options = LoadOptions {
            base: self.path("robot.toml").into(),
            overlays: texts(overlays),
            assignments: texts(assignments),
            foreign: Vec::new(),
        };
        load(&options, &catalog())
    }

    /// Returns the message, with the folder's own name removed.
    fn error(&self, overlays: &[&str], assignments: &[&str]) -> String {
        let error = self.load(overlays, assignments).unwrap_err().to_string();
        error.replace(&format!("{}/", self.0.display()), "")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_later_is_put_over_the_earlier_key_by_key() {
    let folder = Folder::with(&[
        (
            "robot.toml",
            &format!("{BASE}workers = 1\ncores = [0]\n[module.BallFinder]\nthreshold = 0.1\nradius = 0.1\n"),
        ),
        ("parameters/BallFinder.toml", "threshold = 0.2\non_failure = \"restart\"\n"),
        ("overlays/outdoor.toml", "[cycle.main]\ncores = [1, 2]\n[module.BallFinder]\nthreshold = 0.3\n"),
        ("final.toml", "[cycle.main]\nworkers = 2\n"),
    ]);
    let path = folder.path("final.toml").display().to_string();
    let Loaded { configuration, origins, .. } = folder.load(&["outdoor", &path], &["cycle.main.workers=3"]).unwrap();
    let (main, finder) = (&configuration.cycles[0], &configuration.modules["BallFinder"]);
    assert_eq!((main.workers, main.cores.as_slice()), (Some(3), [1, 2].as_slice()));
    assert_eq!(finder.parameters["threshold"], Value::Float(0.3));
    assert_eq!(finder.parameters["radius"], Value::Float(0.1));
    assert_eq!(finder.on_failure, FailurePolicy::Restart);

    let chain = |path: &str| {
        let origin = origins.of(path).unwrap();
        let places = std::iter::once(&origin.place).chain(origin.overrides.iter().rev());
        let places: Vec<_> =
            places.map(|place| place.to_string().replace(&format!("{}/", folder.0.display()), "")).collect();
        places.join(" < ")
    };
    assert_eq!(chain("cycle.main.workers"), "--set:1:20 < final.toml:2:11 < robot.toml:4:11");
    let expected = "overlays/outdoor.toml:4:13 < parameters/BallFinder.toml:1:13 < robot.toml:7:13";
    assert_eq!(chain("module.BallFinder.threshold"), expected);
    assert_eq!(chain("cycle.main.rate"), "robot.toml:2:8");
    assert!(origins.to_string().contains("cycle.main.workers = 3"));
}

#[test]
fn overlays_take_away_and_change_the_kind_of_trigger() {
    let folder = Folder::with(&[
        (
            "robot.toml",
            &format!("{BASE}workers = 1\n[module.BallFinder]\nthreshold = 0.1\n[module.Walk]\nenabled = false\n"),
        ),
        (
            "overlays/recorded.toml",
            "[cycle.main]\nrate = { unset = true }\ntrigger = \"SimulatedBody\"\n[module]\nBallFinder = { unset = true }\n",
        ),
    ]);
    let loaded = folder.load(&["recorded"], &["cycle.main.workers={unset=true}"]).unwrap();
    let main = &loaded.configuration.cycles[0];
    assert_eq!((&main.trigger, main.workers), (&Trigger::Source("SimulatedBody".into()), None));
    assert_eq!(loaded.configuration.modules.keys().collect::<Vec<_>>(), ["Walk"]);
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
}

#[test]
fn an_overlay_may_name_another_variant() {
    let folder = Folder::with(&[
        ("robot.toml", &format!("{BASE}[module.Walk]\nstyle.Fast.speed = 0.3\n")),
        ("overlays/turning.toml", "[module.Walk]\nstyle.Turn = [1.0]\n"),
    ]);
    let style = &folder.load(&["turning"], &[]).unwrap().configuration.modules["Walk"].parameters["style"];
    assert_eq!(style.to_string(), "{Turn: {0: 1.0}}");
}

#[test]
fn assignments_need_no_quotes() {
    let folder = Folder::with(&[("robot.toml", BASE)]);
    let assignments = ["cycle.main.deadline=12 ms", "output.trace = run#1.pftrace ", "cycle.main.cores=[0]"];
    let loaded = folder.load(&[], &assignments).unwrap().configuration;
    assert_eq!(loaded.cycles[0].deadline.unwrap().as_millis(), 12);
    assert_eq!(loaded.output.trace.unwrap().to_str(), Some("run#1.pftrace"));
    assert_eq!(loaded.cycles[0].cores, [0]);
}

#[test]
fn wrong_assignments_are_shown_as_they_were_typed() {
    let folder = Folder::with(&[("robot.toml", BASE)]);
    let shown = "\
error: unknown key `workrs` in `[cycle.main]`
 --> --set:1:12
  |
1 | cycle.main.workrs=two
  |            ^^^^^^ did you mean `workers`?
  |
  = help: known here: rate, trigger, topic, modules, deadline, policy, priority, cores, workers, watchdog, sample_capacity";
    assert_eq!(folder.error(&[], &["cycle.main.workrs=two"]), shown);
    for wrong in ["", "=", "=3", "cycle", "# = 3", "[cycle] = 3", "cycle.main.workers=\n2", "a.=3", ".=", "a b=c"] {
        let error = folder.error(&[], &[wrong]);
        assert!(error.starts_with("error: ") && error.contains("--set"), "{wrong:?}: {error}");
    }
}

#[test]
fn all_files_are_read_before_anybody_complains() {
    let folder = Folder::with(&[
        ("robot.toml", "[cycle.main\nrate = 30.0\n"),
        ("parameters/BallFindr.toml", "threshold = 0.2\n"),
        ("parameters/BallFinder.toml", "threshold = 0.2 m\n"),
        ("overlays/outdoor.toml", "x ="),
        ("overlays/indoor.toml", ""),
    ]);
    fs::write(folder.path("overlays/binary.toml"), b"a = 1\nb = \"\xff\"\n").unwrap();
    let error = folder.error(&["outdor", "outdoor", "binary", "./missing.toml"], &[]);
    for part in [
        " --> robot.toml:1:",
        " --> parameters/BallFinder.toml:1:",
        "error: unknown module `BallFindr`",
        "did you mean `BallFinder`?",
        " --> overlays/outdoor.toml:1:",
        "error: there is no overlay `outdor`: overlays/outdor.toml does not exist",
        "help: did you mean `outdoor`?",
        "help: there are: binary, indoor, outdoor",
        "error: overlays/binary.toml:2: this is not text in UTF-8",
        "error: cannot read ./missing.toml: ",
    ] {
        assert!(error.contains(part), "{part}\n\n{error}");
    }
    assert!(
        !error.contains("there is no cycle"),
        "what is missing may be in the file that could not be read:\n{error}"
    );
}

#[test]
fn a_missing_base_file_is_an_error() {
    let folder = Folder::with(&[]);
    assert!(folder.error(&[], &[]).starts_with("error: cannot read robot.toml: "));
}

#[test]
fn saving_a_parameter_changes_nothing_else() {
    let text =
        format!("# A robot.\n{BASE}\n[module.BallFinder] # finds it\n  threshold   =  0.1   # tuned\nradius = 0.1\n");
    let folder = Folder::with(&[("robot.toml", &text)]);
    let path = folder.path("robot.toml");
    let save = |module: &str, name: &str, value: Value| save_parameter(&path, module, name, &value).unwrap();
    assert_eq!(save("BallFinder", "threshold", Value::Float(0.72)), path);
    assert_eq!(folder.read("robot.toml"), text.replace("  0.1   # tuned", "  0.72   # tuned"));
    save("Walk", "enabled", Value::Boolean(false));
    save("Walk", "gait", robot::table(&[("step", Value::Float(0.06))]));
    save("BallFinder", "radius", Value::Nothing);
    let loaded = folder.load(&[], &[]).unwrap().configuration;
    assert_eq!(loaded.modules["Walk"].parameters["enabled"], Value::Boolean(false));
    assert_eq!(loaded.modules["Walk"].parameters["gait"].get("step"), Some(&Value::Float(0.06)));
    assert_eq!(loaded.modules["BallFinder"].parameters.keys().collect::<Vec<_>>(), ["threshold"]);
    assert!(folder.read("robot.toml").starts_with("# A robot.\n"));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_module_with_a_file_of_its_own_is_saved_there() {
    let folder = Folder::with(&[
        ("robot.toml", &format!("{BASE}[module.BallFinder]\nthreshold = 0.1\n")),
        ("parameters/BallFinder.toml", "# tuned in the lab\nradius = 0.1\n"),
    ]);
    let saved = save_parameter(&folder.path("robot.toml"), "BallFinder", "threshold", &Value::Float(0.5)).unwrap();
    assert_eq!(saved, folder.path("parameters/BallFinder.toml"));
    assert_eq!(folder.read("parameters/BallFinder.toml"), "# tuned in the lab\nradius = 0.1\nthreshold = 0.5\n");
    let loaded = folder.load(&[], &[]).unwrap().configuration;
    assert_eq!(loaded.modules["BallFinder"].parameters["threshold"], Value::Float(0.5));
}

#[test]
fn what_cannot_be_saved_leaves_the_file_as_it_was() {
    let folder = Folder::with(&[("robot.toml", "module = 3\n"), ("broken.toml", "[module\n")]);
    let save =
        |name: &str| save_parameter(&folder.path(name), "Walk", "x", &Value::Integer(1)).unwrap_err().to_string();
    assert!(save("robot.toml").contains("cannot save `module.Walk.x` in "));
    assert!(save("broken.toml").contains("cannot save `module.Walk.x` in "));
    assert!(save("missing.toml").contains("cannot read "));
    assert_eq!(
        (folder.read("robot.toml").as_str(), folder.read("broken.toml").as_str()),
        ("module = 3\n", "[module\n")
    );
}

/// Generates a layer of keys, each with a value, or to be unset. The model of the result is a plain
/// map.
fn layer() -> impl Strategy<Value = Vec<(usize, Option<u8>)>> {
    proptest::collection::vec((0..KEYS.len(), proptest::option::weighted(0.8, 1..=64_u8)), 0..6)
}

const KEYS: [&str; 6] = [
    "cycle.main.workers",
    "cycle.main.sample_capacity",
    "cycle.main.priority",
    "module.BallFinder.limit",
    "source.SimulatedBody.rate",
    "source.SimulatedBody.priority",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_stack_of_overlays_means_what_its_last_word_on_each_key_is(layers in proptest::collection::vec(layer(), 1..6)) {
        let mut expected = std::collections::BTreeMap::new();
        let mut files = vec![("robot.toml".to_owned(), BASE.to_string())];
        for (index, layer) in layers.iter().enumerate() {
            // A key stands once in a file.
            let layer: std::collections::BTreeMap<_, _> = layer.iter().copied().collect();
            let mut text = String::new();
            for (key, value) in layer {
                match value {
                    Some(value) => {
                        text.push_str(&format!("{} = {value}\n", KEYS[key]));
                        expected.insert(KEYS[key], (value, format!("overlays/{index}.toml")));
                    }
                    None => {
                        text.push_str(&format!("{} = {{ unset = true }}\n", KEYS[key]));
                        expected.remove(KEYS[key]);
                    }
                }
            }
            files.push((format!("overlays/{index}.toml"), text));
        }
        let borrowed: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let folder = Folder::with(&borrowed);
        let names: Vec<_> = (0..layers.len()).map(|index| index.to_string()).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let Loaded { configuration, origins, .. } = folder.load(&names, &[]).unwrap();
        for key in KEYS {
            let found = origins.of(key).map(|origin| (origin.value.clone(), origin.place.file().to_owned()));
            let expected = expected.get(key).map(|(value, file)| {
                (Value::Integer((*value).into()), folder.path(file).display().to_string())
            });
            prop_assert_eq!(found, expected, "{}", key);
        }
        let main = &configuration.cycles[0];
        prop_assert_eq!(main.workers, expected.get(KEYS[0]).map(|(value, _)| usize::from(*value)));
        prop_assert_eq!(main.sample_capacity, expected.get(KEYS[1]).map_or(32, |(value, _)| usize::from(*value)));
    }
}

/// This was found by fuzzing: a comment is no key, and the bytes behind it are no TOML.
#[test]
fn every_assignment_that_is_refused_says_why() {
    let folder = Folder::with(&[("robot.toml", BASE)]);
    for wrong in ["#=\u{5}", "# cycle.main.rate=\u{5}", "=", "a", "#=1", " =\u{5}"] {
        let error = folder.error(&[], &[wrong]);
        assert!(error.contains("an assignment needs a key and a value"), "{wrong:?}: {error}");
    }
}

#[test]
fn a_file_in_another_format_overrides_those_of_the_robot_and_is_shown_in_errors() {
    let folder = Folder::with(&[
        ("robot.toml", &format!("{BASE}[module.BallFinder]\nthreshold = 0.1\nradius = 0.1\n")),
        ("overlays/outdoor.toml", "[module.BallFinder]\nthreshold = 0.2\n"),
    ]);
    let content = "finder:\n  threshold: 0.3\n  radius: [1, 2]\n".to_owned();
    let value = |assignment: &str, text: &str| {
        let begin = content.find(text).unwrap();
        ForeignValue { assignment: assignment.to_owned(), span: begin..begin + text.len() }
    };
    let load_with = |values: Vec<ForeignValue>, assignments: &[&str]| {
        let foreign = vec![ForeignFile { name: "finder.yaml".into(), content: content.clone(), values }];
        let assignments = assignments.iter().map(|&it| it.to_owned()).collect();
        let options = LoadOptions::new(folder.path("robot.toml"));
        load(&LoadOptions { foreign, assignments, overlays: vec!["outdoor".into()], ..options }, &catalog())
    };
    let threshold = || vec![value("module.BallFinder.threshold=0.3", "0.3")];
    let loaded = load_with(threshold(), &[]).unwrap();
    assert_eq!(loaded.configuration.modules["BallFinder"].parameters["threshold"], Value::Float(0.3));
    let origin = loaded.origins.of("module.BallFinder.threshold").unwrap();
    assert_eq!((origin.place.to_string(), origin.overrides.len()), ("finder.yaml:2:14".to_owned(), 2));
    let text = loaded.texts.iter().find(|text| text.name == "finder.yaml").unwrap();
    assert_eq!(text.content, content);
    // What is said on the command line has precedence.
    let loaded = load_with(threshold(), &["module.BallFinder.threshold=0.4"]).unwrap();
    assert_eq!(loaded.configuration.modules["BallFinder"].parameters["threshold"], Value::Float(0.4));
    let error = load_with(vec![value("module.BallFinder=[1, 2]", "[1, 2]")], &[]).unwrap_err().to_string();
    assert!(error.contains("--> finder.yaml:3:11") && error.contains("3 |   radius: [1, 2]"), "{error}");
}
