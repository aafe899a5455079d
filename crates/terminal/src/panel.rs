//! Beside the board, or above it: who plays, what they have, their time, and the moves so far.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use rookery_rules::Seat;
use rookery_rules::scene::Place;
use rookery_study::{Judged, ReviewedPlayer};

use crate::figure::Cast;
use crate::listed::Listed;
use crate::palette::Role;
use crate::plain::clock_text;
use crate::rich::{fit, text_width};
use crate::screen::{inset, line};
use crate::{App, board, graph};

/// Who has less time than this is told so.
const LITTLE: Duration = Duration::from_secs(30);

/// The width of the list's numbers, and of a chip with the space around it.
const NUMBER: u16 = 4;
const CHIP: u16 = 4;

/// The lines of a review's graph with its title and its marks, in a narrow list and in a wide one, and what is left for moves
/// at least.
const GRAPH: (u16, u16) = (3, 7);
const WIDE: u16 = 28;
const LIST: u16 = 4;

/// Everything about a seat that is shown.
struct Who {
    seat: Seat,
    name: String,
    /// What the seat is called, and what it has.
    colour: String,
    has: String,
    clock: Option<Duration>,
    is_asked: bool,
}

fn all(app: &App) -> Vec<Who> {
    let to_move = app.table.to_move();
    let seats = Seat::all(app.table.spec().n_seats()).map(|seat| {
        let caption = app.scene.captions.iter().find(|caption| caption.place == Place::Seat(seat));
        let label = app.table.label(seat);
        let text = caption.map_or_else(|| label.clone(), |caption| caption.text.clone());
        let (called, has) = text.split_once(": ").unwrap_or((&text, ""));
        // What the game adds to the label says more than the label.
        let colour = called.strip_prefix(&label).map(|rest| rest.trim_start_matches([',', ' ']));
        let colour = colour.filter(|rest| !rest.is_empty()).unwrap_or(called).to_owned();
        let (colour, has) = match app.reviewed().and_then(|review| review.players.get(seat.index())) {
            Some(player) => (String::new(), accuracy(player)),
            None => (colour, has.to_owned()),
        };
        Who {
            seat,
            name: app.table.player(seat),
            colour,
            has,
            clock: app.table.time_left(seat, app.now),
            is_asked: to_move == Some(seat),
        }
    });
    seats.collect()
}

/// How well somebody played, in a few words.
fn accuracy(player: &ReviewedPlayer) -> String {
    let accuracy = player.accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.0} %"));
    let counts = [(player.inaccuracies, "?!"), (player.mistakes, "?"), (player.blunders, "??")];
    let counts = counts.iter().filter(|(n, _)| *n > 0).map(|(n, sign)| format!(", {n} {sign}"));
    format!("accuracy {accuracy}{}", counts.collect::<String>())
}

/// The seats and the moves, one below the other.
pub(crate) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let seats = all(app);
    let gap = u16::from(seats.len() < 4);
    let mut row = gap;
    for who in &seats {
        draw_seat(app, who, area, row, buffer);
        row += 2 + gap;
    }
    row += 1 - gap;
    let mut rest = Rect { y: area.y + row.min(area.height), height: area.height.saturating_sub(row), ..area };
    if let Some(review) = app.reviewed() {
        let wanted = if area.width >= WIDE { GRAPH.1 } else { GRAPH.0 };
        let height = if rest.height >= wanted + LIST { wanted } else { 0 };
        rest.height -= height;
        graph::draw(app, review, Rect { y: rest.bottom(), height, ..rest }, buffer);
    }
    draw_list(app, rest, seats.len(), buffer);
}

