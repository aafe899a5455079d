//! What a series shows: a table for people that fits its terminal, an object for programs.

use std::fmt::Write as _;
use std::io::Write;

use rookery_rules::text::clean;
use rookery_tournament::{Elo, Estimate, Summary, Tally};

use super::json::Stream;
use super::series::{Game, Series};

/// The width of a table that no terminal shows.
const WIDTH: usize = 80;
/// A name is cut no shorter than this.
const SHORTEST_NAME: usize = 8;

/// Sums up a series while it is played.
pub(super) struct Report<'a> {
    summary: Summary,
    stream: Result<Stream<'a>, Option<anyhow::Error>>,
}

impl<'a> Report<'a> {
    /// With an output the games are written there as JSON.
    pub(super) fn new(series: &Series, json: Option<&'a mut dyn Write>) -> Self {
        let stream = match json {
            Some(out) => Stream::begin(series, out).map_err(Some),
            None => Err(None),
        };
        Self { summary: Summary::new(series.players()), stream }
    }

    pub(super) fn summary(&self) -> &Summary {
        &self.summary
    }

    pub(super) fn add(&mut self, game: &Game) -> anyhow::Result<()> {
        self.summary.add(&game.result());
        match &mut self.stream {
            Ok(stream) => stream.add(game),
            Err(error) => error.take().map_or(Ok(()), Err),
        }
    }

    /// Ends the JSON, if there is one.
    pub(super) fn finish(self) -> anyhow::Result<Summary> {
        match self.stream {
            Ok(stream) => stream.finish(&self.summary)?,
            Err(Some(error)) => return Err(error),
            Err(None) => {}
        }
        Ok(self.summary)
    }
}

/// How wide the terminal is.
pub(super) fn width() -> usize {
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
        column("wins", players.iter().map(|player| player.total.wins.to_string())),
        column("draws", players.iter().map(|player| player.total.draws.to_string())),
        column("losses", players.iter().map(|player| player.total.losses.to_string())),
        column("points", players.iter().map(|player| percent(player.points))),
    ];
    columns.push(column("place", players.iter().map(|player| with_error(player.place))));
    columns.push(column("score", players.iter().map(|player| with_error(player.score))));
    columns.extend((0..n_players).map(|seat| {
        let tally = |tally: &Tally| format!("{}-{}-{}", tally.wins, tally.draws, tally.losses);
        column(&format!("seat {}", seat + 1), players.iter().map(|player| tally(&player.by_seat[seat])))
    }));
    for part in parts(&names, columns, width) {
        write_part(&names, &part, width, out)?;
    }
    if let (Some(elo), [first, second]) = (summary.elo(), &names[..]) {
        let text = format!("Elo, {first} to {second}: {}", elo_text(elo));
        writeln!(out, "{}", wrapped(&text, width))?;
    }
    write_endings(summary, out)
}

/// A column of the table: its title, and what it says of each player.
struct Column {
    cells: Vec<String>,
    width: usize,
}

fn column(title: &str, cells: impl Iterator<Item = String>) -> Column {
    let cells: Vec<String> = std::iter::once(title.to_owned()).chain(cells).collect();
    let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or_default();
    Column { cells, width }
}

/// The columns that fit beside the names, then the next, and so on.
fn parts(names: &[String], columns: Vec<Column>, width: usize) -> Vec<Vec<Column>> {
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let name = longest.min(SHORTEST_NAME.max(width / 3));
    let mut parts: Vec<Vec<Column>> = vec![];
    let mut used = usize::MAX;
    for column in columns {
        let needed = column.width + 2;
        match parts.last_mut() {
            Some(part) if used.saturating_add(needed) <= width => {
                used += needed;
                part.push(column);
            }
            _ => {
                used = name + needed;
                parts.push(vec![column]);
            }
        }
    }
    parts
}

fn write_part(names: &[String], part: &[Column], width: usize, out: &mut dyn Write) -> anyhow::Result<()> {
    let taken: usize = part.iter().map(|column| column.width + 2).sum();
    let longest =
        names.iter().map(|name| name.chars().count()).chain(["player".len()]).max().unwrap_or_default();
    let room = longest.min(width.saturating_sub(taken).max(SHORTEST_NAME));
    let titles = std::iter::once("player").chain(names.iter().map(String::as_str));
    for (row, name) in titles.enumerate() {
        let mut line = format!("{:room$}", shortened(name, room));
        for Column { cells, width } in part {
            let _ = write!(line, "  {:>width$}", cells[row]);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// A name in at most so many characters.
fn shortened(name: &str, room: usize) -> String {
    if name.chars().count() <= room {
        return name.to_owned();
    }
    name.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// A sentence on lines of at most this width.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = vec![];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// How the games ended that did not end by the rules, and what does not count.
fn write_endings(summary: &Summary, out: &mut dyn Write) -> anyhow::Result<()> {
    for (word, n) in summary.endings().filter(|(word, _)| *word != "normal") {
        writeln!(out, "{n} ended {word}")?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_any_width_with_any_number_of_columns() {
        let names: Vec<String> =
            ["a", "mcts:playouts=1000000,with=a,very=long,name"].map(str::to_owned).into();
        for n_columns in 1..=12 {
            for width in [40, 60, 80, 120, 200] {
                let columns = (0..n_columns)
                    .map(|n| {
                        column(
                            &format!("column {n}"),
                            ["100.0 ± 24.3 %".to_owned(), "1".to_owned()].into_iter(),
                        )
                    })
                    .collect();
                let mut text = vec![];
                for part in parts(&names, columns, width) {
                    write_part(&names, &part, width, &mut text).unwrap();
                }
                let text = String::from_utf8(text).unwrap();
                assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
                assert_eq!(text.matches("column").count(), n_columns, "every column is there");
            }
        }
        assert_eq!(wrapped("one two three", 7), "one two\nthree");
    }
}
