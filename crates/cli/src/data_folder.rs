//! Where a person's own matches and the store are kept.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::SystemTime;

use rookery_terminal::results::newest;

/// The folder for records of play.
pub(crate) fn games_folder() -> PathBuf {
    data_folder().map_or_else(|| PathBuf::from("."), |data| data.join("games"))
}

/// The folder in which tables of the solver are looked up.
pub(crate) fn tables_folder() -> PathBuf {
    data_folder().unwrap_or_default().join("tables")
}

/// The store that is meant where none is named.
pub(crate) fn store_file() -> PathBuf {
    data_folder().unwrap_or_default().join("rookery.db")
}

/// Our folder below `XDG_DATA_HOME`, or below the usual place for it.
fn data_folder() -> Option<PathBuf> {
    let absolute = |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute(env::var_os("XDG_DATA_HOME"))
        .or_else(|| absolute(env::var_os("HOME")).map(|home| home.join(".local/share")));
    data.map(|data| data.join("rookery"))
}

/// The folder for what can be made again: below `XDG_CACHE_HOME`, or the usual place for it, or here.
pub(crate) fn cache_folder() -> PathBuf {
    let absolute = |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute(env::var_os("XDG_CACHE_HOME"))
        .or_else(|| absolute(env::var_os("HOME")).map(|home| home.join(".cache")));
    cache.map_or_else(|| PathBuf::from("."), |cache| cache.join("rookery"))
}

/// The largest record that is read for a list.
const MAX_BYTES: u64 = 4 << 20;

/// The records of the person's own folder, the newest first, with the time of their last change.
pub(crate) fn newest_games() -> Vec<(SystemTime, PathBuf)> {
    newest(&games_folder(), MAX_BYTES)
}
