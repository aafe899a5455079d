//! Who is to sit at a seat, as written on a command line.

use std::fmt;
use std::str::FromStr;

use rookery_players::{PlayerSpec, PlayerSpecError};

use crate::PERSON;

/// The longest command of a program.
const MAX_COMMAND: usize = 4096;

/// Anybody who can take a seat: one string everywhere.
///
/// ```
/// use rookery_catalog::SeatSpec;
///
/// assert_eq!("human".parse(), Ok(SeatSpec::Human));
/// assert_eq!("cmd:./bot.py --fast".parse(), Ok(SeatSpec::Command("./bot.py --fast".to_owned())));
/// assert_eq!("tcp:4000".parse(), Ok(SeatSpec::Tcp(4000)));
/// assert!(matches!("mcts:playouts=500".parse(), Ok(SeatSpec::BuiltIn(_))));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatSpec {
    /// `human`: a person at this terminal.
    Human,
    /// `cmd:COMMAND`: a program that is started and talks by its standard input and output.
    Command(String),
    /// `tcp:PORT`: a program that connects to this port.
    Tcp(u16),
    /// One of our own.
    BuiltIn(PlayerSpec),
}

impl FromStr for SeatSpec {
    type Err = SeatSpecError;

    fn from_str(text: &str) -> Result<Self, SeatSpecError> {
        if text == PERSON {
            return Ok(Self::Human);
        }
        if let Some(command) = text.strip_prefix("cmd:") {
            let fits = !command.trim().is_empty() && command.len() <= MAX_COMMAND && !command.contains('\0');
            return if fits { Ok(Self::Command(command.to_owned())) } else { Err(SeatSpecError::Command) };
        }
        if let Some(port) = text.strip_prefix("tcp:") {
            return port.parse().map(Self::Tcp).map_err(|_| SeatSpecError::Port);
        }
        text.parse().map(Self::BuiltIn).map_err(SeatSpecError::Player)
    }
}

impl fmt::Display for SeatSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human => f.write_str(PERSON),
            Self::Command(command) => write!(f, "cmd:{command}"),
            Self::Tcp(port) => write!(f, "tcp:{port}"),
            Self::BuiltIn(player) => player.fmt(f),
        }
    }
}

/// A text that says nothing about who is to sit there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatSpecError {
    /// No command after `cmd:`, or one that is too long.
    Command,
    /// No port after `tcp:`.
    Port,
    /// No player spec.
    Player(PlayerSpecError),
}

impl fmt::Display for SeatSpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command => {
                write!(f, "expected a command after `cmd:`, of at most {MAX_COMMAND} bytes: cmd:./bot.py")
            }
            Self::Port => f.write_str("expected a port from 0 to 65535 after `tcp:`: tcp:4000"),
            Self::Player(error) => write!(f, "{error}; or `human`, `cmd:COMMAND`, `tcp:PORT`"),
        }
    }
}

impl std::error::Error for SeatSpecError {}
