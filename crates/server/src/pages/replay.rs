//! Looking at a match again: the scrubber, what the review says, and records from files.

use maud::{Markup, html};

use super::matches::match_body;
use super::parts::clock;
use super::shell::icon;
use crate::data::{EvidenceData, MatchState, VerdictData};

/// How good the position is, as a bar beside the board.
pub(super) fn bar(state: &MatchState) -> Markup {
    let is_there = state.over.is_some() && state.ply > 0 || state.evaluated;
    let n_seats = state.seats.len();
    html! {
        div class="evalbar" data-part="eval" role="img" aria-label="Not looked at yet" hidden[!is_there] {
            // Between two one part is enough.
            @if n_seats == 2 { i {} } @else { @for seat in 0..n_seats { i class={ "s" (seat) } {} } }
        }
    }
}

/// The buttons, the graph and the range. Without script: links.
pub(super) fn scrub(state: &MatchState, ply: u64) -> Markup {
    let step = |act: &str, name: &str| {
        html! { button class="btn icon" type="button" data-act=(act) aria-label=(name) { (icon(act)) } }
    };
    let link = |ply: u64| format!("/m/{}?ply={ply}", state.id);
    html! {
        noscript { p class="row" {
            @if ply > 0 { a class="btn sm" href=(link(ply - 1)) { "One move back" } }
            @if ply < state.ply { a class="btn sm" href=(link(ply + 1)) { "One move on" } }
        } }
        div class="scrub" data-part="scrub" hidden[state.ply == 0 || state.is_played()] {
            div class="ctl" {
                (step("first", "First")) (step("prev", "One move back"))
                button class="btn icon primary" type="button" data-act="play" aria-label="Play through" { (icon("play")) }
                (step("next", "One move on")) (step("last", "Last"))
                span class="pos num" data-part="pos" {}
                span class="seg speed" role="group" aria-label="Speed" {
                    @for (speed, name) in [("0.5", "½×"), ("1", "1×"), ("4", "4×")] {
                        button type="button" data-act="speed" data-speed=(speed) aria-pressed=(if speed == "1" { "true" } else { "false" }) { (name) }
                    }
                }
                button class="btn sm unseen" type="button" data-act="decisive" hidden[state.over.is_none()] { (icon("aim")) "Decisive moment" }
            }
            div class="gwrap waits" data-part="graph" hidden[state.over.is_none() || state.id.is_empty()] { "Looking at every move." }
            input class="range" type="range" min="0" max=(state.ply) value=(ply) aria-label="Move" data-part="range";
            div class="row tools" data-part="tools" hidden[state.over.is_none() || state.id.is_empty()] {
                button class="btn sm" type="button" data-act="play_on" { (icon("play")) "Play on from here" }
                button class="btn sm" type="button" data-act="share" { (icon("link")) "Share" }
                a class="btn sm" href=(format!("/m/{}.jsonl", state.id)) download="" { (icon("list")) "Record" }
            }
        }
    }
}

/// Best moves, when they are asked for.
pub(super) fn best(state: &MatchState) -> Markup {
    html! {
        section class="floe best" data-part="best" aria-label="Best moves" hidden[state.over.is_none() || state.id.is_empty()] {
            div class="row between" {
                h2 class="h3" { "Best moves" }
                label class="switch" { input type="checkbox" data-part="analyse"; "Show" }
            }
            ol data-part="lines" {}
            p class="tiny dim" data-part="searched" {}
        }
    }
}

/// What is said of a match that is over.
pub(super) fn below(state: &MatchState) -> Markup {
    html! {
        div class="below" data-part="below" {
            section class="floe stack" data-part="decisive" hidden {}
            div data-part="evidence" {
                @if let Some((over, evidence)) = state.over.as_ref().and_then(|over| Some((over, over.evidence.as_ref()?))) {
                    (ended(over, evidence, clock_of(state, over).as_deref()))
                }
            }
            details class="floe" data-part="table" hidden { summary { "The graph as a table" } }
        }
    }
}

/// What was left on the clock of whoever offended.
fn clock_of(state: &MatchState, over: &VerdictData) -> Option<String> {
    let left = state.clocks_ms.get(over.offender?)?;
    Some(format!("{} left", clock(*left)))
}

