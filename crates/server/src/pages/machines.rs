//! Other machines that play: workers, what waits, and what failed too often.

use maud::{Markup, html};

use super::parts::{count, extra, scroll};
use crate::machines::{MachinesData, ParkedData, QueueData, WorkerData};

/// What the page shows.
#[derive(Debug)]
pub(crate) struct MachinesPage<'a> {
    /// How they do, or why that cannot be said.
    pub(crate) machines: Result<&'a MachinesData, &'a str>,
    /// What was done, or what was wrong.
    pub(crate) said: Option<Result<&'a str, &'a str>>,
}

/// The page.
pub(crate) fn machines(data: &MachinesPage<'_>) -> Markup {
    html! {
        (extra(&[]))
        div class="hd" { h1 { "Machines" } div class="end" { a class="btn" href="/operator/machines" { "Look again" } a class="btn" href="/operator" { "Operator" } } }
        @match data.said {
            Some(Ok(said)) => p class="note good" role="status" { (said) },
            Some(Err(problem)) => p class="note bad" role="alert" { (problem) },
            None => {},
        }
        @match data.machines {
            Err(problem) => p class="note bad" role="alert" { (problem) },
            Ok(machines) if !machines.dispatched => {
                p class="note" { "This server plays all games itself. With a broker (" code { "serve --dispatch URL" } ") any number of other machines play them: " a href="/docs/cluster" { "Many machines" } }
            },
            Ok(machines) => (all(machines)),
        }
    }
}

fn all(machines: &MachinesData) -> Markup {
    html! {
        p class="lede" {
            (count(machines.stored, "game")) " stored in " (span(machines.up_seconds)) ", " (format!("{:.1}", machines.games_a_second)) " per second in the last minute, "
            (count(machines.refused, "record")) " refused."
            @if let Some(again) = &machines.played_again { " " (first_up(again)) "." }
        }
        div class="settings" {
            section class="floe flush wide" {
                div class="head" { h2 { "Workers" } }
                @if machines.workers.is_empty() {
                    p class="note" { "No worker was heard of. Start one: " code { "rookery worker --dispatch URL" } }
                } @else {
                    (scroll("Workers", &workers(machines)))
                }
            }
            section class="floe flush wide" {
                div class="head" { h2 { "Queue" } }
                @if machines.queue.is_empty() { p class="note" { "No tournament is played by workers." } }
                @else { (scroll("Queue", &queue(&machines.queue))) }
            }
            section class="floe flush wide" {
                div class="head row between" {
                    h2 { "Parked games" }
                    @if machines.parked.len() > 1 {
                        form method="post" action="/operator/machines" { button class="btn sm" { "Try all again" } }
                    }
                }
                @if machines.parked.is_empty() { p class="note" { "None. A game that fails three times waits here, and the others go on." } }
                @else { (scroll("Parked games", &parked(&machines.parked))) }
            }
        }
    }
}

fn workers(machines: &MachinesData) -> Markup {
    html! {
        table class="table" {
            thead { tr { th { "Worker" } th class="num" { "Plays" } th class="num" { "Games" } th class="num" { "Lost" } th class="num" { "Speed" } th { "Why idle" } th { "Unlike the others" } } }
            tbody { @for worker in &machines.workers { tr {
                th scope="row" { (worker.name) @if worker.silent_ms >= SILENT_MS { span class="tiny dim block" { "silent for " (span(worker.silent_ms / 1000)) } } }
                td class="num" { (worker.playing) " of " (worker.slots) }
                td class="num" { (worker.games) }
                td class="num" { (worker.lost) }
                td class="num" { (speed(worker)) }
                td { (worker.idle.as_deref().unwrap_or("–")) }
                td { @for flag in &worker.flags { span class="chip" { (flag) } " " } @if worker.flags.is_empty() { "–" } }
            } } }
        }
    }
}

