//! What the results of a series say, and how sure that is.

use std::collections::BTreeMap;

use rookery_rules::{MAX_SEATS, Outcome, Seat};

use crate::estimate::Sums;
use crate::ranges::Ranges;
use crate::{Elo, Entrant, Estimate, GameResult, Seating};

/// A point in parts, so that every share of it is a whole number: the first place is shared by 1 to 8.
const POINT: i32 = 840;
const _: () = assert!(MAX_SEATS == 8, "a point can be shared by as many as have a seat");

/// The points of a seat: a share of 1 for the first place, else 0; in parts of a point.
fn parts(outcome: &Outcome, seat: Seat) -> i32 {
    if outcome.winners.contains(seat) { POINT / outcome.winners.len() as i32 } else { 0 }
}

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// First place alone.
    pub wins: u64,
    /// First place shared.
    pub draws: u64,
    /// Anything else.
    pub losses: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, outcome: &Outcome, seat: Seat) {
        match (outcome.winners.contains(seat), outcome.winners.len()) {
            (true, 1) => self.wins += 1,
            (true, _) => self.draws += 1,
            (false, _) => self.losses += 1,
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// What one player achieved.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSummary {
    /// All games.
    pub total: Tally,
    /// The games at each seat.
    pub by_seat: Vec<Tally>,
    /// The share of first places, 0 to 1.
    pub points: Option<Estimate>,
    /// The place, from 1.
    pub place: Option<Estimate>,
    /// What the game counts.
    pub score: Option<Estimate>,
}

/// The games of blocks that are not complete. They say nothing about who is stronger: not everybody had every seat.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LeftOver {
    /// How many blocks they are of.
    pub blocks: u64,
    /// How many games, with those that were aborted.
    pub games: u64,
    /// How many of these were aborted.
    pub aborted: u64,
    /// What each player has of them.
    pub tallies: Vec<Tally>,
}

/// What a [`Series`](crate::Series) says, kept up to date game by game: only whole blocks count. The order in which
/// games end does not matter, and the memory it needs grows with the blocks that are not complete, not with the games.
///
/// ```
/// use rookery_referee::Cause;
/// use rookery_rules::{Outcome, Seat};
/// use rookery_tournament::{GameResult, Series, Summary};
///
/// let series = Series::new(2, 4);
/// let mut summary = Summary::new(2);
/// // The first player wins from both seats, and begins the next pair with a draw.
/// for (game, outcome) in
///     [(0, Outcome::win(2, Seat::new(0))), (1, Outcome::win(2, Seat::new(1))), (2, Outcome::draw(2))]
/// {
///     let pairing = series.pairing(game).expect("the series has four games");
///     summary.add(&GameResult::new(&pairing, Some(outcome), Cause::Normal));
/// }
/// assert_eq!(summary.players()[0].total.wins, 2);
/// assert_eq!((summary.games(), summary.left_over().games), (2, 1));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The blocks that are complete.
    whole: Totals,
    /// For two players: the mean share of the first one in each of them. The two games of a pair are not independent of
    /// each other, pairs are: this is what makes the error bars right.
    pairs: Sums,
    complete: Ranges,
    /// The games of the others.
    open: BTreeMap<u64, Vec<GameResult>>,
}

impl Summary {
    /// Of no games yet between so many players.
    ///
    /// # Panics
    /// If there are no players, or more than a table has seats.
    pub fn new(n_players: usize) -> Self {
        assert!((1..=MAX_SEATS).contains(&n_players), "every player has a seat in every game");
        Self {
            whole: Totals::new(n_players),
            pairs: Sums::default(),
            complete: Ranges::default(),
            open: BTreeMap::new(),
        }
    }

