//! What the games of a tournament say, kept up to date game by game.

use std::collections::{BTreeMap, BTreeSet};

use rookery_ratings::sprt::Run;
use rookery_ratings::{bradley_terry, plackett_luce, tables};
use rookery_referee::Cause;
use rookery_rules::Seat;
use rookery_tournament::{Entrant, GameResult, Seating, Sprt, Standings, TournamentSpec};

use crate::ratings::FEW_BLOCKS;

/// How many games of one kind are remembered, so that a page can lead to them: those with the smallest numbers.
const EXAMPLES: usize = 4;

/// Everything that tables and ratings need of the results of a tournament. Results go in, in any order, each once, and
/// everything that comes out is the same to the last bit. It needs memory for entrants, those they met and blocks that
/// are not complete, not for games; only [`Evaluation::keeping_games`] keeps them.
///
/// ```
/// use rookery_referee::Cause;
/// use rookery_report::{Evaluation, RatingOptions, Ratings};
/// use rookery_rules::{Outcome, Seat};
/// use rookery_tournament::{Entrant, GameResult, Next, TournamentSpec};
///
/// let spec: TournamentSpec = serde_json::from_str(
///     r#"{"name": "evening", "games": ["hexapawn"], "format": {"kind": "round-robin"}, "entrants": [
///         {"name": "Ann", "player": "level:3"}, {"name": "Ben", "player": "level:1"}]}"#,
/// )?;
/// let mut evaluation = Evaluation::new(&spec);
/// let Next::Play(pairings) = spec.format()?.next(10) else { panic!("two games are to be played") };
/// for pairing in &pairings {
///     let ann = pairing.entrants.iter().position(|&entrant| entrant == Entrant(0)).expect("Ann plays");
///     let outcome = Outcome::win(2, Seat::new(ann as u8));
///     evaluation.add(&GameResult::new(pairing, Some(outcome), Cause::Normal));
/// }
/// let ratings = Ratings::fit(&evaluation, &RatingOptions::default())?;
/// assert!(ratings.of(Entrant(0)).is_some_and(|ann| ann.rating > 100.0), "a prior keeps it finite");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    spec: TournamentSpec,
    /// The test that ends it, if one does. Only what it counts counts here: how many games were played beyond it depends on
    /// how fast they were.
    test: Option<Sprt>,
    names: Vec<String>,
    seats: usize,
    /// A meeting has so many games, so that a block has no more.
    meeting: u64,
    standings: Standings,
    /// The games of blocks that are not complete.
    open: BTreeMap<u64, Vec<GameResult>>,
    counted: Counted,
    endings: BTreeMap<&'static str, u64>,
    /// Games that were lost without a fault of the loser: how they ended.
    losses: Vec<BTreeMap<&'static str, u64>>,
    /// By entrant and what it did.
    faulty: BTreeMap<(Entrant, &'static str), BTreeSet<u64>>,
    /// By two entrants, the one with the smaller number first.
    met: BTreeMap<(Entrant, Entrant), BTreeSet<u64>>,
    /// Who played and who came where, by the number of the pairing, if games are kept.
    games: Option<BTreeMap<u64, Placed>>,
}

/// The entrants of a game with their places.
pub(crate) type Placed = Vec<(Entrant, usize)>;

/// Results by blocks, as fits take them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Counted {
    /// Games of two.
    pub(crate) pairs: bradley_terry::Results,
    /// Games of any number, each for itself.
    pub(crate) placements: plackett_luce::Results,
    /// The same by blocks, where tables are larger than two.
    pub(crate) tables: Option<tables::Results>,
    /// Pairs of games with swapped seats: how many with 0, ½, 1, 1½ and 2 points of the entrant with the smaller number.
    by_points: BTreeMap<(Entrant, Entrant), [u64; 5]>,
    /// How many games of each entrant count.
    pub(crate) games: Vec<u64>,
    /// How many blocks each has of which every game counts, and how many of which only some do.
    pub(crate) whole: Vec<u64>,
    pub(crate) broken: Vec<u64>,
    /// Games that ended without a winner because everybody was removed. They say nothing about who is stronger.
    pub(crate) without_winner: u64,
}

