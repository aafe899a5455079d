//! A command line becomes words, as a POSIX shell would split it, and no shell ever sees it.
//!
//! Quotes and backslashes mean what they mean in a shell. What a shell would *do* something about (pipes, variables,
//! patterns, a home folder) is refused outside quotes instead of being passed on as characters: whoever writes
//! `./bot | tee log` expects a pipe, and a bot that gets the words `|`, `tee` and `log` would fail in a way that nobody
//! understands.

use std::fmt;

/// The longest command line that is read, in bytes.
pub(crate) const MAX_LENGTH: usize = 32 * 1024;
/// The most words that a command line may have.
pub(crate) const MAX_WORDS: usize = 1024;

/// Why a command line was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitError {
    /// There is no word in it.
    Empty,
    /// It has more than 32 KiB.
    TooLong { bytes: usize },
    /// It has more than 1,024 words.
    TooManyWords,
    /// A quote is opened and never closed.
    OpenQuote { quote: char, at: usize },
    /// It ends with a backslash.
    OpenBackslash,
    /// A character that means something to a shell, and nothing here.
    Shell { character: char, at: usize },
    /// It begins with `NAME=`, which sets a variable in a shell.
    Assignment { word: String },
    /// A NUL character, which no argument can hold.
    Nul { at: usize },
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                write!(f, "the command is empty; expected a program and its arguments, as in ./my-bot --flag")
            }
            Self::TooLong { bytes } => {
                write!(
                    f,
                    "the command has {bytes} bytes, and at most {MAX_LENGTH} are read; put it into a script"
                )
            }
            Self::TooManyWords => {
                write!(
                    f,
                    "the command has more than {MAX_WORDS} words; put it into a script and name the script"
                )
            }
            Self::OpenQuote { quote, at } => {
                write!(f, "the quote {quote} at character {at} is never closed; close it, or write \\{quote}")
            }
            Self::OpenBackslash => {
                write!(f, "the command ends with a backslash; write \\\\ for the character itself")
            }
            Self::Shell { character, at } => write!(
                f,
                "{character:?} at character {at} means something to a shell, and no shell runs this command; put single \
                 quotes around it for the character itself, or write a script and name the script"
            ),
            Self::Assignment { word } => write!(
                f,
                "{word:?} would set a variable in a shell, and no shell runs this command; keep or set variables by the \
                 options for it, or write a script and name the script"
            ),
            Self::Nul { at } => {
                write!(f, "character {at} is NUL, which no argument can hold; take it out")
            }
        }
    }
}

impl std::error::Error for SplitError {}

/// What a shell acts on wherever it stands outside quotes.
const SPECIAL: &str = "|&;<>()$`*?[\n\r";
/// What a shell acts on at the beginning of a word.
const SPECIAL_FIRST: &str = "~#";

