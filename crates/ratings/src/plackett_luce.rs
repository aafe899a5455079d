//! Ratings from games of two or more: the first place goes to a player with a chance in proportion to its strength, the
//! next one in the same way among the others, and so on.

use rookery_rules::MAX_SEATS;

use crate::fit::{self, Blocks, Model, Term};
use crate::ratings::{GameError, NoFit, Parts, Ratings};

/// A game: who was placed where. Seats do not matter, and neither do gaps between places.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Game {
    /// Place and player, the best first; places are counted without gaps.
    placed: Vec<(usize, usize)>,
}

impl Game {
    /// From the players, numbered from 0, and their places; those who tie share a place.
    ///
    /// ```
    /// use rookery_ratings::plackett_luce::Game;
    ///
    /// // Player 7 won, 2 and 4 share the second place.
    /// assert!(Game::new(&[2, 7, 4], &[2, 1, 2]).is_ok());
    /// assert!(Game::new(&[2, 2], &[1, 2]).is_err());
    /// ```
    pub fn new(players: &[usize], places: &[usize]) -> Result<Self, GameError> {
        if players.len() != places.len() || !(2..=MAX_SEATS).contains(&players.len()) {
            return Err(GameError::Table { players: players.len(), places: places.len() });
        }
        let mut order: Vec<(usize, usize)> = places.iter().copied().zip(players.iter().copied()).collect();
        order.sort_unstable();
        for (idx, &(_, player)) in order.iter().enumerate() {
            if order[..idx].iter().any(|&(_, other)| other == player) {
                return Err(GameError::Twice(player));
            }
        }
        let (mut last, mut rank) = (order[0].0, 0);
        for (place, _) in &mut order {
            if *place != last {
                (last, rank) = (*place, rank + 1);
            }
            *place = rank;
        }
        Ok(Self { placed: order })
    }
}

/// The games of all players, by blocks that depend on nothing outside. In which order they are added changes nothing.
///
/// ```
/// use rookery_ratings::plackett_luce::{Game, Results};
///
/// let mut results = Results::new(3);
/// for players in [[0, 1, 2], [0, 2, 1], [1, 0, 2]] {
///     results.add_block(&[Game::new(&players, &[1, 2, 3])?])?;
/// }
/// let ratings = results.fit(1.0)?;
/// assert!(ratings.elo()[0] > ratings.elo()[1] && ratings.elo()[1] > ratings.elo()[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Results {
    blocks: Blocks<Game>,
}

impl Results {
    /// Of so many players, before any game.
    pub fn new(n_players: usize) -> Self {
        Self { blocks: Blocks::new(n_players) }
    }

    /// So many players take part from now on, if there were fewer.
    pub fn grow(&mut self, n_players: usize) {
        self.blocks.n_players = self.blocks.n_players.max(n_players);
    }

    /// Adds the games of one block; nothing if one of them has a player that is not there.
    pub fn add_block(&mut self, games: &[Game]) -> Result<(), GameError> {
        self.add_blocks(games, 1)
    }

    /// Adds as many equal blocks.
    pub fn add_blocks(&mut self, games: &[Game], times: u64) -> Result<(), GameError> {
        let n_players = self.blocks.n_players;
        let mut players = games.iter().flat_map(|game| &game.placed).map(|&(_, player)| player);
        if let Some(player) = players.find(|&player| player >= n_players) {
            return Err(GameError::Player { player, n_players });
        }
        self.blocks.add(games.to_vec(), times);
        Ok(())
    }

    /// Who is connected with whom.
    pub fn parts(&self) -> Parts {
        fit::parts::<PlackettLuce>(&self.blocks)
    }

    /// The likeliest ratings; every player also has `prior` virtual games of two, half of them won, against an opponent
    /// of rating 0.
    pub fn fit(&self, prior: f64) -> Result<Ratings, NoFit> {
        Ok(fit::fit(PlackettLuce::default(), &self.blocks, prior)?.0)
    }
}

/// Scratch space of ties.
#[derive(Default)]
struct PlackettLuce {
    subsets: Vec<Tied>,
}

impl Model for PlackettLuce {
    type Game = Game;

    fn start(&self) -> Vec<f64> {
        vec![]
    }

