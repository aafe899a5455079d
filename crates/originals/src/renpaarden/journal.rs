//! The record of a game in which moves may be taken back.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rookery_games::renpaarden::Position;
use rookery_record::{Header, RecordWriter};
use rookery_referee::{EventOf, Observer as _};

/// Writes a game down while it is played. Where moves are taken back, the record is written anew without them, beside
/// the old one, and then takes its place: at every moment there is a whole record.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    header: Header,
    writer: RecordWriter<File>,
    /// What happened, with the position after it.
    events: Vec<(EventOf<Position>, Position)>,
}

impl Journal {
    /// Begins a record; a file that exists is never overwritten.
    pub(super) fn create(path: PathBuf, header: Header) -> io::Result<Self> {
        let writer = RecordWriter::new(File::create_new(&path)?, header.clone());
        Ok(Self { path, header, writer, events: vec![] })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What went wrong with writing, if anything did.
    pub(super) fn problem(&self) -> Option<&io::Error> {
        self.writer.error()
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    pub(super) fn see(&mut self, event: EventOf<Position>, position: &Position) {
        self.writer.see(&event, position);
        self.events.push((event, position.clone()));
    }

    /// Forgets all but the first events. If the new record cannot be written, the old one stays as it is.
    pub(super) fn rewind(&mut self, len: usize) -> io::Result<()> {
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        let mut writer = RecordWriter::new(File::create(&beside)?, self.header.clone());
        for (event, position) in &self.events[..len] {
            writer.see(event, position);
        }
        if writer.error().is_some() {
            return writer.finish().map(drop);
        }
        fs::rename(&beside, &self.path)?;
        self.writer = writer;
        self.events.truncate(len);
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.writer.finish().map(drop)
    }
}

/// The name for game number `n` of an evening, from 1: the name given, then `game-2.rookery.jsonl` and so on.
pub(super) fn numbered(path: &Path, n: u64) -> PathBuf {
    if n <= 1 {
        return path.to_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = match name.strip_suffix(".rookery.jsonl") {
        Some(stem) => (stem, ".rookery.jsonl"),
        None => name.rfind('.').filter(|&at| at > 0).map_or((&*name, ""), |at| name.split_at(at)),
    };
    path.with_file_name(format!("{stem}-{n}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_games_have_names_of_their_own() {
        for (path, second) in [
            ("games/a.rookery.jsonl", "games/a-2.rookery.jsonl"),
            ("a.b.txt", "a.b-2.txt"),
            ("plain", "plain-2"),
            (".hidden", ".hidden-2"),
        ] {
            assert_eq!(numbered(Path::new(path), 1), Path::new(path));
            assert_eq!(numbered(Path::new(path), 2), Path::new(second));
        }
    }
}
