//! Texts that fit a terminal, and names that fit a shell.

use std::path::Path;

use rookery_rules::text::clean;

/// A file's name as it can be typed into a shell.
pub fn quoted(path: &Path) -> String {
    let text = clean(&path.display().to_string());
    let is_simple = |c: char| c.is_alphanumeric() || "/._-+,:@%~".contains(c);
    if !text.is_empty() && text.chars().all(is_simple) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The lines of a text, none of them wider than `width`; words stay whole where they can.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![];
    for paragraph in text.lines().map(str::trim_end) {
        // What fits stays as it is, with its columns.
        if paragraph.chars().count() <= width {
            lines.push(paragraph.to_owned());
            continue;
        }
        let indent: String = paragraph.chars().take_while(|c| *c == ' ').take(width / 2).collect();
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let mut word: Vec<char> = word.chars().collect();
            let n_chars = line.chars().count();
            if n_chars > 0 && n_chars + 1 + word.len() > width {
                lines.push(std::mem::take(&mut line));
            }
            line += if line.is_empty() { &indent } else { " " };
            while line.chars().count() + word.len() > width {
                let rest = word.split_off((width - line.chars().count()).clamp(1, word.len()));
                line.extend(word);
                lines.push(std::mem::take(&mut line));
                word = rest;
            }
            line.extend(word);
        }
        lines.push(line);
    }
    lines
}

/// The first part of a text, and an ellipsis if there is more.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    if width == 0 { String::new() } else { format!("{kept}…") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_typed() {
        assert_eq!(quoted(Path::new("games/a-1.rookery.jsonl")), "games/a-1.rookery.jsonl");
        assert_eq!(quoted(Path::new("my games/it's")), "'my games/it'\\''s'");
    }

    #[test]
    fn lines_are_never_too_wide() {
        let text = "  a paragraph with an_extraordinarily_long_word in it\n\nand another";
        for width in 1..60 {
            let lines = wrap(text, width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:?}");
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(text));
        }
    }
}
