//! The catalogue: everything that a spec can name, gathered from the lists of its families.

use std::sync::{Arc, OnceLock};

use crate::game::{Game, Variant};
use crate::games::{Visitor, with_game};
use crate::player::Player;
use crate::spec::{Argument, Catalogue, Family, Kind, OptionInfo, Part, PartInfo, Spec, Value};
use crate::types::Result;
use crate::{
    backup, candidates, games, guest, openings, player, playout, prior, root, selection, tactics, worlds,
};

/// Built once; its order is the order in which things are shown.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        let families: [(Family, Vec<PartInfo>); 13] = [
            (Family::Game, games::infos()),
            (Family::Player, player::infos()),
            (Family::Root, root::infos()),
            (Family::Selection, selection::infos()),
            (Family::Candidates, candidates::infos()),
            (Family::Expansion, player::expansion::infos()),
            (Family::Prior, prior::infos()),
            (Family::Tactics, tactics::infos()),
            (Family::Playout, playout::infos()),
            (Family::Backup, backup::infos()),
            (Family::Worlds, worlds::infos()),
            (Family::Final, player::final_move::infos()),
            (Family::Openings, openings::infos()),
        ];
        let parts = families
            .into_iter()
            .flat_map(|(family, infos)| infos.into_iter().map(move |info| (family, info)));
        let named =
            [player::named::strong(games::strong())].into_iter().chain(player::named::NAMED.iter().copied());
        Catalogue { parts: parts.collect(), named: named.collect() }
    })
}

/// Reads a text and writes every default out.
pub fn read(family: Family, text: &str) -> Result<Spec> {
    catalogue().read(family, text)
}

/// What a spec names that lives outside the process, wherever in the spec it stands: a part that reaches there by
/// its nature, and every quoted text, since files and programs are named by texts alone.
///
/// The spec is parsed and nothing is resolved, so that a text from elsewhere can be asked before it does anything.
/// Each finding is written with its texts only and without defaults: as given and in full, it is the same.
pub fn outside(text: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    gather_outside(&Spec::parse(text)?, &mut found);
    Ok(found)
}

/// Whether a spec names anything outside the process.
pub fn reaches_outside(spec: &Spec) -> bool {
    let mut found = Vec::new();
    gather_outside(spec, &mut found);
    !found.is_empty()
}

/// Guests are in the catalogue only where their host is set; what a text names does not depend on that.
static GUEST: PartInfo = guest::info("");

fn gather_outside(spec: &Spec, found: &mut Vec<String>) {
    for part in &spec.parts {
        let all = catalogue().parts.iter().map(|(_, info)| info).chain([&GUEST]);
        let infos: Vec<&PartInfo> = all.filter(|info| info.name == part.name).collect();
        let mut texts = Vec::new();
        for argument in &part.arguments {
            // Parts of several families may have one name: a file is named by a text, so a text counts first.
            let texts_first = |info: &&PartInfo| {
                let named = |option: &&OptionInfo| Some(option.name) == info.positional;
                info.options.iter().find(named).is_none_or(|option| option.kind != Kind::Text)
            };
            let mut sorted = infos.clone();
            sorted.sort_by_key(texts_first);
            let positional = || sorted.iter().find_map(|info| info.positional);
            let key = argument.key.as_deref().or_else(positional);
            let mut options = infos.iter().flat_map(|info| info.options);
            let option = options.find(|option| option.kind == Kind::Text && Some(option.name) == key);
            let is_text = match argument.value {
                Value::Text(_) => true,
                Value::None => false,
                _ => option.is_some(),
            };
            if is_text && option.is_none_or(|option| option.default != argument.value.to_string()) {
                texts.push(Argument { key: key.map(str::to_string), value: argument.value.clone() });
            }
            if let Value::Spec(inner) = &argument.value {
                gather_outside(inner, found);
            }
        }
        texts.sort_by(|a, b| a.key.cmp(&b.key));
        let reaches_out = [GUEST.name, player::gtp::INFO.name].contains(&part.name.as_str());
        if reaches_out || !texts.is_empty() {
            found.push(Part { name: part.name.clone(), arguments: texts }.to_string());
        }
    }
}

/// The player that a resolved spec stands for in a game: `strong` is another one in each.
pub fn player_in<G: Game>(spec: &Spec, variant: &Variant<G>) -> Result<Spec> {
    catalogue().on(Family::Player, spec, &variant.name(), variant.game.slots())
}

/// Whether a resolved spec stands for another player in each game.
pub fn depends_on_game(player: &Spec) -> bool {
    catalogue().depends_on_game(Family::Player, player)
}

/// The same as [`player_in`] where the game is known from its resolved spec.
pub fn player_of(game: &Spec, player: &Spec) -> Result<Spec> {
    struct In<'a>(&'a Spec);
    impl Visitor for In<'_> {
        type Out = Result<Spec>;
        fn visit<G: Game>(self, variant: Variant<G>) -> Self::Out {
            player_in(self.0, &variant)
        }
    }
    // A game from elsewhere need not be there to read a player that is the same in all.
    if !depends_on_game(player) {
        return Ok(player.clone());
    }
    with_game(game, In(player))?
}

