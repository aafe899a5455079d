//! A board with a turn, the counters, and the order in which players went out.

use std::fmt;

use rookery_rules::{BySeat, Keyed, MAX_SEATS, Outcome, Recurring, Rng, Seat, Seats, Status, mix};

use super::{Board, Move, Tile};

/// When a game that does not end is a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// After so many turns in a row without a hit.
    pub quiet: u32,
    /// After so many turns in all.
    pub turns: u32,
}

impl Limits {
    /// The highest limit, of either kind.
    pub(super) const MOST: u64 = 1_000_000;
}

impl Default for Limits {
    fn default() -> Self {
        Self { quiet: 1000, turns: 10_000 }
    }
}

/// One moment of a game of Stones.
///
/// ```
/// use rookery_games::stones::Position;
/// use rookery_rules::{Notation, Position as _};
///
/// let mut position = Position::from_text("0 00./..1/2.2")?;
/// position.play("0.1-1.2".parse()?)?;
/// assert_eq!(position.to_text(), "2 0../..0/2.2 turn=1 out=1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    pub(super) board: Board,
    /// The key without the turn.
    stones_key: u64,
    /// Turns made so far, removals not counted.
    pub(super) turn: u32,
    /// The number of turns made when a stone was last hit; 0 if none was.
    pub(super) last_hit: u32,
    /// The game is over when so many turns are made: a cap, or 0 when one player is left.
    end: u32,
    pub(super) limits: Limits,
    pub(super) to_move: Seat,
    playing: Seats,
    /// Who moves after whom, for the players who have stones; kept because asking [`Seats`] takes longer.
    next: [Seat; MAX_SEATS],
    n_seats: u8,
    /// The players who are out, in the order in which they went; the rest is 0.
    out: [u8; MAX_SEATS],
}

/// Why a move is not legal, in the words of the original.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// The first tile does not lie on the board.
    FromOutOfBounds,
    /// The second tile does not lie on the board.
    ToOutOfBounds,
    /// No stone of the player to move stands on the first tile.
    FromNotOwn,
    /// A stone of the player to move stands on the second tile.
    ToOwn,
    /// The tiles are not adjacent.
    NotAdjacent,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FromOutOfBounds => "'From' out of bounds",
            Self::ToOutOfBounds => "'To' out of bounds",
            Self::FromNotOwn => "'From' not occupied by this player",
            Self::ToOwn => "'To' occupied by this player",
            Self::NotAdjacent => "'To' not adjacent to 'From'",
        })
    }
}

impl Position {
    /// The game on this board, all players with stones taking part and player 0 to move.
    pub(super) fn new(board: Board, limits: Limits) -> Self {
        let n_seats = Seat::all(MAX_SEATS).filter(|&seat| board.count(seat) > 0).count();
        Self::resume(board, limits, Seat::new(0), (0, 0), &[], n_seats)
    }

    /// A game that has been going on for some time: turns made and turns without a hit, players out in order.
    pub(super) fn resume(
        board: Board,
        limits: Limits,
        to_move: Seat,
        (turn, quiet): (u32, u32),
        gone: &[Seat],
        n_seats: usize,
    ) -> Self {
        let mut position = Self {
            board,
            stones_key: 0,
            turn,
            last_hit: turn - quiet,
            end: 0,
            limits,
            to_move,
            playing: Seats::all(n_seats),
            next: [to_move; MAX_SEATS],
            n_seats: n_seats as u8,
            out: [0; MAX_SEATS],
        };
        position.set_end();
        position.set_next();
        for &seat in gone {
            position.eliminate(seat);
        }
        position.stones_key = position.full_key() ^ turn_key(position.to_move);
        position
    }

    /// The stones.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The players who have stones.
    #[inline]
    pub fn playing(&self) -> Seats {
        self.playing
    }

    /// The players who are out, in the order in which they went.
    pub fn out(&self) -> impl ExactSizeIterator<Item = Seat> {
        let n_out = usize::from(self.n_seats) - self.playing.len();
        self.out[..n_out].iter().map(|&index| Seat::new(index))
    }

