//! What somebody decides for themselves, and what the operator decides for all.

use maud::{Markup, html};
use rookery_store::{AuditEntry, Token};

use super::parts::{count, extra, player_path, scroll};
use crate::api::GuestData;
use crate::dates;

/// What the settings show.
#[derive(Debug, Default)]
pub(crate) struct Settings<'a> {
    /// `light`, `dark`, or what the system says.
    pub(crate) theme: Option<&'a str>,
    /// Who looks, if it has a name of its own.
    pub(crate) name: Option<&'a str>,
    /// Whether it is the operator.
    pub(crate) is_operator: bool,
    /// Tokens of programs.
    pub(crate) tokens: &'a [Token],
    /// How many browsers are signed in.
    pub(crate) n_sessions: u64,
    /// A token that was just made.
    pub(crate) token: Option<&'a str>,
    /// What was done, or what was wrong.
    pub(crate) said: Option<Result<&'a str, &'a str>>,
}

/// The settings.
pub(crate) fn settings(data: &Settings<'_>) -> Markup {
    html! {
        (extra(&["account.js"]))
        div class="hd" { h1 { "Settings" } @if data.is_operator { div class="end" { a class="btn" href="/operator" { "Operator" } } } }
        @match data.said {
            Some(Ok(said)) => p class="note good" role="status" { (said) },
            Some(Err(problem)) => p class="note bad" role="alert" { (problem) },
            None => {},
        }
        div class="settings" {
            (look_card(data.theme))
            (play_card())
            @match data.name {
                Some(name) => { (name_card(data, name)) (tokens_card(data)) (data_card(name)) },
                None => section class="floe stack" {
                    h2 { "Your name" }
                    p { "Guests can play. A name of your own keeps your games, your rating and your bots." }
                    p { a class="btn primary" href="/login" { "Sign in or claim a name" } }
                },
            }
        }
    }
}

fn look_card(theme: Option<&str>) -> Markup {
    html! {
        form class="floe stack" method="post" action="/settings/theme" {
            h2 { "Look" }
            div class="seg" role="radiogroup" aria-label="Theme" {
                @for (value, title) in [("system", "System"), ("light", "Light"), ("dark", "Dark")] {
                    label { input type="radio" name="theme" value=(value) checked[theme.unwrap_or("system") == value]; (title) }
                }
            }
            button class="btn" { "Keep it" }
        }
    }
}

/// What this browser remembers; the script of a match reads the same names.
fn play_card() -> Markup {
    html! {
        rk-prefs class="floe stack" {
            h2 { "Play" }
            label class="check" { input type="checkbox" name="sound" value="on" data-off="off"; span { b { "Sound" } span class="tiny dim" { "A short sound when somebody moves. Off unless you want it." } } }
            label class="check" { input type="checkbox" name="confirm" value="yes" data-off=""; span { b { "Confirm moves" } span class="tiny dim" { "Press the target twice. On by itself where cells are small." } } }
            label class="check" { input type="checkbox" name="keys" value="" data-off="off" checked; span { b { "Single-letter keys" } span class="tiny dim" { "h for a hint, u to take back, and the like. Switch them off if you speak to your computer." } } }
            p class="tiny dim" { "Kept in this browser alone." }
        }
        noscript { section class="floe stack" { h2 { "Play" } p class="dim" { "Sound, confirmation and keys need JavaScript." } } }
    }
}

fn name_card(data: &Settings<'_>, name: &str) -> Markup {
    html! {
        section class="floe stack" {
            h2 { "Your name" }
            p { b { (name) } @if data.is_operator { " " span class="chip" { "operator" } } " · " a href=(player_path(name)) { "your games and ratings" } }
            p { (count(data.n_sessions, "browser")) " signed in." }
            div class="row" {
                form method="post" action="/logout" { button class="btn" { "Sign out" } }
                form method="post" action="/settings" { button class="btn" name="what" value="sessions" { "End all other sessions" } }
            }
            form method="post" action="/settings" class="stack tight" {
                label class="field" { "Your password now" input type="password" name="old" autocomplete="current-password" maxlength="200" required; }
                label class="field" { "New password" input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="200" required; }
                button class="btn" name="what" value="password" { "Change the password" }
            }
        }
    }
}

fn tokens_card(data: &Settings<'_>) -> Markup {
    html! {
        section class="floe stack" {
            h2 { "Tokens of your programs" }
            p class="dim tiny" { "Whoever has a token speaks for you: bots, and programs that use the API. A token is shown once." }
            @if let Some(token) = data.token {
                rk-copy class="note good row" { code class="grow" { (token) } button class="btn sm" type="button" hidden { "Copy" } }
            }
            ul class="tokens" {
                @for token in data.tokens {
                    li class="row between" {
                        span { b { @if token.note.is_empty() { "without a note" } @else { (token.note) } } span class="tiny dim block" { "made " (dates::day(token.created_ms)) } }
                        form method="post" action="/settings" { input type="hidden" name="id" value=(token.id); button class="btn sm danger" name="what" value="revoke" { "Revoke" } }
                    }
                }
            }
            form class="claim" method="post" action="/settings" {
                label class="field" { "What it is for" input name="note" maxlength="100"; }
                button class="btn" name="what" value="token" { "New token" }
            }
        }
    }
}

