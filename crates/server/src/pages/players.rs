//! Who is strongest, and what is known of somebody.

use maud::{Markup, html};
use rookery_catalog::CATALOG;

use super::parts::{chip, count, extra, path_part, scroll, title_of, who};
use crate::accuracy::AccuracyData;
use crate::api::{LadderData, StrengthData, VersionData};
use crate::dates;
use crate::ladders::{LEAST_GAMES, Point};

/// The ladder of a game; not whole while older games are still read.
pub(crate) fn ladder(game: &str, list: &[LadderData], is_whole: bool) -> Markup {
    let table = html! {
        table class="table" {
            thead { tr { th { "#" } th { "Player" } th class="num" { "Rating" } th class="num" { "Games" } } }
            tbody {
                @for one in list {
                    tr {
                        td class="num" { (one.place) }
                        th scope="row" { (who(&one.entrant.name, one.entrant.kind)) }
                        td class="num" { b { (format!("{:.0}", one.rating)) } span class="dim" { " ± " (format!("{:.0}", one.error)) } }
                        td class="num" { (one.games) }
                    }
                }
            }
        }
    };
    html! {
        (extra(&[]))
        div class="hd" { h1 { "Players" } div class="end" { a class="btn" href="/connect" { "Connect a bot" } } }
        nav class="nav games" aria-label="Games" {
            @for known in CATALOG {
                a href={ "/players?game=" (known.name()) } aria-current=[(known.name() == game).then_some("page")] { (known.title()) }
            }
        }
        @if !is_whole {
            p class="note" role="status" { "Older games are still being read. Load this page again in a moment for the ratings of all of them." }
        }
        @if list.is_empty() {
            div class="floe stack narrow" {
                p { "Nobody is rated in " (title_of(game)) " yet." }
                p class="dim" { "A rating needs " (LEAST_GAMES) " rated games: games of a tournament, or games without take-backs and hints." }
                p { a class="btn primary" href="/t/new" { "Start a tournament" } }
            }
        } @else {
            section class="floe flush" { (scroll("Ladder", &table)) }
            p class="dim tiny under-table" { "The true strength lies within ± of the rating, 19 times out of 20. Under " (LEAST_GAMES) " games nobody is listed." }
        }
        form class="row find" action="/players" {
            input type="hidden" name="game" value=(game);
            label class="field" { "Find a player" input name="name" maxlength="120" required; }
            button class="btn" { "Look" }
        }
    }
}

/// One opponent, with what somebody has against it.
#[derive(Clone, Debug)]
pub(crate) struct Opponent {
    /// Its name and kind.
    pub(crate) name: String,
    /// `person`, `bot` or `built-in`.
    pub(crate) kind: &'static str,
    /// Won, drew, lost.
    pub(crate) tally: [u64; 3],
}

/// A match, as the page of a player lists it.
#[derive(Clone, Debug)]
pub(crate) struct PlayedMatch {
    /// Its id.
    pub(crate) id: String,
    /// The game spec.
    pub(crate) game: String,
    /// The others.
    pub(crate) against: String,
    /// `won`, `drew`, `lost` or `no result`.
    pub(crate) result: &'static str,
    /// The word of its own fault, if it lost by one.
    pub(crate) fault: Option<&'static str>,
    /// How many moves.
    pub(crate) plies: u64,
}

/// What is known of somebody.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    /// Its name.
    pub(crate) name: String,
    /// `person`, `bot` or `built-in`.
    pub(crate) kind: &'static str,
    /// Since when it is known.
    pub(crate) since_ms: i64,
    /// For a bot: whether it is connected, and whether it plays.
    pub(crate) connected: Option<bool>,
    /// All matches.
    pub(crate) n_matches: u64,
    /// Of how many of them everything below is.
    pub(crate) n_read: u64,
    /// Won, drew, lost.
    pub(crate) tally: [u64; 3],
    /// Matches lost by fault, by its word.
    pub(crate) faults: Vec<(&'static str, u64)>,
    /// How near to perfect play, where that is known.
    pub(crate) accuracy: Option<AccuracyData>,
    /// The versions of a bot, the latest first.
    pub(crate) versions: Vec<VersionData>,
    /// By game.
    pub(crate) strengths: Vec<StrengthData>,
    /// The game whose strength is shown.
    pub(crate) game: String,
    /// Whom it met most.
    pub(crate) opponents: Vec<Opponent>,
    /// The last matches.
    pub(crate) matches: Vec<PlayedMatch>,
}

