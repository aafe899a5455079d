//! Rules with small boards one can move on, and the pages of the protocols.

use maud::{Markup, html};
use rookery_catalog::{AnyGame, CATALOG};

use super::markdown::render;
use super::parts::{extra, still};

/// Pages that are served: name, title, text.
pub(crate) static DOCS: [(&str, &str, &str); 8] = [
    ("first-bot", "Your first bot", include_str!("../../../../docs/first-bot.md")),
    ("protocol", "The bot protocol", include_str!("../../../../docs/protocol.md")),
    ("bundles", "Bots as archives", include_str!("../../../../docs/bundles.md")),
    ("api", "The API", include_str!("../../../../docs/api.md")),
    ("record", "Records", include_str!("../../../../docs/record.md")),
    ("players", "Computers", include_str!("../../../../docs/players.md")),
    ("formats", "Formats of tournaments", include_str!("../../../../docs/formats.md")),
    ("ratings", "Ratings", include_str!("../../../../docs/ratings.md")),
];

/// The page of this name: title and text.
pub(crate) fn doc(name: &str) -> Option<(&'static str, &'static str)> {
    DOCS.iter().find(|(known, ..)| *known == name).map(|(_, title, text)| (*title, *text))
}

/// The rules of a game. The positions that stand behind fences become boards.
pub(crate) fn rules(game: &dyn AnyGame, play: &Markup) -> Markup {
    let mut n = 0;
    let mut board = |info: &str, text: &str| {
        // How the picture of the repository is made: here are boards.
        if text.starts_with("rookery show") {
            return Some(String::new());
        }
        let position = info.strip_prefix("text ")?;
        let shown = game.position(position).ok()?;
        let scene = shown.scene();
        n += 1;
        let prefix = format!("t{n}-");
        let markup = html! {
            rk-try class="try" game=(game.name()) position=(position) {
                rk-board mode="try" prefix=(prefix) { (still(&scene, &prefix)) } div class="extra" {}
                div class="row between" { span class="tiny dim" data-part="said" role="status" { (crate::api::said_of(&*shown)) } button class="btn quiet sm" type="button" data-part="reset" hidden { "Reset" } }
                details { summary class="tiny" { "As text" } pre tabindex="0" { code { (text) } } }
            }
        };
        Some(markup.into_string())
    };
    let (body, headings) = render(game.rules(), &mut board);
    html! {
        (extra(&["rules.js"]))
        nav class="nav games" aria-label="Games" {
            @for other in CATALOG { a href={ "/rules/" (other.name()) } aria-current=[(other.name() == game.name()).then_some("page")] { (other.title()) } }
        }
        div class="cols" {
            article class="prose" { (body) }
            aside class="aside" {
                (play)
                (contents(&headings))
                section class="floe stack" {
                    h3 { "Puzzle of the day" }
                    p class="dim tiny" { "A proved position with one winning move." }
                    p { a class="btn" href="/puzzle" { "Solve it" } }
                }
            }
        }
    }
}

fn contents(headings: &[(String, String)]) -> Markup {
    html! {
        @if !headings.is_empty() {
            nav class="floe flush list" aria-label="On this page" { ul { @for (id, text) in headings { li { a href={ "#" (id) } { (text) } } } } }
        }
    }
}

/// A page of the documentation.
pub(crate) fn docs(name: &str, text: &str) -> Markup {
    let (body, headings) = render(text, &mut |_, _| None);
    html! {
        (extra(&[]))
        nav class="nav games" aria-label="Pages" {
            @for (other, title, _) in &DOCS { a href={ "/docs/" (other) } aria-current=[(*other == name).then_some("page")] { (title) } }
        }
        div class="cols" { article class="prose" { (body) } aside class="aside" { (contents(&headings)) } }
    }
}
