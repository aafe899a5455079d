//! Fish: remote calls, tournaments, test harnesses.
//!
//! - [`State`], [`Place`], [`Action`], [`ColorName`]: the data of the calls, as JSON;
//! - [`Calls`]: the server's side of the calls, a [`Codec`](rookery_wire::Codec);
//! - [`Server`]: sign-up over TCP and a knock-out tournament;
//! - [`Notice`]: what happens there, for logs and screens.

mod calls;
mod games;
mod json;
mod lobby;
mod notice;
mod server;
mod signup;

pub use calls::{Calls, Manner};
pub use json::{Action, ColorName, Place, PlayerState, State};
pub use notice::{Log, Notice};
pub use server::{Config, Server, Tally};
pub use signup::{Kind, SignUp};
