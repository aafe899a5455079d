//! The puzzle of a day.

use maud::{Markup, PreEscaped, html};

use super::matches::is_wide;
use super::parts::extra;
use super::shell::icon;
use crate::api::PuzzleData;

/// What the page shows beside the puzzle.
#[derive(Debug)]
pub(crate) struct PuzzlePage<'a> {
    /// The puzzle.
    pub(crate) puzzle: &'a PuzzleData,
    /// The board, drawn.
    pub(crate) board: &'a str,
    /// What it shows.
    pub(crate) viewbox: [i32; 4],
    /// How many play it.
    pub(crate) n_seats: usize,
    /// What the game calls who is to move.
    pub(crate) label: &'a str,
    /// The days before, the latest first.
    pub(crate) days: &'a [String],
}

/// The page.
pub(crate) fn puzzle(data: &PuzzlePage<'_>) -> Markup {
    let PuzzleData { date, game, title, position, plies, grade, .. } = data.puzzle;
    let mine = plies.div_ceil(2);
    html! {
        (extra(&["puzzle.js"]))
        rk-puzzle class="play" date=(date) game=(game) position=(position) seat=(data.puzzle.seat) seats=(data.n_seats) {
            div class="under" {
                p class="status turn" role="status" data-part="status" { "You are " (data.label) ". Win in " (mine) ", whatever the others do." }
                div class="boardbox" { rk-board mode="try" prefix="pz-" wide[is_wide(data.viewbox)] { div class="board" { (PreEscaped(data.board)) } } div class="extra" {} }
                p class="note good" data-part="hint" role="status" hidden {}
                noscript { p class="note" { "Solving needs JavaScript; looking does not." } }
            }
            aside class="stack" {
                section class="floe flush" {
                    div class="head stack tight" {
                        p class="tiny dim" { (date) " · " (title) }
                        h1 { "Puzzle of the day" }
                        p class="row" { span class="chip good" { "proved" } span class="chip" { "one move wins" } span class="chip" { "grade " (grade) " of 5" } }
                    }
                    ol class="tries" data-part="tries" aria-label="Your tries" {}
                    div class="actions" {
                        button class="btn" type="button" data-part="ask" hidden { "Hint" }
                        button class="btn" type="button" data-part="back" hidden { "Start again" }
                        button class="btn" type="button" data-part="solution" hidden { "Solution" }
                    }
                    form class="say" data-part="type" hidden {
                        input name="move" maxlength="100" autocomplete="off" spellcheck="false" aria-label="Type a move" placeholder="Type a move";
                        button class="btn" { "Try" }
                    }
                }
                section class="floe flush" data-part="solved" hidden {
                    div class="head" { h2 { "All moves" } }
                    ol class="tries every" data-part="every" tabindex="0" aria-label="All moves, the best first" {}
                    div class="head stack tight" {
                        button class="btn primary big" type="button" data-part="on" { (icon("play")) "Play on from here" }
                        p class="tiny dim" { "A new game at the puzzle's position, against a strong computer." }
                    }
                }
                section class="floe stack" {
                    h2 { "Your days" }
                    ol class="days" { @for day in data.days { li { a href={ "/puzzle/" (day) } data-day=(day) aria-current=[(day == date).then_some("page")] { (day.get(8..).unwrap_or(day)) } } } }
                    p class="tiny dim" { "No clock, no rating; the days are the only score. Kept in this browser." }
                    p { a href={ "/rules/" (game) } { "Rules of " (title) } }
                }
            }
            section class="stack best" data-part="walk" hidden {
                div class="row between" { h2 { "The solution" } span class="tiny dim" { "best play for both, proved" } }
                ol class="walk" {}
            }
        }
    }
}
