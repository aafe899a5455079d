//! What a series says, for programs: one object, written while the games end, so that no list of them is kept.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rookery_arena::PlayedGame;
use rookery_referee::{Blame, Ending, words};
use rookery_tournament::{Elo, Estimate, LeftOver, PlayerSummary, Summary, Tally};
use serde::Serialize;

use super::series::Series;

/// Writes the object, game by game, in their order.
pub(super) struct Stream<'a> {
    out: &'a mut dyn Write,
    /// The number of the game that comes next.
    next: u64,
    /// Games that ended before one with a smaller number. No more than run at a time.
    early: BTreeMap<u64, GameJson>,
    any: bool,
    /// Whether it says how much processor time programs took, which is never twice the same.
    cpu_time: bool,
}

impl<'a> Stream<'a> {
    pub(super) fn begin(series: &Series, out: &'a mut dyn Write, cpu_time: bool) -> io::Result<Self> {
        let agreed = series.agreed();
        let players: Vec<String> = agreed.seats.iter().map(|entry| entry.player.to_string()).collect();
        let names: Vec<&str> = agreed.seats.iter().map(|entry| entry.name.as_str()).collect();
        write!(
            out,
            "{{\n  \"game\": {},\n  \"players\": {},\n  \"names\": {},\n  \"seed\": {},\n  \"games\": [",
            serde_json::to_string(&agreed.game)?,
            serde_json::to_string(&players)?,
            serde_json::to_string(&names)?,
            agreed.seed.0
        )?;
        Ok(Self { out, next: 0, early: BTreeMap::new(), any: false, cpu_time })
    }

    pub(super) fn add(&mut self, game: &PlayedGame) -> io::Result<()> {
        let mut told = GameJson::new(game);
        if self.cpu_time {
            told.cpu_ms = cpu_ms(game, &told.seats);
        }
        self.early.insert(game.pairing.id, told);
        while let Some(game) = self.early.remove(&self.next) {
            self.write(&game)?;
            self.next += 1;
        }
        Ok(())
    }

    fn write(&mut self, game: &GameJson) -> io::Result<()> {
        let comma = if self.any { "," } else { "" };
        self.any = true;
        Ok(write!(self.out, "{comma}\n    {}", serde_json::to_string(game)?)?)
    }

    /// Ends the object. After a stop there may be gaps.
    pub(super) fn finish(mut self, summary: &Summary) -> io::Result<()> {
        for game in std::mem::take(&mut self.early).into_values() {
            self.write(&game)?;
        }
        let value = SummaryJson {
            players: summary.players().iter().map(PlayerJson::new).collect(),
            elo: summary.elo().map(EloJson::new),
            aborted: summary.aborted(),
            left_over: Some(summary.left_over())
                .filter(|left| left.games > 0)
                .map(|left| LeftOverJson::new(&left)),
        };
        let end = if self.any { "\n  ]" } else { "]" };
        writeln!(self.out, "{end},\n  \"summary\": {}\n}}", serde_json::to_string(&value)?)?;
        self.out.flush()
    }
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
    /// By player: the processor time of its program, null for whoever is none or is not run here. Left out if nobody is, or nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ms: Option<Vec<Option<f64>>>,
}

/// The processor time of each player's program, in milliseconds, if any is known.
fn cpu_ms(game: &PlayedGame, seats: &[usize]) -> Option<Vec<Option<f64>>> {
    let mut by_player = vec![None; seats.len()];
    for (player, cpu) in seats.iter().zip(&game.cpu) {
        // Whole microseconds: more digits would say nothing.
        by_player[*player] = cpu.map(|cpu| cpu.as_micros() as f64 / 1e3);
    }
    by_player.iter().any(Option::is_some).then_some(by_player)
}

impl GameJson {
    fn new(game: &PlayedGame) -> Self {
        let seats: Vec<usize> = game.pairing.entrants.iter().map(|entrant| entrant.index()).collect();
        let verdict = &game.verdict;
        let outcome = verdict.outcome.as_ref();
        let winners = outcome.map(|o| o.winners.iter().map(|seat| seats[seat.index()]).collect());
        let mut winners: Vec<usize> = winners.unwrap_or_default();
        winners.sort_unstable();
        let mut scores = outcome.map(|_| vec![0; seats.len()]);
        if let (Some(scores), Some(outcome)) = (&mut scores, outcome) {
            for (player, score) in seats.iter().zip(outcome.scores.as_slice()) {
                scores[*player] = *score;
            }
        }
        let removed = verdict.removed.iter().filter_map(|removal| RemovedJson::new(game, removal));
        Self {
            winners,
            scores,
            plies: verdict.plies,
            ending: verdict.ending.cause.word(),
            offender: verdict.ending.seat.map(|seat| seats[seat.index()]),
            blame: verdict.ending.blame().map(Blame::word),
            sentence: game.spec.sentence(verdict),
            removed: removed.collect(),
            record: game.record.as_ref().map(|path| path.display().to_string()),
            cpu_ms: None,
            seats,
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
    fn new(game: &PlayedGame, removal: &Ending) -> Option<Self> {
        let player = game.pairing.entrants.get(removal.seat?.index())?.index();
        let sentence = words::ending(removal, &|seat| game.spec.who(seat));
        Some(Self { player, cause: removal.cause.word(), sentence })
    }
}

#[derive(Serialize)]
struct SummaryJson {
    players: Vec<PlayerJson>,
    /// For two players: how much stronger the first one is. Unlimited ends are null.
    elo: Option<EloJson>,
    aborted: u64,
    /// Games of blocks that are not complete, which count nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_over: Option<LeftOverJson>,
}

#[derive(Serialize)]
struct LeftOverJson {
    games: u64,
    aborted: u64,
    players: Vec<TallyJson>,
}

impl LeftOverJson {
    fn new(left: &LeftOver) -> Self {
        Self {
            games: left.games,
            aborted: left.aborted,
            players: left.tallies.iter().copied().map(TallyJson::new).collect(),
        }
    }
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

impl TallyJson {
    fn new(Tally { wins, draws, losses }: Tally) -> Self {
        Self { wins, draws, losses }
    }
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
            by_seat: player.by_seat.iter().copied().map(TallyJson::new).collect(),
            points: estimate(player.points),
            place: estimate(player.place),
            score: estimate(player.score),
        }
    }
}

impl EloJson {
    fn new(elo: Elo) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self { difference: finite(elo.difference), low: finite(elo.low), high: finite(elo.high) }
    }
}
