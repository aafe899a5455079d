//! The player's side of both protocols, without I/O: records come in, decisions are asked for, records go out.

use rookery_games::hexapawn::{Board, Eliminate, Move, Position, Setup, Square};
use rookery_referee::{Fault, words};
use rookery_rules::{Position as _, Setup as _};

use super::elimination::{
    Stage, eliminate_value, first_elimination_value, read_eliminate, read_first_elimination, size_value,
};
use super::oz::Value;
use super::records::{Dialect, Order, PlayerType, pawn_value, position, read, read_pawn};

/// A player that talks to a referee. It notices by itself which protocol the referee speaks.
///
/// ```
/// use rookery_originals::hexapawn::client::{Client, Told};
/// use rookery_originals::hexapawn::records::Dialect;
/// use rookery_rules::Position as _;
///
/// let mut client = Client::new(None, Dialect::Readme, (5, 5));
/// let request = b"request(board:board(row(p1 p1 p1) row(empty empty empty) row(p2 p2 p2)))";
/// let Ok(Told::Decide(position)) = client.hear(request) else { panic!("a move is wanted") };
/// let mv = position.legal_moves().next().expect("there is one");
/// let Told::Send(answer) = client.decided(mv) else { panic!("a move is an answer") };
/// assert_eq!(answer.to_string(), "move(f(1 3) t(2 3))");
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    /// Which player it is, if that is known.
    player: Option<PlayerType>,
    dialect: Dialect,
    /// The size it would choose.
    size: (u8, u8),
    /// In the second protocol, the game as it knows it.
    game: Option<Position>,
    /// The same at the last question, to which it goes back if its move is refused.
    asked: Option<Position>,
    /// How many pawns each takes off, while the first is not yet named.
    chosen: Option<u8>,
}

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// A legal move of this position is wanted; give it to [`Client::decided`].
    Decide(Position),
    /// This record is the answer.
    Send(Value),
    /// The game is over.
    Ended(PlayerType),
}

/// Why a player cannot go on: what the referee sent makes no sense.
pub type ClientError = String;

impl Client {
    /// A player that may know which of the two it is; else it finds out by the first question.
    pub fn new(player: Option<PlayerType>, dialect: Dialect, size: (u8, u8)) -> Self {
        Self { player, dialect, size, game: None, asked: None, chosen: None }
    }

    /// Which player it is, if that is known.
    pub fn player(&self) -> Option<PlayerType> {
        self.player
    }

    /// Takes a message of the referee.
    pub fn hear(&mut self, message: &[u8]) -> Result<Told, ClientError> {
        const EXPECTED: &str = "request(board:B), r(other:X request:R) or gameEnded(winner:P)";
        let value = read(message, EXPECTED).map_err(|fault| said("the referee", &fault))?;
        if let Some(order) = Order::of_value(&value) {
            return match order {
                Order::Request(board) => self.requested(&board),
                Order::GameEnded(winner) => Ok(Told::Ended(winner)),
            };
        }
        match value.as_record("r", ["other", "request"]) {
            Some([other, request]) => self.questioned(other, request),
            None => Err(format!("the referee sent {}, expected {EXPECTED}", shown(&value))),
        }
    }

    /// The first protocol: the board is in the request. The first one that player 1 sees is untouched.
    fn requested(&mut self, board: &Board) -> Result<Told, ClientError> {
        let untouched = *board == Board::init(board.rows(), board.cols());
        let inferred = if untouched { PlayerType::P1 } else { PlayerType::P2 };
        let position = position(board, *self.player.get_or_insert(inferred));
        match position.to_move() {
            Some(_) => Ok(Told::Decide(position)),
            None => Err("the referee wants a move, but the game on its board is over".to_owned()),
        }
    }

