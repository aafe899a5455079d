//! How far the pieces of Renpaarden have come.

use rookery_games::renpaarden::{Cell, Position};
use rookery_rules::Seat;

/// Cells have indices below this.
const N_CELLS: usize = 121;
/// Most pieces of a player.
const MOST: usize = 22;

/// Everything about the race that depends on the size of the board only.
pub(crate) struct Race {
    width: u8,
    height: u8,
    /// Hops from any cell to any other, with nothing in the way.
    hops: Vec<[u8; N_CELLS]>,
    /// For each player the cells to fill: the far row first, from the corners inwards.
    goals: [Vec<Cell>; 2],
    /// For each player, by cell: how much it is worth that a piece stands there, by its row alone.
    rows: [[i32; N_CELLS]; 2],
    /// For each player, by cell: whether it is a cell to fill.
    in_goal: [[bool; N_CELLS]; 2],
}

/// What a hop that is still to be made costs.
const HOP: i32 = 40;
/// What an enemy piece costs that stands on a cell to fill.
const BLOCKED: i32 = 6;

impl Race {
    /// For positions on boards like this one.
    pub(crate) fn of(position: &Position) -> Self {
        let (width, height) = (position.setup().width, position.setup().height);
        let cells = || (0..height).flat_map(move |rank| (0..width).map(move |file| Cell::new(file, rank)));
        let mut race = Self {
            width,
            height,
            hops: vec![[u8::MAX; N_CELLS]; N_CELLS],
            goals: [vec![], vec![]],
            rows: [[0; N_CELLS]; 2],
            in_goal: [[false; N_CELLS]; 2],
        };
        for from in cells() {
            race.hops[from.index()] = hops_from(from, width, height);
            for player in 0..2 {
                let row = if player == 0 { from.rank() } else { height - 1 - from.rank() };
                race.rows[player][from.index()] = worth_of_row(row, height);
                if row + 2 >= height {
                    race.goals[player].push(from);
                    race.in_goal[player][from.index()] = true;
                }
            }
        }
        for (player, goal) in race.goals.iter_mut().enumerate() {
            let from_corner = |cell: Cell| cell.file().min(width - 1 - cell.file());
            let far = |cell: Cell| if player == 0 { height - 1 - cell.rank() } else { cell.rank() };
            goal.sort_by_key(|&cell| (far(cell), from_corner(cell)));
        }
        race
    }

    /// Makes it right for a position, if it was made for another size.
    pub(crate) fn fit(&mut self, position: &Position) {
        if (self.width, self.height) != (position.setup().width, position.setup().height) {
            *self = Self::of(position);
        }
    }

    /// Whether a cell is one on which a player began.
    pub(crate) fn is_home(&self, seat: Seat, cell: Cell) -> bool {
        self.in_goal[seat.next(2).index() & 1][cell.index()]
    }

    /// How far a player has come; less than nothing before the goal is full.
    pub(crate) fn progress(&self, position: &Position, seat: Seat) -> i32 {
        let player = seat.index() & 1;
        let mut outside = [0usize; MOST];
        let mut n_outside = 0;
        let mut filled = [false; N_CELLS];
        let mut value = 0;
        for cell in position.pieces(seat) {
            let cell = cell.index();
            value += self.rows[player][cell];
            if self.in_goal[player][cell] {
                filled[cell] = true;
            } else {
                outside[n_outside] = cell;
                n_outside += 1;
            }
        }
        let blocked = position.pieces(seat.next(2)).filter(|cell| self.in_goal[player][cell.index()]).count();
        value -= BLOCKED * blocked as i32;
        // Each open cell, the hardest first, gets the nearest piece that is still free.
        for goal in &self.goals[player] {
            if filled[goal.index()] || n_outside == 0 {
                continue;
            }
            let hops = &self.hops[goal.index()];
            let mut best = (u8::MAX, 0);
            for (idx, &cell) in outside[..n_outside].iter().enumerate() {
                if hops[cell] < best.0 {
                    best = (hops[cell], idx);
                }
            }
            value -= HOP * i32::from(best.0);
            n_outside -= 1;
            outside.swap(best.1, n_outside);
        }
        value
    }
}

/// The lead with which three games of four are won, for random games that are left early.
pub(crate) const THREE_OF_FOUR: i32 = 60;

/// By how much a player is ahead, by the rows of the pieces alone: quick, and right on any board.
pub(crate) fn lead(position: &Position, seat: Seat) -> i32 {
    let height = position.setup().height;
    let come = |seat: Seat| -> i32 {
        let row = |cell: Cell| if seat.index() == 0 { cell.rank() } else { height - 1 - cell.rank() };
        position.pieces(seat).map(|cell| worth_of_row(row(cell), height)).sum()
    };
    come(seat) - come(seat.next(2))
}

/// Rows count, the first ones most: who is left behind is helped by nobody.
fn worth_of_row(row: u8, height: u8) -> i32 {
    let left = i32::from(height - 1 - row);
    let n = i32::from(height) - 1;
    10 * i32::from(row) - 12 * left * left / n
}

/// Hops from one cell to all others of a board.
fn hops_from(from: Cell, width: u8, height: u8) -> [u8; N_CELLS] {
    const OFFSETS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
    // Cells that cannot be reached at all are far, but can still be added up.
    let mut hops = [30; N_CELLS];
    hops[from.index()] = 0;
    let mut queue = vec![from];
    let mut read = 0;
    while read < queue.len() {
        let cell = queue[read];
        read += 1;
        for (right, up) in OFFSETS {
            let file = cell.file().checked_add_signed(right).filter(|&file| file < width);
            let rank = cell.rank().checked_add_signed(up).filter(|&rank| rank < height);
            if let (Some(file), Some(rank)) = (file, rank) {
                let next = Cell::new(file, rank);
                if hops[next.index()] > hops[cell.index()] + 1 {
                    hops[next.index()] = hops[cell.index()] + 1;
                    queue.push(next);
                }
            }
        }
    }
    hops
}

impl std::fmt::Debug for Race {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Race({} x {})", self.width, self.height)
    }
}
