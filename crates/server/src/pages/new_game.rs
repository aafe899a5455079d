//! A new game: four steps, all with defaults. Everything is a plain form; a script only redraws it sooner.

use maud::{Markup, PreEscaped, html};
use rookery_catalog::{AnyGame, CATALOG};
use rookery_rules::{GameSpec, Key, Kind as KeyKind};

use super::home::{STARTS, piece, prefix};
use super::matches::{copied, time};
use super::shell::{capital, icon};
use super::watch::still;
use crate::bots::BotData;

/// What is wrong with what somebody wants, and where.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// `game`, `seats` or `time`.
    pub(crate) field: String,
    /// What, and what to do.
    pub(crate) text: String,
}

/// What the page of a new game shows.
pub(crate) struct NewGame {
    /// The game.
    pub(crate) game: &'static dyn AnyGame,
    /// The spec, as far as it was understood.
    pub(crate) spec: GameSpec,
    /// The shortest spec that means the same, or what was written.
    pub(crate) text: String,
    /// The board, if there is one.
    pub(crate) picture: Option<String>,
    /// How many cells it has.
    pub(crate) n_cells: usize,
    /// What the game calls the seats.
    pub(crate) labels: Vec<String>,
    /// Who is to sit there.
    pub(crate) seats: Vec<String>,
    /// The time control.
    pub(crate) time: String,
    /// Whether there are neither hints nor take-backs.
    pub(crate) is_strict: bool,
    /// What whoever looks is called.
    pub(crate) me: Option<String>,
    /// Whether it has claimed that name.
    pub(crate) is_person: bool,
    /// The bots that are connected.
    pub(crate) bots: Vec<BotData>,
    /// What is wrong.
    pub(crate) problem: Option<Problem>,
}

/// Time controls that are offered.
const TIMES: [(&str, &str, &str); 4] = [
    ("untimed", "None", "As long as you like."),
    ("1m+0s", "1 min", "1 minute each for the whole game."),
    ("5m+3s", "5 + 3", "5 minutes each, and 3 seconds more after every move."),
    ("15m+10s", "15 + 10", "15 minutes each, and 10 seconds more after every move."),
];
/// How many keys stand outside of "all settings".
const MOST_KNOBS: usize = 3;
/// How many boards are offered.
const MOST_PRESETS: usize = 3;
/// Where random choices come from; it is shuffled, not typed.
const SEED: &str = "seed";

/// The page of a new game.
pub(crate) fn new_game(data: &NewGame) -> Markup {
    html! {
        h1 { "New game" }
        div class="sr" aria-hidden="true" { @for start in STARTS.iter() { (PreEscaped(start)) } }
        rk-new-game data-spec=(data.text) data-seats=(data.seats.join(",")) data-time=(data.time) {
            form class="newgame" method="get" action="/new" {
                div {
                    // Enter in a field is a click on the first button that sends the form: not the one that shuffles.
                    button class="sr" type="submit" tabindex="-1" aria-hidden="true" data-enter { "Show this board" }
                    input type="hidden" name="game" value=(data.game.name());
                    (step(1, "Game", &games(data)))
                    (step(2, "Board", &boards(data)))
                    (step(3, "Seats", &seats(data)))
                    (step(4, "Clock", &clock(data)))
                }
                (side(data))
            }
        }
    }
}

fn step(number: usize, title: &str, body: &Markup) -> Markup {
    html! {
        fieldset class="step" {
            span class="hex" aria-hidden="true" { (number) }
            div class="stack tight" { legend class="h2" { (title) } (body) }
        }
    }
}

/// What is wrong in a step, under its fields.
fn problem(data: &NewGame, field: &str) -> Markup {
    html! {
        div data-live=(format!("problem-{field}")) {
            @if let Some(problem) = data.problem.as_ref().filter(|problem| problem.field == field) {
                p class="problem" role="alert" tabindex="-1" id="problem" { (problem.text) }
            }
        }
    }
}

