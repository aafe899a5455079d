//! Lists of which an item may take several lines.

use crate::rich::{Rich, text_width};

/// The lines of a list, each with the number of its item.
pub(crate) struct List {
    lines: Vec<(usize, String)>,
}

impl List {
    /// Items that begin with a text of their own; what follows is broken between words and hangs below itself.
    pub(crate) fn new(items: impl Iterator<Item = (String, String)>, width: usize) -> Self {
        let lines = items.enumerate().flat_map(|(number, (first, text))| {
            let hanging = " ".repeat(text_width(&first));
            let lines = Rich::plain(&text).fill(width, &first, &hanging);
            lines.into_iter().map(move |line| (number, line.text()))
        });
        Self { lines: lines.collect() }
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// As many lines as there is room for, so that all of the chosen item is among them.
    pub(crate) fn visible(&self, chosen: usize, height: u16) -> impl Iterator<Item = (u16, usize, &str)> {
        let end = self.lines.iter().rposition(|(number, _)| *number == chosen).map_or(0, |last| last + 1);
        let lines = self.lines.iter().skip(end.saturating_sub(height.into()));
        (0..height).zip(lines).map(|(row, (number, text))| (row, *number, text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_item_is_seen_whole() {
        let items = ["one two", "three four", "five six"].map(|text| ("- ".to_owned(), text.to_owned()));
        let list = List::new(items.into_iter(), 8);
        assert_eq!(list.len(), 6);
        let seen = |chosen| list.visible(chosen, 3).collect::<Vec<_>>();
        assert_eq!(seen(0), [(0, 0, "- one"), (1, 0, "  two"), (2, 1, "- three")]);
        assert_eq!(seen(1), [(0, 0, "  two"), (1, 1, "- three"), (2, 1, "  four")]);
        assert_eq!(seen(2), [(0, 1, "  four"), (1, 2, "- five"), (2, 2, "  six")]);
        assert_eq!(list.visible(0, 9).count(), 6);
    }
}
