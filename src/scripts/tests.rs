//! Tests of rule scripts: what they can do, what they cannot, and what is said about broken ones.

use super::*;
use crate::game::{Fact, Rules, Stages};
use crate::games::mr_jack::MrJack;

fn game() -> MrJack {
    MrJack::new("first_2006", true, false, false).unwrap()
}

/// A folder with the shipped scripts, one of them replaced.
fn folder(name: &str, script: &str, text: &str) -> String {
    let folder = std::env::temp_dir().join(format!("coppice-rules-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (file, shipped) in shipped(&game()).unwrap() {
        let text = if file == script { text } else { &shipped };
        fs::write(folder.join(&file), text).unwrap();
    }
    folder.to_str().unwrap().to_string()
}

/// What is said about the shipped scripts with watson's replaced by `text`.
fn complaint(name: &str, text: &str) -> String {
    let folder = folder(name, "watson.lua", text);
    let error = check(&game(), Some(&folder), 10, 1).unwrap_err().to_string();
    fs::remove_dir_all(&folder).unwrap();
    error.replace(&folder, "DIR")
}

#[test]
fn the_shipped_scripts_answer_every_question() {
    assert!(check(&game(), None, 400, 5).unwrap() > 600);
    let revised = MrJack::new("revised", false, true, true).unwrap();
    assert!(check(&revised, None, 200, 5).unwrap() > 300);
}

#[test]
fn scripts_of_a_folder_replace_the_shipped_ones() {
    let text = "return function(turn) return #turn.options, 0.25 end";
    let folder = folder("replace", "watson.lua", text);
    let game = game();
    let mut asker = PlayerFiles::default().asker(&game, &game, Some(&folder)).unwrap();
    let moves = vec![Move(7), Move(8), Move(9)];
    let question =
        Question { script: 1, names: &["seen"], options: vec![1, 2, 3], moves, ..Question::default() };
    assert_eq!(asker.ask(question, Vec::new).unwrap(), (Move(9), 0.25));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_broken_script_is_named_with_its_line() {
    for (name, text, expected) in [
        ("syntax", "return function(turn)\n  return 1 1\nend", "rules in DIR: watson.lua:2: "),
        (
            "runtime",
            "return function(turn)\n\n  return turn.nothing.more, 1\nend",
            "rules in DIR: watson.lua:3: ",
        ),
        (
            "no_function",
            "local x = 1\nreturn x",
            "rules in DIR: watson.lua:2: the script must return a function",
        ),
        (
            "nothing",
            "return function(turn)\nend",
            "rules in DIR: watson.lua:1: answered nil and nil: expected",
        ),
        (
            "no_option",
            "return function(turn) return 7, 0 end",
            "rules in DIR: watson.lua:1: answered 7 and 0",
        ),
        (
            "no_number",
            "return function(turn) return 1, 0/0 end",
            "rules in DIR: watson.lua:1: answered 1 and ",
        ),
        ("forever", "return function(turn)\n  while true do end\nend", "rules in DIR: watson.lua:2: "),
        ("forever_at_once", "while true do end", "rules in DIR: watson.lua:1: "),
        (
            "memory",
            "return function(turn)\n  local t = {}\n  while true do t[#t + 1] = {} end\nend",
            "rules in DIR: watson.lua",
        ),
        ("recursion", "local function f() return 1 + f() end\nreturn f", "rules in DIR: watson.lua"),
        ("bytes", "\x1bLua", "rules in DIR: watson.lua"),
    ] {
        let error = complaint(name, text);
        assert!(error.starts_with(expected), "{name}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
    assert!(complaint("forever", "return function(turn)\n  while true do end\nend").contains("instructions"));
}

#[test]
fn a_script_reaches_nothing_outside_itself() {
    for name in [
        "io",
        "os",
        "require",
        "package",
        "debug",
        "load",
        "loadfile",
        "dofile",
        "coroutine",
        "next",
        "pcall",
        "print",
        "collectgarbage",
        "setmetatable",
        "getmetatable",
        "rawset",
        "math.random",
        "math.randomseed",
        "string.format",
        "string.rep",
        "string.dump",
        "table.move",
    ] {
        let text = format!("return function(turn)\n  error(type({name}))\nend");
        let error = complaint(&name.replace('.', "_"), &text);
        assert_eq!(error, "rules in DIR: watson.lua:2: nil", "{name}");
    }
}

#[test]
fn pairs_go_through_a_table_in_the_order_of_its_keys() {
    let text = "local t = {b = 1, a = 2, [3] = 1, [1] = 5, c = 0}\nlocal said = ''\n\
                for key, value in pairs(t) do said = said .. tostring(key) .. tostring(value) end\n\
                error(said .. tostring(t) .. count(5), 0)";
    assert_eq!(complaint("pairs", text), "rules in DIR: watson.lua: 1531a2b1c0table2");
}

#[test]
fn what_a_script_is_told() {
    let text = "return function(turn)\n  error(turn.side .. ' ' .. turn.me .. ' ' .. turn.turn .. ' ' .. \
                turn.suspects .. ' ' .. #turn.at .. ' ' .. #turn.exits .. ' ' .. #turn.options .. ' ' .. \
                tostring(turn.options[1].partner) .. ' ' .. turn.options[6].facing)\nend";
    let told = complaint("told", text);
    assert!(told.starts_with("rules in DIR: watson.lua:2: ") && told.ends_with(" 8 32 6 nil 5"), "{told}");
}

#[test]
fn a_script_sees_the_options_of_the_game() {
    let text = "error(game.edition .. ' ' .. game.witness .. ' ' .. game.whistle .. ' ' .. game.gull, 0)";
    let folder = folder("options", "watson.lua", text);
    let told = |game: &MrJack| {
        let error = check(game, Some(&folder), 10, 1).unwrap_err().to_string();
        error.rsplit(": ").next().unwrap().to_string()
    };
    assert_eq!(told(&game()), "first_2006 every_turn exact or");
    assert_eq!(
        told(&MrJack::new("revised", false, true, true).unwrap()),
        "revised every_other_turn loose and"
    );
    fs::remove_dir_all(&folder).unwrap();
}

/// What the shipped scripts answer to a question.
fn answered(game: &MrJack, question: Question, lists: &Lists) -> (Move, f32) {
    PlayerFiles::default().asker(game, game, None).unwrap().ask(question, || lists.clone()).unwrap()
}

#[test]
fn gull_changes_places_where_he_moves_to_if_he_moves_and_swaps() {
    // The detective's innocent Gull may swap with Holmes, a suspect: at his own place he would send him to an exit
    // (1 step from it instead of 5), at his destination away from all (10 steps).
    let facts = [
        ("me", 6),
        ("jack", -1),
        ("turn", 2),
        ("left", 1),
        ("called", 1),
        ("suspects", 0b0000_0011),
        ("innocents", 0b1111_1100),
        ("seen", 0),
        ("hand", 0b0100_0000),
        ("next", 0),
        ("witness", 1),
        ("cordons", 0b1110),
    ];
    let mut told = vec![("side", Fact::Word("detective"))];
    told.extend(facts.map(|(name, number)| (name, Fact::Number(number))));
    let names = &[
        "seen",
        "suspects_seen",
        "suspects_unseen",
        "settled_seen",
        "settled_unseen",
        "jack_seen",
        "leavers",
        "partner",
    ];
    let alike = [0, 0, 2, 0, 2, -1, 0];
    let options = [-1, 0].into_iter().flat_map(|partner| alike.into_iter().chain([partner])).collect();
    let question =
        Question { script: 6, facts: told, names, options, moves: vec![Move(0), Move(1)], settled: None };
    let mut exits = vec![20; 32];
    (exits[0], exits[6]) = (5, 1);
    let lists = vec![("exits", exits), ("gates", vec![10; 4])];
    let and = MrJack::new("first_2006", true, false, true).unwrap();
    assert_eq!(answered(&game(), question.clone(), &lists).0, Move(0));
    assert_eq!(answered(&and, question, &lists).0, Move(1));
}

#[test]
fn scripts_look_to_the_end_of_the_next_turn_where_nobody_is_called() {
    let other = MrJack::new("first_2006", false, false, false).unwrap();
    let (both, mut rng) = ([game(), other], Rng::new(4));
    let mut askers = both.each_ref().map(|game| PlayerFiles::default().asker(game, game, None).unwrap());
    // By whether witnesses are called after the turn in either game: questions, and other answers.
    let mut seen = [[0; 2]; 2];
    for _ in 0..12 {
        let mut state = both[0].initial_state(&mut rng);
        while both[0].outcome(&state).is_none() && state.turn < 8 {
            let mut keys = Vec::new();
            Stages::keys(&both[0], &state, &mut keys);
            let key = keys[rng.below(keys.len())];
            let question = both[0].question(&state, key);
            if question.settled.is_none() {
                let [one, two] = askers
                    .each_mut()
                    .map(|asker| asker.ask(question.clone(), || both[0].lists(&state, key)).unwrap());
                let counts = &mut seen[usize::from(state.turn % 2 == 0)];
                counts[0] += 1;
                counts[1] += usize::from(one.0 != two.0);
                assert!(state.turn % 2 == 1 || one == two, "called in both");
            }
            let mv = Stages::random_use(&both[0], &state, key, &mut rng);
            both[0].play(&mut state, mv);
        }
    }
    let [[odd, differ], [even, _]] = seen;
    assert!(odd > 30 && even > 30 && differ > 3, "{seen:?}");
}

#[test]
fn files_that_are_not_there_are_named() {
    let error = check(&game(), Some("nowhere"), 1, 1).unwrap_err().to_string();
    assert!(error.starts_with("rules: cannot read nowhere/holmes.lua: "), "{error}");
    let domineering = crate::games::domineering::Domineering::new(5, 5);
    let error = check(&domineering, None, 1, 1).unwrap_err().to_string();
    assert_eq!(error, "domineering has no rule scripts: its moves are not made in stages");
}

/// A question to Watson's script with one fact and so many options.
fn question(fact: i64, options: i16) -> Question {
    Question {
        script: 1,
        facts: vec![("me", Fact::Number(fact)), ("side", Fact::Word("jack"))],
        names: &["facing"],
        options: (0..options).collect(),
        moves: (0..options as u32).map(Move).collect(),
        settled: None,
    }
}

#[test]
fn scripts_share_what_the_common_one_defines() {
    let folder = folder("common", "watson.lua", "return function(turn) return twice(1), 0 end");
    fs::write(Path::new(&folder).join("common.lua"), "function twice(n)\n  return 2 * n\nend").unwrap();
    let asked = |options| {
        let mut asker = PlayerFiles::default().asker(&game(), &game(), Some(&folder))?;
        asker.ask(question(0, options), Vec::new)
    };
    // The other scripts need what the shipped one defines.
    let error = asked(3).unwrap_err().to_string();
    assert!(error.contains("attempt to call a nil value (global 'best_option')"), "{error}");
    for (file, _) in shipped(&game()).unwrap().iter().filter(|(file, _)| file != "common.lua") {
        fs::write(Path::new(&folder).join(file), "return function(turn) return 1, twice(0) end").unwrap();
    }
    assert_eq!(asked(3).unwrap(), (Move(0), 0.0));
    // A folder need not have it.
    for (file, _) in shipped(&game()).unwrap() {
        fs::write(Path::new(&folder).join(file), "return function(turn) return #turn.options, 0 end")
            .unwrap();
    }
    fs::remove_file(Path::new(&folder).join("common.lua")).unwrap();
    assert_eq!(asked(3).unwrap(), (Move(2), 0.0));
    fs::write(Path::new(&folder).join("common.lua"), "local x = 1\nerror('no')").unwrap();
    let error = asked(3).unwrap_err().to_string().replace(&folder, "DIR");
    assert_eq!(error, "rules in DIR: common.lua:2: no");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_option_has_nothing_of_the_question_before() {
    let text = "return function(turn)\n  local sum = turn.me\n  for i, option in ipairs(turn.options) do\n    \
                sum = sum + option.facing\n  end\n  return #turn.options, sum\nend";
    let folder = folder("before", "watson.lua", text);
    let mut asker = PlayerFiles::default().asker(&game(), &game(), Some(&folder)).unwrap();
    for (fact, options, sum) in [(0, 6, 15.0), (100, 2, 101.0), (-5, 4, 1.0), (0, 6, 15.0)] {
        let (mv, worth) = asker.ask(question(fact, options), Vec::new).unwrap();
        assert_eq!((mv, worth), (Move(options as u32 - 1), sum));
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_script_is_asked_once_for_the_same_facts_unless_it_reads_a_list() {
    let text = "local asked = 0\nreturn function(turn)\n  asked = asked + 1\n  \
                if turn.me == 1 then asked = asked + turn.at[1] end\n  return 1, asked\nend";
    let folder = folder("once", "watson.lua", text);
    let files = PlayerFiles::default();
    let mut asker = files.asker(&game(), &game(), Some(&folder)).unwrap();
    let lists = || vec![("at", vec![10])];
    let mut worth = |fact| asker.ask(question(fact, 2), lists).unwrap().1;
    assert_eq!([worth(0), worth(0), worth(2), worth(0)], [1.0, 1.0, 2.0, 1.0]);
    assert_eq!([worth(1), worth(1)], [13.0, 24.0]);
    assert!(asker.bytes() > 0);
    drop(asker);
    // The same player goes on with the same texts, whatever becomes of the files, and without what was asked before.
    fs::remove_dir_all(&folder).unwrap();
    let mut asker = files.asker(&game(), &game(), Some(&folder)).unwrap();
    assert_eq!(asker.bytes(), 0);
    assert_eq!(asker.ask(question(3, 2), lists).unwrap().1, 1.0);
}

/// How many interpreters of a folder wait.
fn spare(files: &PlayerFiles, folder: &str) -> usize {
    let opened = locked(&files.opened);
    locked(&opened[&Some(folder.to_string())].spare.waiting).len()
}

#[test]
fn nothing_that_a_script_remembers_is_there_in_the_next_search() {
    for (name, lines) in [
        ("global", "asked = (asked or 0) + 1"),
        ("of_g", "_G.asked = (_G.asked or 0) + 1\nlocal asked = _G.asked"),
        ("variable", "kept = kept + 1\nlocal asked = kept"),
        ("library", "math.asked = (math.asked or 0) + 1\nlocal asked = math.asked"),
        (
            "method",
            "local before = ('x').asked\nlocal asked = (before and before() or 0) + 1\n\
             string.asked = function() return asked end",
        ),
        ("game", "game.asked = (game.asked or 0) + 1\nlocal asked = game.asked"),
        ("turn", "turn.asked = (turn.asked or 0) + 1\nlocal asked = turn.asked"),
        ("lists", "turn.options.asked = (turn.options.asked or 0) + 1\nlocal asked = turn.options.asked"),
        (
            "option",
            "local first = turn.options[1]\nfirst.asked = (first.asked or 0) + 1\nlocal asked = first.asked",
        ),
        ("shared", "local asked = count_up()"),
        ("environment", "_ENV = {asked = (asked or 0) + 1}"),
    ] {
        let text = format!("local kept = 0\nreturn function(turn)\n{lines}\nreturn 1, asked\nend");
        let folder = folder(&format!("remember_{name}"), "watson.lua", &text);
        let common = Path::new(&folder).join("common.lua");
        let shipped = fs::read_to_string(&common).unwrap();
        fs::write(common, shipped + "\nlocal up = 0\nfunction count_up()\n  up = up + 1\n  return up\nend")
            .unwrap();
        let files = PlayerFiles::default();
        for search in 0..3 {
            let mut asker = files.asker(&game(), &game(), Some(&folder)).unwrap();
            // The interpreter of the trial, or of the search before, is used again.
            assert_eq!(spare(&files, &folder), 0, "{name} {search}");
            let counted = [1, 2, 3].map(|fact| asker.ask(question(fact, 2), Vec::new).unwrap().1);
            assert_eq!(counted, [1.0, 2.0, 3.0], "{name} {search}");
            drop(asker);
            assert_eq!(spare(&files, &folder), 1, "{name} {search}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn what_a_script_has_used_up_is_not_missing_in_the_next_search() {
    let text = "return function(turn)\nfor i = 1, turn.me do local x = i end\nreturn 1, 0\nend";
    let folder = folder("budget", "watson.lua", text);
    let files = PlayerFiles::default();
    let asker = || files.asker(&game(), &game(), Some(&folder)).unwrap();
    let may = |mut asker: Asker, turns: i64| asker.ask(question(turns, 1), Vec::new).is_ok();
    // An interpreter that has failed is not used again: this finds the bound for one that is new.
    let (mut most, mut over) = (1, 10_000_000);
    while most + 1 < over {
        let middle = (most + over) / 2;
        locked(&asker().set.spare.waiting).clear();
        *(if may(asker(), middle) { &mut most } else { &mut over }) = middle;
    }
    assert!(most > 10_000, "{most}");
    for used in [0, 1, 1000, 5000, 9999] {
        assert!(may(asker(), used));
        assert_eq!(spare(&files, &folder), 1);
        assert!(may(asker(), most), "{used}");
        assert!(may(asker(), used));
        assert!(!may(asker(), over), "{used}");
        assert_eq!(spare(&files, &folder), 0, "one that has failed is gone");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_interpreter_that_has_grown_large_is_not_kept() {
    let text =
        "local kept = {}\nreturn function(turn)\nfor i = 1, turn.me do kept[i] = {} end\nreturn 1, 0\nend";
    let folder = folder("large", "watson.lua", text);
    let files = PlayerFiles::default();
    for (size, left) in [(10, 1), (60_000, 0), (10, 1)] {
        files.asker(&game(), &game(), Some(&folder)).unwrap().ask(question(size, 1), Vec::new).unwrap();
        assert_eq!(spare(&files, &folder), left, "{size}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
