//! `bot.toml`: what a bot's author says of it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rookery_catalog::CATALOG;
use rookery_referee::{MAX_NAME, SeatSpec, is_name};
use rookery_rules::text::clean;
use rookery_sandbox::split;
use rookery_tournament::SpecError;
use serde::Deserialize;

use super::found::{Wrong, one_of, shown, shown_within};

/// The name of the file.
pub(super) const FILE: &str = "bot.toml";
/// The most bytes of it.
const MAX_BYTES: u64 = 64 << 10;
/// The most characters of a version or of the name of a protocol.
const MAX_WORD: usize = 32;

/// The most characters of what a reader of TOML has to say.
const MAX_FOUND: usize = 300;

/// The keys of `bot.toml`. All may be missing.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) name: Option<String>,
    pub(super) run: Option<String>,
    pub(super) build: Option<String>,
    pub(super) games: Option<Vec<String>>,
    pub(super) protocol: Option<String>,
    pub(super) version: Option<String>,
}

impl Manifest {
    /// Reads the file of a bot's folder, if it has one.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, Wrong> {
        let path = folder.join(FILE);
        let text = match read_text(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err((
                    format!("{FILE} cannot be read: {error}"),
                    format!(
                        "a file of at most {} KiB of UTF-8 that everybody may read, and no link",
                        MAX_BYTES >> 10
                    ),
                ));
            }
        };
        let manifest: Self = toml::from_str(&text).map_err(|error| {
            let begin = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text[..text.floor_char_boundary(begin)].split('\n').count();
            let found = shown_within(&SpecError::reading(error.message()).to_string(), MAX_FOUND);
            (
                format!("{FILE}, line {line}: {found}"),
                "lines such as run = \"python3 bot.py\" (docs/bots-folder.md)".to_owned(),
            )
        })?;
        manifest.check()?;
        Ok(Some(manifest))
    }

    fn check(&self) -> Result<(), Wrong> {
        self.name.as_deref().map_or(Ok(()), check_name)?;
        for (key, command) in [("run", &self.run), ("build", &self.build)] {
            command.as_deref().map_or(Ok(()), |command| check_command(key, command))?;
        }
        if self.build.is_some() && self.run.is_none() {
            return Err((
                format!("{FILE} has `build` and no `run`"),
                "also the command that starts what is built, such as run = \"./bot\"".to_owned(),
            ));
        }
        let known: Vec<&str> = CATALOG.iter().map(|game| game.name()).collect();
        let games = self.games.as_deref();
        if games.is_some_and(<[String]>::is_empty) {
            return Err((
                "`games` is empty".to_owned(),
                "names of games, or no `games` at all if it plays any".to_owned(),
            ));
        }
        if let Some(game) = games.unwrap_or_default().iter().find(|game| !known.contains(&game.as_str())) {
            return Err((format!("`games`: there is no game {:?}", shown(game)), one_of(game, &known)));
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        for (key, word) in [("version", &self.version), ("protocol", &self.protocol)] {
            if let Some(word) = word
                .as_ref()
                .filter(|word| !(1..=MAX_WORD).contains(&word.len()) || !word.chars().all(is_part))
            {
                let expected = format!("1 to {MAX_WORD} letters, digits, `.`, `_` and `-`");
                return Err((format!("`{key}` = {:?}", shown(word)), expected));
            }
        }
        Ok(())
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    let refused = |why: &str| io::Error::other(why.to_owned());
    let found = path.symlink_metadata()?;
    if !found.is_file() {
        return Err(refused("it is no file"));
    }
    let mut text = String::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES { Err(refused("it is too long")) } else { Ok(text) }
}

/// A name that tables, records and pages can show, and every system can keep.
pub(super) fn check_name(name: &str) -> Result<(), Wrong> {
    if is_name(name) && name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err((
        format!("{:?} is no name", shown(name)),
        format!(
            "1 to {MAX_NAME} letters from a to z, digits, `_` and `-`, the first a letter or a digit: rename its folder, or \
             write a `name` into {FILE}"
        ),
    ))
}

fn check_command(key: &str, command: &str) -> Result<(), Wrong> {
    let wrong =
        |problem: &str, expected: &str| Err((format!("`{key}`: {}", shown(problem)), expected.to_owned()));
    if clean(command) != command {
        return wrong("it has characters that cannot be shown", "a command in one line");
    }
    if let Err(error) = format!("cmd:{command}").parse::<SeatSpec>() {
        return wrong(&error.to_string(), "a command such as python3 bot.py");
    }
    if let Err(error) = split(command) {
        // The end of the sentence says what to do.
        return Err((format!("`{key}`: {error}"), "a command such as python3 bot.py".to_owned()));
    }
    Ok(())
}
