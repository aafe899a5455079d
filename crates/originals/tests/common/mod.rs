//! A server for one game, with the manners of other people's servers.

use std::time::Duration;

use rookery_games::fish::{Move, Phase, Setup};
use rookery_originals::fish::{Place, State};
use rookery_rules::{Outcome, Position as _, Seat, Setup as _, Status};
use rookery_wire::{Bounds, Connection, Framing, TransportExt as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::timeout;

/// What servers do differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// Compact messages.
    Plain,
    /// White space before and behind each message, which comes in pieces.
    Trickling,
    /// Colours with a capital, all of them in a flat list, several calls at once, and strange actions.
    Strange,
    /// Asks also who cannot move.
    AskingStuck,
}

/// How the game went: names in turn order, the outcome, and how often a player who cannot move was asked.
pub(crate) struct Hosted {
    pub(crate) names: Vec<String>,
    pub(crate) outcome: Outcome,
    pub(crate) stuck: usize,
}

/// Nothing takes so long, also on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

struct Host {
    clients: Vec<Connection>,
    manner: Manner,
}

impl Host {
    async fn send(&mut self, idx: usize, message: &str) {
        let client = &mut self.clients[idx];
        match self.manner {
            Manner::Trickling => {
                let spaced = format!("{}{}\n", " ".repeat(2040), message.replace(',', " , "));
                for piece in spaced.as_bytes().chunks(100) {
                    client.send(piece).await.unwrap();
                    tokio::task::yield_now().await;
                }
            }
            _ => client.send(message.as_bytes()).await.unwrap(),
        }
    }

    async fn answer(&mut self, idx: usize) -> Value {
        let answer = timeout(PATIENCE, self.clients[idx].receive()).await.expect("an answer comes").unwrap();
        serde_json::from_slice(&answer).unwrap()
    }

    async fn call(&mut self, idx: usize, call: Value) -> Value {
        self.send(idx, &call.to_string()).await;
        self.answer(idx).await
    }

    /// Calls that ask for nothing.
    async fn tell(&mut self, idx: usize, calls: &[Value]) {
        if self.manner == Manner::Strange {
            let all: String = calls.iter().map(Value::to_string).collect();
            self.send(idx, &all).await;
            for _ in calls {
                assert_eq!(self.answer(idx).await, json!("void"));
            }
        } else {
            for call in calls {
                assert_eq!(self.call(idx, call.clone()).await, json!("void"));
            }
        }
    }

    async fn tell_colors(&mut self) {
        let colors = ["red", "white", "brown", "black"];
        let n = self.clients.len();
        for idx in 0..n {
            let (color, with) = if self.manner == Manner::Strange {
                let names = ["Red", "White", "Brown", "Black"];
                (names[idx], json!(&names[..n]))
            } else {
                let others: Vec<_> = colors[..n].iter().filter(|&&color| color != colors[idx]).collect();
                (colors[idx], json!([others]))
            };
            self.tell(
                idx,
                &[json!(["start", [true]]), json!(["playing-as", [color]]), json!(["playing-with", with])],
            )
            .await;
        }
    }
}

/// Waits for so many clients and plays one game with them.
pub(crate) async fn host(listener: &TcpListener, n: usize, manner: Manner) -> Hosted {
    let mut host = Host { clients: vec![], manner };
    let mut names = vec![];
    for idx in 0..n {
        let (stream, _) = timeout(PATIENCE, listener.accept()).await.expect("the clients come").unwrap();
        host.clients.push(Connection::tcp(stream, Framing::Json, Bounds::default()).unwrap());
        let Value::String(name) = host.answer(idx).await else { panic!("a name is a string") };
        names.push(name);
    }
    host.tell_colors().await;
    let mut position = Setup::parse(&format!("fish=2,players={n}")).unwrap().start();
    let actions =
        if manner == Manner::Strange { json!(["skip", false, [[0, 0], [1, 1]]]) } else { json!([]) };
    let mut stuck = 0;
    let mut last: Option<Seat> = None;
    while let Some(seat) = position.to_move() {
        // Whoever was passed over.
        let mut next = last.map_or(seat, |last| last.next(n));
        while manner == Manner::AskingStuck && next != seat {
            let state = State::seen_from(&position, next);
            assert_eq!(host.call(next.index(), json!(["take-turn", [state, []]])).await, json!(false));
            stuck += 1;
            next = next.next(n);
        }
        last = Some(seat);
        let state = State::seen_from(&position, seat);
        let mv = if position.phase() == Phase::Placing {
            let place: Place = read(&host.call(seat.index(), json!(["setup", [state]])).await);
            Move::Place(place.into())
        } else {
            let turn = json!(["take-turn", [state, actions]]);
            let (from, to): (Place, Place) = read(&host.call(seat.index(), turn).await);
            Move::Slide { from: from.into(), to: to.into() }
        };
        position.play(mv).unwrap();
    }
    let Status::Over(outcome) = position.status() else { unreachable!("nobody is to move") };
    for seat in Seat::all(n) {
        let won = outcome.winners.contains(seat);
        host.tell(seat.index(), &[json!(["end", [won]])]).await;
    }
    Hosted { names, outcome, stuck }
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"))
}
