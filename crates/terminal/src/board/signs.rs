//! Boards of letters and signs: without colours, with the signs of a typewriter, and where tiles are too small for
//! anything else.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::{Brush, put};
use crate::palette::{Role, Tint};
use crate::plan::Tile;

/// Draws all cells.
pub(super) fn draw(brushes: &[Brush<'_>], buffer: &mut Buffer) {
    for brush in brushes {
        brush.fill(buffer);
        brush.content(buffer);
    }
    let is_hexagon = |brush: &&Brush<'_>| matches!(brush.tile, Tile::Hexagon { .. });
    for brush in brushes.iter().filter(is_hexagon).filter(|brush| !brush.look.has_colours()) {
        brush.outline(buffer);
    }
    for brush in brushes.iter().filter(is_hexagon) {
        brush.value(buffer);
    }
}

impl Brush<'_> {
    fn ground_tint(&self) -> Tint {
        let own = || self.look.cell(self.ground, self.cell);
        self.marks.tints(&self.cell.id, self.look).map_or_else(own, |(ground, _)| ground)
    }

    /// What is written on the cell.
    fn written(&self) -> Style {
        let is_dark_ground = matches!(self.ground, "slab") || (self.ground == "sea" && self.has("hole"));
        let is_slate = !matches!(self.ground, "sea" | "wood" | "turf" | "slab");
        let is_marked = self.marks.ground(&self.cell.id).is_some();
        let role = match self.look.theme {
            _ if is_marked => Role::Mark,
            _ if is_dark_ground => Role::OnBest,
            crate::palette::Theme::Dark if is_slate => Role::Ink,
            _ => Role::Mark,
        };
        self.look.both(self.look.tint(role), self.ground_tint())
    }

    fn has_edge(&self) -> bool {
        self.look.has_colours() && !self.has("hole")
    }

    fn fill(&self, buffer: &mut Buffer) {
        let (_, height) = self.tile.size();
        for line in 0..height {
            let (from, to) = match self.tile {
                // Where colours show it, a hexagon needs no outline.
                Tile::Hexagon { .. } if self.look.has_colours() => self.inside(line.into()),
                tile => {
                    let (from, to) = tile.span(line);
                    (from.into(), to.into())
                }
            };
            let n_chars = (to - from).max(0) as usize;
            let (fill, style) = match self.tile {
                // A thick lower edge keeps it apart from the one below.
                Tile::Hexagon { half, .. } if line + 1 == 2 * half && self.has_edge() => {
                    let edge = self.look.both(self.ground_tint(), self.look.tint(Role::IceEdge));
                    if self.look.ascii {
                        ("_", self.look.both(self.look.tint(Role::IceId), self.ground_tint()))
                    } else {
                        ("▀", edge)
                    }
                }
                _ => (" ", self.written()),
            };
            self.put(buffer, (from, line.into()), &fill.repeat(n_chars), style);
        }
    }

    /// The line of the middle, and the part of it inside the outline.
    fn middle_line(&self) -> (i32, i32, i32) {
        match self.tile {
            Tile::Square { width, height } => (i32::from(height - 1) / 2, 0, width.into()),
            Tile::Hexagon { half, .. } => {
                let line = i32::from(half) - 1;
                let (from, to) = self.inside(line);
                (line, from, to)
            }
        }
    }

    fn content(&self, buffer: &mut Buffer) {
        let (line, from, to) = self.middle_line();
        let pieces = self.pieces();
        let (text, style) = match pieces.as_slice() {
            [.., top] => {
                // Of two pieces the lower one is shown behind the upper.
                let marks: Vec<&str> = pieces.iter().rev().map(|piece| piece.mark.as_str()).collect();
                // Beside numbers that say what a cell is worth, a piece's own must look different.
                let sign = if self.cell.value.is_some() { "@" } else { "" };
                let text = format!("{sign}{}", marks.join("/"));
                let text = if to - from >= 5 { format!("{text:^3}") } else { text };
                let (_, ink, body) = self.cast(top).chip(top.seat, &top.mark, self.look);
                let style = self.look.both(ink, body).add_modifier(Modifier::BOLD);
                let plain = style.add_modifier(Modifier::REVERSED);
                (text, if self.look.has_colours() { style } else { plain })
            }
            [] => (self.empty(), self.written()),
        };
        let x = from + (to - from - text.chars().count() as i32).max(0) / 2;
        self.put(buffer, (x, line), &text, style);
        if let Some(state) = self.state() {
            let (left, right) = state.signs();
            let style = match state {
                super::State::Cursor => {
                    self.look.both(self.look.tint(Role::OnCursor), self.look.tint(Role::Cursor))
                }
                super::State::Hint => {
                    self.look.both(self.look.tint(Role::OnBest), self.look.tint(Role::Best))
                }
                _ => self.written(),
            };
            let style = style.add_modifier(Modifier::BOLD);
            self.put(buffer, (from, line), left, style);
            self.put(buffer, (to - 1, line), right, style);
        }
        if let (Tile::Hexagon { half: 2.., .. }, false) = (self.tile, self.has("hole")) {
            let id = &self.cell.id;
            let x = (i32::from(self.tile.size().0) - id.chars().count() as i32).max(0) / 2;
            let style = if self.look.has_colours() { self.look.ink(Role::IceId) } else { Style::default() };
            self.put(buffer, (x, line + 1), id, style);
        }
    }

    /// What there is to see on a cell without pieces.
    fn empty(&self) -> String {
        match self.cell.value {
            Some(value) => value.to_string(),
            None if self.has("hole") => String::new(),
            // Where there are no colours, dots make the squares visible.
            None if !self.look.has_colours() => self.look.sign("·", ".").to_owned(),
            None => String::new(),
        }
    }

    /// The edges of a hexagon. Those shared with a neighbour are the same characters, drawn twice.
    fn outline(&self, buffer: &mut Buffer) {
        let Tile::Hexagon { edge, half } = self.tile else { return };
        if self.has("hole") {
            return;
        }
        let (left, top) = self.corner;
        let mut draw = |x: i32, y: i32, text: &str| {
            put(buffer, self.view, (left + x, top + y), text, Style::default());
        };
        let bar = "_".repeat(edge.into());
        draw(half.into(), -1, &bar);
        for line in 0..2 * half {
            let (from, to) = self.tile.span(line);
            let (first, last) = if line < half { ("/", "\\") } else { ("\\", "/") };
            draw(from.into(), line.into(), first);
            draw(i32::from(to) - 1, line.into(), last);
        }
        draw(half.into(), 2 * i32::from(half) - 1, &bar);
    }

    /// What a cell with a piece is worth: above the piece, or in the lower edge of a tile that has no room for it.
    fn value(&self, buffer: &mut Buffer) {
        let (Tile::Hexagon { half, .. }, Some(value)) = (self.tile, self.cell.value) else { return };
        if self.pieces().is_empty() {
            return;
        }
        let line = if half == 1 { 1 } else { i32::from(half) - 2 };
        let at = (i32::from(self.tile.size().0 / 2), line);
        self.put(buffer, at, &value.to_string(), self.written());
    }
}
