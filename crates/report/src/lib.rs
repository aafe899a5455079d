//! What a tournament says: results go into an [`Evaluation`], [`Ratings`] come out of it, and a [`Report`] shows both as
//! text, Markdown, CSV, JSON or a page.
//!
//! Nothing here reads, writes or asks for the time. What games alone do not say (who is suspended, how long moves took,
//! where replays are) is told by whoever asks for the report ([`Context`]).

mod columns;
mod csv;
mod evaluation;
mod facts;
mod html;
mod legend;
mod markdown;
mod markup;
pub mod plots;
mod ratings;
mod report;
pub mod table;
mod text;
mod timing;

pub use evaluation::Evaluation;
pub use facts::{Anchor, OpeningFacts, RatingFacts, Setting, TestFacts, test_json};
pub use markup::escaped;
pub use ratings::{METHOD, Model, ParseModelError, Rated, RatingError, RatingOptions, Ratings};
pub use report::{Against, BlockFacts, Context, Evidence, FaultLine, Report, Row, TimeFacts, Wdl};
pub use timing::{Times, Timing};
