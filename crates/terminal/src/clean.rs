//! Texts that fit a terminal, and names that fit a shell.

use std::path::Path;

use rookery_rules::text::shell_quoted;

/// A file's name as it can be typed into a shell.
pub fn quoted(path: &Path) -> String {
    shell_quoted(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use rookery_rules::text::clean;

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
