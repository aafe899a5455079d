//! What all fits have in common: the likeliest parameters of a model, and how sure they are.
//!
//! The logarithm of the likelihood is concave in all our models, so Newton's method with halved steps finds its only
//! maximum. Every sum runs over sorted maps: the order in which games were added changes no bit.

mod graph;
mod matrix;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

pub use graph::Parts;
pub(crate) use matrix::{Matrix, dot};

use crate::math::{ELO_PER_NAT, log_sigmoid, sigmoid};
use crate::ratings::{NoFit, Ratings};

/// More players would need gigabytes, and minutes.
pub(crate) const MAX_PLAYERS: usize = 2000;

/// The fewest and the most virtual games of a prior, if it has any.
pub(crate) const PRIORS: RangeInclusive<f64> = 0.01..=1e6;

/// Beside more games the digits of a single virtual one are lost.
pub(crate) const MAX_GAMES: f64 = 1e10;

/// A maximum is found when no parameter would move by more (nats).
const SETTLED: f64 = 1e-10;

/// Nearer to the maximum than this, a step that is no shorter than half of the last one is rounding.
const NEAR: f64 = 1e-5;

/// A clean sweep of as many games as there may be takes fewer than fifty: far out a step is about one nat. What goes on
/// has no end.
const MAX_ROUNDS: usize = 100;

/// Games by blocks: how often each block was seen. A block is sorted, so that the order of its games does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Blocks<G> {
    pub(crate) n_players: usize,
    seen: BTreeMap<Vec<G>, u64>,
}

impl<G: Ord + Clone> Blocks<G> {
    pub(crate) fn new(n_players: usize) -> Self {
        Self { n_players, seen: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, mut block: Vec<G>, times: u64) {
        if block.is_empty() || times == 0 {
            return;
        }
        block.sort_unstable();
        let seen = self.seen.entry(block).or_default();
        *seen = seen.saturating_add(times);
    }

    /// How often each game was seen.
    fn games(&self) -> BTreeMap<&G, f64> {
        let mut games = BTreeMap::new();
        for (block, &times) in &self.seen {
            for game in block {
                *games.entry(game).or_default() += times as f64;
            }
        }
        games
    }

    /// Every game that was seen, as often as it stands in different blocks.
    pub(crate) fn each(&self) -> impl Iterator<Item = &G> {
        self.seen.keys().flatten()
    }
}

/// A model of how likely a game is. Its parameters are the strengths of the players, in nats, and then its own.
pub(crate) trait Model {
    type Game: Ord + Clone;

    /// Where its own parameters begin.
    fn start(&self) -> Vec<f64>;

    /// Whether there is a likelihood at these parameters.
    fn admits(&self, _params: &[f64]) -> bool {
        true
    }

    /// The logarithm of the likelihood of a game, with its derivatives.
    fn term(&mut self, params: &[f64], game: &Self::Game, term: &mut Term);

    /// Calls `beats` with each pair of which the first one won or drew against the second.
    fn results(game: &Self::Game, beats: impl FnMut(usize, usize));
}

/// One game's part of the likelihood.
#[derive(Default, Debug)]
pub(crate) struct Term {
    pub(crate) value: f64,
    /// Which parameters it depends on.
    pub(crate) params: Vec<usize>,
    /// The derivative by each of them.
    pub(crate) gradient: Vec<f64>,
    /// The negative second derivatives, row by row.
    pub(crate) information: Vec<f64>,
}

impl Term {
    /// Of a game that depends on these parameters, before anything is added.
    pub(crate) fn begin(&mut self, params: impl IntoIterator<Item = usize>) {
        self.params.clear();
        self.params.extend(params);
        self.value = 0.0;
        self.gradient.clear();
        self.gradient.resize(self.params.len(), 0.0);
        self.information.clear();
        self.information.resize(self.params.len() * self.params.len(), 0.0);
    }

