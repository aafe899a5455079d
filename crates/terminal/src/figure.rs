//! Figures as data: small pictures of pieces, two pixels a character, and what a piece is called in one character.
#![allow(clippy::unreadable_literal, reason = "a colour is read as six digits")]

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rookery_rules::Seat;

use crate::board::put;
use crate::look::{Look, SLAB};
use crate::palette::{
    BEAK, BLUE, DISC, EYE, GREY_SIDES, PENGUIN, Role, SCARF, STONE, Suit, Tint, WHITE, WOOD,
};

/// The pixels of a figure, line by line: K body, d shade, l light, h hat or head, w belly, e eye, o beak and feet,
/// s scarf, a dot where nothing is.
pub(crate) type Pixels = [&'static str];

/// What a sprite looks like here.
pub(crate) struct Figure {
    /// In one character, where there is one for it.
    glyph: Option<char>,
    /// The mark stands on it.
    has_mark: bool,
    /// The pictures, the largest first.
    pictures: &'static [&'static Pixels],
}

const PAWN: Figure = Figure {
    glyph: Some('♟'),
    has_mark: false,
    pictures: &[
        &[
            "....l....",
            "...lKK...",
            "..lKKKK..",
            "...KKK...",
            "....K....",
            "...lKK...",
            "...lKK...",
            "..lKKKK..",
            ".lKKKKKK.",
            ".ddddddd.",
        ],
        &["...l...", "..lKK..", "..KKK..", "...K...", "..lKK..", "..lKK..", ".lKKKK.", ".ddddd."],
        &[".lKK.", ".KKK.", "..K..", ".lKK.", "lKKKK", "ddddd"],
    ],
};

const HORSE: Figure = Figure {
    glyph: Some('♞'),
    has_mark: false,
    pictures: &[
        &[
            "....K.K..",
            "...lKKKd.",
            "..leKKKKd",
            ".lKKKKKKd",
            "KKKKlKKKd",
            "KK..lKKKd",
            "...lKKKd.",
            "..lKKKKd.",
            ".lKKKKKd.",
            ".ddddddd.",
        ],
        &["...K...", "..lKKd.", ".leKKd.", "KKKKKKd", "KK.lKKd", "..lKKd.", ".lKKKKd", ".dddddd"],
        &["..K..", ".KKKd", "KKeKd", "KKKKd", "..KKd", ".dddd"],
    ],
};

/// Also what is drawn for a sprite that nobody has drawn: a chip with its mark.
const ROUND: Figure = Figure {
    glyph: None,
    has_mark: true,
    pictures: &[
        &[
            "...lll...",
            ".lllKKKK.",
            ".lKKKKKK.",
            "KKKKKKKKK",
            "KKKKKKKKK",
            "KKKKKKKKK",
            "KKKKKKKKK",
            ".KKKKKKd.",
            ".KKKKddd.",
            "...ddd...",
        ],
        &["..lll..", ".lKKKK.", "KKKKKKK", "KKKKKKK", "KKKKKKK", "KKKKKKK", ".KKKKd.", "..ddd.."],
        &[".lKK.", "lKKKK", "KKKKK", "KKKKd", ".Kdd.", "....."],
    ],
};

const BIRD: Figure = Figure {
    glyph: None,
    has_mark: true,
    pictures: &[
        &[
            "..hhh..", ".hhhhh.", ".KeKeK.", ".KwowK.", ".sssss.", "KKwwwKK", "KKwwwKK", "KKwwwKK",
            ".KwwwK.", ".KKKKK.", ".oo.oo.",
        ],
        &[".hhh.", "KeoeK", "KwwwK", "KwwwK", ".o.o."],
    ],
};

/// Who looks how: a piece by its sprite, on its ground.
#[derive(Clone, Copy)]
pub(crate) struct Cast<'a> {
    pub(crate) sprite: &'a str,
    pub(crate) ground: &'a str,
}

impl Cast<'_> {
    pub(crate) fn figure(self) -> &'static Figure {
        match self.sprite {
            "pawn" => &PAWN,
            "horse" => &HORSE,
            "penguin" => &BIRD,
            _ => &ROUND,
        }
    }

    pub(crate) fn suit(self, seat: Seat) -> Suit {
        let suits: &[Suit] = match self.sprite {
            "pawn" | "horse" => &WOOD,
            "penguin" => &PENGUIN,
            _ if self.ground == SLAB => &DISC,
            _ => &STONE,
        };
        // Seats beyond those that a family of figures has look like stones.
        suits.get(seat.index()).copied().unwrap_or(STONE[seat.index() % STONE.len()])
    }

    /// The colour of a pixel; none where nothing is.
    fn pixel(self, seat: Seat, pixel: char) -> Option<Tint> {
        let suit = self.suit(seat);
        let is_bird = self.sprite == "penguin";
        let has_hat = is_bird && matches!(seat.index(), 1 | 3);
        Some(match pixel {
            'K' if is_bird && seat.index() == 1 => GREY_SIDES,
            'w' if is_bird && seat.index() == 1 => WHITE,
            'h' | 's' if has_hat => suit.shade,
            'K' | 'h' => suit.body,
            'd' => suit.shade,
            'l' | 'w' => suit.light,
            'e' if suit == WOOD[1] => suit.mark,
            'e' => EYE,
            'o' => BEAK,
            's' => SCARF,
            _ => return None,
        })
    }

    /// The sign of a piece in one or two characters, and its colours.
    pub(crate) fn chip(self, seat: Seat, mark: &str, look: Look) -> (String, Tint, Tint) {
        let suit = self.suit(seat);
        let glyph = self.figure().glyph.filter(|_| look.has_figures());
        let text = glyph.map_or_else(|| mark.to_owned(), String::from);
        let ink = match (self.sprite, seat.index()) {
            // The mark is one for the belly; on the body it would be dark on dark.
            ("penguin", 1) => BLUE,
            ("penguin", _) => WHITE,
            _ => suit.mark,
        };
        (text, ink, suit.body)
    }
}

