//! Tournaments: the list, a new one, and how one stands.

mod bracket;
mod new;
mod opening;
mod table;
mod tree;

use maud::{Markup, PreEscaped, html};
use rookery_report::TestFacts;
use rookery_report::plots::{self, Bar, Frame};
use rookery_rules::text::clean;
use rookery_store::TournamentState;
use rookery_tournament::FormatSpec;

use super::matches::time as time_words;
use super::parts::{count, extra, title_of};
use super::shell::LOGO;
use super::watch::{Card, small_board};
use crate::api::TournamentData;
use crate::tournaments::View;

pub(super) use new::step;
pub(crate) use new::{Choice, Extent, NewTournament, SIGN_UPS, new_tournament};
pub(crate) use opening::{Visitor, bot_name, late, opening};

/// What a page shows of a tournament to somebody beside how it stands.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Whether whoever looks may change it.
    pub(crate) own: bool,
    /// Games that are played now, those of whoever looks first.
    pub(crate) boards: Vec<Card>,
    /// The game that whoever looks plays now, or is to come to.
    pub(crate) mine: Option<String>,
    /// The entrants that whoever looks brought and may withdraw.
    pub(crate) brought: Vec<String>,
    /// The way in, where newcomers are taken.
    pub(crate) way_in: Option<Markup>,
}

/// What is shown of a format: its word, its name, one sentence.
pub(crate) const FORMATS: [(&str, &str, &str); 6] = [
    ("round-robin", "Everyone meets everyone", "Each pair plays. Fairest, and the longest."),
    ("swiss", "Swiss", "Each round pairs players with equal points who have not met."),
    ("knock-out", "Knock-out", "The best of each table goes on; who loses is out."),
    ("gauntlet", "Gauntlet", "The first player meets all the others, and they do not meet each other."),
    ("ladder", "Ladder", "Whoever is known least plays next; the longer, the surer."),
    (
        "sprt",
        "Is one stronger?",
        "All at one table, until a test (SPRT) has decided whether the first player is stronger than the second.",
    ),
];

/// The word of a format.
fn word_of(format: &FormatSpec) -> &'static str {
    match format {
        FormatSpec::Series { .. } => "series",
        FormatSpec::RoundRobin { .. } => "round-robin",
        FormatSpec::Swiss { .. } => "swiss",
        FormatSpec::KnockOut { .. } | FormatSpec::FishKnockOut {} => "knock-out",
        FormatSpec::Gauntlet { .. } => "gauntlet",
        FormatSpec::Ladder { .. } => "ladder",
        FormatSpec::Sprt(_) => "sprt",
    }
}

fn title_of_format(format: &FormatSpec) -> &'static str {
    let word = word_of(format);
    FORMATS.iter().find(|(known, ..)| *known == word).map_or("All at one table", |(_, title, _)| title)
}

/// All tournaments.
pub(crate) fn tournaments(list: &[TournamentData]) -> Markup {
    html! {
        (extra(&["tournament.js"]))
        div class="hd" { h1 { "Tournaments" } div class="end" { a class="btn primary" href="/t/new" { "New tournament" } } }
        @if list.is_empty() {
            div class="floe stack narrow" {
                span class="lone" { (PreEscaped(LOGO)) }
                p { "No tournament was held here yet." }
                p class="dim" { "People, computers and connected bots can take part." }
            }
        } @else {
            ul class="floe flush list" {
                @for one in list {
                    li { a href={ "/t/" (one.id) } {
                        span { b { (one.name) } span class="dim" {
                            " · " (one.games.first().map(|spec| title_of(spec)).unwrap_or_default())
                            ", " (count(one.entrants as u64, "player"))
                        } }
                        @if one.sign_up { span class="chip good" { "sign-up open" @if let Some(starts) = one.starts_ms { ", " (opening::starts(starts)) } } }
                        @else { (state_sign(one.state, one.held)) }
                    } }
                }
            }
        }
    }
}

fn state_sign(state: &str, held: bool) -> Markup {
    html! {
        @if held { span class="live" { "Playing" } }
        @else if state == "finished" { span class="chip" { "finished" } }
        @else if state == "cancelled" { span class="chip" { "removed" } }
        @else { span class="chip" { "paused" } }
    }
}