    pub(crate) fn add_information(&mut self, row: usize, col: usize, value: f64) {
        let n = self.params.len();
        self.information[row * n + col] += value;
    }
}

/// The logarithm of the likelihood of everything, with its derivatives.
struct System {
    value: f64,
    gradient: Vec<f64>,
    information: Matrix,
}

/// A model, what was seen, and the prior.
pub(crate) struct Problem<'a, M: Model> {
    model: M,
    n_players: usize,
    games: Vec<(&'a M::Game, f64)>,
    prior: f64,
    /// Without a prior only differences are determined: this player stays at 0.
    fixed: Option<usize>,
    term: Term,
}

impl<M: Model> Problem<'_, M> {
    fn system(&mut self, params: &[f64]) -> System {
        let mut system =
            System { value: 0.0, gradient: vec![0.0; params.len()], information: Matrix::zero(params.len()) };
        for &(game, times) in &self.games {
            self.model.term(params, game, &mut self.term);
            let term = &self.term;
            system.value += times * term.value;
            let rows = term.information.chunks_exact(term.params.len());
            for ((&row, slope), information) in term.params.iter().zip(&term.gradient).zip(rows) {
                system.gradient[row] += times * slope;
                for (&col, value) in term.params.iter().zip(information) {
                    system.information.add(row, col, times * value);
                }
            }
        }
        if self.prior > 0.0 {
            for (player, &strength) in params.iter().enumerate().take(self.n_players) {
                let half = self.prior / 2.0;
                system.value += half * (log_sigmoid(strength) + log_sigmoid(-strength));
                system.gradient[player] += half * (sigmoid(-strength) - sigmoid(strength));
                let information = self.prior * sigmoid(strength) * sigmoid(-strength);
                system.information.add(player, player, information);
            }
        }
        if let Some(fixed) = self.fixed {
            system.gradient[fixed] = 0.0;
            system.information.isolate(fixed, 1.0);
        }
        system
    }

    /// The likeliest parameters, and the system there.
    fn maximum(&mut self) -> Result<(Vec<f64>, System), NoFit> {
        let mut params = vec![0.0; self.n_players];
        params.extend(self.model.start());
        let mut system = self.system(&params);
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            let step = system.information.cholesky().ok_or(NoFit::Undetermined)?.solve(&system.gradient);
            let largest = step.iter().fold(0.0, |largest: f64, step| largest.max(step.abs()));
            (params, system) = self.go(&params, &system, &step)?;
            if largest <= SETTLED || (largest <= NEAR && largest >= last / 2.0) {
                return Ok((params, system));
            }
            last = largest;
        }
        Err(NoFit::Undetermined)
    }

    /// Goes this step, or less of it where it leads too far beyond the maximum on its line: where the slope is against
    /// it by more than half of what it was in its favour.
    fn go(&mut self, params: &[f64], from: &System, step: &[f64]) -> Result<(Vec<f64>, System), NoFit> {
        let slope = dot(&from.gradient, step);
        let mut length = 1.0;
        while length > f64::EPSILON {
            let to: Vec<f64> = params.iter().zip(step).map(|(param, step)| param + length * step).collect();
            if self.model.admits(&to) {
                let system = self.system(&to);
                // Not true of what is no number.
                if dot(&system.gradient, step) >= -slope / 2.0 - f64::EPSILON {
                    return Ok((to, system));
                }
            }
            length /= 2.0;
        }
        Err(NoFit::Undetermined)
    }

    /// The sum of the squares of each block's gradient: what the information would be if the model were true and the
    /// games of a block independent.
    fn squares(&mut self, params: &[f64], blocks: &Blocks<M::Game>) -> Matrix {
        let mut squares = Matrix::zero(params.len());
        let mut gradient = vec![0.0; params.len()];
        let mut touched = BTreeSet::new();
        for (block, &times) in &blocks.seen {
            for game in block {
                self.model.term(params, game, &mut self.term);
                for (&param, slope) in self.term.params.iter().zip(&self.term.gradient) {
                    gradient[param] += slope;
                    touched.insert(param);
                }
            }
            for &row in &touched {
                for &col in &touched {
                    squares.add(row, col, times as f64 * gradient[row] * gradient[col]);
                }
            }
            while let Some(param) = touched.pop_first() {
                gradient[param] = 0.0;
            }
        }
        squares
    }

    /// Virtual games are blocks of their own, so that draws alone are not certainty.
    fn add_virtual_squares(&self, params: &[f64], squares: &mut Matrix) {
        for (player, &strength) in params.iter().enumerate().take(self.n_players) {
            let (win, loss) = (sigmoid(strength), sigmoid(-strength));
            squares.add(player, player, self.prior / 2.0 * (win * win + loss * loss));
        }
    }
}

/// Who is connected with whom in these games.
pub(crate) fn parts<M: Model>(blocks: &Blocks<M::Game>) -> Parts {
    let mut beaten = BTreeSet::new();
    for game in blocks.each() {
        M::results(game, |winner, loser| {
            beaten.insert((winner, loser));
        });
    }
    Parts::new(blocks.n_players, &beaten)
}

