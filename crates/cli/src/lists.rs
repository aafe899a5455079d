//! Lists for people and for programs.

use std::io::{self, Write};

use rookery_rules::text::clean;
use rookery_store::{Page, StoreError};
use rookery_terminal::{fit, text_width};
use serde::Serialize;

/// How wide a table is at most.
const WIDTH: usize = 80;
/// What is left of a text that has to be cut.
const SHORTEST: usize = 8;

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Column {
    /// Texts that are shown whole.
    Whole(&'static str),
    /// Texts that lose their end where a line would get too long.
    Cut(&'static str),
    /// Numbers.
    Right(&'static str),
}

impl Column {
    const fn title(self) -> &'static str {
        let (Self::Whole(title) | Self::Cut(title) | Self::Right(title)) = self;
        title
    }
}

/// Writes a table that fits into 80 columns. Whatever the cells hold does no harm to a terminal.
pub(crate) fn write_table(columns: &[Column], rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let titles = columns.iter().map(|column| column.title().to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(&titles)
        .chain(rows)
        .map(|row| row.iter().map(|cell| clean(cell)).collect())
        .collect();
    let widths = widths(columns, &rows);
    for row in &rows {
        let mut line = String::new();
        for ((column, cell), width) in columns.iter().zip(row).zip(&widths) {
            let cell = fit(cell, *width);
            let gap = " ".repeat(width.saturating_sub(text_width(&cell)));
            let (before, behind) =
                if matches!(column, Column::Right(_)) { (gap, String::new()) } else { (String::new(), gap) };
            line.extend([&before, &cell, &behind, "  "]);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// How wide each column is: as its widest cell, but for those that are cut.
fn widths(columns: &[Column], rows: &[Vec<String>]) -> Vec<usize> {
    let widest = |idx: usize| rows.iter().map(|row| text_width(&row[idx])).max().unwrap_or_default();
    let mut widths: Vec<usize> = (0..columns.len()).map(widest).collect();
    let gaps = 2 * columns.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > WIDTH {
        let can_be_cut = |&idx: &usize| matches!(columns[idx], Column::Cut(_)) && widths[idx] > SHORTEST;
        let widest = (0..columns.len()).filter(can_be_cut).max_by_key(|&idx| widths[idx]);
        let Some(idx) = widest else { break };
        widths[idx] -= 1;
    }
    widths
}

/// A page of a list of the store, from a number down.
pub(crate) fn page(before: Option<u64>) -> Page {
    Page { before, limit: 1000 }
}

/// All rows, read page by page: each page begins behind the number of the last row of the one before.
pub(crate) fn pages<T>(
    mut from: Option<u64>,
    number: impl Fn(&T) -> u64,
    mut read: impl FnMut(Option<u64>) -> Result<Vec<T>, StoreError>,
) -> impl Iterator<Item = Result<T, StoreError>> {
    let (mut rows, mut is_last) = (vec![].into_iter(), false);
    std::iter::from_fn(move || {
        if rows.len() == 0 && !is_last {
            match read(from) {
                Ok(found) => {
                    is_last = found.is_empty();
                    from = found.last().map(&number).or(from);
                    rows = found.into_iter();
                }
                Err(error) => {
                    is_last = true;
                    return Some(Err(error));
                }
            }
        }
        rows.next().map(Ok)
    })
}

/// How many rows a list has: what was asked for; else 50 for people, and for programs all.
pub(crate) fn limit(asked: Option<u64>, json: bool) -> usize {
    let usual = if json { u64::MAX } else { 50 };
    usize::try_from(asked.unwrap_or(usual)).unwrap_or(usize::MAX)
}

/// Writes one JSON list, a value after the other: a million of them need no memory.
pub(crate) fn write_json_list<T: Serialize>(
    values: impl Iterator<Item = anyhow::Result<T>>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    out.write_all(b"[")?;
    for (idx, value) in values.enumerate() {
        let comma = if idx == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", serde_json::to_string(&value?)?)?;
    }
    Ok(writeln!(out, "]")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[Column], rows: &[&[&str]]) -> String {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect();
        let mut out = vec![];
        write_table(columns, &rows, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_stand_below_each_other() {
        let columns = [Column::Whole("id"), Column::Cut("name"), Column::Right("games")];
        let shown = table(&columns, &[&["1", "ann", "7"], &["12", "企鵝", "1234567"]]);
        let expected = "id  name    games\n1   ann         7\n12  企鵝  1234567\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn whatever_cells_hold_no_line_is_too_long() {
        let (long, wide) = ("x".repeat(200), "企".repeat(100));
        let columns = [Column::Whole("id"), Column::Cut("name"), Column::Cut("game"), Column::Right("moves")];
        let shown = table(
            &columns,
            &[&["0123456789ab", &long, &wide, "1"], &["b", "\u{1b}[2Jevil", "\u{202e}", "2"]],
        );
        assert!(shown.lines().all(|line| text_width(line) <= WIDTH), "{shown}");
        assert!(shown.contains('…') && shown.contains("\u{fffd}[2Jevil"), "{shown}");
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }

    #[test]
    fn all_pages_are_read_until_one_fails() {
        let read = |from: Option<u64>| Ok((1..from.unwrap_or(8)).rev().take(3).collect());
        let rows: Result<Vec<u64>, StoreError> = pages(None, |&row| row, read).collect();
        assert_eq!(rows.unwrap(), [7, 6, 5, 4, 3, 2, 1]);
        let rows: Result<Vec<u64>, StoreError> = pages(Some(3), |&row| row, read).collect();
        assert_eq!(rows.unwrap(), [2, 1]);
        let fails = |from: Option<u64>| match from {
            Some(_) => Err(StoreError::Busy(String::new())),
            None => Ok(vec![2, 1]),
        };
        let rows: Vec<bool> = pages(None, |&row| row, fails).map(|row| row.is_ok()).collect();
        assert_eq!(rows, [true, true, false]);
    }

    #[test]
    fn a_list_is_json_whatever_its_length() {
        for n in [0_usize, 1, 3] {
            let mut out = vec![];
            write_json_list((0..n).map(Ok), &mut out).unwrap();
            let read: Vec<usize> = serde_json::from_slice(&out).unwrap();
            assert_eq!(read, (0..n).collect::<Vec<_>>());
        }
    }
}