    fn term(&mut self, params: &[f64], game: &Game, term: &mut Term) {
        term.begin(game.placed.iter().map(|&(_, player)| player));
        let mut strengths = [0.0; MAX_SEATS];
        for (strength, &(_, player)) in strengths.iter_mut().zip(&game.placed) {
            *strength = params[player];
        }
        let strengths = &strengths[..game.placed.len()];
        let mut begin = 0;
        for tie in game.placed.chunk_by(|one, other| one.0 == other.0) {
            let end = begin + tie.len();
            match tie.len() {
                // Among the last ones any order will do.
                _ if end == strengths.len() => {}
                1 => choose(strengths, begin, term),
                _ => self.choose_tied(strengths, begin, end, term),
            }
            begin = end;
        }
    }

    fn results(game: &Game, mut beats: impl FnMut(usize, usize)) {
        for &(place, player) in &game.placed {
            for &(other_place, other) in &game.placed {
                if player != other && place <= other_place {
                    beats(player, other);
                }
            }
        }
    }
}

impl PlackettLuce {
    /// Adds that those in `begin..end` came before all after them, in any order.
    fn choose_tied(&mut self, strengths: &[f64], begin: usize, end: usize, term: &mut Term) {
        let mut shares = [0.0; MAX_SEATS];
        let shares = &mut shares[end..strengths.len()];
        let rest = log_sum(&strengths[end..], shares);
        let tied = &strengths[begin..end];
        let n = tied.len();
        self.subsets.clear();
        self.subsets.push(Tied::default());
        for subset in 1..1usize << n {
            let next = Tied::of_subset(subset, tied, rest, &self.subsets);
            self.subsets.push(next);
        }
        let Some(all) = self.subsets.last() else { return };
        term.value += all.value;
        // The last variable is the rest as a whole, and each of the rest has its share in it.
        let by_rest = all.slope[n];
        for row in 0..n {
            term.gradient[begin + row] += all.slope[row];
            for col in 0..n {
                term.add_information(begin + row, begin + col, -all.curve[row][col]);
            }
            for (col, share) in (end..).zip(&*shares) {
                term.add_information(begin + row, col, -all.curve[row][n] * share);
                term.add_information(col, begin + row, -all.curve[row][n] * share);
            }
        }
        for (row, share) in (end..).zip(&*shares) {
            term.gradient[row] += by_rest * share;
            term.add_information(row, row, -by_rest * share);
            for (col, other) in (end..).zip(&*shares) {
                term.add_information(row, col, (by_rest - all.curve[n][n]) * share * other);
            }
        }
    }
}

/// Adds that the one at `begin` came before all after it.
fn choose(strengths: &[f64], begin: usize, term: &mut Term) {
    let mut shares = [0.0; MAX_SEATS];
    let shares = &mut shares[begin..strengths.len()];
    term.value += strengths[begin] - log_sum(&strengths[begin..], shares);
    term.gradient[begin] += 1.0;
    for (row, share) in (begin..).zip(&*shares) {
        term.gradient[row] -= share;
        term.add_information(row, row, *share);
        for (col, other) in (begin..).zip(&*shares) {
            term.add_information(row, col, -share * other);
        }
    }
}

/// The logarithm of the sum of `e^x`, and the share of each in it.
fn log_sum(logs: &[f64], shares: &mut [f64]) -> f64 {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for (share, log) in shares.iter_mut().zip(logs) {
        *share = libm::exp(log - top);
        sum += *share;
    }
    for share in shares {
        *share /= sum;
    }
    top + libm::log(sum)
}

/// The logarithm of the chance that a set of tied players comes before the rest, with its first and second derivatives
/// by the strength of each of them and, behind these, of the rest.
#[derive(Clone, Copy, Default)]
struct Tied {
    value: f64,
    slope: [f64; MAX_SEATS],
    curve: [[f64; MAX_SEATS]; MAX_SEATS],
}

