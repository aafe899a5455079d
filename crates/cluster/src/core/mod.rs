//! The protocol between a coordinator and its workers, without I/O.
//!
//! [`Coordinator`] and [`Worker`] take what happened and say what is to be done; whoever runs them reads clocks, writes rows and
//! sends messages. Any message may be lost, doubled, late or come twice in another order, and either side may end at any moment:
//! what counts is in the rows, and rows are written before anybody hears of them.
//!
//! - A job is a game that is to be played: its key, and which attempt at it counts. It is queued, leased to one worker, done or
//!   parked.
//! - A notification tells workers that there is something to do. It has no meaning for what is right: whoever hears it claims the job.
//! - A lease has an owner, a deadline by the database's clock, and a fence that grows with each lease. Only whoever holds the
//!   lease can deliver.
//! - A job that was lost goes to somebody else first, if there is anybody, and who loses one after the other rests.
//! - A name is that of one start of a worker at a time; another one is given nothing until nothing is heard of the first.
//! - A beat moves the deadline, and is counted: an old one that comes again moves nothing, and there are no more of them than a game
//!   of that length has. Who sends them as late as it can holds a job for three times as long, and not for ever.

mod beats;
mod blame;
mod coordinator;
mod effect;
mod job;
pub mod law;
mod message;
mod session;
mod withdrawal;
mod worker;

pub(crate) use blame::pause;
pub use coordinator::{Coordinator, Load, Seen};
pub use effect::{Done, Effect};
pub use job::{Digest, Job, JobKey, Lost, Name, State, Terms};
pub use message::{About, Answer, Ask, Claim, Refusal};
pub use session::{Admission, HELLO, Session, Stage, Standing};
pub use worker::{Act, Spooled, Worker, WorkerTerms};
