//! The player's end of the JSON lines.

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rookery_games::stones::Position;
use rookery_rules::Seed;
use rookery_search::{Budget, Strategy};
use rookery_wire::excerpt;

use super::codec::{Hello, Reply, Step, line};
use super::message::{Message, Move, PlayerId, State, Update};
use super::player::{Chat, Player};

/// The longest line that a referee may send.
const MAX_LINE: u64 = 64 << 10;

/// What a program that plays knows of its referee: lines to read, lines to write.
#[derive(Debug)]
pub struct Client<R, W> {
    reader: R,
    writer: W,
    player: PlayerId,
    time: Option<Duration>,
    /// The turn that was last asked for.
    turn: Option<u32>,
    /// The game is over for this player.
    done: bool,
}

/// Why a program cannot go on playing.
#[derive(Debug)]
pub enum ClientError {
    /// Reading or writing failed.
    Io(io::Error),
    /// The referee has gone although the game was not over.
    Closed,
    /// A line that is no message, with what is wrong.
    Malformed(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the connection with the referee failed: {error}"),
            Self::Closed => f.write_str("the referee closed the connection before the game was over"),
            Self::Malformed(problem) => {
                write!(f, "the referee sent what is no message of Stones: {problem}; is it a Stones referee?")
            }
        }
    }
}

impl std::error::Error for ClientError {}

impl From<io::Error> for ClientError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl<R: BufRead, W: Write> Client<R, W> {
    /// Waits for the first line, which says who we are.
    pub fn start(reader: R, writer: W) -> Result<Self, ClientError> {
        let mut client = Self { reader, writer, player: 0, time: None, turn: None, done: false };
        let first = client.read_line()?.ok_or(ClientError::Closed)?;
        let Hello::Init { player, players, time_ms } = parse(&first)?;
        if player >= players || usize::from(players) > rookery_rules::MAX_SEATS {
            return Err(ClientError::Malformed(format!("we are player {player} of {players}")));
        }
        client.player = player;
        client.time = time_ms.map(Duration::from_millis);
        Ok(client)
    }

    /// Our number.
    pub fn player(&self) -> PlayerId {
        self.player
    }

    /// The time for each move, if it is limited.
    pub fn time(&self) -> Option<Duration> {
        self.time
    }

    /// What happened next; `None` when the game is over for us. Whoever is told that it has the turn is to
    /// [`send`](Client::send) a move.
    pub fn receive(&mut self) -> Result<Option<Update>, ClientError> {
        let Some(line) = self.read_line()? else {
            return if self.done { Ok(None) } else { Err(ClientError::Closed) };
        };
        let update: Update = parse(&line)?;
        if self.is_asked(&update) {
            self.turn = Some(update.state.turn);
            update.state.position().map_err(|error| ClientError::Malformed(error.to_string()))?;
        }
        // Who has lost may be told of the rest, or not.
        self.done |= match update.message {
            Message::PlayerWon { .. } | Message::GameOver { .. } => true,
            Message::PlayerLost { player } => player == self.player,
            _ => false,
        };
        Ok(Some(update))
    }

    /// Whether this asks us for a move.
    pub fn is_asked(&self, update: &Update) -> bool {
        update.message == Message::TurnTo { player: self.player }
    }

    /// Sends a move, as the answer to the last question.
    pub fn send(&mut self, mv: Move) -> Result<(), ClientError> {
        self.write(&Reply::Move(Step { from: mv.from, to: mv.to, player: Some(mv.player), turn: self.turn }))
    }

    /// Says something.
    pub fn say(&mut self, text: &str) -> Result<(), ClientError> {
        let short = text.chars().take(rookery_referee::MAX_CHAT_CHARS).filter(|&c| c != '\0').collect();
        self.write(&Reply::Chat(short))
    }

    fn write(&mut self, reply: &Reply) -> Result<(), ClientError> {
        self.writer.write_all(&line(reply))?;
        Ok(self.writer.flush()?)
    }

    fn read_line(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        let mut line = vec![];
        self.reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        match line.last() {
            None => Ok(None),
            Some(b'\n') => Ok(Some(line)),
            Some(_) if line.len() as u64 >= MAX_LINE => {
                Err(ClientError::Malformed(format!("a line of more than {MAX_LINE} bytes")))
            }
            Some(_) => Err(ClientError::Closed),
        }
    }
}

fn parse<T: serde::de::DeserializeOwned>(line: &[u8]) -> Result<T, ClientError> {
    serde_json::from_slice(line)
        .map_err(|error| ClientError::Malformed(format!("{error} in {}", excerpt(line.trim_ascii_end()))))
}

/// Plays one game over a pair of streams, until it is over. The player is made when its time is known.
///
/// The last message says how the game ended for us.
pub fn attend<P: Player>(
    reader: impl BufRead,
    writer: impl Write,
    make: impl FnOnce(Option<Duration>) -> P,
) -> Result<Option<Message>, ClientError> {
    let mut client = Client::start(reader, writer)?;
    let mut player = make(client.time());
    let (said, to_say) = mpsc::channel::<String>();
    player.initialize(Chat::new(client.player(), move |text| {
        // Nobody listens any more once the game is over.
        let _ = said.send(text.to_owned());
    }));
    let mut last = None;
    while let Some(update) = client.receive()? {
        player.update(&update.message, &update.state);
        let mv = client.is_asked(&update).then(|| player.next_move());
        for text in to_say.try_iter() {
            client.say(&text)?;
        }
        if let Some(mv) = mv {
            client.send(mv)?;
        }
        last = Some(update.message);
    }
    Ok(last)
}

/// One of our own strategies as a player of messages.
pub struct Thinker<S> {
    strategy: S,
    time: Option<Duration>,
    seed: Seed,
    player: PlayerId,
    state: Option<State>,
}

impl<S: Strategy<Position>> Thinker<S> {
    /// A player with so much time for each move, of which it keeps a tenth for the way of its answer.
    pub fn new(strategy: S, time: Option<Duration>, seed: Seed) -> Self {
        Self { strategy, time: time.map(|time| time * 9 / 10), seed, player: 0, state: None }
    }
}

impl<S> fmt::Debug for Thinker<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Thinker({})", self.player)
    }
}

impl<S: Strategy<Position>> Player for Thinker<S> {
    fn initialize(&mut self, chat: Chat) {
        self.player = chat.player();
    }

    fn update(&mut self, _: &Message, state: &State) {
        self.state = Some(state.clone());
    }

    fn next_move(&mut self) -> Move {
        let state = self.state.as_ref().expect("a state came before the question");
        let position = state.position().expect("the state was found to be one of a game that goes on");
        let budget = Budget {
            deadline: self.time.map(|time| Instant::now() + time),
            seed: self.seed.derive(state.turn.into()),
            ..Budget::default()
        };
        let mv = self.strategy.choose(&position, &budget);
        Move { player: self.player, from: mv.from.into(), to: mv.to.into() }
    }
}
