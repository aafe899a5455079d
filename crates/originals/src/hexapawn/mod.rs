//! Hexapawn: players and a referee that talk through ports, and the same records as text on a pipe or a socket.
//!
//! - [`oz`]: Oz values as text, read strictly;
//! - [`records`]: the records of the protocol: boards, moves, requests, the end;
//! - [`ports`]: threads in this process that send each other records;
//! - [`seed`]: the same protocol on a wire, one record a line;
//! - [`elimination`]: the second protocol, in which the players choose the size and take pawns off first;
//! - [`host`]: a match between whoever sits there, in either protocol;
//! - [`client`]: the player's side of both;
//! - [`log`]: what the original's referee printed, and a plainer text;
//! - [`command`]: `rookery hexapawn`.
//!
//! `docs/hexapawn-protocol.md` describes the protocols for those who write players.

pub mod client;
pub mod command;
pub mod elimination;
pub mod host;
pub mod log;
pub mod oz;
pub mod ports;
pub mod records;
pub mod seed;

use rookery_wire::{Bounds, Connection, Framing, Process};

/// How messages are cut on every wire of this game: a line each, of at most [`oz::MAX_BYTES`].
pub const FRAMING: Framing = Framing::Lines;

/// The bounds of a message.
pub fn bounds() -> Bounds {
    Bounds { bytes: oz::MAX_BYTES, ..Bounds::default() }
}

/// A connection with a program that was started.
pub fn over_pipes(process: Process) -> Connection {
    Connection::process(process, FRAMING, bounds())
}

/// A connection with a program that connected.
pub fn over_tcp(stream: tokio::net::TcpStream) -> std::io::Result<Connection> {
    Connection::tcp(stream, FRAMING, bounds())
}
