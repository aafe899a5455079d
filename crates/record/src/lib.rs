//! Match records: files of JSON lines, written while a match runs.
//!
//! - [`RecordWriter`]: watches a match and writes each event as a line;
//! - [`Lines`]: reads lines with bounds, also from a file that still grows;
//! - [`Line`], [`Header`]: what a line says;
//! - [`Replay`]: judges the match again, line by line: every move, every ruling, the verdict, the hash;
//! - [`verify`] and [`resume`]: a whole record, to check it or to go on with the match;
//! - [`salvage`]: what a crash or a power cut has left of one;
//! - [`Syncer`]: brings finished records to the disk.
//!
//! The format is specified in `docs/record.md`.
//!
//! # Writing and verifying
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_record::{Header, RecordWriter, verify};
//! use rookery_referee::{Conduct, Player, Referee, Strategist, Terms, play};
//! use rookery_rules::{Seed, Setup};
//! use rookery_search::{First, Random};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let setup = hexapawn::Setup::default();
//! let header = Header::new(&setup, &setup.start(), [("Ann", "first"), ("Bob", "random")], Seed(7));
//! let mut file = Vec::new();
//! let mut writer = RecordWriter::new(&mut file, header);
//!
//! let referee = Referee::new(setup.start(), Conduct::removing());
//! let mut players: Vec<Box<dyn Player<_>>> =
//!     vec![Box::new(Strategist::inline(First)), Box::new(Strategist::inline(Random))];
//! let verdict = play(referee, &mut players, &Terms::untimed(Seed(7)), &mut writer).await;
//! writer.finish()?;
//!
//! let summary = verify::<hexapawn::Setup>(&file[..])?;
//! assert_eq!(summary.verdict, Some(verdict));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod files;
mod header;
mod line;
mod problem;
mod reader;
mod replay;
mod salvage;
mod sample;
mod syncer;
mod verify;
mod writer;

pub use files::open_record;
pub use header::{FORMAT_VERSION, Header, Limits, SOFTWARE, SeatEntry};
pub use line::{FouledLine, Line, MovedLine, ResignedLine, SaidLine, StoppedLine, VerdictLine};
pub use problem::{Problem, RecordError};
pub use reader::{Lines, MAX_LINE, MAX_LINES};
pub use replay::{Replay, Step, Summary};
pub use salvage::{Cut, Left, Salvaged, salvage};
pub use sample::random_record;
pub use syncer::{FolderError, SyncError, Syncer, create_folder};
pub use verify::{Resumed, resume, verify};
pub use writer::RecordWriter;