/// The page of somebody.
pub(crate) fn player(data: &Player) -> Markup {
    let shown = data.strengths.iter().find(|strength| strength.game == data.game).or(data.strengths.first());
    html! {
        (extra(&[]))
        div class="hd" {
            div {
                h1 { (data.name) (chip(data.kind)) }
                p class="dim" { "Here since " (dates::day(data.since_ms))
                    @match data.connected {
                        Some(true) => { " · " span class="chip" { "online, plays now" } },
                        Some(false) => { " · " span class="chip good" { "online, free to play" } },
                        None if data.kind == "bot" => " · not connected",
                        None => {},
                    }
                    @if let Some(version) = data.versions.first() { " · version " (name_of(version)) }
                }
            }
            @if data.kind == "built-in" || data.connected.is_some() { (play_against(data)) }
        }
        (stats(data, shown))
        div class="cols" {
            div class="stack" {
                @if let Some(strength) = shown { (rating_card(data, strength)) }
                @if !data.opponents.is_empty() { (opponents(&data.opponents)) }
            }
            div class="stack" {
                (matches(data))
                @if !data.versions.is_empty() { (versions(&data.versions)) }
            }
        }
    }
}

/// What a version is called; its content where its author has not named it.
fn name_of(version: &VersionData) -> &str {
    if version.label.is_empty() { version.sha256.get(..12).unwrap_or_default() } else { &version.label }
}

fn versions(all: &[VersionData]) -> Markup {
    let table = html! {
        table class="table" {
            thead { tr { th { "Version" } th { "Since" } th class="num" { "Games" } th { "Won, drew, lost" } } }
            tbody { @for (idx, one) in all.iter().enumerate() {
                @let games: u64 = one.tally().iter().sum();
                tr class=[(idx == 0).then_some("mine")] {
                    th scope="row" { code class="when" title=(one.sha256) { (name_of(one)) } }
                    td class="when" { (dates::day(one.since_ms)) }
                    td class="num" { (games) }
                    td { @if games > 0 { (bar(one.tally())) } @else { "–" } }
                }
            } }
        }
    };
    html! {
        section class="floe flush" {
            div class="head" { h2 { "Versions" } }
            (scroll("Versions", &table))
            p class="dim tiny under-table" { "A version is its content. Tournaments say which one has played." }
        }
    }
}

fn play_against(data: &Player) -> Markup {
    let seat = if data.kind == "bot" { format!("@{}", data.name) } else { data.name.clone() };
    html! {
        form class="end" method="post" action="/new" {
            input type="hidden" name="level" value=(seat);
            select name="game" aria-label="Game" { @for game in CATALOG { option value=(game.name()) selected[game.name() == data.game] { (game.title()) } } }
            button class="btn primary" { "Play against it" }
        }
    }
}

fn stats(data: &Player, shown: Option<&StrengthData>) -> Markup {
    let [won, drew, lost] = data.tally;
    html! {
        dl class="stats" {
            div class="floe" {
                dt { @match shown { Some(strength) => { (title_of(strength.game)) " rating" }, None => "Rating" } }
                @match shown.and_then(|strength| strength.rating) {
                    Some(point) => { dd { (format!("{:.0}", point.rating)) small { " ± " (format!("{:.0}", point.error)) } }
                        @if let Some((place, of)) = shown.and_then(|strength| strength.place) { dd class="sub" { "place " (place) " of " (of) } } },
                    None => { dd { "not rated yet" } dd class="sub" { (shown.map_or(0, |strength| strength.games)) " of " (LEAST_GAMES) " games that count" } },
                }
            }
            div class="floe" { dt { "Games" } dd { (data.n_matches) } dd class="sub" { (won) " won, " (drew) " drew, " (lost) " lost" @if data.n_read < data.n_matches { " of the last " (data.n_read) } } }
            div class="floe" {
                dt { "Accuracy" }
                @match data.accuracy {
                    Some(known) => { dd { (format!("{:.0} %", known.percent)) } dd class="sub" { "against perfect play, in " (count(known.moves, "move")) " where it is known" } },
                    None => { dd { "–" } dd class="sub" { "too few moves whose worth is proved" } },
                }
            }
            div class="floe" {
                dt { "Lost by fault" } dd { (data.faults.iter().map(|(_, n)| n).sum::<u64>()) }
                dd class="sub" { @if data.faults.is_empty() { "none" } @else { (data.faults.iter().map(|(word, n)| format!("{n} {}", word.replace('_', " "))).collect::<Vec<_>>().join(", ")) } }
            }
        }
    }
}

