//! Squares with figures.

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use super::Brush;
use super::marks::State;
use crate::figure;
use crate::look::SLAB;
use crate::palette::{Role, Tint, WHITE};
use crate::plan::Tile;

impl Brush<'_> {
    /// Draws the cell as a square.
    pub(super) fn square(&self, buffer: &mut Buffer) {
        let Tile::Square { width, height } = self.tile else { return };
        let look = self.look;
        let is_slab = self.ground == SLAB;
        let tints = self.marks.tints(&self.cell.id, look).filter(|_| !is_slab);
        let ground = tints.map_or_else(|| look.cell(self.ground, self.cell), |(ground, _)| ground);
        let blanks = " ".repeat(width.into());
        for line in 0..i32::from(height) {
            self.put(buffer, (0, line), &blanks, look.paper_of(ground));
        }
        if is_slab {
            figure::draw_hole((width, height), self.corner, self.view, look, buffer);
        }
        let pieces = self.pieces();
        if !pieces.is_empty() {
            self.square_pieces((width, height), buffer);
        } else if let Some(value) = self.cell.value {
            let text = value.to_string();
            let x = (i32::from(width) - text.chars().count() as i32) / 2;
            let style = look.ink(Role::Mark).add_modifier(Modifier::BOLD);
            self.put(buffer, (x, i32::from(height - 1) / 2), &text, style);
        } else if self.marks.is_target(&self.cell.id) {
            let dark = look.theme == crate::palette::Theme::Dark;
            let role = if is_slab && dark { Role::Cursor } else { Role::Mark };
            let at = (i32::from(width / 2), i32::from(height - 1) / 2);
            self.put(buffer, at, "•", look.ink(role).add_modifier(Modifier::BOLD));
        }
        if let Some(arrow) = self.marks.arrow(&self.cell.id).filter(|_| width >= 5) {
            let x = if pieces.is_empty() { i32::from(width / 2) } else { 1 };
            // Beside a piece it stands below its sign, on the ground.
            let y = i32::from(height - 1).min(i32::from(height - 1) / 2 + i32::from(!pieces.is_empty()));
            self.put(buffer, (x, y), &arrow.to_string(), look.ink(Role::Best).add_modifier(Modifier::BOLD));
        }
        if let Some(state) = self.state() {
            self.square_sign(state, (width, height), ground, buffer);
        }
    }

    fn square_pieces(&self, (width, height): (u16, u16), buffer: &mut Buffer) {
        let pieces = self.pieces();
        let [.., top] = pieces.as_slice() else { return };
        let below = if pieces.len() > 1 { Some(pieces[0].seat) } else { None };
        let (cast, look) = (self.cast(top), self.look);
        let suit = cast.suit(top.seat);
        let middle = i32::from(width / 2);
        if let Some(picture) = cast.figure().picture(width.saturating_sub(2), height) {
            let at = figure::centred(picture, self.corner, (width, height));
            figure::draw(picture, (cast, top.seat, below), at, self.view, look, buffer);
            if cast.figure().has_mark() {
                let style = look.ink_of(suit.mark).add_modifier(Modifier::BOLD);
                self.put(buffer, (middle, i32::from(height - 1) / 2), &top.mark, style);
            }
            return;
        }
        let (text, ink, body) = cast.chip(top.seat, &top.mark, look);
        let style = look.both(ink, body).add_modifier(Modifier::BOLD);
        if height >= 2 {
            self.put(buffer, (middle - 1, 0), &format!("{text:^3}"), style);
            let edge = look.ink_of(suit.shade);
            let edge = below.map_or(edge, |below| edge.patch(look.paper_of(cast.suit(below).body)));
            self.put(buffer, (middle - 1, 1), "▀▀▀", edge);
        } else {
            self.put(buffer, (middle, 0), &text, style);
        }
    }

    fn square_sign(&self, state: State, (width, height): (u16, u16), ground: Tint, buffer: &mut Buffer) {
        let (look, is_slab) = (self.look, self.ground == SLAB);
        let middle = i32::from(height - 1) / 2;
        let right = i32::from(width) - 1;
        let (left_sign, right_sign) = state.signs();
        let tint = |role: Role| look.tint(role);
        let last_line = i32::from(height) - 1;
        match state {
            State::Cursor => {
                let (ink, paper) = if is_slab {
                    (tint(Role::OnSlabCursor), tint(Role::SlabCursor))
                } else {
                    (tint(Role::OnCursor), tint(Role::Cursor))
                };
                let style = look.both(ink, paper).add_modifier(Modifier::BOLD);
                for line in 0..=last_line {
                    let signs = match line {
                        _ if last_line == 0 => (left_sign, right_sign),
                        0 => ("┏", "┓"),
                        line if line == last_line => ("┗", "┛"),
                        _ => ("┃", "┃"),
                    };
                    self.put(buffer, (0, line), signs.0, style);
                    self.put(buffer, (right, line), signs.1, style);
                }
            }
            State::Hint => {
                let style = look.both(tint(Role::OnBest), tint(Role::Best)).add_modifier(Modifier::BOLD);
                for line in 0..=last_line {
                    let signs = if line == middle { (left_sign, right_sign) } else { (" ", " ") };
                    self.put(buffer, (0, line), signs.0, style);
                    self.put(buffer, (right, line), signs.1, style);
                }
            }
            State::Chosen | State::Target | State::Last => {
                let ink = match state {
                    State::Last if is_slab => tint(Role::SlabLast),
                    _ if is_slab => WHITE,
                    State::Last => tint(Role::LastEdge),
                    _ => tint(Role::Mark),
                };
                let style = look.both(ink, ground).add_modifier(Modifier::BOLD);
                self.put(buffer, (0, middle), left_sign, style);
                self.put(buffer, (right, middle), right_sign, style);
            }
        }
    }
}