impl Evaluation {
    /// Of a tournament, before its first game.
    pub fn new(spec: &TournamentSpec) -> Self {
        let n = spec.entrants.len();
        let is_series = spec.is_series();
        let seats = if is_series { n } else { spec.seats };
        Self {
            spec: spec.clone(),
            test: spec.test(),
            names: spec.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            seats,
            meeting: if is_series { u64::MAX } else { spec.tie_breaks().meeting },
            standings: Standings::new(n, spec.points),
            open: BTreeMap::new(),
            counted: Counted::new(n, seats),
            endings: BTreeMap::new(),
            losses: vec![BTreeMap::new(); n],
            faulty: BTreeMap::new(),
            met: BTreeMap::new(),
            games: None,
        }
    }

    /// The same, keeping who came where in every game: for ratings that depend on the order of games.
    #[must_use]
    pub fn keeping_games(mut self) -> Self {
        self.games = Some(BTreeMap::new());
        self
    }

    /// Somebody came late. Its number is the next one.
    pub fn join(&mut self, name: impl Into<String>) -> Entrant {
        let entrant = Entrant(self.names.len() as u32);
        self.names.push(name.into());
        self.losses.push(BTreeMap::new());
        self.standings.join();
        self.counted.grow(self.names.len());
        entrant
    }

    /// Adds a game, once. `false` if it cannot be one of these entrants; then nothing has changed. Where a test ends it, games
    /// count by whole blocks up to the one that decides.
    pub fn add(&mut self, result: &GameResult) -> bool {
        let Some(test) = &mut self.test else { return self.add_counting(result) };
        let Some(counting) = test.count(result) else { return false };
        counting.iter().all(|game| self.add_counting(game))
    }

    fn add_counting(&mut self, result: &GameResult) -> bool {
        if !self.standings.add(result) {
            return false;
        }
        *self.endings.entry(result.cause.word()).or_default() += 1;
        self.remember(result);
        self.add_losses(result);
        if let (Some(games), Some(placed)) = (&mut self.games, placed(result)) {
            games.insert(result.pairing, placed);
        }
        let planned = Seating::block_games(result.entrants.len()).min(self.meeting);
        let block = self.open.entry(result.block).or_default();
        block.push(result.clone());
        if block.len() as u64 >= planned
            && let Some(games) = self.open.remove(&result.block)
        {
            self.counted.add_block(&games);
        }
        true
    }

    /// Keeps the numbers of a few games of each kind.
    fn remember(&mut self, result: &GameResult) {
        let keep = |examples: &mut BTreeSet<u64>| {
            examples.insert(result.pairing);
            if examples.len() > EXAMPLES {
                examples.pop_last();
            }
        };
        for (idx, &one) in result.entrants.iter().enumerate() {
            for &other in &result.entrants[idx + 1..] {
                keep(self.met.entry((one.min(other), one.max(other))).or_default());
            }
        }
        for &failed in result.failed.iter().filter(|failed| result.entrants.contains(failed)) {
            keep(self.faulty.entry((failed, fault_word(result, failed))).or_default());
        }
    }

    fn add_losses(&mut self, result: &GameResult) {
        let Some(outcome) = &result.outcome else { return };
        let word = match result.cause {
            // Somebody else's: who is left and has lost has lost by the rules.
            Cause::Offence(_) => Cause::Normal.word(),
            cause => cause.word(),
        };
        for (seat, entrant) in Seat::all(result.entrants.len()).zip(&result.entrants) {
            if !outcome.winners.contains(seat) && !result.failed.contains(entrant) {
                *self.losses[entrant.index()].entry(word).or_default() += 1;
            }
        }
    }