    /// Turns made so far.
    #[inline]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Turns made since a stone was last hit, or since the start.
    #[inline]
    pub fn quiet(&self) -> u32 {
        self.turn - self.last_hit
    }

    /// When a game that does not end is a draw.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Everything that speaks against a move of the player to move, in the order in which the original looks; empty
    /// for a legal move of a game that goes on. What stands on a tile, and whether the tiles are adjacent, is only
    /// asked of tiles on the board.
    pub fn reasons(&self, mv: Move) -> Vec<Reason> {
        let (from_inside, to_inside) = (self.board.contains(mv.from), self.board.contains(mv.to));
        let own = |tile: Tile| self.board.get(tile) == Some(self.to_move);
        let mut reasons = vec![];
        let mut note = |holds: bool, reason: Reason| {
            if holds {
                reasons.push(reason);
            }
        };
        note(!from_inside, Reason::FromOutOfBounds);
        note(!to_inside, Reason::ToOutOfBounds);
        note(from_inside && !own(mv.from), Reason::FromNotOwn);
        note(to_inside && own(mv.to), Reason::ToOwn);
        let both_inside = from_inside && to_inside;
        note(both_inside && !self.board.are_adjacent(mv.from, mv.to), Reason::NotAdjacent);
        reasons
    }

    /// Whether the game is over.
    #[inline]
    fn is_over(&self) -> bool {
        self.turn >= self.end
    }

    #[inline]
    fn set_end(&mut self) {
        self.end = self.limits.turns.min(self.last_hit + self.limits.quiet);
    }

    /// A player is out of the game; its stones are gone already.
    fn eliminate(&mut self, seat: Seat) {
        let place = usize::from(self.n_seats) - self.playing.len();
        self.out[place] = seat.index() as u8;
        self.stones_key ^= out_key(place, seat);
        self.playing.take_out(seat);
        self.set_next();
        if self.playing.len() == 1 {
            self.end = 0;
        }
    }

    /// A stone was hit in the turn just made; its owner may be out.
    #[inline(never)]
    fn count_hit(&mut self, owner: Seat) {
        self.last_hit = self.turn;
        self.set_end();
        if self.board.count(owner) == 0 {
            self.eliminate(owner);
        }
    }

    /// Fills [`next`](Position::next), also for those who are out: the turn can be with a player just removed.
    fn set_next(&mut self) {
        for seat in Seat::all(MAX_SEATS) {
            self.next[seat.index()] = self.playing.after(seat).expect("somebody has stones");
        }
    }

    /// The turn goes to the next player who has stones.
    #[inline]
    fn pass_turn(&mut self) {
        self.to_move = self.next[self.to_move.index() % MAX_SEATS];
    }
}

impl rookery_rules::Position for Position {
    type Move = Move;

    fn n_seats(&self) -> usize {
        usize::from(self.n_seats)
    }

    /// At a cap all who are left share the win.
    fn status(&self) -> Status {
        if !self.is_over() {
            return Status::ToMove(self.to_move);
        }
        Status::Over(Outcome { scores: self.scores(), winners: self.playing })
    }

    /// Who went out first has score 0, the next one 1, and so on; who is left has one point for each player who
    /// went out and one for each of its stones.
    fn scores(&self) -> BySeat<i32> {
        let n_out = self.out().len();
        let mut scores = BySeat::new(self.n_seats(), |seat| (n_out + self.board.count(seat)) as i32);
        for (place, seat) in (0..).zip(self.out()) {
            scores[seat] = place;
        }
        scores
    }