impl Figure {
    /// The largest picture for which there is room, in characters.
    pub(crate) fn picture(&self, width: u16, height: u16) -> Option<&'static Pixels> {
        let fits = |picture: &&&'static Pixels| {
            picture[0].len() <= usize::from(width) && picture.len().div_ceil(2) <= usize::from(height)
        };
        self.pictures.iter().find(fits).copied()
    }

    /// Whether a piece's mark stands on its figure.
    pub(crate) fn has_mark(&self) -> bool {
        self.has_mark
    }
}

/// Draws a picture with its upper left corner in the upper half of a character. What is behind it stays. If there is a
/// piece below this one, its colour is the lowest line.
pub(crate) fn draw(
    picture: &Pixels,
    (cast, seat, below): (Cast<'_>, Seat, Option<Seat>),
    (x, y): (i32, i32),
    view: Rect,
    look: Look,
    buffer: &mut Buffer,
) {
    let last = picture.len() - 1;
    let colour = |row: usize, pixel: char| match below {
        Some(below) if row == last => Some(cast.suit(below).body),
        _ => cast.pixel(seat, pixel),
    };
    blocks(picture, &colour, (x, y), view, look, buffer);
}

/// The shape of a stone in one colour: a hole.
pub(crate) fn draw_hole(
    (width, height): (u16, u16),
    (x, y): (i32, i32),
    view: Rect,
    look: Look,
    buffer: &mut Buffer,
) {
    let hole = look.tint(Role::Hole);
    if let Some(picture) = ROUND.picture(width.saturating_sub(2), height) {
        let (x, y) = centred(picture, (x, y), (width, height));
        blocks(picture, &|_, pixel| (pixel != '.').then_some(hole), (x, y), view, look, buffer);
    }
}

/// Where a picture goes in a box.
pub(crate) fn centred(picture: &Pixels, (x, y): (i32, i32), (width, height): (u16, u16)) -> (i32, i32) {
    let across = (i32::from(width) - picture[0].len() as i32) / 2;
    let down = (i32::from(height) - picture.len().div_ceil(2) as i32) / 2;
    (x + across, y + down)
}

fn blocks(
    picture: &Pixels,
    colour: &dyn Fn(usize, char) -> Option<Tint>,
    (x, y): (i32, i32),
    view: Rect,
    look: Look,
    buffer: &mut Buffer,
) {
    for (line, row) in (0..picture.len()).step_by(2).enumerate() {
        let lower = picture.get(row + 1).copied().unwrap_or_default();
        for (column, upper) in picture[row].chars().enumerate() {
            let at = (x + column as i32, y + line as i32);
            let lower = lower.chars().nth(column).and_then(|pixel| colour(row + 1, pixel));
            let (text, style) = match (colour(row, upper), lower) {
                (Some(a), Some(b)) if a == b => (" ", look.paper_of(a)),
                (Some(a), Some(b)) => ("▀", look.both(a, b)),
                (Some(a), None) => ("▀", look.ink_of(a)),
                (None, Some(b)) => ("▄", look.ink_of(b)),
                (None, None) => continue,
            };
            put(buffer, view, at, text, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_a_rectangle_of_known_pixels() {
        for figure in [&PAWN, &HORSE, &ROUND, &BIRD] {
            for picture in figure.pictures {
                assert!(picture.iter().all(|row| row.len() == picture[0].len()), "{picture:?}");
                assert!(picture.concat().chars().all(|pixel| "KdlhweosdKl.".contains(pixel)), "{picture:?}");
            }
        }
    }

    #[test]
    fn the_largest_picture_that_fits_is_taken() {
        for (room, expected) in
            [((1, 1), None), ((3, 2), None), ((5, 3), Some(5)), ((7, 4), Some(7)), ((11, 6), Some(9))]
        {
            let picture = PAWN.picture(room.0, room.1);
            assert_eq!(picture.map(|picture| picture[0].len()), expected, "{room:?}");
        }
    }

    #[test]
    fn a_sprite_that_nobody_has_drawn_is_a_chip_with_its_mark() {
        let cast = Cast { sprite: "dragon", ground: "lava" };
        assert!(cast.figure().has_mark());
        let (text, ink, paper) = cast.chip(Seat::new(5), "D", Look::DARK);
        assert_eq!(text, "D");
        assert_ne!(ink, paper);
    }
}
