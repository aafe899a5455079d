//! Fish: remote calls, tournaments, test harnesses.
//!
//! - [`State`], [`Place`], [`Action`], [`ColorName`]: the data of the calls, as JSON;
//! - [`Calls`]: the server's side of the calls, a [`Codec`](rookery_wire::Codec); [`Client`]: the other side;
//! - [`Server`]: sign-up over TCP and a knock-out tournament; [`Notice`]: what happens there, for logs and screens;
//! - [`api`]: the interface for players that drive;
//! - [`harness`]: the original's test harnesses;
//! - [`command`]: `rookery fish`, but for its aliases of other commands.

pub mod api;
mod calls;
mod client;
mod clients;
pub mod command;
mod door;
mod game;
mod games;
pub mod harness;
mod journal;
mod json;
mod notice;
mod server;
mod signup;
mod standings;

pub use calls::{Calls, Manner};
pub use client::{CLIENT_BOUNDS, Client, ClientError, Served, Spoken};
pub use clients::{ClientName, Clients, Report};
pub use harness::{Harness, HarnessError};
pub use json::{Action, ColorName, Place, PlayerState, State};
pub use notice::{Log, Notice};
pub use server::{Config, ResumeError, Server, Tally};
pub use signup::{Kind, SignUp};
pub use standings::{Placing, write_standings};

use rookery_referee::Conduct;
use rookery_wire::Protocols;

/// As in the original: whoever offends is removed, and who is left alone plays on.
pub const CONDUCT: Conduct = Conduct::removing().playing_on();

/// The protocols of the original, for programs in any match: `fish`, the calls, and `fish-api`, for players that drive.
pub fn protocols(into: &mut Protocols) {
    Manner::default().register(into);
}
