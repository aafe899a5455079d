//! What is around every page, and the pages that are a form or a sentence.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets;

/// Who looks, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// The name of whoever looks, if it has one.
    pub(crate) name: Option<String>,
    /// `light` or `dark`, if it was chosen.
    pub(crate) theme: Option<&'static str>,
    /// After how many seconds a page without script is loaded again by itself, if it is.
    pub(crate) again: Option<u32>,
    /// The place in the bars that it belongs to; the one of its title if there is none.
    pub(crate) place: Option<&'static str>,
}

/// The places in the upper bar, by the title of their page.
const PLACES: [(&str, &str); 6] = [
    ("Play", "/new"),
    ("Watch", "/watch"),
    ("Tournaments", "/t"),
    ("Players", "/players"),
    ("Rules", "/rules"),
    ("Bots", "/connect"),
];

/// Those in the lower bar of phones, with their pictures.
const TABS: [(&str, &str, &str); 5] = [
    ("Home", "/", "home"),
    ("Play", "/new", "play"),
    ("Watch", "/watch", "eye"),
    ("Tournaments", "/t", "cup"),
    ("More", "#more", "more"),
];

/// Small pictures in lines, each in a box from 0 to 24.
const ICONS: [(&str, &str); 29] = [
    ("hint", "M9 18h6M10 21h4M8.5 14.5C7 13.3 6 11.5 6 9.5a6 6 0 0 1 12 0c0 2-1 3.8-2.5 5V17h-7z"),
    ("undo", "M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4"),
    ("draw", "M5 19 19 5M7 4v6M5 5.5 7 4M13.5 15.5a2 2 0 1 1 3.5 1.3L13.5 20H18"),
    ("flag", "M6 21V4h11l-2 4 2 4H6"),
    ("list", "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01"),
    ("chat", "M4 5h16v11H10l-5 4v-4H4z"),
    ("more", "M5 12h.01M12 12h.01M19 12h.01"),
    ("first", "M6 5v14M18 6l-7 6 7 6"),
    ("prev", "M15 5l-7 7 7 7"),
    ("next", "M9 5l7 7-7 7"),
    ("last", "M18 5v14M6 6l7 6-7 6"),
    ("play", "M8 5.5v13l10-6.5z"),
    ("pause", "M8 5v14M16 5v14"),
    ("aim", "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z"),
    ("link", "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"),
    ("save", "M12 4v11M7 11l5 5 5-5M5 20h14"),
    ("copy", "M9 9h11v11H9zM5 15H4V4h11v1"),
    ("bot", "M5 9h14v10H5zM12 9V5M9 13.5v1M15 13.5v1M2.5 13v3M21.5 13v3"),
    ("eye", "M2 12c3-5 6.5-7 10-7s7 2 10 7c-3 5-6.5 7-10 7s-7-2-10-7zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"),
    ("moon", "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"),
    ("person", "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6"),
    ("close", "M6 6l12 12M18 6 6 18"),
    ("turn", "M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5"),
    ("home", "M4 11l8-7 8 7M6 9.5V20h12V9.5"),
    ("cup", "M8 4h8v6a4 4 0 0 1-8 0zM8 5H4c0 4 1 6 4 6M16 5h4c0 4-1 6-4 6M12 14v4M8 20h8"),
    ("shuffle", "M7 4v16M4 17l3 3 3-3M17 20V4M14 7l3-3 3 3"),
    ("check", "M5 12.5l4.5 4.5L19 7"),
    ("info", "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v6M12 7.5h.01"),
    ("sound", "M4 9v6h4l5 4V5L8 9zM16.5 9a4 4 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11"),
];

/// A word with a capital letter.
pub(super) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    first + chars.as_str()
}

/// A small picture; a word beside it says the same.
pub(crate) fn icon(name: &str) -> Markup {
    html! { svg class="ico" aria-hidden="true" { use href=(format!("#i-{name}")) {} } }
}

/// What small pictures refer to.
fn icons() -> Markup {
    html! {
        svg hidden aria-hidden="true" {
            @for (name, path) in ICONS { symbol id=(format!("i-{name}")) viewBox="0 0 24 24" { path d=(path) {} } }
        }
    }
}

