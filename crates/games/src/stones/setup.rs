//! Sizes, players, stones and caps.

use rookery_rules::{Key, Kind, MAX_SEATS, Options, Seat, SetupError};

use super::layout::{self, Tiles};
use super::notation::{read_tiles, write_tiles};
use super::{Board, Layout, Limits, Neighbours, Position};

/// How a game of Stones begins. The default is the 8 x 8 board with two players and a row of stones each.
///
/// ```
/// use rookery_games::stones::Setup;
/// use rookery_rules::{Notation, Setup as _};
///
/// let setup = Setup::parse("rows=5,cols=4,players=3,stones=2")?;
/// assert_eq!(setup.start().to_text(), "0 .00./..../.11./..../.22.");
///
/// let error = Setup::parse("rows=3,players=4").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "stones: `players=4` is not possible; `players` takes at most 3 with layout=rows and 3 rows: a row each"
/// );
/// # Ok::<(), rookery_rules::SetupError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    rows: u8,
    cols: u8,
    players: u8,
    stones: Option<u8>,
    layout: Layout,
    neighbours: Neighbours,
    limits: Limits,
}

impl Setup {
    /// Rows, 2 to 16.
    pub fn rows(&self) -> u8 {
        self.rows
    }

    /// Columns, 1 to 16.
    pub fn cols(&self) -> u8 {
        self.cols
    }

    /// Players, 2 to 8.
    pub fn players(&self) -> u8 {
        self.players
    }

    /// Stones a player, if the setup says how many; otherwise the layout does.
    pub fn stones(&self) -> Option<u8> {
        self.stones
    }

    /// Where the stones stand.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Which tiles are adjacent.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// When a game that does not end is a draw.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    fn tiles(&self) -> Tiles {
        let (rows, cols) = (usize::from(self.rows), usize::from(self.cols));
        let players = usize::from(self.players);
        let stones = self.stones.map_or_else(|| self.layout.usual(rows, cols, players), usize::from);
        match &self.layout {
            Layout::Rows => layout::in_rows(rows, cols, players, stones),
            Layout::Corners => layout::in_corners(rows, cols, players, stones),
            Layout::Ring => layout::in_ring(rows, cols, players, stones),
            Layout::Given(text) => read_tiles(text).expect("the layout was read before"),
        }
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            rows: 8,
            cols: 8,
            players: 2,
            stones: None,
            layout: Layout::Rows,
            neighbours: Neighbours::Eight,
            limits: Limits::default(),
        }
    }
}

impl rookery_rules::Setup for Setup {
    type Position = Position;

    const GAME: &'static str = "stones";

