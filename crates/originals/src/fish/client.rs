//! A client: answers the calls of a server with the moves of a built-in player.
//!
//! It believes only the state of each call. Servers differ in much else, so whatever does not matter for the answer is
//! accepted as it comes: capitals in colours, the own colour among the others, lists that are flat or nested, anything
//! in the list of actions.

use std::fmt;
use std::time::{Duration, Instant};

use rookery_catalog::{Fish, PlayerError, PlayerSpec};
use rookery_games::fish::{self, Board, Move};
use rookery_referee::Fault;
use rookery_rules::{Position as _, Seat, Seed};
use rookery_search::{Budget, Strategy};
use rookery_wire::{Bounds, Connection, TransportExt as _, excerpt};
use serde::Deserialize;
use serde_json::Value;

use super::Place;

/// What a client reads at most: a state of the largest board fits many times.
pub const CLIENT_BOUNDS: Bounds = Bounds { bytes: 64 << 10, blanks: 64 << 10, depth: 16 };

/// The answer to a call that asks for nothing.
const VOID: &str = "\"void\"";

/// A built-in player that answers calls.
///
/// ```
/// use rookery_originals::fish::Client;
///
/// let mut client = Client::new(&"minimax:depth=2".parse()?)?;
/// assert_eq!(client.hear(br#"["playing-as",["red"]]"#)?, r#""void""#);
/// let state = r#"{"players":[{"color":"red","score":0,"places":[[0,0]]},{"color":"white","score":0,"places":[]}],
///     "board":[[1,1],[1,1]]}"#;
/// assert_eq!(client.hear(format!(r#"["setup",[{state}]]"#).as_bytes())?, "[0,1]");
/// assert_eq!(client.hear(format!(r#"["take-turn",[{state},[]]]"#).as_bytes())?, "[[0,0],[1,0]]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Client {
    strategy: Box<dyn Strategy<fish::Position>>,
    /// Whether it needs no thread of its own to think.
    quick: bool,
    think: Option<Duration>,
    seed: Seed,
    /// In lower case.
    color: Option<String>,
    /// How many players the game began with.
    n_players: usize,
    served: Served,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("served", &self.served).finish_non_exhaustive()
    }
}

/// What a client has seen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Served {
    /// Calls it answered.
    pub calls: u64,
    /// Games it was told a colour for.
    pub games: u32,
    /// Whether it has won the tournament, once it was told.
    pub won: Option<bool>,
}

/// Why a client left before the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientError {
    /// It could not connect: where to, and why.
    Connect(String, String),
    /// The connection broke, or brought what cannot be cut into messages.
    Lost(Fault),
    /// A call that it does not understand.
    Call(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(address, error) => write!(f, "cannot connect to {address}: {error}"),
            Self::Lost(fault) => {
                write!(f, "lost the server before the end: {}", fault.evidence.note)?;
                fault.evidence.sent.as_ref().map_or(Ok(()), |sent| write!(f, "; it was {sent}"))
            }
            Self::Call(problem) => write!(f, "left, because of a call it does not understand: {problem}"),
        }
    }
}

impl std::error::Error for ClientError {}