fn draw_seat(app: &App, who: &Who, area: Rect, row: u16, buffer: &mut Buffer) {
    let look = app.look;
    let is_seen = row + 2 <= area.height;
    let lines = Rect { y: area.y + row, height: 2, ..area };
    if who.is_asked && is_seen {
        buffer.set_style(lines, look.turn());
    }
    if who.is_asked {
        let sign = if look.has_figures() { "▌" } else { ">" };
        line(buffer, area, row, sign, look.loud());
        if look.has_figures() {
            line(buffer, area, row + 1, sign, look.loud());
        }
    }
    draw_chip(app, who.seat, inset(area, 2), row, buffer);
    let clock = who.clock.map(|time| clock(who, time));
    let clock_width = clock.as_ref().map_or(0, |text| text_width(text) as u16 + 1);
    let name = Rect { width: area.width.saturating_sub(6 + clock_width), ..inset(area, 6) };
    line(buffer, name, row, &who.name, look.ink(Role::Ink).add_modifier(Modifier::BOLD));
    if let (Some(text), Some(time)) = (clock, who.clock) {
        let x = i32::from(area.right()) - text_width(&text) as i32;
        let at = (x, i32::from(area.y + row));
        board::put(buffer, area, at, &text, clock_style(app, who, time));
    }
    let about: Vec<&str> =
        [who.colour.as_str(), who.has.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
    line(buffer, inset(area, 6), row + 1, &about.join(", "), look.soft());
}

/// The clock of whoever moves stands out; one with little time left says so.
fn clock(who: &Who, time: Duration) -> String {
    let sign = if who.is_asked && time < LITTLE { "!" } else { " " };
    format!("{sign}{} ", clock_text(time))
}

fn clock_style(app: &App, who: &Who, time: Duration) -> Style {
    let look = app.look;
    let style = match (who.is_asked, time < LITTLE) {
        (true, true) => look.both(look.tint(Role::OnClock), look.tint(Role::Bad)),
        (true, false) => look.both(look.tint(Role::OnClock), look.tint(Role::Clock)),
        (false, _) => look.both(look.tint(Role::Soft), look.tint(Role::Card)),
    };
    let style = style.add_modifier(Modifier::BOLD);
    if who.is_asked && !look.has_colours() { style.add_modifier(Modifier::REVERSED) } else { style }
}

/// The sign of a seat, as its pieces have it.
fn draw_chip(app: &App, seat: Seat, area: Rect, row: u16, buffer: &mut Buffer) {
    let piece = app.scene.pieces.iter().find(|piece| piece.seat == seat);
    let name = app.table.label(seat);
    let mark = piece.map_or_else(
        || name.chars().last().map(String::from).unwrap_or_default(),
        |piece| piece.mark.clone(),
    );
    let cast = Cast { sprite: app.scene.sprite, ground: app.ground() };
    let (text, ink, body) = cast.chip(seat, &mark, app.look);
    let style = app.look.both(ink, body).add_modifier(Modifier::BOLD);
    let plain = style.add_modifier(Modifier::REVERSED);
    line(buffer, area, row, &format!(" {text} "), if app.look.has_colours() { style } else { plain });
}

/// All seats in one line, for a window that has no room for more.
pub(crate) fn draw_line(app: &App, area: Rect, buffer: &mut Buffer) {
    let seats = all(app);
    let width = area.width / seats.len().max(1) as u16;
    for (number, who) in (0..).zip(&seats) {
        let place = Rect { x: area.x + number * width, width, ..area };
        let look = app.look;
        if who.is_asked {
            buffer.set_style(place, look.turn());
            line(buffer, place, 0, ">", look.loud());
        }
        draw_chip(app, who.seat, inset(place, 1), 0, buffer);
        let rest = Rect { width: width.saturating_sub(6), ..inset(place, 5) };
        let clock = who.clock.map(|time| (clock(who, time), time));
        let clock_width = clock.as_ref().map_or(0, |(text, _)| text_width(text) as u16 + 1);
        let words = Rect { width: rest.width.saturating_sub(clock_width), ..rest };
        // What a seat has matters more than its name.
        let has_width = text_width(&who.has) as u16;
        let name_width = words.width.saturating_sub(has_width + 1);
        let name = if name_width >= 3 { fit(&who.name, name_width.into()) } else { String::new() };
        let bold = look.ink(Role::Ink).add_modifier(Modifier::BOLD);
        line(buffer, words, 0, &name, bold);
        let gap = if name.is_empty() { 0 } else { text_width(&name) as u16 + 1 };
        line(buffer, inset(words, gap), 0, &who.has, look.soft());
        if let Some((text, time)) = clock {
            let x = i32::from(rest.right()) - text_width(&text) as i32;
            board::put(buffer, rest, (x, rest.y.into()), &text, clock_style(app, who, time));
        }
    }
}

/// One line of the list: the items in it by column, or one across.
enum Row<'a> {
    Pair(usize, [Option<&'a Listed>; 2]),
    Single(usize, &'a Listed),
    Across(&'a Listed),
}

impl<'a> Row<'a> {
    fn items(&self) -> impl Iterator<Item = &'a Listed> {
        match self {
            Self::Pair(_, items) => items.to_vec(),
            Self::Single(_, item) | Self::Across(item) => vec![Some(*item)],
        }
        .into_iter()
        .flatten()
    }
}

/// Moves of two seats side by side; what else happened has a line of its own.
fn rows(listed: &[Listed], n_seats: usize) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = vec![];
    let mut number = 0;
    for item in listed {
        match item.seat.map(Seat::index) {
            _ if !item.is_move => rows.push(Row::Across(item)),
            Some(column @ 0..=1) if n_seats == 2 => {
                if let Some(Row::Pair(_, [_, right @ None])) = rows.last_mut()
                    && column == 1
                {
                    *right = Some(item);
                } else {
                    number += 1;
                    let mut pair = [None, None];
                    pair[column] = Some(item);
                    rows.push(Row::Pair(number, pair));
                }
            }
            _ => {
                number += 1;
                rows.push(Row::Single(number, item));
            }
        }
    }
    rows
}

fn draw_list(app: &App, area: Rect, n_seats: usize, buffer: &mut Buffer) {
    if area.height < 2 {
        return;
    }
    let look = app.look;
    line(buffer, area, 0, "Moves", look.soft());
    let rule = look.sign("─", "-").repeat(usize::from(area.width.saturating_sub(6)));
    line(buffer, inset(area, 6), 0, &rule, look.ink(Role::Line));
    let list = Rect { y: area.y + 1, height: area.height - 1, ..area };
    // A review is about the move that was made in the position shown, else it is the one that led there.
    let shown = app.table.history().len() + usize::from(app.judged().is_some());
    let is_now = |item: &Listed| item.end == shown || (item.end > shown && item.end - shown < item.n_steps);
    let rows = rows(&app.listed, n_seats);
    let at = rows.iter().rposition(|row| row.items().any(is_now)).unwrap_or(0);
    // The present is at the end; a place that is looked at has its neighbours on both sides.
    let height = usize::from(list.height);
    let most = rows.len().saturating_sub(height);
    let skipped = (at + 1).saturating_sub(height / 2 + 1).min(most);
    let column = (list.width.saturating_sub(NUMBER)) / 2;
    for (row, of_row) in (0..list.height).zip(rows.iter().skip(skipped)) {
        let mut write = |place: Rect, item: &Listed| {
            let now = is_now(item);
            let sign = if now { look.sign("›", ">") } else { " " };
            let style = if now { look.loud().patch(look.turn()) } else { look.ink(Role::Ink) };
            let width = usize::from(place.width).saturating_sub(1);
            let judged = (item.end - item.n_steps..item.end).filter_map(|step| app.judged_step(step));
            let mark = judged.max_by(|a, b| a.loss.total_cmp(&b.loss)).map_or("", Judged::sign);
            let text = format!("{}{mark}", fit(&item.text, width.saturating_sub(mark.len())));
            line(buffer, place, row, &format!("{sign}{text:width$}"), style);
        };
        let number = match of_row {
            Row::Pair(number, items) => {
                for (place, item) in (0..).zip(items) {
                    if let Some(item) = item {
                        write(Rect { width: column, ..inset(list, NUMBER + place * column) }, item);
                    }
                }
                *number
            }
            Row::Single(number, item) => {
                write(inset(list, NUMBER + CHIP), item);
                if let Some(seat) = item.seat {
                    draw_chip(app, seat, inset(list, NUMBER), row, buffer);
                }
                *number
            }
            Row::Across(item) => {
                write(inset(list, CHIP), item);
                if let Some(seat) = item.seat {
                    draw_chip(app, seat, list, row, buffer);
                }
                continue;
            }
        };
        line(buffer, list, row, &format!("{number:>3}"), look.soft());
    }
}