/// The words of a command line: quotes and backslashes as in a POSIX shell, everything else a shell does refused.
///
/// ```
/// use rookery_sandbox::split;
/// assert_eq!(split(r#"python3 'my bot.py' --name "A \"B\"""#).unwrap(), ["python3", "my bot.py", "--name", "A \"B\""]);
/// assert!(split("./bot | tee log").unwrap_err().to_string().contains("script"));
/// ```
pub fn split(text: &str) -> Result<Vec<String>, SplitError> {
    if text.len() > MAX_LENGTH {
        return Err(SplitError::TooLong { bytes: text.len() });
    }
    let mut words = Vec::new();
    // `None` between words, so that `''` is a word and a space is none.
    let mut word: Option<String> = None;
    let mut characters = (1..).zip(text.chars());
    while let Some((at, character)) = characters.next() {
        match character {
            '\0' => return Err(SplitError::Nul { at }),
            ' ' | '\t' => {
                if let Some(word) = word.take() {
                    push(&mut words, word)?;
                }
            }
            '\'' => single(at, &mut characters, word.get_or_insert_default())?,
            '"' => double(at, &mut characters, word.get_or_insert_default())?,
            '\\' => match characters.next() {
                None => return Err(SplitError::OpenBackslash),
                Some((at, '\0')) => return Err(SplitError::Nul { at }),
                // A shell joins the two lines.
                Some((_, '\n')) => {}
                Some((_, escaped)) => word.get_or_insert_default().push(escaped),
            },
            _ if SPECIAL.contains(character) || (word.is_none() && SPECIAL_FIRST.contains(character)) => {
                return Err(SplitError::Shell { character, at });
            }
            '=' if words.is_empty() && word.as_deref().is_some_and(is_name) => {
                return Err(SplitError::Assignment { word: format!("{}=", word.unwrap_or_default()) });
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    if let Some(word) = word {
        push(&mut words, word)?;
    }
    // An empty name of a program is a mistake in any shell, too.
    if words.first().is_none_or(String::is_empty) { Err(SplitError::Empty) } else { Ok(words) }
}

fn push(words: &mut Vec<String>, word: String) -> Result<(), SplitError> {
    if words.len() == MAX_WORDS {
        return Err(SplitError::TooManyWords);
    }
    words.push(word);
    Ok(())
}

/// The rest of a word in single quotes, where nothing has a meaning.
fn single(
    open: usize,
    characters: &mut impl Iterator<Item = (usize, char)>,
    word: &mut String,
) -> Result<(), SplitError> {
    for (at, character) in characters {
        match character {
            '\0' => return Err(SplitError::Nul { at }),
            '\'' => return Ok(()),
            _ => word.push(character),
        }
    }
    Err(SplitError::OpenQuote { quote: '\'', at: open })
}

/// The rest of a word in double quotes, where a shell would still look for variables and commands.
fn double(
    open: usize,
    characters: &mut impl Iterator<Item = (usize, char)>,
    word: &mut String,
) -> Result<(), SplitError> {
    while let Some((at, character)) = characters.next() {
        match character {
            '\0' => return Err(SplitError::Nul { at }),
            '"' => return Ok(()),
            '$' | '`' => return Err(SplitError::Shell { character, at }),
            '\\' => match characters.next() {
                None => break,
                Some((at, '\0')) => return Err(SplitError::Nul { at }),
                Some((_, '\n')) => {}
                Some((_, escaped @ ('"' | '\\' | '$' | '`'))) => word.push(escaped),
                // Before anything else a backslash in double quotes is itself.
                Some((_, other)) => word.extend(['\\', other]),
            },
            _ => word.push(character),
        }
    }
    Err(SplitError::OpenQuote { quote: '"', at: open })
}

/// Whether this could be the name of a variable.
fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        let cases: &[(&str, &[&str])] = &[
            ("./bot", &["./bot"]),
            ("  a \t b  ", &["a", "b"]),
            ("a ''", &["a", ""]),
            (r"a\ b c", &["a b", "c"]),
            (r#""a b"'c d'e\f"#, &["a bc def"]),
            (r#"x "\a\"\\\$" "#, &["x", r#"\a"\$"#]),
            ("x 'a\"b' \"c'd\"", &["x", "a\"b", "c'd"]),
            ("x 'a\nb' --n=1 a#b a~b {1,2}", &["x", "a\nb", "--n=1", "a#b", "a~b", "{1,2}"]),
            ("x '$HOME' '|' \\; \\*", &["x", "$HOME", "|", ";", "*"]),
            ("a\\\nb", &["ab"]),
        ];
        for (text, words) in cases {
            assert_eq!(
                split(text).as_deref(),
                Ok(*words).map(|w| w.iter().map(ToString::to_string).collect::<Vec<_>>()).as_deref(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn fault_c20_what_a_shell_would_act_on_is_refused_and_says_so() {
        for text in [
            "a | b", "a;b", "a && b", "a > f", "a < f", "a `b`", "a $(b)", "a $X", "a \"$X\"", "a *.py",
            "~/bot", "# a", "a\nb", "a (b)", "a ? b",
        ] {
            let error = split(text).unwrap_err();
            assert!(matches!(error, SplitError::Shell { .. }), "{text:?}: {error:?}");
            assert!(error.to_string().contains("write a script"), "{error}");
        }
        assert!(matches!(split("X=1 ./bot"), Err(SplitError::Assignment { .. })));
        assert!(split("./x=1 y=2").is_ok());
    }

    #[test]
    fn what_is_incomplete_or_too_much_is_refused() {
        assert_eq!(split(" \t"), Err(SplitError::Empty));
        assert_eq!(split("'' a"), Err(SplitError::Empty));
        assert_eq!(split("a 'b"), Err(SplitError::OpenQuote { quote: '\'', at: 3 }));
        assert_eq!(split("a \"b\\"), Err(SplitError::OpenQuote { quote: '"', at: 3 }));
        assert_eq!(split("a\\"), Err(SplitError::OpenBackslash));
        assert_eq!(split("a '\0'"), Err(SplitError::Nul { at: 4 }));
        assert_eq!(split(&"a".repeat(MAX_LENGTH + 1)), Err(SplitError::TooLong { bytes: MAX_LENGTH + 1 }));
        assert_eq!(split(&"a ".repeat(MAX_WORDS + 1)), Err(SplitError::TooManyWords));
        assert_eq!(split(&"a ".repeat(MAX_WORDS)).map(|w| w.len()), Ok(MAX_WORDS));
    }

    /// What is quoted comes back as it was, whatever it holds: random texts of awkward characters.
    #[test]
    fn fault_c20_any_word_in_single_quotes_comes_back() {
        let alphabet =
            [' ', '\t', '\n', '\'', '"', '\\', '$', '`', '|', ';', '*', '~', '#', '=', 'a', 'é', '\u{1F600}'];
        let mut state = 1_u64;
        for _ in 0..2000 {
            let words: Vec<String> = (0..4)
                .map(|_| {
                    (0..6)
                        .map(|_| {
                            state = state
                                .wrapping_mul(6_364_136_223_846_793_005)
                                .wrapping_add(1_442_695_040_888_963_407);
                            alphabet[(state >> 33) as usize % alphabet.len()]
                        })
                        .collect()
                })
                .collect();
            let text: Vec<String> = words.iter().map(|w| format!("'{}'", w.replace('\'', r"'\''"))).collect();
            assert_eq!(split(&text.join(" ")), Ok(words));
        }
    }
}