    /// The stones row by row, and for each its targets in the order of [`Board::neighbours`].
    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let (board, me) = (&self.board, self.to_move);
        let moves = move || {
            board.stones(me).flat_map(move |from| board.targets(me, from).map(move |to| Move { from, to }))
        };
        (!self.is_over()).then(moves).into_iter().flatten()
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let (from, to) = (mv.from.number(), mv.to.number());
        let keys = &STONE_KEYS[self.to_move.index() % MAX_SEATS];
        self.stones_key ^= keys[usize::from(from)] ^ keys[usize::from(to)];
        self.turn += 1;
        if let Some(owner) = self.board.shift(from, to) {
            self.stones_key ^= STONE_KEYS[owner.index() % MAX_SEATS][usize::from(to)];
            self.count_hit(owner);
        }
        self.pass_turn();
    }

    /// The stones of the player leave the board, and it is out at this moment.
    fn remove(&mut self, seat: Seat) {
        if self.is_over() || !self.playing.contains(seat) {
            return;
        }
        for &number in self.board.list(seat) {
            self.stones_key ^= STONE_KEYS[seat.index()][usize::from(number)];
        }
        self.board.clear(seat);
        self.eliminate(seat);
        if self.to_move == seat {
            self.pass_turn();
        }
    }

    fn playing(&self) -> Seats {
        self.playing
    }

    fn max_plies(&self) -> u64 {
        if self.is_over() {
            return 0;
        }
        let n_stones: usize = self.playing.iter().map(|seat| self.board.count(seat)).sum();
        // One stone is never hit. Before each hit, or instead of the last one, it can be quiet for so long.
        let by_hits = (n_stones as u64 - 1) * u64::from(self.limits.quiet) - u64::from(self.quiet());
        by_hits.min(u64::from(self.limits.turns - self.turn))
    }

    #[inline]
    fn to_move(&self) -> Option<Seat> {
        if self.is_over() { None } else { Some(self.to_move) }
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        !self.is_over()
            && self.board.contains(mv.to)
            && self.board.are_adjacent(mv.from, mv.to)
            && self.board.get(mv.from) == Some(self.to_move)
            && self.board.get(mv.to) != Some(self.to_move)
    }

    #[inline]
    fn count_moves(&self) -> usize {
        if self.is_over() { 0 } else { self.board.count_moves(self.to_move) }
    }

    /// All [`reasons`](Position::reasons), joined by commas.
    fn reason(&self, mv: Move) -> String {
        self.reasons(mv).iter().map(Reason::to_string).collect::<Vec<_>>().join(", ")
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        // While the game goes on there is an enemy stone, so some own stone has a tile to go to.
        if self.is_over() { None } else { Some(self.board.random_move(self.to_move, rng)) }
    }
}

/// The counters are not part of the key: it tells boards, turns and orders of going out apart, so that it can be
/// used to find a board again.
impl Keyed for Position {
    #[inline]
    fn key(&self) -> u64 {
        self.stones_key ^ turn_key(self.to_move)
    }

    fn full_key(&self) -> u64 {
        let mut key = turn_key(self.to_move);
        for tile in self.board.tiles() {
            if let Some(seat) = self.board.get(tile) {
                key ^= STONE_KEYS[seat.index()][usize::from(tile.number())];
            }
        }
        self.out().enumerate().fold(key, |key, (place, seat)| key ^ out_key(place, seat))
    }
}

/// Only the two caps look at anything that the key leaves out.
impl Recurring for Position {
    fn free_plies(&self) -> u64 {
        let left = self.limits.turns.saturating_sub(self.turn);
        left.min(self.limits.quiet.saturating_sub(self.quiet())).into()
    }
}

/// Equal positions look equal: the order in which stones are listed inside does not show.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use rookery_rules::Notation as _;
        f.debug_tuple("Position").field(&self.to_text()).finish()
    }
}

#[inline]
const fn turn_key(seat: Seat) -> u64 {
    TURN_KEYS[seat.index() % MAX_SEATS]
}

const fn out_key(place: usize, seat: Seat) -> u64 {
    mix((0x200 + MAX_SEATS * place + seat.index()) as u64)
}

static TURN_KEYS: [u64; MAX_SEATS] = {
    let mut keys = [0; MAX_SEATS];
    let mut n = 0;
    while n < MAX_SEATS {
        keys[n] = mix(0x100 + n as u64);
        n += 1;
    }
    keys
};

static STONE_KEYS: [[u64; 256]; MAX_SEATS] = {
    let mut keys = [[0; 256]; MAX_SEATS];
    let mut n = 0;
    while n < 256 * MAX_SEATS {
        keys[n / 256][n % 256] = mix(0x1000 + n as u64);
        n += 1;
    }
    keys
};
