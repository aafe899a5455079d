//! The one palette: what each role looks like, dark and light, in true colour, 256 and sixteen colours.
#![allow(clippy::unreadable_literal, reason = "colours are written as everywhere else: three bytes in a row")]

use ratatui::style::Color;

/// How many colours there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// None: everything is told by signs.
    None,
    /// The sixteen of every terminal.
    Sixteen,
    /// 256.
    Indexed,
    /// Red, green and blue.
    True,
}

/// What the terminal's paper is like. It is never painted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theme {
    /// Light ink on dark paper.
    Dark,
    /// Dark ink on light paper.
    Light,
}

/// One colour at every depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tint {
    rgb: u32,
    indexed: u8,
    /// One of sixteen; `OWN` is the terminal's own.
    basic: u8,
}

const OWN: u8 = u8::MAX;

pub(crate) const fn tint(rgb: u32, indexed: u8, basic: u8) -> Tint {
    Tint { rgb, indexed, basic }
}

/// The sixteen colours, in the order of their codes.
const SIXTEEN: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

impl Tint {
    /// The colour at a depth; `None` is the terminal's own.
    pub(crate) fn at(self, depth: Depth) -> Option<Color> {
        match depth {
            Depth::None => None,
            Depth::Sixteen => SIXTEEN.get(usize::from(self.basic)).copied(),
            Depth::Indexed => Some(Color::Indexed(self.indexed)),
            Depth::True => {
                let [_, red, green, blue] = self.rgb.to_be_bytes();
                Some(Color::Rgb(red, green, blue))
            }
        }
    }
}

/// Where the table says what something looks like. A name that ends in `Edge` is the thick lower edge of the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Ink,
    Soft,
    Line,
    Card,
    Turn,
    Beak,
    Good,
    Bad,
    Clock,
    OnClock,
    Cursor,
    OnCursor,
    Chosen,
    ChosenEdge,
    Target,
    TargetEdge,
    Last,
    LastEdge,
    LastOnSea,
    Mark,
    Best,
    OnBest,
    Sea,
    Wave,
    Ice,
    IceEdge,
    IceId,
    Fish,
    Wood1,
    Wood2,
    Turf1,
    Turf2,
    HomeA1,
    HomeA2,
    HomeB1,
    HomeB2,
    Slate1,
    Slate2,
    Slab,
    Hole,
    SlabCursor,
    OnSlabCursor,
    SlabLast,
}

