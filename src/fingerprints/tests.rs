//! The file tells what the source plays; every option has a line that tells it from its default.

use std::collections::BTreeMap;

use super::*;

fn by_key(lines: &[Line]) -> BTreeMap<(&str, &str), u32> {
    lines.iter().map(|line| ((line.game.as_str(), line.player.as_str()), line.hash)).collect()
}

#[test]
fn the_file_tells_what_the_source_plays() {
    let made = compute(2).unwrap();
    let (before, after) = (by_key(kept()), by_key(&made));
    assert_eq!(after.len(), made.len(), "every line is there once");
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let differ: Vec<_> = keys.into_iter().filter(|key| before.get(*key) != after.get(*key)).collect();
    assert!(
        differ.is_empty(),
        "{} lines differ, the first: {:?}. A refactoring changes none; where play is meant to change: coppice \
         signature --write fingerprints.txt",
        differ.len(),
        &differ[..differ.len().min(5)]
    );
}

/// Options that 120 simulations of these positions do not tell from their defaults; tests of their own do.
const NOT_SEEN: &[&str] =
    &["mcts(tactics=solver+threats+forcing(at=100))", "mcts(tactics=solver+threats+forcing(at=1, tries=30))"];

#[test]
fn every_option_has_a_line_that_its_default_does_not_have() {
    let lines = by_key(kept());
    let games: BTreeSet<&str> = kept().iter().map(|line| line.game.as_str()).collect();
    let mut silent = Vec::new();
    for (without, with) in lines::options_away() {
        let mut there = games.iter().filter_map(|game| Some((game, lines.get(&(*game, with.as_str()))?)));
        if !there.any(|(game, hash)| fingerprint(game, &without).unwrap() != Some(*hash)) {
            silent.push(with);
        }
    }
    assert_eq!(silent, NOT_SEEN);
}

#[test]
fn every_part_has_a_line() {
    let named: BTreeSet<(&str, String)> = kept()
        .iter()
        .flat_map(|line| {
            let game = catalogue::read(Family::Game, &line.game).unwrap();
            let player = catalogue::read(Family::Player, &line.player).unwrap();
            parts_of(&catalogue::player_of(&game, &player).unwrap())
        })
        .collect();
    let families = Family::ALL.iter().filter(|family| ![Family::Game, Family::Openings].contains(family));
    let families: Vec<Family> = families.copied().collect();
    let parts = catalogue::catalogue().parts.iter().filter(|(family, _)| families.contains(family));
    let all: Vec<(&str, String)> =
        parts.map(|(family, info)| (family.name(), info.name.to_string())).collect();
    let missing: Vec<_> = all.into_iter().filter(|part| !named.contains(part)).collect();
    // What lives outside is not play of this source.
    assert_eq!(missing, [("player", "gtp".to_string())]);
}

#[test]
fn the_file_is_read_as_it_is_written() {
    let lines = [Line { game: "nogo".into(), player: "mcts(k=1)".into(), hash: 0x00ab_cdef }];
    assert!(write(&lines).ends_with("00abcdef\tnogo\tmcts(k=1)\n"));
    assert_eq!(parse(&write(&lines)), lines);
}

#[test]
fn a_play_version_changes_with_the_lines_of_its_own_parts_alone() {
    let read = |family, text: &str| catalogue::read(family, text).unwrap();
    let version = |lines: &[Line], game: &str, player: &str| {
        let about: Vec<About> = lines.iter().map(About::of).collect();
        version_over(lines, &about, &read(Family::Game, game), &read(Family::Player, player)).unwrap()
    };
    let line = |game: &str, player: &str, hash| Line { game: game.into(), player: player.into(), hash };
    let lines =
        [line("nogo", "mcts", 1), line("nogo", "mcts(playout=mast)", 2), line("misere(nogo)", "mcts", 3)];
    let mut changed = lines.clone();
    changed[1].hash = 7;
    for (game, player, same) in [
        ("nogo(rows=4)", "uct(simulations=9)", true),
        ("nogo", "rave(playout=mast)", false),
        ("nogo", "rave(playout=last_good_reply+mast)", false),
        ("misere(nogo)", "rave(playout=mast)", true),
        ("nogo", "random", true),
    ] {
        let [before, after] = [version(&lines, game, player), version(&changed, game, player)];
        assert_eq!(before == after, same, "{player} in {game}");
    }
}

#[test]
fn lines_from_the_first_move_say_nothing_of_the_game_without_the_swap() {
    let version = |hash, game: &str| {
        let lines = [("havannah(size=4)", 1), ("havannah(size=4, swap=true)", hash)]
            .map(|(game, hash)| Line { game: game.into(), player: "uct".into(), hash });
        let about: Vec<About> = lines.iter().map(About::of).collect();
        let read = |family, text: &str| catalogue::read(family, text).unwrap();
        version_over(&lines, &about, &read(Family::Game, game), &read(Family::Player, "uct")).unwrap()
    };
    assert_eq!(lines::from_the_start(), ["havannah(size=4, swap=true)", "hex(size=4, swap=true)"]);
    assert_eq!(version(1, "havannah"), version(2, "havannah"));
    assert_ne!(version(1, "havannah(swap=true)"), version(2, "havannah(swap=true)"));
}
