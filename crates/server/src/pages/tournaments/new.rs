//! A new tournament: four steps, all with defaults.

use maud::{Markup, html};
use rookery_catalog::CATALOG;
use rookery_tournament::Plan;

use super::super::parts::{beginning, chip, count, extra, title_of};
use super::{FORMATS, time_words};

/// Somebody who could take part.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// As forms write it: `hard` or `@name`.
    pub(crate) player: String,
    /// What it does, in one line.
    pub(crate) summary: String,
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
    /// Who could take part.
    pub(crate) choices: Vec<Choice>,
    /// Who does.
    pub(crate) who: Vec<String>,
    /// The time control.
    pub(crate) time: String,
    /// What it is called.
    pub(crate) name: String,
    /// By format: how much it would be, or what is wrong.
    pub(crate) plans: Vec<Result<Plan, String>>,
    /// What was wrong with what was sent.
    pub(crate) problem: Option<String>,
}

/// Time controls that are offered.
const TIMES: [(&str, &str); 4] =
    [("untimed", "No clock"), ("1s", "1 s a move"), ("5s", "5 s a move"), ("1m+1s", "1 min + 1 s")];

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
                    span class="tiny dim size" { (size(form.who.len(), plan)) }
                }
            }
        }
        div class="knobs" {
            label class="field" { "Rounds (Swiss)" input type="number" name="rounds" value=(form.rounds) min="1" max="50"; }
            label class="field" { "Games a pairing" input type="number" name="games" value=(form.games) min="1" max="100"; }
        }
        p class="tiny dim" { "Two games: the same start twice, seats swapped." }
    }
}

/// `8 players: 7 rounds, 56 games`.
fn size(players: usize, plan: &Result<Plan, String>) -> String {
    match plan {
        Err(_) => "not with these players".to_owned(),
        Ok(plan) => {
            let games = match plan.games {
                Some(games) if plan.exact => count(games, "game"),
                Some(games) => format!("at most {}", count(games, "game")),
                None => "until it is stopped".to_owned(),
            };
            let rounds = plan
                .rounds
                .map(|rounds| format!("{}, ", count(u64::from(rounds), "round")))
                .unwrap_or_default();
            format!("{}: {rounds}{games}", count(players as u64, "player"))
        }
    }
}

fn who_step(form: &NewTournament) -> Markup {
    html! {
        p class="dim" { "Computers of this server and bots that are connected now can take part. People cannot yet: they play at " a href="/" { "Play" } "." }
        fieldset class="stack tight" data-live="who" { legend class="sr" { "Who takes part" }
            @for choice in &form.choices {
                label class="check" {
                    input type="checkbox" name="who" value=(choice.player) checked[form.who.contains(&choice.player)];
                    span { b { (choice.player.trim_start_matches('@')) } " " (chip(if choice.player.starts_with('@') { "bot" } else { "built-in" }))
                        span class="tiny dim" { (choice.summary) } }
                }
            }
            @if !form.choices.iter().any(|choice| choice.player.starts_with('@')) {
                p class="tiny dim" { "No bot is connected. " a href="/connect" { "Connect one in five minutes" } "." }
            }
        }
    }
}

fn clock_step(form: &NewTournament) -> Markup {
    let is_other = !TIMES.iter().any(|(time, _)| *time == form.time);
    html! {
        div class="seg" role="radiogroup" aria-label="Clock" {
            @for (time, title) in TIMES { label { input type="radio" name="time" value=(time) checked[time == form.time]; (title) } }
            @if is_other { label { input type="radio" name="time" value=(form.time) checked; (form.time) } }
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
                    dt { "Who" } dd { (form.who.iter().map(|who| who.trim_start_matches('@')).collect::<Vec<_>>().join(", ")) }
                    dt { "Clock" } dd { (time_words(&form.time)) }
                    dt { "Length" } dd { (size(form.who.len(), &form.plans[at])) }
                }
                @if let Err(problem) = &form.plans[at] { p class="note bad" { (problem) } }
                code class="spec" { (form.board) }
                button class="btn primary big" type="submit" { "Start the tournament" }
                p class="tiny dim" { "It begins at once. You can pause it, withdraw players and remove it." }
            }
        }
    }
}
