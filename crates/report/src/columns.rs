//! The tables of a report for people: the same columns in every form.

use rookery_rules::text::clean;

use crate::facts::OpeningFacts;
use crate::report::{Report, Row, TimeFacts, Wdl};
use crate::table::Column;

/// With more entrants there is no cross table: it would have more cells than anybody reads, and the CSV by opponent and
/// the JSON have the same.
pub(crate) const MAX_CROSS: usize = 200;

/// A table with a row for each entrant, or for whatever its title says.
pub(crate) struct Table {
    /// What a row is about.
    pub(crate) title: &'static str,
    /// The place or number of each row; may be left out.
    pub(crate) numbers: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) columns: Vec<Column>,
}

impl Table {
    fn new(report: &Report, columns: Vec<Column>) -> Self {
        let names = report.standings.iter().map(|row| clean(&row.name)).collect();
        Self { title: "player", numbers: vec![], names, columns }
    }

    fn numbered(mut self, numbers: impl Iterator<Item = usize>) -> Self {
        self.numbers = numbers.map(|number| number.to_string()).collect();
        self
    }

    /// What stands at the left of each row in a terminal, with its title first.
    pub(crate) fn labels(&self) -> Vec<String> {
        let Some(width) = self.numbers.iter().map(String::len).max() else {
            return std::iter::once(self.title.to_owned()).chain(self.names.iter().cloned()).collect();
        };
        let rows =
            self.numbers.iter().zip(&self.names).map(|(number, name)| format!("{number:>width$} {name}"));
        std::iter::once(format!("{:width$} {}", "", self.title)).chain(rows).collect()
    }
}

/// How everybody stands.
pub(crate) fn standings(report: &Report) -> Table {
    let rows = &report.standings;
    let count = |title: &str, of: &dyn Fn(&Row) -> u64| {
        Column::new(title, rows.iter().map(|row| of(row).to_string()))
    };
    let some = |title: &str, of: &dyn Fn(&Row) -> Option<String>| {
        Column::new(title, rows.iter().map(|row| of(row).unwrap_or_else(|| "-".to_owned())))
    };
    let any = |of: &dyn Fn(&Row) -> bool| rows.iter().any(of);
    let mut columns = vec![
        Column::new("points", rows.iter().map(|row| trimmed(row.points))),
        count("games", &|row| row.games),
        count("W", &|row| row.total.wins),
        count("D", &|row| row.total.draws),
        count("L", &|row| row.total.losses),
        some("score", &|row| row.score.map(percent)),
    ];
    if let Some(facts) = &report.ratings {
        columns.push(some(facts.unit, &|row| rating(row)));
        columns.push(some("LOS", &|row| row.los_next.map(percent)));
        let is_odd = any(&|row| row.blocks.by_points.is_none() || row.blocks.broken > 0);
        if is_odd {
            columns.push(count("blocks", &|row| row.blocks.whole));
            columns.push(count("partial", &|row| row.blocks.broken));
        }
        if any(&|row| row.blocks.by_points.is_some()) {
            let dashed = |counts: [u64; 5]| counts.map(|count| count.to_string()).join("-");
            columns.push(some("0-½-1-1½-2", &|row| row.blocks.by_points.map(dashed)));
        }
    }
    for (idx, word) in report.setting.tie_breaks.iter().enumerate() {
        columns.push(some(word, &|row| row.tie_breaks.get(idx).map(|&value| trimmed(value))));
    }
    columns.push(count("late", &|row| row.time_losses));
    columns.push(count("crashed", &|row| row.crashes));
    columns.push(count("other faults", &|row| row.other_faults));
    if any(&|row| row.byes > 0) {
        columns.push(count("byes", &|row| row.byes));
    }
    if any(&|row| row.aborted > 0) {
        columns.push(count("aborted", &|row| row.aborted));
    }
    if any(&|row| row.accuracy.is_some()) {
        columns.push(some("accuracy", &|row| row.accuracy.map(percent)));
    }
    Table::new(report, columns).numbered(rows.iter().map(|row| row.place))
}

/// Who has what against whom; columns are numbered as rows are.
pub(crate) fn cross(report: &Report) -> Table {
    let rows = &report.standings;
    let cell = |row: &Row, other: &Row| {
        let against = row.versus.iter().find(|against| against.entrant == other.entrant);
        match against {
            _ if row.entrant == other.entrant => "x".to_owned(),
            Some(against) => dashed(&against.tally),
            None => String::new(),
        }
    };
    let column = |(number, other): (usize, &Row)| {
        Column::new(&number.to_string(), rows.iter().map(|row| cell(row, other)))
    };
    Table::new(report, (1..).zip(rows).map(column).collect()).numbered(1..=rows.len())
}

