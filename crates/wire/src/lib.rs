//! Players at the end of a pipe or a socket.
//!
//! - [`Inbox`]: cuts what arrives into messages, lines or JSON values, within [`Bounds`]; no I/O in it;
//! - [`Connection`]: a socket, a child process or anything else that can be read and written, with an inbox;
//! - [`Codec`]: one protocol, as texts that go out and texts that come back;
//! - [`Remote`]: a connection and a codec, seated as a [`Player`](rookery_referee::Player).
//!
//! Whatever the other end does, reading is bounded in bytes and depth, what it does wrong is a
//! [`Fault`](rookery_referee::Fault) with the first bytes of it, and what it sends unasked is never taken for an answer.

mod connection;
mod inbox;
mod limits;
mod process;
mod remote;
mod stub;
pub use stub::*;

pub use connection::Connection;
pub use inbox::{Bounds, Framing, Inbox, excerpt};
pub use limits::raise_file_limit;
pub use process::Process;
pub use remote::{Answer, Codec, Note, Remote};
