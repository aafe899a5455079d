//! What a series shows: a table for people, an object for programs.

use std::collections::BTreeMap;
use std::io::Write;

use comfy_table::{CellAlignment, Table, presets};
use rookery_referee::{Blame, Ending};
use rookery_tournament::old::{Elo, Estimate, GameResult, PlayerSummary, Summary, Tally};
use serde::Serialize;

use super::series::{GameReport, Series};
use crate::commands::write_json;

/// A series that was played, and what it says.
pub(super) struct Report<'a> {
    series: &'a Series,
    games: &'a [GameReport],
    summary: Summary,
}

impl<'a> Report<'a> {
    pub(super) fn new(series: &'a Series, games: &'a [GameReport]) -> Self {
        let results: Vec<GameResult> = games.iter().map(GameReport::result).collect();
        Self { series, games, summary: Summary::new(series.players.len(), &results) }
    }

    pub(super) fn aborted(&self) -> u64 {
        self.summary.aborted
    }

    pub(super) fn write_table(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let n_players = self.series.players.len();
        writeln!(out, "{}: {} games, seed {}", self.series.spec.text, self.games.len(), self.series.seed.0)?;
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        let mut header =
            vec!["player".to_owned(), "wins".into(), "draws".into(), "losses".into(), "points".into()];
        header.extend((1..=n_players).map(|seat| format!("at seat {seat}")));
        header.extend(["place".to_owned(), "score".into()]);
        table.set_header(header);
        for (spec, player) in self.series.players.iter().zip(&self.summary.players) {
            let mut row = vec![spec.to_string()];
            row.extend([player.total.wins, player.total.draws, player.total.losses].map(|n| n.to_string()));
            row.push(percent(player.points));
            row.extend(
                player.by_seat.iter().map(|tally| format!("{}-{}-{}", tally.wins, tally.draws, tally.losses)),
            );
            row.extend([with_error(player.place), with_error(player.score)]);
            table.add_row(row);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(out, "{table}")?;
        if let Some(elo) = self.summary.elo {
            let [first, second] = [0, 1].map(|player| &self.series.players[player]);
            writeln!(out, "Elo difference, {first} to {second}: {}", elo_text(elo))?;
        }
        self.write_endings(out)
    }

    /// How the games ended that did not end by the rules.
    fn write_endings(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let mut endings: BTreeMap<&str, u64> = BTreeMap::new();
        for game in self.games {
            *endings.entry(game.verdict.ending.cause.word()).or_default() += 1;
        }
        endings.remove("normal");
        for (word, n) in endings {
            writeln!(out, "{n} ended {word}")?;
        }
        if self.summary.aborted > 0 {
            writeln!(out, "{} aborted; they do not count", self.summary.aborted)?;
        }
        Ok(())
    }

    pub(super) fn write_json(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let value = SeriesJson {
            game: &self.series.spec.text,
            players: self.series.players.iter().map(ToString::to_string).collect(),
            seed: self.series.seed.0,
            games: self.games.iter().map(GameJson::new).collect(),
            summary: SummaryJson {
                players: self.summary.players.iter().map(PlayerJson::new).collect(),
                elo: self.summary.elo.map(EloJson::new),
                aborted: self.summary.aborted,
            },
        };
        write_json(out, &value)
    }
}

fn percent(points: Option<Estimate>) -> String {
    let scaled = |estimate: Estimate| Estimate {
        mean: 100.0 * estimate.mean,
        error: estimate.error.map(|error| 100.0 * error),
    };
    format!("{} %", with_error(points.map(scaled)))
}

fn with_error(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "-".to_owned(),
        Some(Estimate { mean, error: None }) => format!("{mean:.1}"),
        Some(Estimate { mean, error: Some(error) }) => format!("{mean:.1} ± {error:.1}"),
    }
}

fn elo_text(elo: Elo) -> String {
    let signed = |value: f64| match value {
        _ if value.is_infinite() && value > 0.0 => "+∞".to_owned(),
        _ if value.is_infinite() => "-∞".to_owned(),
        _ => format!("{value:+.0}"),
    };
    format!(
        "{}, between {} and {} with 95 % certainty",
        signed(elo.difference),
        signed(elo.low),
        signed(elo.high)
    )
}

