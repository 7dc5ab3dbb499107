//! Patterns: playouts draw moves by learnt weights of what stands around them.

use serde_json::Value;

use std::sync::Arc;

use super::move_means::draw_weighted;
use super::{Answer, Built, PlayoutPolicy, Turn};
use crate::family::Context;
use crate::game::{self, Game, NEARNESS};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::Layout;
use crate::types::{Error, Move, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "patterns",
    options: &[
        OptionInfo::text(
            "weights",
            "none",
            "file of weights that coppice learn has written; none: those of the package",
        )
        .or_none(),
        OptionInfo::flag("near", "true", "whether a weight depends on where the last move was, too"),
        OptionInfo::real(
            "clip",
            1.0,
            1000.0,
            "5",
            "weights are kept within 1/clip and clip; the average is 1",
        ),
    ],
    positional: Some("weights"),
    doc: "Draws moves by learnt weights of what stands on the cells around them",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Patterns { table: table(options, context)?, moves: Vec::new() })
}

/// Made once per player: it reads a file and has thousands of entries.
fn table<G: Game>(options: &Options, context: &Context<G>) -> Result<PatternWeights> {
    let made =
        context.files.made(&format!("playout {}", options.written()), || parts_of_largest(options, context));
    Ok(PatternWeights::clone(&*made?))
}

/// What a file says of one class: its weight wherever the last move was, and its weight for each nearness.
const NUMBERS: usize = 1 + NEARNESS.len();

/// Something known of a move by its surroundings, and perhaps by how it lies to the last one.
#[derive(Clone)]
pub struct PatternWeights {
    near: bool,
    codes: usize,
    /// By nearness and code.
    values: Arc<[f32]>,
    /// Of a move without surroundings, which counts as the average.
    plain: f32,
}

impl PatternWeights {
    /// What `value` makes of the weights of a file, or of the package; `who` asks for them.
    pub fn new<G: Game>(
        who: &str,
        file: Option<&str>,
        near: bool,
        context: &Context<G>,
        value: impl Fn(f32) -> f32,
    ) -> Result<PatternWeights> {
        let variant = context.variant;
        let Some(patterns) = variant.patterns() else {
            return Err(Error::new(format!(
                "{who} needs small patterns, which {} does not offer",
                variant.name()
            )));
        };
        let read = match file {
            Some(file) => context.files.text(file).and_then(|text| {
                read(&text, G::INFO.name, patterns.names()).map_err(|error| error.within(file))
            }),
            None => read(patterns.shipped(), G::INFO.name, patterns.names()),
        };
        let read = read.map_err(|error| error.within("patterns"))?;
        let of = |class: Option<u16>, nearness: usize| {
            let number = if near { 1 + nearness } else { 0 };
            class.map_or(0.0, |class| value(read[class as usize][number]))
        };
        let classes = patterns.classes();
        let kinds = if near { NEARNESS.len() } else { 1 };
        let values = (0..kinds).flat_map(|k| classes.iter().map(move |&class| (class, k)));
        let values = values.map(|(class, k)| of(class, k)).collect();
        Ok(PatternWeights { near, codes: classes.len(), values, plain: value(1.0) })
    }

    /// What is known of a legal move of `side` after the move `last` of the other side.
    #[inline]
    pub fn value<G: Game>(
        &self,
        patterns: &dyn game::Patterns<G>,
        state: &G::State,
        side: Side,
        last: Option<Move>,
        mv: Move,
    ) -> f32 {
        let Some(code) = patterns.code(state, side, mv) else { return self.plain };
        let last = last.filter(|_| self.near);
        let nearness = last.map_or(0, |last| patterns.nearness(mv, last));
        self.values[nearness * self.codes + code]
    }
}

pub struct Patterns {
    /// Weights as parts of the largest one.
    table: PatternWeights,
    moves: Vec<Move>,
}

