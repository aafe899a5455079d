//! Everything that is shown of a tournament, as data: each writer only puts it into words.

use std::collections::BTreeMap;

use rookery_ratings::sprt::Run;
use rookery_tournament::{Bye, Entrant, Standing, Tally, TrialNote};
use serde::Serialize;

use crate::evaluation::Evaluation;
use crate::facts::{OpeningFacts, RatingFacts, Setting, TestFacts};
use crate::legend;
use crate::ratings::Ratings;
use crate::timing::{Times, Timing};

/// What the games alone do not say.
#[derive(Clone, Default, Debug)]
pub struct Context<'a> {
    /// The id under which the tournament is kept.
    pub tournament: Option<String>,
    /// Whether all was played.
    pub is_complete: bool,
    /// The places that the format itself decides ([`Format::ranking`](rookery_tournament::Format::ranking)).
    pub ranking: Vec<Vec<Entrant>>,
    /// Rounds with points but without games.
    pub byes: Vec<Bye>,
    /// Who plays no more because it failed too often.
    pub suspended: Vec<Entrant>,
    /// How long everybody thinks.
    pub timing: Option<&'a Timing>,
    /// The share of moves that keep the result of perfect play, 0 to 1, by entrant; `None` where nothing is known.
    pub accuracy: Vec<Option<f64>>,
    /// What speaks for the faults.
    pub evidence: Vec<Evidence>,
    /// How games ended, by the openings that they began from.
    pub openings: Vec<OpeningFacts>,
    /// A test between the first two entrants, if another one is shown than the one that ends the tournament.
    pub test: Option<&'a Run>,
    /// The command that computes everything again.
    pub recompute: Option<String>,
}

/// What speaks for the faults of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// Whose they are.
    pub entrant: Entrant,
    /// What it did: the word of an offence.
    pub cause: String,
    /// One line.
    pub text: String,
}

/// What a tournament says. Its fields are the JSON of `docs/results.md`, and everything else is written from them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The id under which it is kept.
    pub tournament: Option<String>,
    /// What it is called.
    pub name: String,
    /// Whether all was played.
    pub complete: bool,
    /// How many games have ended, with those that do not count.
    pub games: u64,
    /// How many of these were stopped and do not count.
    pub aborted: u64,
    /// The table, from the first place.
    pub standings: Vec<Row>,
    /// What was agreed.
    pub setting: Setting,
    /// How ratings were made.
    pub ratings: Option<RatingFacts>,
    /// How many games ended in which way.
    pub endings: BTreeMap<&'static str, u64>,
    /// What entrants did wrong.
    pub faults: Vec<FaultLine>,
    /// Who has not passed the games before the first round, and why.
    pub trials: Vec<TrialNote>,
    /// How games ended, by the openings that they began from.
    pub openings: Vec<OpeningFacts>,
    /// The test between the first two entrants.
    pub test: Option<TestFacts>,
    /// What the columns mean.
    pub legend: Vec<String>,
}

/// One line of the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    #[serde(skip)]
    pub(crate) entrant: Entrant,
    /// From 1. Who is equal in everything shares a place.
    pub place: usize,
    /// Its name.
    pub name: String,
    /// Who it is; unknown of those who came late.
    pub player: Option<String>,
    /// Which version of it.
    pub version: Option<String>,
    /// With those of byes.
    pub points: f64,
    /// All games that count.
    pub games: u64,
    /// First places alone, first places shared, and all others.
    #[serde(flatten)]
    pub total: Wdl,
    /// The share of the points of its games, 0 to 1.
    pub score: Option<f64>,
    /// Elo, or the mu of Weng-Lin.
    pub rating: Option<f64>,
    /// Half of the 95 % interval of the rating.
    pub error: Option<f64>,
    /// How sure it is that it is stronger than the next one in the table.
    pub los_next: Option<f64>,
    /// What errors are computed from.
    pub blocks: BlockFacts,
    /// In the order in which they decide.
    pub tie_breaks: Vec<f64>,
    /// Games in which it ran out of time.
    pub time_losses: u64,
    /// Games in which its program ended or its connection was lost.
    pub crashes: u64,
    /// Games with other faults.
    pub other_faults: u64,
    /// All faults, by their word.
    pub faults: BTreeMap<&'static str, u64>,
    /// How games ended that it lost without a fault.
    pub losses_by_ending: BTreeMap<&'static str, u64>,
    /// Rounds with points but without games.
    pub byes: u64,
    /// Games that were stopped and do not count.
    pub aborted: u64,
    /// Whether it plays no more because it failed too often.
    pub suspended: bool,
    /// By seat.
    pub by_seat: Vec<Wdl>,
    /// By opponent, in the order of the table.
    pub versus: Vec<Against>,
    /// How long it thinks.
    pub time: Option<TimeFacts>,
    /// The share of its moves that keep the result of perfect play, 0 to 1.
    pub accuracy: Option<f64>,
}

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Wdl {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl From<&Tally> for Wdl {
    fn from(&Tally { wins, draws, losses }: &Tally) -> Self {
        Self { wins, draws, losses }
    }
}

/// The blocks of an entrant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BlockFacts {
    /// With every seating.
    pub whole: u64,
    /// With some of their games only.
    pub broken: u64,
    /// At tables of two: the whole ones with 0, ½, 1, 1½ and 2 points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_points: Option<[u64; 5]>,
}

