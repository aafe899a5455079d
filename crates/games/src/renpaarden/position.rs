//! One moment of a game, hop by hop.

use std::hint::select_unpredictable;

use rookery_rules::{Keyed, Outcome, Recurring, Rng, Seat, Status, below, mix};

use super::geometry::{Geometry, Mask};
use super::history::History;
use super::roster::Roster;
use super::{Cell, Move, Setup, WinTest};

pub(super) const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// One moment of a game of Renpaarden. A move is one hop; a player whose piece landed on an enemy piece is to move
/// again, with that piece.
///
/// ```
/// use rookery_games::renpaarden::Position;
/// use rookery_rules::{Notation, Position as _, Seat};
///
/// let mut position = Position::from_text("p1 xxxxx/xxxxx/...../ooooo/ooooo")?;
/// position.play("b2-c4".parse()?)?;
/// assert_eq!(position.to_text(), "p1 xxxxx/xxOxx/...../o.ooo/ooooo hops=1");
/// position.play("c4-e3".parse()?)?;
/// assert_eq!(position.to_move(), Some(Seat::new(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    pub(super) geometry: &'static Geometry,
    pub(super) rules: Setup,
    /// [`Setup::is_plain`] of the rules, which is asked at every hop.
    pub(super) plain: bool,
    /// [`Setup::ends_plainly`] of the rules, which is asked at the end of every turn.
    pub(super) ends_plainly: bool,
    /// Each player's pieces, covered ones too. A cell in both is the one where the player to move stands on an enemy.
    pub(super) pieces: [Mask; 2],
    pub(super) roster: Roster,
    /// The cells the chain may not enter again; empty where the rules do not bar any.
    pub(super) barred: Mask,
    /// Present only with the rule of repetition.
    pub(super) history: Option<Box<History>>,
    pub(super) key: u64,
    /// Turns that are over.
    pub(super) turn: u32,
    /// Hops of the chain that goes on.
    pub(super) hops: u32,
    /// The cell from which the player to move must jump on.
    pub(super) chain: Option<Cell>,
    pub(super) to_move: Seat,
    pub(super) stage: Stage,
    /// How many pieces of each player are in the home rows of player 1, of player 2, and elsewhere.
    pub(super) counts: [[u8; 3]; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Playing,
    /// Won on the board.
    Won(Seat),
    Drawn,
    /// The other player was removed.
    Left(Seat),
}

impl Position {
    /// The first position.
    pub(super) fn new(rules: Setup) -> Self {
        let geometry = Geometry::of(rules.width, rules.height);
        let mut position = Self {
            geometry,
            rules,
            plain: rules.is_plain(),
            ends_plainly: rules.ends_plainly(),
            pieces: geometry.bases,
            roster: Roster::new(&geometry.bases, 0),
            barred: Mask::EMPTY,
            history: (rules.repetition > 0).then(|| Box::new(History::new())),
            key: 0,
            turn: 0,
            hops: 0,
            chain: None,
            to_move: SEATS[0],
            stage: Stage::Playing,
            counts: [[rules.n_pieces(), 0, 0], [0, rules.n_pieces(), 0]],
        };
        position.key = position.full_key();
        position.remember();
        position
    }

    /// The size of the board and the rules of this game.
    pub fn setup(&self) -> &Setup {
        &self.rules
    }

    /// Whose piece is seen on a cell: the upper one.
    pub fn top(&self, cell: Cell) -> Option<Seat> {
        if self.chain == Some(cell) {
            return Some(self.to_move);
        }
        SEATS.into_iter().find(|seat| self.pieces[seat.index()].has(cell))
    }

    /// The cells of a player's pieces, covered ones too, in reading order.
    pub fn pieces(&self, seat: Seat) -> impl Iterator<Item = Cell> {
        self.pieces[seat.index() & 1].cells()
    }

    /// The cell where a piece stands on an enemy piece. There is one only while a chain goes on, or after a win in
    /// the midst of one.
    pub fn chain(&self) -> Option<Cell> {
        self.chain
    }

