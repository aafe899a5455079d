//! The lines that never move: the title above the board; below it how the match stands, what is said, and the keys.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::app::{Hot, Tone};
use crate::board;
use crate::palette::Role;
use crate::plan::Plan;
use crate::rich::{text_width, wrap};
use crate::screen::{line, tail};
use crate::telling::capital;
use crate::{App, Look, clean};

const SPINNER: [&str; 4] = ["|", "/", "-", "\\"];

/// A key as it is shown, and what it is.
pub(crate) type Key = (&'static str, KeyCode);

const PLAY_KEYS: &[Key] = &[
    ("Enter choose", KeyCode::Enter),
    ("u undo", KeyCode::Char('u')),
    ("h hint", KeyCode::Char('h')),
    ("m moves", KeyCode::Char('m')),
    ("[ back", KeyCode::Char('[')),
    ("? help", KeyCode::Char('?')),
    ("n new", KeyCode::Char('n')),
    ("s save", KeyCode::Char('s')),
    ("R resign", KeyCode::Char('R')),
    ("l load", KeyCode::Char('l')),
    ("q quit", KeyCode::Char('q')),
];

const OVER_KEYS: &[Key] = &[
    ("n new", KeyCode::Char('n')),
    ("r review", KeyCode::Char('r')),
    ("u undo", KeyCode::Char('u')),
    ("[ back", KeyCode::Char('[')),
    ("s save", KeyCode::Char('s')),
    ("l load", KeyCode::Char('l')),
    ("? help", KeyCode::Char('?')),
    ("q quit", KeyCode::Char('q')),
];

const BACK_KEYS: &[Key] = &[
    ("Esc now", KeyCode::Esc),
    ("← back", KeyCode::Left),
    ("→ forth", KeyCode::Right),
    ("Home first", KeyCode::Home),
    ("s save", KeyCode::Char('s')),
    ("? help", KeyCode::Char('?')),
    ("q quit", KeyCode::Char('q')),
];

const WATCH_KEYS: &[Key] = &[
    ("space stop/go", KeyCode::Char(' ')),
    ("← back", KeyCode::Left),
    ("→ forth", KeyCode::Right),
    ("+ faster", KeyCode::Char('+')),
    ("- slower", KeyCode::Char('-')),
    ("r review", KeyCode::Char('r')),
    ("? help", KeyCode::Char('?')),
    ("s save", KeyCode::Char('s')),
    ("q quit", KeyCode::Char('q')),
];

const REVIEW_KEYS: &[Key] = &[
    ("→ next", KeyCode::Right),
    ("← back", KeyCode::Left),
    ("Tab mistake", KeyCode::Tab),
    ("p play on", KeyCode::Char('p')),
    ("m mistakes", KeyCode::Char('m')),
    ("Esc end", KeyCode::Esc),
    ("? help", KeyCode::Char('?')),
    ("q quit", KeyCode::Char('q')),
];

const TRIAL_KEYS: &[Key] = &[
    ("Enter choose", KeyCode::Enter),
    ("Tab next", KeyCode::Tab),
    ("u undo", KeyCode::Char('u')),
    ("n again", KeyCode::Char('n')),
    ("h hint", KeyCode::Char('h')),
    ("m moves", KeyCode::Char('m')),
    ("q back to the rules", KeyCode::Char('q')),
];

/// The key that shows another part of a large board, which is needed before all others.
const PART: Key = ("PgUp/PgDn/</> board", KeyCode::PageDown);

/// The key that ends explanations.
const ENOUGH: Key = ("g stop explaining", KeyCode::Char('g'));

/// The game, its setup, and which move it is.
pub(crate) fn title(app: &App, area: Rect, buffer: &mut Buffer) {
    let bar = Rect { height: 1, ..area };
    let n_moves = app.table.history().iter().filter(|entry| entry.deed.as_move().is_some()).count();
    let right = match app.watch {
        _ if app.reviewed().is_some() => match app.judged() {
            Some(judged) => format!(" review, move {} of {} ", judged.ply, app.table.n_moves()),
            None => " review, the end ".to_owned(),
        },
        Some(watch) if watch.paused => format!(" stopped, move {n_moves} "),
        Some(watch) => format!(" {:.2} s a move, move {n_moves} ", watch.delay.as_secs_f64()),
        None if app.looks_back() => format!(" after move {n_moves} of {} ", app.table.n_moves()),
        None => format!(" move {} ", n_moves + 1),
    };
    title_bar(
        &format!(" {}", app.scene.title),
        &if app.is_trial { "a board of the rules".to_owned() } else { clean(&app.table.spec().game) },
        &right,
        bar,
        app.look,
        buffer,
    );
}

/// A bar with a name, what there is to know about it, and something at its right end.
pub(crate) fn title_bar(name: &str, about: &str, right: &str, bar: Rect, look: Look, buffer: &mut Buffer) {
    buffer.set_style(bar, look.bar());
    line(buffer, bar, 0, name, look.bar().add_modifier(Modifier::BOLD));
    let soft = look.bar().patch(look.soft());
    let x = i32::from(bar.x) + text_width(name) as i32 + 2;
    board::put(buffer, bar, (x, bar.y.into()), about, soft);
    let x = i32::from(bar.right()) - text_width(right) as i32;
    board::put(buffer, bar, (x, bar.y.into()), right, soft);
}

/// How the match stands, what is said, and the keys.
pub(crate) fn bottom(app: &mut App, area: Rect, is_narrow: bool, buffer: &mut Buffer) {
    let look = app.look;
    let inside = Rect { x: area.x + 3.min(area.width), width: area.width.saturating_sub(3), ..area };
    let spin = SPINNER[app.spinner / 2 % SPINNER.len()];
    let thinking = app.table.thinking();
    let is_spinning = thinking.is_some() || app.table.is_hinting() || app.is_judging();
    let lead = match (is_spinning, look.has_figures()) {
        (true, _) => spin,
        (false, true) => "●",
        (false, false) => "*",
    };
    board::put(buffer, area, (i32::from(area.x) + 1, area.y.into()), lead, look.loud());
    let (status, more) = match thinking {
        Some(seat) => (format!("{} thinks; Esc: move now", capital(&app.table.who(seat))), String::new()),
        None if app.reviewed().is_some() => app.review_status(),
        None => status(app, is_narrow),
    };
    let is_over = app.table.verdict().is_some();
    let bold = look.ink(Role::Ink).add_modifier(Modifier::BOLD);
    line(buffer, inside, 0, &status, if is_over { look.loud() } else { bold });
    let width = (text_width(&status) as u16 + 1).min(inside.width);
    let rest = Rect { x: inside.x + width, width: inside.width - width, ..inside };
    line(buffer, rest, 0, &more, look.soft());
    message(app, inside, is_over, buffer);
    let bar = Rect { y: area.bottom() - 1, height: 1, ..area };
    buffer.set_style(bar, look.bar());
    if let Some(input) = &app.input {
        let room = usize::from(area.width).saturating_sub(40);
        let (what, does, input) = match input.strip_prefix("say ") {
            Some(said) => ("say", "says", said),
            None => ("move", "plays", input.as_str()),
        };
        let text = format!(" {what}: {}_   (Enter {does} it, Esc does not)", clean(&tail(input, room)));
        line(buffer, bar, 0, &text, look.bar().add_modifier(Modifier::BOLD));
    } else {
        let keys = match app.watch {
            _ if app.reviewed().is_some() => REVIEW_KEYS,
            _ if app.is_trial => TRIAL_KEYS,
            Some(_) => WATCH_KEYS,
            None if app.looks_back() => BACK_KEYS,
            None if is_over => OVER_KEYS,
            None => PLAY_KEYS,
        };
        let is_part = app.plan.as_ref().is_some_and(Plan::is_part);
        let is_guided = app.guide && app.watch.is_none() && !app.looks_back() && !app.is_trial;
        let guide = is_guided.then_some(ENOUGH);
        let part = is_part.then_some(PART).into_iter().chain(guide);
        let keys: Vec<Key> = keys[..1].iter().copied().chain(part).chain(keys[1..].iter().copied()).collect();
        app.hot.extend(key_bar(&keys, bar, look, buffer));
    }
}

/// Two lines: what begins with a word and a colon stands out by it.
fn message(app: &App, inside: Rect, is_over: bool, buffer: &mut Buffer) {
    let look = app.look;
    let (tone, message) = said(app, is_over);
    let mut lines = vec![];
    for text in message.lines() {
        lines.extend(wrap(text, inside.width.into()));
    }
    if lines.len() > 2 {
        let rest = lines.split_off(1).join(" ");
        lines.push(rest);
    }
    let style = match tone {
        Tone::Calm | Tone::Loud => look.soft(),
        Tone::Wrong => look.ink(Role::Bad),
    };
    for (row, text) in (1..).zip(&lines) {
        line(buffer, inside, row, text, style);
    }
    if tone == Tone::Loud
        && let Some((label, _)) = lines.first().and_then(|first| first.split_once(": "))
    {
        let width = (text_width(label) as u16 + 1).min(inside.width);
        buffer.set_style(Rect { y: inside.y + 1, height: 1, width, ..inside }, look.good());
    }
}

/// What is said below the status: the last message, or else what can be said about how it stands.
fn said(app: &App, is_over: bool) -> (Tone, String) {
    if let Some(progress) = app.judging() {
        return (Tone::Loud, progress);
    }
    if !app.message.1.is_empty() {
        return app.message.clone();
    }
    if let Some(text) = app.review_message() {
        return (Tone::Loud, text);
    }
    if let Some(text) = app.guidance() {
        return (Tone::Calm, text);
    }
    let text = match (is_over, &app.watch) {
        (true, _) if app.is_trial => "n: once more   u: take it back   q: back to the rules".to_owned(),
        (true, None) => {
            format!("{}\nn: a new match   u: take it back   r: review   q: leave", app.ended.told)
        }
        (true, Some(_)) => "r: review   q: leave".to_owned(),
        (false, _) => String::new(),
    };
    (Tone::Calm, text.trim_start().to_owned())
}

/// Whose turn it is, or how it ended; and what is under the cursor.
fn status(app: &App, is_narrow: bool) -> (String, String) {
    let status = app.table.status(&app.scene);
    if app.table.verdict().is_some() {
        return (status, String::new());
    }
    if app.looks_back() {
        return (format!("Looking back: {status}"), String::new());
    }
    let last = app.listed.last().filter(|_| is_narrow).map(|item| format!("Last: {}. ", item.text));
    let last = last.unwrap_or_default();
    match (app.scene.cells.get(app.cursor), app.table.person_to_move()) {
        (Some(cell), Some(_)) if app.watch.is_none() => {
            let pieces: Vec<&str> = app.scene.pieces_on(&cell.id).map(|piece| piece.label.as_str()).collect();
            let on = if pieces.is_empty() { String::new() } else { format!(", {}", pieces.join(", ")) };
            // What is at the end may be cut off, and the other player's move must not be.
            (status, format!("{last}Cursor: {}{on}", cell.label))
        }
        _ => (status, last.trim_end_matches(". ").to_owned()),
    }
}

/// A line of keys that can be clicked at. Where there is no room for all, those at the end go, but never the way out and
/// the help.
pub(crate) fn key_bar(keys: &[Key], area: Rect, look: Look, buffer: &mut Buffer) -> Vec<(Rect, Hot)> {
    let width = |keys: &[Key]| keys.iter().map(|(text, _)| text_width(text) + 2).sum::<usize>();
    let stays = |key: KeyCode| matches!(key, KeyCode::Char('?' | 'q') | KeyCode::PageDown);
    let mut keys = keys.to_vec();
    while width(&keys) > usize::from(area.width) + 1
        && let Some(last) = keys.iter().rposition(|&(_, key)| !stays(key))
    {
        keys.remove(last);
    }
    let mut hot = vec![];
    let mut x = area.x + 1;
    for (text, key) in keys {
        let width = text_width(text) as u16;
        if x + width > area.right() {
            break;
        }
        let spot = Rect { x, width, ..area };
        line(buffer, spot, 0, text, look.soft());
        let key_width = text.chars().take_while(|c| *c != ' ').count();
        // On a bar that is only reversed a colour would become a block.
        let is_reversed = look.bar().add_modifier.contains(Modifier::REVERSED);
        let style = if is_reversed { Style::default().add_modifier(Modifier::BOLD) } else { look.loud() };
        buffer.set_style(Rect { width: key_width as u16, ..spot }, style);
        hot.push((spot, Hot::Key(key)));
        x += width + 2;
    }
    hot
}
