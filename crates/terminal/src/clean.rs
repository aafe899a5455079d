//! Texts from outside on their way to a terminal.

use std::path::Path;

/// The same text without anything that could move the cursor, change colours or reorder what is shown.
///
/// ```
/// assert_eq!(rookery_terminal::clean("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
/// ```
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect()
}

/// The same for a text of several lines, whose ends stay.
pub fn clean_lines(text: &str) -> String {
    text.chars().map(|c| if c != '\n' && is_harmful(c) { '\u{fffd}' } else { c }).collect()
}

/// Whether a character does something instead of being seen: controls, and the format characters of Unicode.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890 | 0x891 | 0x8e2 | 0x180e
                | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb
                | 0x110bd | 0x110cd | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
                | 0xe0000..=0xe007f
        )
}

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

    #[test]
    fn nothing_moves_the_cursor() {
        for c in (0..0x11_0000).filter_map(char::from_u32) {
            let shown = clean(&c.to_string());
            assert!(!shown.chars().any(char::is_control), "{c:?}");
        }
        assert_eq!(clean("x\u{202e}y"), "x\u{fffd}y");
    }
}