/// What one has of its games against another one.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Against {
    #[serde(skip)]
    pub(crate) entrant: Entrant,
    /// The other one.
    pub name: String,
    /// Who was placed before whom.
    #[serde(flatten)]
    pub tally: Wdl,
    /// 1 for each win, ½ for each draw.
    pub points: f64,
    /// At tables of two: whole blocks with 0, ½, 1, 1½ and 2 points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_points: Option<[u64; 5]>,
    /// The numbers of some of their pairings.
    pub pairings: Vec<u64>,
}

/// The times of an entrant, in milliseconds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TimeFacts {
    /// How many moves.
    pub moves: u64,
    /// All of them together.
    pub total_ms: u64,
    /// The mean.
    pub mean_ms: f64,
    /// Half of the moves took no longer.
    pub median_ms: u64,
    /// 95 of 100 moves took no longer.
    pub p95_ms: u64,
    /// The longest.
    pub max_ms: u64,
}

impl From<&Times> for TimeFacts {
    fn from(times: &Times) -> Self {
        Self {
            moves: times.moves(),
            total_ms: times.total_ms(),
            mean_ms: times.mean_ms(),
            median_ms: times.quantile_ms(0.5),
            p95_ms: times.quantile_ms(0.95),
            max_ms: times.max_ms(),
        }
    }
}

/// What an entrant did wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FaultLine {
    /// Its name.
    pub name: String,
    /// The word of the offence.
    pub cause: &'static str,
    /// In how many games.
    pub count: u64,
    /// What speaks for it.
    pub evidence: Option<String>,
    /// The numbers of some of the pairings.
    pub pairings: Vec<u64>,
    /// The command that shows one of these games.
    pub replay: Option<String>,
}

impl Report {
    /// Of the games so far. Without ratings their columns are left out.
    pub fn new(evaluation: &Evaluation, ratings: Option<&Ratings>, context: &Context<'_>) -> Self {
        let spec = evaluation.spec();
        let tie_breaks = spec.tie_breaks();
        let mut standings = evaluation.standings().clone();
        for bye in &context.byes {
            standings.add_bye(bye);
        }
        let table = standings.table(&tie_breaks, &context.ranking);
        let rows = (0..table.len()).map(|idx| row(evaluation, ratings, context, &table, idx)).collect();
        let mut report = Self {
            tournament: context.tournament.clone(),
            name: spec.name.clone(),
            complete: context.is_complete,
            games: standings.games(),
            aborted: standings.aborted(),
            faults: faults(evaluation, &table, context),
            trials: spec.trials.clone(),
            openings: context.openings.clone(),
            standings: rows,
            setting: Setting::new(spec, evaluation.seats()),
            ratings: ratings.map(|ratings| RatingFacts::new(evaluation, ratings)),
            endings: evaluation.endings().collect(),
            test: context.test.or(evaluation.test()).map(|run| TestFacts::new(run, evaluation.names())),
            legend: vec![],
        };
        report.legend = legend::lines(&report, evaluation.open_blocks(), context);
        report
    }

