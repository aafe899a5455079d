//! Many matches: who plays whom and why, and what the results say.
//!
//! A tournament pulls. A [`Format`] takes results and gives the [`Pairing`]s that may be played now; a [`Scheduler`]
//! keeps as many of them running as there is room for, and [`hold`] plays them through a [`Dispatcher`]. [`Series`]
//! lets a few players play many games with every [`Seating`], and [`Summary`] says who is stronger and how sure that
//! is. [`RoundRobin`], [`Swiss`], [`Cup`], [`KnockOut`], [`Gauntlet`] and [`Ladder`] are for many, [`Sprt`] ends by a
//! test, and [`Standings`] are the table of any of them. [`TournamentSpec`] is everything that is agreed beforehand.
//!
//! Nothing here plays a game, reads a file or needs a runtime. Resuming is taking the results of an earlier run:
//!
//! ```
//! use rookery_referee::Cause;
//! use rookery_rules::{Outcome, Seat};
//! use rookery_tournament::{GameResult, Scheduler, Series, Summary};
//!
//! let series = Series::new(2, 100);
//! let stored: Vec<GameResult> = (0..40)
//!     .filter_map(|game| series.pairing(game))
//!     .map(|pairing| GameResult::new(&pairing, Some(Outcome::win(2, Seat::new(0))), Cause::Normal))
//!     .collect();
//!
//! let mut summary = Summary::new(2);
//! let mut scheduler = Scheduler::new(series, 8);
//! for result in &stored {
//!     scheduler.earlier(result);
//!     summary.add(result);
//! }
//! let next: Vec<u64> = scheduler.ready()?.into_iter().map(|pairing| pairing.id).collect();
//! assert_eq!(next, [40, 41, 42, 43, 44, 45, 46, 47]);
//! assert_eq!(summary.players()[0].total.wins, 20, "each wins the games it begins");
//! # Ok::<(), rookery_tournament::ScheduleError>(())
//! ```

mod cup;
mod entrants;
mod estimate;
mod event;
mod format;
mod gauntlet;
mod hold;
mod knock_out;
mod ladder;
mod meeting;
mod options;
mod pairing;
mod points;
mod ranges;
mod result;
mod round_robin;
mod rounds;
mod schedule;
mod scheduler;
mod seating;
mod seats;
mod series;
mod spec;
mod sprt;
mod standings;
mod summary;
mod swiss;
mod tables;
mod tie_breaks;

pub use cup::{Cup, CupOptions, CupRule, Groups};
pub use entrants::{Entrant, Entrants, NameTaken};
pub use estimate::{Elo, Estimate};
pub use event::{TournamentEvent, TournamentOutcome, Watcher};
pub use format::{Bye, Change, Format, Next, Round};
pub use gauntlet::Gauntlet;
pub use hold::{Dispatcher, Report, hold};
pub use knock_out::KnockOut;
pub use ladder::Ladder;
pub use meeting::{MAX_GAMES, MAX_ROUNDS, MAX_TABLES, TableSize};
pub use options::FormatOptions;
pub use pairing::{Pairing, Reason};
pub use points::{PointRule, Points};
pub use result::GameResult;
pub use round_robin::RoundRobin;
pub use rounds::Rounds;
pub use scheduler::{ScheduleError, Scheduler};
pub use seating::Seating;
pub use series::Series;
pub use spec::{
    Adjudication, Balanced, Board, EntrantSpec, FormatSpec, GroupsSpec, MAX_ENTRANTS, MAX_FAULTS, Opening,
    OpeningFile, Plan, SpecError, SprtSpec, TournamentSpec, TrialNote, TrialOutcome,
};
pub use sprt::Sprt;
pub use standings::{Standing, Standings, Versus};
pub use summary::{LeftOver, PlayerSummary, Summary, Tally};
pub use swiss::{DutchRound, DutchRules, PastRound, Relaxed, Swiss, SwissRule, dutch, swiss_tables};
pub use tie_breaks::{ByeRule, TieBreak, TieBreaks};
