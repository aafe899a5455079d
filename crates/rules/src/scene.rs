//! A position as a picture: plain data that is drawn as SVG, by a page, or as text, without knowing the game.
//!
//! A [`Scene`] has cells, pieces that stand on them, the legal moves from cell to cell, and captions. Whoever draws
//! one needs no rules, and a new game needs no drawing code: it chooses shapes, sprites and classes.
//!
//! Lengths are whole numbers, so that a scene is the same on every machine; a square cell is [`SIDE`] wide.
//! Ids are unique among the cells, among the pieces and among the moves of a scene.
//!
//! # Pieces that keep their ids
//!
//! Positions do not tell the pieces of a seat apart, so [`Picture::scene`] numbers them anew each time: `p1-1`,
//! `p1-2` and so on, for each seat in reading order. Who shows one position after another calls
//! [`Scene::follow`], which gives each piece the id it had in the scene before; then a piece can be animated by its
//! id.
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_rules::{Notation, Picture, Position, Setup};
//!
//! let mut position = hexapawn::Setup::parse("rows=3,cols=3")?.start();
//! let before = position.scene();
//! position.play(position.parse_move("b2")?)?;
//! let mut after = position.scene();
//! after.follow(&before);
//! let id = |scene: &rookery_rules::Scene, cell: &str| scene.pieces_on(cell).next().map(|piece| piece.id.clone());
//! assert_eq!(id(&after, "b2"), id(&before, "b1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeSet;

use crate::{Position, Seat, Seats, Status};

/// The width of a square cell, and about that of any other.
pub const SIDE: i32 = 100;

/// The room that [`Scene::number_edges`] takes at the left and below.
pub const EDGE: i32 = 44;

/// Positions that can be drawn.
pub trait Picture: Position {
    /// The picture, with the pieces of each seat numbered in reading order.
    fn scene(&self) -> Scene;
}

/// Everything there is to see of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// The game's name for people.
    pub title: &'static str,
    /// What lies under the cells, for a style sheet: `sea`, `wood`, `slate`, `turf`.
    pub ground: &'static str,
    /// What the pieces look like, to stand for a seat that has none.
    pub sprite: &'static str,
    /// All cells and all captions with a place lie in here.
    pub viewbox: Viewbox,
    /// In the order in which one reads them.
    pub cells: Vec<Cell>,
    /// In the order in which they are drawn: of two on a cell, the lower one first.
    pub pieces: Vec<Piece>,
    /// The legal moves, in the game's order.
    pub moves: Vec<Move>,
    /// Texts around the board.
    pub captions: Vec<Caption>,
}

/// The part of the plane that is shown; y grows downwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Viewbox {
    /// The left edge.
    pub x: i32,
    /// The upper edge.
    pub y: i32,
    /// Towards the right.
    pub width: i32,
    /// Downwards.
    pub height: i32,
}

/// A point of the plane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// Towards the right.
    pub x: i32,
    /// Downwards.
    pub y: i32,
}

/// A place where pieces stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// As the game writes it in moves: `b1`, `2.3`.
    pub id: String,
    /// Where its middle is.
    pub centre: Point,
    /// What it looks like.
    pub shape: Shape,
    /// For people who do not see it: its name and what is on it apart from pieces.
    pub label: String,
    /// Words for a style sheet: `light`, `dark`, `floe`, `hole`.
    pub classes: Vec<&'static str>,
    /// What there is to gain, such as fish.
    pub value: Option<u32>,
}

/// The outline of a cell, seen from its centre.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// The corners, in order around.
    Polygon(Vec<Point>),
    /// Half the width and half the height.
    Rect(i32, i32),
    /// The radius.
    Circle(i32),
}

/// Something on a cell that belongs to a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// See [`Scene::follow`].
    pub id: String,
    /// The id of its cell.
    pub cell: String,
    /// Whose it is.
    pub seat: Seat,
    /// What it looks like: `penguin`, `pawn`, `horse`, `stone`.
    pub sprite: &'static str,
    /// The sign that tells its owner without colour, one or two characters.
    pub mark: String,
    /// For people who do not see it, without its cell: `red penguin of player 1`.
    pub label: String,
    /// Words for a style sheet: `covered`.
    pub classes: Vec<&'static str>,
}

/// A legal move as something to click at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The text of the move.
    pub id: String,
    /// The cell of the piece that moves or leaves; none for a placement.
    pub from: Option<String>,
    /// The cell it goes to; none if it leaves the board, or if the move is no matter of cells.
    pub to: Option<String>,
    /// For people: `b1 takes a2`.
    pub label: String,
}

/// A text around or on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caption {
    /// Where it belongs.
    pub place: Place,
    /// What it says.
    pub text: String,
    /// Words for a style sheet: `to-move`, `winner`, `out`.
    pub classes: Vec<&'static str>,
}

