//! Which players are fingerprinted in which games: made from the catalogue, so that a new part brings its lines.

use crate::catalogue::catalogue;
use crate::spec::{Family, Kind, OptionInfo, PartInfo};
use crate::{games, player};

/// Options that bound a search, and the one way to search that cannot be repeated.
const LEFT_OUT: &[(&str, &str)] = &[
    ("simulations", ""),
    ("states", ""),
    ("seconds", ""),
    ("cpu_seconds", ""),
    ("memory", ""),
    ("parallel", "tree"),
];

/// Options that do something only beside others: part, option, what is given with it, and to the player around it.
const BESIDE: &[(&str, &str, &str, &str)] = &[
    ("mcts", "fpu", "expansion=all", ""),
    ("mcts", "fpu_mode", "expansion=all, fpu=0.5", ""),
    ("mcts", "stop_early", "selection=uct(k=0), expansion=all, fpu=0.0", ""),
    ("nested", "prune_on_depth", "discount=true", ""),
    ("nested", "pod_mode", "discount=true, prune_on_depth=1", ""),
    ("mast", "tau", "select=gibbs", ""),
    ("nast", "tau", "select=gibbs", ""),
    ("minimax", "avoid", "depth=2", ""),
    ("proximity", "p", "mode=alternative", ""),
    ("mate", "played", "c=1, min=1", ""),
    ("forcing", "tries", "at=1", ""),
    ("progressive", "first", "", "prior=knowledge"),
    ("progressive", "at", "first=2", "prior=knowledge"),
    ("progressive", "by", "first=2, at=5", "prior=knowledge"),
    ("progressive", "leaf_at", "", "prior=knowledge"),
];

/// Members that work only beside others: what stands before one in its chain, and what is given to the player around it.
const MEMBER_BESIDE: &[(&str, &str, &str)] =
    &[("threats", "solver+", ""), ("forcing", "solver+threats+", ""), ("progressive", "", "prior=knowledge")];

/// Players that nothing above leads to.
const BESIDES: &[&str] = &[
    "mcts(tactics=solver+threats+forcing(at=10))",
    "jack(worlds=sampled(opponent=informed))",
    "jack(worlds=sampled(draw=free_choice))",
];

/// Players that are tried in the games of other options.
const FEW: &[&str] = &["uct", "rave", "strong", "nested"];

/// The option of a game whose second move may be the swap.
pub(super) const SWAP: &str = "swap";

/// Games and players, in the order of the file. Some players are refused in some games.
pub fn lines() -> Vec<(String, String)> {
    let (plain, variants) = all_games();
    let mut lines = Vec::new();
    for game in &plain {
        for player in everywhere() {
            lines.push((game.clone(), player));
        }
        for (_, away) in options_away() {
            lines.push((game.clone(), away));
        }
        for player in BESIDES {
            lines.push((game.clone(), player.to_string()));
        }
    }
    for game in &plain {
        for player in everywhere() {
            lines.push((format!("misere({game})"), player));
        }
    }
    for game in &variants {
        for player in FEW {
            lines.push((game.clone(), player.to_string()));
        }
    }
    for game in from_the_start() {
        let players = FEW.iter().chain(&[player::random::INFO.name]).map(|player| player.to_string());
        for player in players.chain(early_playouts()) {
            lines.push((game.clone(), player));
        }
    }
    lines
}

/// Games that are fingerprinted from their first move on: only there may the second side swap.
pub(super) fn from_the_start() -> Vec<String> {
    let swaps = |info: &&PartInfo| info.options.iter().any(|option| option.name == SWAP);
    parts(Family::Game).filter(swaps).map(|info| format!("{}(size=4, {SWAP}=true)", info.name)).collect()
}

/// Every playout, in a search whose first playouts begin after one move.
fn early_playouts() -> impl Iterator<Item = String> {
    members(Family::Playout).map(|member| {
        let playout = format!("playout={}", member.name);
        written(player::mcts::INFO.name, &["expansion=all(at=8)", &playout])
    })
}

/// Every game as it comes, and with each option away from its default.
fn all_games() -> (Vec<String>, Vec<String>) {
    let (mut plain, mut variants) = (Vec::new(), Vec::new());
    for info in parts(Family::Game) {
        // Those that name another game, or rules from elsewhere, are not play of this source.
        if [games::MISERE.name, games::guest::INFO.name].contains(&info.name) {
            continue;
        }
        plain.push(small(info.name));
        for option in info.options {
            for value in away(option) {
                variants.push(format!("{}({}={value})", info.name, option.name));
            }
        }
    }
    (plain, variants)
}

/// The game on its small board.
fn small(game: &str) -> String {
    let found = games::small().into_iter().find(|(name, _)| *name == game);
    written(game, &[found.map_or("", |(_, options)| options)])
}

fn parts(family: Family) -> impl Iterator<Item = &'static PartInfo> {
    catalogue().parts.iter().filter(move |(of, _)| *of == family).map(|(_, info)| info)
}