/// What everybody has by seat.
pub(crate) fn by_seat(report: &Report) -> Table {
    let rows = &report.standings;
    let seats = rows.iter().map(|row| row.by_seat.len()).max().unwrap_or(0);
    let cell = |row: &Row, seat: usize| row.by_seat.get(seat).map(dashed).unwrap_or_default();
    let column =
        |seat: usize| Column::new(&format!("seat {}", seat + 1), rows.iter().map(|row| cell(row, seat)));
    Table::new(report, (0..seats).map(column).collect())
}

/// How long everybody thinks; `None` if nothing is known of it.
pub(crate) fn times(report: &Report) -> Option<Table> {
    let rows = &report.standings;
    rows.iter().find(|row| row.time.is_some())?;
    let column = |title: &str, of: &dyn Fn(&TimeFacts) -> String| {
        Column::new(title, rows.iter().map(|row| row.time.as_ref().map_or_else(|| "-".to_owned(), of)))
    };
    let columns = vec![
        column("moves", &|time| time.moves.to_string()),
        column("mean ms", &|time| format!("{:.1}", time.mean_ms)),
        column("median", &|time| time.median_ms.to_string()),
        column("95 % within", &|time| time.p95_ms.to_string()),
        column("longest", &|time| time.max_ms.to_string()),
    ];
    Some(Table::new(report, columns))
}

/// How games ended by their openings; `None` if there are none, or more than anybody reads: the JSON has all.
pub(crate) fn openings(report: &Report) -> Option<Table> {
    let rows = &report.openings;
    let count = |title: &str, of: &dyn Fn(&OpeningFacts) -> u64| {
        Column::new(title, rows.iter().map(|row| of(row).to_string()))
    };
    let seats = rows.iter().map(|row| row.wins_by_seat.len()).max().filter(|_| rows.len() <= MAX_CROSS)?;
    let mut columns = vec![count("games", &|row| row.games)];
    let won = |seat: usize| move |row: &OpeningFacts| row.wins_by_seat.get(seat).copied().unwrap_or(0);
    columns.extend((0..seats).map(|seat| count(&format!("seat {} won", seat + 1), &won(seat))));
    columns.push(count("drawn", &|row| row.draws));
    let names = rows.iter().map(|row| clean(&row.opening)).collect();
    Some(Table { title: "opening", numbers: vec![], names, columns })
}

/// How everybody lost: by fault, or as games end. `None` if nobody did.
pub(crate) fn losses(report: &Report) -> Option<Table> {
    let rows = &report.standings;
    let words = loss_words(report);
    let column = |word: &&'static str| Column::new(word, rows.iter().map(|row| loss(row, word).to_string()));
    let columns: Vec<Column> = words.iter().map(column).collect();
    (!columns.is_empty()).then(|| Table::new(report, columns))
}

/// Every way in which somebody lost.
pub(crate) fn loss_words(report: &Report) -> Vec<&'static str> {
    let words = report.standings.iter().flat_map(|row| row.losses_by_ending.keys().chain(row.faults.keys()));
    let mut words: Vec<&'static str> = words.copied().collect();
    // Losses by the rules first.
    words.sort_unstable_by_key(|&word| (word != "normal", word));
    words.dedup();
    words
}

/// How often somebody lost so.
pub(crate) fn loss(row: &Row, word: &str) -> u64 {
    let of = |words: &std::collections::BTreeMap<&'static str, u64>| words.get(word).copied().unwrap_or(0);
    of(&row.losses_by_ending) + of(&row.faults)
}

/// A rating with its error.
pub(crate) fn rating(row: &Row) -> Option<String> {
    let rating = row.rating?;
    // What rounds to zero has no sign.
    let rating = if rating.abs() < 0.05 { 0.0 } else { rating };
    Some(match row.error {
        Some(error) => format!("{rating:.1} ± {error:.1}"),
        None => format!("{rating:.1}"),
    })
}

/// A share as a percentage with one decimal, which is 100 only if it is 1, and 0 only if it is 0.
pub(crate) fn percent(share: f64) -> String {
    let least = if share > 0.0 { 0.1 } else { 0.0 };
    let most = if share < 1.0 { 99.9 } else { 100.0 };
    format!("{:.1} %", (100.0 * share).clamp(least, most))
}

/// With two decimals at most.
pub(crate) fn trimmed(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(crate) fn dashed(Wdl { wins, draws, losses }: &Wdl) -> String {
    format!("{wins}-{draws}-{losses}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_certain_only_if_they_are() {
        assert_eq!(percent(1.0), "100.0 %");
        assert_eq!(percent(0.999_999), "99.9 %");
        assert_eq!(percent(0.000_001), "0.1 %");
        assert_eq!(percent(0.0), "0.0 %");
        assert_eq!(
            (trimmed(3.0), trimmed(10.0), trimmed(1.5)),
            ("3".to_owned(), "10".to_owned(), "1.5".to_owned())
        );
    }
}
