//! Drawing the board of a scene: as a picture of blocks and figures, or with the signs of a typewriter.

mod hexagons;
mod marks;
mod signs;
mod squares;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Style;
use rookery_rules::scene::{Cell, Move, Piece, Scene};

pub(crate) use marks::{Marks, State, arrows};

use crate::figure::Cast;
use crate::look::Look;
use crate::palette::Role;
use crate::plan::{Plan, Tile, Way};
use crate::rich::char_width;

/// Draws the board where the plan says, in a room of which the plan uses what it needs. `ground` is the scene's, or a
/// better one.
pub(crate) fn draw(
    scene: &Scene,
    ground: &str,
    (plan, room): (&Plan, Rect),
    marks: &Marks<'_>,
    look: Look,
    buffer: &mut Buffer,
) {
    let is_sea = ground == "sea" && look.has_colours();
    if is_sea {
        draw_sea(room, look, buffer);
    }
    for (x, y, text) in &plan.labels {
        let style = if is_sea { look.ink(Role::Ice) } else { look.soft() };
        put(buffer, plan.area, (*x, *y), text, style);
    }
    let brushes = scene.cells.iter().zip(&plan.corners).map(|(cell, &corner)| Brush {
        scene,
        ground,
        cell,
        corner,
        tile: plan.tile,
        view: plan.view,
        marks,
        look,
    });
    match plan.tile {
        Tile::Hexagon { half: 2.., .. } if look.has_figures() => {
            let brushes: Vec<_> = brushes.collect();
            for brush in &brushes {
                brush.hexagon(buffer);
            }
            hexagons::corners(&brushes, buffer);
        }
        Tile::Square { .. } if look.has_figures() => {
            for brush in brushes {
                brush.square(buffer);
            }
        }
        _ => signs::draw(&brushes.collect::<Vec<_>>(), buffer),
    }
}

/// Whether nothing ever moves on a board of slate: from the beginning, all that is done is to place pieces.
pub(crate) fn is_slab(first: &Scene) -> bool {
    let is_drop = |mv: &Move| mv.from.is_none() && mv.to.is_some();
    first.ground == "slate" && !first.moves.is_empty() && first.moves.iter().all(is_drop)
}

/// Calm water with a wave here and there.
fn draw_sea(room: Rect, look: Look, buffer: &mut Buffer) {
    buffer.set_style(room, look.paper(Role::Sea));
    for place in room.positions() {
        let (x, y) = (u32::from(place.x - room.x), u32::from(place.y - room.y));
        if (x * 7 + y * 13).is_multiple_of(29) {
            put(buffer, room, (place.x.into(), place.y.into()), "~", look.ink(Role::Wave));
        }
    }
}

/// Draws one cell.
pub(crate) struct Brush<'a> {
    scene: &'a Scene,
    ground: &'a str,
    cell: &'a Cell,
    corner: (i32, i32),
    tile: Tile,
    view: Rect,
    marks: &'a Marks<'a>,
    look: Look,
}

impl Brush<'_> {
    fn put(&self, buffer: &mut Buffer, (x, y): (i32, i32), text: &str, style: Style) {
        put(buffer, self.view, (self.corner.0 + x, self.corner.1 + y), text, style);
    }

    fn pieces(&self) -> Vec<&Piece> {
        self.scene.pieces_on(&self.cell.id).collect()
    }

    fn cast<'a>(&'a self, piece: &'a Piece) -> Cast<'a> {
        Cast { sprite: piece.sprite, ground: self.ground }
    }

    fn has(&self, class: &str) -> bool {
        self.cell.classes.contains(&class)
    }

    /// The state whose sign is shown.
    fn state(&self) -> Option<State> {
        self.marks.sign(&self.cell.id)
    }
}

/// Draws a sign at each edge behind which there is more, and says which key shows it and where that can be clicked at.
pub(crate) fn draw_more(plan: &Plan, style: Style, buffer: &mut Buffer) -> Vec<(Rect, KeyCode)> {
    let Rect { x, y, width, height } = plan.view;
    let mut hot = vec![];
    for (way, key, sign, edge) in [
        (Way::Up, KeyCode::PageUp, "^ PgUp ^", Rect { y: y.saturating_sub(1), height: 1, ..plan.view }),
        (Way::Down, KeyCode::PageDown, "v PgDn v", Rect { y: y + height, height: 1, ..plan.view }),
        (Way::Left, KeyCode::Char('<'), "<", Rect { x: x.saturating_sub(1), width: 1, ..plan.view }),
        (Way::Right, KeyCode::Char('>'), ">", Rect { x: x + width, width: 1, ..plan.view }),
    ] {
        if !plan.has_more(way) {
            continue;
        }
        let middle = i32::from(edge.x) + (i32::from(edge.width) - sign.len() as i32) / 2;
        for line in edge.top()..edge.bottom() {
            put(buffer, edge, (middle, line.into()), sign, style);
        }
        hot.push((edge, key));
    }
    hot
}

/// Writes a text, as far as it lies in the area. The colours of what is there stay unless the style has its own.
pub(crate) fn put(buffer: &mut Buffer, area: Rect, (x, y): (i32, i32), text: &str, style: Style) {
    if y < i32::from(area.top()) || y >= i32::from(area.bottom()) {
        return;
    }
    let mut x = x;
    for c in text.chars() {
        let width = char_width(c) as i32;
        if width > 0 && x >= i32::from(area.left()) && x + width <= i32::from(area.right()) {
            buffer[(x as u16, y as u16)].set_char(c).set_style(style);
            // A terminal draws a wide character over the next cell, too.
            for x in x + 1..x + width {
                buffer[(x as u16, y as u16)].reset();
            }
        }
        x += width;
    }
}
