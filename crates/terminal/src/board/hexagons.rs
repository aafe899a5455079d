//! Hexagons: ice floes with a thick lower edge, on the sea.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use rookery_rules::scene::Piece;

use super::marks::State;
use super::{Brush, put};
use crate::figure;
use crate::palette::{Role, Tint};
use crate::plan::Tile;

/// The value of a cell in fish, three lines.
const SHOALS: [[u8; 3]; 6] = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 0, 2], [2, 0, 2], [2, 1, 2]];
const FISH: [&str; 2] = ["><>", "<><"];

impl Brush<'_> {
    /// Upper edge and half the height.
    fn hexagon_size(&self) -> (i32, i32) {
        match self.tile {
            Tile::Hexagon { edge, half } => (edge.into(), half.into()),
            Tile::Square { .. } => (0, 1),
        }
    }

    /// The part of a line inside the outline.
    pub(super) fn inside(&self, line: i32) -> (i32, i32) {
        let (from, to) = self.tile.span(line as u16);
        (i32::from(from) + 1, i32::from(to) - 1)
    }

    /// The colours of the tile and of its lower edge; none for a hole.
    fn floe(&self) -> Option<(Tint, Tint)> {
        if self.has("hole") {
            return None;
        }
        let own = || {
            let tile = self.look.cell(self.ground, self.cell);
            let edge = if self.ground == "sea" { self.look.tint(Role::IceEdge) } else { tile };
            (tile, edge)
        };
        Some(self.marks.tints(&self.cell.id, self.look).unwrap_or_else(own))
    }

    /// Draws the cell as a hexagon of at least four lines. Those of four share their outlines: see [`corners`].
    pub(super) fn hexagon(&self, buffer: &mut Buffer) {
        let Some((tile, edge)) = self.floe() else { return self.water(buffer) };
        let look = self.look;
        let (_, half) = self.hexagon_size();
        let behind = look.tint(Role::Sea);
        let last = 2 * half - 1;
        for line in 0..=last {
            let (from, to) = self.inside(line);
            let (fill, style) =
                if line == last { ("▀", look.both(tile, edge)) } else { (" ", look.paper_of(tile)) };
            self.put(buffer, (from, line), &fill.repeat((to - from) as usize), style);
            if half >= 3 {
                let ends = match line {
                    line if line == last => ("▀", "▀"),
                    line if line < half => ("▟", "▙"),
                    _ => ("▜", "▛"),
                };
                let style = look.both(tile, behind);
                self.put(buffer, (from, line), ends.0, style);
                self.put(buffer, (to - 1, line), ends.1, style);
            }
        }
        let pieces = self.pieces();
        match pieces.as_slice() {
            [.., top] => self.on_floe(top, buffer),
            [] => self.empty_floe(buffer),
        }
        if let Some(state) = self.state() {
            self.hexagon_sign(state, tile, buffer);
        }
    }

    fn middle(&self) -> i32 {
        i32::from(self.tile.size().0 / 2)
    }

    fn bold(&self, role: Role) -> ratatui::style::Style {
        self.look.ink(role).add_modifier(Modifier::BOLD)
    }

    fn put_centred(&self, buffer: &mut Buffer, line: i32, text: &str, style: ratatui::style::Style) {
        let x = self.middle() - text.chars().count() as i32 / 2;
        self.put(buffer, (x, line), text, style);
    }

    /// What is there to gain, and which cell it is.
    fn empty_floe(&self, buffer: &mut Buffer) {
        let (_, half) = self.hexagon_size();
        let arrow = self.marks.arrow(&self.cell.id);
        let value = self.cell.value.map_or_else(String::new, |value| value.to_string());
        self.put_centred(buffer, 0, &value, self.bold(Role::Mark));
        let is_sea = self.ground == "sea";
        let n_fish = self.cell.value.filter(|_| is_sea).unwrap_or(0) as usize;
        if half >= 3 {
            for (line, n) in (half - 2..).zip(SHOALS[n_fish.min(SHOALS.len() - 1)]) {
                // As many as there is room for between the slanting ends.
                let (from, to) = self.inside(line);
                let n = i32::from(n).min((to - from - 1) / 4).max(0) as usize;
                let shoal: Vec<&str> = (0..n).map(|fish| FISH[(fish + line as usize) % 2]).collect();
                self.put_centred(buffer, line, &shoal.join(" "), self.bold(Role::Fish));
            }
        } else if n_fish > 0 {
            self.put_centred(buffer, 1, FISH[(n_fish + 1) % 2], self.bold(Role::Fish));
        }
        if let Some(arrow) = arrow {
            let line = if half >= 3 { half - 1 } else { 1 };
            self.put_centred(buffer, line, &format!(" {arrow} "), self.bold(Role::Best));
        }
        self.put_centred(buffer, 2 * half - 2, &self.cell.id, self.look.ink(Role::IceId));
    }

    fn on_floe(&self, piece: &Piece, buffer: &mut Buffer) {
        let (_, half) = self.hexagon_size();
        let (_, height) = self.tile.size();
        let cast = self.cast(piece);
        let look = self.look;
        let value = self.cell.value.map_or_else(String::new, |value| value.to_string());
        // In a small tile the value has the first line for itself.
        let room = if half >= 3 { (7, height) } else { (5, height - 1) };
        let Some(picture) = cast.figure().picture(room.0, room.1) else {
            let (text, ink, body) = cast.chip(piece.seat, &piece.mark, look);
            self.put_centred(buffer, half - 1, &format!("{text:^3}"), look.both(ink, body));
            return self.put_centred(buffer, 0, &value, self.bold(Role::Mark));
        };
        // It stands with its feet on the last line.
        let lines = picture.len().div_ceil(2) as i32;
        let top = 2 * half - lines;
        let x = self.middle() - picture[0].len() as i32 / 2;
        let at = (self.corner.0 + x, self.corner.1 + top);
        figure::draw(picture, (cast, piece.seat, None), at, self.view, look, buffer);
        if cast.figure().has_mark() {
            let style = look.ink_of(cast.suit(piece.seat).mark).add_modifier(Modifier::BOLD);
            self.put_centred(buffer, top + lines / 2, &piece.mark, style);
        }
        if half >= 3 {
            self.put(buffer, (2, half - 1), &value, self.bold(Role::Mark));
        } else {
            self.put_centred(buffer, 0, &value, self.bold(Role::Mark));
        }
        if let Some(arrow) = self.marks.arrow(&self.cell.id).filter(|_| half >= 3) {
            self.put(buffer, (3, half + 1), &arrow.to_string(), self.bold(Role::Best));
        }
    }

    /// A hole is calm water, and shows if somebody has just left it.
    fn water(&self, buffer: &mut Buffer) {
        let (_, half) = self.hexagon_size();
        for line in 0..2 * half {
            let (from, to) = self.inside(line);
            self.put(buffer, (from, line), &" ".repeat((to - from) as usize), self.look.paper(Role::Sea));
        }
        let Some(state) = self.state() else { return };
        let (from, to) = self.inside(half - 1);
        let (left, right) = state.signs();
        let style = match state {
            State::Cursor => return self.hexagon_sign(state, self.look.tint(Role::Sea), buffer),
            _ => self.bold(Role::LastOnSea),
        };
        self.put(buffer, (from, half - 1), left, style);
        self.put(buffer, (to - 1, half - 1), right, style);
        if state == State::Last {
            self.put_centred(buffer, half - 1, "· ·", style);
        }
    }

    fn hexagon_sign(&self, state: State, tile: Tint, buffer: &mut Buffer) {
        let (_, half) = self.hexagon_size();
        let (look, tint) = (self.look, |role: Role| self.look.tint(role));
        let (ink, paper) = match state {
            State::Cursor => (tint(Role::OnCursor), tint(Role::Cursor)),
            State::Hint => (tint(Role::OnBest), tint(Role::Best)),
            State::Last => (tint(Role::LastEdge), tile),
            State::Chosen | State::Target => (tint(Role::Mark), tile),
        };
        let style = look.both(ink, paper).add_modifier(Modifier::BOLD);
        for line in [half - 1, half] {
            let (left, right) = match (state, line == half - 1) {
                (State::Cursor, true) => ("┏", "┓"),
                (State::Cursor, false) => ("┗", "┛"),
                (State::Hint, false) => (" ", " "),
                (_, true) => state.signs(),
                (_, false) => continue,
            };
            let (from, to) = self.inside(line);
            self.put(buffer, (from, line), left, style);
            self.put(buffer, (to - 1, line), right, style);
        }
    }
}

