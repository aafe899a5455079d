//! A report for a terminal.

use rookery_rules::text::clean;

use crate::columns::{self, Table};
use crate::legend;
use crate::report::Report;
use crate::table::{parts, wrapped};

/// With more entrants the cross table is for other forms: nobody reads so many parts of it.
const MAX_CROSS: usize = 40;
/// Nothing is narrower.
const NARROWEST: usize = 40;

impl Report {
    /// For a terminal of so many columns: everything that is wider is shown in parts, below each other.
    pub fn to_text(&self, width: usize) -> String {
        let width = width.max(NARROWEST);
        let [setting, state] = legend::header(self);
        let mut text = paragraphs([clean(&self.name), setting, state], width);
        section(&mut text, "", laid_out(columns::standings(self), width));
        let notes = legend::notes(self).into_iter().chain(self.test.as_ref().map(ToString::to_string));
        section(&mut text, "", [paragraphs(notes, width)]);
        let n_entrants = self.standings.len();
        if n_entrants > MAX_CROSS {
            let elsewhere = format!(
                "Results by opponent of {n_entrants} entrants are in the other forms of this report."
            );
            section(&mut text, "", [paragraphs([elsewhere], width)]);
        } else {
            section(&mut text, "wins-draws-losses by opponent", laid_out(columns::cross(self), width));
        }
        section(&mut text, "wins-draws-losses by seat", laid_out(columns::by_seat(self), width));
        let times = columns::times(self).map(|times| laid_out(times, width));
        section(&mut text, "time per move, in ms", times.unwrap_or_default());
        let openings = columns::openings(self).map(|openings| laid_out(openings, width));
        section(&mut text, "results by opening", openings.unwrap_or_default());
        section(&mut text, "faults", [paragraphs(self.faults.iter().map(legend::fault_with_replay), width)]);
        section(&mut text, "", [paragraphs(self.legend.iter().cloned(), width)]);
        text
    }
}

/// Adds what is not empty, with an empty line before each part.
fn section(text: &mut String, heading: &str, parts: impl IntoIterator<Item = String>) {
    for (idx, part) in parts.into_iter().filter(|part| !part.is_empty()).enumerate() {
        text.push('\n');
        if idx == 0 && !heading.is_empty() {
            text.push_str(heading);
            text.push('\n');
        }
        text.push_str(&part);
    }
}

fn laid_out(table: Table, width: usize) -> Vec<String> {
    parts(&table.labels(), table.columns, width)
}

fn paragraphs(lines: impl IntoIterator<Item = String>, width: usize) -> String {
    lines.into_iter().map(|line| wrapped(&line, width) + "\n").collect()
}