    /// What was agreed.
    pub fn spec(&self) -> &TournamentSpec {
        &self.spec
    }

    /// What everybody is called, also who came late.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How far the test is that ends the tournament, if one does.
    pub fn test(&self) -> Option<&Run> {
        self.test.as_ref().map(Sprt::run)
    }

    /// Whether the game of a pairing is in the tables: all are, unless a test ends the tournament.
    pub fn counts(&self, pairing: u64) -> bool {
        self.test.as_ref().is_none_or(|test| test.counts(pairing))
    }

    /// How many sit at a table, at most.
    pub const fn seats(&self) -> usize {
        self.seats
    }

    /// How everybody stands.
    pub const fn standings(&self) -> &Standings {
        &self.standings
    }

    /// How many games ended in which way: the words of [`Cause`], in their order.
    pub fn endings(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.endings.iter().map(|(&word, &n)| (word, n))
    }

    /// How the games ended that an entrant lost without a fault of its own.
    pub fn losses(&self, entrant: Entrant) -> impl Iterator<Item = (&'static str, u64)> {
        self.losses.get(entrant.index()).into_iter().flatten().map(|(&word, &n)| (word, n))
    }

    /// What an entrant did wrong, with some of the games in which it did: the words of causes, the numbers of pairings.
    pub fn faults(&self, entrant: Entrant) -> impl Iterator<Item = (&'static str, &BTreeSet<u64>)> {
        let own = self.faulty.range((entrant, "")..).take_while(move |((of, _), _)| *of == entrant);
        own.map(|(&(_, word), games)| (word, games))
    }

    /// Some of the games of two entrants, by the numbers of their pairings.
    pub fn games_of(&self, one: Entrant, other: Entrant) -> impl Iterator<Item = u64> {
        self.met.get(&(one.min(other), one.max(other))).into_iter().flatten().copied()
    }

    /// The pairs of games with swapped seats of two entrants: how many in which the first one has 0, ½, 1, 1½ or 2 points.
    pub fn pairs(&self, one: Entrant, other: Entrant) -> [u64; 5] {
        let mut counts =
            self.counted.by_points.get(&(one.min(other), one.max(other))).copied().unwrap_or_default();
        if one > other {
            counts.reverse();
        }
        counts
    }

    /// How many blocks are not complete, and how many games they have so far.
    pub fn open_blocks(&self) -> (u64, u64) {
        (self.open.len() as u64, self.open.values().map(|games| games.len() as u64).sum())
    }

    /// The games in their order, if they are kept.
    pub(crate) fn games(&self) -> Option<impl Iterator<Item = &Placed>> {
        self.games.as_ref().map(BTreeMap::values)
    }

    /// Everything that fits take. What was played of blocks that are not complete counts as well: who has games in the
    /// table has them in its rating.
    pub(crate) fn counted(&self) -> Counted {
        let mut counted = self.counted.clone();
        self.open.values().for_each(|games| counted.add_block(games));
        counted
    }
}

impl Counted {
    fn new(n_entrants: usize, seats: usize) -> Self {
        Self {
            pairs: bradley_terry::Results::new(n_entrants),
            placements: plackett_luce::Results::new(n_entrants),
            tables: (seats > 2).then(|| tables::Results::new(n_entrants)),
            by_points: BTreeMap::new(),
            games: vec![0; n_entrants],
            whole: vec![0; n_entrants],
            broken: vec![0; n_entrants],
            without_winner: 0,
        }
    }

    fn grow(&mut self, n_entrants: usize) {
        self.pairs.grow(n_entrants);
        self.placements.grow(n_entrants);
        self.tables.iter_mut().for_each(|tables| tables.grow(n_entrants));
        for counts in [&mut self.games, &mut self.whole, &mut self.broken] {
            counts.resize(n_entrants, 0);
        }
    }

    pub(crate) fn has_few_blocks(&self, player: usize) -> bool {
        self.whole[player] + self.broken[player] < FEW_BLOCKS
    }

