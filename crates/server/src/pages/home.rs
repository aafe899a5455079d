//! Where people begin: all games, and what runs now.

use std::sync::LazyLock;

use maud::{Markup, PreEscaped, html};
use rookery_catalog::{AnyGame, CATALOG};
use rookery_rules::GameSpec;

use super::parts::{title_of, who};
use super::shell::{LOGO, capital, icon};
use super::watch::{Card, featured, small_board, still};
use crate::api::LadderData;

/// A tournament, in a line.
#[derive(Clone, Debug)]
pub(crate) struct Cup {
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// Its games, in words.
    pub(crate) games: String,
    /// How far it is, in a word.
    pub(crate) state: &'static str,
}

/// A match that is over, in a line.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    /// Its id.
    pub(crate) id: String,
    /// The game's name for people.
    pub(crate) game: String,
    /// Who played, and whether they won.
    pub(crate) players: Vec<(String, bool)>,
}

/// What the home page shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Home {
    /// Some that run, the most watched first.
    pub(crate) live: Vec<Card>,
    /// How many run in all.
    pub(crate) n_live: usize,
    /// The best of the last that are over, to be shown again when none runs: its id, and a picture of its end.
    pub(crate) again: Option<(String, String)>,
    /// Some that are over.
    pub(crate) last: Vec<Past>,
    /// Some tournaments.
    pub(crate) cups: Vec<Cup>,
    /// The bots that are connected.
    pub(crate) n_bots: usize,
    /// The game with the longest ladder, and its first places.
    pub(crate) ladder: Option<(&'static str, Vec<LadderData>)>,
    /// The puzzle of the day, if it is found by now: its game, who is to move and in how many moves, and its board.
    pub(crate) puzzle: Option<(String, String)>,
    /// A game of a tournament that waits for whoever looks.
    pub(crate) mine: Option<String>,
}

/// How far each game has come in its picture: far enough to see what it is about.
const PLIES: usize = 14;

/// Each game in the middle, drawn once.
pub(super) static STARTS: LazyLock<Vec<String>> =
    LazyLock::new(|| CATALOG.iter().map(|game| start(*game, &prefix(game.name()))).collect());
/// The first of them again, with ids of its own: it stands twice on the page.
static FIRST: LazyLock<String> =
    LazyLock::new(|| CATALOG.first().map(|game| start(*game, "hero-")).unwrap_or_default());

fn start(game: &dyn AnyGame, prefix: &str) -> String {
    let position = GameSpec::parse(game.name()).ok().and_then(|spec| game.start(&spec).ok());
    let Some(mut position) = position else { return String::new() };
    for ply in 0..PLIES {
        let moves = position.moves();
        let mut next = position.boxed_clone();
        // Some of them, the same each time.
        let played = moves.get((7 * ply + 3) % moves.len().max(1)).is_some_and(|mv| next.play(mv).is_ok());
        if !played || next.moves().is_empty() {
            break;
        }
        position = next;
    }
    let mut scene = position.scene();
    scene.moves.clear();
    still(&scene, None, prefix)
}

/// The prefix of the ids in the picture of a game.
pub(super) fn prefix(game: &str) -> String {
    format!("{game}-")
}

/// The home page.
pub(crate) fn home(data: &Home, levels: &[&str]) -> Markup {
    html! {
        @if let Some(game) = &data.mine {
            p class="note good row between" role="status" { b { "Your game of a tournament is on." } a class="btn primary" href=(format!("/m/{game}")) { "To your game" } }
        }
        section class="hero" {
            div class="stack" {
                h1 { "Board games for people and programs." }
                p class="lead" { "Play a friend, a computer, or a bot you wrote. One fair referee for all of them." }
                (begin(levels))
            }
            @match (data.live.first(), &data.again) {
                (Some(card), _) => (featured(card)),
                (None, Some((id, svg))) => (reel(id, svg)),
                (None, None) => div class="board" { (PreEscaped(FIRST.as_str())) },
            }
        }
        section {
            div class="head" { h2 { "The games" } a href="/rules" { "All rules" } }
            ul class="cards games" {
                @for (game, start) in CATALOG.iter().zip(STARTS.iter()) { li { (game_card(*game, start)) } }
            }
        }
        @if data.live.len() > 1 {
            section {
                div class="head" { h2 { "Live now" } a href="/watch" { "Watch all " (data.n_live) } }
                rk-live src="/api/v1/live" { ul class="cards strip" { @for card in &data.live[1..] { (small_board(card)) } } }
            }
        }
        section class="cols" {
            (cups(&data.cups))
            @match &data.ladder { Some((game, list)) => (ladder(game, list)), None => (last(&data.last)) }
            (aside(data))
        }
    }
}

fn game_card(game: &dyn AnyGame, start: &str) -> Markup {
    html! {
        a class="floe game" href=(format!("/new?spec={}", game.name())) {
            div class="board" { (PreEscaped(start)) }
            div class="text" {
                h3 { (game.title()) }
                p class="dim" { (capital(game.summary())) "." }
                p class="tiny" { b { (game.seats()) " players" } }
            }
        }
    }
}

