//! Sizes and the removal rule.

use rookery_rules::{Key, Kind, Options, SetupError};

use super::{Board, Position};

/// How a game of Hexapawn begins. The default is the 5 x 5 board without removals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Rows, 2 to 8.
    pub rows: u8,
    /// Columns, 1 to 8.
    pub cols: u8,
    /// Own pawns that each player takes off before play.
    pub eliminate: Eliminate,
}

/// How many own pawns each player takes off before play: fewer than half of the columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eliminate {
    /// So many.
    Exactly(u8),
    /// As many as player 1 says in the first move.
    Choose,
}

impl Eliminate {
    /// The most pawns each player may take off.
    pub const fn limit(cols: u8) -> u8 {
        (cols - 1) / 2
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self { rows: 5, cols: 5, eliminate: Eliminate::Exactly(0) }
    }
}

impl rookery_rules::Setup for Setup {
    type Position = Position;

    const GAME: &'static str = "hexapawn";

    const KEYS: &'static [Key] = &[
        Key { name: "rows", kind: Kind::Number(2, 8), default: "5", help: "rows of the board" },
        Key { name: "cols", kind: Kind::Number(1, 8), default: "5", help: "columns of the board" },
        Key {
            name: "eliminate",
            kind: Kind::NumberOr(0, 3, &["choose"]),
            default: "0",
            help: "own pawns each player takes off before play; choose: player 1 decides",
        },
    ];

    fn from_options(options: &Options<'_>) -> Result<Self, SetupError> {
        let (rows, cols) = (options.number("rows"), options.number("cols"));
        let eliminate = match options.number_or_word("eliminate") {
            None => Eliminate::Choose,
            Some(k) if k <= Eliminate::limit(cols) => Eliminate::Exactly(k),
            Some(_) => {
                let limit = Eliminate::limit(cols);
                return Err(options
                    .refuse("eliminate", format!("at most {limit} with {cols} columns: fewer than half")));
            }
        };
        Ok(Self { rows, cols, eliminate })
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        let eliminate = match self.eliminate {
            Eliminate::Exactly(k) => k.to_string(),
            Eliminate::Choose => "choose".to_owned(),
        };
        vec![("rows", self.rows.to_string()), ("cols", self.cols.to_string()), ("eliminate", eliminate)]
    }

    fn start(&self) -> Position {
        Position::new(Board::init(self.rows, self.cols), self.eliminate)
    }
}