    const KEYS: &'static [Key] = &[
        Key { name: "rows", kind: Kind::Number(2, 16), default: "8", help: "rows of the board" },
        Key { name: "cols", kind: Kind::Number(1, 16), default: "8", help: "columns of the board" },
        Key { name: "players", kind: Kind::Number(2, 8), default: "2", help: "players" },
        Key {
            name: "stones",
            kind: Kind::NumberOr(1, 128, &["auto"]),
            default: "auto",
            help: "stones a player; auto: as the layout has it, a full row with layout=rows",
        },
        Key {
            name: "layout",
            kind: Kind::Text("rows | corners | ring, or the rows of a board such as 000/.../111"),
            default: "rows",
            help: "where the stones stand at the start",
        },
        Key {
            name: "neighbours",
            kind: Kind::Word(&["8", "4"]),
            default: "8",
            help: "adjacent tiles: 8 straight and diagonal, 4 straight only",
        },
        Key {
            name: "quiet",
            kind: Kind::Number(1, Limits::MOST),
            default: "1000",
            help: "a draw after so many turns without a hit",
        },
        Key {
            name: "max-turns",
            kind: Kind::Number(1, Limits::MOST),
            default: "10000",
            help: "a draw after so many turns in all",
        },
    ];

    fn from_options(options: &Options<'_>) -> Result<Self, SetupError> {
        let neighbours = if options.text("neighbours") == "4" { Neighbours::Four } else { Neighbours::Eight };
        let limits = Limits { quiet: options.number("quiet"), turns: options.number("max-turns") };
        let layout = match options.text("layout") {
            "rows" => Layout::Rows,
            "corners" => Layout::Corners,
            "ring" => Layout::Ring,
            text => return given(options, text, neighbours, limits),
        };
        let setup = Self {
            rows: options.number("rows"),
            cols: options.number("cols"),
            players: options.number("players"),
            stones: options.number_or_word("stones"),
            layout,
            neighbours,
            limits,
        };
        fits(options, &setup)?;
        Ok(setup)
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        let layout = match &self.layout {
            Layout::Rows => "rows".to_owned(),
            Layout::Corners => "corners".to_owned(),
            Layout::Ring => "ring".to_owned(),
            Layout::Given(text) => text.clone(),
        };
        let mut options = vec![];
        // A given board says these itself.
        if !matches!(self.layout, Layout::Given(_)) {
            options.push(("rows", self.rows.to_string()));
            options.push(("cols", self.cols.to_string()));
            options.push(("players", self.players.to_string()));
            options.push(("stones", self.stones.map_or("auto".to_owned(), |stones| stones.to_string())));
        }
        options.push(("layout", layout));
        let neighbours = if self.neighbours == Neighbours::Four { "4" } else { "8" };
        options.push(("neighbours", neighbours.to_owned()));
        options.push(("quiet", self.limits.quiet.to_string()));
        options.push(("max-turns", self.limits.turns.to_string()));
        options
    }

    fn start(&self) -> Position {
        Position::new(Board::new(&self.tiles(), self.neighbours), self.limits)
    }

    /// From 0, as in the position's text and on the board.
    fn seat_label(&self, seat: Seat) -> String {
        super::label(seat).to_string()
    }
}

/// Whether there is room for all players and all their stones.
fn fits(options: &Options<'_>, setup: &Setup) -> Result<(), SetupError> {
    let (rows, cols, players) = (setup.rows, setup.cols, setup.players);
    let most = setup.layout.most(usize::from(rows), usize::from(cols), usize::from(players));
    if most == 0 {
        return Err(match setup.layout {
            Layout::Rows => options
                .refuse("players", format!("at most {rows} with layout=rows and {rows} rows: a row each")),
            _ => options
                .refuse("players", format!("fewer: {rows} x {cols} tiles have no room for all of them")),
        });
    }
    if setup.stones.is_some_and(|stones| usize::from(stones) > most) {
        return Err(options.refuse("stones", format!("at most {most} here, for there is no room for more")));
    }
    Ok(())
}

/// A layout that is a board of its own, which then says how many rows, columns and players there are.
fn given(
    options: &Options<'_>,
    text: &str,
    neighbours: Neighbours,
    limits: Limits,
) -> Result<Setup, SetupError> {
    let tiles = read_tiles(text).map_err(|problem| {
        options.refuse("layout", format!("rows | corners | ring, or a board: {problem}"))
    })?;
    let has_stones = |seat: Seat| tiles.iter().flatten().any(|&tile| tile == Some(seat));
    let players = Seat::all(MAX_SEATS).filter(|&seat| has_stones(seat)).map(|seat| seat.index() + 1).max();
    let players = players.unwrap_or(0);
    if let Some(absent) = Seat::all(players.max(2)).find(|&seat| !has_stones(seat)) {
        let id = absent.index();
        return Err(options
            .refuse("layout", format!("a board with at least one stone of each player; {id} has none")));
    }
    for (name, is) in [("rows", tiles.len()), ("cols", tiles[0].len()), ("players", players)] {
        if options.given(name).is_some_and(|value| value != is.to_string()) {
            return Err(options.refuse(name, format!("{is} with this layout, and need not be given")));
        }
    }
    if options.given("stones").is_some_and(|value| value != "auto") {
        return Err(
            options.refuse("stones", "no number with a layout that is a board: its stones stand there")
        );
    }
    Ok(Setup {
        rows: tiles.len() as u8,
        cols: tiles[0].len() as u8,
        players: players as u8,
        stones: None,
        layout: Layout::Given(write_tiles(&tiles)),
        neighbours,
        limits,
    })
}
