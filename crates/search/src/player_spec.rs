//! The *player spec*: a built-in player as text, `random`, `level:3`, `mcts:playouts=500`.

use std::fmt;
use std::str::FromStr;

use rookery_rules::GameSpec;

/// A player as written on a command line, in a file or in a record; not yet checked against a game.
///
/// ```
/// use rookery_search::PlayerSpec;
///
/// let player: PlayerSpec = "mcts:playouts=500".parse()?;
/// assert_eq!(player.name(), "mcts");
/// assert_eq!(player.to_string(), "mcts:playouts=500");
/// # Ok::<(), rookery_search::PlayerSpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerSpec {
    text: String,
    spec: GameSpec,
}

impl FromStr for PlayerSpec {
    type Err = PlayerSpecError;

    fn from_str(text: &str) -> Result<Self, PlayerSpecError> {
        // A level is a name of its own: what follows is no option but says which.
        if text.strip_prefix("level:").is_some_and(is_short_word) {
            return Ok(Self {
                text: text.to_owned(),
                spec: GameSpec { game: text.to_owned(), options: vec![] },
            });
        }
        // The form of a game spec, for another kind of thing.
        let spec = GameSpec::parse(text).map_err(|_| PlayerSpecError)?;
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if spec.game.is_empty() || !spec.game.bytes().all(in_name) {
            return Err(PlayerSpecError);
        }
        Ok(Self { text: text.to_owned(), spec })
    }
}

/// Whether a text can stand for a level, right or wrong.
fn is_short_word(text: &str) -> bool {
    (1..=24).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl PlayerSpec {
    /// The player's name, without its options; of a level `level:1` and so on.
    pub fn name(&self) -> &str {
        &self.spec.game
    }

    /// The name and the options, to be checked against what the player takes.
    pub const fn spec(&self) -> &GameSpec {
        &self.spec
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text that is not of the form of a player spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayerSpecError;

impl fmt::Display for PlayerSpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is no player spec; expected NAME, NAME:KEY=VALUE,KEY=VALUE or level:1 to level:8")
    }
}

impl std::error::Error for PlayerSpecError {}
