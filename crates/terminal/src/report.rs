//! A review in lines of text.

use std::fmt::Write as _;

use rookery_study::{Judged, Review};

use crate::clean;
use crate::graph::part;

/// The lines of the graph, and the most columns of it.
const ROWS: usize = 5;
const COLUMNS: usize = 72;

/// How well everybody played, the `graph`, the mistakes with the largest first, or else `all` moves, and the decisive moment.
/// The graph is made of block characters, which a screen reader reads out one by one and a plain terminal may not have.
pub fn report(review: &Review, all: bool, graph: bool) -> String {
    let mut text = String::new();
    let certain = if review.exact { ", everything proved" } else { "" };
    let _ = writeln!(text, "{}: {} moves{certain}", clean(&review.game), review.moves.len());
    let names: Vec<String> = review.players.iter().map(|player| clean(&player.name)).collect();
    let width = names.iter().map(|name| crate::rich::text_width(name)).max().unwrap_or(0).max("player".len());
    let _ = writeln!(text, "{:width$}  moves  best  ?!   ?  ??  accuracy", "player");
    for (name, player) in names.iter().zip(&review.players) {
        let accuracy = player.accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.0} %"));
        let _ = writeln!(
            text,
            "{name:width$}  {:5}  {:4}  {:2}  {:2}  {:2}  {accuracy:>8}",
            player.moves, player.best, player.inaccuracies, player.mistakes, player.blunders
        );
    }
    text += "\n";
    if graph {
        write_graph(&mut text, review);
    }
    let told: Vec<&Judged> = if all { review.moves.iter().collect() } else { review.mistakes() };
    if told.is_empty() {
        text += "Nobody made a mistake.\n";
    } else if !all {
        text += "Mistakes, the largest first:\n";
    }
    for judged in told {
        let name = names.get(judged.seat).map_or("", String::as_str);
        let _ = writeln!(text, "{:>4}. {}", judged.ply, judged.told(name));
    }
    if let Some(judged) = review.decisive.and_then(|ply| review.moves.get(ply.checked_sub(1)?)) {
        let name = names.get(judged.seat).map_or("", String::as_str);
        let _ = writeln!(text, "\nThe decisive moment: move {}, {} by {name}.", judged.ply, judged.mv);
    }
    text
}

/// The share of a win of the first player after each move, a column a move, and a ? under each mistake.
fn write_graph(text: &mut String, review: &Review) {
    let curve = review.steady_curve(0);
    if curve.len() < 2 {
        return;
    }
    // A match that is too long for the line is shown in steps.
    let step = curve.len().div_ceil(COLUMNS);
    for row in (0..ROWS).rev() {
        let label = match row {
            4 => "100 %",
            2 => " 50 %",
            0 => "  0 %",
            _ => "     ",
        };
        let columns: String = curve.iter().step_by(step).map(|&share| part(share, row, ROWS)).collect();
        let _ = writeln!(text, "{label} {}", columns.trim_end());
    }
    let sign = |moves: &[Judged]| if moves.iter().any(Judged::is_mistake) { '?' } else { ' ' };
    let marks: String = review.moves.chunks(step).map(sign).collect();
    let name = review.players.first().map(|player| clean(&player.name)).unwrap_or_default();
    let _ = writeln!(text, "      {}", marks.trim_end());
    let _ = writeln!(text, "      share of a win of {name}, move by move\n");
}
