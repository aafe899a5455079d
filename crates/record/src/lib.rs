//! Match records: files of JSON lines, written while a match runs.
//!
//! - [`RecordWriter`]: watches a match and writes each event as a line;
//! - [`Lines`]: reads lines with bounds, also from a file that still grows;
//! - [`Line`], [`Header`]: what a line says;
//! - [`Replay`]: judges the match again, line by line: every move, every ruling, the verdict, the hash;
//! - [`verify`] and [`resume`]: a whole record, to check it or to go on with the match;
//! - [`Archive`], [`Folder`], [`OneFile`]: where records are kept, locked, mended after a crash, and brought to the disk.
//!
//! The format is specified in `docs/record.md`.
//!
//! # Writing and verifying
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_record::{Header, RecordWriter, verify};
//! use rookery_referee::{MatchSpec, Player, Referee, Session, Strategist, Terms, play};
//! use rookery_rules::{Notation, Seed, Setup};
//! use rookery_search::{First, Random};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let start = hexapawn::Setup::default().start();
//! let spec = MatchSpec::new("hexapawn", ["Ann=first", "Bob=random"], Seed(7)).expect("both are players");
//! let mut file = Vec::new();
//! let mut writer = RecordWriter::new(&mut file, Header::new(spec.clone(), start.to_text()));
//!
//! let referee = Referee::of_spec(&spec, start);
//! let mut players: Vec<Box<dyn Player<_>>> =
//!     vec![Box::new(Strategist::inline(First)), Box::new(Strategist::inline(Random))];
//! let end = play(referee, &mut players, &Session::new(&spec, &Terms::default()), &mut writer).await;
//! writer.finish()?;
//!
//! let summary = verify::<hexapawn::Setup>(&file[..])?;
//! assert_eq!(summary.verdict, end.verdict());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod files;
mod header;
mod line;
mod mend;
mod problem;
mod reader;
mod replay;
mod sample;
mod syncer;
mod verify;
mod writer;

pub use archive::{
    Archive, ArchiveError, Folder, Key, Lock, OneFile, SUFFIX, Sink, Slot, free_path, log_path,
};
pub use files::open_record;
pub use header::{FORMAT_VERSION, Header, SOFTWARE};
pub use line::{
    AdjudicatedLine, DrawnLine, FouledLine, Line, MovedLine, ResignedLine, SaidLine, StoppedLine,
    TakenBackLine, VerdictLine,
};
pub use mend::Cut;
pub use problem::{Problem, RecordError};
pub use reader::{Lines, MAX_LINE, MAX_LINES};
pub use replay::{Replay, Step, Summary};
pub use sample::random_record;
pub use syncer::{FolderError, Receipt, SYNCER_FILES, SyncError, Syncer, create_folder};
pub use verify::{Resumed, resume, verify};
pub use writer::RecordWriter;
