//! What a search tells about itself: reports, tables over moves, the lines it expects, and the final move.

use super::{Final, Search};
use crate::game::Game;
use crate::tree::{Amaf, AmafNeed, EdgeId, MoveTable, Proof, ROOT, Scale};
use crate::types::{Move, Rng, Side};

/// What the tables of the search itself say.
pub const VISITS: &str = "simulations that began with the move";
pub const VALUE: &str = "mean result of those simulations";
const AMAF: &str = "mean result of all simulations in which the move was played later";

/// What a search knows about one move of the root, for the side to move there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStat {
    pub mv: Move,
    pub visits: u64,
    /// Sum of results in 0..1.
    pub score: f64,
    pub proof: Proof,
    /// The simulations in which it was played anywhere later, where the search counts them.
    pub amaf: Option<Amaf>,
}

impl MoveStat {
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.score / self.visits as f64)
    }
}

/// What a player has found out about a state.
#[derive(Clone, Debug)]
pub struct Report {
    pub best: Move,
    /// Most visited first; empty for players that do not count.
    pub moves: Vec<MoveStat>,
    /// The best move and the replies that the search expects.
    pub line: Vec<Move>,
    pub simulations: u64,
    pub states: u64,
    pub seconds: f64,
    pub nodes: u64,
    pub bytes: u64,
    /// The simulation at which the memory was used up; the tree has not grown since.
    pub full_at: Option<u64>,
    /// What a reader of the result should know.
    pub notes: Vec<String>,
}

impl<G: Game> Search<G> {
    pub fn report(&self) -> Report {
        let root_stat = |edge| self.root_stat(edge);
        let mut moves: Vec<MoveStat> = self.root_edges().into_iter().map(root_stat).collect();
        moves.extend(self.core.tree.untried(ROOT).map(root_stat));
        let mut ties = Rng::stream(&[self.tie_seed, self.core.counts.simulations]);
        let final_move =
            best_of(&moves, self.core.parts.settings.final_move, &mut ties).map(|at| moves[at].mv);
        let best = match self.planned_move().or(final_move) {
            Some(mv) => mv,
            None => self.core.variant.game.random_move(&self.core.root, &mut ties),
        };
        moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.score.total_cmp(&a.score)).then(a.mv.cmp(&b.mv)));
        let mut notes = self.seat.chain.notes();
        notes.extend(self.core.parts.root.iter().flat_map(|root| root.notes()));
        if self.core.lost {
            notes.push("the position is lost: visits and values are those of a search without proofs".into());
        }
        Report {
            best,
            line: self.line(best, &mut ties),
            moves,
            simulations: self.core.counts.simulations,
            states: self.core.counts.states,
            seconds: self.core.counts.seconds,
            nodes: self.core.tree.node_count() as u64,
            bytes: self.core.tree.bytes() as u64,
            full_at: self.core.counts.full_at,
            notes,
        }
    }

    /// The move that a plan for the whole decision ends with; a proven win needs none.
    fn planned_move(&self) -> Option<Move> {
        let root = self.core.parts.root.as_ref()?;
        let won = |edge: EdgeId| self.core.tree.proof(edge) == Proof::Win;
        if self.core.tree.children(ROOT).any(won) {
            return None;
        }
        root.best(&self.core.tree).map(|edge| self.core.tree.mv(edge))
    }

    /// What the search knows of the root's moves, by slot, and what its policies have learnt; empty for a game
    /// without slots.
    pub fn tables(&self) -> Vec<MoveTable> {
        let slots = self.core.variant.game.slots();
        if slots == 0 {
            return Vec::new();
        }
        let side = Some(self.core.variant.game.side_to_move(&self.core.root));
        let mut visits = vec![None; slots];
        let mut value = vec![None; slots];
        // Where several moves share a slot, the most visited speaks for it.
        let mut edges = self.root_edges();
        edges.sort_by_key(|&edge| self.core.tree.visits(edge));
        for edge in edges {
            let slot = self.core.tree.slot(edge);
            visits[slot] = Some(self.core.tree.visits(edge) as f32);
            value[slot] = self.core.tree.mean(edge).map(|mean| mean as f32);
        }
        let mut tables = vec![
            MoveTable { name: "visits", side, scale: Scale::Count, doc: VISITS, values: visits },
            MoveTable { name: "value", side, scale: Scale::Rate, doc: VALUE, values: value },
        ];
        if self.core.frame.layout.amaf != AmafNeed::None {
            let means = |row: &[Amaf]| row.iter().map(|amaf| amaf.mean()).collect();
            tables.push(MoveTable {
                name: "amaf",
                side,
                scale: Scale::Rate,
                doc: AMAF,
                values: means(self.core.tree.amaf(ROOT)),
            });
            if self.core.frame.layout.amaf == AmafNeed::Both {
                let other = side.map(Side::other);
                tables.push(MoveTable {
                    name: "amaf",
                    side: other,
                    scale: Scale::Rate,
                    doc: AMAF,
                    values: means(self.core.tree.amaf_other(ROOT)),
                });
            }
        }
        tables.extend(self.core.parts.selection.tables());
        tables.extend(self.seat.chain.tables(&self.core.tree));
        tables
    }

    /// The edges of the root that may be selected.
    fn root_edges(&self) -> Vec<EdgeId> {
        match self.worlds() {
            Some(worlds) => worlds.root_edges().collect(),
            None => self.core.tree.children(ROOT).collect(),
        }
    }

    /// The same as `stat` for an edge of the root, with its AMAF.
    fn root_stat(&self, edge: EdgeId) -> MoveStat {
        let stat = self.stat(edge);
        let amaf = self.core.tree.amaf(ROOT).get(self.core.tree.slot(edge)).copied();
        MoveStat { proof: if self.core.lost { Proof::Loss } else { stat.proof }, amaf, ..stat }
    }

    fn stat(&self, edge: EdgeId) -> MoveStat {
        MoveStat {
            mv: self.core.tree.mv(edge),
            visits: self.core.tree.visits(edge) as u64,
            score: self.core.tree.score(edge),
            proof: self.core.tree.proof(edge),
            amaf: None,
        }
    }

    fn line(&self, best: Move, ties: &mut Rng) -> Vec<Move> {
        let mut line = vec![best];
        // In sampled worlds the replies depend on what is hidden: the best move alone is certain.
        if let Some(edge) = self.core.tree.children(ROOT).find(|&edge| self.core.tree.mv(edge) == best) {
            self.extend_line(edge, &mut line, ties);
        }
        line
    }

    /// Appends the moves that the search expects after the move of an edge.
    fn extend_line(&self, edge: EdgeId, line: &mut Vec<Move>, ties: &mut Rng) {
        let mut at = Some(edge);
        while let Some(node) = at.and_then(|edge| self.core.tree.behind(edge)) {
            let edges: Vec<EdgeId> = self.core.tree.children(node).collect();
            let stats: Vec<MoveStat> = edges.iter().map(|&edge| self.stat(edge)).collect();
            let Some(next) = best_of(&stats, self.core.parts.settings.final_move, ties) else { break };
            line.push(stats[next].mv);
            at = Some(edges[next]);
        }
    }

    /// The children of the node that a line of moves leads to, most visited first, each with the moves that the
    /// search expects from it on (the first `most` only; one move for the others). None if the tree ends before.
    pub fn explore(&self, moves: &[Move], most: usize) -> Option<Vec<(MoveStat, Vec<Move>)>> {
        let mut node = ROOT;
        for &mv in moves {
            let edge = self.core.tree.children(node).find(|&edge| self.core.tree.mv(edge) == mv)?;
            node = self.core.tree.behind(edge)?;
        }
        let edges = if node == ROOT { self.root_edges() } else { self.core.tree.children(node).collect() };
        let stat = |edge| if node == ROOT { self.root_stat(edge) } else { self.stat(edge) };
        let mut children: Vec<(MoveStat, EdgeId)> =
            edges.into_iter().map(|edge| (stat(edge), edge)).collect();
        children.sort_by(|(a, _), (b, _)| {
            b.visits.cmp(&a.visits).then(b.score.total_cmp(&a.score)).then(a.mv.cmp(&b.mv))
        });
        let mut ties = Rng::stream(&[self.tie_seed, self.core.counts.simulations]);
        let with_line = children.into_iter().enumerate().map(|(rank, (stat, edge))| {
            let mut line = vec![stat.mv];
            if rank < most {
                self.extend_line(edge, &mut line, &mut ties);
            }
            (stat, line)
        });
        Some(with_line.collect())
    }
}

