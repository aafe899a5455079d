//! Rounds of a tournament: the bracket of a knock-out, and what is played now with its reasons.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use rookery_store::StoredPairing;
use rookery_tournament::Entrant;

use super::super::parts::points;
use super::table::{ending, mark, seat_row};
use super::tree::{Holder, Place, Source, places, sources};
use crate::tournaments::View;

/// The most tables that are shown of what is played now.
const MOST_NOW: usize = 16;
/// With more rounds phones show them one under the other.
const MOST_SWITCHED: usize = 7;
/// How the reason of a pairing begins that is played for the third place.
const THIRD: &str = "for the third place";

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

    /// Who has won it, by name once that is known, or by its table.
    fn winner(&self, view: &View, idx: usize) -> String {
        let points = |entrant: &Entrant| self.points(view, *entrant);
        let most = self.entrants.iter().copied().max_by(|a, b| points(a).total_cmp(&points(b)));
        let is_alone =
            |most: &Entrant| self.entrants.iter().all(|other| other == most || points(other) < points(most));
        match most.filter(|most| self.is_over(view) && is_alone(most)) {
            Some(most) => view.name(most).to_owned(),
            None => format!("winner of table {}", idx + 1),
        }
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

/// A round of the bracket: its name and its tables. Those to come have no games yet.
struct Round<'a> {
    name: String,
    tables: Vec<Meeting<'a>>,
    /// Who comes to each table of a round that was not paired yet, as far as it is known.
    to_come: Vec<Vec<String>>,
}

impl Round<'_> {
    /// Who sits at each table.
    fn seated(&self) -> Vec<&[Entrant]> {
        self.tables.iter().map(|table| table.entrants.as_slice()).collect()
    }
}

/// What a round with so many tables of two is called.
fn name_of(n_tables: usize) -> String {
    match n_tables {
        1 => "Final".to_owned(),
        2 => "Semi-final".to_owned(),
        4 => "Quarter-final".to_owned(),
        n => format!("Round of the last {}", 2 * n),
    }
}

/// Rounds that follow from the last one: neighbours meet until one is left. None where tables are dealt out again.
fn to_come<'a>(view: &View, last: &Round<'a>) -> Vec<Round<'a>> {
    let n = last.tables.len();
    let is_even = n.is_power_of_two() && last.tables.iter().all(|table| table.entrants.len() == 2);
    if view.state.is_over() || n < 2 || !is_even || last.name != name_of(n) {
        return vec![];
    }
    let mut names: Vec<String> =
        last.tables.iter().enumerate().map(|(idx, table)| table.winner(view, idx)).collect();
    let mut rounds = vec![];
    while names.len() > 1 {
        let tables: Vec<Vec<String>> = names.chunks(2).map(<[String]>::to_vec).collect();
        names = (1..=tables.len()).map(|n| format!("winner of table {n}")).collect();
        rounds.push(Round { name: name_of(tables.len()), tables: vec![], to_come: tables });
    }
    rounds
}

/// All rounds that are known, without the meeting for the third place, and that meeting.
fn rounds(view: &View) -> (Vec<Round<'_>>, Option<Meeting<'_>>) {
    let mut by_round: BTreeMap<u32, Vec<&StoredPairing>> = BTreeMap::new();
    for pairing in &view.pairings {
        by_round.entry(pairing.round.unwrap_or(1)).or_default().push(pairing);
    }
    let mut third = None;
    let mut rounds = vec![];
    for (round, pairings) in by_round {
        let mut tables = meetings(pairings.into_iter());
        let name = round_name(round, &tables);
        if let Some(idx) = tables.iter().position(|table| table.pairings[0].reason.starts_with(THIRD)) {
            third = Some(tables.remove(idx));
        }
        rounds.push(Round { name, tables, to_come: vec![] });
    }
    if let Some(last) = rounds.last() {
        let more = to_come(view, last);
        rounds.extend(more);
    }
    (rounds, third)
}

