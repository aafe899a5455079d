//! Boards of running matches: small ones that move, and the one that most people watch.

use maud::{Markup, PreEscaped, html};
use rookery_catalog::CATALOG;
use rookery_picture::{LastMove, Options, svg};
use rookery_referee::MatchSpec;
use rookery_rules::Scene;
use rookery_rules::scene::Place;

use super::home::piece;
use super::parts::clock;
use super::shell::icon;
use crate::data::Kind;

/// A match that runs.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    /// The match.
    pub(crate) id: String,
    /// How it stands.
    pub(crate) scene: Scene,
    /// The move that led there.
    pub(crate) last: Option<LastMove>,
    /// Who plays.
    pub(crate) seats: Vec<(String, Kind)>,
    /// Who is to move.
    pub(crate) turn: Option<usize>,
    /// What is left on each clock.
    pub(crate) clocks_ms: Vec<u64>,
    /// How many moves were made.
    pub(crate) ply: u64,
    /// How many look on.
    pub(crate) viewers: usize,
}

impl Card {
    /// The prefix of the ids in its picture, unlike that of any other on the page.
    fn prefix(&self) -> String {
        format!("m{}-", self.id)
    }
}

/// What is counted of a match that runs.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    game: String,
    has_person: bool,
}

impl Running {
    /// That of a match.
    pub(crate) fn of(spec: &MatchSpec) -> Self {
        Self {
            game: spec.game.split(':').next().unwrap_or_default().to_owned(),
            has_person: spec.seats.iter().any(|seat| seat.player.is_person()),
        }
    }
}

/// A small board; pictures on one page need different prefixes.
pub(super) fn still(scene: &Scene, last: Option<LastMove>, prefix: &str) -> String {
    let options =
        Options { last, prefix: prefix.to_owned(), coordinates: false, captions: false, style: false };
    svg(scene, &options)
}

/// What is shown of a running match: the list of those who play, with how they stand.
pub(super) fn small_board(card: &Card) -> Markup {
    let prefix = card.prefix();
    html! {
        li data-match=(card.id) data-ply=(card.ply) { a class="floe small-board" href=(format!("/m/{}", card.id)) {
            div class="row between" {
                span class="live" { "Live, move " (card.ply) }
                span class="viewers tiny" { (icon("eye")) span { (card.viewers) } b class="sr" { "watching" } }
            }
            rk-board mode="still" turn="no" prefix=(prefix) {
                div class="board" { (PreEscaped(still(&card.scene, card.last.clone(), &prefix))) }
            }
            (players(card, &prefix))
            p class="result tiny" {}
        } }
    }
}

/// Who plays, one a line.
pub(super) fn players(card: &Card, prefix: &str) -> Markup {
    let said = |seat: usize| {
        let own = card
            .scene
            .captions
            .iter()
            .find(|caption| matches!(caption.place, Place::Seat(of) if of.index() == seat));
        own.map(|caption| stands(&caption.text).to_owned()).unwrap_or_default()
    };
    html! {
        ul class="lines" {
            @for (idx, (name, kind)) in card.seats.iter().enumerate() {
                li class={ "row" @if card.turn == Some(idx) { " turn" } } data-seat=(idx) {
                    span class="coin xs" { (piece(prefix, idx)) }
                    span class="trim" { (name) } (kind_sign(*kind))
                    span class="score tiny" { (said(idx)) }
                    @if let Some(ms) = card.clocks_ms.get(idx) { span class="clock" role="timer" { (clock(*ms)) } }
                }
            }
        }
    }
}

/// How a seat stands, without its name: of `red: 4 fish` the fish.
fn stands(text: &str) -> &str {
    text.split_once(": ").map_or(text, |(_, rest)| rest)
}

/// A sign for whoever is no person, where there is little room.
fn kind_sign(kind: Kind) -> Markup {
    let word = match kind {
        Kind::Person => return html! {},
        Kind::Computer => "computer",
        Kind::Bot => "bot",
    };
    html! { span class="chip bot" title=(word) { (icon("bot")) span class="sr" { (word) } } }
}

/// The board that most people watch.
pub(super) fn featured(card: &Card) -> Markup {
    html! {
        rk-live src="/api/v1/live" class="featured" { div data-match=(card.id) data-ply=(card.ply) {
            div class="row between ribbon" {
                span class="live" { "Live, move " (card.ply) }
                span class="viewers tiny" { (icon("eye")) span { (card.viewers) } b class="sr" { "watching" } }
            }
            rk-board mode="still" turn="no" prefix="hero-" {
                div class="board" { (PreEscaped(still(&card.scene, card.last.clone(), "hero-"))) }
            }
            div class="row between vs" { (players(card, "hero-")) a class="btn" href=(format!("/m/{}", card.id)) { "Watch" } }
            p class="result tiny" {}
        } }
    }
}

