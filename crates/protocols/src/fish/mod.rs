//! Fish: remote calls, tournaments, test harnesses.

pub mod api;
mod client;
mod clients;
pub mod harness;
mod json;

pub use client::{CLIENT_BOUNDS, Client, ClientError, Served, Spoken};
pub use clients::{ClientName, Clients, Report};
pub use harness::{Harness, HarnessError};
pub use json::{Action, ColorName, Place, PlayerState, State};
