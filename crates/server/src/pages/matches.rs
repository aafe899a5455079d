//! One match: the same page to play, to watch and to look at again.

use maud::{Markup, PreEscaped, html};

use super::home::piece;
use super::parts::clock;
use super::replay;
use super::shell::icon;
use crate::data::{EntryData, Kind, MatchState, PlaceData};

/// A board, drawn in the page.
pub(crate) fn board(svg: &str) -> Markup {
    html! { div class="board" { (PreEscaped(svg)) } }
}

/// Whether script turns a board on phones, by the same rule: its place is kept until then.
pub(super) fn is_wide([_, _, width, height]: [i32; 4]) -> bool {
    5 * width > 8 * height
}

/// What is not part of a match but shown beside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Invitations {
    /// The open seats, with their links, for whoever made it.
    pub(crate) links: Vec<(usize, String)>,
    /// The address of the page, for whoever shows the match elsewhere.
    pub(crate) page_url: String,
}

/// One match, as it stood after so many moves.
pub(crate) fn match_body(state: &MatchState, ply: u64, svg: &str, join: &Invitations) -> Markup {
    let is_yours = state.over.is_none() && state.can.mv;
    let seat = state.you.map(|seat| seat.to_string()).unwrap_or_default();
    html! {
        rk-match class="play" src="/api/v1/live" match=(state.id) version=(state.version) seat=(seat) over[state.over.is_some()] {
            (about(state))
            div class="stage" {
                p class=(if is_yours { "status turn" } else { "status" }) data-part="status" { (status(state)) }
                @if !join.links.is_empty() { (waiting(join, &state.game)) }
                div class="boardrow" {
                    // First, so that the board has its place as soon as it comes; the sheet puts it behind.
                    (replay::bar(state))
                    div class="boardbox" {
                        rk-board mode="watch" wide[is_wide(state.scene.viewbox)] { (board(svg)) }
                        div class="extra" {}
                        p class="away-note" data-part="away" hidden { span {} button class="btn sm" type="button" data-act="now" data-part="now" hidden { "Now" } }
                    }
                }
                div class="note good hint" data-part="hint" hidden {
                    (icon("hint")) p class="grow" {} button class="btn quiet icon sm" type="button" data-act="unhint" aria-label="Close" { (icon("close")) }
                }
                @if state.evaluated { p class="tiny dim evaluated" data-part="evaluated" { "Looking at the position." } }
                (replay::scrub(state, ply))
            }
            aside class="side" { (panel(state, ply, &join.page_url)) (replay::best(state)) }
            (replay::below(state))
            p class="sr" aria-live="polite" data-part="told" {}
            p class="sr" aria-live="assertive" data-part="urgent" {}
            (keys())
        }
    }
}

fn about(state: &MatchState) -> Markup {
    let dot = || html! { span class="hide-phone" { "·" } };
    html! {
        div class="about dim" {
            h1 { (state.title) }
            (dot()) span class="hide-phone" { (time(&state.time)) }
            (dot()) span class="hide-phone" data-part="rated" title=[state.unrated] { (kind_of_match(state)) }
            @if let Some(cup) = &state.tournament { (dot()) a href=(format!("/t/{cup}")) { "Tournament" } }
            div class="end" {
                span class="viewers" data-part="viewers" hidden { (icon("eye")) span {} }
                span class="live good unseen" data-part="connection" { "Connected" }
                button class="btn quiet icon" type="button" data-act="flip" aria-label="Turn the board" { (icon("turn")) }
                button class="btn quiet icon" type="button" data-act="sound" aria-label="Sound" aria-pressed="false" { (icon("sound")) }
                button class="btn quiet icon" type="button" data-act="share" aria-label="Copy the link" { (icon("link")) }
            }
        }
    }
}

/// Whether it counts, in a word.
fn kind_of_match(state: &MatchState) -> &'static str {
    match state.unrated {
        None => "rated",
        Some(_) if state.casual => "casual",
        Some(_) => "not rated",
    }
}

