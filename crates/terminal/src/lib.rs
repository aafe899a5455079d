//! Playing and watching matches in a terminal.
//!
//! - [`Table`]: a viewer of a match that goes on by itself, or of a record; what persons here want goes through it;
//! - [`plain`]: line by line, for pipes and screen readers;
//! - [`App`]: the state of the full screen, changed by keys, clicks and time; [`draw`](screen::draw) shows it;
//! - [`launcher`]: what to play, against whom;
//! - [`markdown`]: rules pages as a terminal shows them;
//! - [`run`]: the real terminal around all this, which is always given back as it was.
//!
//! Nothing here knows a game: boards are drawn from [`rookery_rules::Scene`], moves are text.

mod app;
mod board;
mod choosing;
mod chosen;
mod clean;
mod command;
mod hints;
mod keys;
pub mod launcher;
mod list;
mod look;
pub mod markdown;
mod matches;
pub mod plain;
mod plan;
mod popup;
mod rich;
pub mod run;
pub mod screen;
#[cfg(unix)]
mod suspend;
mod table;
mod telling;
mod watch;

pub use app::{App, Leave};
pub use clean::quoted;
pub use look::Palette;
pub use matches::{Keep, Runner};
pub use rich::{Accent, Rich};
pub use rookery_rules::text::{Typed, clean, clean_lines, read_typed};
pub use table::{Announcement, Table, Undone};