    /// Adds a game. `false` if it was added before or is not of such a series; then nothing has changed.
    pub fn add(&mut self, result: &GameResult) -> bool {
        let n_players = self.whole.players.len();
        let is_of_series = result.seats_all(n_players)
            && result.pairing < u64::MAX
            && result.block == result.pairing / Seating::block_games(n_players);
        if !is_of_series || self.complete.contains(result.block) {
            return false;
        }
        let block = self.open.entry(result.block).or_default();
        if block.iter().any(|other| other.pairing == result.pairing) {
            return false;
        }
        block.push(result.clone());
        if block.len() as u64 == Seating::block_games(n_players)
            && let Some(games) = self.open.remove(&result.block)
        {
            self.complete.insert(result.block);
            for game in &games {
                self.whole.add(game);
            }
            if n_players == 2 {
                self.add_pair(&games);
            }
        }
        true
    }

    /// Adds the mean of the games that count, if there are any. It is a whole number of parts.
    fn add_pair(&mut self, games: &[GameResult]) {
        let first = |outcome: &Outcome, game: &GameResult| Some(parts(outcome, game.seat_of(Entrant(0))?));
        let counted = games.iter().filter_map(|game| first(game.outcome.as_ref()?, game));
        let (n, sum) = counted.fold((0, 0), |(n, sum), parts| (n + 1, sum + parts));
        if n > 0 {
            self.pairs.add(sum / n);
        }
    }

    /// The games of whole blocks, with those that were aborted.
    pub const fn games(&self) -> u64 {
        self.whole.games
    }

    /// How many of these were aborted and do not count.
    pub const fn aborted(&self) -> u64 {
        self.whole.aborted
    }

    /// How many of these ended in which way: the words of [`Cause`](rookery_referee::Cause), in their order.
    pub fn endings(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.whole.endings.iter().map(|(&word, &n)| (word, n))
    }

    /// One a player.
    pub fn players(&self) -> Vec<PlayerSummary> {
        self.whole.players.iter().map(Player::sum_up).collect()
    }

    /// For two players: how much stronger the first one is.
    pub fn elo(&self) -> Option<Elo> {
        self.pairs.elo(POINT)
    }

    /// The games of blocks that are not complete.
    pub fn left_over(&self) -> LeftOver {
        let mut all = Totals::new(self.whole.players.len());
        self.open.values().flatten().for_each(|game| all.add(game));
        LeftOver {
            blocks: self.open.len() as u64,
            games: all.games,
            aborted: all.aborted,
            tallies: all.players.iter().map(Player::total).collect(),
        }
    }
}

/// Games, summed up.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Totals {
    players: Vec<Player>,
    games: u64,
    aborted: u64,
    endings: BTreeMap<&'static str, u64>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Player {
    by_seat: Vec<Tally>,
    /// In parts of a [`POINT`].
    points: Sums,
    places: Sums,
    scores: Sums,
}

impl Totals {
    fn new(n_players: usize) -> Self {
        let player = Player {
            by_seat: vec![Tally::default(); n_players],
            points: Sums::default(),
            places: Sums::default(),
            scores: Sums::default(),
        };
        Self { players: vec![player; n_players], games: 0, aborted: 0, endings: BTreeMap::new() }
    }

    /// Adds a game in which every player has a seat.
    fn add(&mut self, result: &GameResult) {
        self.games += 1;
        *self.endings.entry(result.cause.word()).or_default() += 1;
        let Some(outcome) = &result.outcome else {
            self.aborted += 1;
            return;
        };
        let places = outcome.places();
        for (seat, &Entrant(player)) in Seat::all(result.entrants.len()).zip(&result.entrants) {
            let player = &mut self.players[player as usize];
            player.by_seat[seat.index()].add(outcome, seat);
            player.points.add(parts(outcome, seat));
            player.places.add(places[seat] as i32);
            player.scores.add(outcome.scores[seat]);
        }
    }
}

impl Player {
    fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.by_seat.iter().for_each(|tally| total.merge(tally));
        total
    }

    fn sum_up(&self) -> PlayerSummary {
        PlayerSummary {
            total: self.total(),
            by_seat: self.by_seat.clone(),
            points: self.points.shares(POINT),
            place: self.places.estimate(1),
            score: self.scores.estimate(1),
        }
    }
}
