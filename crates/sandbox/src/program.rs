//! A program of somebody else: its words, its folder, its environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::policy::{Policy, SandboxError};
use crate::split::{SplitError, split};

/// A program with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments. A name without `/` is looked for in PATH, a relative path in `cwd`.
    pub argv: Vec<String>,
    /// The folder it runs in; ours if there is none. One that is named here is readable in a sandbox.
    pub cwd: Option<PathBuf>,
    /// Variables that it gets beside the usual ones.
    pub env: Vec<(String, String)>,
    /// A folder that it may change, as a build does: at every level, with everything in it. It is ours again when the
    /// program has ended. How much is written there in total nobody limits but whoever looks.
    pub write: Option<PathBuf>,
}

impl Program {
    /// From a command line ([`split`]).
    pub fn parse(command: &str) -> Result<Self, SplitError> {
        Ok(Self { argv: split(command)?, ..Self::default() })
    }

    /// What cannot be started at all.
    pub(crate) fn check(&self) -> Result<(), SandboxError> {
        let refuse = |why: String| Err(SandboxError::Program(why));
        if self.argv.first().is_none_or(String::is_empty) {
            return refuse("it is empty; expected a program and its arguments".to_owned());
        }
        if let Some(word) = self.argv.iter().find(|word| word.contains('\0')) {
            return refuse(format!("{word:?} holds a NUL character, which no argument can"));
        }
        let is_bad = |(name, value): &&(String, String)| {
            name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
        };
        if let Some((name, _)) = self.env.iter().find(is_bad) {
            return refuse(format!("{name:?} is no name of a variable, or its value holds a NUL character"));
        }
        match [&self.cwd, &self.write].into_iter().flatten().find(|folder| !folder.is_dir()) {
            Some(folder) => refuse(format!("there is no folder {}", folder.display())),
            None => Ok(()),
        }
    }

    /// The folder it runs in, from the root.
    pub(crate) fn folder(&self) -> std::io::Result<PathBuf> {
        let here = env::current_dir()?;
        Ok(self.cwd.as_deref().map_or_else(|| here.clone(), |cwd| here.join(cwd)))
    }

    /// Its whole environment. `own` is the folder it may write to, if it is shut in.
    pub(crate) fn environment(&self, policy: &Policy, own: Option<&Path>) -> Vec<(OsString, OsString)> {
        let mut variables: Vec<(OsString, OsString)> = Vec::new();
        let mut set = |name: &OsStr, value: OsString| {
            variables.retain(|(known, _)| known != name);
            variables.push((name.to_owned(), value));
        };
        let path = env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        set("PATH".as_ref(), path);
        for name in ["HOME", "LANG", "TMPDIR"] {
            if let Some(value) = env::var_os(name) {
                set(name.as_ref(), value);
            }
        }
        if let Some(own) = own {
            set("HOME".as_ref(), own.into());
            set("TMPDIR".as_ref(), own.into());
        }
        for name in &policy.keep_env {
            // A name with `=` could not be asked for, and is nobody's.
            if let Some(value) = (!name.contains(['=', '\0'])).then(|| env::var_os(name)).flatten() {
                set(name.as_ref(), value);
            }
        }
        for (name, value) in &self.env {
            set(name.as_ref(), value.into());
        }
        variables
    }

    /// What it may read beside the system's own: its folder, and what its command line names.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has a sandbox"))]
    pub(crate) fn readable(&self, policy: &Policy, folder: &Path) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = Vec::new();
        if self.cwd.is_some() && (!is_too_much(folder) || is_of_a_service(folder)) {
            found.push(folder.to_owned());
        }
        if policy.read_named {
            let mut is_first = true;
            for (index, word) in self.argv.iter().enumerate() {
                // A name without a path is looked for in PATH, which has what the system has.
                let path = folder.join(word);
                if word.is_empty() || (index == 0 && !word.contains('/')) || !path.exists() {
                    continue;
                }
                let with_folder = (index == 0 || std::mem::replace(&mut is_first, false)) && path.is_file();
                for path in [Some(path.clone()), path.canonicalize().ok()].into_iter().flatten() {
                    found.push(match path.parent() {
                        Some(parent) if with_folder && !is_too_much(parent) => parent.to_owned(),
                        _ => path,
                    });
                }
            }
            found.retain(|path| !path.is_dir() || !is_too_much(path));
        }
        found.extend(policy.read.iter().cloned());
        let mut known = Vec::with_capacity(found.len());
        for path in found {
            if !known.contains(&path) {
                known.push(path);
            }
        }
        known
    }
}

/// Folders that are never shown as a whole because something in them is a bot's: the root, what leads to our home, the
/// shared folder for temporary files, and what is not files at all.
fn is_too_much(folder: &Path) -> bool {
    let leads_to_home = env::var_os("HOME").is_some_and(|home| Path::new(&home).starts_with(folder));
    let is_special =
        ["/proc", "/dev", "/sys", "/etc", "/run", "/var"].iter().any(|special| folder.starts_with(special));
    leads_to_home || is_special || ["/", "/tmp", "/var/tmp"].iter().any(|path| folder == Path::new(path))
}

/// Where the services of a machine have their files: a folder of one of them is its own, as `/var/lib` is not.
fn is_of_a_service(folder: &Path) -> bool {
    ["/var/lib", "/var/cache", "/var/opt"]
        .iter()
        .any(|above| folder.starts_with(above) && folder != Path::new(above))
}
