//! A board with penguins, scores and a turn.

use rookery_rules::{BySeat, Keyed, Outcome, Rng, Seat, Seats, Status, below};

use super::key::KEYS;
use super::shape::MASKS;
use super::{Board, Cell, Color, Invalid, Move};

/// The most players.
pub(super) const MAX_PLAYERS: usize = 4;

/// One moment of a game of Fish.
///
/// ```
/// use rookery_games::fish::Position;
/// use rookery_rules::{Notation, Position as _};
///
/// let mut position = Position::from_text("p1 1a23/405b/11 3,0")?;
/// position.play("0.0-1.0".parse()?)?;
/// assert_eq!(position.to_text(), "p2 023/4a05b/110 4,0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    pub(super) board: Board,
    /// The tiles without penguins.
    pub(super) free: u128,
    pub(super) penguins: [u128; MAX_PLAYERS],
    pub(super) scores: [u32; MAX_PLAYERS],
    pub(super) n_seats: u8,
    /// Who was not removed.
    playing: Seats,
    /// The first seat when the game is over, so that equal positions are equal here too.
    pub(super) to_move: Seat,
    pub(super) stage: Stage,
    pub(super) key: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Every player gets so many penguins in all.
    Placing(u8),
    Moving,
    Over,
}

/// What the players are doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// They put penguins on the board.
    Placing,
    /// They move them.
    Moving,
    /// Nothing any more.
    Over,
}

/// What belongs to a player, for [`Position::set_up`].
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Player {
    /// Fish.
    pub score: u32,
    /// Where the penguins stand, in any order.
    pub penguins: Vec<Cell>,
}

impl Position {
    /// The most penguins a player gets: one who is alone from the beginning.
    pub const MAX_PENGUINS: u8 = 5;

    /// The highest score a position may be set up with.
    pub const MAX_SCORE: u32 = 1_000_000_000;

    /// The beginning of a game: nobody has a penguin, and everybody gets six less the number of players.
    pub fn start(board: Board, n_players: usize) -> Result<Self, Invalid> {
        let players = vec![Some(Player::default()); n_players];
        Self::set_up(board, &players, Seat::new(0), Some(6u8.saturating_sub(n_players as u8)))
    }

    /// Penguins on the move, the first player to move; if that one cannot, the next who can. The players may have
    /// any number of penguins.
    pub fn moving(board: Board, players: &[Player]) -> Result<Self, Invalid> {
        let players: Vec<_> = players.iter().cloned().map(Some).collect();
        Self::set_up(board, &players, Seat::new(0), None)
    }

    /// Any position: players (`None` for one who was removed), the seat whose turn it is, and while penguins are
    /// being placed how many each player gets in all. The turn passes to the next who can use it.
    pub fn set_up(
        board: Board,
        players: &[Option<Player>],
        to_move: Seat,
        placing: Option<u8>,
    ) -> Result<Self, Invalid> {
        if !(1..=MAX_PLAYERS).contains(&players.len()) {
            return Err(Invalid::new(format!("there are 1 to {MAX_PLAYERS} players, not {}", players.len())));
        }
        if to_move.index() >= players.len() {
            return Err(Invalid::new(format!("there is no {to_move}", to_move = super::label(to_move))));
        }
        if placing.is_some_and(|each| !(1..=Self::MAX_PENGUINS).contains(&each)) {
            return Err(Invalid::new(format!("each player places 1 to {} penguins", Self::MAX_PENGUINS)));
        }
        let mut position = Self {
            free: board.tiles(),
            board,
            penguins: [0; MAX_PLAYERS],
            scores: [0; MAX_PLAYERS],
            n_seats: players.len() as u8,
            playing: Seats::NONE,
            to_move,
            stage: placing.map_or(Stage::Moving, Stage::Placing),
            key: 0,
        };
        for (seat, player) in Seat::all(players.len()).zip(players) {
            if let Some(player) = player {
                position.seat_player(seat, player)?;
            }
        }
        position.settle();
        position.key = position.full_key();
        Ok(position)
    }

