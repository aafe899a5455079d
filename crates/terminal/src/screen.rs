//! Drawing the full screen.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use rookery_rules::Seat;
use rookery_rules::scene::Place;

use crate::app::{Hot, Tone};
use crate::board::{self, Marks};
use crate::list::List;
use crate::plain::clock_text;
use crate::plan::Plan;
use crate::popup::Popup;
use crate::rich::{Rich, fit, text_width, wrap};
use crate::telling::capital;
use crate::{App, clean, markdown};

/// The width that the list of moves needs at least, and what it takes at most.
const PANEL: (u16, u16) = (22, 36);
/// Lines above and below the board.
const TOP: u16 = 1;
const BOTTOM: u16 = 4;

const SPINNER: [char; 4] = ['|', '/', '-', '\\'];

const PLAY_KEYS: &[(&str, KeyCode)] = &[
    ("Enter", KeyCode::Enter),
    ("u undo", KeyCode::Char('u')),
    ("[ back", KeyCode::Char('[')),
    ("h hint", KeyCode::Char('h')),
    ("? help", KeyCode::Char('?')),
    ("n new", KeyCode::Char('n')),
    ("s save", KeyCode::Char('s')),
    ("l load", KeyCode::Char('l')),
    ("R resign", KeyCode::Char('R')),
    ("q quit", KeyCode::Char('q')),
];

const BACK_KEYS: &[(&str, KeyCode)] = &[
    ("Esc now", KeyCode::Esc),
    ("← back", KeyCode::Left),
    ("→ forth", KeyCode::Right),
    ("Home first", KeyCode::Home),
    ("s save", KeyCode::Char('s')),
    ("? help", KeyCode::Char('?')),
    ("q quit", KeyCode::Char('q')),
];

const WATCH_KEYS: &[(&str, KeyCode)] = &[
    ("space stop/go", KeyCode::Char(' ')),
    ("← back", KeyCode::Left),
    ("→ forth", KeyCode::Right),
    ("+ faster", KeyCode::Char('+')),
    ("- slower", KeyCode::Char('-')),
    ("? help", KeyCode::Char('?')),
    ("s save", KeyCode::Char('s')),
    ("q quit", KeyCode::Char('q')),
];

/// Draws everything, and remembers what can be clicked at.
pub fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    app.hot.clear();
    app.plan = None;
    let room = Rect {
        x: area.x,
        y: area.y + TOP,
        width: area.width.saturating_sub(PANEL.0 + 1),
        height: area.height.saturating_sub(TOP + BOTTOM),
    };
    match Plan::new(&app.scene, room, app.view.offset) {
        Err((width, height)) => return too_small(area, (width + PANEL.0 + 1, height + TOP + BOTTOM), buffer),
        Ok(plan) => {
            // What the board leaves goes to the list of moves, up to a limit.
            let panel = area.width.saturating_sub(plan.area.width + 1).clamp(PANEL.0, PANEL.1);
            let room = Rect { width: area.width - panel - 1, ..room };
            let plan = follow(app, room).unwrap_or(plan);
            let panel = Rect { x: area.right() - panel, width: panel, ..room };
            title(app, area, buffer);
            draw_board(app, &plan, buffer);
            draw_panel(app, panel, buffer);
            app.plan = Some(plan);
        }
    }
    let bottom = Rect { y: area.bottom() - BOTTOM, height: BOTTOM, ..area };
    draw_bottom(app, bottom, buffer);
    if let Some(popup) = app.popup.clone() {
        app.hot.clear();
        draw_popup(app, &popup, area, buffer);
    }
}

/// The plan for this room, moved so that what has changed on a large board is seen.
fn follow(app: &mut App, room: Rect) -> Option<Plan> {
    let mut plan = Plan::new(&app.scene, room, app.view.offset).ok()?;
    let followed = Some((app.to_follow(), room));
    if app.view.followed != followed {
        for &cell in followed.iter().flat_map(|(cells, _)| cells) {
            plan = Plan::new(&app.scene, room, plan.showing(cell)).ok()?;
        }
        app.view.followed = followed;
    }
    app.view.offset = plan.offset;
    Some(plan)
}

/// Writes one line, cut off where the area ends.
pub(crate) fn line(buffer: &mut Buffer, area: Rect, row: u16, text: &str, style: Style) {
    let at = (i32::from(area.x), i32::from(area.y) + i32::from(row));
    board::put(buffer, area, at, &fit(text, area.width.into()), style);
}

