//! Where the stones stand at the start.

use rookery_rules::Seat;

use super::Tile;

/// The tiles of a board, row by row, each with who stands there.
pub(super) type Tiles = Vec<Vec<Option<Seat>>>;

/// Where the stones stand at the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Each player in a row of its own, centred, the rows spread from the first to the last.
    Rows,
    /// Each player around a corner of the board, or around the middle of an edge.
    Corners,
    /// The players in turn around the border.
    Ring,
    /// As given: the rows joined by `/`, with digits for players and `.` for free tiles.
    Given(String),
}

impl Layout {
    /// The most stones each player can have, 0 if there is no room for all players.
    pub(super) fn most(&self, rows: usize, cols: usize, players: usize) -> usize {
        match self {
            Self::Rows => {
                if players <= rows {
                    cols
                } else {
                    0
                }
            }
            Self::Corners => rows * cols / players,
            Self::Ring => border(rows, cols).len() / players,
            Self::Given(_) => 0,
        }
    }

    /// The stones each player has if nobody says how many: a whole row, a quarter of the board together, every
    /// second tile of the border.
    pub(super) fn usual(&self, rows: usize, cols: usize, players: usize) -> usize {
        match self {
            Self::Rows => cols,
            Self::Corners => (rows * cols / (4 * players)).max(1),
            Self::Ring => (border(rows, cols).len() / (2 * players)).max(1),
            Self::Given(_) => 0,
        }
    }
}

/// A board without stones.
pub(super) fn empty(rows: usize, cols: usize) -> Tiles {
    vec![vec![None; cols]; rows]
}

/// Player `i` of `n` has row `i * (rows - 1) / (n - 1)`, rounded.
pub(super) fn in_rows(rows: usize, cols: usize, players: usize, stones: usize) -> Tiles {
    let mut tiles = empty(rows, cols);
    let first = (cols - stones) / 2;
    for seat in Seat::all(players) {
        let row = (2 * seat.index() * (rows - 1) + players - 1) / (2 * (players - 1));
        tiles[row][first..first + stones].fill(Some(seat));
    }
    tiles
}

/// In turns, each player takes the free tile nearest to its anchor; among equals the first in reading order, or the
/// last if the anchor lies in the last row, so that opposite players begin alike.
pub(super) fn in_corners(rows: usize, cols: usize, players: usize, stones: usize) -> Tiles {
    let anchors = anchors(rows, cols, players);
    let mut free: Vec<Tile> =
        (0..rows as u8).flat_map(|row| (0..cols as u8).map(move |col| Tile { row, col })).collect();
    let mut tiles = empty(rows, cols);
    for _ in 0..stones {
        for (seat, anchor) in Seat::all(players).zip(&anchors) {
            let distance = |tile: &Tile| {
                let (rows, cols) = (tile.row.abs_diff(anchor.row), tile.col.abs_diff(anchor.col));
                u32::from(rows).pow(2) + u32::from(cols).pow(2)
            };
            let nearest = if usize::from(anchor.row) + 1 == rows {
                (0..free.len()).rev().min_by_key(|&idx| distance(&free[idx]))
            } else {
                (0..free.len()).min_by_key(|&idx| distance(&free[idx]))
            };
            let tile = free.remove(nearest.expect("the number of stones was checked"));
            tiles[usize::from(tile.row)][usize::from(tile.col)] = Some(seat);
        }
    }
    tiles
}

/// Clockwise from the first tile of the first row: corners, and middles of edges where there are more players.
fn anchors(rows: usize, cols: usize, players: usize) -> Vec<Tile> {
    // Corners have even numbers, the middles of edges odd ones: 0 is top left, 1 the middle of the first row.
    let order: &[usize] = match players {
        2 => &[0, 4],
        3 => &[0, 2, 4],
        4 => &[0, 2, 4, 6],
        5 => &[0, 1, 2, 4, 6],
        6 => &[0, 1, 2, 4, 5, 6],
        7 => &[0, 1, 2, 3, 4, 5, 6],
        _ => &[0, 1, 2, 3, 4, 5, 6, 7],
    };
    let (bottom, right) = (rows as u8 - 1, cols as u8 - 1);
    let eight = [
        (0, 0),
        (0, right / 2),
        (0, right),
        (bottom / 2, right),
        (bottom, right),
        (bottom, right / 2),
        (bottom, 0),
        (bottom / 2, 0),
    ];
    order.iter().map(|&number| Tile::new(eight[number].0, eight[number].1)).collect()
}

/// Stone `j` of all `n` stones stands on tile `j * b / n` of the `b` tiles of the border, rounded down, and belongs
/// to player `j` modulo the number of players.
pub(super) fn in_ring(rows: usize, cols: usize, players: usize, stones: usize) -> Tiles {
    let border = border(rows, cols);
    let mut tiles = empty(rows, cols);
    let n_stones = stones * players;
    for (stone, seat) in (0..n_stones).zip(Seat::all(players).cycle()) {
        let tile = border[stone * border.len() / n_stones];
        tiles[usize::from(tile.row)][usize::from(tile.col)] = Some(seat);
    }
    tiles
}

/// The tiles of the border, clockwise from the first tile of the first row.
fn border(rows: usize, cols: usize) -> Vec<Tile> {
    let (bottom, right) = (rows as u8 - 1, cols as u8 - 1);
    if right == 0 {
        return (0..=bottom).map(|row| Tile::new(row, 0)).collect();
    }
    let top = (0..right).map(|col| Tile::new(0, col));
    let right_side = (0..bottom).map(|row| Tile::new(row, right));
    let lower = (1..=right).rev().map(|col| Tile::new(bottom, col));
    let left_side = (1..=bottom).rev().map(|row| Tile::new(row, 0));
    top.chain(right_side).chain(lower).chain(left_side).collect()
}
