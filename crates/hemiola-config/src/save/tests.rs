use proptest::prelude::*;

use super::*;

/// The ways in which keys may be written in a file.
#[derive(Clone, Copy, Debug)]
enum Style {
    Header,
    Dotted,
    Inline,
}

#[derive(Clone, Debug)]
struct Entry {
    key: String,
    value: Value,
    comment: Option<u8>,
}

#[derive(Clone, Debug)]
struct Section {
    name: String,
    style: Style,
    entries: Vec<Entry>,
}

fn value() -> impl Strategy<Value = Value> {
    let plain = prop_oneof![
        any::<bool>().prop_map(Value::Boolean),
        any::<i64>().prop_map(Value::Integer),
        (-1e9..1e9_f64).prop_map(Value::Float),
        "[ -~\u{e4}\n]{0,8}".prop_map(Value::Text),
    ];
    plain.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::btree_map("[a-d]", inner, 1..4).prop_map(Value::Table),
        ]
    })
}

fn section() -> impl Strategy<Value = Section> {
    let style = prop_oneof![Just(Style::Header), Just(Style::Dotted), Just(Style::Inline)];
    let entry = ("[a-e]", value(), proptest::option::of(any::<u8>())).prop_map(|(key, value, comment)| Entry {
        key,
        value,
        comment,
    });
    ("[A-D]", style, proptest::collection::vec(entry, 1..4)).prop_map(|(name, style, mut entries)| {
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        entries.dedup_by(|one, other| one.key == other.key);
        Section { name, style, entries }
    })
}

fn text_of(sections: &[Section]) -> String {
    let mut text = String::from("# a robot\n");
    // A dotted key must stand before the headers.
    for section in sections.iter().filter(|section| !matches!(section.style, Style::Header)) {
        match section.style {
            Style::Inline => {
                let entries = section.entries.iter().map(|entry| format!("{} = {}", entry.key, written(&entry.value)));
                let entries: Vec<_> = entries.collect();
                text += &format!("module.{} = {{ {} }} # of {}\n", section.name, entries.join(", "), section.name);
            }
            _ => section.entries.iter().for_each(|entry| text += &line(&format!("module.{}.", section.name), entry)),
        }
    }
    for section in sections.iter().filter(|section| matches!(section.style, Style::Header)) {
        text += &format!("\n# about {0}\n[module.{0}]\n", section.name);
        section.entries.iter().for_each(|entry| text += &line("  ", entry));
    }
    text
}

fn line(before: &str, entry: &Entry) -> String {
    let comment = entry.comment.map(|comment| format!("   # {comment}")).unwrap_or_default();
    format!("{before}{}  =  {}{comment}\n", entry.key, written(&entry.value))
}

fn written(value: &Value) -> String {
    to_toml(value).unwrap().to_string()
}