fn data_card(name: &str) -> Markup {
    html! {
        section class="floe stack" {
            h2 { "Your data" }
            p { a class="btn" href="/api/v1/me/data" download="rookery-data.json" { "All your data as a file" } }
            details {
                summary { "Delete your name" }
                form class="stack tight" method="post" action="/settings" {
                    p { "Your name leaves every list, your password, sessions and tokens are gone, and nobody can sign in as you. This cannot be undone." }
                    p class="dim tiny" { "Kept: your games, with a number in place of your name, also in the records that others can download and in the operator's log. The store itself keeps these records as they were written, because one that is changed would no longer be valid; copies that somebody has downloaded before stay as they are." }
                    label class="field" { "Type your name, " (name) ", to say that you mean it" input name="name" maxlength="24" autocomplete="off" required; }
                    button class="btn danger" name="what" value="delete" { "Delete my name" }
                }
            }
        }
    }
}

/// What the operator sees.
#[derive(Debug)]
pub(crate) struct Operator<'a> {
    /// Whether names can be claimed.
    pub(crate) is_open: bool,
    /// Running matches: id and who plays.
    pub(crate) matches: &'a [(String, String)],
    /// Guests at tables.
    pub(crate) guests: &'a [GuestData],
    /// What was done, the latest first.
    pub(crate) log: &'a [AuditEntry],
    /// What was done just now, or what was wrong.
    pub(crate) said: Option<Result<&'a str, &'a str>>,
}

/// The operator's page.
pub(crate) fn operator(data: &Operator<'_>) -> Markup {
    html! {
        (extra(&[]))
        div class="hd" { h1 { "Operator" } div class="end" { a class="btn" href="/operator/machines" { "Machines" } } }
        @match data.said {
            Some(Ok(said)) => p class="note good" role="status" { (said) },
            Some(Err(problem)) => p class="note bad" role="alert" { (problem) },
            None => {},
        }
        div class="settings" {
            form class="floe stack" method="post" action="/operator" {
                h2 { "Sign-up" }
                p { @if data.is_open { "Anybody can claim a name." } @else { "No new name can be claimed. Guests can still play." } }
                input type="hidden" name="open" value=(!data.is_open);
                button class="btn" name="what" value="sign_up" { @if data.is_open { "Close sign-up" } @else { "Open sign-up" } }
            }
            form class="floe stack" method="post" action="/operator" {
                h2 { "A person" }
                label class="field" { "Name" input name="name" maxlength="24" required; }
                div class="row" {
                    @for (what, title) in [("mute", "Mute"), ("unmute", "Unmute"), ("ban", "Ban"), ("unban", "Let back in"), ("end", "End sessions")] {
                        button class="btn sm" name="what" value=(what) { (title) }
                    }
                }
                p class="tiny dim" { "Bans and mutes hold until they are taken back; a ban also ends all sessions and tokens." }
            }
            section class="floe stack" {
                h2 { "Running matches" }
                @if data.matches.is_empty() { p class="dim" { "None." } }
                ul class="tokens" { @for (id, players) in data.matches {
                    li class="row between" { a href={ "/m/" (id) } { (players) }
                        form class="row" method="post" action="/operator" {
                            input type="hidden" name="match" value=(id);
                            input name="reason" maxlength="200" aria-label="Reason" placeholder="Reason";
                            button class="btn sm danger" name="what" value="cancel" { "Cancel" }
                        }
                    }
                } }
            }
            section class="floe stack" {
                h2 { "Guests at tables" }
                @if data.guests.is_empty() { p class="dim" { "None." } }
                ul class="tokens" { @for guest in data.guests {
                    li class="row between" { a href={ "/m/" (guest.id) } { (guest.name) }
                        form method="post" action="/operator" {
                            input type="hidden" name="session" value=(guest.session);
                            @let (what, title) = if guest.muted { ("unmute_guest", "Unmute") } else { ("mute_guest", "Mute") };
                            button class="btn sm" name="what" value=(what) { (title) }
                        }
                    }
                } }
                p class="tiny dim" { "A mute of a guest ends with its session." }
            }
            section class="floe flush wide" {
                div class="head" { h2 { "Log" } }
                (scroll("Log", &html! { table class="table" {
                    thead { tr { th { "When" } th { "Who" } th { "Did" } th { "With" } } }
                    tbody { @for entry in data.log { tr {
                        td class="when" { (dates::moment(entry.at_ms)) } td { (entry.actor) } td { (entry.act) } td { (entry.subject) }
                    } } }
                } }))
            }
        }
    }
}