/// A time control for people: `300s+3s` is 5 min + 3 s.
pub(super) fn time(text: &str) -> String {
    let part = |part: &str| {
        let seconds = part.strip_suffix('s').and_then(|seconds| seconds.parse::<u64>().ok());
        match seconds {
            Some(seconds) if seconds > 0 && seconds % 60 == 0 => format!("{} min", seconds / 60),
            Some(seconds) => format!("{seconds} s"),
            None => part.replace('m', " min ").trim().to_owned(),
        }
    };
    match text.split_once(['+', '/']) {
        _ if text == "untimed" => "no clock".to_owned(),
        Some((base, more)) if text.contains('+') => format!("{} + {}", part(base), part(more)),
        Some((each, bank)) => format!("{} a move, {} more", part(each), part(bank)),
        None => format!("{} a move", part(text)),
    }
}

fn waiting(join: &Invitations, game: &str) -> Markup {
    html! {
        section class="floe stack waiting" data-part="waiting" {
            h2 { "Waiting for your friend" }
            @for (seat, link) in &join.links {
                rk-copy class="spec" {
                    code class="grow" { (link) }
                    button class="btn sm" type="button" aria-label=(format!("Copy the link for seat {}", seat + 1)) { (icon("copy")) "Copy" }
                    button class="btn sm" type="button" data-share hidden { (icon("link")) "Share" }
                }
            }
            p class="dim tiny" { "Whoever opens the link takes the seat. The game begins when all have come." }
            p { a class="btn sm" href=(format!("/new?spec={game}")) { "Play a computer instead" } }
        }
    }
}

/// An invitation to a seat: what is played, and whether it counts.
pub(crate) fn invitation(code: &str, state: Option<&MatchState>, is_person: bool) -> Markup {
    let Some(state) = state else {
        return html! {
            div class="floe stack narrow" {
                h1 { "This invitation is no longer open" }
                p { "The seat is taken, or the game is over. Ask for a new link." }
                p { a class="btn primary" href="/" { "Play a game" } }
            }
        };
    };
    html! {
        form class="floe stack narrow" method="post" action=(format!("/join/{code}")) {
            h1 { "You are invited to a game" }
            {
                @let there: Vec<&str> = state.seats.iter().enumerate().filter(|(idx, _)| !state.waiting.contains(idx)).map(|(_, seat)| seat.name.as_str()).collect();
                dl class="facts" {
                    dt { "Game" } dd { (state.title) }
                    dt { "With" } dd { (there.join(", ")) }
                    dt { "Clock" } dd { (time(&state.time)) }
                    dt { "Counts" } dd { @match state.unrated {
                        Some(why) => { "no, because " (why) },
                        None if is_person => "yes: it is rated, without hints and take-backs",
                        None => "yes, if you have a name; as a guest you play it without rating",
                    } }
                }
                @if state.unrated.is_none() && !is_person { p { a href="/login" { "Claim a name first" } ", then open this link again." } }
            }
            p { "No account is needed. The game begins when all have come." }
            button class="btn primary big" type="submit" { "Take the seat" }
        }
    }
}

fn status(state: &MatchState) -> String {
    if let Some(over) = &state.over {
        return over.sentence.clone();
    }
    if !state.waiting.is_empty() {
        return "Waiting for your friend.".to_owned();
    }
    let note = state.note.as_deref().map(|note| format!("{note} ")).unwrap_or_default();
    let turn = match &state.asked {
        _ if state.suspended => "Paused. It goes on when the server is back.".to_owned(),
        Some(asked) if state.you == Some(asked.seat) => "Your turn.".to_owned(),
        Some(asked) => format!("{} is to move.", state.seats[asked.seat].name),
        None => "A moment.".to_owned(),
    };
    note + &turn
}

/// A word for whoever is no person.
pub(super) fn kind_chip(kind: Kind) -> Markup {
    html! {
        @match kind {
            Kind::Person => {},
            Kind::Computer => span class="chip bot" { "computer" },
            Kind::Bot => span class="chip bot" { (icon("bot")) "bot" },
        }
    }
}

