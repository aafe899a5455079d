//! How things look here: which colours there are, and which signs.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};
use rookery_rules::scene::Cell;

use crate::palette::{Depth, Role, Theme, Tint};

/// What the terminal can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// How many colours there are.
    pub depth: Depth,
    /// What its paper is like.
    pub theme: Theme,
    /// Whether letters and signs of a typewriter are used in place of blocks and figures.
    pub ascii: bool,
}

impl Look {
    /// Signs only.
    pub const MONO: Self = Self { depth: Depth::None, theme: Theme::Dark, ascii: false };
    /// Everything, on dark paper.
    pub const DARK: Self = Self { depth: Depth::True, theme: Theme::Dark, ascii: false };
    /// Everything, on light paper.
    pub const LIGHT: Self = Self { depth: Depth::True, theme: Theme::Light, ascii: false };

    /// Whether there are colours.
    pub fn has_colours(self) -> bool {
        self.depth != Depth::None
    }

    /// Whether boards are pictures of blocks and figures.
    pub(crate) fn has_figures(self) -> bool {
        self.has_colours() && !self.ascii
    }

    pub(crate) fn tint(self, role: Role) -> Tint {
        role.tint(self.theme)
    }

    /// A text in this colour.
    pub(crate) fn ink(self, role: Role) -> Style {
        self.ink_of(self.tint(role))
    }

    pub(crate) fn ink_of(self, tint: Tint) -> Style {
        Style { fg: tint.at(self.depth), ..Style::default() }
    }

    /// A ground of this colour.
    pub(crate) fn paper(self, role: Role) -> Style {
        self.paper_of(self.tint(role))
    }

    pub(crate) fn paper_of(self, tint: Tint) -> Style {
        Style { bg: tint.at(self.depth), ..Style::default() }
    }

    pub(crate) fn both(self, ink: Tint, paper: Tint) -> Style {
        self.ink_of(ink).patch(self.paper_of(paper))
    }

    /// Text that is not the first to be read.
    pub(crate) fn soft(self) -> Style {
        self.ink(Role::Soft)
    }

    /// Something to notice.
    pub(crate) fn loud(self) -> Style {
        self.ink(Role::Beak).add_modifier(Modifier::BOLD)
    }

    /// Something that is wrong.
    pub(crate) fn wrong(self) -> Style {
        self.ink(Role::Bad).add_modifier(Modifier::BOLD)
    }

    /// Something good.
    pub(crate) fn good(self) -> Style {
        self.ink(Role::Good).add_modifier(Modifier::BOLD)
    }

    /// The bars at the top and the bottom. Where no colour tells them apart, they are reversed.
    pub(crate) fn bar(self) -> Style {
        match self.tint(Role::Card).at(self.depth) {
            None => Style::default().add_modifier(Modifier::REVERSED),
            Some(_) => self.both(self.tint(Role::Ink), self.tint(Role::Card)),
        }
    }

    /// Who is to move, what was played last. Without a colour of its own it needs a sign beside it, and has one.
    pub(crate) fn turn(self) -> Style {
        self.paper(Role::Turn)
    }

    /// One of two texts: as it should be, and for terminals that have only the signs of a typewriter.
    pub(crate) fn sign<'a>(self, sign: &'a str, ascii: &'a str) -> &'a str {
        if self.ascii { ascii } else { sign }
    }

    /// Our own signs as a typewriter has them, where it has to be; what others have written stays.
    pub(crate) fn simplify(self, buffer: &mut Buffer) {
        if !self.ascii {
            return;
        }
        for cell in &mut buffer.content {
            let sign = match cell.symbol() {
                "…" | "·" | "•" => ".",
                "─" => "-",
                "│" => "|",
                "┌" | "┐" | "└" | "┘" => "+",
                "←" => "<",
                "→" => ">",
                _ => continue,
            };
            cell.set_symbol(sign);
        }
    }

    /// The colour of a cell without anything on it.
    pub(crate) fn cell(self, ground: &str, cell: &Cell) -> Tint {
        let has = |class: &str| cell.classes.contains(&class);
        let pick = |light: Role, dark: Role| if has("dark") { dark } else { light };
        self.tint(match ground {
            "sea" if has("hole") => Role::Sea,
            "sea" => Role::Ice,
            SLAB => Role::Slab,
            _ if has("hole") => Role::Hole,
            "turf" if has("home-1") => pick(Role::HomeA1, Role::HomeA2),
            "turf" if has("home-2") => pick(Role::HomeB1, Role::HomeB2),
            "turf" => pick(Role::Turf1, Role::Turf2),
            "wood" => pick(Role::Wood1, Role::Wood2),
            _ => pick(Role::Slate1, Role::Slate2),
        })
    }
}

/// The ground of a board with holes into which pieces are dropped: slate on which nothing ever moves.
pub(crate) const SLAB: &str = "slab";
