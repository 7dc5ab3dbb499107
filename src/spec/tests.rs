//! Specs are read, written, resolved and refused as promised.

use super::*;
use proptest::prelude::*;

const DICE: PartInfo = PartInfo {
    name: "dice",
    options: &[
        OptionInfo::int("faces", 2, 100, "6", "how many"),
        OptionInfo::real("k", 0.0, 10.0, "0.5", "exploration"),
        OptionInfo::twice("c", "k", "the same on -1..1"),
        OptionInfo::choice("colour", &["red", "green", "none"], "red", "paint"),
        OptionInfo::int("rolls", 1, 1000, "10", "budget").unless(&["seconds"]),
        OptionInfo::real("seconds", 0.0, 1e6, "none", "budget").or_none(),
        OptionInfo::spec("inner", Family::Game, "none", "another").or_none(),
    ],
    positional: Some("inner"),
    doc: "dice",
};

fn catalogue() -> Catalogue {
    Catalogue {
        parts: vec![(Family::Game, DICE)],
        named: vec![Named {
            family: Family::Game,
            name: "coin",
            stands_for: StandsFor::One("dice(faces=2, rolls=7, c=3)"),
            doc: "",
        }],
    }
}

fn canonical(text: &str) -> String {
    catalogue().read(Family::Game, text).unwrap().to_string()
}

fn refusal(text: &str) -> String {
    catalogue().read(Family::Game, text).unwrap_err().to_string()
}

#[test]
fn canonical_form_writes_every_option() {
    let all = "dice(faces=6, k=0.5, c=1.0, colour=red, rolls=10, seconds=none, inner=none)";
    assert_eq!(canonical("dice"), all);
    assert_eq!(canonical(" dice ( k = 50% ) "), all);
    assert_eq!(canonical("dice(c=1)"), all);
    assert_eq!(canonical(all), all);
    assert_eq!(canonical("dice(dice)"), all.replace("inner=none", &format!("inner={all}")));
    assert!(canonical("dice(colour=none)").contains("colour=none"));
}

#[test]
fn a_budget_in_one_unit_replaces_the_default_in_another() {
    assert!(canonical("dice(seconds=2)").contains("rolls=none, seconds=2.0"));
    assert!(canonical("coin").contains("rolls=7, seconds=none"));
    assert!(canonical("coin(seconds=2)").contains("rolls=none, seconds=2.0"));
    assert!(canonical("dice(rolls=5, seconds=2)").contains("rolls=5, seconds=2.0"));
}

#[test]
fn a_named_spec_takes_either_spelling_of_the_constant() {
    assert!(canonical("coin").contains("k=1.5, c=3.0"));
    assert!(canonical("coin(k=1)").contains("k=1.0, c=2.0"));
    assert!(canonical("coin(c=1)").contains("k=0.5, c=1.0"));
}

#[test]
fn errors_name_the_part_and_what_is_allowed() {
    for (text, message) in [
        ("", "the spec is empty: expected a name such as uct or havannah(size=6)"),
        ("dyce", "unknown game 'dyce' (did you mean 'dice'?): dice, coin"),
        (
            "dice(face=3)",
            "dice has no option 'face' (did you mean 'faces'?): options: faces, k, c, colour, rolls, seconds, inner",
        ),
        ("dice(faces=1)", "dice: faces=1 is not allowed: a whole number from 2 to 100"),
        ("dice(faces=two)", "dice: faces=two is not allowed: a whole number from 2 to 100"),
        ("dice(faces=2.5)", "dice: faces=2.5 is not allowed: a whole number from 2 to 100"),
        ("dice(colour=read)", "dice: colour=read is not allowed (did you mean 'red'?): red, green, none"),
        ("dice(faces=2, faces=3)", "dice: faces is given twice"),
        ("dice(k=1, c=1)", "dice: c=1.0 and k=1.0 disagree: c is twice k; give one of them"),
        ("dice+dice", "'dice+dice' is a chain: only playout policies, priors and tactics form chains"),
        (
            "dice(inner=dice(faces=0))",
            "dice: inner: dice: faces=0 is not allowed: a whole number from 2 to 100",
        ),
        ("dice(", "spec, character 6: expected a name, found the end (after 'dice(')"),
        ("dice(faces=6", "spec, character 13: expected ',' or ')', found the end (after 'dice(faces=6')"),
        ("dice)", "spec, character 5: ')' is one too many here (after 'dice')"),
        ("dice(k=\"x)", "spec, character 8: this quoted text never ends (after 'dice(k=')"),
        ("dice(faces=1e)", "spec, character 12: '1e' is not a number (after 'dice(faces=')"),
        ("coin(faces=1)", "coin: dice: faces=1 is not allowed: a whole number from 2 to 100"),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
    assert!(refusal(&"a(".repeat(100_000)).contains("at most"));
    assert!(refusal(&"a(".repeat(1000)).contains("levels of brackets"));
}

#[test]
fn numbers_have_many_spellings_and_one_meaning() {
    for (text, value) in [
        ("1e4", Value::Real(1e4)),
        ("80%", Value::Real(0.8)),
        ("64MiB", Value::Int(64 << 20)),
        ("1_000", Value::Int(1000)),
        ("-3", Value::Int(-3)),
        (".5", Value::Real(0.5)),
    ] {
        let spec = Spec::parse(&format!("x({text})")).unwrap();
        assert_eq!(spec.parts[0].arguments[0].value, value, "{text}");
    }
}

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_]{0,8}"
        .prop_filter("words of the language", |n| !["none", "true", "false"].contains(&n.as_str()))
}

fn spec() -> impl Strategy<Value = Spec> {
    let leaf = name().prop_map(|name| Spec::single(&name, vec![]));
    leaf.prop_recursive(4, 24, 4, |inner| {
        let value = prop_oneof![
            Just(Value::None),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Value::Real),
            ".{0,12}".prop_map(Value::Text),
            inner.prop_map(Value::Spec),
        ];
        let argument = (proptest::option::of(name()), value).prop_map(|(key, value)| Argument { key, value });
        let part = (name(), proptest::collection::vec(argument, 0..4))
            .prop_map(|(name, arguments)| Part { name, arguments });
        proptest::collection::vec(part, 1..4).prop_map(|parts| Spec { parts })
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(spec in spec()) {
        prop_assert_eq!(Spec::parse(&spec.to_string()).unwrap(), spec);
    }

    #[test]
    fn any_text_is_a_spec_or_an_error(text in "[a-c(),=+\"%. 0-9\\\\é]{0,40}") {
        let _ = Spec::parse(&text);
    }

    #[test]
    fn canonical_is_a_fixed_point(faces in 2i64..100, k in 0.0f64..10.0, rolls in proptest::option::of(1i64..1000)) {
        let rolls = rolls.map_or(String::new(), |n| format!(", rolls={n}"));
        let once = canonical(&format!("dice(faces={faces}, k={k:?}{rolls})"));
        prop_assert_eq!(canonical(&once), once);
    }
}