/// Where a [`Caption`] belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// How the game stands; one a scene.
    Status,
    /// What there is to say about a seat; one a seat, in turn order.
    Seat(Seat),
    /// A coordinate, centred at this point.
    At(Point),
}

impl Point {
    /// The point `x` to the right and `y` down.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }
}

impl Shape {
    /// How far it reaches from its centre: to the left, up, to the right, down.
    pub fn reach(&self) -> (i32, i32, i32, i32) {
        match self {
            Self::Rect(width, height) => (*width, *height, *width, *height),
            Self::Circle(radius) => (*radius, *radius, *radius, *radius),
            Self::Polygon(corners) => corners.iter().fold((0, 0, 0, 0), |(left, up, right, down), corner| {
                (left.max(-corner.x), up.max(-corner.y), right.max(corner.x), down.max(corner.y))
            }),
        }
    }
}

impl Cell {
    /// A square of a board, light or dark by turns; the board's top left corner is the origin.
    pub fn square(id: String, row: u8, col: u8) -> Self {
        let middle = |n: u8| i32::from(n) * SIDE + SIDE / 2;
        Self {
            label: id.clone(),
            id,
            centre: Point::new(middle(col), middle(row)),
            shape: Shape::Rect(SIDE / 2, SIDE / 2),
            classes: vec![if (row + col).is_multiple_of(2) { "light" } else { "dark" }],
            value: None,
        }
    }
}

impl Move {
    /// A piece goes from one cell to another.
    pub fn between(id: String, from: String, to: String) -> Self {
        Self { label: format!("{from} to {to}"), id, from: Some(from), to: Some(to) }
    }
}

impl Scene {
    /// A scene without anything in it.
    pub const fn new(title: &'static str, ground: &'static str, sprite: &'static str) -> Self {
        Self {
            title,
            ground,
            sprite,
            viewbox: Viewbox { x: 0, y: 0, width: 0, height: 0 },
            cells: vec![],
            pieces: vec![],
            moves: vec![],
            captions: vec![],
        }
    }