/// One tournament.
pub(crate) fn tournament(view: &View, seen: &Seen) -> Markup {
    let own = seen.own;
    let is_cup = word_of(&view.spec.format) == "knock-out";
    html! {
        (extra(&["tournament.js"]))
        rk-tournament live[view.held] {
            (header(view, own))
            div data-live="rounds" { (progress(view)) }
            div data-live="mine" { (your_game(view, seen)) }
            (note(view))
            (boards(view, seen))
            div data-live="bracket" { @if is_cup { (bracket::bracket(view)) } }
            div class="cols now-first" {
                div class="stack" {
                    div data-live="test" { (test(view)) }
                    div data-live="table" { (table::standings(view, seen)) }
                    div data-live="cross" { (table::cross(view)) }
                    div data-live="plots" class="stack" { (rating_plot(view)) }
                    div data-live="games" { (table::games(view)) }
                }
                div class="stack" {
                    div data-live="now" { (bracket::now(view)) }
                    div data-live="enter" { @if let Some(way_in) = &seen.way_in { (way_in) } }
                    (downloads(view))
                }
            }
        }
    }
}

/// What whoever looks is to do now, if it plays in it.
fn your_game(view: &View, seen: &Seen) -> Markup {
    html! {
        @if let Some(game) = seen.mine.as_ref().filter(|_| view.held) {
            p class="note good row between yours" role="status" {
                span { b { "Your game is on. " } "Anyone not here within three minutes loses." }
                a class="btn primary" href={ "/m/" (game) } data-yours { "To your game" }
            }
        }
    }
}

/// Games that are played now, as boards that go on by themselves.
fn boards(view: &View, seen: &Seen) -> Markup {
    html! {
        @if view.held {
            rk-live src="/api/v1/live" grows cup=(view.id) role="group" aria-label="Games that are played now" {
                ul class="cards strip" { @for card in &seen.boards { (small_board(card)) } }
            }
        }
    }
}

fn header(view: &View, own: bool) -> Markup {
    let game = view.spec.games.first().map(|spec| title_of(spec)).unwrap_or_default();
    html! {
        div class="hd" {
            div {
                h1 { (view.spec.name) }
                p class="dim" {
                    (game) " · " (title_of_format(&view.spec.format)) " · " (time_words(&view.spec.time.to_string()))
                    " · " (count(view.spec.entrants.len() as u64, "player"))
                }
            }
            div class="end" data-live="state" {
                (state_sign(view.state.word(), view.held))
                @if own { (actions(view)) }
            }
        }
    }
}

/// What whoever made it may do: one thing first, taking it away behind a question.
fn actions(view: &View) -> Markup {
    html! {
        form method="post" action={ "/t/" (view.id) "/do" } {
            @if view.held { button class="btn primary" name="what" value="pause" { "Pause" } }
            @else if !view.state.is_over() { button class="btn primary" name="what" value="resume" { "Go on" } }
            @if view.state != TournamentState::Cancelled {
                details class="ask" {
                    summary class="btn quiet danger" { "Remove" }
                    div class="menu" {
                        p { "It is played no more and leaves every list. Its games stay." }
                        button class="btn danger" name="what" value="remove" { "Yes, remove it" }
                    }
                }
            }
        }
    }
}

fn progress(view: &View) -> Markup {
    let now = view.pairings.iter().filter_map(|pairing| pairing.round).max();
    let rounds = view.plan.as_ref().and_then(|plan| plan.rounds);
    let done = view.state == TournamentState::Finished;
    let played = view.games.len() as u64;
    let all = view.plan.as_ref().and_then(|plan| plan.games);
    html! {
        @match (now, rounds) {
            (Some(now), Some(rounds)) if rounds <= 12 => ol class="rounds" aria-label="Rounds" {
                @for round in 1..=rounds.max(now) {
                    @if round < now || done { li class="done" { (round) } }
                    @else if round == now { li class="now" aria-current="step" { "Round " (round) } }
                    @else { li { (round) } }
                }
            },
            _ => {},
        }
        p class="dim num" { (count(played, "game")) " played" @if let Some(all) = all { " of " @if !exact(view) { "at most " } (all) }
            @if view.held { " · " a href={ "/watch?t=" (view.id) } { "Watch its games" } }
        }
    }
}

