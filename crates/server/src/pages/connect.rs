//! How a bot is connected: a name and a token, code to begin from, and the command that brings it here.

use maud::{Markup, html};

use super::parts::{extra, player_path};
use super::tournaments::step;

/// A starter kit, as `rookery new-bot` writes it.
#[derive(Debug)]
pub(crate) struct Kit {
    /// The word for `rookery new-bot`.
    pub(crate) word: &'static str,
    title: &'static str,
    code: &'static str,
    /// The command that starts it, in the folder above that of the kit.
    start: &'static str,
}

macro_rules! kit {
    ($word:literal, $title:literal, $file:literal, $start:literal) => {
        Kit {
            word: $word,
            title: $title,
            code: include_str!(concat!("../../../../bots/", $word, "/", $file)),
            start: $start,
        }
    };
}

/// All kits.
pub(crate) static KITS: [Kit; 10] = [
    kit!("python", "Python", "bot.py", "python3 my-bot/bot.py"),
    kit!("javascript", "JavaScript", "bot.js", "node my-bot/bot.js"),
    kit!("typescript", "TypeScript", "bot.ts", "node my-bot/bot.js"),
    kit!("java", "Java", "Bot.java", "java -cp my-bot Bot"),
    kit!("c", "C", "bot.c", "my-bot/bot"),
    kit!("cpp", "C++", "bot.cpp", "my-bot/bot"),
    kit!("rust", "Rust", "bot.rs", "my-bot/bot"),
    kit!("go", "Go", "bot.go", "my-bot/bot"),
    kit!("csharp", "C#", "bot.cs", "mono my-bot/bot.exe"),
    kit!("bash", "Bash", "bot.sh", "bash my-bot/bot.sh"),
];

/// What the page shows.
#[derive(Debug)]
pub(crate) struct Connect<'a> {
    /// The name of the bot.
    pub(crate) name: &'a str,
    /// The kit that is shown.
    pub(crate) kit: &'static Kit,
    /// Whether whoever looks has a name of their own.
    pub(crate) is_person: bool,
    /// A token that was just made.
    pub(crate) token: Option<&'a str>,
    /// What was wrong with what was sent.
    pub(crate) problem: Option<&'a str>,
    /// Where bots connect by TCP: `HOST:PORT`.
    pub(crate) port: Option<&'a str>,
    /// Where they connect by WebSocket.
    pub(crate) socket: &'a str,
}

/// The page.
pub(crate) fn connect(data: &Connect<'_>) -> Markup {
    html! {
        (extra(&["connect.js"]))
        h1 { "Connect a bot" }
        p class="lede" { "Your program reads lines and prints lines. Rookery does the rest: clocks, rules, opponents, records." }
        div class="cols" {
            div {
                (step(1, "Claim a name", &claim(data)))
                (step(2, "Copy a whole player", &code(data)))
                (step(3, "Check it", &html! {
                    p class="dim tiny" { "Goes through everything a bot has to do, and shows the first thing that is wrong." }
                    (command(&format!("rookery check hexapawn -- {}", data.kit.start)))
                }))
                (step(4, "Run it", &run(data)))
            }
            aside class="aside" { (light(data)) }
        }
    }
}

fn claim(data: &Connect<'_>) -> Markup {
    html! {
        @if let Some(problem) = data.problem { p class="note bad" role="alert" { (problem) } }
        @if data.is_person {
            form class="claim" method="post" action="/connect" {
                input type="hidden" name="lang" value=(data.kit.word);
                label class="field" { "Name of your bot" input name="name" value=(data.name) maxlength="24" pattern="[A-Za-z0-9_\\-]+" required; }
                button class="btn" { "Get a token" }
            }
        } @else {
            form class="claim" action="/connect" {
                input type="hidden" name="lang" value=(data.kit.word);
                label class="field" { "Name of your bot" input name="name" value=(data.name) maxlength="24" pattern="[A-Za-z0-9_\\-]+"; }
                button class="btn" { "Use this name" }
            }
            p class="note" { "Without a token anybody may connect a bot of this name. " a href="/login" { "Sign in" } " to get a token, so that it is yours alone." }
        }
        @if let Some(token) = data.token {
            rk-copy class="note good stack tight" {
                span { b { (data.name) " is yours. " } "The token is shown once. Save it as " code class="file" { (data.name) ".token" } ":" }
                span class="row" { code class="spec grow" { (token) } button class="btn sm" type="button" hidden { "Copy" } }
            }
        }
    }
}

fn code(data: &Connect<'_>) -> Markup {
    let code = data.kit.code;
    html! {
        nav class="nav games langs" aria-label="Languages" {
            @for kit in &KITS { a href={ "/connect?lang=" (kit.word) "&name=" (data.name) } aria-current=[(kit.word == data.kit.word).then_some("page")] { (kit.title) } }
        }
        rk-copy class="codebox" { pre tabindex="0" aria-label="Code" { code { (code) } } button class="btn sm" type="button" hidden { "Copy" } }
        p class="dim tiny" { "The whole kit, with a README: " code { "rookery new-bot " (data.kit.word) " my-bot" } ". It plays every game by picking a legal move. " a href="/docs/protocol" { "All messages" } " · " a href="/docs/first-bot" { "Your first bot, step by step" } }
    }
}

fn command(line: &str) -> Markup {
    html! { rk-copy class="codebox one" { pre { code { (line) } } button class="btn sm" type="button" hidden { "Copy" } } }
}

/// The address of a socket with its port, which `rookery connect` wants to know.
fn with_port(socket: &str) -> String {
    let host = socket.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if host.is_empty() || has_port {
        socket.to_owned()
    } else {
        socket.replacen(host, &format!("{host}:80"), 1)
    }
}

fn run(data: &Connect<'_>) -> Markup {
    let name = if data.name.is_empty() { "my-bot" } else { data.name };
    let secret = if data.is_person { format!(" --secret-file {name}.token") } else { String::new() };
    let socket = with_port(data.socket);
    let address = data.port.unwrap_or(&socket);
    html! {
        (command(&format!("rookery connect {address} --name {name}{secret} -- {}", data.kit.start)))
        p class="dim tiny" { "Or speak to us yourself, one JSON object a line: WebSocket " code { (data.socket) }
            @if let Some(port) = data.port { ", TCP " code { (port) } } "." }
    }
}

fn light(data: &Connect<'_>) -> Markup {
    html! {
        rk-connect class="floe stack" name=(data.name) {
            div class="row between" { h2 { @if data.name.is_empty() { "Your bot" } @else { (data.name) } } span class="chip" data-part="light" { "not connected" } }
            ul class="checks" {
                li data-part="connected" { "Connected" }
                li data-part="played" { "Has played a game" }
                li data-part="faultless" { "Its last game without a fault" }
            }
            p class="dim tiny" data-part="said" { "This turns green by itself when the bot has connected." }
            p class="note bad" data-part="problem" role="alert" hidden {}
            noscript { p class="tiny" { "Load the page again to see whether it has connected." } }
            button class="btn primary" type="button" data-part="check" hidden { "Check it" }
            ol class="checks report" data-part="report" aria-live="polite" aria-label="The report" {}
            button class="btn" type="button" data-part="test" hidden { "Play a test game" }
        }
        section class="floe stack" {
            h3 { "Then" }
            @if !data.name.is_empty() { a href=(player_path(data.name)) { "Its rating and every loss, with the reason" } }
            a href="/t/new" { "Enter it in a tournament" }
            a href="/bundles" { "Upload it, to be run here" }
            a href="/new" { "Play against it yourself" }
        }
    }
}