fn panel(state: &MatchState, ply: u64, page_url: &str) -> Markup {
    html! {
        section class="floe flush panel" aria-label="Players, moves and actions" {
            (seats(state))
            (over(state))
            div class="tabbar" { div class="seg full" role="tablist" aria-label="What is shown below" {
                @for (pane, name) in [("moves", "Moves"), ("chat", "Chat"), ("details", "Details")] {
                    button type="button" role="tab" data-act=(pane) id=(format!("tab-{pane}")) aria-controls=(format!("pane-{pane}"))
                        aria-selected=(if pane == "moves" { "true" } else { "false" }) {
                        (name) @if pane == "chat" { span class="cnt" data-part="unread" hidden {} }
                    }
                }
            } }
            div class="pane" id="pane-moves" role="tabpanel" aria-labelledby="tab-moves" { (moves(state, ply)) }
            div class="pane" id="pane-chat" role="tabpanel" aria-labelledby="tab-chat" hidden { (chat()) }
            div class="pane" id="pane-details" role="tabpanel" aria-labelledby="tab-details" hidden { (details(state, page_url)) }
            (actions(state))
            form class="typed" data-part="typed" hidden[!state.is_played()] {
                input type="text" maxlength="200" aria-label="Type a move" placeholder="Type a move" autocomplete="off" autocapitalize="off" spellcheck="false";
                button class="btn" type="submit" { "Play" }
            }
        }
        p class="tiny dim keyline hide-phone" data-part="keyline" hidden[!state.is_played()] {
            kbd { "Tab" } " next piece " kbd { "↑" } kbd { "↓" } " cells " kbd { "Enter" } " choose " kbd { "?" } " keys"
        }
    }
}

/// The card of a match that is over, as large as the script will make it.
fn over(state: &MatchState) -> Markup {
    let how = state.over.as_ref().zip(state.you).and_then(|(over, you)| match over.winners.as_slice() {
        [] => None,
        [only] if *only == you => Some("You won."),
        many if many.contains(&you) => Some("A draw."),
        _ => Some("You lost."),
    });
    html! {
        div class="over" data-part="over" hidden[state.over.is_none()] {
            @if let Some(over) = &state.over {
                @if let Some(how) = how { p class="how" { (how) } }
                p class="sentence" { (over.sentence) }
                div class="row" {
                    @if let Some(next) = &state.rematch {
                        a class="btn primary" href=(format!("/m/{next}")) { "To the next game" }
                    } @else if let Some(cup) = &state.tournament {
                        a class="btn primary" href=(format!("/t/{cup}")) { "To the tournament" }
                    } @else if state.can.rematch { button class="btn primary" type="button" data-act="rematch" { "Rematch" } }
                    @if state.ply > 0 { button class="btn" type="button" data-act="again" { "Look again" } }
                }
            }
        }
    }
}

/// Who plays. Whoever looks and plays has a list of its own, which phones show below the board.
fn seats(state: &MatchState) -> Markup {
    let others = (0..state.seats.len()).filter(|idx| Some(*idx) != state.you);
    html! {
        div class={ "seats n" (state.seats.len()) @if state.seats.len() > 4 { " many" } } data-part="seats" {
            ol class="others" tabindex=[(state.seats.len() > 2).then_some("0")] aria-label=(if state.you.is_some() { "Other players" } else { "Players" }) {
                @for idx in others { (seat(state, idx)) }
            }
            @if let Some(you) = state.you { ol class="oneself" aria-label="You" { (seat(state, you)) } }
        }
    }
}

fn seat(state: &MatchState, idx: usize) -> Markup {
    let seat = &state.seats[idx];
    let is_turn = state.over.is_none() && state.asked.is_some_and(|asked| asked.seat == idx);
    html! {
        li class={ "seat" @if is_turn { " turn" } @if seat.out { " out" } } data-seat=(idx) {
            span class="coin" { (piece("rk-", idx)) }
            span class="who" {
                span { (seat.name) } (kind_chip(seat.kind))
                @if seat.you { span class="chip you" { "you" } }
            }
            span class="sub" { (said_of(state, idx)) }
            @if let Some(score) = state.over.as_ref().and_then(|over| over.scores.as_ref()?.get(idx)) {
                span class="score num" { (score) }
            } @else if let Some(ms) = state.clocks_ms.get(idx) {
                span class="clock" role="timer" { (clock(*ms)) }
            }
        }
    }
}

