//! Games of more than two, seen as games of two between all who sit at a table: who is placed before another one has won
//! against it. The chance of that is the same as in [Plackett and Luce's model](crate::plackett_luce), so this gives its
//! ratings errors by blocks, and needs no more memory for a million blocks than for one: sums of whole numbers are all
//! that errors take.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rookery_rules::MAX_SEATS;

use crate::bradley_terry::{BradleyTerry, Game, Score};
use crate::fit::{self, Blocks, Matrix};
use crate::math::sigmoid;
use crate::ratings::GameError;
use crate::ratings::{NoFit, Ratings};

/// Everything that fits and their errors take of the games of tables, whatever the order in which they are added.
///
/// ```
/// use rookery_ratings::Errors;
/// use rookery_ratings::tables::Results;
///
/// let mut results = Results::new(3);
/// // Blocks of two games; the place of each player.
/// results.add_block(&[0, 1, 2], &[[1, 2, 3], [1, 3, 2]])?;
/// results.add_block(&[0, 1, 2], &[[2, 1, 3], [1, 2, 2]])?;
/// let ratings = results.fit(1.0)?;
/// assert!(ratings.elo()[0] > ratings.elo()[1] && ratings.elo()[1] > ratings.elo()[2]);
/// assert!(ratings.se_diff(0, 2, Errors::Blocks).is_some_and(|se| se > 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Results {
    n_players: usize,
    /// Who won against whom: wins, draws and losses of the one with the smaller number.
    pairs: BTreeMap<(usize, usize), [u64; 3]>,
    /// By the players of a table, sorted, and the games of a block.
    tables: BTreeMap<(Vec<usize>, u64), Sums>,
}

/// The half points that each had in a block against all others, summed over blocks, and so the products of any two.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Sums {
    blocks: u64,
    points: Vec<u64>,
    products: Vec<u64>,
}

impl Results {
    /// Of so many players, before any game.
    pub fn new(n_players: usize) -> Self {
        Self { n_players, pairs: BTreeMap::new(), tables: BTreeMap::new() }
    }

    /// So many players take part from now on, if there were fewer.
    pub fn grow(&mut self, n_players: usize) {
        self.n_players = self.n_players.max(n_players);
    }

    /// Adds the games of one block, all of the same players: for each game the place of each of them, from 1; those who
    /// tie share a place. Nothing if that is no table.
    pub fn add_block<P: AsRef<[usize]>>(&mut self, players: &[usize], games: &[P]) -> Result<(), GameError> {
        self.check(players, games)?;
        if games.is_empty() {
            return Ok(());
        }
        let mut order: Vec<usize> = (0..players.len()).collect();
        order.sort_unstable_by_key(|&idx| players[idx]);
        let mut points = vec![0; players.len()];
        for places in games.iter().map(AsRef::as_ref) {
            for (at, &one) in order.iter().enumerate() {
                for (behind, &other) in order.iter().enumerate().skip(at + 1) {
                    let (column, halves) = match places[one].cmp(&places[other]) {
                        Ordering::Less => (0, [2, 0]),
                        Ordering::Equal => (1, [1, 1]),
                        Ordering::Greater => (2, [0, 2]),
                    };
                    self.pairs.entry((players[one], players[other])).or_default()[column] += 1;
                    points[at] += halves[0];
                    points[behind] += halves[1];
                }
            }
        }
        let table = order.iter().map(|&idx| players[idx]).collect();
        self.tables.entry((table, games.len() as u64)).or_default().add(&points);
        Ok(())
    }

    fn check<P: AsRef<[usize]>>(&self, players: &[usize], games: &[P]) -> Result<(), GameError> {
        let n_players = self.n_players;
        let uneven = games.iter().map(|places| places.as_ref().len()).find(|&places| places != players.len());
        if uneven.is_some() || !(2..=MAX_SEATS).contains(&players.len()) {
            return Err(GameError::Table { players: players.len(), places: uneven.unwrap_or(players.len()) });
        }
        for (idx, &player) in players.iter().enumerate() {
            if player >= n_players {
                return Err(GameError::Player { player, n_players });
            }
            if players[..idx].contains(&player) {
                return Err(GameError::Twice(player));
            }
        }
        Ok(())
    }

    /// The likeliest ratings; every player also has `prior` virtual games, half of them won, against an opponent of
    /// rating 0.
    pub fn fit(&self, prior: f64) -> Result<Ratings, NoFit> {
        let mut blocks = Blocks::new(self.n_players);
        for (&(first, second), &counts) in &self.pairs {
            for (score, times) in [Score::Win, Score::Draw, Score::Loss].into_iter().zip(counts) {
                blocks.add(vec![Game { first, second, score }], times);
            }
        }
        let model = BradleyTerry::plain(self.n_players);
        Ok(fit::fit_with(model, &blocks, prior, |_, params| self.squares(params))?.0)
    }

