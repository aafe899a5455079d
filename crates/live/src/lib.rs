//! Matches of any game, from names to a verdict.
//!
//! - [`open`] brings whoever is to sit somewhere: a [`Guest`];
//! - [`prepare`] makes a [`Match`] of a spec and its guests, without types, ready to begin or to go on with its record;
//! - [`Match::run`] plays it where it is asked, for series; [`Match::start`] makes it a [`LiveMatch`], the one handle that
//!   screens, pages and servers hold;
//! - [`Snapshot`], [`News`]: what can be seen of a live match, for any number of viewers at their own pace;
//! - [`Story`]: a recorded match, to look at;
//! - [`Lobby`], [`Door`]: how programs come by themselves, sign up and wait; [`Resting`]: how they rest between matches;
//! - [`Stopping`]: requests to stop, and the grace that running games have.
//!
//! ```
//! use rookery_live::{Guest, Terms, prepare};
//! use rookery_referee::{End, MatchSpec};
//! use rookery_rules::Seed;
//! use rookery_wire::Protocols;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let spec = MatchSpec::new("hexapawn", ["first", "random"], Seed(7))?;
//! let guests = Guest::built_in(&spec)?;
//! let played = prepare(spec, guests, &Protocols::default(), None)?.run().await;
//! assert!(matches!(played.end, End::Verdict(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod begin;
mod door;
mod doors;
mod guest;
mod hall;
mod handle;
mod hurry;
mod keeper;
mod kept;
mod lobby;
mod prepare;
mod programs;
mod refusals;
mod replay;
mod restarts;
mod resting;
mod returning;
mod seeds;
mod stopping;
mod story;
mod unnamed;
mod view;

pub use door::{Door, DoorNews, LobbyRules, Size};
pub use guest::{Closing, Guest, OpenError, Opened, Opening, OwnPlayer, Started, Surroundings, Wanted, open};
pub use handle::LiveMatch;
pub use lobby::{Lobby, Visitor};
pub use prepare::{Match, Played, PrepareError, prepare};
pub use programs::{Programs, SignUp};
pub use refusals::source;
pub use replay::{AnyReplay, random_record, replay, verify, verify_lines};
pub use resting::Resting;
pub use returning::{GRACE_TO_RETURN, Returning, close_replaced};
pub use seeds::{board_seed, drawn_seed};
pub use stopping::{GRACE, Signal, Stopping};
pub use story::{Prelude, Story, Turn, prelude, read_story, write_record};
pub use unnamed::{Most, Unnamed};
pub use view::{Asked, Deed, Entry, News, Since, Snapshot, clocks_after};

pub use rookery_referee::Terms;
