//! From names to what is agreed before a match.

use std::fmt;

use rookery_players::PlayerError;
use rookery_referee::{Entry, MatchSpec, SeatSpec};
use rookery_rules::{GameSpec, Seed, SetupError};

use crate::game;

/// What is agreed before a match of these players: names, labels and the game's own conduct, without a clock until the
/// fields say otherwise. Everything that names a game or a built-in player is checked.
///
/// ```
/// use rookery_catalog::agree;
/// use rookery_rules::{GameSpec, Seed};
///
/// let spec = agree(&GameSpec::parse("stones")?, &["mine=hard".parse()?, "random".parse()?], Seed(7))?;
/// assert_eq!((spec.seats[0].name.as_str(), spec.seats[0].label.as_str()), ("mine", "player 0"));
/// assert_eq!(spec.conduct.to_string(), "abort");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn agree(spec: &GameSpec, entries: &[Entry], seed: Seed) -> Result<MatchSpec, AgreeError> {
    let game = game(&spec.game).map_err(AgreeError::Setup)?;
    let canonical = game.canonical(spec).map_err(AgreeError::Setup)?;
    let labels = game.seat_labels(spec).map_err(AgreeError::Setup)?;
    if labels.len() != entries.len() {
        return Err(AgreeError::Seats { game: canonical, expected: labels.len(), given: entries.len() });
    }
    for entry in entries {
        if let SeatSpec::BuiltIn(player) = &entry.seat {
            let wrong = |error| AgreeError::Player(entry.to_string(), error);
            game.check_player(player).map_err(wrong)?;
        }
    }
    let mut agreed = MatchSpec::of_entries(&canonical, entries, seed);
    for (seat, label) in agreed.seats.iter_mut().zip(labels) {
        seat.label = label;
    }
    agreed.conduct = game.conduct();
    Ok(agreed)
}

/// What cannot be agreed on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AgreeError {
    /// The game spec is wrong.
    Setup(SetupError),
    /// There is not one player for each seat.
    Seats {
        /// The game spec.
        game: String,
        /// How many seats it has.
        expected: usize,
        /// How many players are named.
        given: usize,
    },
    /// A player is wrong: as given, and why.
    Player(String, PlayerError),
}

impl fmt::Display for AgreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Seats { game, expected, given } => {
                write!(f, "{game} has {expected} seats, and {given} given; name one player for each seat")
            }
            Self::Player(player, error) => {
                write!(f, "{player}: {error}; or `human`, `cmd:COMMAND`, `tcp:PORT`, `ws:PORT`")
            }
        }
    }
}

impl std::error::Error for AgreeError {}
