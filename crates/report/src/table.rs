//! Tables in a fixed width: the columns that fit, then the next ones below, each time with the names beside them.

use std::fmt::Write as _;

/// A name is cut no shorter than this.
const SHORTEST_LABEL: usize = 8;

/// A column: its title, and what it says of each row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    cells: Vec<String>,
    width: usize,
}

impl Column {
    /// With a cell for each row.
    pub fn new(title: &str, cells: impl IntoIterator<Item = String>) -> Self {
        let cells: Vec<String> = std::iter::once(title.to_owned()).chain(cells).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or_default();
        Self { cells, width }
    }

    /// Its title and its cells.
    pub(crate) fn cells(&self) -> &[String] {
        &self.cells
    }
}

/// The table in as many parts as it takes to fit the width: the columns that fit beside the labels, then the next, and so
/// on. The first of the labels is their title.
///
/// ```
/// use rookery_report::table::{Column, parts};
///
/// let labels = ["player".to_owned(), "Ann".to_owned(), "Ben".to_owned()];
/// let columns = vec![
///     Column::new("wins", ["10".to_owned(), "9".to_owned()]),
///     Column::new("losses", ["0".to_owned(), "1".to_owned()]),
/// ];
/// assert_eq!(parts(&labels, columns.clone(), 80), ["player  wins  losses\nAnn       10       0\nBen        9       1\n"]);
/// assert_eq!(parts(&labels, columns, 16).len(), 2);
/// ```
pub fn parts(labels: &[String], columns: Vec<Column>, width: usize) -> Vec<String> {
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
    let least = longest.min(SHORTEST_LABEL.max(width / 3));
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
                used = least + needed;
                parts.push(vec![column]);
            }
        }
    }
    parts.iter().map(|part| one_part(labels, part, longest, width)).collect()
}

fn one_part(labels: &[String], part: &[Column], longest: usize, width: usize) -> String {
    let taken: usize = part.iter().map(|column| column.width + 2).sum();
    let room = longest.min(width.saturating_sub(taken).max(SHORTEST_LABEL));
    let mut text = String::new();
    for (row, label) in labels.iter().enumerate() {
        let mut line = format!("{:room$}", shortened(label, room));
        for Column { cells, width } in part {
            let _ = write!(line, "  {:>width$}", cells[row]);
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// A text in at most so many characters.
pub fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// A text on lines of at most this width. A word that is longer is broken.
///
/// ```
/// use rookery_report::table::wrapped;
/// assert_eq!(wrapped("one two three", 7), "one two\nthree");
/// assert_eq!(wrapped("one enormously", 7), "one\nenormou\nsly");
/// ```
pub fn wrapped(text: &str, width: usize) -> String {
    let width = width.max(1);
    let mut lines: Vec<String> = vec![];
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + letters.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ if letters.is_empty() => lines.push(String::new()),
            _ => lines.extend(letters.chunks(width).map(|part| part.iter().collect::<String>())),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_any_width_with_any_number_of_columns() {
        let labels: Vec<String> =
            ["player", "a", "mcts:playouts=1000000,with=a,very=long,name"].map(str::to_owned).into();
        for n_columns in 1..=12 {
            for width in [40, 60, 80, 120, 200] {
                let cells = ["100.0 ± 24.3 %".to_owned(), "1".to_owned()];
                let columns =
                    (0..n_columns).map(|n| Column::new(&format!("column {n}"), cells.clone())).collect();
                let text = parts(&labels, columns, width).concat();
                assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
                assert_eq!(text.matches("column").count(), n_columns, "every column is there");
            }
        }
    }
}
