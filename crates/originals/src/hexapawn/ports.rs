//! Players and a referee as threads that send each other records, each through the other's port.
//!
//! The names of the original and what they are here:
//!
//! | original | here |
//! |---|---|
//! | `Player.createPlayer PlayerType RefereePort` | [`create_player`] |
//! | `Referee.refereeFor P1 P2 Rows Cols` | [`referee_for`] |
//! | an unbound variable for a port | [`RefereePort::unbound`], later [`bind`](RefereePort::bind) |
//! | `Board.init`, `toList`, `validMovesFor` | [`Board`]'s `init`, `to_list`, `valid_moves_for` |
//! | `Board.set`, `show`, `analyse` | [`set`](super::records::set), [`show`](super::records::show), [`analyse`](super::records::analyse) |
//!
//! # A game between two players on a 5 by 5 field
//!
//! A player is made before the referee whose port it gets, so that port is unbound at first.
//!
//! ```
//! use rookery_originals::hexapawn::ports::{RefereePort, create_player, referee_for};
//! use rookery_originals::hexapawn::records::PlayerType;
//!
//! let (pr1, pr2) = (RefereePort::unbound(), RefereePort::unbound());
//! let p1 = create_player(PlayerType::P1, pr1.clone());
//! let p2 = create_player(PlayerType::P2, pr2.clone());
//! let ports = referee_for(p1, p2, 5, 5)?;
//! pr1.bind(&ports.0)?;
//! pr2.bind(&ports.1)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Table`] does the same with other terms, and tells who has won.
//!
//! # Order
//!
//! Messages are judged in the order in which they arrive; of those that are there together player 1's come first.
//! Whoever sends anything while the other has to move loses. After the end nothing is read any more.

use std::collections::VecDeque;
use std::fmt;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rookery_games::hexapawn::{Board, Eliminate, Move, Position};
use rookery_referee::{Failure, Fault, Offence, Referee, Verdict};
use rookery_rules::Position as _;
use rookery_search::{Budget, First, Strategy};
use rookery_wire::excerpt;

use super::CONDUCT;
use super::oz::Value;
use super::records::{COLS, Dialect, Order, PlayerType, ROWS, pawn_value, position, read_pawn};

/// How many messages wait for the referee. Nobody may send two in a row, so those beyond it never matter.
const WAITING: usize = 64;

/// Where the referee sends its orders to a player.
#[derive(Clone, Debug)]
pub struct PlayerPort(Sender<Order>);

/// A port for a player of your own, and the end from which the player takes the referee's orders. The player is gone
/// when the receiver is dropped.
pub fn player_port() -> (PlayerPort, Receiver<Order>) {
    let (port, orders) = mpsc::channel();
    (PlayerPort(port), orders)
}

/// Where one player sends its answers. The referee knows whose port it is, so that nobody can speak for the other.
#[derive(Clone, Debug)]
pub struct RefereePort(Arc<Mutex<Way>>);

#[derive(Debug)]
enum Way {
    /// Not known yet; what is sent meanwhile waits.
    Unbound(Vec<Value>),
    Bound(Queue),
}

/// The way to the referee for one player.
#[derive(Clone, Debug)]
struct Queue {
    messages: SyncSender<(PlayerType, Value)>,
    player: PlayerType,
}

impl Queue {
    fn send(&self, value: Value) {
        // The game is over, or so much is waiting that this does not matter.
        let _ = self.messages.try_send((self.player, value));
    }
}

impl RefereePort {
    /// A port that is bound later.
    pub fn unbound() -> Self {
        Self(Arc::new(Mutex::new(Way::Unbound(vec![]))))
    }

    /// Makes this port the same as a referee's.
    pub fn bind(&self, referee: &Self) -> Result<(), BindError> {
        // The lock is not kept: both may be the same port.
        let queue = match &*referee.way() {
            Way::Bound(queue) => queue.clone(),
            Way::Unbound(_) => return Err(BindError::Unbound),
        };
        let mut way = self.way();
        let Way::Unbound(waiting) = &mut *way else { return Err(BindError::Bound) };
        for value in waiting.drain(..) {
            queue.send(value);
        }
        *way = Way::Bound(queue);
        Ok(())
    }

    /// Sends a record, any record. It never waits, and after the end of the game it does nothing.
    pub fn send(&self, record: impl Into<Value>) {
        match &mut *self.way() {
            Way::Bound(queue) => queue.send(record.into()),
            Way::Unbound(waiting) if waiting.len() < WAITING => waiting.push(record.into()),
            Way::Unbound(_) => {}
        }
    }

    fn way(&self) -> std::sync::MutexGuard<'_, Way> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A port that cannot be bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BindError {
    /// It is bound already.
    Bound,
    /// The port it should be the same as is itself unbound.
    Unbound,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bound => "the port is bound already; a port is bound once",
            Self::Unbound => "the other port is unbound; bind to one that a referee returned",
        })
    }
}