fn games(data: &NewGame) -> Markup {
    html! {
        nav class="choices" aria-label="Games" {
            @for game in CATALOG {
                a class="choice" href=(format!("/new?spec={}", game.name())) aria-current=[(game.name() == data.game.name()).then_some("true")] {
                    span class="coin" { (piece(&prefix(game.name()), 0)) }
                    span { (game.title()) }
                }
            }
        }
    }
}

fn boards(data: &NewGame) -> Markup {
    let keys = data.game.keys();
    let is_knob =
        |key: &&Key| matches!(key.kind, KeyKind::Number(min, max) if max - min <= 200) && key.name != SEED;
    let knobs: Vec<&Key> = keys.iter().filter(is_knob).take(MOST_KNOBS).collect();
    let is_other = |key: &&Key| !knobs.iter().any(|knob| knob.name == key.name);
    html! {
        (presets(data))
        div class="knobs" {
            @for key in &knobs { (stepper(key, &value(data, key))) }
            @if keys.iter().any(|key| key.name == SEED) {
                div class="field" { span { "Other board" }
                    button class="btn" type="submit" name="shuffle" value="1" { (icon("shuffle")) "Shuffle" }
                }
            }
        }
        details class="all" {
            summary { "All settings of " (data.game.title()) }
            div class="settings" { @for key in keys.iter().filter(is_other) { (setting(key, &value(data, key))) } }
        }
        (problem(data, "game"))
        noscript { p { button class="btn sm" type="submit" { "Show this board" } } }
    }
}

/// What a key is set to.
fn value(data: &NewGame, key: &Key) -> String {
    let given = data.spec.options.iter().find(|(name, _)| name == key.name);
    given.map_or_else(|| key.default.to_owned(), |(_, value)| value.clone())
}

fn stepper(key: &Key, value: &str) -> Markup {
    let KeyKind::Number(min, max) = key.kind else { return html! {} };
    let name = format!("k.{}", key.name);
    html! {
        div class="field" {
            label for=(name) { (capital(key.name).replace('-', " ")) }
            div class="stepper" {
                button type="button" data-step="-1" aria-label=(format!("Fewer: {}", key.name)) { "−" }
                input class="num" type="number" id=(name) name=(name) value=(value) min=(min) max=(max) inputmode="numeric";
                button type="button" data-step="1" aria-label=(format!("More: {}", key.name)) { "+" }
            }
        }
    }
}

fn setting(key: &Key, value: &str) -> Markup {
    let name = format!("k.{}", key.name);
    let words: &[&str] = match key.kind {
        KeyKind::Word(words) => words,
        KeyKind::Flag => &["yes", "no"],
        _ => &[],
    };
    html! {
        div class="field" {
            label for=(name) { (capital(key.name).replace('-', " ")) }
            @if words.is_empty() {
                input type="text" id=(name) name=(name) value=(value) maxlength="400" autocomplete="off" spellcheck="false";
            } @else {
                select id=(name) name=(name) { @for word in words { option value=(word) selected[*word == value] { (word) } } }
            }
            span class="help" { (key.help) " (" (key.kind) ")" }
        }
    }
}