/// The same for a line of which some stands out.
fn rich_line(buffer: &mut Buffer, area: Rect, row: u16, text: &Rich) {
    let (mut x, y) = (i32::from(area.x), i32::from(area.y) + i32::from(row));
    for (c, accent) in text.chars() {
        let c = c.to_string();
        board::put(buffer, area, (x, y), &c, accent.style());
        x += text_width(&c) as i32;
    }
}

fn too_small(area: Rect, (width, height): (u16, u16), buffer: &mut Buffer) {
    let text = format!(
        "This board needs a window of at least {width} by {height} characters; this one has {} by {}. \
         Make it larger, or press q and play with --plain.",
        area.width, area.height
    );
    for (row, text) in (0..).zip(wrap(&text, area.width.into())) {
        line(buffer, area, row, &text, Style::default());
    }
}

fn title(app: &App, area: Rect, buffer: &mut Buffer) {
    let style = app.palette.bar().add_modifier(Modifier::BOLD);
    let bar = Rect { height: 1, ..area };
    buffer.set_style(bar, style);
    line(buffer, bar, 0, &format!(" {}  {}", app.scene.title, clean(&app.table.spec().game)), style);
    let n_moves = app.table.history().iter().filter(|entry| entry.deed.as_move().is_some()).count();
    let right = match app.watch {
        Some(watch) if watch.paused => format!(" stopped, move {n_moves} "),
        Some(watch) => format!(" {:.2} s a move, move {n_moves} ", watch.delay.as_secs_f64()),
        None if app.looks_back() => format!(" after move {n_moves} of {} ", app.table.n_moves()),
        None => format!(" move {} ", n_moves + 1),
    };
    let x = i32::from(bar.right()) - right.chars().count() as i32;
    board::put(buffer, bar, (x, i32::from(bar.y)), &right, style);
}

fn draw_board(app: &mut App, plan: &Plan, buffer: &mut Buffer) {
    let last = app.last.iter().flat_map(|mv| [mv.from.as_deref(), mv.to.as_deref()]).flatten();
    let marks = Marks {
        cursor: app.cursor_id().filter(|_| app.has_cursor()),
        selected: app.selected.as_deref(),
        targets: app.targets(),
        last: last.collect(),
    };
    board::draw(&app.scene, plan, &marks, app.palette, buffer);
    let more = board::draw_more(plan, app.palette.loud(), buffer);
    app.hot.extend(more.into_iter().map(|(edge, key)| (edge, Hot::Key(key))));
}

/// Who plays, what they have, their time, and the moves so far.
fn draw_panel(app: &App, area: Rect, buffer: &mut Buffer) {
    let mut row = 0;
    let to_move = app.table.to_move();
    for seat in Seat::all(app.table.spec().n_seats()) {
        let caption = app.scene.captions.iter().find(|caption| caption.place == Place::Seat(seat));
        let text = caption.map_or_else(|| app.table.label(seat), |caption| caption.text.clone());
        let (name, has) = text.split_once(": ").unwrap_or((&text, ""));
        let is_asked = to_move == Some(seat);
        let style = if is_asked { app.palette.loud() } else { Style::default() };
        line(buffer, area, row, if is_asked { ">" } else { " " }, style);
        put_mark(app, seat, inset(area, 1), row, buffer);
        line(buffer, inset(area, 5), row, name, style);
        let player = app.table.player(seat);
        let has = if has.is_empty() { player } else { format!("{has}, {player}") };
        line(buffer, inset(area, 5), row + 1, &has, style);
        if let Some(time) = app.table.time_left(seat, app.now) {
            let text = format!(" {}", clock_text(time));
            let x = i32::from(area.right()) - text.chars().count() as i32;
            board::put(buffer, area, (x, i32::from(area.y + row)), &text, style.add_modifier(Modifier::BOLD));
        }
        row += 2;
    }
    row += 1;
    let rest = Rect { y: area.y + row.min(area.height), height: area.height.saturating_sub(row), ..area };
    let history = app.table.history();
    let skipped = history.len().saturating_sub(rest.height.into());
    for (row, (number, entry)) in (0..).zip(history.iter().enumerate().skip(skipped)) {
        line(buffer, rest, row, &format!("{:>3}", number + 1), app.palette.faint());
        if let Some(seat) = entry.seat {
            put_mark(app, seat, inset(rest, 4), row, buffer);
        }
        let is_last = number + 1 == history.len();
        let style = if is_last { app.palette.loud() } else { Style::default() };
        line(buffer, inset(rest, 8), row, &app.table.deed(entry), style);
    }
}

fn inset(area: Rect, by: u16) -> Rect {
    Rect { x: area.x + by, width: area.width.saturating_sub(by), ..area }
}

