//! Markdown as a terminal shows it: headings, lists, tables, code, emphasis; links as their text, no pictures.
//!
//! As much of it as rules pages have, and nothing that cannot be read: what is not understood stays as it is written.

use std::iter::Peekable;
use std::str::Lines;

use crate::clean;
use crate::rich::{Accent, Rich};

/// The lines of a page, none of them wider than `width`.
///
/// ```
/// use rookery_terminal::markdown::render;
///
/// let page = "# Fish\n\nA *penguin* on [ice](ice.md):\n`0.0` and so on.\n\n![a picture](fish.svg)\n";
/// let lines: Vec<String> = render(page, 24).iter().map(|line| line.text()).collect();
/// assert_eq!(lines, ["Fish", "====", "", "A penguin on ice: 0.0", "and so on."]);
/// ```
pub fn render(source: &str, width: usize) -> Vec<Rich> {
    let mut page = Page { width: width.max(1), lines: vec![], after_picture: false };
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if text.is_empty() {
            page.gap();
        } else if let Some(language) = text.strip_prefix("```") {
            let code = lines.by_ref().take_while(|line| !line.trim().starts_with("```"));
            let code: Vec<&str> = code.map(|line| line.get(indent..).unwrap_or("")).collect();
            page.code(&code, language, indent);
        } else if let Some((level, title)) = heading(text) {
            page.heading(level, title);
        } else if text.starts_with('|') && lines.peek().is_some_and(|next| is_delimiter(next)) {
            lines.next();
            let rows = std::iter::from_fn(|| lines.next_if(|next| next.trim_start().starts_with('|')));
            let rows: Vec<Vec<Rich>> = std::iter::once(line).chain(rows).map(cells).collect();
            page.table(rows);
        } else {
            let marker = marker(text);
            let text = paragraph(&text[marker.len()..], &mut lines);
            page.paragraph(&text, indent, marker);
        }
    }
    page.finish()
}

/// A part of a rules page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block<'a> {
    /// In Markdown.
    Text(&'a str),
    /// A board whose position is named behind the language of its block of code.
    Board {
        position: &'a str,
        /// What is inside the block.
        code: &'a str,
        /// The whole block.
        source: &'a str,
    },
}

/// The parts of a page: boards, and the text between them.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    const OPEN: &str = "```text ";
    const CLOSE: &str = "\n```";
    let mut blocks = vec![];
    let mut rest = page;
    let starts = |text: &str| {
        let at_start = text.starts_with(OPEN).then_some(0);
        at_start.or_else(|| text.find(&format!("\n{OPEN}")).map(|at| at + 1))
    };
    while let Some(start) = starts(rest) {
        let (before, block) = rest.split_at(start);
        let Some((head, inside)) = block.split_once('\n') else { break };
        let Some(end) = inside.find(CLOSE) else { break };
        let length = head.len() + 1 + end + CLOSE.len();
        let position = head[OPEN.len()..].trim();
        blocks.push(Block::Text(before));
        blocks.push(Block::Board { position, code: &inside[..end], source: &block[..length] });
        rest = &block[length..];
    }
    blocks.push(Block::Text(rest));
    blocks
}

/// `# A title`: how deep, and the title.
fn heading(text: &str) -> Option<(usize, &str)> {
    let title = text.trim_start_matches('#');
    let level = text.len() - title.len();
    (1..=6).contains(&level).then_some(())?;
    title.strip_prefix(' ').map(|title| (level, title.trim()))
}

/// What a list item begins with, with the space behind it: `- ` or `12. `; otherwise nothing.
fn marker(text: &str) -> &str {
    let n_digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let end = match n_digits {
        0 if text.starts_with(['-', '*', '+']) => 1,
        1..=9 if text[n_digits..].starts_with('.') => n_digits + 1,
        _ => return "",
    };
    if text[end..].starts_with(' ') { &text[..=end] } else { "" }
}