/// A penguin with a scarf on its floe.
pub(super) const LOGO: &str = r##"<svg viewBox="0 0 48 48" aria-hidden="true"><path d="M2 29 12 13h24l10 16-10 16H12z" fill="#7fb6d6"/><path d="M2 26 12 10h24l10 16-10 16H12z" fill="#eef8fd" stroke="#a9d3ea" stroke-width="1.5" stroke-linejoin="round"/><path d="M11 42c-1-9 1-13 3-18C14 13 18 5 24 5s10 8 10 19c2 5 4 9 3 18z" fill="#2a313a"/><path d="M24 21c2-4 8-2 8-8 0-3-2-5-4-5s-3 2-4 2-2-2-4-2-4 2-4 5c0 6 6 4 8 8zM24 25c-6 0-9 7-9 17h18c0-10-3-17-9-17z" fill="#fff"/><circle cx="20" cy="13" r="1.8" fill="#15232c"/><circle cx="28" cy="13" r="1.8" fill="#15232c"/><path d="M20 16q4-2 8 0-2 5-4 5t-4-5z" fill="#f59a1b" stroke="#a85f05"/><path d="M13 22q11 5 22 0l1 5q-2 1-3 1l1 8-5 1-1-8q-8 1-16-2z" fill="#ffd24a" stroke="#9a6a00"/></svg>"##;

/// A whole page.
pub(crate) fn page(title: &str, look: &Look, body: &Markup) -> Markup {
    let here = look.place.unwrap_or(title);
    html! {
        (DOCTYPE)
        html lang="en" data-theme=[look.theme] {
            (head(title, look))
            body {
                a class="skip" href="#main" { "Skip to content" }
                (top(here, look))
                main class="wrap" id="main" { (body) }
                footer class="foot" id="more" { div class="wrap" {
                    span { "Rookery: one referee for board games between programs and people." }
                    a href="/rules" { "Rules" }
                    a href="/players" { "Players" }
                    a href="/connect" { "Connect a bot" }
                    a href="/docs/api" { "API" }
                    a href="/replay" { "Records" }
                } }
                nav class="tabs" aria-label="Places" {
                    @for (name, path, picture) in TABS {
                        a href=(path) aria-current=[(name == here).then_some("page")] { (icon(picture)) (name) }
                    }
                }
                (icons())
            }
        }
    }
}

/// A page in a frame of others: nothing around it.
pub(crate) fn bare(title: &str, look: &Look, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" { (head(title, look)) body { main class="frame" { (body) } } }
    }
}

fn head(title: &str, look: &Look) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
            meta name="color-scheme" content="light dark";
            @if let Some(seconds) = look.again { noscript { meta http-equiv="refresh" content=(seconds); } }
            title { (title) " · Rookery" }
            link rel="icon" href=(assets::url("icon.svg"));
            link rel="stylesheet" href=(assets::url("style.css"));
            script type="module" src=(assets::url("main.js")) {}
        }
    }
}

fn links(here: &str) -> Markup {
    html! {
        @for (name, path) in PLACES { a href=(path) aria-current=[(name == here).then_some("page")] { (name) } }
    }
}

fn top(here: &str, look: &Look) -> Markup {
    html! {
        header class="top" { div class="wrap" {
            a class="logo" href="/" { (PreEscaped(LOGO)) span { "Rookery" } }
            nav class="nav" aria-label="Main" { (links(here)) }
            div class="me" {
                rk-theme { button class="btn quiet icon" type="button" aria-label="Light or dark" { (icon("moon")) } }
                @match &look.name {
                    Some(name) => a class="btn quiet sm" href="/settings" { (icon("person")) span { (name) } },
                    None => a class="btn quiet sm" href="/login" { (icon("person")) "Sign in" },
                }
            }
        } }
    }
}

/// What went wrong, without blame.
pub(crate) fn error(message: &str, number: &str) -> Markup {
    html! {
        div class="floe stack narrow" {
            span class="lone" { (PreEscaped(LOGO)) }
            h1 { "This page went under" }
            p { (message) }
            p class="dim tiny" { "Request " (number) }
            p { a class="btn" href="/" { "Home" } }
        }
    }
}

/// Signing in, or claiming a name.
pub(crate) fn sign_in(operator: Option<&str>, problem: Option<&str>) -> Markup {
    html! {
        form class="floe stack narrow" method="post" action="/login" {
            h1 { "Your name" }
            @if operator.is_some() { p class="note" { "Whoever signs in here becomes the operator of this server." } }
            @if let Some(problem) = problem { p class="note bad" role="alert" { (problem) } }
            label class="field" { "Name" input name="name" autocomplete="username" maxlength="24" required; }
            label class="field" { "Password"
                input type="password" name="password" autocomplete="current-password" minlength="8" maxlength="200" required;
            }
            @if let Some(token) = operator { input type="hidden" name="operator" value=(token); }
            div class="row" {
                button class="btn primary grow" name="claim" value="false" { "Sign in" }
                button class="btn grow" name="claim" value="true" { "Claim this name" }
            }
        }
    }
}
