//! Colours, by the words of a scene for its ground and its pieces.

use ratatui::style::{Color, Modifier, Style};
use rookery_rules::Seat;
use rookery_rules::scene::{Cell, Scene};

/// How many colours there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Palette {
    /// None: everything is told by signs.
    Mono,
    /// The sixteen of every terminal.
    Basic,
    /// 256.
    Rich,
}

impl Palette {
    /// What the environment asks for: the variables `NO_COLOR`, `TERM` and `COLORTERM`.
    pub fn of(no_color: Option<&str>, term: Option<&str>, color_term: Option<&str>) -> Self {
        let term = term.unwrap_or_default();
        if no_color.is_some_and(|value| !value.is_empty()) || term == "dumb" {
            Self::Mono
        } else if term.contains("256")
            || term.contains("direct")
            || color_term.is_some_and(|value| !value.is_empty())
        {
            Self::Rich
        } else {
            Self::Basic
        }
    }

    /// The colour of this palette, if it has any: one of sixteen, or one of 256.
    fn pick(self, (basic, rich): (Color, u8)) -> Option<Color> {
        match self {
            Self::Mono => None,
            Self::Basic => Some(basic),
            Self::Rich => Some(Color::Indexed(rich)),
        }
    }

    fn style(self, paper: (Color, u8), ink: (Color, u8)) -> Style {
        Style { fg: self.pick(ink), bg: self.pick(paper), ..Style::default() }
    }

    /// A cell without anything on it.
    pub(crate) fn cell(self, scene: &Scene, cell: &Cell) -> Style {
        let has = |class: &str| cell.classes.contains(&class);
        let light = !has("dark");
        let ink = (Color::Black, 16);
        match scene.ground {
            _ if has("hole") => self.style((Color::Blue, 25), (Color::LightBlue, 75)),
            "sea" => self.style((Color::Gray, 195), (Color::Blue, 24)),
            "turf" if has("home-1") => self.style((Color::Gray, if light { 230 } else { 187 }), ink),
            "turf" if has("home-2") => self.style((Color::Gray, if light { 180 } else { 137 }), ink),
            "turf" => self.style((Color::Green, if light { 150 } else { 107 }), ink),
            "wood" => self.style(if light { (Color::Gray, 223) } else { (Color::Yellow, 173) }, ink),
            _ => self.style(if light { (Color::Gray, 254) } else { (Color::Cyan, 250) }, ink),
        }
    }

    /// What lies around the cells.
    pub(crate) fn ground(self, scene: &Scene) -> Style {
        match scene.ground {
            "sea" => self.style((Color::Blue, 25), (Color::White, 153)),
            _ => Style::default(),
        }
    }

    /// A piece, or the sign of a seat in a list.
    pub(crate) fn piece(self, sprite: &str, seat: Seat) -> Style {
        const WHITE: (Color, u8) = (Color::White, 231);
        const BLACK: (Color, u8) = (Color::Black, 16);
        const PENGUINS: [(Color, u8); 4] = [(Color::Red, 160), WHITE, (Color::Yellow, 94), BLACK];
        const OTHERS: [(Color, u8); 8] = [
            (Color::Red, 160),
            (Color::Blue, 26),
            (Color::Green, 28),
            (Color::Magenta, 90),
            (Color::Yellow, 130),
            (Color::Cyan, 30),
            BLACK,
            WHITE,
        ];
        let paper = match sprite {
            "penguin" => PENGUINS[seat.index() % PENGUINS.len()],
            "pawn" | "horse" => [WHITE, BLACK][seat.index() % 2],
            _ => OTHERS[seat.index()],
        };
        let ink = if paper == WHITE { BLACK } else { WHITE };
        let style = self.style(paper, ink).add_modifier(Modifier::BOLD);
        if self == Self::Mono { style.add_modifier(Modifier::REVERSED) } else { style }
    }

    /// The cell of the cursor.
    pub(crate) fn cursor(self) -> Style {
        self.style((Color::LightYellow, 226), (Color::Black, 16)).add_modifier(Modifier::BOLD)
    }

    /// A cell that a move goes to, or comes from.
    pub(crate) fn target(self) -> Style {
        self.style((Color::LightGreen, 120), (Color::Black, 16)).add_modifier(Modifier::BOLD)
    }

    /// The cells of the last move.
    pub(crate) fn last(self) -> Style {
        self.style((Color::LightMagenta, 219), (Color::Black, 16))
    }

    /// Something less important.
    pub(crate) fn faint(self) -> Style {
        if self == Self::Mono { Style::default() } else { Style::default().add_modifier(Modifier::DIM) }
    }

    /// Something to notice.
    pub(crate) fn loud(self) -> Style {
        let style = Style::default().add_modifier(Modifier::BOLD);
        self.pick((Color::Yellow, 214)).map_or(style, |colour| style.fg(colour))
    }

    /// Something that is wrong.
    pub(crate) fn wrong(self) -> Style {
        let style = Style::default().add_modifier(Modifier::BOLD);
        self.pick((Color::LightRed, 203)).map_or(style, |colour| style.fg(colour))
    }

    /// The bars at the top and the bottom.
    pub(crate) fn bar(self) -> Style {
        if self == Self::Mono {
            Style::default().add_modifier(Modifier::REVERSED)
        } else {
            self.style((Color::Blue, 24), (Color::White, 255))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides() {
        assert_eq!(Palette::of(Some("1"), Some("xterm-256color"), None), Palette::Mono);
        assert_eq!(Palette::of(Some(""), Some("xterm-256color"), None), Palette::Rich);
        assert_eq!(Palette::of(None, Some("linux"), None), Palette::Basic);
        assert_eq!(Palette::of(None, Some("xterm"), Some("truecolor")), Palette::Rich);
        assert_eq!(Palette::of(None, None, None), Palette::Basic);
    }
}
