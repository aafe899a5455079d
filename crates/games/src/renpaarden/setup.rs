//! The size of the board and the optional rules.

use rookery_rules::{Key, Kind, Options, SetupError};

use super::Position;

/// How a game of Renpaarden begins and which optional rules hold. The default is the 9 x 9 board without any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a rule that holds or does not, on its own")]
pub struct Setup {
    /// Files, 3 to 11.
    pub width: u8,
    /// Ranks, 5 to 11.
    pub height: u8,
    /// When a full goal is seen.
    pub win: WinTest,
    /// Whether a turn may end on the cell where it began.
    pub null_turn: bool,
    /// Whether a chain may return to a cell.
    pub revisit: bool,
    /// Draw when a position occurs so often within 128 turns; 0 is never.
    pub repetition: u8,
    /// Draw after so many turns of both players together.
    pub max_turns: u32,
    /// Draw when a chain has so many hops and still stands on an enemy piece.
    pub max_chain: u32,
    /// Whether a full goal with a single own piece in it wins.
    pub parlett: bool,
    /// A player who still has a piece at home at the end of this turn of its own, or a later one, loses; 0 is never.
    pub leave_home: u32,
    /// Whether a piece may return to its home rows.
    pub return_home: bool,
}

/// When a full goal is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WinTest {
    /// After every hop; a piece that stands on an enemy piece counts.
    Hop,
    /// At the end of a turn, when every piece has a cell for itself.
    Turn,
}

impl Setup {
    /// How many pieces each player has.
    #[inline]
    pub const fn n_pieces(&self) -> u8 {
        2 * self.width
    }

    /// Whether hops are only limited by the board and the own pieces, so that a chain can never get stuck.
    #[inline]
    pub(super) const fn is_plain(&self) -> bool {
        self.null_turn && self.revisit && self.return_home
    }

    /// Whether nothing is tested at the end of a turn but a full goal and the number of turns.
    #[inline]
    pub(super) const fn ends_plainly(&self) -> bool {
        self.repetition == 0 && !self.parlett && self.leave_home == 0 && self.return_home
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            width: 9,
            height: 9,
            win: WinTest::Hop,
            null_turn: true,
            revisit: true,
            repetition: 0,
            max_turns: 10_000,
            max_chain: 1000,
            parlett: false,
            leave_home: 0,
            return_home: true,
        }
    }
}

const fn key(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Key {
    Key { name, kind, default, help }
}

impl rookery_rules::Setup for Setup {
    type Position = Position;

    const GAME: &'static str = "renpaarden";

    const KEYS: &'static [Key] = &[
        key("width", Kind::Number(3, 11), "9", "files of the board"),
        key("height", Kind::Number(5, 11), "9", "ranks of the board"),
        key(
            "win",
            Kind::Word(&["hop", "turn"]),
            "hop",
            "hop: a full goal wins after any hop, also with a piece on top of an enemy; turn: only at the end of a turn",
        ),
        key("null-turn", Kind::Flag, "yes", "whether a turn may end where it began"),
        key("revisit", Kind::Flag, "yes", "whether a chain may return to a cell"),
        key(
            "repetition",
            Kind::Number(0, 128),
            "0",
            "draw when a position occurs so often within 128 turns; 0: never",
        ),
        key(
            "max-turns",
            Kind::Number(1, 1_000_000),
            "10000",
            "draw after so many turns, of both players together",
        ),
        // A chain without detours has at most one hop for each enemy piece and a last one: 23. So a limit from 24 up
        // never takes away a cell that a turn could end on.
        key(
            "max-chain",
            Kind::Number(24, 1_000_000),
            "1000",
            "draw when a chain has so many hops and goes on",
        ),
        key("parlett", Kind::Flag, "no", "whether a full goal with a single own piece in it wins"),
        key(
            "leave-home",
            Kind::Number(0, 1_000_000),
            "0",
            "who has a piece at home after so many turns of its own loses; 0: never",
        ),
        key("return-home", Kind::Flag, "yes", "whether a piece may return to its home rows"),
    ];

    fn from_options(options: &Options<'_>) -> Result<Self, SetupError> {
        let repetition = options.number("repetition");
        if repetition == 1 {
            return Err(options.refuse("repetition", "0, or a number from 2 to 128"));
        }
        let win = if options.text("win") == "hop" { WinTest::Hop } else { WinTest::Turn };
        Ok(Self {
            width: options.number("width"),
            height: options.number("height"),
            win,
            null_turn: options.flag("null-turn"),
            revisit: options.flag("revisit"),
            repetition,
            max_turns: options.number("max-turns"),
            max_chain: options.number("max-chain"),
            parlett: options.flag("parlett"),
            leave_home: options.number("leave-home"),
            return_home: options.flag("return-home"),
        })
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        let flag = |value: bool| if value { "yes" } else { "no" }.to_owned();
        let win = match self.win {
            WinTest::Hop => "hop",
            WinTest::Turn => "turn",
        };
        vec![
            ("width", self.width.to_string()),
            ("height", self.height.to_string()),
            ("win", win.to_owned()),
            ("null-turn", flag(self.null_turn)),
            ("revisit", flag(self.revisit)),
            ("repetition", self.repetition.to_string()),
            ("max-turns", self.max_turns.to_string()),
            ("max-chain", self.max_chain.to_string()),
            ("parlett", flag(self.parlett)),
            ("leave-home", self.leave_home.to_string()),
            ("return-home", flag(self.return_home)),
        ]
    }

    fn start(&self) -> Position {
        Position::new(*self)
    }
}
