//! The one folder that a program may write to where there is no private file system for it.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown, lchown};
use std::path::{Path, PathBuf};

use super::instance;

pub(crate) fn create(folder: &Path, user: Option<u32>) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(folder)?;
    user.map_or(Ok(()), |id| chown(folder, Some(id), Some(id)))
}

/// Gives a folder to a user with everything in it; links are given, and never followed.
pub(crate) fn give(folder: &Path, user: u32) -> io::Result<()> {
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        lchown(&path, Some(user), Some(user))?;
        if is_folder(&path) {
            todo.extend(children(&path));
        }
    }
    Ok(())
}

/// Removes the folder with everything in it. However deep a program has nested its folders, we go down two levels: what
/// is deeper is first moved up. Nobody else writes here any more.
pub(crate) fn remove(folder: &Path) {
    let mut moved = 0_u64;
    loop {
        let inside = children(folder);
        if inside.is_empty() {
            break;
        }
        let mut progress = false;
        for child in inside {
            if fs::remove_file(&child).is_ok() || fs::remove_dir(&child).is_ok() {
                progress = true;
                continue;
            }
            if !is_folder(&child) {
                continue;
            }
            // A folder without the right to look into it is still ours.
            let _ = fs::set_permissions(&child, Permissions::from_mode(0o700));
            for grandchild in children(&child) {
                moved += 1;
                progress |= fs::remove_file(&grandchild).is_ok()
                    || fs::rename(&grandchild, folder.join(format!("{moved}.moved"))).is_ok();
            }
        }
        if !progress {
            break;
        }
    }
    // What is left is removed when the next instance starts, or has been removed by somebody else.
    let _ = fs::remove_dir(folder);
}

fn children(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default()
}

/// A real one: a link leads to what is not ours.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Whether a file is as large as files may be. Only two levels are looked at: it is a hint, not a proof.
pub(crate) fn has_file_of(folder: &Path, size: u64) -> bool {
    let is_large = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|m| m.is_file() && m.len() >= size);
    children(folder)
        .iter()
        .any(|child| is_large(child) || (is_folder(child) && children(child).iter().any(is_large)))
}

/// Removes the folders of instances that are gone.
pub(crate) fn remove_stale(parent: &Path) {
    let own = rustix::process::geteuid();
    for child in children(parent) {
        let is_stale = child.file_name().and_then(|name| name.to_str()).is_some_and(instance::is_stale);
        let is_ours = fs::symlink_metadata(&child)
            .is_ok_and(|m| m.is_dir() && (own.is_root() || m.uid() == own.as_raw()));
        if is_stale && is_ours {
            remove(&child);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_c16_a_folder_is_removed_however_deep_and_closed_it_is() {
        let folder = std::env::temp_dir().join(instance::fresh_name());
        create(&folder, None).unwrap();
        let mut deep = folder.clone();
        for _ in 0..300 {
            deep.push("d");
        }
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("f"), "x").unwrap();
        std::os::unix::fs::symlink("/etc", folder.join("link")).unwrap();
        fs::write(folder.join("large"), [0; 10]).unwrap();
        assert!(has_file_of(&folder, 10) && !has_file_of(&folder, 11));
        fs::set_permissions(folder.join("d/d"), Permissions::from_mode(0o0)).unwrap();
        fs::set_permissions(folder.join("d"), Permissions::from_mode(0o0)).unwrap();
        remove(&folder);
        assert!(!folder.exists() && Path::new("/etc").exists());
    }
}