/// What the game calls a seat, and how it stands.
fn said_of(state: &MatchState, seat: usize) -> String {
    let own = state.scene.captions.iter().find(|caption| caption.place == PlaceData::Seat(seat));
    own.map_or_else(|| state.seats[seat].label.clone(), |caption| caption.text.clone())
}

/// The list of moves, as script makes it too, so that nothing jumps: in pairs where two move one after the other.
fn moves(state: &MatchState, ply: u64) -> Markup {
    let shown = || state.entries.iter().filter(|entry| entry.kind != "said");
    let moved = shown().filter(|entry| entry.kind == "moved");
    let pairs = state.seats.len() == 2 && moved.enumerate().all(|(idx, entry)| entry.seat == Some(idx % 2));
    html! {
        ol class={ "moves" @if pairs { " pairs" } } tabindex="0" aria-label="Moves" data-part="moves" {
            @for entry in shown() {
                @if entry.kind == "moved" {
                    @if !pairs || entry.seat == Some(0) {
                        li class="n" aria-hidden="true" { (if pairs { entry.ply.div_ceil(2) } else { entry.ply }) }
                    }
                    li { (move_link(state, entry, ply)) }
                } @else { li class="line" { (entry.sentence.as_deref().unwrap_or_default()) } }
            }
        }
    }
}

fn move_link(state: &MatchState, entry: &EntryData, ply: u64) -> Markup {
    html! {
        a href=(format!("/m/{}?ply={}", state.id, entry.ply)) data-ply=(entry.ply)
            aria-current=[(entry.ply == ply).then_some("step")] { (entry.text) }
    }
}

fn chat() -> Markup {
    html! {
        ol class="chat" data-part="chat" tabindex="0" aria-label="Chat" {}
        p class="dim tiny empty" data-part="quiet" { "Nobody has said anything." }
        form class="say" data-part="say" hidden {
            input type="text" maxlength="300" aria-label="Say something" placeholder="Say something" autocomplete="off";
            button class="btn" type="submit" { "Say" }
        }
    }
}

fn details(state: &MatchState, page_url: &str) -> Markup {
    let game = state.game.split(':').next().unwrap_or_default();
    let computers = state.seats.iter().map(|seat| match seat.kind {
        Kind::Person => "human",
        Kind::Computer => seat.name.split('#').next().unwrap_or_default(),
        Kind::Bot => "hard",
    });
    let players: Vec<&str> = computers.collect();
    let clock = if state.time == "untimed" { String::new() } else { format!(" --time {}", state.time) };
    html! {
        dl class="facts" {
            dt { "Game" } dd { (state.title) }
            dt { "Clock" } dd { (time(&state.time)) }
            dt { "Kind" } dd {
                @if state.casual { "casual: hints and take-backs" } @else { "no hints, no take-backs" }
                @match state.unrated { Some(why) => { "; not rated, because " (why) }, None => "; rated" }
            }
        }
        (copied("The game spec", &state.game))
        (copied("The same at the terminal", &format!("rookery play {}{clock} {}", state.game, players.join(" "))))
        (copied("To show it on another page", &format!("<iframe src=\"{page_url}/embed/{}\" width=\"420\" height=\"420\"></iframe>", state.id)))
        p class="links" {
            a href=(format!("/m/{}.jsonl", state.id)) download="" { "Record" }
            a href=(format!("/m/{}.svg", state.id)) { "Picture" }
            a href=(format!("/rules/{game}")) { "Rules" }
        }
    }
}

/// A line of code that can be copied.
pub(super) fn copied(name: &str, code: &str) -> Markup {
    html! {
        p class="tiny dim" { (name) }
        rk-copy class="spec" {
            code class="grow" { (code) }
            button class="btn quiet icon sm" type="button" aria-label=(format!("Copy: {name}")) { (icon("copy")) }
        }
    }
}