    fn seat_player(&mut self, seat: Seat, player: &Player) -> Result<(), Invalid> {
        if player.score > Self::MAX_SCORE {
            return Err(Invalid::new(format!("a score is at most {}", Self::MAX_SCORE)));
        }
        self.playing.put_in(seat);
        self.scores[seat.index()] = player.score;
        for &cell in &player.penguins {
            if self.board.fish(cell) == 0 {
                return Err(Invalid::new(format!(
                    "{seat} has a penguin on {cell}, where there is no tile",
                    seat = super::label(seat)
                )));
            }
            let mask = self.board.shape.mask(cell);
            if self.free & mask == 0 {
                return Err(Invalid::new(format!("there are two penguins on {cell}")));
            }
            self.free ^= mask;
            self.penguins[seat.index()] |= mask;
        }
        Ok(())
    }

    /// The tiles that are left.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// What the players are doing.
    pub fn phase(&self) -> Phase {
        match self.stage {
            Stage::Placing(_) => Phase::Placing,
            Stage::Moving => Phase::Moving,
            Stage::Over => Phase::Over,
        }
    }

    /// The colour of a seat's penguins.
    pub fn color(&self, seat: Seat) -> Color {
        Color::of(seat)
    }

    /// Where a seat's penguins stand, in row-major order.
    pub fn penguins(&self, seat: Seat) -> impl Iterator<Item = Cell> {
        self.board.shape.cells(self.penguins[seat.index()])
    }

    /// The tiles without penguins, one bit a cell: bit `row * columns + column`.
    #[inline]
    pub fn free_tiles(&self) -> u128 {
        self.free
    }

    /// The tiles a seat's penguins stand on, as bits.
    #[inline]
    pub fn penguin_tiles(&self, seat: Seat) -> u128 {
        self.penguins[seat.index() % MAX_PLAYERS]
    }

    /// Whose penguin stands on a cell.
    pub fn penguin_at(&self, cell: Cell) -> Option<Seat> {
        let mask = if self.board.contains(cell) { self.board.shape.mask(cell) } else { 0 };
        Seat::all(self.n_seats.into()).find(|seat| self.penguins[seat.index()] & mask != 0)
    }

    /// The fish of a seat; 0 if it was removed.
    pub fn score(&self, seat: Seat) -> u32 {
        self.scores[seat.index()]
    }

    /// Whether a seat was removed.
    pub fn is_removed(&self, seat: Seat) -> bool {
        !self.playing.contains(seat)
    }

    /// How many penguins each player gets in all, while they are being placed.
    pub fn penguins_each(&self) -> Option<u8> {
        if let Stage::Placing(each) = self.stage { Some(each) } else { None }
    }

    /// How many penguins a seat has still to place.
    pub fn to_place(&self, seat: Seat) -> u32 {
        let each = if self.playing.contains(seat) { self.penguins_each().unwrap_or(0) } else { 0 };
        u32::from(each).saturating_sub(self.penguins[seat.index()].count_ones())
    }

    /// The tiles a penguin on this cell could slide to, whoever it belongs to: by direction in the order of
    /// [`Direction::ALL`](super::Direction::ALL), then by distance.
    pub fn reachable(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        let start = self.board.contains(cell).then(|| self.board.shape.bit(cell) as u32);
        start.into_iter().flat_map(|bit| self.board.shape.list_targets(bit, self.free))
    }

    /// Whether a seat has a penguin that could slide, were it its turn.
    #[inline]
    pub fn can_move(&self, seat: Seat) -> bool {
        self.board.shape.can_move(self.penguins[seat.index() % MAX_PLAYERS], self.free)
    }

    /// The first seat from this one on, around the table, that is playing and fits.
    #[inline]
    fn first_from(&self, mut seat: Seat, fits: impl Fn(Seat) -> bool) -> Option<Seat> {
        for _ in 0..self.n_seats {
            if self.playing.contains(seat) && fits(seat) {
                return Some(seat);
            }
            seat = seat.next(self.n_seats.into());
        }
        None
    }