impl std::error::Error for BindError {}

/// Starts the player of the original, which always plays the first of its valid moves. Its thread ends with the game.
pub fn create_player(player: PlayerType, referee: RefereePort) -> PlayerPort {
    create_player_with(player, referee, First)
}

/// Starts a player that chooses its moves by a strategy.
pub fn create_player_with(
    player: PlayerType,
    referee: RefereePort,
    mut strategy: impl Strategy<Position> + 'static,
) -> PlayerPort {
    let (port, orders) = player_port();
    spawn(&format!("hexapawn-{player}"), move || {
        for order in orders {
            let Order::Request(board) = order else { return };
            let position = position(&board, player);
            if position.to_move().is_none() {
                continue;
            }
            if let Move::Pawn { from, to } = strategy.choose(&position, &Budget::default()) {
                referee.send(pawn_value(from, to, Dialect::Readme.mv()));
            }
        }
    });
    port
}

/// Starts a referee and sends the first request. Returns the ports for player 1 and player 2.
///
/// A turn lasts at most a second; [`Table`] has other terms.
pub fn referee_for(
    p1: PlayerPort,
    p2: PlayerPort,
    rows: u8,
    cols: u8,
) -> Result<(RefereePort, RefereePort), SizeError> {
    Ok(Table::new(rows, cols)?.start(p1, p2).ports)
}

/// What is agreed before a game.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    rows: u8,
    cols: u8,
    time: Duration,
    dialect: Dialect,
}

/// A game that runs.
#[derive(Debug)]
pub struct Game {
    /// The referee's ports for player 1 and player 2.
    pub ports: (RefereePort, RefereePort),
    referee: JoinHandle<Verdict>,
}

impl Game {
    /// Waits for the end.
    pub fn verdict(self) -> Verdict {
        self.referee.join().expect("the referee does not panic")
    }
}

impl Table {
    /// A board of 2 to 8 rows and 1 to 8 columns, and a second a turn.
    pub fn new(rows: u8, cols: u8) -> Result<Self, SizeError> {
        if ROWS.contains(&rows) && COLS.contains(&cols) {
            Ok(Self { rows, cols, time: Duration::from_secs(1), dialect: Dialect::Readme })
        } else {
            Err(SizeError { rows, cols })
        }
    }

    /// The same with another time for a turn, both attempts together.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// The same with another spelling of moves.
    #[must_use]
    pub fn with_dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// Starts a referee and sends the first request.
    pub fn start(self, p1: PlayerPort, p2: PlayerPort) -> Game {
        let (messages, inbox) = mpsc::sync_channel(WAITING);
        let port = |player| {
            RefereePort(Arc::new(Mutex::new(Way::Bound(Queue { messages: messages.clone(), player }))))
        };
        let ports = (port(PlayerType::P1), port(PlayerType::P2));
        let position = Position::new(Board::init(self.rows, self.cols), Eliminate::Exactly(0));
        let mut judge = Judge {
            referee: Referee::new(position, CONDUCT),
            players: [p1, p2],
            inbox,
            waiting: [VecDeque::new(), VecDeque::new()],
            table: self,
            deadline: Instant::now() + self.time,
        };
        judge.request();
        Game { ports, referee: spawn("hexapawn-referee", move || judge.run()) }
    }
}

/// A board of another size than the protocol allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeError {
    rows: u8,
    cols: u8,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a board of {} rows and {} columns is not possible; rows go from 2 to 8, columns from 1 to 8",
            self.rows, self.cols
        )
    }
}

impl std::error::Error for SizeError {}

/// The referee's thread.
struct Judge {
    referee: Referee<Position>,
    players: [PlayerPort; 2],
    inbox: Receiver<(PlayerType, Value)>,
    /// What has arrived and was not yet judged.
    waiting: [VecDeque<Value>; 2],
    table: Table,
    /// When the turn is over.
    deadline: Instant,
}

impl Judge {
    fn run(mut self) -> Verdict {
        while let Some(seat) = self.referee.to_ask() {
            let plies = self.referee.plies();
            match self.next() {
                Ok((player, record)) if player.seat() == seat => {
                    let answer = read_pawn(&record, self.table.dialect.mv()).map_err(Failure::Fault);
                    self.referee.judge(answer, None);
                }
                Ok((player, record)) => {
                    let fault = Fault::new(Offence::OutOfTurn, "it was not asked");
                    let fault = fault.sent(excerpt(record.to_string().as_bytes()));
                    self.referee.foul(player.seat(), fault.expected("nothing until it is asked"));
                }
                Err(fault) => {
                    self.referee.judge(Err(fault.into()), None);
                }
            }
            if self.referee.plies() > plies {
                self.deadline = Instant::now() + self.table.time;
            }
            self.request();
        }
        let verdict = self.referee.verdict().expect("nobody is asked, so there is a verdict").clone();
        if let Some(winner) = verdict.outcome.as_ref().and_then(|outcome| outcome.winners.iter().next()) {
            for player in &self.players {
                // Who is gone already is not told.
                let _ = player.0.send(Order::GameEnded(PlayerType::at(winner)));
            }
        }
        verdict
    }

