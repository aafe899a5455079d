//! Small parts of several pages.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use rookery_rules::{GameSpec, Scene};

use crate::assets;

/// The sheet of the pages around the match, and their scripts.
pub(super) fn extra(scripts: &[&str]) -> Markup {
    html! {
        link rel="stylesheet" href=(assets::url("more.css"));
        @for script in scripts { script type="module" src=(assets::url(script)) {} }
    }
}

/// A word for whoever is no person.
pub(super) fn chip(kind: &str) -> Markup {
    html! {
        @match kind {
            "bot" => span class="chip bot" { "bot" },
            "built-in" => span class="chip computer" { "computer" },
            _ => {},
        }
    }
}

/// Somebody, with a link to what is known of them.
pub(super) fn who(name: &str, kind: &str) -> Markup {
    html! { span class="who" { a href=(player_path(name)) { (name) } (chip(kind)) } }
}

/// The address of somebody's page.
pub(crate) fn player_path(name: &str) -> String {
    format!("/p/{}", path_part(name))
}

/// A name as a part of an address.
pub(super) fn path_part(name: &str) -> String {
    let mut part = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            part.push(char::from(byte));
        } else {
            let _ = write!(part, "%{byte:02X}");
        }
    }
    part
}

/// A table that scrolls by itself where there is little room.
pub(super) fn scroll(label: &str, table: &Markup) -> Markup {
    html! { div class="scroll-x" tabindex="0" role="region" aria-label=(label) { (table) } }
}

/// A small board that only shows; pictures on one page need different prefixes.
pub(super) fn still(scene: &Scene, prefix: &str) -> Markup {
    html! { div class="board" { (PreEscaped(super::watch::still(scene, None, prefix))) } }
}

/// The beginning of a game, as a small board.
pub(super) fn beginning(spec: &str, prefix: &str) -> Option<Markup> {
    let spec = GameSpec::parse(spec).ok()?;
    let start = rookery_catalog::game(&spec.game).ok()?.start(&spec).ok()?;
    Some(still(&start.scene(), prefix))
}

/// The name of a game for people, from its spec.
pub(super) fn title_of(spec: &str) -> &str {
    let name = spec.split(':').next().unwrap_or_default();
    rookery_catalog::game(name).map_or(name, |game| game.title())
}

/// How many, in words: `1 game`, `2 games`.
pub(super) fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// What is left on a clock, as scripts write it too: `4:59`, `1:00:00`.
pub(super) fn clock(ms: u64) -> String {
    let seconds = ms.div_ceil(1000);
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") }
}

/// Points as people write them: `2½`.
pub(super) fn points(points: f64) -> String {
    // An empty sum is minus nothing.
    let points = points + 0.0;
    let halves = (points * 2.0).round();
    if (points * 2.0 - halves).abs() > 1e-6 {
        return format!("{points:.2}");
    }
    match (halves / 2.0).floor() {
        whole if halves % 2.0 == 0.0 => format!("{whole}"),
        0.0 => "½".to_owned(),
        whole => format!("{whole}½"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_names_as_people_and_addresses_have_them() {
        let said: Vec<String> = [-0.0, 0.5, 1.0, 2.5, 1.0 / 3.0].into_iter().map(points).collect();
        assert_eq!(said, ["0", "½", "1", "2½", "0.33"]);
        assert_eq!(path_part("level:3/ä?"), "level%3A3%2F%C3%A4%3F");
        assert_eq!([0, 59_001, 299_999, 3_600_000].map(clock), ["0:00", "1:00", "5:00", "1:00:00"]);
        assert_eq!((count(1, "game"), count(2, "game")), ("1 game".to_owned(), "2 games".to_owned()));
    }
}