    /// How many hops the chain has that goes on; 0 at the start of a turn.
    pub fn hops(&self) -> u32 {
        self.hops
    }

    /// How many turns are over, of both players together.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// How many pieces of a player are in its goal rows.
    pub fn in_goal(&self, seat: Seat) -> u8 {
        self.counts[seat.index() & 1][seat.index() & 1 ^ 1]
    }

    /// The cell `x` to the right and `y` down from the top left corner, both from 0, if it is on the board.
    pub fn cell_at(&self, x: u8, y: u8) -> Option<Cell> {
        (x < self.rules.width && y < self.rules.height).then(|| Cell::new(x, self.rules.height - 1 - y))
    }

    /// How far a cell of the board lies to the right of the top left corner, and how far down.
    pub fn x_y(&self, cell: Cell) -> (u8, u8) {
        (cell.file(), (self.rules.height - 1).saturating_sub(cell.rank()))
    }

    /// The legal moves of the piece on one cell, in the order of the offsets (x to the right, y down) (-1,-2) (-2,-1)
    /// (-2,+1) (-1,+2) (+1,+2) (+2,+1) (+2,-1) (+1,-2). None if the player to move may not move a piece from there.
    pub fn moves_from(&self, cell: Cell) -> impl Iterator<Item = Move> {
        let targets = if self.may_leave(cell) { self.targets(cell) } else { Mask::EMPTY };
        self.geometry.hops_from(cell).iter().copied().filter(move |mv| targets.has(mv.to))
    }

    /// Whether the player to move has a piece there that it may move, if it finds a target.
    #[inline]
    pub(super) fn may_leave(&self, cell: Cell) -> bool {
        self.stage == Stage::Playing
            && self.pieces[self.me()].has(cell)
            && self.chain.is_none_or(|chain| chain == cell)
    }

    #[inline]
    pub(super) fn me(&self) -> usize {
        self.to_move.index() & 1
    }

    /// The pieces that the player to move may choose from.
    #[inline]
    pub(super) fn candidates(&self) -> Mask {
        match (self.stage, self.chain) {
            (Stage::Playing, None) => self.pieces[self.me()],
            (Stage::Playing, Some(cell)) => Mask::only(cell),
            _ => Mask::EMPTY,
        }
    }

    /// Hop number `n` of eight in a chain, else of eight for each piece; some lead nowhere.
    #[inline]
    fn any_hop(&self, n: u32) -> Move {
        let piece = self.roster.cell(self.me(), n / 8);
        let from = select_unpredictable(self.chain.is_some(), self.chain.unwrap_or(piece), piece);
        Move { from, to: self.geometry.jump(from, n) }
    }

    /// Whether all pieces of a player are in its goal rows.
    #[inline]
    pub(super) fn is_complete(&self, player: usize) -> bool {
        self.counts[player][player ^ 1] == self.rules.n_pieces()
    }

    /// Whether the goal of a player is full and one of the pieces is its own, for Parlett's rule.
    fn has_parlett(&self, player: usize) -> bool {
        let goal = player ^ 1;
        self.counts[player][goal] > 0 && self.counts[0][goal] + self.counts[1][goal] == self.rules.n_pieces()
    }

    fn has_moves(&self) -> bool {
        self.candidates().cells().any(|cell| !self.targets(cell).is_empty())
    }

    /// How many times the position at the start of this turn has occurred lately, this time included.
    fn occurrences(&self) -> usize {
        let history = self.history.as_ref();
        history.map_or(0, |history| history.newest_first(self.turn).filter(|&key| key == self.key).count())
    }

    /// Enters the position at the start of a turn into the history, if there is one.
    pub(super) fn remember(&mut self) {
        if let Some(history) = &mut self.history {
            history.push(self.turn, self.key);
        }
    }