/// The likeliest ratings, with the parameters of the model's own.
pub(crate) fn fit<M: Model>(
    model: M,
    blocks: &Blocks<M::Game>,
    prior: f64,
) -> Result<(Ratings, Vec<f64>), NoFit> {
    fit_with(model, blocks, prior, |problem, params| problem.squares(params, blocks))
}

/// The same where `squares` knows better which games depend on each other: the sum of the squares of each block's
/// gradient, at these parameters.
pub(crate) fn fit_with<M: Model>(
    model: M,
    blocks: &Blocks<M::Game>,
    prior: f64,
    squares: impl FnOnce(&mut Problem<'_, M>, &[f64]) -> Matrix,
) -> Result<(Ratings, Vec<f64>), NoFit> {
    let n_players = blocks.n_players;
    if n_players > MAX_PLAYERS {
        return Err(NoFit::Players(n_players));
    }
    if prior.total_cmp(&0.0).is_ne() && !PRIORS.contains(&prior) {
        return Err(NoFit::Prior(prior));
    }
    let parts = parts::<M>(blocks);
    if prior <= 0.0 && parts.strong.len() > 1 {
        return Err(NoFit::Parts(parts));
    }
    let games: Vec<(&M::Game, f64)> = blocks.games().into_iter().collect();
    let n_games: f64 = games.iter().map(|(_, times)| times).sum();
    if n_games > MAX_GAMES {
        return Err(NoFit::Games(n_games));
    }
    let mut problem = Problem { model, n_players, games, prior, fixed: None, term: Term::default() };
    if prior <= 0.0 {
        // Whoever has played most: rounding is least where it says least.
        let start = vec![0.0; n_players].into_iter().chain(problem.model.start()).collect::<Vec<_>>();
        let information = problem.system(&start).information;
        problem.fixed = (0..n_players)
            .rev()
            .max_by(|&one, &other| information.at(one, one).total_cmp(&information.at(other, other)));
    }
    let (params, system) = problem.maximum()?;
    let mut inverse = system.information.cholesky().ok_or(NoFit::Undetermined)?.inverse();
    if let Some(fixed) = problem.fixed {
        inverse.isolate(fixed, 0.0);
    }
    let mut squares = squares(&mut problem, &params);
    problem.add_virtual_squares(&params, &mut squares);
    let robust = inverse.around(&squares);
    let (strengths, own) = params.split_at(n_players);
    let zero = if prior > 0.0 { 0.0 } else { strengths.iter().sum::<f64>() / n_players.max(1) as f64 };
    let elo = strengths.iter().map(|strength| (strength - zero) * ELO_PER_NAT).collect();
    let in_elo = |matrix: &Matrix| matrix.corner(n_players, ELO_PER_NAT * ELO_PER_NAT);
    Ok((Ratings::new(elo, system.value, in_elo(&inverse), in_elo(&robust), parts), own.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A coin, begun far from where it belongs.
    struct Coin;

    impl Model for Coin {
        type Game = bool;

        fn start(&self) -> Vec<f64> {
            vec![10.0]
        }

        fn term(&mut self, params: &[f64], heads: &bool, term: &mut Term) {
            let lead = if *heads { params[0] } else { -params[0] };
            term.begin([0]);
            term.value = log_sigmoid(lead);
            term.gradient[0] = sigmoid(-lead) * if *heads { 1.0 } else { -1.0 };
            term.add_information(0, 0, sigmoid(lead) * sigmoid(-lead));
        }

        fn results(_: &bool, _: impl FnMut(usize, usize)) {}
    }

    #[test]
    fn a_step_that_leads_too_far_is_halved() {
        let mut blocks = Blocks::new(0);
        blocks.add(vec![true], 3);
        blocks.add(vec![false], 1);
        // The first step would be one of some thousand nats.
        let (_, own) = fit(Coin, &blocks, 0.0).unwrap();
        assert!((own[0] - libm::log(3.0)).abs() < 1e-12, "{own:?}");
    }

    #[test]
    fn what_has_no_end_is_no_fit() {
        let mut blocks = Blocks::new(0);
        blocks.add(vec![true], 3);
        assert_eq!(fit(Coin, &blocks, 0.0).unwrap_err(), NoFit::Undetermined);
    }
}