fn content(text: &str) -> toml::Table {
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn comments(text: &str) -> Vec<&str> {
    let comment = |line: &'_ str| line.rfind("# ").map(|at| at..line.len());
    let mut found: Vec<_> = text.lines().filter_map(|line| Some(&line[comment(line)?])).collect();
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_saved_is_read_again_beside_all_that_was_there(
        mut sections in proptest::collection::vec(section(), 0..4),
        changes in proptest::collection::vec(("module\\.[A-E]|source\\.[A-B]\\.parameters", "[a-e]", value()), 1..5),
    ) {
        sections.sort_by(|one, other| one.name.cmp(&other.name));
        sections.dedup_by(|one, other| one.name == other.name);
        let text = text_of(&sections);
        let mut expected = content(&text);
        let changes: Vec<_> = changes.into_iter().map(|(section, key, value)| SavedValue::new(section, key, value)).collect();
        for SavedValue { section, key, value } in &changes {
            let table = section.split('.').fold(&mut expected, |table, name| {
                table.entry(name).or_insert_with(|| toml::Value::Table(toml::Table::new())).as_table_mut().unwrap()
            });
            table.insert(key.clone(), content(&format!("x = {}", written(value))).remove("x").unwrap());
        }

        let saved = save_values(&text, &changes).unwrap();
        prop_assert_eq!(content(&saved), expected, "{}\nbecame\n{}", text, saved);
        // A second time there is nothing to change.
        prop_assert_eq!(&save_values(&saved, &changes).unwrap(), &saved);
    }

    #[test]
    fn comments_stay_and_lines_that_are_not_concerned_stay_as_they_are(
        mut sections in proptest::collection::vec(section(), 1..4),
        (section, key, new) in ("module\\.[A-D]", "[a-e]", -1000..1000_i64),
    ) {
        sections.sort_by(|one, other| one.name.cmp(&other.name));
        sections.dedup_by(|one, other| one.name == other.name);
        // Texts may look like comments, and tables be written over several lines; numbers are
        // neither.
        let numbers = sections.iter_mut().flat_map(|section| &mut section.entries);
        numbers.for_each(|entry| entry.value = Value::Integer(7));
        let text = text_of(&sections);
        let saved = save_values(&text, &[SavedValue::new(section, key, Value::Integer(new))]).unwrap();
        prop_assert_eq!(comments(&saved), comments(&text), "{}\nbecame\n{}", text, saved);
        let gone = text.lines().filter(|line| !saved.lines().any(|other| other == *line)).count();
        prop_assert!(gone <= 1, "{}\nbecame\n{}", text, saved);
    }
}

#[test]
fn how_a_number_is_written_stays_where_it_is_the_same() {
    let text = "[module.Walk]\ngain = 5e-1\nlimit = 0x10\nsteps = [\n  1, # left\n  2.50,\n]\n";
    let list = Value::List(vec![Value::Float(1.0), Value::Float(2.5)]);
    let same = [
        SavedValue::new("module.Walk", "gain", Value::Float(0.5)),
        SavedValue::new("module.Walk", "limit", Value::Integer(16)),
        SavedValue::new("module.Walk", "steps", list),
    ];
    assert_eq!(save_values(text, &same).unwrap(), text);
}

#[test]
fn a_structure_is_saved_into_its_table() {
    let text = "[module.Walk.gait]\n# metres\nheight = 0.03\nold = 1\n";
    let gait =
        Value::Table([("height".to_owned(), Value::Float(0.04)), ("new".to_owned(), Value::Boolean(true))].into());
    let saved = save_values(text, &[SavedValue::new("module.Walk", "gait", gait)]).unwrap();
    assert_eq!(saved, "[module.Walk.gait]\n# metres\nheight = 0.04\nnew = true\n");
}

#[test]
fn an_overlay_that_is_not_there_yet_begins_with_its_section() {
    let tuned = [SavedValue::new("module.Walk", "gain", Value::Float(0.5))];
    assert_eq!(save_values("", &tuned).unwrap(), "[module.Walk]\ngain = 0.5\n");
    let default = [SavedValue::new("module.Walk", "gain", Value::Nothing)];
    assert_eq!(save_values("", &default).unwrap(), "");
    assert_eq!(save_values("[module.Walk]\ngain = 0.5 # no more\n", &default).unwrap(), "[module.Walk]\n");
}

#[test]
fn what_cannot_be_saved_says_what_is_in_the_way() {
    let tuned = [SavedValue::new("module.Walk", "gain", Value::Float(0.5))];
    let error = |text: &str| save_values(text, &tuned).unwrap_err().to_string();
    assert_eq!(error("module.Walk = 3\n"), "cannot save `module.Walk.gain`: `module.Walk` is not a table there");
    assert!(error("[module\n").starts_with("cannot save `module.Walk.gain`: TOML parse error at line 1, column 8"));
    assert_eq!(error("[[module]]\n"), "cannot save `module.Walk.gain`: `module` is not a table there");
}