/// What is looked for on the page of all boards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// One game.
    pub(crate) game: Option<String>,
    /// `people` or `bots`.
    pub(crate) who: Option<String>,
    /// The games of one tournament.
    pub(crate) cup: Option<String>,
}

impl Filter {
    fn link(&self, game: Option<&str>, who: Option<&str>) -> String {
        let parts: Vec<String> = [("game", game), ("who", who), ("t", self.cup.as_deref())]
            .iter()
            .filter_map(|(key, value)| Some(format!("{key}={}", (*value)?)))
            .collect();
        if parts.is_empty() { "/watch".to_owned() } else { format!("/watch?{}", parts.join("&")) }
    }

    /// Whether a match is looked for.
    pub(crate) fn admits(&self, running: &Running) -> bool {
        self.game.as_ref().is_none_or(|game| *game == running.game)
            && match self.who.as_deref() {
                Some("people") => running.has_person,
                Some("bots") => !running.has_person,
                _ => true,
            }
    }
}

/// All that run, and the boards of those that are looked for.
pub(crate) fn watch(all: &[Running], list: &[Card], filter: &Filter) -> Markup {
    let people = all.iter().filter(|running| running.has_person).count();
    html! {
        div class="head" {
            div { h1 { "Watch" }
                p class="dim" { (all.len()) @if all.len() == 1 { " game. " } @else { " games. " } "People play in " (people) " of them." }
            }
            a class="btn" href="/new" { (icon("play")) "Play yourself" }
        }
        (filters(all, filter))
        rk-live src="/api/v1/live" grows cup=[filter.cup.as_deref()] game=[filter.game.as_deref()] who=[filter.who.as_deref()] {
            ul class="cards" { @for card in list { (small_board(card)) } }
            div data-part="nothing" hidden[!list.is_empty()] { (nothing("Nobody plays at the moment.", "/", "Play a game")) }
        }
        p class="dim tiny after" { "New games join at the end. A game that is over keeps its place for 10 seconds." }
    }
}

fn filters(all: &[Running], filter: &Filter) -> Markup {
    let (game, who) = (filter.game.as_deref(), filter.who.as_deref());
    html! {
        div class="filters" {
            nav class="seg scroll-x" aria-label="Games" {
                a href=(filter.link(None, who)) aria-current=[game.is_none().then_some("true")] { "All " span class="dim num" { (all.len()) } }
                @for known in CATALOG {
                    @let n = all.iter().filter(|running| running.game == known.name()).count();
                    a href=(filter.link(Some(known.name()), who)) aria-current=[(game == Some(known.name())).then_some("true")] {
                        (known.title()) " " span class="dim num" { (n) }
                    }
                }
            }
            @if let Some(cup) = &filter.cup { a class="chip" href=(format!("/t/{cup}")) { "Games of one tournament" } a href="/watch" { "All games" } }
            nav class="seg" aria-label="Players" {
                @for (word, name) in [(None, "Everyone"), (Some("people"), "People"), (Some("bots"), "Without people")] {
                    a href=(filter.link(game, word)) aria-current=[(who == word).then_some("true")] { (name) }
                }
            }
        }
    }
}

/// A quiet place: one sentence, one thing to do.
pub(super) fn nothing(sentence: &str, path: &str, action: &str) -> Markup {
    html! {
        div class="floe stack narrow quiet-place" {
            (PreEscaped(LONE_FLOE))
            p { (sentence) }
            p { a class="btn primary" href=(path) { (action) } }
        }
    }
}

/// A penguin on a lone floe.
const LONE_FLOE: &str = r##"<svg viewBox="0 0 168 120" aria-hidden="true"><path class="ill-wave" d="M6 96q8-7 16 0t16 0M130 104q8-7 16 0t16 0"/><path d="M24 84 46 70h76l24 14-24 18H46z" fill="#7fb6d6"/><path class="ill-ice" d="M24 78 46 64h76l24 14-24 18H46z" stroke="#a9d3ea" stroke-width="2" stroke-linejoin="round"/><path d="M62 82c-1-16 1-22 4-30 0-19 7-33 18-33s18 14 18 33c3 8 5 14 4 30z" fill="#2a313a"/><path d="M84 46c4-7 14-4 14-14 0-5-3-8-7-8s-5 3-7 3-3-3-7-3-7 3-7 8c0 10 10 7 14 14zM84 52c-10 0-15 12-15 30h30c0-18-5-30-15-30z" fill="#fff"/><circle cx="77" cy="33" r="3" fill="#15232c"/><circle cx="91" cy="33" r="3" fill="#15232c"/><path d="M77 38q7-4 14 0-3 8-7 8t-7-8z" fill="#f59a1b" stroke="#a85f05"/></svg>"##;
