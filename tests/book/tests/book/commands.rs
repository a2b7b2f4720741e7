//! Tests of the commands of the book.
//!
//! | block | treatment |
//! |---|---|
//! | `console` | Its commands are run, page by page, in order. The output that is shown is compared, except for numbers; `...` stands for anything. |
//! | `console`, below `<!-- goes on -->` | The command is a robot that runs until the next one, or until the end of the page. |
//! | any block with commands, below `<!-- not run: reason -->` | Programs of Hemiola are asked whether they know the command. |

use crate::page::{Block, book};
use crate::terminal::{Terminal, Typed};

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

#[test]
fn commands_that_are_not_run_say_why_and_exist() {
    let terminal = Terminal::new();
    let mut problems = Vec::new();
    for page in book() {
        let is_shell = |block: &&Block| {
            ["sh", "bash", "console"].contains(&block.language.as_str())
                || block.text.lines().any(|line| line.starts_with("$ "))
        };
        for block in page.blocks().iter().filter(is_shell) {
            let place = format!("{}:{}", page.name(), block.line);
            if block.language != "console" && !is_excused(block) {
                problems
                    .push(format!("{place}: make it a `console` that is run, or say why not: <!-- not run: .. -->"));
            }
            if !is_excused(block) {
                continue;
            }
            for command in ours(block) {
                if let Err(error) = terminal.understands(&command) {
                    problems.push(format!("{place}: `{command}`: {error}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
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

/// Returns the commands of a block that programs of this workspace execute.
fn ours(block: &Block) -> Vec<String> {
    let has_prompts = block.text.lines().any(|line| line.starts_with("$ "));
    let typed = block.text.lines().filter_map(|line| line.strip_prefix("$ ").or((!has_prompts).then_some(line)));
    let is_ours = |line: &String| {
        let robot = ["cargo run --release --", "cargo run --", "hemiola ", "robot "];
        robot.iter().any(|program| line.starts_with(program)) && !line.contains(['|', '&', '<'])
    };
    typed.map(without_comment).filter(is_ours).collect()
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
