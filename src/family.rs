//! Families of parts: the macro that makes a family of the list of its members, and what members are built from.

use std::sync::Arc;

use crate::game::{Game, Variant};
use crate::scripts::PlayerFiles;

/// What a part is built from, besides its own options.
pub struct Context<'a, G: Game> {
    pub variant: &'a Arc<Variant<G>>,
    pub files: &'a PlayerFiles,
    /// Names what is drawn once per game.
    pub game_seed: u64,
}

/// Makes a family of its list. A member is a module with `INFO`, its entry in the catalogue, and a function `build`, which
/// takes its resolved options and the arguments named here, and refuses what the game cannot serve.
///
/// `members! { fn build_one<G>(context: &Context<G>) -> Result<Box<dyn Prior<G>>>; knowledge, patterns }` makes `infos`,
/// the entries of the catalogue, and `build_one(options, context)`. Another name than `infos` may stand after the type.
macro_rules! members {
    (fn $build:ident $(<$game:ident>)? ($($argument:ident: $of:ty),*) -> $built:ty; $($member:ident),+ $(,)?) => {
        $crate::family::members! {
            fn $build $(<$game>)? ($($argument: $of),*) -> $built, infos;
            $($member),+
        }
    };
    (
        fn $build:ident $(<$game:ident>)? ($($argument:ident: $of:ty),*) -> $built:ty, $infos:ident;
        $($member:ident),+ $(,)?
    ) => {
        /// The entries of the catalogue.
        pub fn $infos() -> Vec<$crate::spec::PartInfo> {
            vec![$($member::INFO),+]
        }

        /// Builds the member that resolved options belong to; refuses what the game cannot serve.
        fn $build$(<$game: $crate::game::Game>)?(options: &$crate::spec::Options, $($argument: $of),*) -> $built {
            let build = match options.name() {
                $(name if name == $member::INFO.name => $member::build,)+
                other => unreachable!("{other} was resolved but is not in the list of its family"),
            };
            build(options, $($argument),*)
        }
    };
}
pub(crate) use members;
