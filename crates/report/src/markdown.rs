//! A report for pages, chats and pull requests.

use std::fmt::Write as _;

use rookery_rules::text::clean;

use crate::columns::{self, MAX_CROSS, Table};
use crate::legend;
use crate::report::Report;

impl Report {
    /// As Markdown with tables, as GitHub reads it.
    pub fn to_markdown(&self) -> String {
        let [setting, state] = legend::header(self);
        let mut text =
            format!("# {}\n\n{}  \n{}\n\n", escaped(&clean(&self.name)), escaped(&setting), escaped(&state));
        text.push_str(&table(&columns::standings(self)));
        let notes = legend::notes(self).into_iter().chain(self.test.as_ref().map(ToString::to_string));
        list(&mut text, "", notes);
        if self.standings.len() <= MAX_CROSS {
            text.push_str("\n## Wins-draws-losses by opponent\n\n");
            text.push_str(&table(&columns::cross(self)));
        }
        text.push_str("\n## Wins-draws-losses by seat\n\n");
        text.push_str(&table(&columns::by_seat(self)));
        for (heading, part) in [
            ("Results by opening", columns::openings(self)),
            ("Time per move, in ms", columns::times(self)),
            ("How games were lost", columns::losses(self)),
        ] {
            if let Some(part) = part {
                let _ = write!(text, "\n## {heading}\n\n{}", table(&part));
            }
        }
        list(&mut text, "Faults", self.faults.iter().map(legend::fault_with_replay));
        list(&mut text, "What this means", self.legend.iter().cloned());
        text
    }
}

fn list(text: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    if !heading.is_empty() {
        let _ = write!(text, "\n## {heading}\n");
    }
    text.push('\n');
    for line in lines {
        let _ = writeln!(text, "- {}", escaped(&line));
    }
}

fn table(table: &Table) -> String {
    let is_numbered = !table.numbers.is_empty();
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        text.push_str(&cells.fold("|".to_owned(), |line, cell| format!("{line} {cell} |")));
        text.push('\n');
    };
    let number = |number: &str| is_numbered.then(|| number.to_owned());
    let titles = table.columns.iter().map(|column| escaped(&column.cells()[0]));
    line(&mut number("#").into_iter().chain([table.title.to_owned()]).chain(titles));
    let right = table.columns.iter().map(|_| "--:".to_owned());
    line(&mut number("--:").into_iter().chain(["---".to_owned()]).chain(right));
    for (row, name) in table.names.iter().enumerate() {
        let cells = table.columns.iter().map(|column| escaped(&column.cells()[row + 1]));
        line(&mut table.numbers.get(row).cloned().into_iter().chain([escaped(name)]).chain(cells));
    }
    text
}

/// The same text where Markdown would see more in it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        if "\\`*_{}[]<>#|~&!".contains(sign) {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    // Else it becomes a link.
    escaped.replace("://", "\\://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_markup() {
        assert_eq!(escaped("<b>|a_b|</b>"), "\\<b\\>\\|a\\_b\\|\\</b\\>");
        assert_eq!(escaped("![x](http://y)"), "\\!\\[x\\](http\\://y)");
    }
}