/// The line below the head of a table.
fn is_delimiter(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// A paragraph as one line: this one and those that follow up to something else.
fn paragraph(first: &str, lines: &mut Peekable<Lines<'_>>) -> String {
    let mut text = first.trim().to_owned();
    let goes_on = |line: &&str| {
        let line = line.trim();
        !line.is_empty()
            && !line.starts_with("```")
            && heading(line).is_none()
            && marker(line).is_empty()
            && !line.starts_with('|')
    };
    while let Some(line) = lines.next_if(goes_on) {
        text.push(' ');
        text.push_str(line.trim());
    }
    text
}

/// The cells of a line of a table; `\|` is no border.
fn cells(line: &str) -> Vec<Rich> {
    let line = line.trim().trim_start_matches('|');
    let line = line.strip_suffix('|').unwrap_or(line).replace("\\|", "\0");
    line.split('|').map(|cell| inline(cell.trim().replace('\0', "|").as_str())).collect()
}

/// A text with its emphasis, without its links and pictures.
fn inline(text: &str) -> Rich {
    let mut rich = Rich::default();
    add_inline(&mut rich, text, Accent::Plain);
    rich
}

fn add_inline(rich: &mut Rich, text: &str, accent: Accent) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix('\\').filter(|after| after.starts_with(is_mark)) {
            rich.push(&after[..1], accent);
            rest = &after[1..];
        } else if let Some((code, after)) = between(rest, "`", "`") {
            add_code(rich, code);
            rest = after;
        } else if let Some((inside, after)) = between(rest, "**", "**").filter(|(inside, _)| is_tight(inside))
        {
            add_inline(rich, inside, Accent::Strong);
            rest = after;
        } else if let Some((inside, after)) = between(rest, "*", "*").filter(|(inside, _)| is_tight(inside)) {
            add_inline(rich, inside, Accent::Stressed);
            rest = after;
        } else if let Some((_, after)) = rest.strip_prefix('!').and_then(link) {
            rest = after;
        } else if let Some((label, after)) = link(rest) {
            add_inline(rich, label, accent);
            rest = after;
        } else if let Some((_, after)) = between(rest, "<img ", ">") {
            rest = after;
        } else {
            rich.push(clean(c.encode_utf8(&mut [0; 4])).as_str(), accent);
            rest = &rest[c.len_utf8()..];
        }
    }
}

/// The characters that mean something unless a backslash stands before them.
fn is_mark(c: char) -> bool {
    "\\`*_[]!|<>#".contains(c)
}

/// Emphasis begins and ends at a word: `2 * 3 * 4` has none.
fn is_tight(inside: &str) -> bool {
    !inside.starts_with(char::is_whitespace) && !inside.ends_with(char::is_whitespace)
}

/// What stands between two marks at the beginning of a text, if it is something, and what follows.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(open)?.split_once(close).filter(|(inside, _)| !inside.is_empty())
}

/// `[label](address)` at the beginning of a text: the label, and what follows.
fn link(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (_, rest) = rest.split_once(')')?;
    (!label.contains(['[', ']'])).then_some((label, rest))
}

/// Signs alone are put in quotes, or one would not know where they begin.
fn add_code(rich: &mut Rich, code: &str) {
    let quote = if code.chars().any(char::is_alphanumeric) { "" } else { "\"" };
    rich.push(quote, Accent::Plain);
    rich.push(&clean(code), Accent::Strong);
    rich.push(quote, Accent::Plain);
}

struct Page {
    width: usize,
    lines: Vec<Rich>,
    /// Whether a picture was left out just now.
    after_picture: bool,
}

