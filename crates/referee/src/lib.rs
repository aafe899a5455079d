//! How a match runs.
//!
//! - [`Conduct`]: what misconduct costs, as data;
//! - [`Referee`]: a state machine without sockets, clocks or threads: who is asked, what an answer means, the verdict;
//! - [`play`]: the short loop that gives the referee players and time;
//! - [`Event`]: everything that ever happens in a match; records, screens and players all see this one stream;
//! - [`Player`]: whoever sits at the table: a built-in, a program, a person.
//!
//! # A complete match
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_referee::{Conduct, Player, Referee, Strategist, Terms, play};
//! use rookery_rules::{Seed, Setup};
//! use rookery_search::{First, Random};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let position = hexapawn::Setup::default().start();
//! let referee = Referee::new(position, Conduct::removing().with_retries(1));
//! let mut players: Vec<Box<dyn Player<_>>> =
//!     vec![Box::new(Strategist::inline(First)), Box::new(Strategist::inline(Random))];
//! let verdict = play(referee, &mut players, &Terms::untimed(Seed(7)), &mut ()).await;
//! assert_eq!(verdict.ending.cause.word(), "normal");
//! assert_eq!(verdict.outcome.expect("a normal end has an outcome").winners.len(), 1);
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

mod chat;
mod clock;
mod conduct;
mod event;
mod lag;
mod play;
mod player;
mod players;
mod referee;
mod verdict;
mod waiting;

pub use chat::{ChatBox, MAX_CHAT_CHARS, MAX_CHAT_LINES};
pub use clock::{Charge, Clock, ParseTimeError, TimeControl, parse_duration, write_duration};
pub use conduct::{Conduct, MAX_RETRIES, Offence, ParseConductError, Penalty, Retries, Ruling};
pub use event::{Event, EventOf, Foul, Observer};
pub use lag::LagProbe;
pub use play::{Terms, play};
pub use player::{Answering, BoxFuture, Failure, Fault, Player, Question};
pub use players::{FnPlayer, Person, PersonAnswer, PersonNews, PersonSeat, Scripted, Strategist};
pub use referee::Referee;
pub use verdict::{Blame, Cause, Ending, Verdict};
