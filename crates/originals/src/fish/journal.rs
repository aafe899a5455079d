//! What a tournament is beyond its games, so that it can go on after an interruption: who plays, who failed before the
//! first game, and whether it is over.
//!
//! A file of JSON lines beside the records of the games, brought to the disk line by line.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file's name in the folder of a tournament.
const FILE: &str = "tournament.jsonl";
/// The version of its format.
const VERSION: u32 = 1;
/// The most that is read: 50,000 names fit many times.
const MAX_BYTES: u64 = 16 << 20;

/// What a tournament is played under.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    pub(crate) version: u32,
    /// The names, in the order of sign-up.
    pub(crate) players: Vec<String>,
    /// The game spec of the board, for two players.
    pub(crate) board: String,
    /// The time for each call, in milliseconds.
    pub(crate) timeout_ms: u64,
}

impl Plan {
    pub(crate) fn new(players: Vec<String>, board: String, timeout: std::time::Duration) -> Self {
        let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        Self { version: VERSION, players, board, timeout_ms }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Tournament(Plan),
    /// Everybody was called; these players, counted from 1, failed.
    Started {
        failed: Vec<u32>,
    },
    /// It is over.
    Over {
        winners: Vec<u32>,
        failed: Vec<u32>,
    },
}

/// What an earlier run has left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Past {
    pub(crate) plan: Plan,
    /// Who failed before the first game, by index, once all were called.
    pub(crate) failed_at_start: Option<Vec<u32>>,
    pub(crate) over: bool,
}

/// The file that is written.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Begins a new one.
    pub(crate) fn create(folder: &Path, plan: Plan) -> io::Result<Self> {
        let path = folder.join(FILE);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        let mut journal = Self { file, path };
        journal.write(&Line::Tournament(plan))?;
        // The file's name too.
        File::open(folder)?.sync_all()?;
        Ok(journal)
    }

    /// Goes on with one; what a crash has torn at its end is cut off.
    pub(crate) fn resume(folder: &Path) -> io::Result<(Self, Past)> {
        let path = folder.join(FILE);
        let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
        let (past, whole) = read(&mut file)?;
        file.set_len(whole)?;
        file.seek(io::SeekFrom::End(0))?;
        Ok((Self { file, path }, past))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Everybody was called; these failed.
    pub(crate) fn started(&mut self, failed: &[u32]) -> io::Result<()> {
        self.write(&Line::Started { failed: numbers(failed) })
    }

    /// It is over.
    pub(crate) fn over(&mut self, winners: &[u32], failed: &[u32]) -> io::Result<()> {
        self.write(&Line::Over { winners: numbers(winners), failed: numbers(failed) })
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        self.file.sync_data()
    }
}

/// People count from 1.
fn numbers(indices: &[u32]) -> Vec<u32> {
    indices.iter().map(|idx| idx + 1).collect()
}

/// What the lines say, and how many bytes are whole lines.
fn read(file: &mut File) -> io::Result<(Past, u64)> {
    let wrong = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
    let mut text = vec![];
    file.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(wrong(format!("it has more than {MAX_BYTES} bytes")));
    }
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut past: Option<Past> = None;
    for (number, line) in (1..).zip(text[..whole].split_inclusive(|&byte| byte == b'\n')) {
        let line: Line =
            serde_json::from_slice(line).map_err(|error| wrong(format!("line {number}: {error}")))?;
        match (line, &mut past) {
            (Line::Tournament(plan), None) if plan.version == VERSION => {
                past = Some(Past { plan, failed_at_start: None, over: false });
            }
            (Line::Tournament(plan), None) => {
                let version = plan.version;
                return Err(wrong(format!("it has version {version}; expected version {VERSION}")));
            }
            (Line::Started { failed }, Some(past)) if past.failed_at_start.is_none() && !past.over => {
                let n_players = past.plan.players.len() as u32;
                if !failed.iter().all(|number| (1..=n_players).contains(number)) {
                    return Err(wrong(format!("line {number}: expected players from 1 to {n_players}")));
                }
                past.failed_at_start = Some(failed.iter().map(|number| number - 1).collect());
            }
            (Line::Over { .. }, Some(past)) if !past.over => past.over = true,
            _ => return Err(wrong(format!("line {number} does not belong there"))),
        }
    }
    Ok((past.ok_or_else(|| wrong("it does not say who plays".to_owned()))?, whole as u64))
}

