//! Decisions of Mr Jack drawn at random: uniformly in stages, or among those that win for certain.

use super::super::whistle::Weights;
use super::*;
use crate::types::Rng;

/// Draws of a whistle before it is listed instead; almost all succeed at once.
const DRAWS: usize = 64;

impl MrJack {
    /// One of the uses of a key, each equally often.
    #[inline]
    pub fn random_use(&self, state: &State, character: usize, destination: usize, rng: &mut Rng) -> Move {
        let ends = destination != SWAP && destination >= STREETS;
        let power = match character {
            _ if ends => return self.listed_use(state, character, destination, rng),
            WATSON => 1 + rng.below(6),
            SMITH => {
                let lit = state.lit();
                let count = lit.count_ones() as usize;
                let choice = rng.below(count * (LAMPS - count));
                1 + 8 * nth(lit as u64, choice % count) + nth(!lit as u64, choice / count)
            }
            LESTRADE => {
                let choice = rng.below(4);
                1 + 4 * nth(state.cordons as u64, choice & 1) + nth(!state.cordons as u64, choice >> 1)
            }
            BERT if self.range(state, BERT, self.open(state)).0 >> destination & 1 == 1 => {
                let open = self.open(state);
                let count = open.count_ones() as usize;
                let choice = rng.below(2 * count);
                let (opened, covered) = (nth(state.covers, choice & 1), nth(open, choice >> 1));
                1 + self.cover_code(false, opened, covered) as usize
            }
            GULL if destination != SWAP && !self.gull_and => 0,
            GOODLEY => {
                let drawn = self.draw_whistle(state, destination, rng);
                return drawn.unwrap_or_else(|| self.listed_use(state, character, destination, rng));
            }
            BERT | GULL => return self.listed_use(state, character, destination, rng),
            _ => 0,
        };
        pack(character, destination, power as u32)
    }

    fn listed_use(&self, state: &State, character: usize, destination: usize, rng: &mut Rng) -> Move {
        let mut moves = Vec::new();
        self.uses_of_key(state, character, destination, &mut moves);
        moves[rng.below(moves.len())]
    }

    /// A whistle drawn uniformly; None if it must be listed instead.
    fn draw_whistle(&self, state: &State, destination: usize, rng: &mut Rng) -> Option<Move> {
        Whistles::new(self, state, destination)?.draw(self, rng)
    }

    /// Appends so many of Goodley's uses for a street, drawn uniformly, some of them several times; false and
    /// nothing if they must be listed instead.
    pub(in crate::games::mr_jack) fn draw_uses(
        &self,
        state: &State,
        destination: usize,
        count: usize,
        rng: &mut Rng,
        moves: &mut Vec<Move>,
    ) -> bool {
        let Some(whistles) = Whistles::new(self, state, destination) else { return false };
        moves.extend((0..count).map_while(|_| whistles.draw(self, rng)));
        !moves.is_empty()
    }

    /// A card, then one of its destinations, then a use of the power, each uniformly.
    #[inline]
    pub(in crate::games::mr_jack) fn random_decision(
        &self,
        state: &State,
        accusable: u8,
        rng: &mut Rng,
    ) -> Move {
        let (character, destination) = self.random_key(state, accusable, rng);
        self.random_use(state, character, destination, rng)
    }

    /// A card, then one of its destinations.
    #[inline]
    pub(in crate::games::mr_jack) fn random_key(
        &self,
        state: &State,
        accusable: u8,
        rng: &mut Rng,
    ) -> (usize, usize) {
        let count = state.hand.count_ones() as usize;
        let character = nth(state.hand as u64, rng.below(count));
        let set = self.destinations(state, character, accusable);
        (character, nth_destination(set, rng.below(set.count_ones() as usize)))
    }