    /// The second protocol: the game is kept here.
    fn questioned(&mut self, other: &Value, request: &Value) -> Result<Told, ClientError> {
        if request.as_atom() == Some("size") {
            self.player = Some(PlayerType::P2);
            let (rows, cols) = self.size;
            self.game = Some(start(rows, cols));
            return Ok(Told::Send(size_value(rows, cols)));
        }
        if request.as_atom() == Some("firstElimination") {
            let number = |value: &Value| u8::try_from(value.as_int()?).ok().filter(|n| (3..=8).contains(n));
            let size = other.as_tuple("size").and_then(|[rows, cols]| Some((number(rows)?, number(cols)?)));
            let (rows, cols) = size.ok_or_else(|| format!("{} is no size", shown(other)))?;
            self.player = Some(PlayerType::P1);
            self.game = Some(start(rows, cols));
            return self.decide();
        }
        match (request.as_tuple("elimination"), request.as_tuple("move")) {
            (Some([_]), None) => self.catch_up(other)?,
            (None, Some([again])) if again.as_atom() == Some("false") => self.catch_up(other)?,
            // The own move was refused: as if it had not been made.
            (None, Some([again])) if again.as_atom() == Some("true") => self.game.clone_from(&self.asked),
            _ => return Err(format!("the referee asks for {}, which is unknown", shown(request))),
        }
        self.decide()
    }

    fn decide(&mut self) -> Result<Told, ClientError> {
        let game = self.game.as_ref().ok_or("the referee asks before the size is known")?;
        let seat = self.player.map(PlayerType::seat);
        if game.to_move().is_none() || game.to_move() != seat {
            return Err("the referee asks although it is not this player's turn".to_owned());
        }
        self.asked = Some(game.clone());
        Ok(Told::Decide(game.clone()))
    }

    /// Plays what the other player has done since.
    fn catch_up(&mut self, other: &Value) -> Result<(), ClientError> {
        let game = self.game.as_mut().ok_or("the referee asks before the size is known")?;
        if game.to_move() == self.player.map(PlayerType::seat) {
            // Player 1 has chosen to take nothing off, so that player 2 has done nothing since.
            return Ok(());
        }
        for mv in moves_of(other, game)? {
            game.play(mv)
                .map_err(|error| format!("the referee says the other did {}: {error}", shown(other)))?;
        }
        Ok(())
    }

    /// Takes the decision that was asked for.
    ///
    /// # Panics
    /// If it is not a decision of the kind that was asked for.
    pub fn decided(&mut self, mv: Move) -> Told {
        let chosen = self.chosen.take();
        if let Some(game) = &mut self.game {
            // What is not legal is for the referee to refuse.
            let _ = game.play(mv);
        }
        match mv {
            Move::Choose(0) => Told::Send(first_elimination_value(0, None)),
            Move::Choose(k) => {
                self.chosen = Some(k);
                Told::Decide(self.game.clone().expect("who chooses knows the size"))
            }
            Move::Off(square) => Told::Send(match chosen {
                Some(k) => first_elimination_value(k, Some(square)),
                None => eliminate_value(square),
            }),
            Move::Pawn { from, to } => {
                let dialect = if self.game.is_some() { Dialect::Readme } else { self.dialect };
                Told::Send(pawn_value(from, to, dialect.mv()))
            }
        }
    }
}

/// The decisions that a record of the other player stands for.
fn moves_of(other: &Value, game: &Position) -> Result<Vec<Move>, ClientError> {
    let first = Stage::of(game) == Stage::Choosing;
    let off = |square: Square| Move::Off(square);
    let read = match Stage::of(game) {
        Stage::Choosing => read_first_elimination(other)
            .map(|(k, square)| [Move::Choose(k)].into_iter().chain(square.map(off)).collect())
            .or_else(|_| read_pawn(other, "move").map(|mv| vec![mv])),
        Stage::Eliminating => read_eliminate(other).map(|square| vec![off(square)]),
        Stage::Playing => read_pawn(other, "move").map(|mv| vec![mv]),
    };
    let mut moves: Vec<Move> = read.map_err(|fault| said("the referee says that the other", &fault))?;
    // Who takes nothing off moves at once, and the other hears only of the move.
    if first && matches!(moves[..], [Move::Pawn { .. }]) {
        moves.insert(0, Move::Choose(0));
    }
    Ok(moves)
}

fn start(rows: u8, cols: u8) -> Position {
    Setup { rows, cols, eliminate: Eliminate::Choose }.start()
}

/// What is wrong with what somebody sent.
fn said(who: &str, fault: &Fault) -> String {
    format!("{who} {}", words::offence(fault.offence, &fault.evidence))
}

fn shown(value: &Value) -> String {
    rookery_wire::excerpt(value.to_string().as_bytes())
}