    /// How the game stands at the start of a turn, when the optional rules are asked as well; in their order of
    /// precedence.
    fn judge_turn(&self) -> Stage {
        let (me, last) = (self.to_move, self.to_move.next(2));
        let last_stayed = self.rules.leave_home > 0
            && self.turn.div_ceil(2) >= self.rules.leave_home
            && self.counts[last.index() & 1][last.index() & 1] > 0;
        if let Some(winner) = SEATS.into_iter().find(|seat| self.is_complete(seat.index())) {
            Stage::Won(winner)
        } else if self.rules.parlett && self.has_parlett(last.index()) {
            Stage::Won(last)
        } else if self.rules.parlett && self.has_parlett(me.index()) || last_stayed {
            Stage::Won(me)
        } else if self.turn >= self.rules.max_turns
            || self.rules.repetition > 0 && self.occurrences() >= usize::from(self.rules.repetition)
        {
            Stage::Drawn
        } else if !self.has_moves() {
            Stage::Won(last)
        } else {
            Stage::Playing
        }
    }

    /// How the game stands within a chain.
    fn judge_chain(&self) -> Stage {
        if self.rules.win == WinTest::Hop && self.is_complete(self.me()) {
            Stage::Won(self.to_move)
        } else if self.hops >= self.rules.max_chain {
            Stage::Drawn
        } else if !self.has_moves() {
            Stage::Won(self.to_move.next(2))
        } else {
            Stage::Playing
        }
    }

    /// How the game stands, from nothing; for positions that were not reached by playing.
    pub(super) fn judge(&self) -> Stage {
        if self.chain.is_some() { self.judge_chain() } else { self.judge_turn() }
    }

    /// The piece has landed on an enemy piece: the same player goes on.
    #[inline]
    fn go_on(&mut self, mv: Move) {
        if !self.plain {
            let barred = self.barred_after(mv.from);
            self.key ^= barred_key(self.barred) ^ barred_key(barred);
            self.barred = barred;
        }
        self.chain = Some(mv.to);
        self.hops += 1;
        // Only hops are offered from which the chain can go on, so nobody gets stuck here.
        if self.rules.win == WinTest::Hop && self.is_complete(self.me()) {
            self.stage = Stage::Won(self.to_move);
        } else if self.hops >= self.rules.max_chain {
            self.stage = Stage::Drawn;
        }
    }

    /// The piece has landed on an empty cell: the turn is over.
    #[inline]
    fn end_turn(&mut self) {
        if !self.plain {
            self.key ^= barred_key(self.barred);
            self.barred = Mask::EMPTY;
        }
        let me = self.to_move;
        self.chain = None;
        self.hops = 0;
        self.turn += 1;
        self.to_move = me.next(2);
        self.key ^= TURN_KEY;
        if self.ends_plainly {
            // Somebody can always move then: docs/rules/renpaarden.md has the proof.
            if self.is_complete(me.index() & 1) {
                self.stage = Stage::Won(me);
            } else if self.turn >= self.rules.max_turns {
                self.stage = Stage::Drawn;
            }
        } else {
            self.remember();
            self.stage = self.judge_turn();
        }
    }

    /// [`play_unchecked`](rookery_rules::Position::play_unchecked), which may also be given a whole turn that ends on
    /// an empty cell.
    #[inline]
    pub(super) fn advance(&mut self, mv: Move) {
        let me = self.me();
        self.pieces[me].flip(mv.from);
        self.pieces[me].flip(mv.to);
        self.roster.shift(me, mv.from, mv.to);
        self.key ^= PIECE_KEYS[me][mv.from.bit()] ^ PIECE_KEYS[me][mv.to.bit()];
        self.counts[me][self.geometry.base_of(mv.from)] -= 1;
        self.counts[me][self.geometry.base_of(mv.to)] += 1;
        if self.pieces[me ^ 1].has(mv.to) {
            self.go_on(mv);
        } else {
            self.end_turn();
        }
    }
}

impl rookery_rules::Position for Position {
    type Move = Move;

    fn n_seats(&self) -> usize {
        2
    }

    #[inline]
    fn status(&self) -> Status {
        match self.stage {
            Stage::Playing => Status::ToMove(self.to_move),
            Stage::Won(winner) | Stage::Left(winner) => Status::Over(Outcome::win(2, winner)),
            Stage::Drawn => Status::Over(Outcome::draw(2)),
        }
    }

