//! Playing and watching matches in a terminal.
//!
//! - [`Table`]: a sitting with the time that goes by and the threads in which computers think;
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
mod keys;
pub mod launcher;
mod list;
mod look;
pub mod markdown;
pub mod plain;
mod plan;
mod popup;
mod rich;
pub mod run;
pub mod screen;
#[cfg(unix)]
mod suspend;
mod table;
mod watch;

pub use app::{App, Leave};
pub use clean::quoted;
pub use look::Palette;
pub use rich::{Accent, Rich};
pub use rookery_rules::text::{Typed, clean, clean_lines, read_typed};
pub use table::{Announcement, Table, open, open_to_play};
