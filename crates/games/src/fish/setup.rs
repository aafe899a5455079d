//! How many players, and where the board comes from.

use rookery_rules::{Key, Kind, Options, Rng, Seed, SetupError, below};

use super::shape::MAX_CELLS;
use super::{Board, Position};

/// How a game of Fish begins. The default is for two players on five rows and five columns of random tiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// How many players, 2 to 4.
    pub players: u8,
    /// Where the board comes from.
    pub source: Source,
}

/// Where the board comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// Made to measure.
    Made {
        /// Rows; with the columns at most 128 cells.
        rows: u8,
        /// Columns.
        cols: u8,
        /// Fish on the tiles.
        fish: Stock,
        /// So many cells, drawn at random, have no tile.
        holes: u8,
        /// At least so many tiles have one fish.
        ones: u8,
        /// Where the random choices come from.
        seed: u64,
    },
    /// The 60 tiles of the published game, shuffled.
    Classic {
        /// Where the order comes from.
        seed: u64,
    },
    /// This one.
    Given(Board),
}

/// Fish on the tiles of a board made to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stock {
    /// So many on each.
    Equal(u8),
    /// One to five, each number equally likely.
    Random,
}

impl Default for Setup {
    fn default() -> Self {
        let source = Source::Made { rows: 5, cols: 5, fish: Stock::Random, holes: 0, ones: 0, seed: 0 };
        Self { players: 2, source }
    }
}

impl Setup {
    /// The board of the first position.
    pub fn board(&self) -> Board {
        let (tiles, cols) = match &self.source {
            Source::Given(board) => return board.clone(),
            Source::Made { rows, cols, fish, holes, ones, seed } => {
                let mut rng = Seed(*seed).rng();
                let n_cells = usize::from(*rows) * usize::from(*cols);
                let (holes, ones) = (usize::from(*holes), usize::from(*ones));
                let mut tiles: Vec<u8> = (0..n_cells)
                    .map(|idx| match fish {
                        _ if idx < holes => 0,
                        Stock::Equal(fish) => *fish,
                        Stock::Random if idx < holes + ones => 1,
                        Stock::Random => 1 + below(&mut rng, Board::MAX_FISH.into()) as u8,
                    })
                    .collect();
                shuffle(&mut tiles, &mut rng);
                (tiles, usize::from(*cols))
            }
            Source::Classic { seed } => {
                let mut tiles = [[1; 30].as_slice(), &[2; 20], &[3; 10]].concat();
                shuffle(&mut tiles, &mut Seed(*seed).rng());
                (tiles, 4)
            }
        };
        let rows: Vec<&[u8]> = tiles.chunks(cols).collect();
        Board::from_rows(&rows).expect("a setup describes a board within the limits")
    }
}

/// Every order is equally likely.
fn shuffle(tiles: &mut [u8], rng: &mut Rng) {
    for idx in (1..tiles.len()).rev() {
        tiles.swap(idx, below(rng, idx as u32 + 1) as usize);
    }
}

impl rookery_rules::Setup for Setup {
    type Position = Position;

    const GAME: &'static str = "fish";

