//! Drawing the board of a scene.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use rookery_rules::scene::{Cell, Piece, Scene};

use crate::Palette;
use crate::plan::{Plan, Tile, Way};
use crate::rich::char_width;

/// What is marked, by the ids of cells.
#[derive(Clone, Default, Debug)]
pub(crate) struct Marks<'a> {
    pub(crate) cursor: Option<&'a str>,
    pub(crate) selected: Option<&'a str>,
    /// Cells that a move can begin or end at.
    pub(crate) targets: Vec<&'a str>,
    /// The cells of the last move.
    pub(crate) last: Vec<&'a str>,
}

/// How a cell is marked: its signs at the left and the right, and its style. Signs speak where colours do not.
fn mark(marks: &Marks<'_>, palette: Palette, id: &str) -> Option<(&'static str, &'static str, Style)> {
    if marks.cursor == Some(id) {
        Some(("[", "]", palette.cursor()))
    } else if marks.selected == Some(id) {
        Some((">", "<", palette.cursor()))
    } else if marks.targets.contains(&id) {
        Some(("(", ")", palette.target()))
    } else if marks.last.contains(&id) {
        Some(("'", "'", palette.last()))
    } else {
        None
    }
}

/// Draws the board where the plan says.
pub(crate) fn draw(scene: &Scene, plan: &Plan, marks: &Marks<'_>, palette: Palette, buffer: &mut Buffer) {
    buffer.set_style(plan.area, palette.ground(scene));
    for (x, y, text) in &plan.labels {
        put(buffer, plan.area, (*x, *y), text, palette.ground(scene));
    }
    for (cell, &corner) in scene.cells.iter().zip(&plan.corners) {
        let brush = Brush {
            scene,
            cell,
            corner,
            tile: plan.tile,
            view: plan.view,
            mark: mark(marks, palette, &cell.id),
            palette,
        };
        brush.fill(buffer);
        brush.content(buffer);
    }
    if let Tile::Hexagon { .. } = plan.tile {
        for (cell, &corner) in scene.cells.iter().zip(&plan.corners) {
            let styles = (palette.cell(scene, cell), palette.ground(scene));
            outline(cell, corner, plan, styles, buffer);
        }
        for (cell, &corner) in scene.cells.iter().zip(&plan.corners) {
            put_value(scene, cell, corner, plan, palette.cell(scene, cell), buffer);
        }
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

/// Draws one cell.
struct Brush<'a> {
    scene: &'a Scene,
    cell: &'a Cell,
    corner: (i32, i32),
    tile: Tile,
    view: Rect,
    mark: Option<(&'static str, &'static str, Style)>,
    palette: Palette,
}

impl Brush<'_> {
    fn style(&self) -> Style {
        let style = self.palette.cell(self.scene, self.cell);
        self.mark.map_or(style, |(_, _, mark)| style.patch(mark))
    }

    fn at(&self, x: u16, y: u16) -> (i32, i32) {
        (self.corner.0 + i32::from(x), self.corner.1 + i32::from(y))
    }

    fn fill(&self, buffer: &mut Buffer) {
        let (_, height) = self.tile.size();
        for line in 0..height {
            let (from, to) = self.tile.span(line);
            let blanks = " ".repeat(usize::from(to - from));
            put(buffer, self.view, self.at(from, line), &blanks, self.style());
        }
    }

    /// The line of the middle, and the part of it inside the outline.
    fn middle(&self) -> (u16, u16, u16) {
        match self.tile {
            Tile::Square { width, height } => ((height - 1) / 2, 0, width),
            Tile::Hexagon { half, .. } => {
                let line = half - 1;
                let (from, to) = self.tile.span(line);
                (line, from + 1, to - 1)
            }
        }
    }

    fn content(&self, buffer: &mut Buffer) {
        let (line, from, to) = self.middle();
        let pieces: Vec<&Piece> = self.scene.pieces_on(&self.cell.id).collect();
        let centre = |n_chars: usize| from + (to - from).saturating_sub(n_chars as u16) / 2;
        let (text, style) = match pieces.as_slice() {
            [.., top] => {
                // Of two pieces the lower one is shown behind the upper.
                let marks: Vec<&str> = pieces.iter().rev().map(|piece| piece.mark.as_str()).collect();
                // Beside numbers that say what a cell is worth, a piece's own must look different.
                let sign = if self.cell.value.is_some() { "@" } else { "" };
                let text = format!("{sign}{}", marks.join("/"));
                let text = if to - from >= 5 { format!("{text:^3}") } else { text };
                (text, self.palette.piece(top.sprite, top.seat))
            }
            [] => (self.empty(), self.style()),
        };
        put(buffer, self.view, self.at(centre(text.chars().count()), line), &text, style);
        if let Some((left, right, style)) = self.mark {
            put(buffer, self.view, self.at(from, line), left, style);
            put(buffer, self.view, self.at(to - 1, line), right, style);
        }
        if let (Tile::Hexagon { half: 2.., .. }, false) = (self.tile, self.cell.classes.contains(&"hole")) {
            let id = &self.cell.id;
            let x = (self.tile.size().0.saturating_sub(id.chars().count() as u16)) / 2;
            let style = self.style().add_modifier(Modifier::DIM);
            put(buffer, self.view, self.at(x, line + 1), id, style);
        }
    }

    /// What there is to see on a cell without pieces.
    fn empty(&self) -> String {
        match self.cell.value {
            Some(value) => value.to_string(),
            None if self.cell.classes.contains(&"hole") => String::new(),
            // Where there are no colours, dots make the squares visible.
            None if self.palette == Palette::Mono => "·".to_owned(),
            None => String::new(),
        }
    }
}