/// One thing said on the connection, for those who want to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spoken<'a> {
    /// By the server.
    Call(&'a [u8]),
    /// By the client.
    Answer(&'a str),
}

impl Client {
    /// A client that plays as this player of the catalog.
    pub fn new(player: &PlayerSpec) -> Result<Self, PlayerError> {
        let (strategy, info) = rookery_catalog::strategy::<Fish>(player)?;
        Ok(Self {
            strategy,
            quick: info.quick,
            think: None,
            seed: Seed(0),
            color: None,
            n_players: 2,
            served: Served::default(),
        })
    }

    /// The same, with another seed for its random choices.
    #[must_use]
    pub fn with_seed(self, seed: Seed) -> Self {
        Self { seed, ..self }
    }

    /// The same, with at most so much time for an answer.
    #[must_use]
    pub fn with_think(self, think: Option<Duration>) -> Self {
        Self { think, ..self }
    }

    /// The answer to a call, both as they are on the wire.
    pub fn hear(&mut self, message: &[u8]) -> Result<String, ClientError> {
        self.answer(Call::read(message)?)
    }

    fn answer(&mut self, call: Call) -> Result<String, ClientError> {
        self.served.calls += 1;
        match call {
            Call::Start => {}
            Call::PlayingAs(color) => {
                self.color = Some(color.to_lowercase());
                self.served.games += 1;
            }
            Call::PlayingWith(colors) => {
                let own = self.color.as_deref();
                let others = colors.iter().filter(|color| Some(color.to_lowercase().as_str()) != own);
                self.n_players = 1 + others.count();
            }
            Call::Setup(view) => return self.setup(&view),
            Call::TakeTurn(view) => return self.take_turn(&view),
            Call::End(won) => self.served.won = won,
        }
        Ok(VOID.to_owned())
    }

    fn setup(&mut self, view: &View) -> Result<String, ClientError> {
        let own = view.player(self.color.as_deref()).places.len();
        // Nobody says how many penguins each player gets: six less the players at the beginning, unless some were
        // removed before it.
        let each = (6usize.saturating_sub(self.n_players)).clamp(1, 5).max(own + 1);
        let position = view.position(self.color.as_deref(), Some(each as u8))?;
        Ok(match self.choose(&position) {
            Some(Move::Place(cell)) => write_place(cell.into()),
            _ => "false".to_owned(),
        })
    }

    fn take_turn(&mut self, view: &View) -> Result<String, ClientError> {
        let position = view.position(self.color.as_deref(), None)?;
        // Some servers ask a player who cannot move, and expect this.
        Ok(match self.choose(&position) {
            Some(Move::Slide { from, to }) => {
                format!("[{},{}]", write_place(from.into()), write_place(to.into()))
            }
            _ => "false".to_owned(),
        })
    }

    /// The player's choice, if it is its turn.
    fn choose(&mut self, position: &fish::Position) -> Option<Move> {
        if position.to_move() != Some(Seat::new(0)) {
            return None;
        }
        let budget = Budget {
            deadline: self.think.map(|think| Instant::now() + think),
            seed: self.seed.derive(self.served.calls),
            ..Budget::default()
        };
        Some(self.strategy.choose(position, &budget))
    }

    /// Serves a connection on which the name was sent, until the server says `end` and that was answered. Players that
    /// need time think in a thread for such work, so that other clients of the process are not held up.
    pub async fn serve(
        mut self,
        connection: &mut Connection,
        mut log: impl FnMut(Spoken<'_>) + Send,
    ) -> Result<Served, ClientError> {
        loop {
            let message = connection.receive().await.map_err(ClientError::Lost)?;
            log(Spoken::Call(&message));
            let call = Call::read(&message)?;
            let is_end = matches!(call, Call::End(_));
            let answer = if call.is_question() && !self.quick {
                let thinking = tokio::task::spawn_blocking(move || {
                    let answer = self.answer(call);
                    (self, answer)
                });
                let answer;
                (self, answer) = thinking.await.expect("a built-in player does not panic");
                answer?
            } else {
                self.answer(call)?
            };
            log(Spoken::Answer(&answer));
            let sent = connection.send(answer.as_bytes()).await;
            if is_end {
                // A server that has gone already does not want to hear it.
                return Ok(self.served);
            }
            sent.map_err(ClientError::Lost)?;
        }
    }
}

fn write_place(Place(row, col): Place) -> String {
    format!("[{row},{col}]")
}

/// A call, with what matters of its arguments.
enum Call {
    Start,
    PlayingAs(String),
    PlayingWith(Vec<String>),
    Setup(View),
    TakeTurn(View),
    End(Option<bool>),
}

impl Call {
    fn read(message: &[u8]) -> Result<Self, ClientError> {
        let bad =
            |problem: &dyn fmt::Display| ClientError::Call(format!("{problem}; it was {}", excerpt(message)));
        let (method, arguments): (String, Vec<Value>) = serde_json::from_slice(message)
            .map_err(|error| bad(&format_args!("expected [METHOD,[ARGUMENT,..]]: {error}")))?;
        let first = arguments.first();
        let view = || {
            let state = first.ok_or_else(|| bad(&"its state is missing"))?;
            View::deserialize(state).map_err(|error| bad(&format_args!("its state cannot be read: {error}")))
        };
        match method.as_str() {
            "start" => Ok(Self::Start),
            "playing-as" => match first.and_then(Value::as_str) {
                Some(color) => Ok(Self::PlayingAs(color.to_owned())),
                None => Err(bad(&"its argument is no colour")),
            },
            "playing-with" => Ok(Self::PlayingWith(words(&arguments))),
            "setup" => view().map(Self::Setup),
            "take-turn" => view().map(Self::TakeTurn),
            "end" => Ok(Self::End(first.and_then(Value::as_bool))),
            _ => {
                Err(bad(&"no such method; expected start, playing-as, playing-with, setup, take-turn or end"))
            }
        }
    }

    /// Whether a player has to think about it.
    fn is_question(&self) -> bool {
        matches!(self, Self::Setup(_) | Self::TakeTurn(_))
    }
}

/// All texts in nested lists.
fn words(values: &[Value]) -> Vec<String> {
    let of_one = |value: &Value| match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(inner) => words(inner),
        _ => vec![],
    };
    values.iter().flat_map(of_one).collect()
}

/// A state as any server may write it.
#[derive(Deserialize)]
struct View {
    players: Vec<ViewPlayer>,
    board: Vec<Vec<u8>>,
}

#[derive(Deserialize, Default)]
struct ViewPlayer {
    #[serde(default)]
    color: String,
    score: u32,
    places: Vec<Place>,
}

impl View {
    /// Where the player of a colour stands in the list. The one asked comes first; not every server keeps to that
    /// while penguins are placed.
    fn index(&self, color: Option<&str>) -> usize {
        let of_color = |player: &ViewPlayer| Some(player.color.to_lowercase().as_str()) == color;
        self.players.iter().position(of_color).unwrap_or(0)
    }

    fn player(&self, color: Option<&str>) -> &ViewPlayer {
        const NOBODY: &ViewPlayer = &ViewPlayer { color: String::new(), score: 0, places: vec![] };
        self.players.get(self.index(color)).unwrap_or(NOBODY)
    }

    /// The position, with the player of this colour at the first seat.
    fn position(&self, color: Option<&str>, placing: Option<u8>) -> Result<fish::Position, ClientError> {
        let first = self.index(color);
        let (before, from) = self.players.split_at(first.min(self.players.len()));
        let players = from.iter().chain(before).map(|player| {
            let penguins = player.places.iter().map(|&place| place.into()).collect();
            Some(fish::Player { score: player.score, penguins })
        });
        let players: Vec<_> = players.collect();
        Board::from_rows(&self.board)
            .and_then(|board| fish::Position::set_up(board, &players, Seat::new(0), placing))
            .map_err(|error| ClientError::Call(format!("its state is not possible: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"players":[{"color":"White","score":0,"places":[[0,0]]},{"color":"red","score":0,"places":[[1,0]]}],"board":[[1,1],[2],[1,1]]}"#;

    fn client() -> Client {
        Client::new(&"minimax:depth=2".parse().expect("it is a player")).expect("it is a player of Fish")
    }

    fn hear(client: &mut Client, message: &str) -> String {
        client.hear(message.as_bytes()).unwrap_or_else(|error| panic!("{message}: {error}"))
    }

    #[test]
    fn what_servers_do_differently_is_accepted() {
        for (color, others) in [
            ("red", r#"[["white"]]"#),
            ("Red", r#"["White"]"#),
            ("red", r#"[["red","white"]]"#),
            ("red", r#"["Red","white"]"#),
        ] {
            let mut client = client();
            assert_eq!(hear(&mut client, r#"["start",[true]]"#), VOID);
            assert_eq!(hear(&mut client, &format!(r#"["playing-as",["{color}"]]"#)), VOID);
            assert_eq!(hear(&mut client, &format!(r#" [ "playing-with" , {others} ] "#)), VOID);
            assert_eq!(client.n_players, 2, "{others}");
            assert_eq!(hear(&mut client, &format!(r#"["setup",[{STATE}]]"#)), "[0,1]");
            for actions in ["", ",[]", r#",["skip",false,[[0,0],[1,1]],{"a":[1]}]"#] {
                let turn = format!(r#"["take-turn",[{STATE}{actions}]]"#);
                assert_eq!(hear(&mut client, &turn), "[[1,0],[0,1]]", "red moves, wherever it stands");
            }
            assert_eq!(hear(&mut client, r#"["end",[false]]"#), VOID);
            assert_eq!(client.served, Served { calls: 8, games: 1, won: Some(false) });
        }
    }

    #[test]
    fn asked_while_stuck_it_says_false() {
        let stuck = r#"{"players":[{"color":"red","score":0,"places":[[0,0]]},{"color":"white","score":0,"places":[[1,0]]}],"board":[[1,0],[1,1],[0,1]]}"#;
        let mut client = client();
        assert_eq!(hear(&mut client, &format!(r#"["take-turn",[{stuck},[]]]"#)), "false");
        let full = r#"{"players":[{"color":"red","score":0,"places":[[0,0]]}],"board":[[1]]}"#;
        assert_eq!(hear(&mut client, &format!(r#"["setup",[{full}]]"#)), "false");
    }

    #[test]
    fn a_call_that_cannot_be_understood_is_explained() {
        for (message, problem) in [
            ("[]", "expected [METHOD,[ARGUMENT,..]]: invalid length 0"),
            (r#"["start"]"#, "expected [METHOD,[ARGUMENT,..]]: invalid length 1"),
            (
                r#"["play-as",["red"]]"#,
                "no such method; expected start, playing-as, playing-with, setup, take-turn or end; it was `[\"play-as\",[\"red\"]]`",
            ),
            (r#"["playing-as",[1]]"#, "its argument is no colour"),
            (r#"["setup",[]]"#, "its state is missing"),
            (r#"["setup",[{"players":[]}]]"#, "its state cannot be read: missing field `board`"),
            (
                r#"["setup",[{"players":[],"board":[[1]]}]]"#,
                "its state is not possible: there are 1 to 4 players, not 0",
            ),
            (
                r#"["take-turn",[{"players":[{"score":0,"places":[[9,9]]}],"board":[[1]]},[]]]"#,
                "penguin on 9.9, where there is no tile",
            ),
        ] {
            let error = client().hear(message.as_bytes()).expect_err(message).to_string();
            assert!(error.contains(problem), "{message}: {error}");
        }
    }

    #[test]
    fn it_can_place_in_every_round_of_every_game() {
        for n_players in 1..=4usize {
            let mut client = client();
            let others: Vec<_> = ["\"white\"", "\"brown\"", "\"black\""][..n_players - 1].to_vec();
            hear(&mut client, r#"["playing-as",["red"]]"#);
            hear(&mut client, &format!(r#"["playing-with",[[{}]]]"#, others.join(",")));
            for n_placed in 0..5u8 {
                let places: Vec<_> = (0..n_placed).map(|col| format!("[0,{col}]")).collect();
                let state = format!(
                    r#"{{"players":[{{"color":"red","score":0,"places":[{}]}}],"board":[[1,1,1,1,1]]}}"#,
                    places.join(",")
                );
                let answer = hear(&mut client, &format!(r#"["setup",[{state}]]"#));
                assert_eq!(answer, format!("[0,{n_placed}]"), "{n_players} players");
            }
        }
    }
}
