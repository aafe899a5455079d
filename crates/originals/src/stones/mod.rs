//! Stones: the original's messages and player interface, in Rust and as JSON lines.
//!
//! - [`Player`]: what a player implements; an [`Audience`] seats some at a table, and tells them everything together;
//! - [`Message`], [`State`], [`Update`]: what players are told;
//! - [`Narrator`]: turns the referee's events into messages, without any I/O;
//! - [`LineCodec`]: the same as JSON lines, for programs at the end of a pipe or a socket (`docs/stones-protocol.md`);
//! - [`attend`]: the other end of those lines, for a program that plays;
//! - [`protocols`]: programs that speak it play in any match;
//! - [`command`]: `rookery stones`.
//!
//! # A player
//!
//! ```
//! use rookery_games::stones;
//! use rookery_originals::stones::{Audience, Chat, Message, Move, Player, Point, State};
//! use rookery_referee::{MatchSpec, Referee, Session, Terms, play};
//! use rookery_rules::{Notation, Seat, Seed};
//!
//! /// Steps onto an enemy stone if it can, else moves its first stone where it may.
//! #[derive(Default)]
//! struct Hungry {
//!     chat: Option<Chat>,
//!     state: Option<State>,
//! }
//!
//! impl Player for Hungry {
//!     fn initialize(&mut self, chat: Chat) {
//!         chat.say("I am hungry");
//!         self.chat = Some(chat);
//!     }
//!
//!     fn update(&mut self, message: &Message, state: &State) {
//!         if let (Message::PlayerWon { .. }, Some(chat)) = (message, &self.chat) {
//!             chat.say("good game");
//!         }
//!         self.state = Some(state.clone());
//!     }
//!
//!     fn next_move(&mut self) -> Move {
//!         let player = self.chat.as_ref().expect("initialized").player();
//!         let state = self.state.as_ref().expect("the game has begun");
//!         let mut steps = vec![];
//!         for from in state.stones(player) {
//!             for (row, col) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
//!                 let to = Point::new(from.row + row, from.col + col);
//!                 if let Some(tile) = state.get(to).filter(|&tile| tile != player as i8) {
//!                     steps.push((tile >= 0, Move { player, from, to }));
//!                 }
//!             }
//!         }
//!         let food = steps.iter().find(|(hits, _)| *hits).or(steps.first());
//!         food.expect("who has the turn has a move").1
//!     }
//! }
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let start = stones::Position::from_text("0 00/../11")?;
//! let audience = Audience::default();
//! let mut players = vec![audience.inline(Hungry::default()), audience.inline(Hungry::default())];
//! let spec = MatchSpec::new("stones:layout=00/../11", ["hungry", "hungry"], Seed(1))?;
//! let referee = Referee::of_spec(&spec, start);
//! let end = play(referee, &mut players, &Session::new(&spec, &Terms::default()), &mut ()).await;
//! let verdict = end.verdict().expect("nobody suspends it");
//! let winners = verdict.outcome.expect("it was played to the end").winners;
//! assert_eq!(winners.iter().collect::<Vec<_>>(), [Seat::new(1)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod codec;
pub mod command;
mod message;
mod narrator;
mod player;

pub use client::{Client, ClientError, Thinker, attend};
pub use codec::{CHAT_FLOOD, Hello, LineCodec, Reply, Step, WARM_UP};
pub use message::{FREE, Message, Move, PlayerId, Point, Rows, Stage, State, Update, sign};
pub use narrator::{Narrator, error_of};
pub use player::{Audience, Chat, Player, reasons};

use std::time::Duration;

use rookery_games::stones::Setup;
use rookery_wire::{Bounds, Framing, Protocol, Protocols, Remote};

/// How messages are cut on the wire: a line each.
pub fn protocol() -> Protocol {
    Protocol { name: "stones", framing: Framing::Lines, bounds: Bounds::default() }
}

/// Programs that speak the lines play in any match of the game.
pub fn protocols(into: &mut Protocols) {
    register(into, WARM_UP, true);
}

/// The same with so much more time for the first answer, and told or not told of the rest of a game once they have lost.
pub fn register(into: &mut Protocols, warm_up: Duration, tell_eliminated: bool) {
    into.register::<Setup>(protocol(), move |link, lag| {
        let codec = LineCodec::new().with_warm_up(warm_up);
        let codec = if tell_eliminated { codec } else { codec.without_eliminated() };
        Box::new(Remote::new(link, codec).with_lag(lag.clone()))
    });
}
