//! What a series shows: a table for people that fits its terminal, an object for programs.

use std::io::{self, Write};

use rookery_arena::PlayedGame;
use rookery_report::table::{Column, parts, wrapped};
use rookery_rules::text::clean;
use rookery_tournament::{Elo, Estimate, Summary, Tally};

use super::json::Stream;
use super::series::Series;

/// The width of a table that no terminal shows.
const WIDTH: usize = 80;

/// Sums up a series while it is played.
pub(super) struct Report<'a> {
    summary: Summary,
    stream: Result<Stream<'a>, Option<io::Error>>,
}

impl<'a> Report<'a> {
    /// With an output the games are written there as JSON, with the processor time of programs if that is wanted.
    pub(super) fn new(series: &Series, json: Option<&'a mut dyn Write>, cpu_time: bool) -> Self {
        let stream = match json {
            Some(out) => Stream::begin(series, out, cpu_time).map_err(Some),
            None => Err(None),
        };
        Self { summary: Summary::new(series.players()), stream }
    }

    pub(super) fn summary(&self) -> &Summary {
        &self.summary
    }

    pub(super) fn add(&mut self, game: &PlayedGame) -> io::Result<()> {
        self.summary.add(&game.result());
        match &mut self.stream {
            Ok(stream) => stream.add(game),
            Err(error) => error.take().map_or(Ok(()), Err),
        }
    }

    /// Ends the JSON, if there is one.
    pub(super) fn finish(self) -> io::Result<Summary> {
        match self.stream {
            Ok(stream) => stream.finish(&self.summary)?,
            Err(Some(error)) => return Err(error),
            Err(None) => {}
        }
        Ok(self.summary)
    }
}

/// How wide the terminal is.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(WIDTH, |(columns, _)| usize::from(columns.0))
}

/// The results as a table, in so many columns.
pub(super) fn write_table(
    series: &Series,
    summary: &Summary,
    width: usize,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let agreed = series.agreed();
    let names: Vec<String> = agreed.seats.iter().map(|entry| clean(&entry.name)).collect();
    let players = summary.players();
    let n_players = players.len();
    writeln!(out, "{}: {} games, seed {}", agreed.game, summary.games(), agreed.seed.0)?;
    let mut columns: Vec<Column> = vec![
        Column::new("wins", players.iter().map(|player| player.total.wins.to_string())),
        Column::new("draws", players.iter().map(|player| player.total.draws.to_string())),
        Column::new("losses", players.iter().map(|player| player.total.losses.to_string())),
        Column::new("points", players.iter().map(|player| percent(player.points))),
    ];
    columns.push(Column::new("place", players.iter().map(|player| with_error(player.place))));
    columns.push(Column::new("score", players.iter().map(|player| with_error(player.score))));
    columns.extend((0..n_players).map(|seat| {
        let tally = |tally: &Tally| format!("{}-{}-{}", tally.wins, tally.draws, tally.losses);
        Column::new(&format!("seat {}", seat + 1), players.iter().map(|player| tally(&player.by_seat[seat])))
    }));
    let labels: Vec<String> = std::iter::once("player".to_owned()).chain(names.iter().cloned()).collect();
    for part in parts(&labels, columns, width) {
        out.write_all(part.as_bytes())?;
    }
    if let (Some(elo), [first, second]) = (summary.elo(), &names[..]) {
        let text = format!("Elo, {first} to {second}: {}", elo_text(elo));
        writeln!(out, "{}", wrapped(&text, width))?;
    }
    write_endings(summary, out)
}

/// How the games ended that did not end by the rules, and what does not count.
fn write_endings(summary: &Summary, out: &mut dyn Write) -> anyhow::Result<()> {
    for (word, n) in summary.endings().filter(|(word, _)| *word != "normal") {
        let games = if n == 1 { "game" } else { "games" };
        writeln!(out, "{n} {games} ended by `{word}`")?;
    }
    if summary.aborted() > 0 {
        writeln!(out, "{} aborted; they do not count", summary.aborted())?;
    }
    let left = summary.left_over();
    if left.games > 0 {
        writeln!(out, "{} more of blocks that are not complete; they do not count", left.games)?;
    }
    Ok(())
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
    let [middle, low, high] = [elo.difference, elo.low, elo.high].map(signed);
    format!("{middle}, between {low} and {high} with 95 % certainty")
}
