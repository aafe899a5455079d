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
mod bars;
mod board;
mod choosing;
mod chosen;
mod clean;
mod command;
pub mod detect;
mod ended;
mod figure;
pub mod graph;
mod guide;
mod hinting;
mod hints;
mod keys;
pub mod launcher;
mod list;
mod listed;
mod look;
pub mod markdown;
mod matches;
mod overlay;
mod palette;
mod panel;
pub mod plain;
mod plan;
mod popup;
mod reading;
mod report;
pub mod results;
mod reviewing;
mod rich;
mod rules_screen;
pub mod run;
pub mod screen;
#[cfg(unix)]
mod suspend;
mod table;
mod telling;
mod watch;

pub use app::{App, Leave};
pub use clean::quoted;
pub use guide::FIRST_GAME;
pub use look::Look;
pub use matches::{Keep, Runner};
pub use palette::{Depth, Theme};
pub use report::report;
pub use rich::{Accent, Rich, fit, text_width, wrap};
pub use rookery_rules::text::{Typed, clean, clean_lines, read_typed};
pub use rules_screen::RulesScreen;
pub use table::{Announcement, KeepReview, Table, Undone};
