//! A new tournament: four steps, all with defaults.

use std::time::Duration;

use maud::{Markup, html};
use rookery_catalog::CATALOG;
use rookery_tournament::Plan;

use super::super::parts::{beginning, chip, count, extra, title_of};
use super::opening::bot_name;
use super::{FORMATS, time_words};

/// Somebody who could take part.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// As forms write it: `hard` or `@name`.
    pub(crate) player: String,
    /// What it does, in one line.
    pub(crate) summary: String,
}

/// How much a tournament would be.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    /// How many games and rounds.
    pub(crate) plan: Plan,
    /// How long it takes if everybody uses all its time; `None` without a clock.
    pub(crate) longest: Option<Duration>,
}

/// What the form shows.
#[derive(Clone, Debug)]
pub(crate) struct NewTournament {
    /// The name of the game.
    pub(crate) game: String,
    /// The game spec.
    pub(crate) board: String,
    /// Specs that are offered.
    pub(crate) boards: Vec<String>,
    /// The word of the format.
    pub(crate) format: String,
    /// How many rounds, where that is a choice.
    pub(crate) rounds: u32,
    /// How many games a pairing has.
    pub(crate) games: u64,
    /// How much stronger the first player is, if a test is to say so, in Elo.
    pub(crate) elo: u32,
    /// Who could take part.
    pub(crate) choices: Vec<Choice>,
    /// Who does, the first player first.
    pub(crate) who: Vec<String>,
    /// The time control.
    pub(crate) time: String,
    /// What it is called.
    pub(crate) name: String,
    /// Who may sign up: a word of [`SIGN_UPS`].
    pub(crate) sign_up: String,
    /// Whether they may also come later.
    pub(crate) late: bool,
    /// In how many minutes it begins; 0 when who made it says so.
    pub(crate) starts_in: u32,
    /// By format: how much it would be, or what is wrong.
    pub(crate) plans: Vec<Result<Extent, String>>,
    /// For how many players that is: those who are chosen, or as many as may come.
    pub(crate) players: usize,
    /// What was wrong with what was sent.
    pub(crate) problem: Option<String>,
}

/// Time controls that are offered.
const TIMES: [(&str, &str); 5] = [
    ("untimed", "No clock"),
    ("1s", "1 s a move"),
    ("5s", "5 s a move"),
    ("1m+1s", "1 min + 1 s"),
    ("5m+3s", "5 min + 3 s"),
];

/// Who may sign up before it begins.
pub(crate) const SIGN_UPS: [(&str, &str); 4] =
    [("none", "Nobody"), ("people", "People"), ("bots", "Bots"), ("both", "People and bots")];

/// When one begins for which people sign up, in minutes from now.
const STARTS: [(u32, &str); 7] = [
    (0, "when I say so"),
    (5, "in 5 minutes"),
    (10, "in 10 minutes"),
    (15, "in 15 minutes"),
    (30, "in half an hour"),
    (60, "in an hour"),
    (24 * 60, "in 24 hours"),
];

/// The form.
pub(crate) fn new_tournament(form: &NewTournament) -> Markup {
    html! {
        (extra(&["tournament.js"]))
        h1 { "New tournament" }
        rk-new-tournament { form class="cols new" method="post" action="/t/new" {
            div {
                @if let Some(problem) = &form.problem { p class="note bad" role="alert" { (problem) } }
                (step(1, "Game", &game_step(form)))
                (step(2, "Format", &format_step(form)))
                (step(3, "Who", &who_step(form)))
                (step(4, "Clock and name", &clock_step(form)))
            }
            aside class="aside" { (summary(form)) }
        } }
    }
}

/// A step of a form or of a page, with its number on a floe.
pub(crate) fn step(number: u32, title: &str, body: &Markup) -> Markup {
    html! { section class="step" { span class="hex" aria-hidden="true" { (number) } div class="stack" { h2 { (title) } (body) } } }
}

fn game_step(form: &NewTournament) -> Markup {
    html! {
        fieldset { legend class="sr" { "Game" } div class="choices" {
            @for game in CATALOG {
                label class="choice" {
                    input type="radio" name="game" value=(game.name()) checked[game.name() == form.game];
                    (game.title())
                }
            }
        } }
        div class="knobs" {
            label class="field" { "Board"
                input name="board" value=(form.board) maxlength="500" list="boards" autocomplete="off" spellcheck="false";
            }
            datalist id="boards" data-live="boards" { @for board in &form.boards { option value=(board) {} } }
        }
    }
}