/// Each role, dark and light. Numbers of 256 are chosen by eye where the nearest one is not the best one.
#[rustfmt::skip]
const ROLES: [(Role, Tint, Tint); 43] = [
    (Role::Ink,        tint(0xe8eff3, 255, OWN), tint(0x15232c, 234, OWN)),
    (Role::Soft,       tint(0xa5b7c3, 249, OWN), tint(0x4e5c66, 240, OWN)),
    (Role::Line,       tint(0x3a5261, 239, 8),   tint(0xc9bfab, 250, 7)),
    (Role::Card,       tint(0x15242f, 235, OWN), tint(0xe9e3d6, 254, OWN)),
    (Role::Turn,       tint(0x3a2a12, 236, OWN), tint(0xfdebcd, 230, OWN)),
    (Role::Beak,       tint(0xffb246, 214, 11),  tint(0x9a5400, 94, 3)),
    (Role::Good,       tint(0x5fd3a5, 79, 10),   tint(0x0b6b4a, 22, 2)),
    (Role::Bad,        tint(0xff9d92, 216, 9),   tint(0xb0291f, 124, 1)),
    (Role::Clock,      tint(0xe8eff3, 255, 7),   tint(0x15232c, 234, 0)),
    (Role::OnClock,    tint(0x0b151c, 233, 0),   tint(0xfffdf8, 231, 15)),
    (Role::Cursor,     tint(0xffd27a, 222, 11),  tint(0x0a5c8f, 24, 4)),
    (Role::OnCursor,   tint(0x10202b, 234, 0),   tint(0xffffff, 231, 15)),
    (Role::Chosen,     tint(0xffb246, 214, 3),   tint(0xffb246, 214, 3)),
    (Role::ChosenEdge, tint(0xa8660c, 130, 3),   tint(0xa8660c, 130, 3)),
    (Role::Target,     tint(0xffe3a6, 229, 15),  tint(0xffe3a6, 229, 15)),
    (Role::TargetEdge, tint(0xcf9a3c, 178, 3),   tint(0xcf9a3c, 178, 3)),
    (Role::Last,       tint(0xd3bdf7, 183, 5),   tint(0xd9c6fb, 183, 5)),
    (Role::LastEdge,   tint(0x7f56c4, 98, 15),   tint(0x8f5bff, 99, 15)),
    (Role::LastOnSea,  tint(0xc9a9ff, 183, 13),  tint(0x4a1f9e, 55, 13)),
    (Role::Mark,       tint(0x0d3550, 236, 0),   tint(0x0d3550, 236, 0)),
    (Role::Best,       tint(0x0a6b4e, 29, 2),    tint(0x0a6b4e, 29, 2)),
    (Role::OnBest,     tint(0xffffff, 231, 15),  tint(0xffffff, 231, 15)),
    (Role::Sea,        tint(0x113650, 24, 4),    tint(0x4a97c6, 68, 4)),
    (Role::Wave,       tint(0x2a5878, 31, 12),   tint(0x7fbbe0, 110, 12)),
    (Role::Ice,        tint(0xcfe3ee, 195, 7),   tint(0xf1f9fd, 231, 15)),
    (Role::IceEdge,    tint(0x5f8ca8, 67, 8),    tint(0xa4cbe1, 152, 7)),
    (Role::IceId,      tint(0x3d6076, 60, 8),    tint(0x47738e, 66, 8)),
    (Role::Fish,       tint(0xa84f10, 130, 1),   tint(0xb75a17, 130, 1)),
    (Role::Wood1,      tint(0xcdb995, 180, 7),   tint(0xe6d0a8, 187, 15)),
    (Role::Wood2,      tint(0xa98559, 137, 3),   tint(0xc39b6a, 137, 3)),
    (Role::Turf1,      tint(0xa3bb86, 150, 7),   tint(0xd7e7bd, 187, 15)),
    (Role::Turf2,      tint(0x83a36b, 107, 2),   tint(0xb0cd92, 150, 2)),
    (Role::HomeA1,     tint(0xc3cbb2, 251, 7),   tint(0xd2d9c0, 254, 15)),
    (Role::HomeA2,     tint(0xaeb99c, 145, 7),   tint(0xbcc6a8, 250, 7)),
    (Role::HomeB1,     tint(0xa99a68, 137, 3),   tint(0xc9b98c, 180, 3)),
    (Role::HomeB2,     tint(0x8a8350, 101, 3),   tint(0xb39f66, 143, 3)),
    (Role::Slate1,     tint(0x4a5663, 240, 8),   tint(0xeceff2, 255, 15)),
    (Role::Slate2,     tint(0x3d4854, 238, 0),   tint(0xd3dae1, 253, 7)),
    (Role::Slab,       tint(0x1b4a86, 25, 4),    tint(0x2f6cb3, 25, 4)),
    (Role::Hole,       tint(0x0b1a28, 234, 0),   tint(0xf4f0e7, 255, 15)),
    (Role::SlabCursor, tint(0xffd27a, 222, 11),  tint(0xffd27a, 222, 11)),
    (Role::OnSlabCursor, tint(0x10202b, 234, 0), tint(0x10202b, 234, 0)),
    (Role::SlabLast,   tint(0xe2d0ff, 189, 13),  tint(0xe2d0ff, 189, 13)),
];

impl Role {
    pub(crate) fn tint(self, theme: Theme) -> Tint {
        let (_, dark, light) = ROLES[self as usize];
        match theme {
            Theme::Dark => dark,
            Theme::Light => light,
        }
    }
}

/// The colours of a figure: its body, the shade at its lower edge, its light side or belly, and the mark on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Suit {
    pub(crate) body: Tint,
    pub(crate) shade: Tint,
    pub(crate) light: Tint,
    pub(crate) mark: Tint,
}

const fn suit(body: Tint, shade: Tint, light: Tint, mark: Tint) -> Suit {
    Suit { body, shade, light, mark }
}

pub(crate) const WHITE: Tint = tint(0xff_ffff, 231, 15);
const NIGHT: Tint = tint(0x1d2530, 235, 0);
const DOWN: Tint = tint(0x26303a, 236, 0);

/// By seat, light and dark.
#[rustfmt::skip]
pub(crate) const WOOD: [Suit; 2] = [
    suit(tint(0xfbf1dc, 230, 15), tint(0xb98a4e, 137, 7), tint(0xffffff, 231, 15), tint(0x4a3218, 236, 0)),
    suit(tint(0x4a342a, 237, 0), tint(0x1d120d, 233, 8), tint(0x7a5a48, 95, 8), tint(0xf7e7c8, 224, 15)),
];

#[rustfmt::skip]
pub(crate) const STONE: [Suit; 8] = [
    suit(tint(0x1f6fb8, 25, 4), tint(0x0f3f70, 23, 4), tint(0x6fb0ea, 74, 12), WHITE),
    suit(tint(0xe98a15, 172, 3), tint(0x8f5206, 94, 3), tint(0xffc678, 222, 11), NIGHT),
    suit(tint(0x1b9e77, 36, 2), tint(0x0f5742, 23, 2), tint(0x76c5ad, 115, 10), WHITE),
    suit(tint(0xd0342c, 160, 1), tint(0x721d18, 88, 1), tint(0xe38580, 210, 9), WHITE),
    suit(tint(0x8150b8, 97, 5), tint(0x472c65, 54, 5), tint(0xb396d4, 140, 13), WHITE),
    suit(tint(0x63bdea, 74, 6), tint(0x366881, 24, 6), tint(0xa1d7f2, 153, 14), NIGHT),
    suit(tint(0xf2d935, 221, 11), tint(0x857720, 100, 3), tint(0xf7e886, 228, 15), NIGHT),
    suit(tint(0x6d7680, 243, 8), tint(0x22252a, 235, 0), tint(0xa9afb5, 248, 7), WHITE),
];