fn queue(queue: &[QueueData]) -> Markup {
    html! {
        table class="table" {
            thead { tr { th { "Tournament" } th class="num" { "Waiting" } th class="num" { "Played now" } th class="num" { "Done" } th class="num" { "Parked" } } }
            tbody { @for row in queue { tr {
                th scope="row" { a href={ "/t/" (row.tournament) } { (row.tournament) } }
                td class="num" { (row.waiting) } td class="num" { (row.playing) } td class="num" { (row.done) } td class="num" { (row.parked) }
            } } }
        }
    }
}

fn parked(parked: &[ParkedData]) -> Markup {
    html! {
        table class="table" {
            thead { tr { th { "Game" } th { "Tournament" } th { "Last lost by" } th { span class="sr" { "Try again" } } } }
            tbody { @for game in parked { tr {
                th scope="row" { code { (game.job) } }
                td { a href={ "/t/" (game.tournament) } { (game.tournament) } }
                td { (game.last.as_deref().unwrap_or("–")) }
                td { form method="post" action="/operator/machines" {
                    input type="hidden" name="job" value=(game.job);
                    button class="btn sm" aria-label={ "Try " (game.job) " again" } { "Try again" }
                } }
            } } }
        }
    }
}

/// Workers are heard of every few seconds; one that is not for so long may be gone.
const SILENT_MS: u64 = 15_000;

/// The speed beside that of the others, and what others take away of it.
fn speed(worker: &WorkerData) -> String {
    let beside = worker.beside_median.map(|beside| format!("{beside:.2} × median"));
    let stolen = worker.steal.filter(|steal| *steal >= 0.01);
    let stolen = stolen.map(|steal| format!("{:.0} % taken away", 100.0 * steal));
    let words: Vec<String> =
        worker.speed.map(|speed| speed.to_string()).into_iter().chain(beside).chain(stolen).collect();
    if words.is_empty() { "–".to_owned() } else { words.join(", ") }
}

/// A time in the largest unit of which there are two.
fn span(seconds: u64) -> String {
    match seconds {
        0..120 => count(seconds, "second"),
        120..7200 => count(seconds / 60, "minute"),
        7200..172_800 => count(seconds / 3600, "hour"),
        _ => count(seconds / 86_400, "day"),
    }
}

/// A sentence begins with a capital letter.
fn first_up(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_known_of_machines_is_on_the_page() {
        let worker = WorkerData {
            name: "lab-<3>".to_owned(),
            slots: 4,
            silent_ms: 130_000,
            playing: 1,
            games: 120,
            speed: Some(900),
            beside_median: Some(0.9),
            steal: Some(0.07),
            idle: Some("no sandbox".to_owned()),
            flags: vec!["crashes: 9, expected 1".to_owned()],
            ..WorkerData::default()
        };
        let parked = ParkedData {
            job: "cup:17".to_owned(),
            tournament: "cup".to_owned(),
            attempt: 4,
            last: Some("lab-4".to_owned()),
        };
        let queue = QueueData { tournament: "cup".to_owned(), waiting: 31, ..QueueData::default() };
        let data = MachinesData {
            dispatched: true,
            up_seconds: 600,
            workers: vec![worker],
            queue: vec![queue],
            parked: vec![parked],
            ..MachinesData::default()
        };
        let shown = machines(&MachinesPage { machines: Ok(&data), said: None }).into_string();
        for part in [
            "lab-&lt;3&gt;",
            "1 of 4",
            "silent for 2 minutes",
            ">120<",
            "900, 0.90 × median, 7 % taken away",
            "no sandbox",
            "crashes: 9, expected 1",
            ">31<",
            "value=\"cup:17\"",
            "lab-4",
            "Try again",
            "in 10 minutes",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("Try all again"), "one game has its own button");
        let alone = MachinesData::default();
        let shown = machines(&MachinesPage { machines: Ok(&alone), said: Some(Err("no")) }).into_string();
        assert!(shown.contains("plays all games itself") && shown.contains("role=\"alert\""), "{shown}");
        let shown = machines(&MachinesPage { machines: Err("nobody answers"), said: None }).into_string();
        assert!(shown.contains("nobody answers"), "{shown}");
    }
}