/// A quarter of a character, its colour, and whether its tile is marked.
type Quarter = (&'static str, Tint, bool);

/// Draws the outlines of hexagons of four lines: two tiles meet in one character, of which each has a quarter. Where they
/// differ in colour, the one that is marked has it.
pub(super) fn corners(brushes: &[Brush<'_>], buffer: &mut Buffer) {
    let mut quarters: BTreeMap<(i32, i32), Vec<Quarter>> = BTreeMap::new();
    for brush in brushes {
        let Tile::Hexagon { half: 2, .. } = brush.tile else { return };
        let Some((tile, _)) = brush.floe() else { continue };
        let is_marked = brush.marks.ground(&brush.cell.id).is_some();
        for line in 0..4 {
            let (from, to) = brush.inside(line);
            let (left, right) = if line < 2 { ("▗", "▖") } else { ("▝", "▘") };
            let y = brush.corner.1 + line;
            for (x, quarter) in [(from - 1, left), (to, right)] {
                quarters.entry((brush.corner.0 + x, y)).or_default().push((quarter, tile, is_marked));
            }
        }
    }
    let Some(Brush { view, look, .. }) = brushes.first() else { return };
    for (at, parts) in quarters {
        let Some(&(first, tile, _)) = parts.iter().max_by_key(|(_, _, is_marked)| *is_marked) else {
            continue;
        };
        let same = parts.len() > 1 && parts.iter().all(|&(_, other, _)| other == tile);
        let text = match first {
            "▗" | "▘" if same => "▚",
            _ if same => "▞",
            quarter => quarter,
        };
        put(buffer, *view, at, text, look.both(tile, look.tint(Role::Sea)));
    }
}