fn format_step(form: &NewTournament) -> Markup {
    html! {
        fieldset class="stack tight" data-live="formats" { legend class="sr" { "Format" }
            @for ((word, title, sentence), plan) in FORMATS.iter().zip(&form.plans) {
                label class="format" {
                    input type="radio" name="format" value=(word) checked[*word == form.format];
                    span { b { (title) } span class="tiny dim" { (sentence) } }
                    span class="tiny dim size" { (size(form.players, plan, true)) }
                }
            }
        }
        div class="knobs" {
            label class="field" { "Rounds (Swiss)" input type="number" name="rounds" value=(form.rounds) min="1" max="50"; }
            label class="field" { "Games a pairing" input type="number" name="games" value=(form.games) min="1" max="100"; }
            label class="field" { "Stronger by (test), in Elo" input type="number" name="elo" value=(form.elo) min="1" max="1000"; }
        }
        p class="tiny dim" { "Two games: the same start twice, seats swapped." }
    }
}

/// `8 players: 7 rounds, 56 games, at most about 40 min`.
fn size(players: usize, extent: &Result<Extent, String>, with_time: bool) -> String {
    match extent {
        Err(_) => "not with these players".to_owned(),
        Ok(Extent { plan, longest }) => {
            let longest = longest.filter(|_| with_time && plan.games.is_some());
            let time = longest.map(|time| format!(", at most about {}", about(time))).unwrap_or_default();
            let games = match plan.games {
                Some(games) if plan.exact => count(games, "game"),
                Some(games) => format!("at most {}", count(games, "game")),
                None => "until it is stopped".to_owned(),
            };
            let rounds = plan
                .rounds
                .map(|rounds| format!("{}, ", count(u64::from(rounds), "round")))
                .unwrap_or_default();
            format!("{}: {rounds}{games}{time}", count(players as u64, "player"))
        }
    }
}

/// A time that is only guessed, with as few figures as it deserves: `40 s`, `15 min`, `3 h`, `2 days`.
fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let rounded = |unit: f64, step: f64| ((seconds / unit / step).ceil() * step).max(step);
    match seconds {
        ..60.0 => format!("{} s", rounded(1.0, 10.0)),
        ..600.0 => format!("{} min", rounded(60.0, 1.0)),
        ..5400.0 => format!("{} min", rounded(60.0, 5.0)),
        ..172_800.0 => format!("{} h", rounded(3600.0, 1.0)),
        _ => format!("{} days", rounded(86_400.0, 1.0)),
    }
}

/// How long it takes, in words.
fn time_said(form: &NewTournament, extent: &Result<Extent, String>) -> String {
    match extent {
        Ok(Extent { longest: Some(time), plan }) if plan.games.is_some() => {
            format!("at most about {}, if all use their clocks", about(*time))
        }
        Ok(_) if form.time == "untimed" => "as long as its players think: there is no clock".to_owned(),
        Ok(_) => "until it is stopped".to_owned(),
        Err(_) => "–".to_owned(),
    }
}

fn who_step(form: &NewTournament) -> Markup {
    html! {
        fieldset class="stack tight" { legend { "Who may sign up?" }
            div class="seg" role="radiogroup" aria-label="Who may sign up" {
                @for (word, title) in SIGN_UPS { label { input type="radio" name="signup" value=(word) checked[word == form.sign_up]; (title) } }
            }
        }
        p class="tiny dim" data-live="signup" {
            @match form.sign_up.as_str() {
                "none" => "Those below take part, and nobody else; it begins at once.",
                "people" => "People enter under their own names and play on this page, one game at a time. Those below take part from the beginning.",
                "bots" => "Whoever has a bot connected can enter it. Those below take part from the beginning.",
                _ => "People are told that bots play too, and say that they want that, before they enter.",
            }
        }
        fieldset class="stack tight" data-live="who" { legend class="sr" { "Who takes part" }
            @for choice in &form.choices {
                label class="check" {
                    input type="checkbox" name="who" value=(choice.player) checked[form.who.contains(&choice.player)];
                    span { b { (bot_name(&choice.player)) } " " (chip(if is_bot(&choice.player) { "bot" } else { "built-in" }))
                        span class="tiny dim" { (choice.summary) } }
                }
            }
            @if !form.choices.iter().any(|choice| is_bot(&choice.player)) {
                p class="tiny dim" { "No bot is connected or uploaded. " a href="/connect" { "Connect one in five minutes" } "." }
            }
        }
        div data-live="first" {
            @if matches!(form.format.as_str(), "gauntlet" | "sprt") && form.who.len() > 1 {
                label class="field" { "First player" select name="first" id="first" {
                    @for (idx, who) in form.who.iter().enumerate() { option value=(who) selected[idx == 0] { (bot_name(who)) } }
                } }
            }
        }
    }
}

