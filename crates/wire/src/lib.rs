//! Players at the end of a pipe or a socket.
//!
//! - [`Inbox`]: cuts what arrives into messages, lines or JSON values, within [`Bounds`]; no I/O in it;
//! - [`Transport`]: whole messages there and back, whatever carries them;
//! - [`Connection`]: a transport over a socket, a child process, [memory] or anything else that can be read and written;
//! - [`Lent`]: a transport for one match, that goes home afterwards;
//! - [`Codec`]: one protocol, as texts that go out and texts that come back;
//! - [`Remote`]: a lent transport and a codec, seated as a [`Player`](rookery_referee::Player);
//! - [`Protocols`]: which protocols there are, by game and name.
//!
//! Whatever the other end does, reading is bounded in bytes and depth, what it does wrong is a
//! [`Fault`](rookery_referee::Fault) with the first bytes of it, and what it sends unasked is never taken for an answer.

mod codec;
mod connection;
mod heartbeat;
mod inbox;
mod lent;
mod limits;
mod listen;
pub mod memory;
mod meter;
mod process;
mod protocols;
mod remote;
mod stderr;
mod trace;
mod transport;
mod websocket;

pub use codec::{Answer, Codec, Note};
pub use connection::Connection;
pub use inbox::{Bounds, Framing, Inbox, excerpt};
pub use lent::{Home, Lent, Spoilt};
pub use limits::raise_file_limit;
pub use listen::listen;
pub use meter::CpuMeter;
pub use process::{Process, StartError};
pub use protocols::{Protocol, Protocols, Seating, UnknownProtocol};
pub use remote::Remote;
pub use stderr::StderrLog;
pub use trace::Trace;
pub use transport::{Transport, TransportExt};
pub use websocket::WebSocket;