/// Some boards as pictures.
fn presets(data: &NewGame) -> Markup {
    let mut specs = vec![data.game.name().to_owned()];
    for bench in data.game.benches() {
        if !specs.contains(&bench) {
            specs.push(bench);
        }
    }
    let mut boards: Vec<(&String, rookery_rules::Scene)> = vec![];
    for text in &specs {
        let Some(start) = GameSpec::parse(text).ok().and_then(|spec| data.game.start(&spec).ok()) else {
            continue;
        };
        let scene = start.scene();
        // What looks the same is offered once.
        if !boards.iter().any(|(_, other)| other.cells == scene.cells && other.pieces == scene.pieces) {
            boards.push((text, scene));
        }
    }
    let is_it = |text: &str| {
        let bare = |text: &str| {
            text.split([':', ','])
                .filter(|part| !part.starts_with("seed="))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let canonical = GameSpec::parse(text).ok().and_then(|spec| data.game.canonical(&spec).ok());
        canonical.is_some_and(|canonical| bare(&canonical) == bare(&data.text))
    };
    html! {
        div class="presets" {
            @for (idx, (text, scene)) in boards.iter().take(MOST_PRESETS).enumerate() {
                @let options = text.split_once(':').map_or("", |(_, options)| options);
                a class="preset" href=(format!("/new?spec={text}")) aria-current=[is_it(text).then_some("true")] {
                    div class="board" { (PreEscaped(still(scene, None, &format!("b{idx}-")))) }
                    b { (board_name(options)) }
                    span class="tiny dim" { (scene.cells.len()) " cells" }
                }
            }
        }
    }
}

/// What the options of a game spec are called: `8 × 8`, `Classic`, `Players 3`.
fn board_name(options: &str) -> String {
    let pairs: Vec<(&str, &str)> = options.split(',').filter_map(|option| option.split_once('=')).collect();
    let value = |key: &str| pairs.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    let size = value("rows").zip(value("cols")).map(|(rows, cols)| format!("{rows} × {cols}"));
    let others = pairs.iter().filter(|(key, _)| size.is_none() || !["rows", "cols"].contains(key));
    // A word says what it is by itself, and a number does not.
    let others = others.map(|(key, value)| {
        let is_word = value.starts_with(char::is_alphabetic);
        if is_word { (*value).to_owned() } else { format!("{key} {value}") }
    });
    let name = size.clone().into_iter().chain(others).collect::<Vec<_>>().join(", ");
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Usual".to_owned(),
    }
}

fn seats(data: &NewGame) -> Markup {
    html! {
        div data-live="seats" {
            ul class="seatrows" {
                @for (idx, label) in data.labels.iter().enumerate() {
                    @let chosen = data.seats.get(idx).map_or("medium", String::as_str);
                    li {
                        span class="coin" { (piece("rk-", idx)) }
                        label class="sr" for=(format!("s{idx}")) { "Seat " (idx + 1) ", " (label) }
                        (sitters(data, idx, chosen))
                        span class="tiny dim hide-phone" {
                            @if idx == 0 { "begins" } @else if chosen == "friend" { "gets a link when you start" } @else { (label) }
                        }
                    }
                }
            }
        }
        p class="tiny dim" { "Any mix of people, computers and bots. Bots are always marked as bots." }
        (problem(data, "seats"))
    }
}

fn sitters(data: &NewGame, seat: usize, chosen: &str) -> Markup {
    let me = data.me.as_ref().map_or_else(|| "You".to_owned(), |name| format!("You ({name})"));
    let plays = |bot: &&BotData| {
        bot.games.as_ref().is_none_or(|games| games.iter().any(|game| game == data.game.name()))
    };
    let bots: Vec<&BotData> = data.bots.iter().filter(plays).collect();
    let simple = ["easy", "medium", "hard"];
    let players = data.game.players();
    let others = players.iter().filter(|player| !simple.contains(&player.name));
    let choice =
        |value: &str, name: &str| html! { option value=(value) selected[value == chosen] { (name) } };
    let known = ["me", "friend"].contains(&chosen)
        || players.iter().any(|player| player.name == chosen)
        || bots.iter().any(|bot| chosen.strip_prefix('@') == Some(&bot.name));
    html! {
        select id=(format!("s{seat}")) name=(format!("s{seat}")) {
            (choice("me", &me))
            (choice("friend", "A friend, by link"))
            optgroup label="Computers" {
                @for name in simple { (choice(name, &format!("{} (computer)", capital(name)))) }
            }
            @if !bots.is_empty() {
                optgroup label="Connected bots" {
                    @for bot in &bots {
                        @let busy = if bot.playing { ", plays now" } else { "" };
                        (choice(&format!("@{}", bot.name), &format!("{} (bot{busy})", bot.name)))
                    }
                }
            }
            optgroup label="More computers" {
                @for player in others { (choice(player.name, &format!("{}: {}", player.name, player.summary))) }
            }
            @if !known { (choice(chosen, chosen)) }
        }
    }
}