/// What a player does. Places never change; resigning stands apart.
fn actions(state: &MatchState) -> Markup {
    let button = |act: &str, picture: &str, name: &str, class: &str| {
        html! {
            button class=(format!("btn {class}")) type="button" data-act=(act) disabled { (icon(picture)) span { (name) } }
        }
    };
    html! {
        div class={ "actions" @if !state.is_played() { " looker" } } data-part="actions" {
            @if state.is_played() {
                (button("hint", "hint", "Hint", ""))
                (button("take_back", "undo", "Take back", ""))
                (button("draw", "draw", "Offer draw", "later"))
                (button("ask_resign", "flag", "Resign", "quiet danger later"))
            }
            button class="btn only-phone" type="button" data-act="sheet_moves" { (icon("list")) span { "Moves" } }
            button class="btn only-phone" type="button" data-act="sheet_chat" { (icon("chat")) span { "Chat" } span class="cnt" data-part="unread" hidden {} }
            // Behind "More", where phones have no room for them elsewhere.
            button class="btn only-phone later" type="button" data-act="sheet_details" { (icon("info")) span { "Details" } }
            button class="btn only-phone later" type="button" data-act="sound" aria-pressed="false" { (icon("sound")) span { "Sound" } }
            button class="btn only-phone later" type="button" data-act="share" { (icon("link")) span { "Share" } }
            button class="btn only-phone" type="button" data-act="more" aria-expanded="false" { (icon("more")) span { "More" } }
        }
        div class="question" data-part="question" role="group" hidden {}
        @if state.can.mv || state.can.resign { div class="plain" data-plain { (plain_actions(state)) } }
    }
}

/// What somebody without script can do.
fn plain_actions(state: &MatchState) -> Markup {
    let action = format!("/m/{}/do", state.id);
    html! {
        noscript {
            p class="dim tiny" { "Playing on the board needs JavaScript; here are your moves as buttons." }
            @if state.can.mv { form method="post" action=(action) { (move_choice(state)) } }
            @if state.can.resign {
                form method="post" action=(action) {
                    button class="btn quiet danger" name="what" value="resign" { "Resign" }
                }
            }
        }
    }
}

fn move_choice(state: &MatchState) -> Markup {
    html! {
        input type="hidden" name="ply" value=(state.ply);
        input type="hidden" name="what" value="move";
        @if !is_listed(state) {
            @for mv in &state.scene.moves { button class="btn sm" name="text" value=(mv.id) { (mv.label) } }
        } @else {
            select name="text" aria-label="Move" {
                @for mv in &state.scene.moves { option value=(mv.id) { (mv.label) } }
            }
            button class="btn" type="submit" { "Play" }
            p class="dim tiny" { "This page stays as it is while you choose. " a href={ "/m/" (state.id) } { "Look again" } }
        }
    }
}

/// Whether the moves are a list to choose from.
pub(crate) fn is_listed(state: &MatchState) -> bool {
    state.scene.moves.len() > MOST_BUTTONS
}

/// More moves than this are a list to choose from.
const MOST_BUTTONS: usize = 30;

/// All keys, on a sheet of their own.
fn keys() -> Markup {
    let board = [
        ("arrows", "to the neighbour"),
        ("Tab", "to the next cell where something can be done"),
        ("Enter, Space", "choose"),
        ("Esc", "not this"),
        ("Home, End", "first and last cell"),
        ("/", "type a move"),
        ("h", "hint"),
        ("u", "take back"),
        ("m", "legal moves"),
        ("c", "chat"),
        ("f", "turn the board"),
        ("R", "resign, after a question"),
    ];
    let again = [
        ("← →", "one move back or on"),
        ("Home, End", "first and last"),
        ("Space", "play through"),
        ("< >", "slower, faster"),
        ("d", "decisive moment"),
    ];
    html! {
        dialog class="floe sheet" data-part="keys" aria-label="Keys" {
            form method="dialog" class="stack" {
                h2 { "Keys" }
                @for (title, list) in [("On the board", &board[..]), ("Looking again", &again[..])] {
                    h3 { (title) }
                    dl class="facts" { @for (key, what) in list { dt { kbd { (key) } } dd { (what) } } }
                }
                button class="btn" { "Close" }
            }
        }
        dialog class="floe sheet" data-part="legal" aria-label="Legal moves" {
            form method="dialog" class="stack" { h2 { "Legal moves" } div class="row" {} button class="btn" value="" { "Close" } }
        }
    }
}