    const KEYS: &'static [Key] = &[
        Key { name: "rows", kind: Kind::Number(1, 128), default: "5", help: "rows of the board" },
        Key { name: "cols", kind: Kind::Number(1, 128), default: "5", help: "columns of the board" },
        Key {
            name: "players",
            kind: Kind::Number(2, 4),
            default: "2",
            help: "players; each has 6 less this many penguins",
        },
        Key {
            name: "fish",
            kind: Kind::NumberOr(1, 5, &["random"]),
            default: "random",
            help: "fish on every tile",
        },
        Key { name: "holes", kind: Kind::Number(0, 127), default: "0", help: "cells without a tile" },
        Key {
            name: "ones",
            kind: Kind::Number(0, 128),
            default: "0",
            help: "at least so many tiles have one fish",
        },
        Key {
            name: "seed",
            kind: Kind::Number(0, u64::MAX),
            default: "0",
            help: "where the random choices of the board come from",
        },
        Key {
            name: "board",
            kind: Kind::Text("made (from the other keys), classic, or rows of digits such as 123/405/11"),
            default: "made",
            help: "made from the other keys, classic (60 tiles), or fish row by row, 0 for a hole",
        },
    ];

    fn from_options(options: &Options<'_>) -> Result<Self, SetupError> {
        let source = match options.text("board") {
            "made" => made(options)?,
            "classic" => {
                refuse_given(options, &["rows", "cols", "fish", "holes", "ones"], "classic")?;
                Source::Classic { seed: options.number("seed") }
            }
            text => {
                let board: Board = text.parse().map_err(|error| {
                    options.refuse(
                        "board",
                        format!("made, classic or rows of digits such as 123/405/11: {error}"),
                    )
                })?;
                if board.tiles() == 0 {
                    return Err(options.refuse("board", "a board with at least one tile"));
                }
                if board.cells().any(|cell| board.fish(cell) > Board::MAX_FISH) {
                    return Err(options.refuse("board", "tiles of 1 to 5 fish, and 0 for a hole"));
                }
                refuse_given(options, &["rows", "cols", "fish", "holes", "ones", "seed"], "given in rows")?;
                Source::Given(board)
            }
        };
        Ok(Self { players: options.number("players"), source })
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        let players = ("players", self.players.to_string());
        match &self.source {
            Source::Made { rows, cols, fish, holes, ones, seed } => {
                let fish = match fish {
                    Stock::Equal(fish) => fish.to_string(),
                    Stock::Random => "random".to_owned(),
                };
                vec![
                    ("rows", rows.to_string()),
                    ("cols", cols.to_string()),
                    players,
                    ("fish", fish),
                    ("holes", holes.to_string()),
                    ("ones", ones.to_string()),
                    ("seed", seed.to_string()),
                ]
            }
            Source::Classic { seed } => {
                vec![players, ("seed", seed.to_string()), ("board", "classic".to_owned())]
            }
            Source::Given(board) => vec![players, ("board", board.to_string())],
        }
    }

    fn start(&self) -> Position {
        Position::start(self.board(), self.players.into()).expect("a setup has 2 to 4 players")
    }
}

fn made(options: &Options<'_>) -> Result<Source, SetupError> {
    let (rows, cols): (u8, u8) = (options.number("rows"), options.number("cols"));
    let n_cells = usize::from(rows) * usize::from(cols);
    if n_cells > MAX_CELLS {
        let key = if options.given("rows").is_some() { "rows" } else { "cols" };
        return Err(options.refuse(
            key,
            format!("with the other side at most {MAX_CELLS} cells; {rows} rows of {cols} are {n_cells}"),
        ));
    }
    let (holes, ones): (u8, u8) = (options.number("holes"), options.number("ones"));
    if usize::from(holes) >= n_cells {
        return Err(options.refuse("holes", format!("fewer than the {n_cells} cells of the board")));
    }
    let n_tiles = n_cells - usize::from(holes);
    if usize::from(ones) > n_tiles {
        return Err(options.refuse("ones", format!("at most {n_tiles}, the number of tiles")));
    }
    let fish = options.number_or_word("fish").map_or(Stock::Random, Stock::Equal);
    match fish {
        Stock::Equal(fish) if fish > 1 && ones > 0 => {
            Err(options.refuse("ones", format!("0 where every tile has {fish} fish (`fish={fish}`)")))
        }
        _ => Ok(Source::Made { rows, cols, fish, holes, ones, seed: options.number("seed") }),
    }
}

/// Keys that say how to make a board have no meaning when there is one.
fn refuse_given(options: &Options<'_>, keys: &[&'static str], board: &str) -> Result<(), SetupError> {
    match keys.iter().find(|key| options.given(key).is_some()) {
        Some(key) => Err(options.refuse(key, format!("no value where the board is {board}; leave it out"))),
        None => Ok(()),
    }
}