fn clock(data: &NewGame) -> Markup {
    let known = TIMES.iter().find(|(value, ..)| *value == data.time);
    html! {
        div class="seg tc" {
            @for (value, name, _) in TIMES {
                label { input type="radio" name="time" value=(value) checked[value == data.time]; (name) }
            }
            label { input type="radio" name="time" value="other" checked[known.is_none()]; "Other" }
        }
        label class="field other" { span class="help" { "10m+5s for the game and added after each move, 30s/5m a move and a bank, 30s a move" }
            input type="text" name="other" value=(if known.is_none() { data.time.as_str() } else { "" }) maxlength="40" placeholder="10m+5s" aria-label="Another time control";
        }
        p class="tiny dim" data-live="time" { (known.map_or("", |(.., note)| note)) }
        label class="switch" { input type="checkbox" name="strict" value="1" checked[data.is_strict]; "Rated: no hints, no take-backs." }
        p class="tiny dim" data-live="rated" { (counts(data)) }
        (problem(data, "time"))
    }
}

/// Whether the game will count, said before it begins.
fn counts(data: &NewGame) -> String {
    let is_person = |seat: &String| seat == "me" || seat == "friend";
    let is_guest = |seat: &String| is_person(seat) || seat.starts_with('@');
    let twice = |(idx, seat): (usize, &String)| seat != "friend" && data.seats[..idx].contains(seat);
    if !data.is_strict && data.seats.iter().any(is_person) {
        "Casual: hints and take-backs are on, and no rating changes.".to_owned()
    } else if !data.seats.iter().any(is_guest) {
        "Not rated: only computers play.".to_owned()
    } else if data.seats.iter().enumerate().any(twice) {
        "Not rated: somebody plays twice.".to_owned()
    } else if data.seats.iter().any(|seat| seat == "me") && !data.is_person {
        "Not rated: you have no name. Sign in or claim one, and it counts.".to_owned()
    } else if data.seats.iter().any(|seat| seat == "friend") {
        format!("It counts for the ladder of {}, if whoever comes has a name too.", data.game.title())
    } else {
        format!("It counts for the ladder of {}.", data.game.title())
    }
}

fn side(data: &NewGame) -> Markup {
    let names: Vec<&str> = data
        .seats
        .iter()
        .map(|seat| match seat.as_str() {
            "me" => "you",
            "friend" => "a friend",
            other => other,
        })
        .collect();
    let command: Vec<&str> =
        data.seats.iter().map(|seat| if seat == "me" || seat == "friend" { "human" } else { seat }).collect();
    let clock = if data.time == "untimed" { String::new() } else { format!(" --time {}", data.time) };
    html! {
        aside class="preview" aria-label="Preview" {
            div data-live="board" {
                @match &data.picture {
                    Some(picture) => div class="board" { (PreEscaped(picture)) },
                    None => p class="note bad" { "There is no such board." },
                }
            }
            div class="floe stack" {
                div data-live="sum" class="stack tight" {
                    dl class="facts" {
                        dt { "Game" } dd { (data.game.title()) ", " (data.n_cells) " cells" }
                        dt { "Players" } dd { (names.join(", ")) }
                        dt { "Clock" } dd { (time(&data.time)) }
                        dt { "Counts" } dd { (counts(data)) }
                    }
                    (copied("The game spec", &data.text))
                    (copied("The same at the terminal", &format!("rookery play {}{clock} {}", data.text, command.join(" "))))
                }
                div class="startbar" { button class="btn primary big" type="submit" formmethod="post" { "Start game" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_called_by_size_or_word() {
        for (options, name) in [
            ("", "Usual"),
            ("rows=8,cols=7", "8 × 7"),
            ("board=classic", "Classic"),
            ("players=3", "Players 3"),
            ("cols=5,players=4,rows=5", "5 × 5, players 4"),
        ] {
            assert_eq!(board_name(options), name);
        }
    }
}
