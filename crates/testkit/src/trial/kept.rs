//! The folders in which a trial leaves its records.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::{fs, path::Path};

/// How the name of a record ends.
pub(super) const RECORD: &str = ".rookery.jsonl";

/// Makes folders that are empty. Those of an earlier trial are emptied; a folder with anything else in it is refused, and then
/// nothing is deleted.
pub(super) fn make_room(folders: [&Path; 2]) -> Result<(), String> {
    for folder in folders {
        expect_records(folder)?;
    }
    for folder in folders {
        empty(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(())
}

/// Refuses a folder that holds anything but records: what is in it is about to be deleted.
fn expect_records(folder: &Path) -> Result<(), String> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| format!("{}: {error}", folder.display()))?,
    };
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
        let is_record = entry.file_name().to_string_lossy().ends_with(RECORD)
            && entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_record {
            return Err(format!(
                "{} is no record of a trial, and all that is in {} would be deleted; expected a folder with *{RECORD} \
                 alone: move it away, or say another --keep",
                entry.path().display(),
                folder.display()
            ));
        }
    }
    Ok(())
}

fn empty(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        fs::remove_file(entry?.path())?;
    }
    Ok(())
}

/// The same names, the same bytes.
pub(super) fn compare(local: &Path, cluster: &Path, games: u64) -> Result<u64, String> {
    let (here, there) = (records(local)?, records(cluster)?);
    if here.keys().ne(there.keys()) {
        return Err(format!("{} records in one process, {} in many", here.len(), there.len()));
    }
    let other = here.iter().find(|(name, bytes)| there.get(*name) != Some(bytes));
    if let Some((name, _)) = other {
        return Err(format!("{name} differs"));
    }
    if here.len() as u64 != games {
        return Err(format!("{} records, expected {games}", here.len()));
    }
    Ok(games)
}

pub(super) fn records(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.insert(name, fs::read(&path).map_err(|error| error.to_string())?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use super::*;
    use crate::TempFolder;

    #[test]
    fn a_trial_deletes_records_of_an_earlier_one_and_nothing_else() {
        let folder = TempFolder::new("trial-kept");
        let (local, cluster) = (folder.join("local"), folder.join("cluster"));
        make_room([&local, &cluster]).unwrap();
        let old = local.join(format!("0001{RECORD}"));
        fs::write(&old, "a record").unwrap();
        fs::write(cluster.join("thesis.tex"), "years of work").unwrap();
        let refused = make_room([&local, &cluster]).unwrap_err();
        assert!(refused.contains("thesis.tex") && refused.contains("--keep"), "{refused}");
        assert!(old.exists(), "nothing is deleted before all is looked at");
        fs::remove_file(cluster.join("thesis.tex")).unwrap();
        fs::create_dir(cluster.join(format!("folder{RECORD}"))).unwrap();
        assert!(make_room([&local, &cluster]).is_err(), "a folder is no record");
        fs::remove_dir(cluster.join(format!("folder{RECORD}"))).unwrap();
        make_room([&local, &cluster]).unwrap();
        assert!(!old.exists() && local.is_dir());
    }
    #[test]
    fn a_trial_ends_with_the_number_of_games_only_if_all_are_the_same() {
        let folder = TempFolder::new("trial-equal");
        let (local, cluster) = (folder.join("local"), folder.join("cluster"));
        make_room([&local, &cluster]).unwrap();
        let put = |place: &Path, number: u32, text: &str| {
            fs::write(place.join(format!("{number:06}{RECORD}")), text).unwrap();
        };
        for number in 1..=2 {
            put(&local, number, "a record");
            put(&cluster, number, "a record");
        }
        let line = |games| compare(&local, &cluster, games).map(super::super::last_line);
        assert_eq!(line(2), Ok("equal: 2 games".to_owned()));
        assert!(line(4).unwrap_err().contains("2 records, expected 4"));
        put(&cluster, 2, "another record");
        assert!(line(2).unwrap_err().contains("000002.rookery.jsonl differs"));
        fs::remove_file(cluster.join(format!("000002{RECORD}"))).unwrap();
        assert!(line(2).unwrap_err().contains("2 records in one process, 1 in many"));
    }
}