/// The edges of a hexagon. Those shared with a neighbour are the same characters, drawn twice.
fn outline(
    cell: &Cell,
    corner: (i32, i32),
    plan: &Plan,
    (inside, outside): (Style, Style),
    buffer: &mut Buffer,
) {
    let Tile::Hexagon { edge, half } = plan.tile else { return };
    if cell.classes.contains(&"hole") {
        return;
    }
    // The colour behind an edge stays that of the cell it lies in, and the edge is visible on it.
    let mut draw = |x: i32, y: i32, text: &str| {
        for (c, x) in text.chars().zip(x..) {
            let at = u16::try_from(x).ok().zip(u16::try_from(y).ok());
            let behind = at.and_then(|at| buffer.cell(at)).map(|cell| cell.bg);
            let ink = if outside.bg.is_some() && behind == outside.bg { outside.fg } else { inside.fg };
            put(buffer, plan.view, (x, y), &c.to_string(), Style { fg: ink, ..Style::default() });
        }
    };
    let (left, top) = corner;
    let bar = "_".repeat(edge.into());
    draw(left + i32::from(half), top - 1, &bar);
    for line in 0..2 * half {
        let (from, to) = plan.tile.span(line);
        let (first, last) = if line < half { ("/", "\\") } else { ("\\", "/") };
        draw(left + i32::from(from), top + i32::from(line), first);
        draw(left + i32::from(to) - 1, top + i32::from(line), last);
    }
    draw(left + i32::from(half), top + i32::from(2 * half) - 1, &bar);
}

/// What a cell with a piece is worth: above the piece, or in the lower edge of a tile that has no room for it.
fn put_value(scene: &Scene, cell: &Cell, corner: (i32, i32), plan: &Plan, style: Style, buffer: &mut Buffer) {
    let (Tile::Hexagon { half, .. }, Some(value)) = (plan.tile, cell.value) else { return };
    if scene.pieces_on(&cell.id).next().is_some() {
        let line = if half == 1 { 1 } else { half - 2 };
        let at = (corner.0 + i32::from(plan.tile.size().0 / 2), corner.1 + i32::from(line));
        put(buffer, plan.view, at, &value.to_string(), Style { bg: None, ..style });
    }
}
