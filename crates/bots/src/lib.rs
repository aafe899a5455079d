//! The Rookery bot protocol: lines of JSON, the same for every game and every transport. docs/protocol.md is its page.
//!
//! - [`greet`] says hello to whoever is at the other end of a link, once; what it answered is a [`Greeting`];
//! - [`BotCodec`] speaks for one match, of any game: it is written over positions, notations and scenes;
//! - [`QUIT`] is the last word.
//!
//! ```
//! use rookery_bots::{PROTOCOL, REPLY_TIME, greet};
//! use rookery_wire::{TransportExt as _, memory};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let (mut ours, mut theirs) = memory::pair(PROTOCOL.framing, PROTOCOL.bounds);
//! theirs.send(b"{\"type\":\"hello\",\"version\":1,\"name\":\"mine\"}\n").await.unwrap();
//! let greeting = greet(&mut ours, REPLY_TIME).await.unwrap();
//! assert_eq!(greeting.name.as_deref(), Some("mine"));
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

mod carried;
mod code;
mod codec;
mod greeting;
mod message;
mod others;
mod write;

pub use carried::Carried;
pub use code::{Code, ErrorCode};
pub use codec::BotCodec;
pub use greeting::{Greeting, greet, greet_since};
pub use message::{FromBot, Life, Misread, Said};
pub use write::error;

use std::time::Duration;

use rookery_wire::{Bounds, Framing, Protocol};

/// The version of the protocol.
pub const VERSION: u64 = 1;

/// The most bytes of a line of a bot.
pub const LINE_BYTES: usize = 64 << 10;

/// The most legal moves that a turn lists.
pub const MAX_LEGAL: usize = 1000;

/// How long a bot may take for `hello` and `ready`.
pub const REPLY_TIME: Duration = Duration::from_secs(10);

/// The last word to a bot.
pub const QUIT: &[u8] = b"{\"type\":\"quit\"}\n";

/// How a link for the protocol is opened.
pub const PROTOCOL: Protocol = Protocol {
    name: "rookery",
    framing: Framing::Lines,
    bounds: Bounds { bytes: LINE_BYTES, blanks: LINE_BYTES, depth: 16 },
};
