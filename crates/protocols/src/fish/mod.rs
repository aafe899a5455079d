//! Fish: remote calls, tournaments, test harnesses.

mod json;

pub use json::{Action, ColorName, Place, PlayerState, State};