/// Whether a choice is no computer.
fn is_bot(player: &str) -> bool {
    bot_name(player) != player
}

fn clock_step(form: &NewTournament) -> Markup {
    let is_other = !TIMES.iter().any(|(time, _)| *time == form.time);
    html! {
        div class="seg" role="radiogroup" aria-label="Clock" {
            @for (time, title) in TIMES { label { input type="radio" name="time" value=(time) checked[time == form.time]; (title) } }
            @if is_other { label { input type="radio" name="time" value=(form.time) checked; (form.time) } }
        }
        div data-live="start" {
            @if form.sign_up != "none" {
                label class="field" { "Begins" select name="start" {
                    @for (minutes, title) in STARTS { option value=(minutes) selected[minutes == form.starts_in] { (title) } }
                } }
                label class="field" { "Latecomers" select name="late" {
                    option value="yes" selected[form.late] { "may enter while it is played, where the format takes them" }
                    option value="no" selected[!form.late] { "may not enter after the start" }
                } }
                @if form.sign_up != "bots" && form.time == "untimed" { p class="note bad" { "People need a clock, so that nobody waits for ever." } }
            }
        }
        label class="field" { "Name" input name="name" value=(form.name) maxlength="60" required; }
    }
}

fn summary(form: &NewTournament) -> Markup {
    let at = FORMATS.iter().position(|(word, ..)| *word == form.format).unwrap_or(0);
    html! {
        div data-live="sum" class="stack" {
            @if let Some(board) = beginning(&form.board, "new-") { (board) }
            @else { p class="note bad" { (crate::api::problem_of(&form.board).unwrap_or_default()) } }
            section class="floe stack" {
                h2 { "What it will be" }
                dl class="sum" {
                    dt { "Game" } dd { (title_of(&form.board)) }
                    dt { "Format" } dd { (FORMATS[at].1) }
                    dt { "Sign-up" } dd { (SIGN_UPS.iter().find(|(word, _)| *word == form.sign_up).map_or("", |(_, title)| title)) }
                    dt { "Who" } dd { @if form.who.is_empty() && form.sign_up != "none" { "who signs up" } (form.who.iter().map(|who| bot_name(who)).collect::<Vec<_>>().join(", ")) }
                    dt { "Clock" } dd { (time_words(&form.time)) }
                    dt { "Length" } dd { @if form.sign_up != "none" { "by how many come; " } (size(form.players, &form.plans[at], false)) }
                    dt { "Time" } dd { (time_said(form, &form.plans[at])) }
                }
                @if let Err(problem) = &form.plans[at] && (form.sign_up == "none" || form.format == "sprt") { p class="note bad" { (problem) } }
                code class="spec" { (form.board) }
                @if form.sign_up == "none" {
                    button class="btn primary big" type="submit" { "Start the tournament" }
                    p class="tiny dim" { "It begins at once. You can pause it, withdraw players and remove it." }
                } @else {
                    button class="btn primary big" type="submit" { "Open the sign-up" }
                    p class="tiny dim" { "You can begin it earlier, pause it, withdraw players and remove it." }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_has_few_figures() {
        let said = [1.0, 41.0, 61.0, 700.0, 5401.0, 200_000.0].map(|s| about(Duration::from_secs_f64(s)));
        assert_eq!(said, ["10 s", "50 s", "2 min", "15 min", "2 h", "3 days"]);
    }
}