/// Weights as parts of the largest one.
fn parts_of_largest<G: Game>(options: &Options, context: &Context<G>) -> Result<PatternWeights> {
    let clip = options.real("clip");
    let file = options.text_or_none("weights");
    let clipped = |weight: f32| weight.clamp(1.0 / clip, clip);
    let table = PatternWeights::new("playout patterns", file, options.flag("near"), context, clipped)?;
    let largest = table.values.iter().copied().fold(table.plain, f32::max);
    let values = table.values.iter().map(|weight| weight / largest).collect();
    Ok(PatternWeights { values, plain: table.plain / largest, ..table })
}

/// The numbers of each class from the text of a file.
fn read(text: &str, game: &str, names: &[String]) -> Result<Vec<[f32; NUMBERS]>> {
    let file: Value =
        serde_json::from_str(text).map_err(|error| Error::new(format!("this is not JSON: {error}")))?;
    match file["game"].as_str() {
        Some(name) if name == game => {}
        Some(name) => return Err(Error::new(format!("these weights are for {name}, not {game}"))),
        None => return Err(Error::new("the file does not say for which game its weights are")),
    }
    let Some(given) = file["patterns"].as_object() else {
        return Err(Error::new("the file has no weights of patterns"));
    };
    let numbers = |name: &String| -> Result<[f32; NUMBERS]> {
        let Some(value) = given.get(name) else {
            let count = format!("{} of the {} patterns have weights", given.len(), names.len());
            return Err(Error::new(format!("{count}: '{name}' has none")));
        };
        let numbers: Option<Vec<f32>> =
            value.as_array().and_then(|list| list.iter().map(|x| x.as_f64().map(|x| x as f32)).collect());
        let numbers: Option<[f32; NUMBERS]> = numbers.and_then(|list| list.try_into().ok());
        numbers.filter(|list| list.iter().all(|&x| x > 0.0 && x.is_finite())).ok_or_else(|| {
            let what = NEARNESS.join(", ");
            Error::new(format!(
                "pattern '{name}' needs {NUMBERS} positive numbers (any, {what}), not {value}"
            ))
        })
    };
    let numbers = names.iter().map(numbers).collect::<Result<Vec<_>>>()?;
    if let Some(unknown) = given.keys().find(|name| !names.contains(name)) {
        let why = format!("{game} has no pattern '{unknown}': it has {} patterns such as", names.len());
        return Err(Error::new(format!("{why} '{}' and '{}'", names[0], names[names.len() - 1])));
    }
    Ok(numbers)
}

impl<G: Game> PlayoutPolicy<G> for Patterns {
    fn layout(&self) -> Layout {
        Layout { moves: self.table.near, ..Layout::default() }
    }

    fn never_passes(&self) -> bool {
        true
    }