/// The sign of a seat, as its pieces have it.
fn put_mark(app: &App, seat: Seat, area: Rect, row: u16, buffer: &mut Buffer) {
    let piece = app.scene.pieces.iter().find(|piece| piece.seat == seat);
    let name = app.table.label(seat);
    let mark = piece.map_or_else(
        || name.chars().last().map(String::from).unwrap_or_default(),
        |piece| piece.mark.clone(),
    );
    line(buffer, area, row, &format!(" {mark} "), app.palette.piece(app.scene.sprite, seat));
}

fn draw_bottom(app: &mut App, area: Rect, buffer: &mut Buffer) {
    let status = match app.table.thinking() {
        Some(seat) => {
            let spin = SPINNER[app.spinner / 2 % SPINNER.len()];
            format!("{spin} {} thinks; Esc: move now", capital(&app.table.who(seat)))
        }
        None if app.table.is_hinting() => {
            format!("{} {}", SPINNER[app.spinner / 2 % SPINNER.len()], app.table.status(&app.scene))
        }
        None => status(app),
    };
    let is_over = app.table.verdict().is_some();
    let style = if is_over { app.palette.loud() } else { Style::default().add_modifier(Modifier::BOLD) };
    line(buffer, area, 0, &status, style);
    let style = match app.message.0 {
        Tone::Calm => Style::default(),
        Tone::Loud => app.palette.loud(),
        Tone::Wrong => app.palette.wrong(),
    };
    let message = match app.message.1.as_str() {
        "" if is_over && app.watch.is_none() => "n: a new match   u: take it back   q: leave",
        message => message,
    };
    let mut lines = wrap(message, area.width.into());
    if lines.len() > 2 {
        let rest = lines.split_off(1).join(" ");
        lines.push(rest);
    }
    for (row, text) in (1..).zip(&lines) {
        line(buffer, area, row, text, style);
    }
    let bar = Rect { y: area.bottom() - 1, height: 1, ..area };
    buffer.set_style(bar, app.palette.bar());
    if let Some(input) = &app.input {
        let room = usize::from(area.width).saturating_sub(40);
        let text = format!(" move: {}_   (Enter plays it, Esc does not)", clean(&tail(input, room)));
        line(buffer, bar, 0, &text, app.palette.bar().add_modifier(Modifier::BOLD));
    } else {
        let keys = match app.watch {
            Some(_) => WATCH_KEYS,
            None if app.looks_back() => BACK_KEYS,
            None => PLAY_KEYS,
        };
        let keys =
            if app.plan.as_ref().is_some_and(Plan::is_part) { keys_of_part(keys) } else { keys.to_vec() };
        app.hot.extend(key_bar(&keys, bar, app.palette.bar(), buffer));
    }
}

