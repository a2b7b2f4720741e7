use hemiola_model::data::{Data, Field, Variant};
use proptest::prelude::*;

use super::*;

fn schemas() -> BTreeMap<String, DataType> {
    let phase = ["Ready", "Set", "Playing"].map(|name| Variant::new(name, Vec::new()));
    let action =
        vec![Variant::new("Stand", Vec::new()), Variant::new("Kick", vec![Field::new("angle", f32::data_type(), "")])];
    let state = vec![
        Field::new("phase", DataType::enumeration("Phase", phase.into()), ""),
        Field::new("is_penalised", bool::data_type(), ""),
        Field::new("half", u8::data_type(), ""),
        Field::new("opponent", String::data_type(), ""),
    ];
    let position = DataType::structure("Vec2", vec![Field::new("x", f32::data_type(), "")]);
    let ball = vec![
        Field::new("position", DataType::Optional(Box::new(position)), ""),
        Field::new("history", <Vec<f32>>::data_type(), ""),
        Field::new("corners", <[f32; 4]>::data_type(), ""),
    ];
    BTreeMap::from([
        ("GameState".to_owned(), DataType::structure("GameState", state)),
        ("Action".to_owned(), DataType::enumeration("Action", action)),
        ("Ball".to_owned(), DataType::structure("Ball", ball)),
        ("Height".to_owned(), f64::data_type()),
    ])
}

#[test]
fn conditions_mean_what_they_say() {
    for (text, meaning) in [
        ("GameState.phase == Playing", "GameState.phase == \"Playing\""),
        ("GameState.phase!='Set'", "GameState.phase != \"Set\""),
        ("GameState.is_penalised", "GameState.is_penalised == true"),
        ("not GameState.is_penalised", "GameState.is_penalised == false"),
        ("GameState.is_penalised != true", "GameState.is_penalised != true"),
        ("GameState.opponent == \"the red ones\"", "GameState.opponent == \"the red ones\""),
        ("Ball.position.x < -1.5", "Ball.position.x < -1.5"),
        ("Ball.history[17] >= 1e-3", "Ball.history[17] >= 0.001"),
        ("Ball.corners[3] > 2", "Ball.corners[3] > 2"),
        ("Height <= 0.3", "Height <= 0.3"),
        ("Action == Kick", "Action == \"Kick\""),
        ("Action.Kick.angle > 0.1", "Action.Kick.angle > 0.1"),
        ("Height < 1 and GameState.half == 2 or  Height > 2", "Height < 1 and GameState.half == 2 or Height > 2"),
    ] {
        let condition = parse_condition(text, &schemas()).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        assert_eq!(condition.to_string(), meaning);
    }
}

#[test]
fn faults_are_told_where_they_are() {
    for (text, place, message) in [
        ("", "", "a representation is expected here, such as in `GameState.phase == Playing`"),
        ("GmaeState.phase == Set", "GmaeState", "unknown representation `GmaeState`"),
        ("GameState.phse == Set", "phse", "`GameState` has no field `phse`"),
        ("GameState.phase == Plying", "Plying", "`GameState.phase` is never `Plying`"),
        ("GameState.phase = Set", "=", "a comparison needs two signs"),
        (
            "GameState.phase",
            "GameState.phase",
            "`GameState.phase` must be compared with something: `GameState.phase == ...`",
        ),
        ("GameState == 3", "GameState", "`GameState` is GameState, which cannot be compared"),
        ("GameState.half == two", "two", "`GameState.half` is compared with a number"),
        ("GameState.phase < Set", "Set", "`GameState.phase` is not a number: only `==` and `!=` are allowed"),
        ("GameState.is_penalised == 1", "1", "`GameState.is_penalised` is compared with true or false"),
        ("GameState.opponent == red", "red", "`GameState.opponent` is compared with a text, such as 'red'"),
        ("Ball.corners[4] > 2", "[4]", "`Ball.corners` has 4 items, numbered from 0"),
        ("Ball.corners[x] > 2", "[", "write an item as `[3]`"),
        ("Ball.corners > 2", "Ball.corners", "`Ball.corners` is [float32; 4], which cannot be compared"),
        ("Height.x > 2", "x", "`Height` is float64, which has no fields"),
        ("Action.Kick > 2", "", "a field of the variant `Action.Kick` is expected here"),
        ("Height > 2 & Height < 3", "&", "`and` or `or` is expected here, or the end"),
        ("Height > 2 and", "", "a representation is expected here, such as in `GameState.phase == Playing`"),
    ] {
        let fault = parse_condition(text, &schemas()).expect_err(text);
        assert_eq!((&text[fault.span], fault.message.as_str()), (place, message), "{text}");
    }
    let meant = |text: &str| parse_condition(text, &schemas()).expect_err(text).meant;
    assert_eq!(meant("GameState.phse == Set").as_deref(), Some("phase"));
    assert_eq!(meant("GameState.phase == Plying").as_deref(), Some("Playing"));
    assert_eq!(meant("GmaeState.phase == Set").as_deref(), Some("GameState"));
}

proptest! {
    #[test]
    fn whatever_stands_there_an_answer_comes(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "GameState", "Action", "Kick", ".", "phase", "[", "3", "]", " ", "==", "<", "not", "and", "or", "'", "\"", "Set", "é", "=",
            ]),
            0..20,
        ),
    ) {
        let text = words.concat();
        if let Err(fault) = parse_condition(&text, &schemas()) {
            prop_assert!(text.get(fault.span).is_some());
        }
    }
}