/// The index of the final move. `Visits`: the most visited, then the better mean. `Score`: the best mean of
/// those with a real visit and at least `min_visits`, then the more visited; where none has so many, of the most
/// visited. What is still equal is drawn. None if nothing was visited.
///
/// Proofs go first: a proven win is played, a proven loss only if nothing else is left, a proven draw if
/// what the rule chooses among the open moves is doing worse.
pub fn best_of(moves: &[MoveStat], rule: Final, ties: &mut Rng) -> Option<usize> {
    let mut with = |proof: Proof| best_visited(moves, rule, ties, |stat| stat.proof == proof);
    if let Some(win) = with(Proof::Win) {
        return Some(win);
    }
    match (with(Proof::None), with(Proof::Draw)) {
        (Some(open), Some(draw)) => Some(if moves[open].mean() < Some(0.5) { draw } else { open }),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => {
            let is_unknown = |&at: &usize| moves[at].visits == 0 && moves[at].proof == Proof::None;
            let unvisited: Vec<usize> = (0..moves.len()).filter(is_unknown).collect();
            match with(Proof::Loss) {
                Some(_) if !unvisited.is_empty() => Some(unvisited[ties.below(unvisited.len())]),
                lost => lost,
            }
        }
    }
}

/// The best of the visited moves among those that are `meant`.
fn best_visited(
    moves: &[MoveStat],
    rule: Final,
    ties: &mut Rng,
    meant: impl Fn(&MoveStat) -> bool,
) -> Option<usize> {
    let rank = |stat: &MoveStat| {
        let mean = stat.mean().unwrap_or(-1.0);
        match rule {
            Final::Visits => (stat.visits as f64, mean),
            Final::Score { .. } => (mean, stat.visits as f64),
        }
    };
    let mut best: Vec<usize> = Vec::new();
    // A win may be proven before its first visit.
    let counts = |stat: &MoveStat| stat.visits > 0 || stat.proof == Proof::Win;
    let meant = || moves.iter().enumerate().filter(|(_, stat)| counts(stat) && meant(stat));
    let least = match rule {
        Final::Visits => 0,
        Final::Score { min_visits } => {
            meant().map(|(_, stat)| stat.visits).max().map_or(0, |most| most.min(min_visits))
        }
    };
    for (at, stat) in meant().filter(|(_, stat)| stat.visits >= least) {
        let order =
            best.first().map(|&b| rank(stat).partial_cmp(&rank(&moves[b])).expect("means are numbers"));
        match order {
            None | Some(std::cmp::Ordering::Greater) => best = vec![at],
            Some(std::cmp::Ordering::Equal) => best.push(at),
            Some(std::cmp::Ordering::Less) => {}
        }
    }
    if best.is_empty() { None } else { Some(best[ties.below(best.len())]) }
}