fn exact(view: &View) -> bool {
    view.plan.as_ref().is_some_and(|plan| plan.exact)
}

/// Who takes part, said plainly.
fn note(view: &View) -> Markup {
    let entrants = &view.spec.entrants;
    let is_bot = |entrant: &&rookery_tournament::EntrantSpec| {
        !matches!(entrant.player, rookery_referee::SeatSpec::BuiltIn(_) | rookery_referee::SeatSpec::Human)
    };
    let bots = entrants.iter().filter(is_bot).count() as u64;
    let people = entrants.iter().filter(|entrant| entrant.player.is_person()).count() as u64;
    let rest = entrants.len() as u64 - bots - people;
    let parts: Vec<String> = [(people, "person"), (bots, "bot"), (rest, "computer")]
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| if what == "person" && n > 1 { format!("{n} people") } else { count(n, what) })
        .collect();
    html! {
        p class="note" {
            @if bots > 0 { b { "Bots play here. " } } @else if people > 0 { b { "People play here. " } } @else { b { "Computers play here. " } }
            (parts.join(", ")) ". "
            @if bots > 0 { "A bot that is gone has a minute to come back to its game. " }
            "Every game counts for the ratings."
            @if !view.left.is_empty() { " " (view.left.join(", ")) " left." }
            @for note in &view.report.trials { " " (note.to_string()) }
        }
    }
}

/// A plot, and a narrow one that phones show in its place: all of it fits.
fn twice(title: &str, id: &str, draw: impl Fn(Frame<'_>) -> String) -> Markup {
    let small = format!("{id}-small");
    html! {
        div class="hide-phone" { (PreEscaped(draw(Frame { title, id, is_alone: false, is_narrow: false }))) }
        div class="only-phone" { (PreEscaped(draw(Frame { title, id: &small, is_alone: false, is_narrow: true }))) }
    }
}

fn rating_plot(view: &View) -> Markup {
    let bar = |row: &rookery_report::Row| {
        let value = row.rating?;
        let interval = row.error.map(|error| (value - error, value + error));
        Some(Bar { label: clean(&row.name), value, interval })
    };
    let bars: Vec<Bar> = view.report.standings.iter().filter_map(bar).collect();
    let losses = table::loss_plot(&view.report);
    html! {
        @if let Some(facts) = view.report.ratings.as_ref().filter(|_| bars.len() > 1 && view.games.len() > 1) {
            section class="floe" {
                h2 { "Strength" }
                figure { (twice("Ratings of this tournament, with the 95 % interval", "ratings", |frame| plots::bars(frame, facts.unit, &bars)))
                    figcaption class="dim tiny" { "By the games of this tournament alone. The line is where the true strength lies, 19 times out of 20." } }
            }
        }
        @if let Some(plot) = losses {
            section class="floe" { h2 { "How games were lost" } figure { (plot) } }
        }
    }
}

/// How far the test is that ends it, if one does.
fn test(view: &View) -> Markup {
    html! {
        @if let Some(test) = &view.report.test {
            section class="floe" {
                h2 { "Test" }
                p { (test.to_string()) }
                @if !test.trace.is_empty() {
                    figure { (twice(TestFacts::PLOT, "llr", |frame| test.plot(frame))) figcaption class="dim tiny" { (TestFacts::PLOT) "." } }
                }
            }
        }
    }
}

fn downloads(view: &View) -> Markup {
    html! {
        section class="floe stack" {
            h2 { "Report" }
            p class="row" {
                @for (form, name) in [("html", "Page"), ("csv", "CSV"), ("markdown", "Markdown"), ("json", "JSON")] {
                    a href={ "/api/v1/tournaments/" (view.id) "?form=" (form) } download { (name) }
                }
            }
        }
    }
}
