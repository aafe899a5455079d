//! What programs learn from: moves by number, and the board as planes of bytes.
//!
//! A game says which moves there can be at all ([`Learnable::all_moves`]); the rest follows from that list and from its
//! scene. [`Actions`] numbers the moves of a setup, [`Frame`] says how its observations look.
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_rules::{Actions, Learnable, Position, Setup};
//!
//! let position = hexapawn::Setup::parse("rows=3,cols=3")?.start();
//! let actions = Actions::of(&position);
//! let numbers: Vec<usize> = position.legal_moves().map(|mv| actions.number(&position, mv)).collect();
//! let moves: Vec<String> = numbers.iter().map(|&n| actions.get(n).unwrap().to_string()).collect();
//! assert_eq!(moves, ["c1-c2", "b1-b2", "a1-a2"]);
//!
//! let frame = position.frame();
//! let mut planes = vec![0; frame.len()];
//! position.observe(rookery_rules::Seat::new(0), &frame, &mut planes);
//! assert_eq!(frame.names[0], "pieces of the viewer");
//! assert_eq!(planes[..9], [1, 1, 1, 0, 0, 0, 0, 0, 0]);
//! # Ok::<(), rookery_rules::SetupError>(())
//! ```

use std::collections::BTreeSet;

use crate::{Picture, Position, Scene, Seat};

/// Positions whose moves have numbers and whose board can be written as planes of bytes.
///
/// Only [`all_moves`](Learnable::all_moves) is required. Observations come from the scene, which is slow, since a scene has
/// texts; a game that is to be fast writes its planes itself, and may add some for what no cell shows. The first planes
/// stay those of the scene; the laws in `rookery-testkit` check it.
pub trait Learnable: Picture {
    /// The sprites of its scenes, if there are several: each seat then has a plane for each of them.
    const KINDS: &'static [&'static str] = &[];

    /// Every move that can be legal in any position of this setup, each once. The same list in all of these positions; its
    /// order is that of the actions.
    fn all_moves(&self) -> Vec<Self::Move>;

    /// The place of one of [`all_moves`](Learnable::all_moves) in the list, if it can be told without looking for it. Either
    /// always or never.
    #[inline]
    fn number(&self, _mv: Self::Move) -> Option<usize> {
        None
    }

    /// Writes 1 for each legal move into a mask that is 0 everywhere; to be overridden where moves can be marked without being
    /// listed.
    #[inline]
    fn mark_legal(&self, actions: &Actions<Self>, mask: &mut [u8]) {
        actions.legal(self).for_each(|number| mask[number] = 1);
    }

    /// Adds the numbers of the legal moves to a list, in the game's order; to be overridden where that is faster without the
    /// moves.
    #[inline]
    fn list_legal(&self, actions: &Actions<Self>, numbers: &mut Vec<u32>) {
        actions.legal(self).for_each(|number| numbers.push(number as u32));
    }

    /// How observations of this setup look.
    fn frame(&self) -> Frame {
        Frame::of(&self.scene(), self.n_seats(), Self::KINDS)
    }

    /// Writes what `viewer` sees into all planes of the frame.
    ///
    /// # Panics
    /// If there is not as much room as the frame has.
    fn observe(&self, viewer: Seat, frame: &Frame, planes: &mut [u8]) {
        frame.draw_scene(self, viewer, planes);
    }
}

/// The moves of a setup by their numbers.
#[derive(Clone, Debug)]
pub struct Actions<P: Position> {
    moves: Vec<P::Move>,
    /// The moves in their own order with their numbers, where they have to be looked for.
    sorted: Vec<(P::Move, u32)>,
}

impl<P: Learnable> Actions<P> {
    /// Those of the setup of this position.
    pub fn of(position: &P) -> Self {
        let moves = position.all_moves();
        let computed = moves.first().is_some_and(|&mv| position.number(mv).is_some());
        let mut sorted: Vec<(P::Move, u32)> =
            if computed { vec![] } else { moves.iter().copied().zip(0..).collect() };
        sorted.sort_unstable();
        Self { moves, sorted }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The move of this number.
    #[inline]
    pub fn get(&self, number: usize) -> Option<P::Move> {
        self.moves.get(number).copied()
    }

    /// The number of a move, if it is one of them.
    pub fn find(&self, mv: P::Move) -> Option<usize> {
        self.moves.iter().position(|&other| other == mv)
    }

    /// The number of a legal move.
    ///
    /// # Panics
    /// If the move is none of this setup; every legal one is.
    #[inline]
    pub fn number(&self, position: &P, mv: P::Move) -> usize {
        position.number(mv).unwrap_or_else(|| {
            let place = self.sorted.binary_search_by(|(other, _)| other.cmp(&mv));
            self.sorted[place.expect("every legal move is among all moves")].1 as usize
        })
    }

    /// The numbers of the legal moves, in the game's order.
    #[inline]
    pub fn legal<'a>(&'a self, position: &'a P) -> impl Iterator<Item = usize> + 'a {
        position.legal_moves().map(|mv| self.number(position, mv))
    }

    /// Writes 1 for each legal move and 0 for each other one.
    ///
    /// # Panics
    /// If there is not one byte for each move.
    #[inline]
    pub fn mask(&self, position: &P, mask: &mut [u8]) {
        assert_eq!(mask.len(), self.len(), "a mask has a byte for each action");
        mask.fill(0);
        position.mark_legal(self, mask);
    }
}

/// How the observations of a setup look: planes of rows of cells, each cell a byte.
///
/// The planes of the pieces come first: for each seat, beginning with the viewer and going on in turn order, one for each
/// kind, with 1 where such a piece stands and 2 where it is covered by another one. Then what a cell is worth, then 1
/// everywhere if the viewer is to move. Numbers above 255 are 255.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// What each plane shows, in their order.
    pub names: Vec<String>,
    /// Rows of cells, from the top.
    pub rows: usize,
    /// Cells in the longest row, from the left.
    pub cols: usize,
    n_seats: usize,
    /// The place of each cell of the scene; empty where a game draws by itself.
    places: Vec<usize>,
}

