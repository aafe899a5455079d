//! A report for spreadsheets: RFC 4180, with a line of titles.

use rookery_rules::text::clean;

use crate::report::{Report, Row, Wdl};

impl Report {
    /// The table. Numbers have all their digits; what is unknown is empty. A text that a spreadsheet would take for a
    /// formula begins with an apostrophe.
    pub fn to_csv(&self) -> String {
        let is_paired = self.standings.iter().any(|row| row.blocks.by_points.is_some());
        let mut titles: Vec<String> = [
            "place",
            "name",
            "player",
            "version",
            "points",
            "games",
            "wins",
            "draws",
            "losses",
            "score",
            "rating",
            "error",
            "los_next",
            "whole_blocks",
            "broken_blocks",
        ]
        .map(str::to_owned)
        .into();
        if is_paired {
            titles.extend((0..5).map(|halves| format!("blocks_with_{}", f64::from(halves) / 2.0)));
        }
        titles.extend(self.setting.tie_breaks.iter().map(|word| format!("tie_break_{word}")));
        let last = [
            "time_losses",
            "crashes",
            "other_faults",
            "byes",
            "aborted",
            "suspended",
            "accuracy",
            "moves",
            "mean_ms",
            "p95_ms",
            "max_ms",
        ];
        titles.extend(last.map(str::to_owned));
        let mut csv = line(titles.iter().map(|title| field(title)));
        for row in &self.standings {
            csv.push_str(&line(fields(row, is_paired).into_iter()));
        }
        csv
    }

    /// One line for each entrant and each opponent that it met.
    pub fn to_csv_by_opponent(&self) -> String {
        let mut csv =
            line(["name", "opponent", "wins", "draws", "losses", "points"].map(str::to_owned).into_iter());
        for row in &self.standings {
            for against in &row.versus {
                let Wdl { wins, draws, losses } = against.tally;
                let counts = [wins, draws, losses].map(|count| count.to_string());
                let names = [field(&row.name), field(&against.name)];
                csv.push_str(&line(names.into_iter().chain(counts).chain([against.points.to_string()])));
            }
        }
        csv
    }
}

fn fields(row: &Row, is_paired: bool) -> Vec<String> {
    let known = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let text = |value: &Option<String>| value.as_ref().map(|value| field(value)).unwrap_or_default();
    let Wdl { wins, draws, losses } = row.total;
    let mut fields = vec![row.place.to_string(), field(&row.name), text(&row.player), text(&row.version)];
    fields.push(row.points.to_string());
    fields.extend([row.games, wins, draws, losses].map(|count| count.to_string()));
    fields.extend([row.score, row.rating, row.error, row.los_next].map(known));
    fields.extend([row.blocks.whole, row.blocks.broken].map(|count| count.to_string()));
    if is_paired {
        fields.extend(row.blocks.by_points.unwrap_or_default().map(|count| count.to_string()));
    }
    fields.extend(row.tie_breaks.iter().map(f64::to_string));
    let counts = [row.time_losses, row.crashes, row.other_faults, row.byes, row.aborted];
    fields.extend(counts.map(|count| count.to_string()));
    fields.extend([row.suspended.to_string(), known(row.accuracy)]);
    match &row.time {
        Some(time) => fields.extend([
            time.moves.to_string(),
            time.mean_ms.to_string(),
            time.p95_ms.to_string(),
            time.max_ms.to_string(),
        ]),
        None => fields.extend(std::array::from_fn::<String, 4, _>(|_| String::new())),
    }
    fields
}

fn line(fields: impl Iterator<Item = String>) -> String {
    fields.collect::<Vec<_>>().join(",") + "\r\n"
}

/// A text as a field that is no formula.
fn field(text: &str) -> String {
    let mut text = clean(text);
    if text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) {
        text.insert(0, '\'');
    }
    if text.contains(['"', ',', ';', '\'', ' ']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_texts() {
        assert_eq!(field("Ann"), "Ann");
        assert_eq!(field("a, \"b\""), "\"a, \"\"b\"\"\"");
        for formula in ["=1+1", "+1", "-1", "@x", "  =1", "＝1"] {
            assert_eq!(field(formula), format!("\"'{formula}\""));
        }
        assert_eq!(field("a\r\nb"), "a\u{fffd}\u{fffd}b");
    }
}