/// Players of this source: not another program.
fn players() -> impl Iterator<Item = &'static PartInfo> {
    parts(Family::Player).filter(|info| ![player::gtp::INFO.name].contains(&info.name))
}

/// Every named player, and every member of every family in every player that has a place for it.
fn everywhere() -> Vec<String> {
    let mut all: Vec<String> = players().map(|info| info.name.to_string()).collect();
    all.extend(catalogue().named.iter().map(|named| named.name.to_string()));
    for (host, slot, family) in slots() {
        for member in members(family) {
            let (before, around) = member_beside(family, member.name);
            all.push(written(host, &[&format!("{slot}={before}{}", member.name), around]));
        }
    }
    all
}

/// The options of players that take a member of a family.
fn slots() -> Vec<(&'static str, &'static str, Family)> {
    let mut slots = Vec::new();
    for host in players() {
        for option in host.options {
            if let Kind::Spec(family) = option.kind {
                slots.push((host.name, option.name, family));
            }
        }
    }
    slots
}

fn members(family: Family) -> impl Iterator<Item = &'static PartInfo> {
    // A policy from elsewhere is not play of this source.
    parts(family).filter(|info| info.name != games::guest::INFO.name)
}

/// Every option away from its default: a player that has what it stands beside, and the same with it. Options of
/// policies are tried in `mcts`, which has a place for every family.
pub(super) fn options_away() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for host in players() {
        for option in host.options {
            let (beside, _) = beside(host.name, option.name);
            for value in away(option) {
                all.push((
                    written(host.name, &[beside]),
                    written(host.name, &[beside, &given(option, &value)]),
                ));
            }
        }
    }
    let mcts = player::mcts::INFO.name;
    for (_, slot, family) in slots().into_iter().filter(|(host, _, _)| *host == mcts) {
        for member in members(family) {
            for option in member.options {
                let (beside, around) = beside(member.name, option.name);
                let (before, _) = member_beside(family, member.name);
                for value in away(option) {
                    let with = written(member.name, &[beside, &given(option, &value)]);
                    let pair = [written(member.name, &[beside]), with];
                    let [without, with] =
                        pair.map(|inner| written(mcts, &[&format!("{slot}={before}{inner}"), around]));
                    all.push((without, with));
                }
            }
        }
    }
    all
}

fn given(option: &OptionInfo, value: &str) -> String {
    format!("{}={value}", option.name)
}

fn written(name: &str, arguments: &[&str]) -> String {
    let given: Vec<&str> = arguments.iter().copied().filter(|text| !text.is_empty()).collect();
    if given.is_empty() { name.to_string() } else { format!("{name}({})", given.join(", ")) }
}

fn beside(part: &str, option: &str) -> (&'static str, &'static str) {
    let found = BESIDE.iter().find(|(of, name, _, _)| *of == part && *name == option);
    // What is kept shows only where the tree is.
    let alone = if option == "keep" { ("", "reuse=true") } else { ("", "") };
    found.map_or(alone, |(_, _, inside, around)| (inside, around))
}

fn member_beside(family: Family, member: &str) -> (&'static str, &'static str) {
    // A playout may have the name of a tactic.
    let of_slot = matches!(family, Family::Tactics | Family::Expansion);
    let found = MEMBER_BESIDE.iter().find(|(name, _, _)| of_slot && *name == member);
    found.map_or(("", ""), |(_, before, around)| (before, around))
}

/// Values of an option other than its default; none where a value names something outside, or bounds the search.
fn away(option: &OptionInfo) -> Vec<String> {
    let mut values: Vec<String> = match option.kind {
        Kind::Bool => vec![(option.default != "true").to_string()],
        Kind::Choice(choices) => choices.iter().map(|choice| choice.to_string()).collect(),
        Kind::Int { min, max } => vec![
            match option.default.parse::<i64>() {
                Err(_) => 3.clamp(min, max),
                Ok(0) => {
                    if max < 10 {
                        1
                    } else {
                        10
                    }
                }
                Ok(large) if large >= 20 => (large / 10).max(min),
                Ok(small) if small < max => small + 1,
                Ok(most) => most - 1,
            }
            .to_string(),
        ],
        Kind::Real { min, max } => vec![format!(
            "{:?}",
            match option.default.parse::<f64>() {
                Ok(some) if some != 0.0 => (some / 2.0).clamp(min, max),
                _ => 0.5f64.clamp(min, max),
            }
        )],
        Kind::Text | Kind::Spec(_) | Kind::Twice(_) => vec![],
    };
    if option.or_none && !values.is_empty() {
        values.push("none".to_string());
    }
    let left_out = |value: &String| {
        LEFT_OUT.iter().any(|(name, only)| option.name == *name && (only.is_empty() || value == only))
    };
    values.retain(|value| *value != option.default && !left_out(value));
    values
}
