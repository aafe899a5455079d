//! Built-in players as text: the *player spec*, `random`, `mcts:playouts=500`.

use std::fmt;
use std::str::FromStr;

use rookery_rules::GameSpec;

/// A player as written on a command line, in a file or in a record; not yet checked against a game.
///
/// ```
/// use rookery_search::PlayerSpec;
/// let player: PlayerSpec = "minimax:depth=2".parse()?;
/// assert_eq!(player.name(), "minimax");
/// # Ok::<(), rookery_search::ParsePlayerError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerSpec {
    text: String,
    spec: GameSpec,
}

impl PlayerSpec {
    /// The name of the player, without its options.
    pub fn name(&self) -> &str {
        &self.spec.game
    }

    /// The name and the options, which have the form of a game spec.
    pub fn spec(&self) -> &GameSpec {
        &self.spec
    }
}

impl FromStr for PlayerSpec {
    type Err = ParsePlayerError;

    fn from_str(text: &str) -> Result<Self, ParsePlayerError> {
        // The form of a game spec, for another kind of thing.
        let spec = GameSpec::parse(text).map_err(|_| ParsePlayerError)?;
        Ok(Self { text: text.to_owned(), spec })
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text that is no player spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParsePlayerError;

impl fmt::Display for ParsePlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is no player spec; expected NAME or NAME:KEY=VALUE,KEY=VALUE")
    }
}

impl std::error::Error for ParsePlayerError {}
