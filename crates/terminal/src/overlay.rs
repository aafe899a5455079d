//! Drawing what stands before the board for a while.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Block, Clear, Padding, Widget};

use crate::app::Hot;
use crate::bars::key_bar;
use crate::list::List;
use crate::palette::Role;
use crate::popup::Popup;
use crate::rich::text_width;
use crate::screen::{line, tail};
use crate::{App, Look, clean};

/// How wide a list of moves is, how wide one of sentences, and what a frame takes of it.
const CHOICE: u16 = 50;
const WIDE: u16 = 76;
const FRAME: u16 = 4;

pub(crate) fn draw(app: &mut App, popup: &Popup, area: Rect, buffer: &mut Buffer) {
    match popup {
        Popup::Text { title, .. } => draw_text(app, title, area, buffer),
        Popup::Ask { question, .. } => {
            let inside = frame(area, (44, 4), question, app, buffer);
            let note = match app.table.record() {
                Some(_) => "The record is kept.",
                None => "No record is kept.",
            };
            line(buffer, inside, 0, note, app.look.soft());
            let keys = &[("y yes", KeyCode::Char('y')), ("n no", KeyCode::Char('n'))];
            let row = Rect { y: inside.y + 1, height: 1, ..inside };
            app.hot = key_bar(keys, row, app.look, buffer);
        }
        Popup::Choice { title, items, at } => {
            let wide = if items.iter().any(|(_, label)| text_width(label) > usize::from(CHOICE)) {
                WIDE
            } else {
                CHOICE
            };
            let width = wide.min(area.width);
            let lines = items.iter().enumerate().map(|(number, (id, label))| {
                let sign = if number == *at { ">" } else { " " };
                (format!("{sign}{:>3} {id}  ", number + 1), clean(label))
            });
            let list = List::new(lines, width.saturating_sub(FRAME).into());
            let height = (list.len() as u16 + 2).min(area.height.saturating_sub(4)).max(3);
            let inside = frame(area, (width, height), title, app, buffer);
            for (row, number, text) in list.visible(*at, inside.height) {
                let style = if number == *at { app.look.loud() } else { Style::default() };
                line(buffer, inside, row, text, style);
                app.hot.push((Rect { y: inside.y + row, height: 1, ..inside }, Hot::Row(number)));
            }
        }
        Popup::File { purpose, text, offered } => {
            let inside = frame(area, (70, 4), purpose.title(), app, buffer);
            let room = usize::from(inside.width).saturating_sub(1);
            let (name, note) = if text.is_empty() && !offered.is_empty() {
                let note = "Enter: OK   Tab: change the name, or type another   Esc: cancel";
                (clean(&tail(offered, room)), note)
            } else {
                (format!("{}_", clean(&tail(text, room))), "Enter: OK   Esc: cancel")
            };
            line(buffer, inside, 0, &name, app.look.loud());
            line(buffer, inside, 1, note, app.look.soft());
        }
    }
}

fn draw_text(app: &mut App, title: &str, area: Rect, buffer: &mut Buffer) {
    let inside = frame(area, (area.width.min(90), area.height.saturating_sub(2)), title, app, buffer);
    let look = app.look;
    if let Some(Popup::Text { reader, .. }) = &mut app.popup {
        app.hot = reader.draw(inside, look, buffer);
    }
}

/// An empty box in the middle; gives back its inside.
fn frame(area: Rect, (width, height): (u16, u16), title: &str, app: &App, buffer: &mut Buffer) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let outer =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    framed(outer, title, app.look, buffer)
}

/// An empty box with a title; gives back its inside.
pub(crate) fn framed(outer: Rect, title: &str, look: Look, buffer: &mut Buffer) -> Rect {
    Clear.render(outer, buffer);
    let block = Block::bordered()
        .border_style(look.ink(Role::Line))
        .title(format!(" {title} "))
        .title_style(look.loud())
        .padding(Padding::horizontal(1));
    let inside = block.inner(outer);
    block.render(outer, buffer);
    inside
}
