//! The players' interface: for players that drive, instead of being called.
//!
//! A player may ask about the game at any time, also about moves that are not legal, and nothing comes of it. It acts
//! only in its turn; an action that is not legal throws it out.
//!
//! - [`Table`] and [`SeatHandle`]: a game in this process, driven by its players;
//! - [`Tree`]: all that can follow a position, made as one looks at it;
//! - [`ApiPlayer`]: the same as JSON calls on a connection, for a seat in any match;
//! - [`TournamentInfo`]: what players can ask between games.
//!
//! `docs/fish-api.md` has the calls with examples.

mod calls;
mod player;
mod query;
mod table;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

pub use player::{ApiPlayer, attend};
pub use query::Tree;
pub use table::{SeatHandle, Table};

/// Why a question or an action has no answer now. Nothing else comes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There is no game any more, or not yet.
    GameOver,
    /// About the tournament, during a game.
    CannotQueryNow,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GameOver => "game is over",
            Self::CannotQueryNow => "cannot query now",
        })
    }
}

impl std::error::Error for Refused {}

/// What one player can know about its tournament. Whoever runs the tournament fills it in.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct TournamentInfo {
    /// The round that is played or was played last, from 1; 0 before the first.
    pub round: u32,
    /// Whether the player has won its last game.
    pub won: Option<bool>,
    /// Who has won the player's last game, by name.
    pub winners: Vec<String>,
    /// Whether the player plays in the next round, once that is known.
    pub advances: Option<bool>,
    /// Everybody still in the tournament and everybody who was, with the games won.
    pub standings: Vec<Standing>,
    /// Whether the tournament is over.
    pub over: bool,
}

/// One line of the standings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Standing {
    /// The player's name.
    pub name: String,
    /// The games it has won.
    pub wins: u32,
    /// Whether it is still in the tournament.
    pub playing: bool,
}

/// A [`TournamentInfo`] that one side fills in and the other reads.
pub type SharedInfo = Arc<Mutex<TournamentInfo>>;

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is shared here is whole at any time, also if somebody panicked with it in hand.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