    /// Gives the turn to the seat that has it, or to the next that can use it; says whether a player was thrown
    /// out on the way for want of a tile.
    fn settle(&mut self) -> bool {
        let mut thrown_out = false;
        while let Stage::Placing(_) = self.stage {
            match self.first_from(self.to_move, |seat| self.to_place(seat) > 0) {
                None => self.stage = Stage::Moving,
                Some(seat) => {
                    self.to_move = seat;
                    if self.free != 0 {
                        return thrown_out;
                    }
                    self.throw_out(seat);
                    thrown_out = true;
                }
            }
        }
        self.pass_on();
        thrown_out
    }

    /// Gives the turn to the first seat that can move, from the one that has it; ends the game if there is none.
    #[inline]
    fn pass_on(&mut self) {
        if let Some(seat) = self.first_from(self.to_move, |seat| self.can_move(seat)) {
            self.to_move = seat;
        } else {
            self.stage = Stage::Over;
            self.to_move = Seat::new(0);
        }
    }

    /// Takes a player off the board, and nothing else: the tiles stay.
    fn throw_out(&mut self, seat: Seat) {
        let untouched = self.is_untouched();
        self.playing.take_out(seat);
        self.free |= self.penguins[seat.index()];
        self.penguins[seat.index()] = 0;
        self.scores[seat.index()] = 0;
        if untouched && !self.playing.is_empty() {
            self.stage = Stage::Placing(6 - self.playing.len() as u8);
        }
    }

    /// Whether no penguin was placed yet. Once one was, either it still stands, or its player is gone and there
    /// are fewer players than the number of penguins tells of.
    fn is_untouched(&self) -> bool {
        self.penguins == [0; MAX_PLAYERS] && self.penguins_each() == Some(6 - self.playing.len() as u8)
    }

    #[inline]
    fn slide(&mut self, from: Cell, to: Cell) {
        let me = self.to_move.index() % MAX_PLAYERS;
        let (from, to) = (self.board.shape.bit(from), self.board.shape.bit(to));
        let fish = std::mem::take(&mut self.board.fish[from]);
        self.penguins[me] ^= MASKS[from] | MASKS[to];
        self.free ^= MASKS[to];
        self.scores[me] += u32::from(fish);
        let keys = &KEYS.penguins[me];
        let caught = KEYS.score[me].wrapping_sub(KEYS.tiles[from]).wrapping_mul(fish.into());
        self.key = self.key.wrapping_add(caught).wrapping_add(keys[to]).wrapping_sub(keys[from]);
        self.key = self.key.wrapping_sub(KEYS.turn[me]);
        self.to_move = self.to_move.next(self.n_seats.into());
        self.pass_on();
        self.key = self.key.wrapping_add(KEYS.turn[self.to_move.index() % MAX_PLAYERS]);
    }

    fn place(&mut self, cell: Cell) {
        let me = self.to_move.index();
        let bit = self.board.shape.bit(cell);
        self.key = self.key.wrapping_add(KEYS.penguins[me][bit]).wrapping_sub(self.stage_key());
        self.penguins[me] |= MASKS[bit];
        self.free ^= MASKS[bit];
        self.to_move = self.to_move.next(self.n_seats.into());
        let thrown_out = self.settle();
        self.key = if thrown_out { self.full_key() } else { self.key.wrapping_add(self.stage_key()) };
    }
}

impl rookery_rules::Position for Position {
    type Move = Move;

    fn n_seats(&self) -> usize {
        self.n_seats.into()
    }

    fn status(&self) -> Status {
        if self.stage != Stage::Over {
            return Status::ToMove(self.to_move);
        }
        let mut outcome = Outcome::by_score(self.scores());
        if self.playing.is_empty() {
            outcome.winners = Seats::NONE;
        }
        Status::Over(outcome)
    }

    /// The fish that each player has caught, and -1 for who was removed.
    fn scores(&self) -> BySeat<i32> {
        let fish = |seat: Seat| if self.is_removed(seat) { -1 } else { self.scores[seat.index()] as i32 };
        BySeat::new(self.n_seats.into(), fish)
    }