fn rating_card(data: &Player, strength: &StrengthData) -> Markup {
    html! {
        section class="floe stack" {
            div class="row between" {
                h2 { "Rating" }
                @if data.strengths.len() > 1 {
                    nav class="nav games" aria-label="Games" { @for other in &data.strengths {
                        a href={ "/p/" (path_part(&data.name)) "?game=" (other.game) } aria-current=[(other.game == strength.game).then_some("page")] { (title_of(other.game)) }
                    } }
                }
            }
            @if strength.rating.is_some() && strength.history.len() > 1 {
                figure {
                    div class="hide-phone" { (chart(&strength.history, "plot", 640.0)) }
                    div class="only-phone" { (chart(&strength.history, "plot narrow", 340.0)) }
                }
                p class="dim tiny" { "The band is where the true strength lies, 19 times out of 20. It uses " (count(strength.games, "game")) "." }
                details { summary { "As a table" } (history_table(&strength.history)) }
            } @else {
                p { "Not rated yet: " (strength.games) " of " (LEAST_GAMES) " games that count." }
            }
        }
    }
}

/// At most so many rows of a table.
const MOST_ROWS: usize = 40;

fn history_table(history: &[Point]) -> Markup {
    let step = history.len().div_ceil(MOST_ROWS).max(1);
    let rows: Vec<&Point> = history.iter().rev().step_by(step).collect();
    scroll(
        "Rating over time",
        &html! {
            table class="table" {
                thead { tr { th { "Day" } th class="num" { "Games" } th class="num" { "Rating" } } }
                tbody { @for point in rows { tr {
                    td { (dates::day(point.at_ms)) } td class="num" { (point.games) }
                    td class="num" { (format!("{:.0} ± {:.0}", point.rating, point.error)) }
                } } }
            }
        },
    )
}

/// A step between lines of a grid: 1, 2 or 5 with zeros.
fn grid_step(span: f64) -> f64 {
    let power = 10_f64.powf((span / 5.0).max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|n| n * power)
        .find(|step| span / step <= 5.0)
        .unwrap_or(10.0 * power)
}

/// The rating over games, with its band.
fn chart(history: &[Point], class: &str, width: f64) -> Markup {
    const LEFT: f64 = 46.0;
    const HEIGHT: f64 = 200.0;
    let low = history.iter().map(|point| point.rating - point.error).fold(f64::INFINITY, f64::min);
    let high = history.iter().map(|point| point.rating + point.error).fold(f64::NEG_INFINITY, f64::max);
    let (first, last) = (history[0].games as f64, history[history.len() - 1].games as f64);
    let x = |games: u64| LEFT + (width - LEFT - 8.0) * (games as f64 - first) / (last - first).max(1.0);
    let y = |rating: f64| 8.0 + (HEIGHT - 30.0) * (high - rating) / (high - low).max(1.0);
    let at = |point: &Point, rating: f64| format!("{:.1},{:.1}", x(point.games), y(rating));
    let line: Vec<String> = history.iter().map(|point| at(point, point.rating)).collect();
    let upper = history.iter().map(|point| at(point, point.rating + point.error));
    let lower = history.iter().rev().map(|point| at(point, point.rating - point.error));
    let band: Vec<String> = upper.chain(lower).collect();
    let step = grid_step(high - low);
    let lines =
        (0..12).map(|n| (low / step).ceil() * step + f64::from(n) * step).take_while(|value| *value <= high);
    let now = history[history.len() - 1];
    let title = format!("Rating over {} games, now {:.0} ± {:.0}", now.games, now.rating, now.error);
    html! {
        svg class=(class) viewBox={ "0 0 " (width) " " (HEIGHT) } role="img" aria-label=(title) {
            @for value in lines {
                path class="grid" d={ "M" (LEFT) " " (format!("{:.1}", y(value))) "H" (width - 8.0) } {}
                text class="label tick-y" x=(LEFT - 8.0) y=(format!("{:.1}", y(value) + 4.0)) { (value) }
            }
            polygon class="band" points=(band.join(" ")) {}
            polyline class="line" points=(line.join(" ")) {}
            circle class="point" cx=(format!("{:.1}", x(now.games))) cy=(format!("{:.1}", y(now.rating))) r="5" {}
            text class="tick" x=(LEFT + 20.0) y=(HEIGHT - 6.0) { "game " (first) }
            text class="unit" x=(width - 8.0) y=(HEIGHT - 6.0) { "game " (last) }
        }
    }
}