/// What speaks for a loss by fault.
fn ended(over: &VerdictData, evidence: &EvidenceData, clock: Option<&str>) -> Markup {
    let fact = |name: &str, text: Option<&str>, class: &str| {
        html! { @if let Some(text) = text { dt { (name) } dd class=(class) { (text) } } }
    };
    let legal = evidence.legal.join(" · ");
    let is_ours = over.blame == Some("platform");
    html! {
        section class="floe stack ev" {
            div class="row between" { h2 { "How it ended" } span class="chip bad" { (over.cause.replace('_', " ")) } }
            p { (over.sentence) }
            @if is_ours { p class="note" { "This was our fault; the game does not count." } }
            dl class="facts" {
                (fact("Sent", evidence.sent.as_deref(), "mono sent"))
                (fact("Why not", Some(&evidence.note).filter(|note| !note.is_empty()).map(String::as_str), ""))
                (fact("Expected", evidence.expected.as_deref(), ""))
                (fact("Allowed", Some(legal.as_str()).filter(|legal| !legal.is_empty()), "mono"))
                (fact("Clock", clock, "num"))
                (fact("Ended", evidence.exit.as_deref(), ""))
                (fact("Blame", over.blame, ""))
            }
            @if let Some(stderr) = &evidence.stderr {
                details open { summary { "Last lines it wrote to stderr" } pre class="code" tabindex="0" { (stderr) } }
            }
        }
    }
}

/// A record from a file: chosen, or dropped onto the page.
pub(crate) fn record_page() -> Markup {
    html! {
        rk-record {
            div class="floe stack narrow" {
                h1 { "Look at a record" }
                p { "Choose a record, or drop it onto any page here. It is checked move by move, reviewed, and can be played on. It is in no list, and gone when others come or the server ends." }
                label class="field" { "Record file"
                    input type="file" accept=".jsonl,application/jsonl";
                }
                p class="note bad" data-part="problem" role="alert" hidden {}
                noscript { p { "This needs JavaScript." } }
            }
        }
    }
}

/// A record that was read, as the page of a match.
pub(crate) fn record_body(state: &MatchState, svg: &str) -> String {
    match_body(state, state.ply, svg, &super::matches::Invitations::default()).into_string()
}

/// A match in a page of others: the board, and a way here. Nobody plays there, so its socket is nobody's.
pub(crate) fn embedded(state: &MatchState, svg: &str) -> Markup {
    let players: Vec<&str> = state.seats.iter().map(|seat| seat.name.as_str()).collect();
    html! {
        rk-match class="embedded" src="/api/v1/live?nobody=1" match=(state.id) version=(state.version) seat="" {
            rk-board mode="watch" { (super::matches::board(svg)) }
            p class="row between tiny" {
                span data-part="status" {}
                a href=(format!("/m/{}", state.id)) target="_blank" rel="noopener" { (state.title) ": " (players.join(" – ")) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_by_fault_shows_what_was_sent_and_what_was_allowed() {
        let mut evidence = EvidenceData {
            sent: Some("<b>c4xd5".to_owned()),
            note: "d5 is empty".to_owned(),
            expected: None,
            legal: vec!["e2-e3".to_owned(), "e2xf3".to_owned()],
            exit: None,
            stderr: None,
        };
        let mut over = VerdictData {
            sentence: "my-bot lost".to_owned(),
            cause: "illegal_move",
            blame: Some("player"),
            winners: vec![1],
            scores: None,
            places: None,
            offender: Some(0),
            evidence: None,
        };
        let page = ended(&over, &evidence, Some("0:12 left")).into_string();
        for part in
            ["&lt;b&gt;c4xd5", "d5 is empty", "0:12 left", "e2-e3 · e2xf3", "illegal move", "my-bot lost"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("stderr") && !page.contains("our fault"), "{page}");
        evidence.stderr = Some("depth 5".to_owned());
        over.blame = Some("platform");
        let page = ended(&over, &evidence, None).into_string();
        assert!(!page.contains("Clock"), "{page}");
        assert!(page.contains("depth 5") && page.contains("our fault"), "{page}");
    }
}
