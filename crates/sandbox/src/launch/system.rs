//! What every program may read: the system's programs and libraries, and the few settings that interpreters need.

use std::fs;
use std::path::{Path, PathBuf};

/// Programs and libraries.
pub(super) const FOLDERS: [&str; 8] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// Settings: which library and which alternative is meant, where we are. Nothing that names users, machines or secrets.
const SETTINGS: [&str; 9] = [
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/locale.alias",
    "/etc/mono",
    // Node reads it at start.
    "/etc/ssl/openssl.cnf",
];

/// What can be written to without harm.
pub(super) const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The settings that are there, with those of Java, whose folder has its version in its name.
pub(super) fn settings() -> Vec<PathBuf> {
    let java = fs::read_dir("/etc").into_iter().flatten().flatten().filter_map(|entry| {
        entry.file_name().to_str().is_some_and(|name| name.starts_with("java")).then(|| entry.path())
    });
    SETTINGS.iter().map(PathBuf::from).chain(java).filter(|path| Path::exists(path)).collect()
}
