//! What has been read and built of late, by its text, so that a text that is given again is neither read nor built again.

use std::sync::{Arc, Mutex, MutexGuard};

use super::AnyGame;
use super::built::Built;
use crate::catalogue;
use crate::game::{Game, Variant};
use crate::games::{Visitor, with_game};
use crate::spec::{Family, Spec};
use crate::types::Result;

/// Values by name, the latest last. When there are more than `MOST`, the oldest that nobody else holds goes.
struct Recent<T: ?Sized, const MOST: usize>(Mutex<Vec<(String, Arc<T>)>>);

impl<T: ?Sized, const MOST: usize> Recent<T, MOST> {
    const fn new() -> Self {
        Recent(Mutex::new(Vec::new()))
    }

    fn locked(&self) -> MutexGuard<'_, Vec<(String, Arc<T>)>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn get(&self, name: &str) -> Option<Arc<T>> {
        let mut known = self.locked();
        let at = known.iter().position(|(known, _)| known == name)?;
        known[at..].rotate_left(1);
        known.last().map(|(_, value)| value.clone())
    }

    /// The value of that name: this one, unless another thread was faster.
    fn keep(&self, name: &str, value: Arc<T>) -> Arc<T> {
        let mut known = self.locked();
        if let Some((_, known)) = known.iter().find(|(known, _)| known == name) {
            return known.clone();
        }
        if known.len() >= MOST
            && let Some(oldest) = known.iter().position(|(_, value)| Arc::strong_count(value) == 1)
        {
            known.remove(oldest);
        }
        known.push((name.to_string(), value.clone()));
        value
    }
}

/// More games than anybody plays at a time, and few enough to hold all they have built.
static GAMES: Recent<dyn AnyGame, 8> = Recent::new();
static PLAYERS: Recent<Spec, 64> = Recent::new();

/// Builds the game that a resolved spec names.
fn build(spec: &Spec) -> Result<Arc<dyn AnyGame>> {
    struct Build<'a>(&'a Spec);
    impl Visitor for Build<'_> {
        type Out = Arc<dyn AnyGame>;
        fn visit<G: Game>(self, variant: Variant<G>) -> Self::Out {
            Arc::new(Built::new(self.0.clone(), variant))
        }
    }
    with_game(spec, Build(spec))
}

/// The game that a resolved spec names. One from outside the process is built anew: its source may have changed.
pub fn game(spec: &Spec) -> Result<Arc<dyn AnyGame>> {
    if catalogue::reaches_outside(spec) {
        return build(spec);
    }
    let text = spec.to_string();
    match GAMES.get(&text) {
        Some(known) => Ok(known),
        None => Ok(GAMES.keep(&text, build(spec)?)),
    }
}

/// The same from its text.
pub fn game_named(text: &str) -> Result<Arc<dyn AnyGame>> {
    match GAMES.get(text) {
        Some(known) => Ok(known),
        None => game(&catalogue::read(Family::Game, text)?),
    }
}

/// The resolved spec of a player.
pub fn player_named(text: &str) -> Result<Arc<Spec>> {
    match PLAYERS.get(text) {
        Some(known) => Ok(known),
        None => Ok(PLAYERS.keep(text, Arc::new(catalogue::read(Family::Player, text)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_built_once_however_it_is_written() {
        let (text, full) = ("domineering(rows=7,columns=5)", "domineering(rows=7, columns=5)");
        let game = game_named(text).unwrap();
        assert_eq!(game.text(), full);
        assert!(Arc::ptr_eq(&game, &game_named(full).unwrap()));
        assert!(Arc::ptr_eq(&game, &game_named(" domineering ( columns = 5, rows = 7 ) ").unwrap()));
        assert!(!Arc::ptr_eq(&game, &game_named("domineering(rows=5, columns=7)").unwrap()));
        // Whatever begins there has the same handle.
        let state = game.clone().start(None, 1.into()).unwrap();
        assert!(Arc::ptr_eq(&game, &state.game()));
        assert!(Arc::ptr_eq(&game, &state.copy().game()));
        assert!(game_named("domineering(rows=1000)").is_err());
    }

    #[test]
    fn a_player_is_read_once() {
        let player = player_named("uct(simulations=71)").unwrap();
        assert!(Arc::ptr_eq(&player, &player_named("uct(simulations=71)").unwrap()));
        assert!(player_named("uct(simulatons=71)").is_err());
    }

    #[test]
    fn the_latest_are_remembered_and_those_that_somebody_holds() {
        let recent: Recent<usize, 3> = Recent::new();
        for (value, name) in ["a", "b", "c"].into_iter().enumerate() {
            assert_eq!(*recent.keep(name, Arc::new(value)), value);
        }
        assert_eq!(*recent.keep("a", Arc::new(7)), 0, "what was there stays");
        let names = || recent.locked().iter().map(|(name, _)| name.clone()).collect::<String>();
        assert_eq!(recent.get("a").as_deref(), Some(&0));
        assert_eq!(names(), "bca");
        recent.keep("d", Arc::new(3));
        assert_eq!((names().as_str(), recent.get("b")), ("cad", None));
        let held = recent.get("a");
        let (_c, _d) = (recent.get("c"), recent.get("d"));
        recent.keep("e", Arc::new(4));
        assert_eq!(names(), "acde", "all others are held");
        drop(held);
        recent.keep("b", Arc::new(1));
        assert_eq!(names(), "cdeb");
    }
}
