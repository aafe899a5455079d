//! How a game begins: [`Setup`], and the *game spec* that names it everywhere, `hexapawn:rows=4,cols=5`.
//!
//! The keys of a game are data ([`Key`]): parsing, checking, help and error messages all come from the same table.

use std::fmt;
use std::time::Duration;

use crate::position::shorten;
use crate::{Position, Seat, parse_duration};

/// Everything that is decided before the first move.
///
/// ```
/// use rookery_games::hexapawn;
/// use rookery_rules::Setup;
///
/// let setup = hexapawn::Setup::parse("cols=5,rows=4")?;
/// assert_eq!(setup.spec(), "hexapawn:rows=4");
///
/// let error = hexapawn::Setup::parse("row=4").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "hexapawn has no key `row`; did you mean `rows`? Its keys are rows, cols, eliminate"
/// );
/// # Ok::<(), rookery_rules::SetupError>(())
/// ```
pub trait Setup: Clone + Eq + fmt::Debug + Default + Send + Sync + 'static {
    /// What is played.
    type Position: Position;

    /// The game's name in a game spec.
    const GAME: &'static str;

    /// The keys a spec of this game may have, in the order they are shown.
    const KEYS: &'static [Key];

    /// Reads checked options; what is left to check is how they go together.
    fn from_options(options: &Options<'_>) -> Result<Self, SetupError>;

    /// The value of each key, as [`from_options`](Setup::from_options) reads it. Keys that have no meaning in
    /// this setup may be left out.
    fn options(&self) -> Vec<(&'static str, String)>;

    /// The first position.
    fn start(&self) -> Self::Position;

    /// What people call a seat, the way this game counts.
    ///
    /// ```
    /// use rookery_games::{hexapawn, stones};
    /// use rookery_rules::{Seat, Setup};
    ///
    /// assert_eq!(hexapawn::Setup::default().seat_label(Seat::new(0)), "player 1");
    /// assert_eq!(stones::Setup::default().seat_label(Seat::new(0)), "player 0");
    /// ```
    fn seat_label(&self, seat: Seat) -> String {
        seat.counted_from(1).to_string()
    }

    /// Reads the part of a game spec behind the colon.
    fn parse(options: &str) -> Result<Self, SetupError> {
        Self::from_spec(&GameSpec::parse(&format!("{}:{options}", Self::GAME))?)
    }

    /// Reads a game spec of this game.
    fn from_spec(spec: &GameSpec) -> Result<Self, SetupError> {
        if spec.game != Self::GAME {
            return Err(SetupError::unknown_game(&spec.game, vec![Self::GAME]));
        }
        Self::from_options(&spec.check(Self::GAME, Self::KEYS)?)
    }

    /// The shortest game spec that gives this setup again.
    fn spec(&self) -> String {
        let is_default =
            |name: &str, value: &str| Self::KEYS.iter().any(|k| k.name == name && k.default == value);
        let options: Vec<String> = self
            .options()
            .iter()
            .filter(|(name, value)| !is_default(name, value))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if options.is_empty() {
            Self::GAME.to_owned()
        } else {
            format!("{}:{}", Self::GAME, options.join(","))
        }
    }
}

/// One key of a game spec.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// The value it has when it is not given.
    pub default: &'static str,
    /// One line for people.
    pub help: &'static str,
}

/// What values a [`Key`] takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number from the first to the second.
    Number(u64, u64),
    /// One of some words.
    Word(&'static [&'static str]),
    /// A whole number in a range, or one of some words.
    NumberOr(u64, u64, &'static [&'static str]),
    /// `yes` or `no`.
    Flag,
    /// A time from 1 ms to an hour, `500ms` or `2s`, or one of some words.
    TimeOr(&'static [&'static str]),
    /// So many mebibytes from the first to the second: `64`, `64MB`, `64MiB`.
    Mebibytes(u64, u64),
    /// A text that the game reads itself; the description says what it looks like.
    Text(&'static str),
}

impl Kind {
    fn admits(self, value: &str) -> bool {
        let in_range = |min, max| {
            (value == "0" || !value.starts_with(['0', '+']))
                && value.parse().is_ok_and(|n: u64| (min..=max).contains(&n))
        };
        match self {
            Self::Number(min, max) => in_range(min, max),
            Self::Word(words) => words.contains(&value),
            Self::NumberOr(min, max, words) => in_range(min, max) || words.contains(&value),
            Self::Flag => matches!(value, "yes" | "no"),
            Self::TimeOr(words) => words.contains(&value) || time(value).is_some(),
            Self::Mebibytes(min, max) => mebibytes(value).is_some_and(|n| (min..=max).contains(&n)),
            Self::Text(_) => !value.is_empty(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(min, max) if *max == u64::MAX => write!(f, "a number from {min} up"),
            Self::Number(min, max) => write!(f, "a number from {min} to {max}"),
            Self::Word(words) => write!(f, "{}", words.join(" | ")),
            Self::NumberOr(min, max, words) => {
                write!(f, "a number from {min} to {max}, or {}", words.join(" | "))
            }
            Self::Flag => f.write_str("yes | no"),
            Self::TimeOr(words) => write!(f, "a time such as 500ms or 2s, or {}", words.join(" | ")),
            Self::Mebibytes(min, max) => write!(f, "a size from {min}MiB to {max}MiB"),
            Self::Text(description) => f.write_str(description),
        }
    }
}

/// A time as a key takes it, from 1 ms to an hour.
fn time(text: &str) -> Option<Duration> {
    const LONGEST: Duration = Duration::from_hours(1);
    parse_duration(text).ok().filter(|time| *time <= LONGEST)
}

/// A size as a key takes it.
fn mebibytes(text: &str) -> Option<u64> {
    let number = text.strip_suffix("MiB").or_else(|| text.strip_suffix("MB")).unwrap_or(text);
    let plain = !number.is_empty() && number.len() <= 8 && number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|_| plain)
}

