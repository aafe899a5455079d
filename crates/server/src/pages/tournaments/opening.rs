//! A tournament that has not begun: who has signed up, and how one does.

use maud::{Markup, html};

use super::super::parts::{beginning, count, extra, title_of, who};
use super::table::{kind_of, withdraw};
use super::{time_words, title_of_format};
use crate::tournaments::Opening;

/// Who looks at a tournament that has not begun.
#[derive(Debug)]
pub(crate) struct Visitor {
    /// Whether it has claimed a name.
    pub(crate) is_person: bool,
    /// Its name.
    pub(crate) name: String,
    /// Whether it may begin and change it.
    pub(crate) own: bool,
    /// The bots that it could sign up: `@name`, or `bundle:name`.
    pub(crate) bots: Vec<String>,
    /// Whether it brought the entrant, by number.
    pub(crate) is_mine: Vec<bool>,
    /// Milliseconds since 1970.
    pub(crate) now_ms: i64,
}

/// When it begins, counted down by a script; without one the time of the world's clock.
pub(super) fn starts(starts_ms: i64) -> Markup {
    let seconds = starts_ms / 1000;
    let (hour, minute) = (seconds / 3600 % 24, seconds / 60 % 60);
    html! { time data-starts=(starts_ms) { "begins at " (format!("{hour:02}:{minute:02}")) " UTC" } }
}

/// The page.
pub(crate) fn opening(opening: &Opening, visitor: &Visitor) -> Markup {
    let spec = &opening.spec;
    let game = spec.games.first().map(|spec| title_of(spec)).unwrap_or_default();
    html! {
        (extra(&["tournament.js"]))
        rk-tournament live {
            div class="hd" {
                div {
                    h1 { (spec.name) }
                    p class="dim" { (game) " · " (title_of_format(&spec.format)) " · " (time_words(&spec.time.to_string())) }
                }
                div class="end" data-live="state" {
                    span class="chip good" { "sign-up open" }
                    @if visitor.own { (actions(opening)) }
                }
            }
            div data-live="when" { (when(opening, visitor)) }
            (about(opening))
            div class="cols" {
                div data-live="entrants" { (entrants(opening, visitor)) }
                div class="stack" {
                    div data-live="enter" { (enter(opening, visitor)) }
                    @if let Some(board) = spec.games.first().and_then(|spec| beginning(spec, "cup-")) { (board) }
                }
            }
        }
    }
}

/// What who made it may do.
fn actions(opening: &Opening) -> Markup {
    html! {
        form method="post" action={ "/t/" (opening.id) "/do" } {
            button class="btn primary" name="what" value="begin" disabled[opening.spec.entrants.len() < 2] { "Begin now" }
            details class="ask" {
                summary class="btn quiet danger" { "Remove" }
                div class="menu" {
                    p { "It is not played, and leaves every list." }
                    button class="btn danger" name="what" value="remove" { "Yes, remove it" }
                }
            }
        }
    }
}

fn when(opening: &Opening, visitor: &Visitor) -> Markup {
    let sign_up = &opening.sign_up;
    let late = sign_up.starts_ms.is_some_and(|starts| starts <= visitor.now_ms);
    html! {
        p class="starts" role="timer" {
            @match sign_up.starts_ms {
                Some(_) if late => "It begins.",
                Some(at) => (starts(at)),
                None => "It begins when its organiser starts it.",
            }
        }
        @if let Some(problem) = &sign_up.problem { p class="note bad" { "It could not begin at its time: " (problem) ". Its organiser can begin it later." } }
    }
}

fn about(opening: &Opening) -> Markup {
    let sign_up = &opening.sign_up;
    html! {
        p class="note" {
            @match (sign_up.people, sign_up.bots) {
                (true, true) => { b { "People and bots play here. " } "You may meet either; bots are marked as bots. " },
                (true, false) => { b { "People play here. " } "No bot can sign up. " },
                _ => { b { "Bots play here. " } "People cannot sign up. " },
            }
            "Every game counts for the ratings: no hints, no take-backs. "
            @if sign_up.people { "When you are paired, you have three minutes to come to your board." }
        }
    }
}

fn entrants(opening: &Opening, visitor: &Visitor) -> Markup {
    let list = &opening.spec.entrants;
    html! {
        section class="floe flush" {
            div class="head" { h2 { "Who takes part" } span class="dim tiny num" { (count(list.len() as u64, "player")) } }
            @if list.is_empty() { p class="pad dim" { "Nobody yet." } }
            ul class="list entrants" {
                @for (entrant, is_mine) in list.iter().zip(&visitor.is_mine) {
                    li class="row between" {
                        (who(&entrant.name, kind_of(Some(&entrant.player.to_string()))))
                        @if visitor.own || *is_mine { (withdraw(opening.id, &entrant.name)) }
                    }
                }
            }
        }
    }
}

/// The way into one that has begun, where it takes newcomers.
pub(crate) fn late(opening: &Opening, visitor: &Visitor) -> Markup {
    html! {
        (enter(opening, visitor))
        p class="tiny dim" { "It has begun. Newcomers play from the next round." }
    }
}

/// Which bot a form means, by name.
pub(crate) fn bot_name(player: &str) -> &str {
    player.strip_prefix('@').or_else(|| player.strip_prefix("bundle:")).unwrap_or(player)
}

fn enter(opening: &Opening, visitor: &Visitor) -> Markup {
    let is_in = opening
        .spec
        .entrants
        .iter()
        .any(|entrant| entrant.name == visitor.name && entrant.player.is_person());
    let sign_up = &opening.sign_up;
    html! {
        section class="floe stack" {
            h2 { "Take part" }
            @if sign_up.people {
                @if is_in { p class="note good" { "You take part. Keep this page open: it tells you when you are paired." } }
                @else if visitor.is_person {
                    form class="stack tight" method="post" action={ "/t/" (opening.id) "/do" } {
                        input type="hidden" name="what" value="enter";
                        @if sign_up.bots { label class="switch" { input type="checkbox" required; "I know that bots play here too." } }
                        button class="btn primary big" name="entrant" value="me" { "Enter as " (visitor.name) }
                    }
                } @else { p { a class="btn primary" href="/login" { "Claim a name to enter" } } p class="dim tiny" { "Ratings go by names, so people enter under one." } }
            }
            @if sign_up.bots {
                @if visitor.name.is_empty() { p class="dim tiny" { "Sign in to enter a bot." } }
                @else if visitor.bots.is_empty() { p class="dim tiny" { "No bot of yours is connected or uploaded that does not take part already. " a href="/connect" { "Connect one" } " or " a href="/bundles" { "upload one" } "." } }
                @else {
                    form class="row" method="post" action={ "/t/" (opening.id) "/do" } {
                        input type="hidden" name="what" value="enter";
                        label class="field grow" { "A bot" select name="entrant" { @for bot in &visitor.bots { option value=(bot) { (bot_name(bot)) @if bot.starts_with("bundle:") { " (uploaded)" } } } } }
                        button class="btn" { "Enter it" }
                    }
                }
            }
        }
    }
}
