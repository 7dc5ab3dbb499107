//! One fixed search per line of fingerprints.txt, for `tools/instructions.py`, which counts the instructions of each.
//!
//! Prints game and player of each line that it runs. With two numbers, PART of PARTS, it runs each PARTS-th line.

use coppice::fingerprints::{Line, fingerprint, kept};

/// The counter is read each time this function returns, so it must be a function of its own.
#[inline(never)]
fn one_line(line: &Line) -> bool {
    let hash = fingerprint(&line.game, &line.player).expect("a kept line can be played");
    std::hint::black_box(hash) == Some(line.hash)
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|text| text.parse().expect("a number")).collect();
    let (part, parts) = match numbers[..] {
        [part, parts] => (part, parts),
        _ => (0, 1),
    };
    for line in kept().iter().skip(part).step_by(parts) {
        let same = one_line(line);
        assert!(same, "{} plays otherwise in {}", line.player, line.game);
        println!("{}\t{}", line.game, line.player);
    }
}