    /// Adds the games of a block. What an archive says may be anything: those of other players are a block of their own.
    fn add_block(&mut self, games: &[GameResult]) {
        let mut tables: BTreeMap<Vec<Entrant>, Vec<&GameResult>> = BTreeMap::new();
        for game in games {
            let mut table = game.entrants.clone();
            table.sort_unstable();
            tables.entry(table).or_default().push(game);
        }
        for (table, games) in tables {
            self.add_table(&table, &games);
        }
    }

    fn add_table(&mut self, table: &[Entrant], games: &[&GameResult]) {
        let counting: Vec<Placed> = games.iter().filter_map(|game| placed(game)).collect();
        let without_winner =
            |game: &&&GameResult| game.outcome.as_ref().is_some_and(|o| o.winners.is_empty());
        self.without_winner += games.iter().filter(without_winner).count() as u64;
        if counting.is_empty() || table.len() < 2 {
            return;
        }
        let is_whole = counting.len() as u64 == Seating::block_games(table.len());
        for entrant in table {
            self.games[entrant.index()] += counting.len() as u64;
            let blocks = if is_whole { &mut self.whole } else { &mut self.broken };
            blocks[entrant.index()] += 1;
        }
        for game in &counting {
            let (players, places) = split(game);
            let game = plackett_luce::Game::new(&players, &places).expect("the standings have checked it");
            self.placements.add_block(&[game]).expect("everybody takes part here");
        }
        if let Some(tables) = &mut self.tables {
            let players: Vec<usize> = table.iter().map(|entrant| entrant.index()).collect();
            let in_order = |game: &Placed| {
                let mut game = game.clone();
                game.sort_unstable();
                split(&game).1
            };
            let places: Vec<Vec<usize>> = counting.iter().map(in_order).collect();
            tables.add_block(&players, &places).expect("everybody sits at one table");
        } else if let &[one, other] = table {
            self.add_pair(one, other, &counting, is_whole);
        }
    }

    fn add_pair(&mut self, one: Entrant, other: Entrant, placed: &[Placed], is_whole: bool) {
        let mut halves = 0;
        let mut block = vec![];
        for game in placed {
            let &[(first, first_place), (second, second_place)] = &game[..] else { continue };
            let (score, points) = match first_place.cmp(&second_place) {
                std::cmp::Ordering::Less => (bradley_terry::Score::Win, 2),
                std::cmp::Ordering::Equal => (bradley_terry::Score::Draw, 1),
                std::cmp::Ordering::Greater => (bradley_terry::Score::Loss, 0),
            };
            halves += if first == one { points } else { 2 - points };
            block.push(bradley_terry::Game { first: first.index(), second: second.index(), score });
        }
        self.pairs.add_block(&block).expect("both take part here");
        if is_whole {
            self.by_points.entry((one, other)).or_default()[halves] += 1;
        }
    }
}

/// What somebody who failed did wrong, in a word.
fn fault_word(result: &GameResult, failed: Entrant) -> &'static str {
    let known = result.faults.iter().find(|(entrant, _)| *entrant == failed).map(|&(_, offence)| offence);
    match (known, result.cause) {
        (Some(offence), _) | (None, Cause::Offence(offence)) => offence.word(),
        (None, _) => "removed",
    }
}

/// Who came where, by seat; `None` if the game does not count, or nobody has won.
fn placed(result: &GameResult) -> Option<Placed> {
    let outcome = result.outcome.as_ref().filter(|outcome| !outcome.winners.is_empty())?;
    Some(result.entrants.iter().copied().zip(outcome.places().as_slice().iter().copied()).collect())
}

/// The numbers of the players, and their places.
pub(crate) fn split(placed: &Placed) -> (Vec<usize>, Vec<usize>) {
    placed.iter().map(|&(entrant, place)| (entrant.index(), place)).unzip()
}
