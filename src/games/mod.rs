//! The games: the only list of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::{Game, Offers, Rules, Variant};
use crate::spec::{Family, InGame, Options, PartInfo, Spec, Strong};
use crate::types::Result;

pub mod atari_go;
mod bitset;
pub mod breakthrough;
pub mod conformance;
pub mod domineering;
mod forward_men;
mod go_board;
pub mod guest;
pub mod havannah;
pub mod hex;
pub mod knightthrough;
pub mod mr_jack;
pub mod nogo;
mod square;
pub mod tic_tac_toe;

/// Calls back with each game type: the one place where a game is named.
macro_rules! games {
    ($callback:ident) => {
        $callback! {
            havannah::Havannah,
            breakthrough::Breakthrough,
            knightthrough::Knightthrough,
            domineering::Domineering,
            nogo::NoGo,
            atari_go::AtariGo,
            tic_tac_toe::TicTacToe,
            hex::Hex,
            mr_jack::MrJack,
            guest::Guest
        }
    };
}

/// What is done with a game whose type is known only from its spec.
pub trait Visitor {
    type Out;
    fn visit<G: Game>(self, variant: Variant<G>) -> Self::Out;
}

/// `misere(GAME)`: not a game of its own but a flag beside one.
pub const MISERE: PartInfo = PartInfo {
    name: "misere",
    options: &[
        crate::spec::OptionInfo::spec("game", Family::Game, "none", "the game whose winner loses").or_none()
    ],
    positional: Some("game"),
    doc: "The same game with winner and loser exchanged",
};

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    macro_rules! collect {
        ($($game:ty),*) => { vec![$(<$game as Rules>::INFO,)* MISERE] };
    }
    let mut infos = games!(collect);
    infos.retain(|info| info.name != guest::INFO.name || guest::HOST.is_set());
    infos
}

/// What `strong` stands for in each game that says so.
pub fn strong() -> &'static [InGame] {
    static STRONG: OnceLock<Vec<InGame>> = OnceLock::new();
    macro_rules! collect {
        ($($game:ty),*) => {
            [$((<$game as Rules>::INFO.name, <$game as Offers>::STRONG)),*]
        };
    }
    STRONG.get_or_init(|| {
        let in_game =
            |(game, strong): (&'static str, &'static [Strong])| strong.iter().map(move |one| one.of(game));
        games!(collect).into_iter().flat_map(in_game).collect()
    })
}

/// The name of each game with the options of its small board.
pub fn small() -> Vec<(&'static str, &'static str)> {
    macro_rules! collect {
        ($($game:ty),*) => { vec![$((<$game as Rules>::INFO.name, <$game as Offers>::SMALL)),*] };
    }
    games!(collect)
}

/// For games in which a good move stays one for long: RAVE with a long schedule, read from above (GRAVE).
const GRAVE: &[Strong] = &[Strong::everywhere(
    "mcts(selection=rave(schedule=linear, r=1000, ref=50), expansion=all(at=8), fpu=0.5, transpositions=true, \
     tactics=solver+threats)",
)];

static BUILT: AtomicU64 = AtomicU64::new(0);

/// How many games have been built.
pub fn built() -> u64 {
    BUILT.load(Ordering::Relaxed)
}

/// Builds the game that a resolved spec names and hands it to the visitor.
pub fn with_game<V: Visitor>(spec: &Spec, visitor: V) -> Result<V::Out> {
    BUILT.fetch_add(1, Ordering::Relaxed);
    build(spec, false, visitor)
}

fn build<V: Visitor>(spec: &Spec, misere: bool, visitor: V) -> Result<V::Out> {
    let options = Options::new(&spec.parts[0]);
    if options.name() == MISERE.name {
        return match options.spec_or_none("game") {
            Some(inner) => build(inner, !misere, visitor),
            None => Err(crate::types::Error::new("misere needs a game: misere(breakthrough)")),
        };
    }
    macro_rules! dispatch {
        ($($game:ty),*) => {
            match options.name() {
                $(name if name == <$game as Rules>::INFO.name => {
                    let game = <$game>::from_options(&options)?;
                    if misere && <$game>::HIDDEN {
                        return Err(crate::types::Error::new(format!(
                            "misere needs a game without hidden information, not {name}")));
                    }
                    Ok(visitor.visit(Variant { game, misere }))
                })*
                other => unreachable!("{other} was resolved but is not in the list of games"),
            }
        };
    }
    games!(dispatch)
}
