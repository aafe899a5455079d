//! Fish: remote calls, tournaments, test harnesses.

pub mod harness;
mod json;

pub use harness::{Harness, HarnessError};
pub use json::{Action, ColorName, Place, PlayerState, State};
