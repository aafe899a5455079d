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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_typed() {
        assert_eq!(quoted(Path::new("games/a-1.rookery.jsonl")), "games/a-1.rookery.jsonl");
        assert_eq!(quoted(Path::new("my games/it's")), "'my games/it'\\''s'");
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
