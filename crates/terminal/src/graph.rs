//! The graph of a review, in characters.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rookery_study::Review;

use crate::palette::Role;
use crate::screen::line;
use crate::{App, Look, board};

const PARTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// The part of a column that stands in one of its rows, counted from below.
pub fn part(share: f32, row: usize, n_rows: usize) -> &'static str {
    let height = share * n_rows as f32 - row as f32;
    PARTS[(height.clamp(0.0, 1.0) * 8.0).round() as usize]
}

/// The same with the signs of a typewriter: a digit where there is one row only.
fn sign(share: f32, row: usize, n_rows: usize) -> &'static str {
    const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    match n_rows {
        1 => DIGITS[(share.clamp(0.0, 1.0) * 9.0).round() as usize],
        _ if share * n_rows as f32 >= row as f32 + 0.5 => "#",
        _ => " ",
    }
}

/// The share of a win of the first player, a column a move, and below it the mistakes and the move that is looked at.
pub(crate) fn draw(app: &App, review: &Review, area: Rect, buffer: &mut Buffer) {
    let look = app.look;
    let n_rows = usize::from(area.height.saturating_sub(2));
    if n_rows == 0 {
        return;
    }
    let name = app.table.player(rookery_rules::Seat::new(0));
    line(buffer, area, 0, &format!("Share of a win, {name}"), look.soft());
    let curve = review.steady_curve(0);
    let now = app.judged().map_or(curve.len(), |judged| judged.ply - 1);
    // A match that is too long for the line is seen in part, around the move that is looked at.
    let width = usize::from(area.width);
    let skipped = now.saturating_sub(width / 2).min(curve.len().saturating_sub(width));
    for (x, (idx, share)) in (0..area.width).zip(curve.iter().enumerate().skip(skipped)) {
        let ink = match idx {
            _ if idx == now => look.loud(),
            _ if *share >= 0.5 => look.ink(Role::Good),
            _ => look.ink(Role::Bad),
        };
        let mut put = |row: u16, text: &str| {
            board::put(buffer, area, (i32::from(area.x + x), i32::from(area.y + row)), text, ink);
        };
        for row in 0..n_rows {
            put((n_rows - row) as u16, column(look, *share, row, n_rows));
        }
        let is_mistake = review.moves.get(idx).is_some_and(rookery_study::Judged::is_mistake);
        put(
            n_rows as u16 + 1,
            if idx == now {
                "^"
            } else if is_mistake {
                "?"
            } else {
                " "
            },
        );
    }
}

fn column(look: Look, share: f32, row: usize, n_rows: usize) -> &'static str {
    if look.ascii { sign(share, row, n_rows) } else { part(share, row, n_rows) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_grow_from_below() {
        let column = |share: f32| (0..5).map(|row| part(share, row, 5)).collect::<String>();
        assert_eq!(
            ["     ", "█    ", "██▄  ", "█████"],
            [0.0, 0.2, 0.5, 1.0].map(column).each_ref().map(String::as_str)
        );
        assert_eq!([part(0.0, 0, 1), part(0.5, 0, 1), part(1.0, 0, 1)], [" ", "▄", "█"]);
        assert_eq!([sign(0.0, 0, 1), sign(0.5, 0, 1), sign(1.0, 0, 1)], ["0", "5", "9"]);
        assert_eq!((0..5).map(|row| sign(0.5, row, 5)).collect::<String>(), "###  ");
    }
}
