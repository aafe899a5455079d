//! The history as it is listed beside the board.

use rookery_live::Deed;
use rookery_rules::Seat;

use crate::Table;

/// One item of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listed {
    pub(crate) seat: Option<Seat>,
    /// A move, a chain of them, or something else that happened.
    pub(crate) text: String,
    /// Whether it is a move.
    pub(crate) is_move: bool,
    /// How many steps of the history it has, and how many there are with it.
    pub(crate) n_steps: usize,
    pub(crate) end: usize,
}

/// The items of a match. Moves of one piece that must go on are one item.
pub(crate) fn listed(table: &Table, to_the_end: bool) -> Vec<Listed> {
    let steps = if to_the_end { table.steps() } else { table.history() };
    let mut listed: Vec<Listed> = vec![];
    for (idx, entry) in steps.iter().enumerate() {
        let text = table.deed(entry);
        let is_move = matches!(entry.deed, Deed::Moved { .. });
        let before =
            listed.last_mut().filter(|before| before.is_move && is_move && before.seat == entry.seat);
        if let Some(before) = before
            && let Some((_, to)) = text.split_once('-')
            && goes_on(table, idx, &text)
        {
            let from = before.text.split(['-', '…']).next().unwrap_or_default();
            before.text = format!("{from}…{}", to.rsplit('-').next().unwrap_or(to));
            before.end = idx + 1;
            before.n_steps += 1;
        } else {
            listed.push(Listed { seat: entry.seat, text, is_move, n_steps: 1, end: idx + 1 });
        }
    }
    listed
}

/// Whether a move was one of a piece that had to move on: all others were of the same piece.
fn goes_on(table: &Table, idx: usize, text: &str) -> bool {
    let scene = table.position_after(idx).scene();
    let from = scene.find_move(text).and_then(|mv| mv.from.as_ref());
    from.is_some() && scene.moves.iter().all(|mv| mv.from.as_ref() == from)
}