/// A game's name and options as written, not yet checked against the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSpec {
    /// The word before the colon.
    pub game: String,
    /// Keys and values, as written.
    pub options: Vec<(String, String)>,
}

impl GameSpec {
    /// The longest text read, in bytes; a Fish board of 128 tiles needs a few hundred.
    const MAX_LEN: usize = 2048;

    /// Reads `name` or `name:key=value,key=value`.
    ///
    /// ```
    /// use rookery_rules::GameSpec;
    /// let spec = GameSpec::parse("fish:rows=5,seed=7")?;
    /// assert_eq!(spec.game, "fish");
    /// assert_eq!(spec.options[1], ("seed".to_owned(), "7".to_owned()));
    /// # Ok::<(), rookery_rules::SetupError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, SetupError> {
        let malformed = |problem| SetupError::Malformed { text: shorten(text), problem };
        if text.len() > Self::MAX_LEN {
            return Err(malformed("it is longer than 2048 characters"));
        }
        let (game, options) = text.split_once(':').unwrap_or((text, ""));
        if game.is_empty() {
            return Err(malformed("it begins without a game's name"));
        }
        let options = options
            .split(',')
            .filter(|part| !part.is_empty())
            .map(|part| part.split_once('=').ok_or_else(|| malformed("an option has no `=`")))
            .map(|part| part.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())))
            .collect::<Result<_, _>>()?;
        Ok(Self { game: game.trim().to_owned(), options })
    }

    /// Checks the options against a table of keys. `name` is what errors call the thing that has these keys.
    pub fn check<'a>(&'a self, name: &'static str, keys: &'static [Key]) -> Result<Options<'a>, SetupError> {
        for (idx, (given, value)) in self.options.iter().enumerate() {
            let Some(key) = keys.iter().find(|key| key.name == given) else {
                let known: Vec<_> = keys.iter().map(|key| key.name).collect();
                return Err(SetupError::UnknownKey {
                    game: name,
                    key: shorten(given),
                    nearest: nearest(given, &known),
                    known,
                });
            };
            if self.options[..idx].iter().any(|(earlier, _)| earlier == given) {
                return Err(SetupError::Repeated { game: name, key: key.name });
            }
            if !key.kind.admits(value) {
                return Err(SetupError::bad_value(name, key.name, value, key.kind.to_string()));
            }
        }
        Ok(Options { spec: self, game: name, keys })
    }
}

/// The options of a game spec, each known and of its kind; a key that was not given has its default.
#[derive(Debug)]
pub struct Options<'a> {
    spec: &'a GameSpec,
    game: &'static str,
    keys: &'static [Key],
}

impl Options<'_> {
    /// The value of a key.
    ///
    /// # Panics
    /// If the game has no such key.
    pub fn text(&self, name: &str) -> &str {
        let key =
            self.keys.iter().find(|key| key.name == name).expect("a game asks only for keys in its table");
        self.given(name).unwrap_or(key.default)
    }

    /// The value of a key, if it was given.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.spec.options.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of a key of kind [`Kind::Number`].
    pub fn number<N: TryFrom<u64>>(&self, name: &str) -> N {
        self.number_or_word(name).expect("the key's kind admits numbers only")
    }

    /// The value of a key of kind [`Kind::NumberOr`], or `None` if it is a word.
    pub fn number_or_word<N: TryFrom<u64>>(&self, name: &str) -> Option<N> {
        let number = self.text(name).parse::<u64>().ok()?;
        Some(N::try_from(number).ok().expect("the key's range fits the type"))
    }

    /// The value of a key of kind [`Kind::Flag`].
    pub fn flag(&self, name: &str) -> bool {
        self.text(name) == "yes"
    }

    /// The value of a key of kind [`Kind::TimeOr`], or `None` if it is a word.
    pub fn time(&self, name: &str) -> Option<Duration> {
        time(self.text(name))
    }

    /// The value of a key of kind [`Kind::Mebibytes`], in bytes.
    pub fn bytes(&self, name: &str) -> usize {
        (mebibytes(self.text(name)).expect("the key's kind admits sizes only") as usize) << 20
    }

    /// The value of this key does not do, for a reason that its kind cannot express.
    pub fn refuse(&self, name: &'static str, allowed: impl Into<String>) -> SetupError {
        SetupError::bad_value(self.game, name, self.text(name), allowed.into())
    }
}