impl Page {
    /// An empty line, if there is none yet.
    fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(Rich::default());
        }
    }

    fn heading(&mut self, level: usize, title: &str) {
        self.after_picture = false;
        self.gap();
        let lines = inline(title).strong().fill(self.width, "", "");
        let widest = lines.iter().map(Rich::width).max().unwrap_or(0);
        self.lines.extend(lines);
        if let Some(line) = ["=", "-"].get(level - 1) {
            self.lines.push(Rich::plain(&line.repeat(widest.min(self.width))));
        }
    }

    fn paragraph(&mut self, text: &str, indent: usize, marker: &str) {
        let rich = inline(text);
        if rich.width() == 0 && marker.is_empty() {
            self.after_picture = true;
            return;
        }
        self.after_picture = false;
        let indent = " ".repeat(indent.min(self.width / 3));
        let hanging = " ".repeat(indent.len() + marker.len());
        self.lines.extend(rich.fill(self.width, &format!("{indent}{marker}"), &hanging));
    }

    /// Lines as they are, a little to the right if there is room. A command below a picture tells how that was drawn,
    /// and goes with it.
    fn code(&mut self, code: &[&str], language: &str, indent: usize) {
        if std::mem::take(&mut self.after_picture) && language == "sh" {
            return;
        }
        let lines: Vec<Rich> = code.iter().map(|line| Rich::plain(&clean(line.trim_end()))).collect();
        let widest = lines.iter().map(Rich::width).max().unwrap_or(0);
        let margin = if widest + indent + 2 <= self.width { indent + 2 } else { 0 };
        for line in lines {
            let mut shifted = Rich::default();
            shifted.pad(if line.is_empty() { 0 } else { margin });
            shifted.append(&line);
            self.lines.push(shifted);
        }
    }

    /// Columns beside each other, the widest of them made narrower until there is room.
    fn table(&mut self, mut rows: Vec<Vec<Rich>>) {
        self.after_picture = false;
        if let Some(head) = rows.first_mut() {
            *head = std::mem::take(head).into_iter().map(Rich::strong).collect();
        }
        let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let natural = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(Rich::width).max();
        let mut widths: Vec<usize> =
            (0..n_columns).map(|column| natural(column).unwrap_or(0).max(1)).collect();
        let room = self.width.saturating_sub(BETWEEN * n_columns.saturating_sub(1));
        while let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > 1) {
            let narrower = *widest - 1;
            if widths.iter().sum::<usize>() <= room {
                break;
            }
            if let Some(widest) = widths.iter_mut().max() {
                *widest = narrower;
            }
        }
        for (number, row) in rows.iter().enumerate() {
            self.table_row(row, &widths);
            if number == 0 {
                let lines: Vec<Rich> = widths.iter().map(|&width| Rich::plain(&"-".repeat(width))).collect();
                self.table_row(&lines, &widths);
            }
        }
    }

    fn table_row(&mut self, row: &[Rich], widths: &[usize]) {
        let cells: Vec<Vec<Rich>> =
            row.iter().zip(widths).map(|(cell, &width)| cell.fill(width, "", "")).collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut whole = Rich::default();
            let mut column = 0;
            for (cell, width) in cells.iter().zip(widths) {
                whole.pad(column);
                if let Some(part) = cell.get(line) {
                    whole.append(part);
                }
                column += width + BETWEEN;
            }
            whole.trim_end();
            self.lines.push(whole);
        }
    }

    /// Without empty lines at the end, and with nothing too wide.
    fn finish(mut self) -> Vec<Rich> {
        while self.lines.last().is_some_and(Rich::is_empty) {
            self.lines.pop();
        }
        let width = self.width;
        let lines = self.lines.into_iter();
        lines.flat_map(|line| if line.width() > width { line.cut(width, "") } else { vec![line] }).collect()
    }
}

/// Spaces between the columns of a table.
const BETWEEN: usize = 2;

#[cfg(test)]
mod tests {
    use rookery_catalog::CATALOG;

    use super::*;

    fn text(source: &str, width: usize) -> String {
        render(source, width).iter().map(|line| line.text() + "\n").collect()
    }

    #[test]
    fn every_rules_page_is_shown_without_a_sign_of_its_source() {
        for game in CATALOG {
            for width in [20, 40, 76, 80, 120] {
                let lines = render(game.rules(), width);
                assert!(lines.iter().all(|line| line.width() <= width), "{}, {width}", game.name());
                let page = text(game.rules(), width);
                for sign in ["![", "](", "```", "**", "|--", "\n#", "docs/pictures"] {
                    assert!(!page.contains(sign), "{} has {sign:?} at {width}:\n{page}", game.name());
                }
                assert!(page.starts_with(&format!("{}\n=", game.title())), "{page}");
                assert!(!page.contains("\n\n\n") && page.lines().count() > 40, "{page}");
            }
        }
    }