    /// As JSON, the way docs/results.md describes it, with a line end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("names, numbers and lists are JSON");
        text.push('\n');
        text
    }
}

fn row(
    evaluation: &Evaluation,
    ratings: Option<&Ratings>,
    context: &Context<'_>,
    table: &[Standing],
    idx: usize,
) -> Row {
    let standing = &table[idx];
    let entrant = standing.entrant;
    let spec = evaluation.spec().entrants.get(entrant.index());
    let rated = ratings.and_then(|ratings| ratings.of(entrant));
    let count = |words: &[&str]| words.iter().filter_map(|word| standing.faults.get(word)).sum::<u64>();
    let (time_losses, crashes) = (count(&["timeout"]), count(&["crashed", "disconnected"]));
    let next = table.get(idx + 1).map(|next| next.entrant);
    let of_games = evaluation.standings().points(entrant).value();
    Row {
        entrant,
        place: standing.place,
        name: evaluation.names()[entrant.index()].clone(),
        player: spec.map(|spec| spec.player.to_string()),
        version: spec.and_then(|spec| spec.version.clone()),
        points: standing.points.value(),
        games: standing.games,
        total: Wdl::from(&standing.total),
        score: (standing.games > 0).then(|| of_games / standing.games as f64),
        rating: rated.map(|rated| rated.rating),
        error: rated.and_then(|rated| rated.error),
        los_next: ratings.zip(next).and_then(|(ratings, next)| ratings.los(entrant, next)),
        blocks: blocks(evaluation, ratings, standing),
        tie_breaks: standing.tie_breaks.clone(),
        time_losses,
        crashes,
        other_faults: standing.faults.values().sum::<u64>() - time_losses - crashes,
        faults: standing.faults.clone(),
        losses_by_ending: evaluation.losses(entrant).collect(),
        byes: standing.byes,
        aborted: standing.aborted,
        suspended: context.suspended.contains(&entrant),
        by_seat: standing.by_seat.iter().map(Wdl::from).collect(),
        versus: versus(evaluation, table, standing),
        time: context.timing.and_then(|timing| timing.of(entrant)).map(TimeFacts::from),
        accuracy: context.accuracy.get(entrant.index()).copied().flatten(),
    }
}

fn blocks(evaluation: &Evaluation, ratings: Option<&Ratings>, standing: &Standing) -> BlockFacts {
    let at = |counts: &[u64]| counts.get(standing.entrant.index()).copied().unwrap_or(0);
    let by_points = (evaluation.seats() == 2).then(|| {
        let mut sum = [0; 5];
        for &other in standing.versus.keys() {
            let counts = evaluation.pairs(standing.entrant, other);
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sum
    });
    BlockFacts {
        whole: ratings.map_or(0, |ratings| at(&ratings.whole_blocks)),
        broken: ratings.map_or(0, |ratings| at(&ratings.broken_blocks)),
        by_points,
    }
}

fn versus(evaluation: &Evaluation, table: &[Standing], standing: &Standing) -> Vec<Against> {
    let met = table.iter().filter_map(|other| {
        let versus = standing.versus.get(&other.entrant)?;
        Some(Against {
            entrant: other.entrant,
            name: evaluation.names()[other.entrant.index()].clone(),
            tally: Wdl::from(&versus.tally),
            points: versus.points.value(),
            by_points: (evaluation.seats() == 2).then(|| evaluation.pairs(standing.entrant, other.entrant)),
            pairings: evaluation.games_of(standing.entrant, other.entrant).collect(),
        })
    });
    met.collect()
}

/// In the order of the table.
fn faults(evaluation: &Evaluation, table: &[Standing], context: &Context<'_>) -> Vec<FaultLine> {
    let mut lines = vec![];
    for standing in table {
        let entrant = standing.entrant;
        for (cause, games) in evaluation.faults(entrant) {
            let fits = |evidence: &&Evidence| evidence.entrant == entrant && evidence.cause == cause;
            lines.push(FaultLine {
                name: evaluation.names()[entrant.index()].clone(),
                cause,
                count: standing.faults.get(cause).copied().unwrap_or(0),
                evidence: context.evidence.iter().find(fits).map(|evidence| evidence.text.clone()),
                pairings: games.iter().copied().collect(),
                replay: None,
            });
        }
    }
    lines
}
