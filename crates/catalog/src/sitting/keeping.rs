//! The record of a sitting, on disk after every event.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rookery_record::{Header, RecordWriter};
use rookery_referee::{Event, EventOf, Observer, Verdict};
use rookery_rules::Position;

/// The end of a record's name.
const SUFFIX: &str = ".rookery.jsonl";

/// What a record is made of.
#[derive(Debug)]
pub(super) struct Story<'a, P: Position> {
    pub(super) header: &'a Header,
    pub(super) position: &'a P,
    pub(super) events: &'a [EventOf<P>],
    pub(super) verdict: Option<&'a Verdict>,
}

/// Writes down what happens, in one file.
#[derive(Debug)]
pub(super) struct Keeper {
    path: PathBuf,
    /// Whether the file is still to come into being: it must not take the place of another.
    fresh: bool,
    /// There once the file holds everything that happened so far.
    writer: Option<RecordWriter<File>>,
    problem: Option<String>,
}

impl Keeper {
    /// Nothing is written yet. A file that exists already is the one to go on with.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { fresh: !path.exists(), path, writer: None, problem: None }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_kept(&self) -> bool {
        !self.fresh
    }

    pub(super) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The last event of the story has just happened.
    pub(super) fn append<P: Position>(&mut self, story: &Story<'_, P>) {
        match (&mut self.writer, story.events.last()) {
            (Some(writer), Some(event)) => {
                writer.see(event, story.position);
                end(writer, story);
                if let Some(error) = writer.error() {
                    self.problem = Some(error.to_string());
                    // The next event tries it with the whole story.
                    self.writer = None;
                }
            }
            _ => self.rewrite(story),
        }
    }

    /// Replaces the file by another story. A crash leaves the old one or the new one.
    pub(super) fn rewrite<P: Position>(&mut self, story: &Story<'_, P>) {
        let written = self.claim().and_then(|()| self.replace(story));
        match written {
            Ok(writer) => (self.writer, self.problem) = (Some(writer), None),
            Err(error) => (self.writer, self.problem) = (None, Some(error.to_string())),
        }
    }

    /// Makes the file if it is to be a new one. Where another program was faster, the next free name is taken.
    fn claim(&mut self) -> io::Result<()> {
        while self.fresh {
            match File::create_new(&self.path) {
                Ok(_) => self.fresh = false,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    self.path = free_path(&self.path);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn replace<P: Position>(&self, story: &Story<'_, P>) -> io::Result<RecordWriter<File>> {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let new = self.path.with_file_name(name);
        let written = File::create(&new).and_then(|file| write(file, story)).and_then(|(writer, file)| {
            file.sync_data()?;
            // The handle stays with the file when its name changes.
            fs::rename(&new, &self.path)?;
            Ok(writer)
        });
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}

/// Writes a story into a file that must not exist.
pub(super) fn write_new<P: Position>(path: &Path, story: &Story<'_, P>) -> io::Result<()> {
    let file = File::create_new(path)?;
    write(file, story)?.1.sync_data()
}

fn write<P: Position>(file: File, story: &Story<'_, P>) -> io::Result<(RecordWriter<File>, File)> {
    let second = file.try_clone()?;
    let mut writer = RecordWriter::new(file, story.header.clone());
    writer.see(&Event::Started(story.position.clone()), story.position);
    for event in story.events {
        writer.see(event, story.position);
    }
    end(&mut writer, story);
    match writer.error() {
        Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
        None => Ok((writer, second)),
    }
}

fn end<P: Position>(writer: &mut RecordWriter<File>, story: &Story<'_, P>) {
    if let Some(verdict) = story.verdict {
        writer.see(&Event::Ended(verdict.clone()), story.position);
    }
}

/// A path like this one that no file has: itself, or with the next free number.
pub fn free_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, suffix) = match name.strip_suffix(SUFFIX) {
        Some(stem) => (stem, SUFFIX),
        None => (name.as_str(), ""),
    };
    // `a-2` goes on with `a-3`, not `a-2-2`.
    let numbered = stem.rsplit_once('-').filter(|(_, n)| n.parse::<u32>().is_ok_and(|n| n > 1));
    let base = numbered.map_or(stem, |(base, _)| base);
    let named = |n: u32| path.with_file_name(format!("{base}-{n}{suffix}"));
    let candidates = std::iter::once(path.to_owned()).chain((2..).map(named));
    candidates.into_iter().find(|path| !path.exists()).expect("there is always a higher number")
}
