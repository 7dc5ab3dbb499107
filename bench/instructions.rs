//! One fixed search per line of fingerprints.txt, for `tools/instructions.py`, which counts the instructions of each.
//!
//! Prints game and player of each line that it runs. With two numbers, PART of PARTS, it runs each PARTS-th line; with
//! games and players after them, of those lines alone.

use coppice::fingerprints::{Line, fingerprint, kept};

/// The counter is read each time this function returns, so it must be a function of its own.
#[inline(never)]
fn one_line(line: &Line) -> bool {
    let hash = fingerprint(&line.game, &line.player).expect("a kept line can be played");
    std::hint::black_box(hash) == Some(line.hash)
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| asked.get(at).map(|text| text.parse().expect("a number"));
    let (part, parts): (usize, usize) = (number(0).unwrap_or(0), number(1).unwrap_or(1));
    let chosen = asked.get(2..).unwrap_or_default();
    let is_chosen = |line: &&Line| {
        chosen.is_empty() || chosen.iter().any(|one| one.split_once('\t') == Some((&line.game, &line.player)))
    };
    let lines = kept();
    for line in lines.iter().filter(is_chosen).skip(part).step_by(parts) {
        let same = one_line(line);
        assert!(same, "{} plays otherwise in {}", line.player, line.game);
        println!("{}\t{}", line.game, line.player);
    }
}
