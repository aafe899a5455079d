//! The games' own protocols: what their original systems spoke, so that programs written for those can play here, and
//! ours there.
//!
//! - [`fish`]: remote calls in JSON over TCP, a knock-out tournament, test harnesses, an interface for players that drive;
//! - [`hexapawn`]: players and a referee that talk through ports, and the same records as text;
//! - [`stones`]: a player that is told messages, and the same as JSON lines.

pub mod fish;
pub mod hexapawn;
pub mod stones;