/// Builds the player that a resolved spec stands for in this game; refuses what the game cannot serve.
pub fn build_player<G: Game>(spec: &Spec, variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>> {
    player::build(&player_in(spec, variant)?, variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn default_is_valid(family: Family, info: &PartInfo, option: &OptionInfo) -> bool {
        let text = format!("{}({}={})", info.name, option.name, option.default);
        option.default == "none" || read(family, &text).is_ok()
    }

    #[test]
    fn every_default_is_a_value_of_its_option() {
        for (family, info) in &catalogue().parts {
            for option in info.options {
                assert!(
                    default_is_valid(*family, info, option),
                    "{} {}={}",
                    info.name,
                    option.name,
                    option.default
                );
                assert!(!option.doc.is_empty());
            }
            assert!(!info.doc.is_empty());
        }
    }

    #[test]
    fn what_a_spec_names_outside_is_found_at_every_depth() {
        for (text, expected) in [
            ("uct", vec![]),
            ("mcts(playout=patterns(weights=none)+mast)", vec![]),
            ("python", vec!["python"]),
            ("python ( \"a:X\" )", vec!["python(class=\"a:X\")"]),
            ("python(options=\"4\", class=\"a:X\")", vec!["python(class=\"a:X\", options=\"4\")"]),
            ("misere(game=python(\"a:X\"))", vec!["python(class=\"a:X\")"]),
            (
                "mcts(playout=mast+patterns(\"w\")+python(\"\\a:X\"))",
                vec!["patterns(weights=\"w\")", "python(class=\"a:X\")"],
            ),
            ("gtp(\"go\", timeout=3, log=\"coppice-gtp.log\")", vec!["gtp(command=\"go\")"]),
            ("jack(candidates=plausible(rules=here))", vec!["plausible(rules=here)"]),
            ("unknown(a=b(c(\"d\")))", vec!["c(\"d\")"]),
        ] {
            assert_eq!(outside(text).unwrap(), expected, "{text}");
        }
        assert_eq!(outside("uct(").unwrap_err().to_string(), Spec::parse("uct(").unwrap_err().to_string());
    }

    #[test]
    fn what_a_spec_names_outside_is_the_same_in_full() {
        for (family, text) in [
            (Family::Player, "gtp(\"go\", setup=\"boardsize 5\")"),
            (Family::Player, "mcts(playout=mast+patterns(\"w\"))"),
        ] {
            let full = read(family, text).unwrap().to_string();
            assert_eq!(outside(&full).unwrap(), outside(text).unwrap(), "{text}");
        }
        // A spec of the package itself reaches nowhere.
        for named in &catalogue().named {
            let full = read(named.family, named.name).unwrap().to_string();
            assert!(outside(&full).unwrap().is_empty(), "{full}");
        }
    }

    #[test]
    fn every_named_spec_resolves_to_a_fixed_point() {
        for named in &catalogue().named {
            let once = read(named.family, named.name).unwrap().to_string();
            assert_eq!(read(named.family, &once).unwrap().to_string(), once, "{}", named.name);
        }
    }

    #[test]
    fn strong_is_another_player_in_each_game() {
        let strong = read(Family::Player, "strong(simulations=70)").unwrap();
        let mut seen = Vec::new();
        for (_, info) in catalogue().parts.iter().filter(|(family, _)| *family == Family::Game) {
            let game = read(Family::Game, info.name);
            if [games::MISERE.name, games::guest::INFO.name].contains(&info.name) {
                continue;
            }
            let game = game.unwrap();
            let here = player_of(&game, &strong).unwrap();
            assert!(here.to_string().contains("simulations=70"), "{}: {here}", info.name);
            // In full, so that nothing of it depends on the game or on the list any more.
            assert_eq!(read(Family::Player, &here.to_string()).unwrap(), here, "{}", info.name);
            assert_eq!(player_of(&game, &here).unwrap(), here, "{}", info.name);
            crate::session::check_player(&game, &strong).unwrap();
            seen.push(here.to_string());
        }
        seen.sort();
        seen.dedup();
        assert!(seen.len() > 3, "{seen:?}");
    }

    #[test]
    fn strong_without_a_game_has_the_options_on_which_all_agree() {
        let written = |text: &str| read(Family::Player, text).unwrap().to_string();
        let plain = written("strong");
        assert!(plain.starts_with("strong(") && plain.contains("simulations=1000"), "{plain}");
        assert!(!plain.contains("selection="), "{plain}");
        let timed = written("strong(seconds=2, stop_early=true)");
        assert!(timed.contains("simulations=none") && timed.contains("stop_early=true"), "{timed}");
        assert_eq!(written(&timed), timed);
        // What one of the games does not know is written where it was given, and nothing else of the kind.
        assert!(timed.contains("memory=") && !timed.contains("order="), "{timed}");
        let error = read(Family::Player, "strong(simulatons=5)").unwrap_err().to_string();
        assert!(
            error.starts_with("strong: mcts has no option 'simulatons' (did you mean 'simulations'?)"),
            "{error}"
        );
    }

    #[test]
    fn strong_is_refused_where_there_is_none() {
        let strong = read(Family::Player, "strong").unwrap();
        let misere = read(Family::Game, "misere(breakthrough)").unwrap();
        let error = player_of(&misere, &strong).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no strong for misere breakthrough, only for havannah, "),
            "{error}"
        );
        assert!(error.ends_with(": name another player"), "{error}");
        assert_eq!(crate::session::check_player(&misere, &strong).unwrap_err().to_string(), error);
    }

    #[test]
    fn every_part_alone_resolves_to_a_fixed_point() {
        for (family, info) in &catalogue().parts {
            let once = read(*family, info.name).unwrap().to_string();
            assert_eq!(read(*family, &once).unwrap().to_string(), once);
        }
    }

    #[test]
    fn names_are_unique_in_their_family() {
        for family in Family::ALL {
            let mut names = catalogue().names(family);
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all, "{}", family.name());
        }
    }

    #[test]
    fn a_time_limit_replaces_the_number_of_simulations() {
        let spec = read(Family::Player, "uct(seconds=0.5)").unwrap().to_string();
        assert!(spec.contains("simulations=none") && spec.contains("seconds=0.5"), "{spec}");
        assert!(read(Family::Player, "uct").unwrap().to_string().contains("simulations=1000"));
    }
}