impl Frame {
    /// Of the scenes of a game for so many seats, with pieces of these kinds. Cells of the same height are a row.
    pub fn of(scene: &Scene, n_seats: usize, kinds: &[&str]) -> Self {
        let heights: BTreeSet<i32> = scene.cells.iter().map(|cell| cell.centre.y).collect();
        let row_of = |y: i32| heights.range(..y).count();
        let col_of = |x: i32, y: i32| {
            scene.cells.iter().filter(|other| other.centre.y == y && other.centre.x < x).count()
        };
        let at: Vec<(usize, usize)> = scene
            .cells
            .iter()
            .map(|cell| (row_of(cell.centre.y), col_of(cell.centre.x, cell.centre.y)))
            .collect();
        let cols = at.iter().map(|&(_, col)| col + 1).max().unwrap_or(0);
        let places = at.into_iter().map(|(row, col)| row * cols + col).collect();
        Self { places, ..Self::new(heights.len(), cols, n_seats, kinds, &[]) }
    }

    /// Of a game that draws by itself: the planes that every game has, and these after them.
    pub fn new(rows: usize, cols: usize, n_seats: usize, kinds: &[&str], more: &[&str]) -> Self {
        let whose = |turns: usize| match turns {
            0 => "the viewer".to_owned(),
            1 => "the next seat".to_owned(),
            turns => format!("the seat {turns} turns on"),
        };
        let pieces = |turns: usize| match kinds {
            [] => vec![format!("pieces of {}", whose(turns))],
            kinds => kinds.iter().map(|kind| format!("{kind} of {}", whose(turns))).collect(),
        };
        let mut names: Vec<String> = (0..n_seats).flat_map(pieces).collect();
        names.extend(
            ["value of the cell", "the viewer is to move"]
                .into_iter()
                .chain(more.iter().copied())
                .map(str::to_owned),
        );
        Self { names, rows, cols, n_seats, places: vec![] }
    }

    /// Bytes of an observation.
    pub fn len(&self) -> usize {
        self.names.len() * self.plane()
    }

    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of one plane.
    #[inline]
    pub const fn plane(&self) -> usize {
        self.rows * self.cols
    }

    /// The number of the plane of a seat's pieces, where there is one kind of them.
    #[inline]
    pub const fn of_seat(&self, viewer: Seat, seat: Seat) -> usize {
        (seat.index() + self.n_seats - viewer.index()) % self.n_seats
    }

    /// Begins an observation of one's own, for a game with one kind of pieces: everything is 0 but the turn.
    ///
    /// # Panics
    /// If there is not as much room as the frame has.
    #[inline]
    pub fn clear(&self, viewer_is_to_move: bool, planes: &mut [u8]) {
        assert_eq!(planes.len(), self.len(), "an observation has the size of its frame");
        planes.fill(0);
        if viewer_is_to_move {
            let turn = (self.n_seats + 1) * self.plane();
            planes[turn..turn + self.plane()].fill(1);
        }
    }

    /// Writes the planes that every game has, from its scene; for a frame that comes from [`Frame::of`].
    ///
    /// # Panics
    /// If there is not as much room as the frame has.
    pub fn draw_scene<P: Learnable>(&self, position: &P, viewer: Seat, planes: &mut [u8]) {
        assert_eq!(planes.len(), self.len(), "an observation has the size of its frame");
        let (scene, kinds) = (position.scene(), P::KINDS);
        planes.fill(0);
        let plane = self.plane();
        let n_kinds = kinds.len().max(1);
        for (cell, &place) in scene.cells.iter().zip(&self.places) {
            planes[self.n_seats * n_kinds * plane + place] = cell.value.map_or(0, to_byte);
            for piece in scene.pieces_on(&cell.id) {
                let kind = kinds.iter().position(|&kind| kind == piece.sprite).unwrap_or(0);
                let number = self.of_seat(viewer, piece.seat) * n_kinds + kind;
                planes[number * plane + place] = if piece.classes.contains(&"covered") { 2 } else { 1 };
            }
        }
        if position.to_move() == Some(viewer) {
            let turn = (self.n_seats * n_kinds + 1) * plane;
            planes[turn..turn + plane].fill(1);
        }
    }
}

/// A number as a byte of an observation: what is too large is 255.
#[inline]
pub fn to_byte(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}
