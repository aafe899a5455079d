//! Who is to sit somewhere, as text: the one grammar for command lines, files, records and calls.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use rookery_search::{PlayerSpec, PlayerSpecError};

/// The longest command of a program.
const MAX_COMMAND: usize = 4096;
/// The most characters of a name that somebody chose.
pub const MAX_NAME: usize = 24;
/// The fewest digits of a hash that tell a bundle.
const MIN_HASH: usize = 8;
/// The digits of a whole hash.
const WHOLE_HASH: usize = 64;
/// The one word for a person.
const PERSON: &str = "human";

/// Anybody who can take a seat: one text everywhere.
///
/// ```
/// use rookery_referee::SeatSpec;
///
/// assert_eq!("human".parse(), Ok(SeatSpec::Human));
/// assert_eq!("cmd:./bot.py --fast".parse(), Ok(SeatSpec::Command("./bot.py --fast".to_owned())));
/// assert_eq!("tcp:4000".parse(), Ok(SeatSpec::Tcp(4000)));
/// assert_eq!("bundle:ann".parse(), Ok(SeatSpec::Bundle { name: "ann".to_owned(), sha256: None }));
/// assert!(matches!("mcts:playouts=500".parse(), Ok(SeatSpec::BuiltIn(_))));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeatSpec {
    /// `human`: a person, at this terminal or another screen.
    Human,
    /// `cmd:COMMAND`: a program that is started and talks by its standard input and output.
    Command(String),
    /// `tcp:PORT`: a program that connects to this port.
    Tcp(u16),
    /// `ws:PORT`: the same over WebSocket.
    Ws(u16),
    /// One of our own.
    BuiltIn(PlayerSpec),
    /// `remote:NAME`: whoever signed up under this name at a lobby, and lends its connection.
    Remote(String),
    /// `bundle:NAME`: a bot whose archive is in the store, as `rookery bot push` brings it: the newest that may play.
    /// `bundle:NAME@HASH`: the one whose archive has a SHA-256 that begins so.
    Bundle {
        /// What the bot is called.
        name: String,
        /// 8 to 64 digits of the hash, in lower case.
        sha256: Option<String>,
    },
}

impl SeatSpec {
    /// Whether a person sits there.
    pub fn is_person(&self) -> bool {
        *self == Self::Human
    }

    /// Whether a program outside of this process sits there.
    pub fn is_program(&self) -> bool {
        match self {
            Self::Command(_) | Self::Tcp(_) | Self::Ws(_) | Self::Remote(_) | Self::Bundle { .. } => true,
            Self::Human | Self::BuiltIn(_) => false,
        }
    }

    /// Whether a program is awaited there that connects.
    pub fn is_awaited(&self) -> bool {
        matches!(self, Self::Tcp(_) | Self::Ws(_))
    }
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
        if let Some(port) = text.strip_prefix("ws:") {
            return port.parse().map(Self::Ws).map_err(|_| SeatSpecError::Port);
        }
        if let Some(name) = text.strip_prefix("remote:") {
            return if is_name(name) { Ok(Self::Remote(name.to_owned())) } else { Err(SeatSpecError::Name) };
        }
        if let Some(bundle) = text.strip_prefix("bundle:") {
            return parse_bundle(bundle).ok_or(SeatSpecError::Bundle);
        }
        text.parse().map(Self::BuiltIn).map_err(SeatSpecError::Player)
    }
}

/// What stands behind `bundle:`.
fn parse_bundle(text: &str) -> Option<SeatSpec> {
    let (name, sha256) = match text.split_once('@') {
        None => (text, None),
        Some((name, hash)) => (name, Some(hash)),
    };
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_hash = |hash: &str| (MIN_HASH..=WHOLE_HASH).contains(&hash.len()) && hash.bytes().all(is_digit);
    (is_name(name) && sha256.is_none_or(is_hash))
        .then(|| SeatSpec::Bundle { name: name.to_owned(), sha256: sha256.map(str::to_owned) })
}

impl fmt::Display for SeatSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human => f.write_str(PERSON),
            Self::Command(command) => write!(f, "cmd:{command}"),
            Self::Tcp(port) => write!(f, "tcp:{port}"),
            Self::Ws(port) => write!(f, "ws:{port}"),
            Self::BuiltIn(player) => player.fmt(f),
            Self::Remote(name) => write!(f, "remote:{name}"),
            Self::Bundle { name, sha256: None } => write!(f, "bundle:{name}"),
            Self::Bundle { name, sha256: Some(hash) } => write!(f, "bundle:{name}@{hash}"),
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
    /// No name after `remote:`.
    Name,
    /// No name after `bundle:`, or no hash after its `@`.
    Bundle,
    /// No player spec.
    Player(PlayerSpecError),
}

impl fmt::Display for SeatSpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command => {
                write!(f, "expected a command after `cmd:`, of at most {MAX_COMMAND} bytes: cmd:./bot.py")
            }
            Self::Port => f.write_str("expected a port from 0 to 65535 after `tcp:` or `ws:`: tcp:4000"),
            Self::Name => write!(
                f,
                "expected a name after `remote:`, of letters, digits, `_`, `-`, {MAX_NAME} at most: remote:Ann"
            ),
            Self::Bundle => write!(
                f,
                "expected the name of a bot in the store after `bundle:`, and perhaps `@` and {MIN_HASH} to {WHOLE_HASH} \
                 digits of its hash in lower case: bundle:ann@3f8a90c1"
            ),
            Self::Player(error) => {
                write!(f, "{error}; or `human`, `cmd:COMMAND`, `tcp:PORT`, `ws:PORT`, `bundle:NAME`")
            }
        }
    }
}