/// A match that is over, shown again.
fn reel(id: &str, svg: &str) -> Markup {
    html! {
        rk-reel class="featured" match=(id) {
            div class="row between ribbon" { span class="chip" { "Replay" } }
            rk-board mode="still" turn="no" prefix="hero-" { div class="board" { (PreEscaped(svg)) } }
            div class="row between vs" {
                span class="dim" { "Nothing runs at the moment; this was played last." }
                a class="btn" href=(format!("/m/{id}")) { "Look at it" }
            }
        }
    }
}

/// The form that begins a match of any game.
fn begin(levels: &[&str]) -> Markup {
    html! {
        form class="floe stack quick" method="post" action="/new" {
            @if let Some(game) = CATALOG.first() {
                span class="peek" aria-hidden="true" { @for seat in [1, 0] { (piece(&prefix(game.name()), seat)) } }
            }
            fieldset {
                legend { "Game" }
                div class="choices" {
                    @for (idx, game) in CATALOG.iter().enumerate() {
                        label class="choice" {
                            input type="radio" name="game" value=(game.name()) checked[idx == 0];
                            span class="coin" { (piece(&prefix(game.name()), 0)) }
                            span { (game.title()) }
                        }
                    }
                }
            }
            (levels_choice(levels, true))
            button class="btn primary big" type="submit" { (icon("play")) "Play now" }
            p class="dim tiny mid" { "No account needed. " a href="/new" { "More choices" } }
        }
    }
}

/// A seat's piece, as a board on the same page draws it.
pub(super) fn piece(prefix: &str, seat: usize) -> Markup {
    html! {
        svg viewBox="-50 -50 100 100" class="rk" aria-hidden="true" { use href=(format!("#{prefix}p{seat}")) {} }
    }
}

/// Whom to play against.
fn levels_choice(levels: &[&str], or_a_friend: bool) -> Markup {
    html! {
        fieldset {
            legend { "Against" }
            div class="seg full" {
                @for level in levels {
                    label { input type="radio" name="level" value=(level) checked[*level == "medium"]; (capital(level)) }
                }
                @if or_a_friend { label { input type="radio" name="level" value="friend"; "A friend" } }
            }
        }
    }
}

/// A form that begins a match of one game.
pub(crate) fn play_form(game: &str, levels: &[&str]) -> Markup {
    html! {
        form class="floe stack" method="post" action="/new" {
            input type="hidden" name="game" value=(game);
            (levels_choice(levels, false))
            button class="btn primary big" type="submit" { (icon("play")) "Play now" }
        }
    }
}

fn cups(cups: &[Cup]) -> Markup {
    html! {
        div class="floe flush" {
            div class="bar" { h2 { "Tournaments" } a href="/t" { "All" } }
            @if cups.is_empty() { p class="pad dim" { "None runs. " a href="/t/new" { "Begin one" } } }
            ul class="list" {
                @for cup in cups {
                    li { a href=(format!("/t/{}", cup.id)) {
                        span { b { (cup.name) } br; span class="dim tiny" { (cup.games) } }
                        @match cup.state {
                            "running" => span class="live" { "Live" },
                            "open" => span class="chip good" { "sign-up open" },
                            state => span class="chip" { (state) },
                        }
                    } }
                }
            }
        }
    }
}

fn last(list: &[Past]) -> Markup {
    html! {
        div class="floe flush" {
            div class="bar" { h2 { "Played last" } a href="/players" { "Ladder" } }
            @if list.is_empty() { p class="pad dim" { "Nothing yet." } }
            ul class="list" {
                @for past in list {
                    li { a href=(format!("/m/{}", past.id)) {
                        span { @for (idx, (name, won)) in past.players.iter().enumerate() {
                            @if idx > 0 { " – " }
                            @if *won { b { (name) } } @else { (name) }
                        } }
                        span class="dim tiny" { (past.game) }
                    } }
                }
            }
        }
    }
}

/// The first places of a game's ladder.
fn ladder(game: &str, list: &[LadderData]) -> Markup {
    html! {
        div class="floe flush" {
            div class="bar" { h2 { "Ladder" } a href=(format!("/players?game={game}")) { (title_of(game)) } }
            table class="table" {
                thead { tr { th { "#" } th { "Player" } th class="num" { "Rating" } } }
                tbody { @for one in list { tr {
                    td class="num" { (one.place) }
                    th scope="row" { (who(&one.entrant.name, one.entrant.kind)) }
                    td class="num" { (format!("{:.0}", one.rating)) span class="dim" { " ± " (format!("{:.0}", one.error)) } }
                } } }
            }
        }
    }
}

fn aside(data: &Home) -> Markup {
    let n_bots = data.n_bots;
    html! {
        div class="stack" {
            a class="floe card-link" href="/puzzle" {
                h2 { "Puzzle of the day" }
                @match &data.puzzle {
                    Some((said, board)) => { div class="board" { (PreEscaped(board)) } p { (said) } },
                    None => p { "One position, one winning move. It is proved." },
                }
                b { "Try it →" }
            }
            a class="floe card-link bots" href="/connect" {
                (PreEscaped(LOGO))
                h2 { "Bring a bot" }
                p { "Any language, five minutes. Copy the code, run it, and watch it play." }
                @if n_bots > 0 { p class="live good" { (n_bots) @if n_bots == 1 { " bot is" } @else { " bots are" } " connected" } }
                b { "Connect a bot →" }
            }
        }
    }
}