/// Where the tables of all rounds stand.
fn laid_out(rounds: &[Round<'_>]) -> Vec<Vec<Place>> {
    let sizes: Vec<usize> = rounds.iter().map(|round| round.tables.len().max(round.to_come.len())).collect();
    let Some((last, before)) = sizes.split_last() else { return vec![] };
    let between = |pair: &[Round<'_>]| {
        let (from, to) = (&pair[0], &pair[1]);
        if !to.to_come.is_empty() {
            let two = |idx: usize| vec![Source::Table(2 * idx), Source::Table(2 * idx + 1)];
            return Some((0..to.to_come.len()).map(two).collect());
        }
        sources(&from.seated(), &to.seated())
    };
    let sources: Vec<_> = rounds.windows(2).map(between).collect();
    places(*last, before, &sources)
}

/// The bracket: a column a round, a cell a table, lines from each table to the one it leads to. On phones one round at a time.
pub(super) fn bracket(view: &View) -> Markup {
    let (rounds, third) = rounds(view);
    let places = laid_out(&rounds);
    // The round that is played, or the last one.
    let now = rounds.iter().rposition(|round| !round.tables.is_empty()).unwrap_or(0);
    html! {
        @if !rounds.is_empty() {
            div class="ko" tabindex="0" role="region" aria-label="Bracket" {
                @if rounds.len() > 1 && rounds.len() <= MOST_SWITCHED {
                    div class="seg full kswitch only-phone" role="radiogroup" aria-label="Round" {
                        @for (idx, round) in rounds.iter().enumerate() {
                            label { input type="radio" name="round" id={ "round-" (idx) } checked[idx == now]; (round.name) }
                        }
                    }
                }
                @for (idx, (round, places)) in rounds.iter().zip(&places).enumerate() {
                    section class="kcol" {
                        h2 { (round.name) }
                        ol class="kbody" { @for place in places { (slot(view, &rounds, idx, place)) } }
                    }
                }
            }
            @if let Some(third) = &third {
                section class="kthird" { h2 class="h3" { "For the third place" } (cell(view, &[], third, None)) }
            }
        }
    }
}

/// A place of a round, with its part of the lines.
fn slot(view: &View, rounds: &[Round<'_>], at: usize, place: &Place) -> Markup {
    let marks =
        [(place.is_fed, " in"), (place.goes_out, " out"), (place.runs[0], " up"), (place.runs[1], " down")];
    let class: String = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, word)| *word).collect();
    let round = &rounds[at];
    html! {
        li class={ "kslot" (class) } aria-hidden=[(place.holder == Holder::Nobody).then_some("true")] {
            @match place.holder {
                Holder::Table(idx) => @match round.tables.get(idx) {
                    Some(table) => (cell(view, &rounds[at + 1..], table, Some(idx))),
                    None => div class="floe flush kcell wait" {
                        div class="khead" { b { "Table " (idx + 1) } span class="tiny dim" { "to come" } }
                        @for name in &round.to_come[idx] { div class="prow" { span class="grow trim" { (name) } } }
                    },
                },
                Holder::Rest(who) => p class="krest tiny dim" { b { (view.name(who)) } " has no opponent in this round." },
                Holder::Nobody => {},
            }
        }
    }
}

/// A table: who sits there, with points, and who goes on.
fn cell(view: &View, later: &[Round<'_>], table: &Meeting<'_>, idx: Option<usize>) -> Markup {
    let goes_on = |entrant: Entrant| {
        later.iter().any(|round| round.tables.iter().any(|table| table.entrants.contains(&entrant)))
    };
    let is_last = later.iter().all(|round| round.tables.is_empty());
    let over = table.is_over(view);
    html! {
        div class={ "floe flush kcell" @if !over && view.held { " now" } } {
            div class="khead" { b { @if let Some(idx) = idx { "Table " (idx + 1) } @else { "Third place" } } (links(view, table)) }
            @for entrant in &table.entrants {
                @let on = goes_on(*entrant);
                @let is_beaten = table.entrants.iter().any(|other| table.points(view, *other) > table.points(view, *entrant));
                @let class = if on { "won" } else if over && (!is_last || is_beaten) { "lost" } else { "" };
                (seat_row(view, *entrant, &html! {
                    b class="num" { (points(table.points(view, *entrant))) }
                    @if on { span class="on" aria-label="goes on" { "→" } }
                }, class))
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