/// The keys of a board that is seen in part. The window is small: the way out comes before what can be found in the
/// help, and what is pressed once in a match is only there.
fn keys_of_part(keys: &[(&'static str, KeyCode)]) -> Vec<(&'static str, KeyCode)> {
    let is_rare = |key: KeyCode| matches!(key, KeyCode::Char('n' | 's' | 'l' | 'R'));
    let is_way_out = |key: KeyCode| matches!(key, KeyCode::Char('?' | 'q'));
    let mut keys: Vec<_> = keys.iter().copied().filter(|&(_, key)| !is_rare(key)).collect();
    keys[1..].sort_by_key(|&(_, key)| !is_way_out(key));
    keys.insert(1, ("PgUp/PgDn/</> board", KeyCode::PageDown));
    keys
}

/// The end of what is typed, as far as there is room.
pub(crate) fn tail(text: &str, room: usize) -> String {
    let skipped = text.chars().count().saturating_sub(room);
    text.chars().skip(skipped).collect()
}

/// Whose turn it is, or how it ended, and what is under the cursor.
fn status(app: &App) -> String {
    let status = app.table.status(&app.scene);
    if app.table.verdict().is_some() {
        return status;
    }
    if app.looks_back() {
        return format!("Looking back: {status}");
    }
    match (app.scene.cells.get(app.cursor), app.table.person_to_move()) {
        (Some(cell), Some(_)) if app.watch.is_none() => {
            let pieces: Vec<&str> = app.scene.pieces_on(&cell.id).map(|piece| piece.label.as_str()).collect();
            let on = if pieces.is_empty() { String::new() } else { format!(", {}", pieces.join(", ")) };
            format!("{status} Cursor: {}{on}", cell.label)
        }
        _ => status,
    }
}

/// A line of keys that can be clicked at.
pub(crate) fn key_bar(
    keys: &[(&str, KeyCode)],
    area: Rect,
    style: Style,
    buffer: &mut Buffer,
) -> Vec<(Rect, Hot)> {
    let mut hot = vec![];
    let mut x = area.x + 1;
    for &(text, key) in keys {
        let width = text.chars().count() as u16;
        if x + width > area.right() {
            break;
        }
        let spot = Rect { x, width, ..area };
        line(buffer, spot, 0, text, style);
        let key_width = text.chars().take_while(|c| *c != ' ').count();
        buffer.set_style(
            Rect { width: key_width as u16, ..spot },
            Style::default().add_modifier(Modifier::BOLD),
        );
        hot.push((spot, Hot::Key(key)));
        x += width + 2;
    }
    hot
}

/// How wide a list of moves is, and what a frame takes of it.
const CHOICE: u16 = 50;
const FRAME: u16 = 4;

fn draw_popup(app: &mut App, popup: &Popup, area: Rect, buffer: &mut Buffer) {
    match popup {
        Popup::Text { title, text, scroll } => draw_text(app, (title, text, *scroll), area, buffer),
        Popup::Ask { question, .. } => {
            let inside = frame(area, (44, 4), question, app, buffer);
            let note = match app.table.record() {
                Some(_) => "The record is kept.",
                None => "No record is kept.",
            };
            line(buffer, inside, 0, note, app.palette.faint());
            let keys = &[("y yes", KeyCode::Char('y')), ("n no", KeyCode::Char('n'))];
            let row = Rect { y: inside.y + 1, height: 1, ..inside };
            app.hot = key_bar(keys, row, Style::default(), buffer);
        }
        Popup::Choice { moves, at } => {
            let width = CHOICE.min(area.width);
            let items = moves.iter().enumerate().map(|(number, (id, label))| {
                let sign = if number == *at { ">" } else { " " };
                (format!("{sign}{:>3} {id}  ", number + 1), clean(label))
            });
            let list = List::new(items, width.saturating_sub(FRAME).into());
            let height = (list.len() as u16 + 2).min(area.height.saturating_sub(4)).max(3);
            let inside = frame(area, (width, height), "Which move?", app, buffer);
            for (row, number, text) in list.visible(*at, inside.height) {
                let style = if number == *at { app.palette.loud() } else { Style::default() };
                line(buffer, inside, row, text, style);
                app.hot.push((Rect { y: inside.y + row, height: 1, ..inside }, Hot::Row(number)));
            }
        }
        Popup::File { purpose, text, offered } => {
            let inside = frame(area, (70, 4), purpose.title(), app, buffer);
            let room = usize::from(inside.width).saturating_sub(1);
            let (name, note) = if text.is_empty() && !offered.is_empty() {
                let note = "Enter: do it   Tab: change the name, or type another   Esc: do not";
                (clean(&tail(offered, room)), note)
            } else {
                (format!("{}_", clean(&tail(text, room))), "Enter: do it   Esc: do not")
            };
            line(buffer, inside, 0, &name, app.palette.loud());
            line(buffer, inside, 1, note, app.palette.faint());
        }
    }
}

fn draw_text(app: &mut App, (title, text, scroll): (&str, &str, usize), area: Rect, buffer: &mut Buffer) {
    let inside = frame(area, (area.width.min(90), area.height.saturating_sub(2)), title, app, buffer);
    let lines = markdown::render(text, inside.width.into());
    let height = usize::from(inside.height.saturating_sub(1));
    let last = lines.len().saturating_sub(height);
    let scroll = scroll.min(last);
    if let Some(Popup::Text { scroll: kept, .. }) = &mut app.popup {
        *kept = scroll;
    }
    for (row, text) in (0..inside.height.saturating_sub(1)).zip(lines.iter().skip(scroll)) {
        rich_line(buffer, inside, row, text);
    }
    let more = if scroll < last { "up, down, space: read on   " } else { "" };
    line(buffer, inside, inside.height.saturating_sub(1), &format!("{more}Esc: back"), app.palette.faint());
}

/// An empty box in the middle; gives back its inside.
fn frame(area: Rect, (width, height): (u16, u16), title: &str, app: &App, buffer: &mut Buffer) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let outer =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    framed(outer, title, app.palette.loud(), buffer)
}

/// An empty box with a title; gives back its inside.
pub(crate) fn framed(outer: Rect, title: &str, style: Style, buffer: &mut Buffer) -> Rect {
    use ratatui::widgets::{Block, Clear, Padding, Widget};
    Clear.render(outer, buffer);
    let block =
        Block::bordered().title(format!(" {title} ")).title_style(style).padding(Padding::horizontal(1));
    let inside = block.inner(outer);
    block.render(outer, buffer);
    inside
}