    /// The sum of the squares of each block's gradient: of how far the points of each are from what was expected.
    fn squares(&self, params: &[f64]) -> Matrix {
        let mut squares = Matrix::zero(params.len());
        for ((players, games), sums) in &self.tables {
            let expected = |player: usize| -> f64 {
                let others = players.iter().filter(|&&other| other != player);
                others.map(|&other| *games as f64 * sigmoid(params[player] - params[other])).sum()
            };
            let off: Vec<f64> =
                (0..).zip(players).map(|(idx, &player)| sums.mean(idx) - expected(player)).collect();
            for (row, &one) in players.iter().enumerate() {
                for (col, &other) in players.iter().enumerate() {
                    let around = sums.around_means(row, col) + sums.blocks as f64 * off[row] * off[col];
                    squares.add(one, other, around);
                }
            }
        }
        squares
    }
}

impl Sums {
    fn add(&mut self, points: &[u64]) {
        let n = points.len();
        self.blocks += 1;
        self.points.resize(n, 0);
        self.products.resize(n * n, 0);
        for (row, one) in points.iter().enumerate() {
            self.points[row] += one;
            for (col, other) in points.iter().enumerate() {
                self.products[row * n + col] += one * other;
            }
        }
    }

    /// In points.
    fn mean(&self, idx: usize) -> f64 {
        self.points[idx] as f64 / (2 * self.blocks) as f64
    }

    /// The products of the distances to both means, summed; exact but for the last division.
    fn around_means(&self, row: usize, col: usize) -> f64 {
        let [one, other, product] =
            [self.points[row], self.points[col], self.products[row * self.points.len() + col]]
                .map(i128::from);
        let blocks = i128::from(self.blocks);
        (blocks * product - one * other) as f64 / (4 * blocks) as f64
    }
}

#[cfg(test)]
mod tests {
    use rookery_rules::{Seed, below};

    use super::*;
    use crate::{Errors, bradley_terry};

    /// The same games as blocks of games of two: as many lists as there are blocks.
    fn listed(players: &[usize], games: &[Vec<usize>]) -> Vec<Game> {
        let mut block = vec![];
        for places in games {
            for one in 0..players.len() {
                for other in one + 1..players.len() {
                    let score = match places[one].cmp(&places[other]) {
                        Ordering::Less => Score::Win,
                        Ordering::Equal => Score::Draw,
                        Ordering::Greater => Score::Loss,
                    };
                    block.push(Game { first: players[one], second: players[other], score });
                }
            }
        }
        block
    }

    #[test]
    fn sums_say_what_lists_of_blocks_say() {
        let mut rng = Seed(5).rng();
        let mut draw = |n: usize| below(&mut rng, n as u32) as usize;
        let (mut sums, mut lists) = (Results::new(6), bradley_terry::Results::new(6));
        for _ in 0..200 {
            let n = 2 + draw(4);
            let mut players: Vec<usize> = (0..6).collect();
            (0..n).for_each(|idx| players.swap(idx, idx + draw(6 - idx)));
            players.truncate(n);
            // The one with the larger number is the better one, more or less.
            let place = |player: usize, luck: usize| 12 - player - luck;
            let games: Vec<Vec<usize>> = (0..=draw(8))
                .map(|_| players.iter().map(|&player| place(player, draw(6))).collect())
                .collect();
            sums.add_block(&players, &games).unwrap();
            lists.add_block(&listed(&players, &games)).unwrap();
        }
        let found = sums.fit(1.0).unwrap();
        let expected = lists.fit(&bradley_terry::Options::default()).unwrap();
        for player in 0..6 {
            assert!((found.elo()[player] - expected.elo()[player]).abs() < 1e-6);
            for errors in [Errors::Blocks, Errors::Information] {
                for other in 0..6 {
                    let se = |of: &Ratings| of.se_diff(player, other, errors).unwrap();
                    assert!((se(&found) - se(&expected)).abs() < 1e-6, "{player} {other} {errors:?}");
                }
            }
        }
    }

    #[test]
    fn the_order_of_players_and_blocks_changes_no_bit() {
        let blocks: [(&[usize], &[&[usize]]); 3] = [
            (&[0, 1, 2], &[&[1, 2, 3], &[2, 2, 1]]),
            (&[2, 3], &[&[1, 2]]),
            (&[1, 2, 0], &[&[1, 2, 2], &[3, 1, 1]]),
        ];
        let mut one = Results::new(4);
        for (players, games) in &blocks {
            one.add_block(players, games).unwrap();
        }
        let mut other = Results::new(2);
        other.grow(4);
        for (players, games) in blocks.iter().rev() {
            let players: Vec<usize> = players.iter().rev().copied().collect();
            let games: Vec<Vec<usize>> =
                games.iter().map(|game| game.iter().rev().copied().collect()).collect();
            other.add_block(&players, &games).unwrap();
        }
        assert_eq!(one, other);
    }

    #[test]
    fn what_is_no_table_is_refused_and_changes_nothing() {
        let mut results = Results::new(3);
        assert_eq!(results.add_block(&[0, 1], &[[1, 2, 3]]), Err(GameError::Table { players: 2, places: 3 }));
        assert_eq!(results.add_block(&[0], &[[1]]), Err(GameError::Table { players: 1, places: 1 }));
        assert_eq!(results.add_block(&[0, 0], &[[1, 2]]), Err(GameError::Twice(0)));
        assert_eq!(results.add_block(&[0, 3], &[[1, 2]]), Err(GameError::Player { player: 3, n_players: 3 }));
        assert_eq!(results, Results::new(3));
    }
}
