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
mod entrant;
mod games;
pub mod harness;
mod json;
mod lobby;
mod notice;
mod server;
mod signup;

pub use calls::{Calls, Manner};
pub use client::{CLIENT_BOUNDS, Client, ClientError, Served, Spoken};
pub use clients::{ClientName, Clients, Report};
pub use harness::{Harness, HarnessError};
pub use json::{Action, ColorName, Place, PlayerState, State};
pub use notice::{Log, Notice};
pub use server::{Config, Server, Tally};
pub use signup::{Kind, SignUp};
