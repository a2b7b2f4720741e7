//! Arbitrary input for a configuration: an answer comes, soon, and with bounded memory and stack.

mod robot;

use hemiola_config::{ConfigError, parse};
use proptest::prelude::*;
use robot::catalog;

/// Words that lead deeper into the checks than random letters do.
const WORDS: [&str; 51] = [
    "[cycle.motion]\n",
    "[cycle.audio]\n",
    "[source.SimulatedBody]\n",
    "[source.SimulatedBody.parameters]\n",
    "[providers]\n",
    "[module.BallFinder]\n",
    "[module.Walk]\n",
    "[module.Walk.style]\n",
    "[output]\n",
    "[log]\n",
    "[log.channel.UpperImage]\n",
    "[[module]]\n",
    "rate",
    "trigger",
    "modules",
    "deadline",
    "priority",
    "policy",
    "cores",
    "gains",
    "style",
    "gait",
    "offset",
    "BallPercept",
    "threshold",
    "on_failure",
    "only",
    "split",
    "keep",
    " = ",
    "=",
    "30.0",
    "-1",
    "0x7f",
    "1e400",
    "nan",
    "\"12 ms\"",
    "\"Walk\"",
    "\"2 GB\"",
    "\"fifo\"",
    "true",
    "{ unset = true }",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ".",
    "\n",
    "\r",
    "\u{1f916}",
];

/// Returns the answer to a text. The parser and the checks get a small stack: their depth must not
/// depend on the input.
fn answer(text: &str) -> Result<String, String> {
    let text = text.to_owned();
    let answer = move || match parse(&text, "robot.toml", &catalog()) {
        Ok(loaded) => Ok(format!("{:?} {}{}", loaded.configuration, loaded.origins, loaded.warnings.coloured())),
        Err(error) => Err(format!("{error}{}", error.coloured())),
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(answer).unwrap().join().expect("no panic")
}

fn refused(text: &str) -> String {
    match parse(text, "robot.toml", &catalog()) {
        Err(ConfigError::Invalid(found)) => {
            assert!(answer(text).is_err());
            found.iter().map(|diagnostic| diagnostic.message.as_str()).collect::<Vec<_>>().join("\n")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn nesting_is_bounded_in_every_form() {
    let too_deep = "tables and lists are nested too deep here";
    assert_eq!(refused(&format!("a = {}{}", "[".repeat(500_000), "]".repeat(500_000))), too_deep);
    assert_eq!(refused(&format!("a = {}1{}", "{ a = ".repeat(100_000), " }".repeat(100_000))), too_deep);
    assert_eq!(refused(&format!("{}a = 1", "a.".repeat(400_000))), too_deep);
    assert_eq!(refused(&format!("[{}a]", "a.".repeat(400_000))), too_deep);
    let keys = ["a"; 20].join(".");
    let deepest_that_is_parsed =
        format!("[{keys}]\n{}1{}", format!("{keys} = {{ ").repeat(20) + "x = ", " }".repeat(20));
    assert!(refused(&deepest_that_is_parsed).contains(too_deep));
}

#[test]
fn long_texts_and_many_faults_are_bounded() {
    assert!(refused(&"#".repeat((1 << 20) + 1)).starts_with("this file is too long: 1048577 bytes"));
    let many: String = (0..60_000).map(|index| format!("key_{index} = 1\n")).collect();
    let error = answer(&many).unwrap_err();
    assert!(error.contains("... and 59800 more"), "all are counted");
    assert!(error.len() < 1 << 20, "and few are shown");
    let long_line = format!("[module.BallFinder]\nnames = [{}3]", "\"x\",".repeat(200_000));
    assert!(answer(&long_line).unwrap_err().contains("robot.toml:2:800010"));
    let entries = "[cycle.main]\nrate = 30.0\nmodules = ".to_owned();
    let entries = (0..100_000).fold(entries + "[", |text, index| text + &format!("\"{index}\",")) + "]";
    assert_eq!(refused(&entries), "`modules` has 100000 items, of at most 1024");
    let long_key = format!("{} = 1", "k".repeat(1 << 19));
    assert!(answer(&long_key).is_err());
}

#[test]
fn an_error_after_countless_warnings_is_an_error() {
    let warnings: String = (0..500).map(|index| format!("k{index} = {{ unset = true }}\n")).collect();
    assert!(answer(&format!("{warnings}[cycle.main]\nrate = 30.0\n")).is_ok());
    assert!(answer(&format!("{warnings}[cycle.main]\nrate = 0\n")).is_err());
}

#[test]
fn the_lines_of_other_systems_are_understood() {
    let text = include_str!("robot/robot.toml").replace('\n', "\r\n");
    assert!(answer(&text).is_ok());
    let error = answer(&text.replace("workers", "workrs")).unwrap_err();
    assert!(error.contains("14 | workrs = 2\n"), "{error}");
}

#[test]
fn a_fault_in_the_end_of_a_line_is_shown_before_it() {
    for text in ["rate = 6\r\r\r\r= odules", "rate = 6\r", "a = \"\r\n\"", "\r\r\r\n\r", "x = 1\n\r=\n"] {
        assert!(answer(text).unwrap_err().contains("error: this is not TOML"), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_bytes_get_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = answer(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_words_get_an_answer(words in proptest::collection::vec(0..WORDS.len(), 0..40)) {
        let _ = answer(&words.into_iter().map(|word| WORDS[word]).collect::<String>());
    }

    #[test]
    fn damaged_configurations_get_an_answer(start in 0..800_usize, length in 0..20_usize, word in 0..WORDS.len()) {
        let text = include_str!("robot/robot.toml");
        let (start, end) = (start.min(text.len()), (start + length).min(text.len()));
        let _ = answer(&format!("{}{}{}", &text[..start], WORDS[word], &text[end..]));
    }
}
