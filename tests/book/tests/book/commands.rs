//! Tests of the commands of the book, and of the other pages of the repository.
//!
//! | commands | treatment |
//! |---|---|
//! | a block `console` of the book | They are run, page by page, in order. The output that is shown is compared, except for numbers; `...` stands for anything. |
//! | the same below `<!-- goes on -->` | The command is a robot that runs until the next one, or until the end of the page. |
//! | any block below `<!-- not run: reason -->` | Packages, programs, examples, tests and features exist; programs know the arguments; configurations can be loaded. |
//! | within sentences and tables | the same |

use crate::page::{Block, all_pages, book};
use crate::terminal::{Terminal, Typed};
use crate::workspace::{Started, Workspace};

#[test]
fn commands_do_what_the_book_says() {
    let mut problems = Vec::new();
    for page in book() {
        let blocks = page.blocks();
        let mut typed = Vec::new();
        let mut expected = Vec::new();
        for block in blocks.iter().filter(|block| block.language == "console" && !is_excused(block)) {
            for (command, output) in commands(block) {
                if block.remark == "goes on" {
                    typed.push(Typed::Robot(command));
                } else {
                    typed.push(Typed::Command(command));
                    expected.push((block.line, output));
                }
            }
        }
        if typed.is_empty() {
            continue;
        }
        let done = Terminal::new().run(&typed);
        assert_eq!(done.len(), expected.len(), "{}: a command did not end", page.name());
        for (done, (line, expected)) in done.iter().zip(&expected) {
            let missing = missing(expected, &done.output);
            if done.status != 0 || missing.is_some() {
                problems.push(format!(
                    "{}:{line}: `{}` ended with {}, without {missing:?}:\n{}",
                    page.name(),
                    done.command,
                    done.status,
                    done.output
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The package of `cargo run` in a clone, and that of the robot of somebody who reads the book.
const OF_A_CLONE: &str = "nao";
const OF_A_READER: &str = "hemiola-cart";

#[test]
fn commands_that_are_not_run_say_why_and_exist() {
    let workspace = Workspace::read();
    let mut problems = Vec::new();
    for page in all_pages() {
        let is_shell = |block: &&Block| {
            ["sh", "bash", "console"].contains(&block.language.as_str())
                || block.text.lines().any(|line| line.starts_with("$ "))
        };
        let default = if page.is_chapter() { OF_A_READER } else { OF_A_CLONE };
        for block in page.blocks().iter().filter(is_shell) {
            let place = format!("{}:{}", page.place(), block.line);
            if is_excused(block) {
                problems.extend(problems_of(&workspace, &place, &typed(block), default));
            } else if !page.is_chapter() || block.language != "console" {
                let remedy = "make it a `console` of the book, which is run, or say why not: <!-- not run: .. -->";
                problems.push(format!("{place}: {remedy}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What was, and what threads and folders are called.
const WITHOUT_COMMANDS: &[&str] = &["CHANGELOG.md", "ARCHITECTURE.md"];

/// The thread has the name of no command.
const THREADS: &[&str] = &["hemiola ros2"];

#[test]
fn commands_within_sentences_exist() {
    let workspace = Workspace::read();
    let pages = all_pages().into_iter().filter(|page| !WITHOUT_COMMANDS.contains(&page.name()));
    let problems = pages.flat_map(|page| {
        let code: Vec<_> = page.code().into_iter().filter(|code| !THREADS.contains(&code.as_str())).collect();
        problems_of(&workspace, &page.place(), &code, OF_A_CLONE)
    });
    let problems: Vec<_> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns what is wrong with lines, of which those that are no commands of ours are ignored.
fn problems_of(workspace: &Workspace, place: &str, lines: &[String], default: &str) -> Vec<String> {
    let of_line = |line: &String| {
        let found = commands_of(line).into_iter().find_map(|words| {
            let started = workspace.started(&words, default);
            started.and_then(|started| started.as_ref().map_or(Ok(()), understood)).err()
        });
        found.map(|problem| format!("{place}: `{line}`: {problem}"))
    };
    lines.iter().filter_map(of_line).collect()
}

/// Asks a program whether it knows the arguments, and whether it has the configuration that they
/// select.
fn understood(Started { program, arguments, folder }: &Started) -> Result<(), String> {
    // What follows is checked by `tests/ros_args.rs` of hemiola-cli, and swallows `--help`.
    let end = arguments.iter().position(|argument| argument == "--ros-args").unwrap_or(arguments.len());
    let arguments = &arguments[..end];
    let is_placeholder = |word: &String| word.chars().all(|one| one.is_ascii_uppercase());
    if arguments.first().is_none_or(is_placeholder) {
        return Ok(());
    }
    let run = |arguments: &[String]| {
        let output = program.output(arguments);
        let text = || String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(text()) }
    };
    if arguments.iter().any(|argument| argument == "help") {
        return if arguments.last().is_some_and(is_placeholder) { Ok(()) } else { run(arguments) };
    }
    run(&[arguments, &["--help".to_owned()]].concat())?;
    let selected = selected_configuration(arguments);
    // The robot of a reader has overlays and modules of the reader's own.
    let is_here = folder.join("robot.toml").is_file() && program.package != OF_A_READER;
    if selected.is_empty() || !is_here {
        return Ok(());
    }
    run(&[&["check".to_owned()], selected.as_slice()].concat())
}

/// Returns the arguments that select a configuration.
fn selected_configuration(arguments: &[String]) -> Vec<String> {
    let selects = |option: &str| ["--overlay", "--set"].contains(&option);
    let pairs = arguments.windows(2).filter(|pair| selects(&pair[0]));
    pairs.flatten().cloned().collect()
}

fn is_excused(block: &Block) -> bool {
    block.remark.strip_prefix("not run:").is_some_and(|reason| !reason.trim().is_empty())
}

/// Returns the commands of a `console` block, each with the output that the page shows.
fn commands(block: &Block) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for line in block.text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((without_comment(command), Vec::new())),
            (None, Some((_, output))) => output.push(line.to_owned()),
            (None, None) => panic!("a console begins with a command: {line}"),
        }
    }
    commands
}

/// Returns the lines of a block that are typed.
fn typed(block: &Block) -> Vec<String> {
    let has_prompts = block.text.lines().any(|line| line.starts_with("$ "));
    let typed = block.text.lines().filter_map(|line| line.strip_prefix("$ ").or((!has_prompts).then_some(line)));
    typed.map(without_comment).collect()
}

/// Splits a line into its commands, and these into words, as a shell does.
fn commands_of(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut quote) = (None::<String>, None);
    for one in line.chars().chain([' ']) {
        match (quote, one) {
            (Some(open), _) if open == one => quote = None,
            (None, '\'' | '"') => {
                quote = Some(one);
                word.get_or_insert_default();
            }
            (None, ' ' | '|' | '&' | ';' | '<' | '>') => {
                commands.last_mut().expect("one is always open").extend(word.take());
                if one != ' ' {
                    commands.push(Vec::new());
                }
            }
            _ => word.get_or_insert_default().push(one),
        }
    }
    let is_variable = |word: &String| word.split_once('=').is_some_and(|(name, _)| !name.contains('-'));
    commands.iter_mut().for_each(|words| _ = words.drain(..words.iter().take_while(|word| is_variable(word)).count()));
    // `hemiola = { .. }` is a line of Cargo.toml.
    commands.retain(|words| !words.is_empty() && words.get(1).is_none_or(|word| word != "="));
    commands
}

#[test]
fn lines_are_split_into_commands_and_words() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let line = "STRESS=2 hemiola override Ball '{ x = 1.0 }' && cargo run -- why \"A -> B\" | jq .x";
    let expected = [
        words(&["hemiola", "override", "Ball", "{ x = 1.0 }"]),
        words(&["cargo", "run", "--", "why", "A -> B"]),
        words(&["jq", ".x"]),
    ];
    assert_eq!(commands_of(line), expected);
    assert!(commands_of("hemiola = { features = [\"ros2\"] }").is_empty());
}

fn without_comment(line: &str) -> String {
    line.split(" # ").next().unwrap_or(line).trim().to_owned()
}

/// Returns the first expected line that does not follow the one before it in the output.
fn missing<'e>(expected: &'e [String], output: &str) -> Option<&'e str> {
    let mut lines = output.lines().map(without_numbers);
    expected.iter().map(String::as_str).filter(|line| !line.trim().is_empty()).find(|line| {
        let parts: Vec<_> = line.split("...").map(without_numbers).collect();
        !lines.any(|line| has_in_order(&line, &parts))
    })
}

fn has_in_order(mut line: &str, parts: &[String]) -> bool {
    parts.iter().all(|part| match line.find(part.as_str()) {
        Some(at) => {
            line = &line[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Returns the line with `0` for each number, whatever its sign, and one space for each gap.
fn without_numbers(line: &str) -> String {
    let mut text = String::new();
    for one in line.trim().chars() {
        let is_more = |before: char| text.ends_with(before);
        match one {
            ' ' if is_more(' ') => {}
            '0'..='9' if is_more('0') => {}
            '0'..='9' => {
                let fraction = ["0.", "0,", "0e-"].into_iter().find_map(|begun| text.strip_suffix(begun));
                let sign = text.strip_suffix(" -").map(|before| format!("{before} "));
                text = fraction.map(str::to_owned).or(sign).unwrap_or(text);
                text.push('0');
            }
            _ => text.push(one),
        }
    }
    text
}

#[test]
fn output_is_compared_without_its_numbers() {
    let expected = ["speed  0.5 m/s ... of 3".to_owned(), "...".to_owned()];
    assert_eq!(missing(&expected, "a\nspeed 12.25   m/s, the 2nd of 1,024\nb"), None);
    assert_eq!(missing(&expected[..1], "speed 12.25 km/s of 3"), Some("speed  0.5 m/s ... of 3"));
    assert_eq!(without_numbers("x = -1.25e-17  12:003"), "x = 0 0:0");
}