    /// By piece, in reading order from the top left; for one piece in the order of [`Position::moves_from`].
    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        self.candidates().cells().flat_map(|cell| {
            let targets = self.targets(cell);
            self.geometry.hops_from(cell).iter().copied().filter(move |mv| targets.has(mv.to))
        })
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        self.advance(mv);
    }

    fn remove(&mut self, seat: Seat) {
        if self.stage == Stage::Playing {
            self.stage = Stage::Left(seat.next(2));
            self.key = self.full_key();
        }
    }

    fn max_plies(&self) -> u64 {
        if self.stage == Stage::Playing {
            let turns = u64::from(self.rules.max_turns - self.turn);
            turns * u64::from(self.rules.max_chain) - u64::from(self.hops)
        } else {
            0
        }
    }

    #[inline]
    fn to_move(&self) -> Option<Seat> {
        if self.stage == Stage::Playing { Some(self.to_move) } else { None }
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        self.may_leave(mv.from) && self.targets(mv.from).has(mv.to)
    }

    fn count_moves(&self) -> usize {
        self.candidates().cells().map(|cell| self.targets(cell).len() as usize).sum()
    }

    fn reason(&self, mv: Move) -> String {
        self.reason_against(mv)
    }

    /// Draws among all directions of all pieces until a hop is legal, so all are equally likely. The order of the
    /// pieces depends on how the position came about, and so does the move that a generator draws.
    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        if self.stage != Stage::Playing {
            return None;
        }
        let own = &self.pieces[self.me()];
        let n = if self.chain.is_some() { 8 } else { 8 * u32::from(self.rules.n_pieces()) };
        loop {
            // One number gives two hops, the second from what the first leaves over: fewer rounds, and fewer jumps
            // that the processor guesses wrong.
            let drawn = below(rng, n << SPARE_BITS);
            let spare = drawn & ((1 << SPARE_BITS) - 1);
            let first = self.any_hop(drawn >> SPARE_BITS);
            let second = self.any_hop(((u64::from(spare) * u64::from(n)) >> SPARE_BITS) as u32);
            let mv = select_unpredictable(own.has(first.to), second, first);
            if !own.has(mv.to) && (self.plain || self.is_open(mv)) {
                return Some(mv);
            }
        }
    }
}

/// At most 8 x 22 hops shifted by so many bits are a number of 32 bits.
const SPARE_BITS: u32 = 24;

impl Keyed for Position {
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    /// Pieces, turn, barred cells and who left. The number of turns, the hops of the chain and the history are left
    /// out, so that the same arrangement has the same key whenever it occurs.
    fn full_key(&self) -> u64 {
        let pieces = (0..2)
            .flat_map(|player| self.pieces[player].cells().map(move |cell| PIECE_KEYS[player][cell.bit()]));
        let turn = if self.to_move == SEATS[1] { TURN_KEY } else { 0 };
        let left = if let Stage::Left(seat) = self.stage { mix(0x300 + seat.index() as u64) } else { 0 };
        pieces.fold(turn ^ left ^ barred_key(self.barred), |key, piece| key ^ piece)
    }
}

/// The caps on turns and on chains, and two optional rules, look at what the key leaves out.
impl Recurring for Position {
    fn free_plies(&self) -> u64 {
        if self.rules.repetition > 0 || self.rules.leave_home > 0 {
            return 0;
        }
        let turns = self.rules.max_turns.saturating_sub(self.turn);
        turns.min(self.rules.max_chain.saturating_sub(self.hops)).into()
    }
}

fn barred_key(barred: Mask) -> u64 {
    barred.cells().fold(0, |key, cell| key ^ BARRED_KEYS[cell.bit()])
}

const TURN_KEY: u64 = mix(0x7);

static PIECE_KEYS: [[u64; 128]; 2] = [keys(0x1000), keys(0x1080)];

static BARRED_KEYS: [u64; 128] = keys(0x1100);

const fn keys(first: u64) -> [u64; 128] {
    let mut keys = [0; 128];
    let mut n = 0;
    while n < 128 {
        keys[n] = mix(first + n as u64);
        n += 1;
    }
    keys
}
