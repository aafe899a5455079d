//! Drawing the full screen.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::App;
use crate::app::Hot;
use crate::board::{self, Marks};
use crate::plan::Plan;
use crate::rich::{Rich, fit, text_width, wrap};
use crate::{bars, overlay, panel};

/// The width that the list of moves needs at least, and what it takes at most.
const PANEL: (u16, u16) = (22, 36);
/// Lines above and below the board.
const TOP: u16 = 1;
const BOTTOM: u16 = 4;
/// A window narrower than this has no list in any case: the board has all of its width.
const NARROW: u16 = 72;
/// A narrow window of at least this height has a line for the seats.
const SEAT_LINE: u16 = 13;

/// Draws everything, and remembers what can be clicked at.
pub fn draw(app: &mut App, frame: &mut Frame<'_>) {
    if let Some(trial) = &mut app.trial {
        return draw(trial, frame);
    }
    let area = frame.area();
    let buffer = frame.buffer_mut();
    app.hot.clear();
    app.plan = None;
    let is_narrow = has_no_list(app, area);
    let n_above = TOP + u16::from(is_narrow && area.height >= SEAT_LINE);
    let room = Rect {
        x: area.x,
        y: area.y + n_above.min(area.height),
        width: area.width.saturating_sub(PANEL.0 + 1),
        height: area.height.saturating_sub(n_above + BOTTOM),
    };
    let plan = match Plan::new(&app.scene, room, app.view.offset) {
        Err((width, height)) => return too_small(area, (width + PANEL.0 + 1, height + TOP + BOTTOM), buffer),
        Ok(plan) => plan,
    };
    // What the board leaves goes to the list of moves, up to a limit.
    let panel = area.width.saturating_sub(plan.area.width + 1).clamp(PANEL.0, PANEL.1);
    let beside = if is_narrow { 0 } else { panel + 1 };
    let room = Rect { width: area.width - beside, ..room };
    let plan = follow(app, room).unwrap_or(plan);
    draw_board(app, (&plan, room), buffer);
    bars::title(app, area, buffer);
    if !is_narrow {
        panel::draw(app, Rect { x: area.right() - panel, width: panel, ..room }, buffer);
    } else if n_above > TOP {
        panel::draw_line(app, Rect { y: area.y + TOP, height: 1, ..area }, buffer);
    }
    app.plan = Some(plan);
    let bottom = Rect { y: area.bottom() - BOTTOM, height: BOTTOM, ..area };
    bars::bottom(app, bottom, is_narrow, buffer);
    if let Some(popup) = app.popup.clone() {
        app.hot.clear();
        overlay::draw(app, &popup, area, buffer);
    }
    app.look.simplify(buffer);
}

/// Whether the board has all of the width: in a narrow window, and where only that keeps it whole.
fn has_no_list(app: &App, area: Rect) -> bool {
    let is_whole = |beside: u16, above: u16| {
        let (width, height) = (area.width - beside, area.height.saturating_sub(above + BOTTOM));
        Plan::new(&app.scene, Rect { width, height, ..area }, (0, 0)).is_ok_and(|plan| !plan.is_part())
    };
    let seats = u16::from(area.height >= SEAT_LINE);
    area.width < NARROW || !is_whole(PANEL.0 + 1, TOP) && is_whole(0, TOP + seats)
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
pub(crate) fn rich_line(buffer: &mut Buffer, area: Rect, row: u16, text: &Rich) {
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

fn draw_board(app: &mut App, (plan, room): (&Plan, Rect), buffer: &mut Buffer) {
    let last = app.last.iter().flat_map(|mv| [mv.from.as_deref(), mv.to.as_deref()]).flatten();
    // Where no arrow begins at the piece of a better move, it is marked itself.
    let better = app.hint.as_ref().filter(|_| app.judged().is_some() && !app.look.has_figures());
    let marks = Marks {
        cursor: app.cursor_id().filter(|_| app.has_cursor()),
        selected: app.selected.as_deref().or(better.and_then(|mv| mv.from.as_deref())),
        hint: app.hint.as_ref().and_then(|mv| mv.to.as_deref().or(mv.from.as_deref())),
        arrows: app.hint.as_ref().map(|mv| board::arrows(&app.scene, mv)).unwrap_or_default(),
        targets: app.marked(),
        last: last.collect(),
    };
    board::draw(&app.scene, app.ground(), (plan, room), &marks, app.look, buffer);
    let more = board::draw_more(plan, app.look.loud(), buffer);
    app.hot.extend(more.into_iter().map(|(edge, key)| (edge, Hot::Key(key))));
}

/// The same area without its first columns.
pub(crate) fn inset(area: Rect, by: u16) -> Rect {
    let by = by.min(area.width);
    Rect { x: area.x + by, width: area.width - by, ..area }
}

/// The end of what is typed, as far as there is room.
pub(crate) fn tail(text: &str, room: usize) -> String {
    let skipped = text.chars().count().saturating_sub(room);
    text.chars().skip(skipped).collect()
}
