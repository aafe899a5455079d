//! A game in this process that its players drive.

use std::sync::{Arc, Mutex};

use rookery_games::fish::{Cell, Color, Move, Phase, Position};
use rookery_rules::{Position as _, Seat};

use super::query::{self, Action, Meaning, Tree};
use super::{Refused, SharedInfo, TournamentInfo, lock};

/// A game, shared by its players.
///
/// ```
/// use rookery_games::fish::{Cell, Color, Phase, Setup};
/// use rookery_originals::fish::api::{Refused, Table};
/// use rookery_rules::{Seat, Setup as _};
///
/// let table = Table::new(Setup::parse("fish=2,players=2")?.start());
/// let (red, white) = (table.seat(Seat::new(0)), table.seat(Seat::new(1)));
/// assert_eq!(red.phase(), Ok(Phase::Placing));
/// assert_eq!(red.current_player(), Ok(Color::Red));
/// assert_eq!(red.place(Cell::new(0, 0)), Ok(true));
///
/// // A question about what is not legal is free, doing it is not.
/// assert_eq!(white.move_legal(Color::White, Cell::new(0, 0), Cell::new(1, 0)), Ok(None));
/// assert_eq!(white.tournament_info(), Err(Refused::CannotQueryNow));
/// assert_eq!(white.place(Cell::new(0, 0)), Ok(false));
/// assert!(table.position().is_removed(Seat::new(1)));
/// # Ok::<(), rookery_rules::SetupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    position: Arc<Mutex<Position>>,
    info: SharedInfo,
}

impl Table {
    /// A game that goes on from this position.
    pub fn new(position: Position) -> Self {
        Self { position: Arc::new(Mutex::new(position)), info: SharedInfo::default() }
    }

    /// The position now.
    pub fn position(&self) -> Position {
        lock(&self.position).clone()
    }

    /// What players are told about the tournament when the game is over; to be filled in.
    pub fn info(&self) -> &SharedInfo {
        &self.info
    }

    /// What the player of a seat holds in its hands.
    ///
    /// # Panics
    /// If there is no such seat.
    pub fn seat(&self, seat: Seat) -> SeatHandle {
        assert!(seat.index() < lock(&self.position).n_seats(), "there is no seat {}", seat.index());
        SeatHandle { table: self.clone(), seat }
    }
}

/// What one player may ask and do. Questions are answered at any time; an action that is not legal, or not in turn,
/// gives `false` and throws the player out.
#[derive(Clone, Debug)]
pub struct SeatHandle {
    table: Table,
    seat: Seat,
}

impl SeatHandle {
    /// Puts a penguin on a tile.
    pub fn place(&self, cell: Cell) -> Result<bool, Refused> {
        self.act(Action::Place(cell))
    }

    /// Moves a penguin.
    pub fn slide(&self, from: Cell, to: Cell) -> Result<bool, Refused> {
        self.act(Action::Move(from, to))
    }

    /// Passes, which is legal only for a player that cannot move. Such a player is passed over anyhow.
    pub fn pass(&self) -> Result<bool, Refused> {
        self.act(Action::Pass)
    }

    fn act(&self, action: Action) -> Result<bool, Refused> {
        let mut position = lock(&self.table.position);
        if position.to_move().is_none() {
            return Err(Refused::GameOver);
        }
        let done = match query::meaning(&position, self.seat, action) {
            Meaning::Move(mv) => position.play(mv).is_ok(),
            Meaning::Passed => true,
            Meaning::NoPass | Meaning::OutOfTurn => false,
        };
        if !done {
            position.remove(self.seat);
        }
        Ok(done)
    }

    /// Asks something about a game that goes on.
    fn ask<T>(&self, question: impl FnOnce(&Position) -> T) -> Result<T, Refused> {
        let position = lock(&self.table.position);
        if position.to_move().is_none() { Err(Refused::GameOver) } else { Ok(question(&position)) }
    }

    /// The position.
    pub fn state(&self) -> Result<Position, Refused> {
        self.ask(Position::clone)
    }

    /// Whether penguins are placed or moved.
    pub fn phase(&self) -> Result<Phase, Refused> {
        self.ask(Position::phase)
    }

    /// Whose turn it is.
    pub fn current_player(&self) -> Result<Color, Refused> {
        self.ask(|position| position.color(position.to_move().expect("the game goes on")))
    }

    /// The position after a move of a colour, if it is legal now.
    pub fn move_legal(&self, color: Color, from: Cell, to: Cell) -> Result<Option<Position>, Refused> {
        self.ask(|position| query::move_legal(position, color, from, to))
    }

    /// The position after a pass of a colour, if it is legal now.
    pub fn pass_legal(&self, color: Color) -> Result<Option<Position>, Refused> {
        self.ask(|position| query::pass_legal(position, color))
    }

    /// What a function makes of every position that can come next, with the move that leads there.
    ///
    /// ```
    /// # use rookery_games::fish::Position;
    /// # use rookery_originals::fish::api::Table;
    /// # use rookery_rules::{Notation, Position as _, Seat};
    /// let me = Seat::new(0);
    /// let handle = Table::new(Position::from_text("p1 3a1/1b5a/11 0,0")?).seat(me);
    /// let best = handle.next_states(|mv, next| (next.score(me), mv))?.into_iter().max();
    /// assert_eq!(best.expect("there is a move").1.to_string(), "1.1-2.1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn next_states<T>(&self, mut apply: impl FnMut(Move, &Position) -> T) -> Result<Vec<T>, Refused> {
        // The table is free meanwhile: the function may take its time, or ask something itself.
        let tree = self.tree()?;
        Ok(tree.next().map(|(mv, next)| apply(mv, next.position())).collect())
    }

    /// All that can follow, made as one looks at it.
    pub fn tree(&self) -> Result<Tree, Refused> {
        self.ask(|position| Tree::new(position.clone()))
    }

    /// How the tournament stands, once the game is over.
    pub fn tournament_info(&self) -> Result<TournamentInfo, Refused> {
        match self.ask(|_| ()) {
            Ok(()) => Err(Refused::CannotQueryNow),
            Err(_) => Ok(lock(&self.table.info).clone()),
        }
    }
}