#[rustfmt::skip]
pub(crate) const DISC: [Suit; 2] = [
    suit(tint(0xffc043, 215, 11), tint(0xb97a08, 136, 3), tint(0xffe09a, 222, 15), tint(0x3a2600, 235, 0)),
    suit(tint(0xd8483e, 160, 1), tint(0x8c211a, 88, 1), tint(0xf48d84, 210, 9), WHITE),
];

#[rustfmt::skip]
pub(crate) const PENGUIN: [Suit; 4] = [
    suit(tint(0xcf3a2f, 160, 1), tint(0x7d1c15, 88, 1), tint(0xfff6e6, 230, 15), DOWN),
    suit(tint(0xffffff, 231, 15), tint(0x1067d8, 26, 4), tint(0xdbe6ef, 254, 7), DOWN),
    suit(tint(0x8d5b34, 95, 3), tint(0x4f2f17, 236, 3), tint(0xfbeedb, 255, 15), DOWN),
    suit(tint(0x2a313a, 236, 0), tint(0xe0459b, 168, 5), tint(0xffffff, 231, 15), DOWN),
];

/// The white penguin has grey sides: white on ice would not be seen.
pub(crate) const GREY_SIDES: Tint = tint(0x8fa6b8, 109, 8);
pub(crate) const BEAK: Tint = tint(0xf59a1b, 214, 3);
pub(crate) const EYE: Tint = tint(0x15191e, 234, 0);
/// The mark of the white penguin where its body is behind it.
pub(crate) const BLUE: Tint = tint(0x1067d8, 26, 4);
pub(crate) const SCARF: Tint = tint(0xf6c443, 221, 11);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_roles() {
        for (idx, (role, ..)) in ROLES.iter().enumerate() {
            assert_eq!(*role as usize, idx, "{role:?}");
        }
    }

    /// How bright a colour is, as the guidelines for readable pages define it.
    fn luminance(rgb: u32) -> f64 {
        let part = |byte: u8| {
            let c = f64::from(byte) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let [_, red, green, blue] = rgb.to_be_bytes();
        0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
    }

    fn contrast(a: u32, b: u32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn what_is_written_can_be_read() {
        use Role::{
            Bad, Beak, Best, Card, Chosen, Clock, Cursor, Good, Ice, IceId, Ink, Last, Mark, OnBest, OnClock,
            OnCursor, Soft, Target, Turn,
        };
        for (theme, paper) in [(Theme::Dark, 0x0b_151c), (Theme::Light, 0xf7_f4ed)] {
            let rgb = |role: Role| role.tint(theme).rgb;
            for ink in [Ink, Soft, Beak, Good, Bad] {
                assert!(contrast(rgb(ink), paper) >= 4.5, "{ink:?} on paper, {theme:?}");
            }
            for (ink, ground) in [
                (Ink, Card),
                (Soft, Card),
                (Beak, Card),
                (Ink, Turn),
                (Soft, Turn),
                (Beak, Turn),
                (OnClock, Clock),
                (OnCursor, Cursor),
                (OnBest, Best),
                (Mark, Ice),
                (Mark, Target),
                (Mark, Chosen),
                (Mark, Last),
                (IceId, Ice),
            ] {
                let found = contrast(rgb(ink), rgb(ground));
                assert!(found >= 4.5, "{ink:?} on {ground:?}, {theme:?}: {found:.2}");
            }
        }
        for (suits, name) in [(&WOOD[..], "wood"), (&STONE, "stone"), (&DISC, "disc")] {
            for (seat, suit) in suits.iter().enumerate() {
                let found = contrast(suit.mark.rgb, suit.body.rgb);
                assert!(found >= 3.0, "{name} {seat}: {found:.2}");
            }
        }
    }

    #[test]
    fn each_depth_has_its_codes() {
        let sea = Role::Sea.tint(Theme::Dark);
        assert_eq!(sea.at(Depth::None), None);
        assert_eq!(sea.at(Depth::Sixteen), Some(Color::Blue));
        assert_eq!(sea.at(Depth::Indexed), Some(Color::Indexed(24)));
        assert_eq!(sea.at(Depth::True), Some(Color::Rgb(0x11, 0x36, 0x50)));
        assert_eq!(Role::Ink.tint(Theme::Dark).at(Depth::Sixteen), None, "the terminal's own");
    }
}