#[derive(Serialize)]
struct SeriesJson<'a> {
    game: &'a str,
    /// Player specs, in the order given.
    players: Vec<String>,
    seed: u64,
    games: Vec<GameJson>,
    summary: SummaryJson,
}

#[derive(Serialize)]
struct GameJson {
    /// The player's index at each seat.
    seats: Vec<usize>,
    /// Indices of players.
    winners: Vec<usize>,
    /// By player; null if the game was aborted.
    scores: Option<Vec<i32>>,
    plies: u64,
    ending: &'static str,
    /// The index of the player who resigned or offended.
    offender: Option<usize>,
    blame: Option<&'static str>,
    sentence: String,
    /// Players that were removed, also if the others played on.
    removed: Vec<RemovedJson>,
    record: Option<String>,
}

impl GameJson {
    fn new(report: &GameReport) -> Self {
        let seats = &report.seating.players;
        let outcome = report.verdict.outcome.as_ref();
        let mut winners: Vec<usize> =
            outcome.map(|o| o.winners.iter().map(|seat| seats[seat.index()]).collect()).unwrap_or_default();
        winners.sort_unstable();
        let by_player =
            |scores: &[i32]| (0..seats.len()).map(|player| scores[report.seating.seat_of(player)]).collect();
        Self {
            seats: seats.clone(),
            winners,
            scores: outcome.map(|o| by_player(o.scores.as_slice())),
            plies: report.verdict.plies,
            ending: report.verdict.ending.cause.word(),
            offender: report.offender(),
            blame: report.blame().map(Blame::word),
            sentence: report.verdict.ending.sentence.clone(),
            removed: report
                .verdict
                .removed
                .iter()
                .filter_map(|removal| RemovedJson::new(report, removal))
                .collect(),
            record: report.record.as_ref().map(|path| path.display().to_string()),
        }
    }
}

#[derive(Serialize)]
struct RemovedJson {
    player: usize,
    cause: &'static str,
    sentence: String,
}

impl RemovedJson {
    fn new(report: &GameReport, removal: &Ending) -> Option<Self> {
        let player = report.seating.players[removal.seat?.index()];
        Some(Self { player, cause: removal.cause.word(), sentence: removal.sentence.clone() })
    }
}

#[derive(Serialize)]
struct SummaryJson {
    players: Vec<PlayerJson>,
    /// For two players: how much stronger the first one is. Unlimited ends are null.
    elo: Option<EloJson>,
    aborted: u64,
}

#[derive(Serialize)]
struct PlayerJson {
    #[serde(flatten)]
    total: TallyJson,
    by_seat: Vec<TallyJson>,
    /// The share of first places, 0 to 1.
    points: Option<EstimateJson>,
    place: Option<EstimateJson>,
    score: Option<EstimateJson>,
}

#[derive(Serialize)]
struct TallyJson {
    wins: u64,
    draws: u64,
    losses: u64,
}

/// A mean, and half of its 95 % interval.
#[derive(Serialize)]
struct EstimateJson {
    mean: f64,
    error: Option<f64>,
}

#[derive(Serialize)]
struct EloJson {
    difference: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

impl PlayerJson {
    fn new(player: &PlayerSummary) -> Self {
        let estimate =
            |estimate: Option<Estimate>| estimate.map(|e| EstimateJson { mean: e.mean, error: e.error });
        Self {
            total: TallyJson::new(player.total),
            by_seat: player.by_seat.iter().map(|&tally| TallyJson::new(tally)).collect(),
            points: estimate(player.points),
            place: estimate(player.place),
            score: estimate(player.score),
        }
    }
}

impl TallyJson {
    fn new(Tally { wins, draws, losses }: Tally) -> Self {
        Self { wins, draws, losses }
    }
}

impl EloJson {
    fn new(elo: Elo) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self { difference: finite(elo.difference), low: finite(elo.low), high: finite(elo.high) }
    }
}