    /// Placements in row-major order. Slides by the penguin in row-major order, then by direction in the order of
    /// [`Direction::ALL`](super::Direction::ALL), then by distance.
    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let shape = self.board.shape;
        let placing = if let Stage::Placing(_) = self.stage { self.free } else { 0 };
        let moving =
            if self.stage == Stage::Moving { self.penguins[self.to_move.index() % MAX_PLAYERS] } else { 0 };
        let slides = shape.cells(moving).flat_map(move |from| {
            shape.list_targets(shape.bit(from) as u32, self.free).map(move |to| Move::Slide { from, to })
        });
        shape.cells(placing).map(Move::Place).chain(slides)
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        match mv {
            Move::Slide { from, to } => self.slide(from, to),
            Move::Place(cell) => self.place(cell),
        }
    }

    /// The seat's penguins and its score are gone, the tiles stay. If nobody has placed a penguin yet, the others
    /// get as many as if the seat had never been there.
    fn remove(&mut self, seat: Seat) {
        if self.stage != Stage::Over && self.playing.contains(seat) {
            self.throw_out(seat);
            self.settle();
            self.key = self.full_key();
        }
    }

    /// Every slide takes a tile and leaves one for the penguin to stand on; before that, the penguins still to be
    /// placed. Removals before the first placement can raise their number to three for each of three players.
    fn playing(&self) -> Seats {
        self.playing
    }

    /// While penguins are placed.
    fn is_preparing(&self) -> bool {
        self.phase() == Phase::Placing
    }

    fn max_plies(&self) -> u64 {
        if self.stage == Stage::Over {
            return 0;
        }
        let placements = if self.is_untouched() {
            (1..=self.playing.len()).map(|n| n * (6 - n)).max().unwrap_or(0) as u64
        } else {
            self.playing.iter().map(|seat| u64::from(self.to_place(seat))).sum()
        };
        let tiles = self.penguins.iter().fold(self.free, |tiles, penguins| tiles | penguins).count_ones();
        placements + u64::from(tiles) - 1
    }

    #[inline]
    fn to_move(&self) -> Option<Seat> {
        if self.stage == Stage::Over { None } else { Some(self.to_move) }
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        let shape = self.board.shape;
        match (mv, self.stage) {
            (Move::Place(cell), Stage::Placing(_)) => {
                shape.contains(cell) && self.free & shape.mask(cell) != 0
            }
            (Move::Slide { from, to }, Stage::Moving) => {
                shape.contains(from)
                    && shape.contains(to)
                    && self.penguins[self.to_move.index()] & shape.mask(from) != 0
                    && shape.targets(shape.bit(from) as u32, self.free) & shape.mask(to) != 0
            }
            _ => false,
        }
    }

    #[inline]
    fn count_moves(&self) -> usize {
        let n = match self.stage {
            Stage::Placing(_) => self.free.count_ones(),
            Stage::Moving => self.count_slides(),
            Stage::Over => 0,
        };
        n as usize
    }

    fn reason(&self, mv: Move) -> String {
        self.refusal(mv)
    }

    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Move> {
        match self.stage {
            Stage::Moving => {
                let penguins = self.penguins[self.to_move.index() % MAX_PLAYERS];
                match self.board.shape.random_slide(penguins, self.free, rng) {
                    Some((from, to)) => Some(Move::Slide { from, to }),
                    None => self.random_slide_of_many(rng),
                }
            }
            Stage::Placing(_) => Some(Move::Place(self.board.shape.random_cell(self.free, rng))),
            Stage::Over => None,
        }
    }
}

impl Position {
    /// For a player with more penguins than any game has.
    #[cold]
    fn random_slide_of_many(&self, rng: &mut Rng) -> Option<Move> {
        rookery_rules::Position::legal_moves(self).nth(below(rng, self.count_slides()) as usize)
    }

    #[inline]
    fn count_slides(&self) -> u32 {
        self.board.shape.count_slides(self.penguins[self.to_move.index() % MAX_PLAYERS], self.free)
    }
}