    /// The destinations that win for certain with this card: Jack's exits, and for the detective the arrest
    /// of the only suspect left in his view.
    #[inline]
    pub fn winning_destinations(&self, state: &State, character: usize) -> u128 {
        if state.side() == JACK {
            if !self.may_escape(state, character) {
                return 0;
            }
            return (self.reach(state, character).all_gates as u128) << FIRST_EXIT;
        }
        let suspects = self.suspects(state);
        if suspects.count_ones() != 1 {
            return 0;
        }
        self.destinations(state, character, suspects) & ACCUSE_BITS
    }

    /// A decision of a side that wins if it can do so for certain, and in which the detective accuses in no
    /// other case; otherwise as [`random_move`](crate::game::FastPlay::random_move).
    #[inline]
    pub fn random_decisive_move(&self, state: &State, rng: &mut Rng) -> Move {
        self.winning_move(state, rng).unwrap_or_else(|| self.random_decision(state, 0, rng))
    }

    /// A random decision among those that win for certain.
    #[inline]
    pub(in crate::games::mr_jack) fn winning_move(&self, state: &State, rng: &mut Rng) -> Option<Move> {
        let possible = if state.side() == JACK {
            !state.seen && state.hand >> state.jack & 1 == 1
        } else {
            self.suspects(state).count_ones() == 1
        };
        if !possible {
            return None;
        }
        let mut cards = 0u64;
        for character in bits(state.hand as u64) {
            cards |= u64::from(self.winning_destinations(state, character) != 0) << character;
        }
        if cards == 0 {
            return None;
        }
        let character = nth(cards, rng.below(cards.count_ones() as usize));
        let set = self.winning_destinations(state, character);
        let destination = nth_destination(set, rng.below(set.count_ones() as usize));
        Some(self.random_use(state, character, destination, rng))
    }
}

/// What Goodley's uses for a street are drawn from.
struct Whistles<'a> {
    state: &'a State,
    destination: usize,
    there: Option<(Weights, Call)>,
    before: Option<(Weights, Call)>,
    /// The sums of points allowed, in both calls.
    sums: (u8, u8),
}

impl Whistles<'_> {
    /// None if a sum of three is not certain in both calls.
    #[inline]
    fn new<'a>(game: &MrJack, state: &'a State, destination: usize) -> Option<Whistles<'a>> {
        let (there, before) = game.calls(state, destination);
        let rich = |call: &Option<Call>| call.as_ref().is_none_or(Call::is_rich);
        if !rich(&there) || !rich(&before) {
            return None;
        }
        let there = there.map(|call| (call.weights(game.loose), call));
        let before = before.map(|call| (call.weights(game.loose), call));
        // Both calls are rich, so their best sums are 3 and their least ones these.
        let sums = (if game.loose { 1 } else { 3 }, 3);
        Some(Whistles { state, destination, there, before, sums })
    }

    /// Draws from both calls at once and rejects what is illegal or the same decision twice. None if no draw
    /// succeeds: then the uses must be listed.
    #[inline]
    fn draw(&self, game: &MrJack, rng: &mut Rng) -> Option<Move> {
        let Whistles { state, destination, there, before, sums } = self;
        let count = there.as_ref().map_or(0, |(weights, _)| weights.total);
        let total = count + before.as_ref().map_or(0, |(weights, _)| weights.total);
        for _ in 0..DRAWS {
            let later = (rng.below(total as usize) as u32) < count;
            let drawn = match (later, there, before) {
                (true, Some((weights, call)), _) | (false, _, Some((weights, call))) => {
                    call.draw(weights, rng)
                }
                _ => None,
            };
            let Some(whistle) = drawn else { continue };
            if !later {
                let twice = there.as_ref().is_some_and(|(_, call)| call.allows(&whistle, *sums));
                if twice || !game.leaves_free(state, &whistle, *destination) {
                    continue;
                }
            }
            let code = whistle.pack(&game.map, state) << 1 | u32::from(!later);
            return Some(pack(GOODLEY, *destination, code));
        }
        None
    }
}
