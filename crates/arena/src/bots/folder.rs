//! Finds the bots of a folder.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::command::{check_program, find_command};
use super::contents::Contents;
use super::found::{BotProblem, FoundBot, Wrong, shown};
use super::manifest::{FILE, Manifest, check_name};

/// The most bots of a folder.
pub const MAX_BOTS: usize = 4096;
/// The most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 2 * MAX_BOTS;

/// What a folder of bots has: a bot in each subfolder.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BotFolder {
    /// The bots, by the names of their folders. No two have the same name, whatever the case of its letters.
    pub bots: Vec<FoundBot>,
    /// Those that cannot play as they are.
    pub refused: Vec<BotProblem>,
    /// What is not looked at: hidden folders, and links that lead elsewhere.
    pub skipped: Vec<BotProblem>,
}

impl BotFolder {
    /// Looks at each subfolder of a folder, in the order of their names. Files beside them are no bots and not mentioned.
    pub fn read(dir: &Path) -> Result<Self, FolderError> {
        let fail = |error: io::Error| FolderError::Unreadable(dir.to_owned(), error);
        let root = dir.canonicalize().map_err(fail)?;
        let mut names: Vec<OsString> = vec![];
        for entry in fs::read_dir(&root).map_err(fail)? {
            names.push(entry.map_err(fail)?.file_name());
            if names.len() > MAX_ENTRIES {
                return Err(FolderError::TooMany(dir.to_owned()));
            }
        }
        names.sort_unstable();
        let mut found = Self::default();
        let mut bots: Vec<(String, FoundBot)> = vec![];
        for name in names {
            let text = name.to_string_lossy().into_owned();
            match subfolder(&root, &name) {
                Ok(None) => {}
                Ok(Some(_)) if bots.len() + found.refused.len() == MAX_BOTS => {
                    return Err(FolderError::TooMany(dir.to_owned()));
                }
                Ok(Some(home)) => match look(&home, &text) {
                    Ok(bot) => bots.push((text, bot)),
                    Err((problem, expected)) => {
                        found.refused.push(BotProblem::new(&shown(&text), problem, expected));
                    }
                },
                Err((problem, expected)) => {
                    found.skipped.push(BotProblem::new(&shown(&text), problem, expected));
                }
            }
        }
        found.take_unique(bots);
        Ok(found)
    }

    /// Keeps one bot of each name: the one whose folder is called so, else the first. So nobody loses its name to somebody
    /// else's `bot.toml`.
    fn take_unique(&mut self, bots: Vec<(String, FoundBot)>) {
        let mut owners: HashMap<String, usize> = HashMap::new();
        for (idx, (folder, bot)) in bots.iter().enumerate() {
            let name = bot.name.to_lowercase();
            let owner = owners.entry(name.clone()).or_insert(idx);
            if folder.to_lowercase() == name && bots[*owner].0.to_lowercase() != name {
                *owner = idx;
            }
        }
        let folders: Vec<String> = bots.iter().map(|(folder, _)| shown(folder)).collect();
        for (idx, (folder, bot)) in bots.into_iter().enumerate() {
            let owner = owners[&bot.name.to_lowercase()];
            if owner == idx {
                self.bots.push(bot);
            } else {
                let problem = format!("its name {:?} is taken by the bot in {}", bot.name, folders[owner]);
                let expected = format!("another `name` in its {FILE}; upper and lower case are the same");
                self.refused.push(BotProblem::new(&shown(&folder), problem, expected));
            }
        }
    }
}

/// Where a subfolder is; `None` if it is no folder.
fn subfolder(root: &Path, name: &OsString) -> Result<Option<PathBuf>, Wrong> {
    let path = root.join(name);
    // What cannot even be looked at is no folder of a bot.
    let Ok(real) = path.canonicalize() else { return Ok(None) };
    if !real.is_dir() {
        return Ok(None);
    }
    if name.as_bytes().starts_with(b".") {
        return Err(("its folder is hidden".to_owned(), "a name without a dot in front".to_owned()));
    }
    if !real.starts_with(root) || real == root {
        return Err((
            "its folder is a link that leads elsewhere".to_owned(),
            "a folder in this folder".to_owned(),
        ));
    }
    Ok(Some(real))
}

/// The bot of one folder.
pub(super) fn look(home: &Path, folder: &str) -> Result<FoundBot, Wrong> {
    let manifest = Manifest::read(home)?.unwrap_or_default();
    let name = manifest.name.unwrap_or_else(|| folder.to_owned());
    check_name(&name)?;
    let contents = Contents::list(home)?;
    let run = match manifest.run {
        Some(run) => run,
        None => find_command(home, &contents)?,
    };
    if manifest.build.is_none() {
        check_program(home, &run)?;
    }
    let hash = contents.hash(home)?;
    let Manifest { build, games, protocol, version, .. } = manifest;
    Ok(FoundBot { name, home: home.to_owned(), run, build, games, protocol, version, hash })
}

/// Why a folder has no bots at all.
#[derive(Debug)]
pub enum FolderError {
    /// It cannot be read.
    Unreadable(PathBuf, io::Error),
    /// It has too many.
    TooMany(PathBuf),
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(dir, error) => {
                write!(f, "{}: {error}; expected a folder with one bot in each subfolder", dir.display())
            }
            Self::TooMany(dir) => {
                write!(
                    f,
                    "{}: too many bots; expected at most {MAX_BOTS}, and not as many files beside them",
                    dir.display()
                )
            }
        }
    }
}

impl std::error::Error for FolderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(_, error) => Some(error),
            Self::TooMany(_) => None,
        }
    }
}