/// The folder of the tournament with this number.
pub(crate) fn folder_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("tournament-{number}"))
}

/// The last tournament in a folder that was interrupted: its number and its own folder. What cannot be read is named.
pub(crate) fn find_interrupted(dir: &Path) -> Result<Option<(u64, PathBuf)>, (PathBuf, io::Error)> {
    let failed = |error| (dir.to_owned(), error);
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut last = None;
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("tournament-")?.parse().ok());
        last = last.max(number.filter(|&number| folder_of(dir, number).join(FILE).is_file()));
    }
    let Some(number) = last else { return Ok(None) };
    let folder = folder_of(dir, number);
    let path = folder.join(FILE);
    match File::open(&path).and_then(|mut file| read(&mut file)) {
        Ok((past, _)) => Ok((!past.over).then_some((number, folder))),
        Err(error) => Err((path, error)),
    }
}

#[cfg(test)]
mod tests {
    use rookery_testkit::TempFolder;

    use super::*;

    fn dir(name: &str) -> TempFolder {
        let dir = TempFolder::new(name);
        std::fs::create_dir_all(folder_of(&dir, 1)).expect("a folder");
        dir
    }

    fn plan() -> Plan {
        Plan::new(
            vec!["Ann".to_owned(), "Bob".to_owned()],
            "fish".to_owned(),
            std::time::Duration::from_secs(3),
        )
    }

    #[test]
    fn what_is_written_reads_back_and_a_torn_end_is_cut() {
        let dir = dir("torn");
        let folder = folder_of(&dir, 1);
        let mut journal = Journal::create(&folder, plan()).expect("it is new");
        journal.started(&[1]).expect("it can be written");
        let path = journal.path().to_owned();
        let mut text = std::fs::read(&path).expect("it is there");
        text.extend_from_slice(b"{\"over\":{\"win");
        std::fs::write(&path, &text).expect("it can be written");
        let expected = Past { plan: plan(), failed_at_start: Some(vec![1]), over: false };
        let found = find_interrupted(&dir).expect("it can be read");
        assert_eq!(found, Some((1, folder.clone())));
        let (mut journal, past) = Journal::resume(&folder).expect("it can be read");
        assert_eq!(past, expected);
        journal.over(&[0], &[1]).expect("it can be written");
        assert_eq!(find_interrupted(&dir).expect("it can be read"), None);
        assert_eq!(
            std::fs::read_to_string(&path).expect("text"),
            "{\"tournament\":{\"version\":1,\"players\":[\"Ann\",\"Bob\"],\"board\":\"fish\",\"timeout_ms\":3000}}\n\
             {\"started\":{\"failed\":[2]}}\n{\"over\":{\"winners\":[1],\"failed\":[2]}}\n"
        );
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let dir = dir("wrong");
        for text in [
            "",
            "{\"started\":{\"failed\":[]}}\n",
            "{\"tournament\":{\"version\":2,\"players\":[],\"board\":\"\",\"timeout_ms\":1}}\n",
            "{\"tournament\":{\"version\":1,\"players\":[],\"board\":\"\",\"timeout_ms\":1}}\n{\"started\":{\"failed\":[1]}}\n",
            "nonsense\n",
        ] {
            std::fs::write(folder_of(&dir, 1).join(FILE), text).expect("it can be written");
            assert!(find_interrupted(&dir).is_err(), "{text}");
        }
    }
}
