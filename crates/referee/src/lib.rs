//! How a match runs.
//!
//! - [`MatchSpec`], [`SeatSpec`]: everything that is agreed before a match, and who sits where;
//! - [`Conduct`]: what misconduct costs, as data;
//! - [`Referee`]: a state machine without sockets, clocks or threads: who is asked, what an answer means, the verdict;
//! - [`play`]: the short loop that gives the referee players and time;
//! - [`Desk`], [`Command`]: how persons, and whoever runs the match, reach the loop;
//! - [`words`]: sentences, made at the edge from verdicts and names;
//! - [`Event`]: everything that ever happens in a match; records, screens and players all see this one stream;
//! - [`Player`]: whoever sits at the table: a built-in, a program, a person.
//!
//! # A complete match
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_referee::{End, MatchSpec, Player, Referee, Session, Strategist, Terms, play};
//! use rookery_rules::{Seed, Setup};
//! use rookery_search::{First, Random};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let spec = MatchSpec::new("hexapawn", ["first", "random"], Seed(7)).expect("both are players");
//! let referee = Referee::of_spec(&spec, hexapawn::Setup::default().start());
//! let mut players: Vec<Box<dyn Player<_>>> =
//!     vec![Box::new(Strategist::inline(First)), Box::new(Strategist::inline(Random))];
//! let end = play(referee, &mut players, &Session::new(&spec, &Terms::default()), &mut ()).await;
//! let End::Verdict(verdict) = end else { panic!("nobody has stopped it") };
//! assert_eq!(verdict.ending.cause.word(), "normal");
//! assert_eq!(verdict.outcome.expect("a normal end has an outcome").winners.len(), 1);
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

mod chat;
mod clock;
mod conduct;
mod controls;
mod desk;
mod event;
mod fault;
mod info;
mod lag;
mod play;
mod player;
mod players;
mod referee;
mod seat_spec;
mod session;
mod spec;
mod strategist;
mod verdict;
mod waiting;
pub mod words;

pub use chat::{ChatBox, MAX_CHAT_CHARS, MAX_CHAT_LINES};
pub use clock::{Charge, Clock, ParseTimeError, TimeControl};
pub use conduct::{
    Conduct, MAX_RETRIES, MAX_RETRIES_OF_A_MATCH, Offence, ParseConductError, Penalty, Retries, Ruling,
};
pub use controls::{Controls, Order};
pub use desk::{Command, Desk, Offer, Person, Refusal, Reply};
pub use event::{Event, EventOf, Foul, Observer};
pub use fault::{Evidence, Failure, Fault, LISTED_MOVES};
pub use info::{Info, MAX_INFO_CHARS, MAX_INFO_LINE};
pub use lag::LagProbe;
pub use play::play;
pub use player::{Answering, BoxFuture, Invitation, Kind, Player, Question};
pub use players::{Absent, FnPlayer, Scripted};
pub use referee::{MAX_TAKE_BACKS, Referee};
pub use seat_spec::{Entry, MAX_NAME, SeatSpec, SeatSpecError, is_name};
pub use session::{End, Session, Terms};
pub use spec::{Limits, MAX_OPENING, MatchSpec, SeatEntry, Start, StartError, as_text, seed_text};
pub use strategist::Strategist;
pub use verdict::{Blame, Cause, Ending, Verdict};

pub use rookery_rules::{parse_duration, parse_duration_or_zero, write_duration};