impl Tied {
    /// Somebody of the set is first, and the others, of which this is known, come before the rest: the sum over who.
    fn of_subset(subset: usize, tied: &[f64], rest: f64, known: &[Self]) -> Self {
        let n = tied.len();
        let members = || (0..n).filter(|&member| subset & (1 << member) != 0);
        // The strengths of all that are left to be placed.
        let mut left = [f64::NEG_INFINITY; MAX_SEATS];
        for member in members() {
            left[member] = tied[member];
        }
        left[n] = rest;
        let mut chances = [0.0; MAX_SEATS];
        let all = log_sum(&left[..=n], &mut chances[..=n]);
        let mut ways = [f64::NEG_INFINITY; MAX_SEATS];
        for member in members() {
            ways[member] = tied[member] - all + known[subset & !(1 << member)].value;
        }
        let mut weights = [0.0; MAX_SEATS];
        let value = log_sum(&ways[..n], &mut weights[..n]);
        let mut sum = Self { value, ..Self::default() };
        for member in members() {
            let (weight, others) = (weights[member], &known[subset & !(1 << member)]);
            // The derivatives of one way: `tied[member] - all`, and those of the others.
            let mut slope = [0.0; MAX_SEATS];
            for idx in 0..=n {
                slope[idx] = others.slope[idx] - chances[idx] + if idx == member { 1.0 } else { 0.0 };
            }
            for row in 0..=n {
                sum.slope[row] += weight * slope[row];
                for col in 0..=n {
                    let curve =
                        others.curve[row][col] + chances[row] * chances[col] + slope[row] * slope[col];
                    sum.curve[row][col] += weight * curve;
                }
            }
        }
        for (row, chance) in chances[..=n].iter().enumerate() {
            sum.curve[row][row] -= chance;
            for col in 0..=n {
                sum.curve[row][col] -= sum.slope[row] * sum.slope[col];
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(params: &[f64], game: &Game) -> Term {
        let mut term = Term::default();
        PlackettLuce::default().term(params, game, &mut term);
        term
    }

    #[test]
    fn chances_of_all_orders_sum_to_one_and_ties_are_sums() {
        let params = [0.3, -1.0, 0.8, 0.1];
        let chance =
            |places: &[usize]| libm::exp(term(&params, &Game::new(&[0, 1, 2, 3], places).unwrap()).value);
        let mut sum = 0.0;
        for places in (0..256).map(|code| [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6]) {
            let mut sorted = places;
            sorted.sort_unstable();
            if sorted == [0, 1, 2, 3] {
                sum += chance(&places);
            }
        }
        assert!((sum - 1.0).abs() < 1e-14, "{sum}");
        let orders = chance(&[1, 2, 3, 4]) + chance(&[2, 1, 3, 4]);
        assert!((chance(&[1, 1, 3, 4]) - orders).abs() < 1e-15);
        assert!((chance(&[5, 5, 5, 5]) - 1.0).abs() < 1e-15, "any order will do");
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let params = [0.3, -1.0, 0.8, 0.1, -0.2, 0.5, 0.0, 1.5];
        let players = [0, 1, 2, 3, 4, 5, 6, 7];
        let h = 1e-5;
        for places in [
            [1, 2, 3, 4, 5, 6, 7, 8],
            [1, 1, 3, 3, 3, 6, 7, 7],
            [8, 1, 1, 1, 1, 1, 1, 1],
            [2, 1, 1, 1, 1, 2, 2, 2],
            [1, 1, 1, 1, 1, 1, 1, 1],
        ] {
            let game = Game::new(&players, &places).unwrap();
            let here = term(&params, &game);
            for (row, &player) in here.params.iter().enumerate() {
                let moved = |by: f64| {
                    let mut params = params;
                    params[player] += by;
                    term(&params, &game)
                };
                let (up, down) = (moved(h), moved(-h));
                assert!(
                    (here.gradient[row] - (up.value - down.value) / (2.0 * h)).abs() < 1e-8,
                    "{places:?}"
                );
                for col in 0..8 {
                    let by = (up.gradient[col] - down.gradient[col]) / (2.0 * h);
                    assert!((here.information[row * 8 + col] + by).abs() < 1e-8, "{places:?} {row} {col}");
                }
            }
        }
    }

    #[test]
    fn games_are_the_same_whatever_the_seats_and_gaps() {
        let game = Game::new(&[4, 0, 2], &[3, 1, 1]).unwrap();
        assert_eq!(game, Game::new(&[0, 2, 4], &[1, 1, 2]).unwrap());
        assert_ne!(game, Game::new(&[0, 2, 4], &[1, 2, 3]).unwrap());
    }

    #[test]
    fn what_is_no_game_says_why() {
        assert_eq!(Game::new(&[0, 1], &[1]), Err(GameError::Table { players: 2, places: 1 }));
        assert_eq!(Game::new(&[0], &[1]), Err(GameError::Table { players: 1, places: 1 }));
        assert_eq!(Game::new(&[0; 9], &[1; 9]), Err(GameError::Table { players: 9, places: 9 }));
        assert_eq!(Game::new(&[3, 1, 3], &[1, 2, 3]), Err(GameError::Twice(3)));
        let game = Game::new(&[0, 2], &[1, 2]).unwrap();
        assert_eq!(Results::new(2).add_block(&[game]), Err(GameError::Player { player: 2, n_players: 2 }));
    }
}