fn opponents(all: &[Opponent]) -> Markup {
    let table = html! {
        table class="table" {
            thead { tr { th { "Player" } th class="num hide-phone" { "Games" } th { "Won, drew, lost" } th class="num" { "Score" } } }
            tbody { @for one in all {
                @let [won, drew, lost] = one.tally;
                @let games = won + drew + lost;
                tr {
                    th scope="row" { (who(&one.name, one.kind)) }
                    td class="num hide-phone" { (games) }
                    td { (bar(one.tally)) }
                    td class="num" { b { (format!("{:.0} %", 100.0 * (won as f64 + drew as f64 / 2.0) / games.max(1) as f64)) } }
                }
            } }
        }
    };
    html! { section class="floe flush" { div class="head" { h2 { "Opponents" } } (scroll("Opponents", &table)) } }
}

/// Shares as a bar; an SVG, because sizes are data and styles are not allowed in the page.
fn bar(tally: [u64; 3]) -> Markup {
    let all = tally.iter().sum::<u64>().max(1) as f64;
    let mut x = 0.0;
    let parts: Vec<(f64, f64, u64, &str)> = tally
        .into_iter()
        .zip(["bw", "bd", "bl"])
        .map(|(n, class)| {
            let wide = 200.0 * n as f64 / all;
            x += wide;
            (x - wide, wide, n, class)
        })
        .collect();
    html! {
        svg class="wdl" viewBox="0 0 200 22" role="img" aria-label=(format!("{} won, {} drew, {} lost", tally[0], tally[1], tally[2])) {
            @for (x, wide, n, class) in parts.into_iter().filter(|(_, wide, ..)| *wide > 0.0) {
                rect class=(class) x=(format!("{x:.1}")) width=(format!("{wide:.1}")) height="22" {}
                @if wide > 18.0 { text x=(format!("{:.1}", x + wide / 2.0)) y="16" { (n) } }
            }
        }
    }
}

fn matches(data: &Player) -> Markup {
    html! {
        section class="floe flush" {
            div class="head" { h2 { "Games" } span class="dim tiny" { "the last " (data.matches.len()) } }
            @if data.matches.is_empty() { p class="under-table dim" { "No game yet." } }
            ul class="list" { @for one in &data.matches {
                li { a href={ "/m/" (one.id) } {
                    span { b { (title_of(&one.game)) " against " (one.against) } span class="tiny dim block" { (count(one.plies, "move")) } }
                    span class="row" {
                        @if let Some(fault) = one.fault { span class="chip fault" { (fault.replace('_', " ")) } }
                        b class={ "res " (one.result) } { (one.result) }
                    }
                } }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_says_that_older_games_are_still_read() {
        let said = |is_whole| ladder("hexapawn", &[], is_whole).into_string().contains("still being read");
        assert!(said(false) && !said(true));
    }

    #[test]
    fn grids_have_a_few_lines() {
        for span in [0.0, 1.0, 7.0, 38.0, 412.0, 3000.0] {
            let step = grid_step(span);
            assert!(step > 0.0 && span / step <= 5.0, "{span}: {step}");
        }
    }
}
