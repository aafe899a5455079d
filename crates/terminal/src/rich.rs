//! Lines of text of which some stands out, and how they are broken where they are too wide.

use std::fmt::Write as _;
use std::mem::take;

use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

/// How a character stands out.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Accent {
    /// It does not.
    #[default]
    Plain,
    /// Headings, what is important, and what is typed as it stands.
    Strong,
    /// What is stressed.
    Stressed,
}

impl Accent {
    /// As the full screen shows it.
    pub(crate) fn style(self) -> Style {
        Style::default().add_modifier(match self {
            Self::Plain => Modifier::empty(),
            Self::Strong => Modifier::BOLD,
            Self::Stressed => Modifier::ITALIC,
        })
    }
}

/// One line, or a text that is still to be broken into lines.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Rich(Vec<(char, Accent)>);

impl Rich {
    /// A text of which nothing stands out.
    pub fn plain(text: &str) -> Self {
        let mut rich = Self::default();
        rich.push(text, Accent::Plain);
        rich
    }

    /// Adds a text at the end.
    pub fn push(&mut self, text: &str, accent: Accent) {
        self.0.extend(text.chars().map(|c| (c, accent)));
    }

    pub(crate) fn append(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Spaces at the end, up to this width.
    pub(crate) fn pad(&mut self, width: usize) {
        self.push(&" ".repeat(width.saturating_sub(self.width())), Accent::Plain);
    }

    pub(crate) fn trim_end(&mut self) {
        while self.0.last().is_some_and(|(c, _)| c.is_whitespace()) {
            self.0.pop();
        }
    }

    /// The same, with everything in it strong.
    pub(crate) fn strong(mut self) -> Self {
        for (_, accent) in &mut self.0 {
            *accent = Accent::Strong;
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Columns of the terminal that it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|&(c, _)| char_width(c)).sum()
    }

    /// Its characters.
    pub fn text(&self) -> String {
        self.0.iter().map(|&(c, _)| c).collect()
    }

    /// Its characters, with the codes of a terminal for what stands out.
    pub fn ansi(&self) -> String {
        let mut text = String::new();
        for run in self.0.chunk_by(|a, b| a.1 == b.1) {
            let chars: String = run.iter().map(|&(c, _)| c).collect();
            let _ = match run[0].1 {
                Accent::Plain => write!(text, "{chars}"),
                Accent::Strong => write!(text, "\x1b[1m{chars}\x1b[22m"),
                Accent::Stressed => write!(text, "\x1b[3m{chars}\x1b[23m"),
            };
        }
        text
    }

    /// Its characters, each with how it stands out.
    pub(crate) fn chars(&self) -> impl Iterator<Item = (char, Accent)> {
        self.0.iter().copied()
    }

    /// Lines of at most this width, broken between words; only a word that is wider is broken itself. The first begins
    /// with `first`, the others with `rest`.
    pub(crate) fn fill(&self, width: usize, first: &str, rest: &str) -> Vec<Self> {
        let mut lines = vec![];
        let mut line = Self::plain(first);
        let mut has_word = false;
        for word in self.0.split(|(c, _)| c.is_whitespace()).filter(|word| !word.is_empty()) {
            let word = Self(word.to_vec());
            if has_word && line.width() + 1 + word.width() > width {
                lines.push(take(&mut line));
                line = Self::plain(rest);
            } else if has_word {
                // What stands out on both sides of a space does so between them, too.
                let (before, after) = (line.0.last().map(|&(_, accent)| accent), word.0[0].1);
                line.push(" ", if before == Some(after) { after } else { Accent::Plain });
            }
            has_word = true;
            line.append(&word);
            if line.width() > width {
                let mut parts = line.cut(width, rest);
                line = parts.pop().unwrap_or_default();
                lines.append(&mut parts);
            }
        }
        if has_word || !line.is_empty() {
            lines.push(line);
        }
        lines
    }

    /// Lines of at most this width, broken anywhere; all but the first begin with `rest`, unless there is no room.
    pub(crate) fn cut(&self, width: usize, rest: &str) -> Vec<Self> {
        let rest = if text_width(rest) * 2 > width || width < 4 { "" } else { rest };
        let mut lines = vec![];
        let mut line = Self::default();
        let mut n_columns = 0;
        for &(c, accent) in &self.0 {
            if n_columns + char_width(c) > width && n_columns > 0 {
                lines.push(take(&mut line));
                line = Self::plain(rest);
                n_columns = line.width();
            }
            line.0.push((c, accent));
            n_columns += char_width(c);
        }
        lines.push(line);
        lines
    }
}

/// Columns that a character takes on a terminal: two for those of East Asia, none for an accent of its own.
pub(crate) fn char_width(c: char) -> usize {
    Span::raw(c.encode_utf8(&mut [0; 4]) as &str).width()
}

/// How many columns of a terminal a text takes.
pub fn text_width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The lines of a text, none of them wider than `width`; words stay whole where they can.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let lines = text.lines().map(str::trim_end).flat_map(|line| {
        // What fits stays as it is, with its columns.
        if text_width(line) <= width {
            return vec![line.to_owned()];
        }
        let indent: String = line.chars().take_while(|c| *c == ' ').take(width / 3).collect();
        Rich::plain(line).fill(width, &indent, &indent).iter().map(Rich::text).collect()
    });
    lines.collect()
}

/// The first part of a text, and an ellipsis if there is more.
pub fn fit(text: &str, width: usize) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if text_width(&kept) + char_width(c) + 1 > width {
            break;
        }
        kept.push(c);
    }
    if width == 0 { String::new() } else { format!("{kept}…") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_never_too_wide() {
        let text = "  a paragraph with an_extraordinarily_long_word in it\n\nand another\n 企鵝 on the floating ice 企鵝企鵝";
        for width in 2..60 {
            let lines = wrap(text, width);
            assert!(lines.iter().all(|line| text_width(line) <= width), "{width}: {lines:?}");
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(text));
            assert!(text_width(&fit(text, width)) <= width);
        }
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrap("  an indented line", 12), ["  an", "  indented", "  line"]);
        // Each of these characters takes two columns.
        assert_eq!(wrap("ab 企鵝 c", 5), ["ab", "企鵝", "c"]);
        assert_eq!(wrap("企鵝企鵝", 5), ["企鵝", "企鵝"]);
        assert_eq!(wrap("企", 1), ["企"], "what cannot be broken stays");
        assert_eq!(fit("企鵝企鵝", 6), "企鵝…");
    }

    #[test]
    fn lines_hang_below_their_beginning() {
        let lines = Rich::plain("one two three").fill(10, "1. ", "   ");
        assert_eq!(lines.iter().map(Rich::text).collect::<Vec<_>>(), ["1. one two", "   three"]);
        assert_eq!(Rich::plain("").fill(10, "- ", "  "), [Rich::plain("- ")]);
    }

    #[test]
    fn what_stands_out_is_told_to_a_terminal() {
        let mut rich = Rich::plain("a ");
        rich.push("b", Accent::Strong);
        rich.push("c d", Accent::Stressed);
        assert_eq!(rich.ansi(), "a \x1b[1mb\x1b[22m\x1b[3mc d\x1b[23m");
        assert_eq!(rich.fill(9, "", ""), [rich.clone()]);
        assert_eq!(rich.text(), "a bc d");
    }
}
