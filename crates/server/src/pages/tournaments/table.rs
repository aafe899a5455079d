//! Tables of a tournament: how everybody stands, who beat whom, the last games.

use maud::{Markup, html};
use rookery_report::plots::{self, MAX_KINDS};
use rookery_report::{Against, Report, Row};
use rookery_rules::text::clean;
use rookery_store::TournamentId;
use rookery_tournament::{Entrant, GameResult};

use super::super::parts::{chip, points, scroll, who};
use super::{Seen, twice};
use crate::tournaments::View;

/// The most results that a row shows, and the most games of the list.
const MOST_RESULTS: usize = 8;
const MOST_GAMES: usize = 20;
/// With more entrants there is no cross table.
const MOST_CROSS: usize = 24;

/// What a game was worth for somebody: `1`, `½` or `0`, and the class for it.
pub(super) fn mark(result: &GameResult, entrant: Entrant) -> Option<(&'static str, &'static str)> {
    result.outcome.as_ref()?;
    let winners = result.winners();
    Some(match (winners.contains(&entrant), winners.len()) {
        (true, 1) => ("1", "w"),
        (true, _) => ("½", "d"),
        (false, _) => ("0", "l"),
    })
}

/// `bot`, `person` or `built-in`, by the seat spec.
pub(super) fn kind_of(player: Option<&str>) -> &'static str {
    match player {
        Some(player) if player.starts_with("remote:") || player.starts_with("bundle:") => "bot",
        Some("human") => "person",
        _ => "built-in",
    }
}

fn entrant_of(view: &View, name: &str) -> Option<Entrant> {
    let idx = view.spec.entrants.iter().position(|entrant| entrant.name == name)?;
    u32::try_from(idx).ok().map(Entrant)
}

pub(super) fn standings(view: &View, seen: &Seen) -> Markup {
    let mut games: Vec<_> = view.games.iter().collect();
    games.sort_unstable_by_key(|(pairing, _)| **pairing);
    let last = |row: &Row| {
        let entrant = entrant_of(view, &row.name)?;
        let of = games.iter().filter(|(_, game)| game.result.entrants.contains(&entrant));
        let marks: Vec<_> =
            of.filter_map(|(_, game)| Some((game.id, mark(&game.result, entrant)?))).collect();
        Some(marks[marks.len().saturating_sub(MOST_RESULTS)..].to_vec())
    };
    let has_ratings = view.games.len() > 1 && view.report.standings.iter().any(|row| row.rating.is_some());
    let may_leave = (seen.own || !seen.brought.is_empty()) && !view.state.is_over();
    let may_go = |name: &String| seen.own || seen.brought.contains(name);
    let table = html! {
        table class="table" {
            thead { tr {
                th { "#" } th { "Player" } th class="num" { "Points" } th class="num" { "Games" }
                @if has_ratings { th class="num" { "Strength" } }
                th { "Last results" }
                @if may_leave { th { span class="sr" { "Withdraw" } } }
            } }
            tbody {
                @for row in &view.report.standings {
                    @let has_left = view.left.contains(&row.name);
                    tr class=[seen.brought.contains(&row.name).then_some("mine")] {
                        td class="num" { (row.place) }
                        th scope="row" { (who(&row.name, kind_of(row.player.as_deref())))
                            @if has_left { " " span class="chip" { "left" } }
                            @if row.suspended { " " span class="chip" { "suspended" } } }
                        td class="num" { b { (points(row.points)) } }
                        td class="num" { (row.games) }
                        @if has_ratings { td class="num" { (rating(row)) } }
                        td class="results" {
                            @for (id, (word, class)) in last(row).unwrap_or_default() { a class=(class) href={ "/m/" (id) } { (word) } }
                        }
                        @if may_leave { td { @if !has_left && may_go(&row.name) { (withdraw(view.id, &row.name)) } } }
                    }
                }
            }
        }
    };
    html! { section class="floe flush" { div class="head" { h2 { "Table" } } (scroll("Table", &table)) } }
}

fn rating(row: &Row) -> String {
    // What rounds to nothing has no sign.
    match (row.rating.map(|rating| rating.round() + 0.0), row.error) {
        (Some(rating), Some(error)) => format!("{rating:.0} ± {error:.0}"),
        (Some(rating), None) => format!("{rating:.0}"),
        (None, _) => "–".to_owned(),
    }
}

pub(super) fn withdraw(id: TournamentId, name: &str) -> Markup {
    html! {
        form method="post" action={ "/t/" (id) "/do" } {
            input type="hidden" name="entrant" value=(name);
            details class="ask" {
                summary class="btn quiet sm" { "Withdraw" }
                div class="menu" { p { (name) " plays no further game." } button class="btn sm danger" name="what" value="withdraw" { "Yes, withdraw" } }
            }
        }
    }
}