    /// The cell with this id.
    pub fn cell(&self, id: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.id == id)
    }

    /// The pieces on a cell, the lowest first.
    pub fn pieces_on<'a>(&'a self, cell: &'a str) -> impl DoubleEndedIterator<Item = &'a Piece> {
        self.pieces.iter().filter(move |piece| piece.cell == cell)
    }

    /// The seats that have a caption or a piece, in turn order.
    pub fn seats(&self) -> impl Iterator<Item = Seat> {
        let captions = self.captions.iter().filter_map(|caption| match caption.place {
            Place::Seat(seat) => Some(seat),
            Place::Status | Place::At(_) => None,
        });
        captions.chain(self.pieces.iter().map(|piece| piece.seat)).collect::<Seats>().iter()
    }

    /// The legal move with this text.
    pub fn find_move(&self, id: &str) -> Option<&Move> {
        self.moves.iter().find(|mv| mv.id == id)
    }

    /// Adds a piece that looks like all pieces of the scene, with the next number of its seat as its id.
    pub fn add_piece(&mut self, cell: String, seat: Seat, mark: String, label: String) {
        let ordinal = 1 + self.pieces.iter().filter(|piece| piece.seat == seat).count();
        let id = piece_id(seat, ordinal);
        let sprite = self.sprite;
        self.pieces.push(Piece { id, cell, seat, sprite, mark, label, classes: vec![] });
    }

    /// Numbers the rows (from the top) and the columns of a board of squares, and makes the viewbox fit.
    pub fn number_edges(
        &mut self,
        rows: impl IntoIterator<Item = String>,
        cols: impl IntoIterator<Item = String>,
    ) {
        let middle = |n: i32| n * SIDE + SIDE / 2;
        let (mut n_rows, mut n_cols) = (0, 0);
        for text in rows {
            self.number(Point::new(-EDGE / 2, middle(n_rows)), text);
            n_rows += 1;
        }
        for text in cols {
            self.number(Point::new(middle(n_cols), n_rows * SIDE + EDGE / 2), text);
            n_cols += 1;
        }
        let (width, height) = (n_cols * SIDE, n_rows * SIDE);
        let margin = EDGE / 2;
        self.viewbox =
            Viewbox { x: -EDGE, y: -margin, width: width + EDGE + margin, height: height + EDGE + margin };
    }

    /// Adds a coordinate.
    pub fn number(&mut self, at: Point, text: String) {
        self.captions.push(Caption { place: Place::At(at), text, classes: vec![] });
    }

    /// Says how the game stands, in the words that fit every game.
    pub fn say_status(&mut self, status: &Status, name: impl Fn(Seat) -> String) {
        let text = match status {
            Status::ToMove(seat) => format!("{} to move", name(*seat)),
            Status::Over(outcome) => {
                let winners: Vec<String> = outcome.winners.iter().map(&name).collect();
                match winners.as_slice() {
                    [] => "over, and nobody has won".to_owned(),
                    [winner] => format!("{winner} has won"),
                    [firsts @ .., last] => format!("a draw between {} and {last}", firsts.join(", ")),
                }
            }
        };
        self.say(text);
    }

    /// Says how the game stands.
    pub fn say(&mut self, text: String) {
        self.captions.push(Caption { place: Place::Status, text, classes: vec![] });
    }

    /// Says something about a seat, and marks who is to move and who has won.
    pub fn say_seat(&mut self, seat: Seat, text: String, status: &Status, out: bool) {
        let mut classes = vec![];
        match status {
            Status::ToMove(to_move) if *to_move == seat => classes.push("to-move"),
            Status::Over(outcome) if outcome.winners.contains(seat) => classes.push("winner"),
            _ => {}
        }
        if out {
            classes.push("out");
        }
        self.captions.push(Caption { place: Place::Seat(seat), text, classes });
    }

    /// Gives the pieces the ids they had in the scene before this one.
    ///
    /// A piece that stayed keeps its id. Of the others, each takes over the id of a piece of the same seat and
    /// sprite that has gone from its cell, in order. After one move there is at most one such piece a seat, so this
    /// is exact: the piece that moved. Pieces that are new get ids that are new too.
    pub fn follow(&mut self, previous: &Self) {
        let same_kind = |a: &Piece, b: &Piece| a.seat == b.seat && a.sprite == b.sprite;
        let mut gone: Vec<&Piece> = previous.pieces.iter().collect();
        let mut given: BTreeSet<String> = previous.pieces.iter().map(|piece| piece.id.clone()).collect();
        let mut ids: Vec<Option<String>> = vec![None; self.pieces.len()];
        for stayed in [true, false] {
            for (piece, id) in self.pieces.iter().zip(&mut ids).filter(|(_, id)| id.is_none()) {
                let fits = |old: &&Piece| same_kind(old, piece) && (!stayed || old.cell == piece.cell);
                if let Some(idx) = gone.iter().position(fits) {
                    *id = Some(gone.remove(idx).id.clone());
                }
            }
        }
        for (piece, id) in self.pieces.iter_mut().zip(ids) {
            piece.id = id.unwrap_or_else(|| {
                let ids = (1..=given.len() + 1).map(|ordinal| piece_id(piece.seat, ordinal));
                ids.into_iter().find(|id| !given.contains(id)).expect("there is one id more than were given")
            });
            given.insert(piece.id.clone());
        }
    }
}

fn piece_id(seat: Seat, ordinal: usize) -> String {
    format!("p{}-{ordinal}", seat.index() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(pieces: &[(&str, u8)]) -> Scene {
        let mut scene = Scene::new("test", "wood", "pawn");
        for &(cell, seat) in pieces {
            scene.add_piece(cell.to_owned(), Seat::new(seat), String::new(), String::new());
        }
        scene
    }

    fn ids(scene: &Scene) -> Vec<(&str, &str)> {
        scene.pieces.iter().map(|piece| (piece.cell.as_str(), piece.id.as_str())).collect()
    }

    #[test]
    fn a_capture_takes_the_captor_s_id_along() {
        let before = scene(&[("a1", 0), ("b1", 0), ("b2", 1), ("c2", 1)]);
        let mut after = scene(&[("b1", 0), ("b2", 0), ("c2", 1)]);
        after.follow(&before);
        assert_eq!(ids(&after), [("b1", "p1-2"), ("b2", "p1-1"), ("c2", "p2-2")]);
    }

    #[test]
    fn a_new_piece_has_a_new_id() {
        let before = scene(&[("b1", 0), ("c1", 0)]);
        let mut after = scene(&[("a1", 0), ("b1", 0), ("c1", 0)]);
        after.follow(&before);
        assert_eq!(ids(&after), [("a1", "p1-3"), ("b1", "p1-1"), ("c1", "p1-2")]);
    }

    #[test]
    fn a_covered_piece_stays_itself() {
        let before = scene(&[("a1", 0), ("b3", 1)]);
        let mut on_top = scene(&[("b3", 1), ("b3", 0)]);
        on_top.follow(&before);
        assert_eq!(ids(&on_top), [("b3", "p2-1"), ("b3", "p1-1")]);
    }

    #[test]
    fn shapes_reach_as_far_as_their_corners() {
        let corners = vec![Point::new(-3, 0), Point::new(0, -4), Point::new(5, 1)];
        assert_eq!(Shape::Polygon(corners).reach(), (3, 4, 5, 1));
    }
}
