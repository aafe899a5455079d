//! Where a person's own matches are kept.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The folder for records of play: below `XDG_DATA_HOME`, or the usual place for it, or here.
pub(crate) fn games_folder() -> PathBuf {
    let absolute = |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute(env::var_os("XDG_DATA_HOME"))
        .or_else(|| absolute(env::var_os("HOME")).map(|home| home.join(".local/share")));
    data.map_or_else(|| PathBuf::from("."), |data| data.join("rookery").join("games"))
}