pub(super) fn cross(view: &View) -> Markup {
    let rows = &view.report.standings;
    if rows.len() > MOST_CROSS || view.games.is_empty() {
        return html! {};
    }
    let against =
        |row: &Row, other: &Row| row.versus.iter().find(|against| against.name == other.name).cloned();
    let table = html! {
        table class="cross" {
            thead { tr { th { span class="sr" { "Player" } } @for number in 1..=rows.len() { th scope="col" { (number) } } } }
            tbody {
                @for (idx, row) in rows.iter().enumerate() {
                    tr {
                        th scope="row" { span class="dim" { (idx + 1) } " " (row.name) }
                        @for other in rows { (cell(view, row.name == other.name, against(row, other).as_ref())) }
                    }
                }
            }
        }
    };
    html! {
        section class="floe flush" {
            div class="head" { h2 { "Who beat whom" } a class="tiny" href={ "/api/v1/tournaments/" (view.id) "?form=csv" } download { "Download CSV" } }
            (scroll("Cross table", &table))
            p class="dim tiny under-table" { "Points of the row against the column: 1 won, ½ drew, 0 lost. Choose a result to see the last game." }
        }
    }
}

fn cell(view: &View, is_own: bool, against: Option<&Against>) -> Markup {
    let Some(against) = against else {
        return html! { td class=[is_own.then_some("own")] {} };
    };
    let games = against.tally.wins + against.tally.draws + against.tally.losses;
    let class = match against.points / games.max(1) as f64 {
        share if share > 0.5 => "w",
        share if share < 0.5 => "l",
        _ => "d",
    };
    let game = against.pairings.iter().rev().find_map(|pairing| view.games.get(pairing));
    let said = format!(
        "{} won, {} drew, {} lost against {}",
        against.tally.wins, against.tally.draws, against.tally.losses, against.name
    );
    html! {
        td class=(class) {
            @match game {
                Some(game) => a href={ "/m/" (game.id) } aria-label=(said) title=(said) { (points(against.points)) },
                None => (points(against.points)),
            }
        }
    }
}

/// The last games.
pub(super) fn games(view: &View) -> Markup {
    let mut games: Vec<_> = view.games.iter().collect();
    games.sort_unstable_by_key(|(pairing, _)| std::cmp::Reverse(**pairing));
    html! {
        @if !games.is_empty() {
            section class="floe flush" {
                div class="head" { h2 { "Games" } span class="dim tiny" { "the last " (games.len().min(MOST_GAMES)) } }
                ul class="list" {
                    @for (_, game) in games.into_iter().take(MOST_GAMES) {
                        li { a href={ "/m/" (game.id) } {
                            span { @for (idx, entrant) in game.result.entrants.iter().enumerate() {
                                @if idx > 0 { " – " }
                                @let won = game.result.winners().contains(entrant);
                                @if won { b { (view.name(*entrant)) } } @else { (view.name(*entrant)) }
                            } }
                            span class="tiny dim" { (ending(&game.result)) }
                        } }
                    }
                }
            }
        }
    }
}

/// How a game ended, in a word.
pub(super) fn ending(result: &GameResult) -> Markup {
    let cause = rookery_referee::Cause::word(result.cause);
    html! {
        @if !result.failed.is_empty() { span class="chip fault" { (cause.replace('_', " ")) } }
        @else if result.outcome.is_none() { "does not count" }
        @else if result.winners().len() == result.entrants.len() { "drawn" }
        @else { "won" }
    }
}

/// Games lost, by reason, as a plot; nothing if nobody lost by anything but the rules.
pub(super) fn loss_plot(report: &Report) -> Option<Markup> {
    let mut words: Vec<&'static str> = report
        .standings
        .iter()
        .flat_map(|row| row.losses_by_ending.keys().chain(row.faults.keys()))
        .copied()
        .collect();
    words.sort_unstable_by_key(|&word| (word != "normal", word));
    words.dedup();
    words.truncate(MAX_KINDS);
    if words.iter().all(|&word| word == "normal") {
        return None;
    }
    let lost = |row: &Row, word: &str| {
        let of = |map: &std::collections::BTreeMap<&'static str, u64>| map.get(word).copied().unwrap_or(0);
        of(&row.losses_by_ending) + of(&row.faults)
    };
    let rows: Vec<(String, Vec<u64>)> = report
        .standings
        .iter()
        .map(|row| (clean(&row.name), words.iter().map(|word| lost(row, word)).collect()))
        .collect();
    Some(twice("Games lost, by reason", "losses", |frame| plots::stacked(frame, "games", &words, &rows)))
}

/// A seat of a table, with what it has there.
pub(super) fn seat_row(view: &View, entrant: Entrant, more: &Markup, class: &str) -> Markup {
    let player = view.spec.entrants.get(entrant.index()).map(|entrant| entrant.player.to_string());
    html! { div class={ "prow " (class) } { span class="grow who" { (view.name(entrant)) (chip(kind_of(player.as_deref()))) } (more) } }
}