/// A game spec that names no game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetupError {
    /// The text is not of the form `name:key=value,...`.
    Malformed { text: String, problem: &'static str },
    /// There is no game of this name.
    UnknownGame { game: String, nearest: Option<&'static str>, known: Vec<&'static str> },
    /// The game has no such key.
    UnknownKey { game: &'static str, key: String, nearest: Option<&'static str>, known: Vec<&'static str> },
    /// A key is given twice.
    Repeated { game: &'static str, key: &'static str },
    /// A value is not among the allowed ones.
    BadValue { game: &'static str, key: &'static str, value: String, allowed: String },
}

impl SetupError {
    fn bad_value(game: &'static str, key: &'static str, value: &str, allowed: String) -> Self {
        Self::BadValue { game, key, value: shorten(value), allowed }
    }

    /// There is no game called `game`; these there are.
    pub fn unknown_game(game: &str, known: Vec<&'static str>) -> Self {
        Self::UnknownGame { game: shorten(game), nearest: nearest(game, &known), known }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What follows a question is a new sentence.
        let hint = |nearest: Option<&str>, rest: &str| match nearest {
            Some(word) => format!("did you mean `{word}`? {}{}", rest[..1].to_uppercase(), &rest[1..]),
            None => rest.to_owned(),
        };
        match self {
            Self::Malformed { text, problem } => {
                write!(f, "{text:?} is no game spec: {problem}; expected NAME or NAME:KEY=VALUE,KEY=VALUE")
            }
            Self::UnknownGame { game, nearest, known } => {
                let games = hint(*nearest, "the games are");
                write!(f, "there is no game `{game}`; {games} {}", known.join(", "))
            }
            Self::UnknownKey { game, key, nearest, known } => {
                write!(f, "{game} has no key `{key}`; ")?;
                if known.is_empty() {
                    f.write_str("it takes none")
                } else {
                    write!(f, "{} {}", hint(*nearest, "its keys are"), known.join(", "))
                }
            }
            Self::Repeated { game, key } => write!(f, "{game}: the key `{key}` is given twice; give it once"),
            Self::BadValue { game, key, value, allowed } => {
                write!(f, "{game}: `{key}={value}` is not possible; `{key}` takes {allowed}")
            }
        }
    }
}

impl std::error::Error for SetupError {}

/// The word nearest to a mistyped one, if one is near.
pub fn nearest<'a>(mistyped: &str, words: &[&'a str]) -> Option<&'a str> {
    let distance = |word: &str| strsim::damerau_levenshtein(&shorten(mistyped), word);
    let limit = 1 + mistyped.len() / 3;
    words.iter().copied().min_by_key(|word| distance(word)).filter(|word| {
        distance(word) <= limit
            || (mistyped.len() >= 2 && (word.starts_with(mistyped) || mistyped.starts_with(*word)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_admit_what_they_say() {
        for (kind, good, bad) in [
            (Kind::Number(2, 8), "2 8 5", "1 9 -1 +3 02 x 3.0 99999999999999999999"),
            (Kind::Number(0, 3), "0 3", "00 4"),
            (Kind::Word(&["rows", "ring"]), "rows ring", "row RING 1"),
            (Kind::NumberOr(0, 3, &["choose"]), "0 3 choose", "4 pick"),
            (Kind::Flag, "yes no", "true 1"),
            (Kind::TimeOr(&["none"]), "none 1ms 2s 1.5s 60m 1h 2", "0ms 61m s -1s 1.5x 99999999999s"),
            (Kind::Mebibytes(1, 64), "1 64MiB 2MB", "0 65 MiB 1GiB -1 +1"),
        ] {
            assert!(good.split(' ').all(|value| kind.admits(value)), "{kind} admits each of {good}");
            assert!(!bad.split(' ').any(|value| kind.admits(value)), "{kind} admits none of {bad}");
            assert!(!kind.admits(""), "{kind} does not admit nothing");
        }
    }

    #[test]
    fn specs_are_bounded_and_well_formed() {
        for bad in ["", ":rows=3", "fish:rows", &"x".repeat(3000)] {
            assert!(matches!(GameSpec::parse(bad), Err(SetupError::Malformed { .. })), "{bad:.20}");
        }
        assert_eq!(GameSpec::parse("fish:").unwrap(), GameSpec { game: "fish".into(), options: vec![] });
    }

    #[test]
    fn nearest_word() {
        let words = ["rows", "cols", "players"];
        assert_eq!(nearest("row", &words), Some("rows"));
        assert_eq!(nearest("clos", &words), Some("cols"));
        assert_eq!(nearest("play", &words), Some("players"));
        assert_eq!(nearest("temperature", &words), None);
    }
}
