//! Rounds of a tournament: the bracket of a knock-out, and what is played now with its reasons.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use rookery_store::StoredPairing;
use rookery_tournament::Entrant;

use super::super::parts::points;
use super::table::{ending, mark, seat_row};
use crate::tournaments::View;

/// The most tables that are shown of what is played now.
const MOST_NOW: usize = 16;

/// Those who meet in a round, with all their games.
struct Meeting<'a> {
    entrants: Vec<Entrant>,
    pairings: Vec<&'a StoredPairing>,
}

impl Meeting<'_> {
    /// Points of each, by the games that are over.
    fn points(&self, view: &View, entrant: Entrant) -> f64 {
        let games = self.pairings.iter().filter_map(|pairing| view.games.get(&pairing.id));
        let worth = |word: &str| match word {
            "1" => 1.0,
            "½" => 0.5,
            _ => 0.0,
        };
        games.filter_map(|game| mark(&game.result, entrant)).map(|(word, _)| worth(word)).sum()
    }

    fn is_over(&self, view: &View) -> bool {
        self.pairings.iter().all(|pairing| view.games.contains_key(&pairing.id))
    }
}

/// Meetings of one round, in the order of their pairings.
fn meetings<'a>(pairings: impl Iterator<Item = &'a StoredPairing>) -> Vec<Meeting<'a>> {
    let mut found: Vec<Meeting<'a>> = vec![];
    let mut at: BTreeMap<BTreeSet<Entrant>, usize> = BTreeMap::new();
    for pairing in pairings {
        let set: BTreeSet<Entrant> = pairing.entrants.iter().copied().collect();
        let idx = *at.entry(set).or_insert_with(|| {
            found.push(Meeting { entrants: pairing.entrants.clone(), pairings: vec![] });
            found.len() - 1
        });
        found[idx].pairings.push(pairing);
    }
    found
}

/// The part of a reason that names the round: `semi-final`.
fn round_name(round: u32, meetings: &[Meeting<'_>]) -> String {
    let reason =
        meetings.first().and_then(|meeting| meeting.pairings.first()).map(|pairing| pairing.reason.as_str());
    let name = reason.and_then(|reason| reason.split_once(':')).map_or("", |(name, _)| name);
    let name = if name.ends_with("final") || name.starts_with("round of") {
        name.to_owned()
    } else {
        format!("round {round}")
    };
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or(name)
}

/// The bracket: a column a round, a cell a table.
pub(super) fn bracket(view: &View) -> Markup {
    let mut rounds: BTreeMap<u32, Vec<&StoredPairing>> = BTreeMap::new();
    for pairing in &view.pairings {
        rounds.entry(pairing.round.unwrap_or(1)).or_default().push(pairing);
    }
    let columns: Vec<(u32, Vec<Meeting<'_>>)> =
        rounds.into_iter().map(|(round, pairings)| (round, meetings(pairings.into_iter()))).collect();
    let goes_on = |round: u32, entrant: Entrant| {
        columns
            .iter()
            .filter(|(later, _)| *later > round)
            .any(|(_, tables)| tables.iter().any(|table| table.entrants.contains(&entrant)))
    };
    html! {
        @if !columns.is_empty() {
            div class="ko" tabindex="0" role="region" aria-label="Bracket" {
                @for (round, tables) in &columns {
                    section class="kcol" {
                        h2 { (round_name(*round, tables)) }
                        @for (idx, table) in tables.iter().enumerate() {
                            div class="floe flush kcell" {
                                div class="khead" { b { "Table " (idx + 1) } (links(view, table)) }
                                @let over = table.is_over(view);
                                @for entrant in &table.entrants {
                                    @let on = goes_on(*round, *entrant);
                                    @let class = if on { "won" } else if over && columns.iter().any(|(later, _)| later > round) { "lost" } else { "" };
                                    (seat_row(view, *entrant, &html! {
                                        b class="num" { (points(table.points(view, *entrant))) }
                                        @if on { span class="on" aria-label="goes on" { "→" } }
                                    }, class))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Links to the games of a table that are over.
fn links(view: &View, meeting: &Meeting<'_>) -> Markup {
    let games: Vec<_> = meeting.pairings.iter().filter_map(|pairing| view.games.get(&pairing.id)).collect();
    html! {
        span class="row tiny links" {
            @match games.as_slice() {
                [] => @match meeting.pairings.iter().find_map(|pairing| view.live.get(&pairing.id)) {
                    Some(game) => a class="live" href={ "/m/" (game) } { "Watch" },
                    None if view.held => span class="live" { "Not over yet" },
                    None => span class="dim" { "To be played" },
                },
                [game] => a href={ "/m/" (game.id) } { "Replay" },
                games => {
                    @for (idx, game) in games.iter().enumerate().take(6) { a href={ "/m/" (game.id) } aria-label={ "Replay of game " (idx + 1) } { (idx + 1) } }
                },
            }
        }
    }
}

/// The round that is played now, or the last games of a tournament without rounds.
pub(super) fn now(view: &View) -> Markup {
    let round = view.pairings.iter().filter_map(|pairing| pairing.round).max();
    let is_shown = |pairing: &&StoredPairing| round.is_none() || pairing.round == round;
    let shown: Vec<&StoredPairing> = view.pairings.iter().filter(is_shown).collect();
    // Without rounds the last ones are shown.
    let skipped = if round.is_some() { 0 } else { shown.len().saturating_sub(MOST_NOW) };
    let tables: Vec<Meeting<'_>> = meetings(shown.into_iter().skip(skipped));
    let open = tables.iter().filter(|table| !table.is_over(view)).count();
    html! {
        @if !tables.is_empty() {
            section class="floe flush" {
                div class="head" {
                    h2 { @match round { Some(round) => { "Round " (round) }, None => "Pairings" } }
                    @if open > 0 && view.held { span class="live" { (open) " not over yet" } }
                }
                @for table in tables.iter().take(MOST_NOW) {
                    div class="pair" {
                        @for entrant in &table.entrants {
                            (seat_row(view, *entrant, &html! { b class="num" { (points(table.points(view, *entrant))) } }, ""))
                        }
                        div class="row between" {
                            details { summary { "Why this pairing?" } p class="why" { (table.pairings[0].reason) } }
                            span class="row tiny" {
                                @if let [pairing] = table.pairings.as_slice() && let Some(game) = view.games.get(&pairing.id) { (ending(&game.result)) }
                                (links(view, table))
                            }
                        }
                    }
                }
            }
        }
    }
}