impl std::error::Error for SeatSpecError {}

/// Whether somebody may call a player so: letters, digits, `_` and `-`, [`MAX_NAME`] at most.
///
/// ```
/// use rookery_referee::is_name;
/// assert!(is_name("my-bot_2") && !is_name("mcts:playouts") && !is_name("") && !is_name("Änn"));
/// ```
pub fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Somebody who plays, with a name or without: `hard` or `mine=hard`.
///
/// ```
/// use rookery_referee::Entry;
///
/// let mine: Entry = "mine=hard".parse()?;
/// assert_eq!(mine.name.as_deref(), Some("mine"));
/// // The part before `=` is no name, so there is none.
/// let nameless: Entry = "mcts:playouts=9".parse()?;
/// assert_eq!(nameless.name, None);
/// # Ok::<(), rookery_referee::SeatSpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The name that was given.
    pub name: Option<String>,
    /// Who it is.
    pub seat: SeatSpec,
}

impl Entry {
    /// Somebody without a name of its own.
    pub fn nameless(seat: SeatSpec) -> Self {
        Self { name: None, seat }
    }

    /// The names of all, each another one: what was given, or else the spec; equal ones are numbered.
    ///
    /// ```
    /// use rookery_referee::Entry;
    /// let entries = ["hard", "mine=hard", "hard"].map(|text| text.parse().unwrap());
    /// assert_eq!(Entry::names(&entries), ["hard#1", "mine", "hard#2"]);
    /// ```
    pub fn names(entries: &[Self]) -> Vec<String> {
        let own = |entry: &Self| match (&entry.name, &entry.seat) {
            // A bundle brings its name along.
            (Some(name), _) | (None, SeatSpec::Bundle { name, .. }) => name.clone(),
            (None, seat) => seat.to_string(),
        };
        unique(entries.iter().map(own).collect())
    }
}

/// The same names, but equal ones get numbers. No name that somebody may choose has a `#`, so numbers make no new equals
/// but with a command that ends in one, which is then numbered itself.
fn unique(mut names: Vec<String>) -> Vec<String> {
    loop {
        let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
        for name in &names {
            counts.entry(name.clone()).or_default().0 += 1;
        }
        if counts.values().all(|&(n, _)| n == 1) {
            return names;
        }
        for name in &mut names {
            let (n, used) = counts.get_mut(name).expect("all names were counted");
            if *n > 1 {
                *used += 1;
                *name = format!("{name}#{used}");
            }
        }
    }
}

impl FromStr for Entry {
    type Err = SeatSpecError;

    fn from_str(text: &str) -> Result<Self, SeatSpecError> {
        match text.split_once('=') {
            Some((name, spec)) if is_name(name) => {
                Ok(Self { name: Some(name.to_owned()), seat: spec.parse()? })
            }
            _ => Ok(Self::nameless(text.parse()?)),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name}=")?;
        }
        self.seat.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_read_back() {
        for text in [
            "human",
            "mine=cmd:./bot a=b",
            "tcp:0",
            "x=mcts:playouts=9",
            "remote:Ann",
            "cmd:a=b",
            "bundle:ann",
        ] {
            assert_eq!(text.parse::<Entry>().unwrap().to_string(), text);
        }
        for bad in
            ["", "a=", "cmd:", "cmd: ", "tcp:x", "tcp:65536", "remote:", "remote:A nn", "a b=hard", "=hard"]
        {
            assert!(bad.parse::<Entry>().is_err(), "{bad:?} is refused");
        }
    }

    #[test]
    fn bundles_are_named_with_or_without_a_hash() {
        let whole = format!("bundle:ann@{}", "0af9".repeat(16));
        for text in ["bundle:ann", "x=bundle:ann@0123abcd", &whole] {
            assert_eq!(text.parse::<Entry>().unwrap().to_string(), text);
        }
        for bad in [
            "bundle:",
            "bundle:a b",
            "bundle:ann@",
            "bundle:ann@0123abc",
            "bundle:ann@0123ABCD",
            "bundle:../x",
        ] {
            assert_eq!(bad.parse::<SeatSpec>(), Err(SeatSpecError::Bundle), "{bad:?} is refused");
        }
        assert_eq!(format!("{whole}0").parse::<SeatSpec>(), Err(SeatSpecError::Bundle));
        let entries = ["bundle:ann@0123abcd", "ann=hard"].map(|text| text.parse().unwrap());
        assert_eq!(Entry::names(&entries), ["ann#1", "ann#2"], "a bundle is called as its bot is");
    }

    #[test]
    fn fault_j05_names_are_unique_whatever_the_specs_are() {
        let names = |texts: &[&str]| {
            Entry::names(&texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>())
        };
        assert_eq!(names(&["a=hard", "b=hard"]), ["a", "b"]);
        assert_eq!(names(&["a=hard", "a=easy", "a=hard"]), ["a#1", "a#2", "a#3"]);
        let odd = names(&["cmd:x", "cmd:x", "cmd:x#1"]);
        let distinct: std::collections::HashSet<_> = odd.iter().collect();
        assert_eq!(distinct.len(), 3, "{odd:?}");
    }
}