    #[inline]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(patterns) = turn.variant.patterns() else {
            return Answer::Pass;
        };
        let last = turn.moves.last().filter(|(_, mover)| *mover != turn.side).map(|&(last, _)| last);
        let table = &self.table;
        let weight = |mv: Move| table.value(patterns, turn.state, turn.side, last, mv);
        draw_weighted(turn, &mut self.moves, rng, weight).map_or(Answer::Pass, Answer::Move)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::game::Variant;
    use crate::game::{Present, Rules};
    use crate::games::havannah::Havannah;
    use crate::scripts::PlayerFiles;
    use crate::spec::Family;
    use crate::types::{Clock, Limit};
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::fs;

    fn variant() -> Variant<Havannah> {
        Variant { game: Havannah::new(3, false), misere: false }
    }

    /// A file with these weights, 1 for all other patterns, named after the test.
    fn file(test: &str, weights: &[(&str, [f32; NUMBERS])]) -> String {
        let given: BTreeMap<&str, [f32; NUMBERS]> = weights.iter().copied().collect();
        let rows = rules_names().into_iter().map(|name| {
            let numbers = given.get(name.as_str()).copied().unwrap_or([1.0; NUMBERS]);
            format!("\"{name}\": {numbers:?}")
        });
        let text =
            format!("{{\"game\": \"havannah\", \"patterns\": {{{}}}}}", rows.collect::<Vec<_>>().join(", "));
        let path = std::env::temp_dir().join(format!("coppice-patterns-{}-{test}.json", std::process::id()));
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    }

    fn rules_names() -> Vec<String> {
        variant().patterns().unwrap().names().to_vec()
    }

    fn policy(options: &str) -> Result<Patterns> {
        let spec = catalogue::read(Family::Playout, &format!("patterns({options})")).unwrap();
        let (variant, files) = (Arc::new(variant()), PlayerFiles::default());
        let context = Context { variant: &variant, files: &files, game_seed: 0 };
        let table = parts_of_largest(&Options::new(&spec.parts[0]), &context)?;
        Ok(Patterns { table, moves: Vec::new() })
    }

    #[test]
    fn a_table_is_made_once_for_all_games_of_a_player() {
        let (variant, files) = (Arc::new(variant()), PlayerFiles::default());
        let made = |spec: &str, files: &PlayerFiles| {
            let spec = catalogue::read(Family::Playout, spec).unwrap();
            let context = Context { variant: &variant, files, game_seed: 0 };
            table(&Options::new(&spec.parts[0]), &context).unwrap().values
        };
        let first = made("patterns", &files);
        assert!(Arc::ptr_eq(&first, &made("patterns", &files)));
        assert!(!Arc::ptr_eq(&first, &made("patterns(clip=2)", &files)));
        assert!(!Arc::ptr_eq(&first, &made("patterns", &PlayerFiles::default())));
    }

    /// The chi-squared of 40,000 draws after some moves against the weights of the legal moves.
    fn drawn(policy: &mut Patterns, line: &[&str], weight: impl Fn(&str) -> f32) -> f32 {
        let variant = variant();
        let mut rng = Rng::new(3);
        let mut state = variant.game.initial_state(&mut rng);
        let mut moves = Vec::new();
        for name in line {
            let mv = variant.game.parse_move(&state, name).unwrap();
            moves.push((mv, variant.game.side_to_move(&state)));
            variant.game.play(&mut state, mv);
        }
        let clock = Clock::start(&Limit::default(), Default::default());
        let states = Cell::new(0);
        let side = variant.game.side_to_move(&state);
        let turn = Turn {
            variant: &variant,
            state: &state,
            side,
            moves: &moves,
            tree_moves: 0,
            clock: &clock,
            states: &states,
        };
        let mut legal = Vec::new();
        variant.game.legal_moves(&state, &mut legal);
        let weights: Vec<f32> = legal.iter().map(|&mv| weight(&variant.game.move_name(&state, mv))).collect();
        let total: f32 = weights.iter().sum();
        let mut seen = vec![0.0; legal.len()];
        const DRAWS: f32 = 40_000.0;
        for _ in 0..DRAWS as usize {
            let Answer::Move(mv) = policy.choose(&turn, &mut rng) else { panic!("it passed") };
            seen[legal.iter().position(|&known| known == mv).unwrap()] += 1.0;
        }
        let squares = seen.iter().zip(&weights).map(|(&seen, weight): (&f32, _)| {
            let expected = DRAWS * weight / total;
            (seen - expected).powi(2) / expected
        });
        squares.sum()
    }

    // A chi-squared with 16 degrees of freedom exceeds this once in 10,000 times.
    const CHI_SQUARED_16: f32 = 45.9;

    #[test]
    fn moves_are_drawn_by_their_weights() {
        // White c3 in the middle, Black c2 above it: White is to move.
        let line = ["c3", "c2"];
        let weights = [
            // b2 and d3 touch both stones; both lie beside Black's.
            ("....ox", [2.0, 8.0, 4.0, 0.5]),
            // The corners but c1; a1 and e3 are in a bridge with Black's stone.
            ("...###", [0.25, 0.5, 9.0, 0.1]),
            // The other neighbours of White's stone; b3 and d4 are in a bridge with Black's.
            (".....o", [3.0, 2.5, 9.0, 1.5]),
        ];
        let path = file("drawn", &weights);
        // By hand, kept within 0.2 and 5: without and with how a cell lies to Black's stone. All others weigh 1.
        let of = |name: &str, near: bool| -> f32 {
            let (any, near_weight) = match name {
                "b2" | "d3" => (2.0, 4.0),
                "c4" => (3.0, 2.5),
                "b3" | "d4" => (3.0, 1.5),
                "a3" | "c5" | "e5" => (0.25, 0.5),
                "a1" | "e3" => (0.25, 0.2),
                _ => (1.0, 1.0),
            };
            if near { near_weight } else { any }
        };
        for near in [false, true] {
            let mut policy = policy(&format!("weights=\"{path}\", near={near}")).unwrap();
            let squares = drawn(&mut policy, &line, |name| of(name, near));
            assert!(squares < CHI_SQUARED_16, "near={near}: {squares}");
            // The test can tell these weights from others.
            assert!(drawn(&mut policy, &line, |name| of(name, !near)) > 10.0 * CHI_SQUARED_16);
        }
        // Without a last move nothing is near.
        let mut policy = policy(&format!("weights=\"{path}\"")).unwrap();
        let first = drawn(&mut policy, &[], |name| {
            if ["a1", "a3", "c1", "c5", "e3", "e5"].contains(&name) { 0.5 } else { 1.0 }
        });
        assert!(first < 49.2, "{first}");
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn clipping_bounds_the_weights() {
        let path = file("clip", &[("......", [1e6, 1e6, 1.0, 1.0]), ("...###", [1e-6, 1e-6, 1.0, 1.0])]);
        let corner = |name: &str| ["a1", "a3", "c1", "c5", "e3", "e5"].contains(&name);
        let inner = |name: &str| ["b2", "b3", "c2", "c3", "c4", "d3", "d4"].contains(&name);
        let mut policy = policy(&format!("weights=\"{path}\", clip=3")).unwrap();
        let squares = drawn(&mut policy, &[], |name| {
            if inner(name) {
                3.0
            } else if corner(name) {
                1.0 / 3.0
            } else {
                1.0
            }
        });
        assert!(squares < 49.2, "{squares}");
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn weights_of_the_package_are_complete() {
        let policy = policy("").unwrap();
        assert_eq!(policy.table.values.len(), 3 * policy.table.codes);
        assert!(policy.table.values.iter().all(|&weight| (0.0..=1.0).contains(&weight)));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told() {
        let names: Vec<String> = ["...", "..#"].map(String::from).to_vec();
        let refused = |text: &str| read(text, "havannah", &names).unwrap_err().to_string();
        assert!(refused("{").starts_with("this is not JSON: "));
        assert_eq!(refused("[]"), "the file does not say for which game its weights are");
        assert_eq!(refused(r#"{"game": "go"}"#), "these weights are for go, not havannah");
        assert_eq!(refused(r#"{"game": "havannah"}"#), "the file has no weights of patterns");
        let with = |rows: &str| refused(&format!(r#"{{"game": "havannah", "patterns": {{{rows}}}}}"#));
        assert_eq!(with(r#""...": [1, 1, 1, 1]"#), "1 of the 2 patterns have weights: '..#' has none");
        for wrong in
            ["[1,1,1]", "[1,1,1,0]", "[1,1,1,-2.0]", "[1,1,1,\"x\"]", "7", "[1,1,1,1,1]", "[1,1,1,1e300]"]
        {
            let message = with(&format!(r#""...": {wrong}, "..#": [1, 1, 1, 1]"#));
            let start = "pattern '...' needs 4 positive numbers (any, far, beside, bridge), not ";
            assert!(message.starts_with(start), "{message}");
        }
        assert_eq!(
            with(r#""...": [1, 1, 1, 1], "..#": [1, 1, 1, 1], "oo": [1, 1, 1, 1]"#),
            "havannah has no pattern 'oo': it has 2 patterns such as '...' and '..#'"
        );
        let missing = policy("weights=\"/nowhere/at/all.json\"").err().unwrap().to_string();
        assert!(missing.starts_with("patterns: cannot read /nowhere/at/all.json: "), "{missing}");
        let path = std::env::temp_dir().join(format!("coppice-patterns-{}-wrong.json", std::process::id()));
        fs::write(&path, "{}").unwrap();
        let path = path.to_str().unwrap();
        let wrong = policy(&format!("weights=\"{path}\"")).err().unwrap().to_string();
        assert_eq!(wrong, format!("patterns: {path}: the file does not say for which game its weights are"));
        fs::remove_file(path).unwrap();
    }
}