    /// Asks whoever has to move. A player that is gone loses.
    fn request(&mut self) {
        while let Some(seat) = self.referee.to_ask() {
            let order = Order::Request(self.referee.position().board());
            if self.players[seat.index()].0.send(order).is_ok() {
                return;
            }
            let gone = Fault::new(Offence::Disconnected, "the player's thread has ended");
            self.referee.judge(Err(gone.into()), None);
        }
    }

    /// The next message: player 1's before player 2's where both are there.
    fn next(&mut self) -> Result<(PlayerType, Value), Fault> {
        loop {
            while let Ok((player, record)) = self.inbox.try_recv() {
                self.waiting[player as usize].push_back(record);
            }
            for player in PlayerType::BOTH {
                if let Some(record) = self.waiting[player as usize].pop_front() {
                    return Ok((player, record));
                }
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.inbox.recv_timeout(left) {
                Ok((player, record)) => self.waiting[player as usize].push_back(record),
                Err(RecvTimeoutError::Timeout) => {
                    let note = format!("no answer within {} ms", self.table.time.as_millis());
                    let expected = format!("{}(f(row col) t(row col))", self.table.dialect.mv());
                    let fault = Fault::new(Offence::Timeout, note);
                    return Err(fault.expected(format!("{expected} as the answer to request")));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Fault::new(Offence::Disconnected, "nobody holds its port any more"));
                }
            }
        }
    }
}

fn spawn<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let named = thread::Builder::new().name(name.to_owned());
    named.spawn(work).expect("the system gives us a thread")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str) -> Value {
        text.parse().expect("a record")
    }

    /// A referee to whom both have sent something before it looks, player 2 first.
    fn judged(moves_before: usize) -> Verdict {
        let (messages, inbox) = mpsc::sync_channel(WAITING);
        let (port, _orders) = player_port();
        let table = Table::new(3, 3).expect("a size");
        let mut referee = Referee::new(position(&Board::init(3, 3), PlayerType::P1), CONDUCT);
        for _ in 0..moves_before {
            let mv = referee.position().legal_moves().next().expect("there is one");
            referee.judge(Ok(mv), None);
        }
        for (player, text) in
            [(PlayerType::P2, "move(f(3 2) t(2 3))"), (PlayerType::P1, "move(f(1 3) t(2 3))")]
        {
            messages.try_send((player, record(text))).expect("there is room");
        }
        drop(messages);
        let players = [port.clone(), port];
        let deadline = Instant::now() + Duration::from_mins(1);
        Judge { referee, players, inbox, waiting: Default::default(), table, deadline }.run()
    }

    #[test]
    fn of_messages_that_are_there_together_player_1s_come_first() {
        // Player 1 has to move: its move counts, and then player 2's, which is its answer. Then nobody is there.
        let verdict = judged(0);
        assert_eq!((verdict.plies, verdict.ending.cause.word()), (2, "disconnected"));
        // Player 2 has to move: player 1 is found out of turn first.
        let verdict = judged(1);
        assert_eq!((verdict.plies, verdict.ending.cause.word()), (1, "out_of_turn"));
        assert_eq!(verdict.ending.seat, Some(PlayerType::P1.seat()));
    }

    #[test]
    fn a_port_is_bound_once_and_keeps_what_was_sent_before() {
        let (p1, orders) = player_port();
        let (p2, _p2_orders) = player_port();
        let early = RefereePort::unbound();
        early.send(record("move(f(1 1) t(2 1))"));
        assert_eq!(early.bind(&RefereePort::unbound()), Err(BindError::Unbound));
        let game = Table::new(3, 3).expect("a size").with_time(Duration::from_mins(1)).start(p1, p2);
        assert_eq!(early.bind(&game.ports.0), Ok(()));
        assert_eq!(early.bind(&game.ports.0), Err(BindError::Bound));
        assert_eq!(early.bind(&early), Err(BindError::Bound));
        assert!(matches!(orders.recv(), Ok(Order::Request(_))));
        // Out of turn now: the move that waited was judged.
        early.send(record("anything"));
        let verdict = game.verdict();
        assert_eq!((verdict.plies, verdict.ending.cause.word()), (1, "out_of_turn"));
    }
}