    #[test]
    fn boards_are_found_between_texts() {
        let page = "a\n\n```text p1 x\n1 2\n```\n\nb\n\n```text\nno board\n```\n```text p2 y\n3\n```\n";
        let board = |position, code, source| Block::Board { position, code, source };
        assert_eq!(
            blocks(page),
            [
                Block::Text("a\n\n"),
                board("p1 x", "1 2", "```text p1 x\n1 2\n```"),
                Block::Text("\n\nb\n\n```text\nno board\n```\n"),
                board("p2 y", "3", "```text p2 y\n3\n```"),
                Block::Text("\n")
            ]
        );
        assert_eq!(blocks("```text p1 x\nno end"), [Block::Text("```text p1 x\nno end")]);
        assert_eq!(text("```text p1 x\n1 2\n```", 9), "  1 2\n", "without a screen it is as it is written");
    }

    #[test]
    fn emphasis_code_and_links() {
        let line =
            &render("a **bold *and* strong** *word*, `x-y`, `/`, [a `link`](to.md) 2 * 3 * 4 \\*x\\*", 99)[0];
        assert_eq!(line.text(), "a bold and strong word, x-y, \"/\", a link 2 * 3 * 4 *x*");
        assert_eq!(
            line.ansi(),
            "a \x1b[1mbold\x1b[22m \x1b[3mand\x1b[23m \x1b[1mstrong\x1b[22m \x1b[3mword\x1b[23m, \x1b[1mx-y\x1b[22m, \
             \"\x1b[1m/\x1b[22m\", a \x1b[1mlink\x1b[22m 2 * 3 * 4 *x*"
        );
        // What is no emphasis stays.
        assert_eq!(
            text("5 * 3, `open, **open, [a] (b), 2 < 3!", 80),
            "5 * 3, `open, **open, [a] (b), 2 < 3!\n"
        );
        assert_eq!(text("\x1b[2J `\x1b`", 80), "\u{fffd}[2J \"\u{fffd}\"\n");
    }

    #[test]
    fn lists_hang_and_nest() {
        let list = "1. the first item\n   goes on\n2. second\n   - inner item of it\n\n   and more\n10. last";
        assert_eq!(
            text(list, 16),
            "1. the first\n   item goes on\n2. second\n   - inner item\n     of it\n\n   and more\n10. last\n"
        );
    }

    #[test]
    fn tables_find_room() {
        let table = "| key | values |\n|---|:--|\n| `rows` | from 1 to 8 |\n| a\\|b | any |\nbehind";
        assert_eq!(
            text(table, 40),
            "key   values\n----  -----------\nrows  from 1 to 8\na|b   any\nbehind\n"
        );
        assert_eq!(
            text(table, 14),
            "key   values\n----  --------\nrows  from 1\n      to 8\na|b   any\nbehind\n"
        );
        for width in 1..14 {
            assert!(render(table, width).iter().all(|line| line.width() <= width), "{width}");
        }
        assert_eq!(text("|---|\n", 9), "|---|\n", "no table");
    }

    #[test]
    fn code_keeps_its_columns_and_goes_with_its_picture() {
        assert_eq!(text("```text\n a   b\n\nc\n```\nx", 9), "   a   b\n\n  c\nx\n");
        assert_eq!(text("```\n12345678\n```", 8), "12345678\n");
        assert_eq!(text("```\n1234567890\n```", 8), "12345678\n90\n");
        assert_eq!(text("x\n\n![a](b)\n\n```sh\ndraw b\n```\n\n```sh\nplay\n```", 9), "x\n\n  play\n");
        assert_eq!(text("```\nno end", 9), "  no end\n");
        assert_eq!(text("<img src=\"x.svg\" width=\"640\">\n\nx", 9), "x\n");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(text("# 企鵝\n\n企鵝 on ice", 7), "企鵝\n====\n\n企鵝 on\nice\n");
        let table = "| 企鵝 | x |\n|---|---|\n| a | b |";
        assert_eq!(text(table, 20), "企鵝  x\n----  -\na     b\n");
    }
}
