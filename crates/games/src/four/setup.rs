//! The size of the board and the length of a line.

use rookery_rules::{Key, Kind, Options, SetupError};

use super::Position;
use super::lines::FIRST_COL;

/// How a game of Four in a row begins. The default is a line of 4 on 6 rows and 7 columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Rows, 3 to 8.
    pub rows: u8,
    /// Columns, 3 to 8.
    pub cols: u8,
    /// How many stones make a line, 3 to 6, and not more than the longer side has cells.
    pub line: u8,
}

impl Setup {
    /// The longest line that has room.
    pub(super) fn longest(self) -> u8 {
        self.rows.max(self.cols)
    }

    /// All cells, as a mask (see `lines.rs`).
    #[inline]
    pub(super) const fn cells(self) -> u64 {
        (FIRST_COL * (0xff >> (8 - self.cols))) & (u64::MAX >> (64 - 8 * self.rows))
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self { rows: 6, cols: 7, line: 4 }
    }
}

impl rookery_rules::Setup for Setup {
    type Position = Position;

    const GAME: &'static str = "four";

    const KEYS: &'static [Key] = &[
        Key { name: "rows", kind: Kind::Number(3, 8), default: "6", help: "rows of the board" },
        Key { name: "cols", kind: Kind::Number(3, 8), default: "7", help: "columns of the board" },
        Key { name: "line", kind: Kind::Number(3, 6), default: "4", help: "stones in a row that win" },
    ];

    fn from_options(options: &Options<'_>) -> Result<Self, SetupError> {
        let number = |name| options.number(name);
        let setup = Self { rows: number("rows"), cols: number("cols"), line: number("line") };
        let (longest, Self { rows, cols, line }) = (setup.longest(), setup);
        if line > longest {
            let allowed =
                format!("at most {longest} with {rows} rows and {cols} columns: a longer line has no room");
            return Err(options.refuse("line", allowed));
        }
        Ok(setup)
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        vec![
            ("rows", self.rows.to_string()),
            ("cols", self.cols.to_string()),
            ("line", self.line.to_string()),
        ]
    }

    fn start(&self) -> Position {
        Position::of(*self, [0, 0])
    }
}
