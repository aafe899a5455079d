//! Threads that play the games of a worker.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rookery_arena::SingleGame;
use rookery_referee::{Controls, MatchSpec};
use tokio::sync::mpsc::UnboundedSender;

use crate::JobId;
use crate::core::Claim;
use crate::message::Bell;

/// How long one move may take where nobody has a clock, before a game counts as stuck.
const LONGEST_MOVE: Duration = Duration::from_mins(5);

/// What came of a game.
pub(crate) enum Ended {
    Record(Claim<JobId>, Vec<u8>),
    Failed(Claim<JobId>, String),
    /// It was stopped from here.
    Stopped,
}

/// A game that is being played.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) claim: Claim<JobId>,
    controls: Controls,
    events: Arc<AtomicU64>,
    /// How many events there were, since when, and the beats that this was good for.
    seen: u64,
    since: Instant,
    progress: u64,
    longest_move: Duration,
}

impl Running {
    /// Begins a game in a thread of its own.
    pub(crate) fn start(
        claim: Claim<JobId>,
        bell: Bell,
        ended: UnboundedSender<Ended>,
    ) -> Result<Self, String> {
        let events = Arc::new(AtomicU64::new(0));
        let longest_move = longest_move(&bell.spec);
        let game = SingleGame::new(bell.spec, bell.until_proved, Arc::clone(&events));
        let game = game.map_err(|error| error.to_string())?;
        let controls = game.controls();
        let of_thread = claim.clone();
        let play = move || {
            let played = catch_unwind(AssertUnwindSafe(|| play(game)));
            let told = match played {
                Ok(Ok(Some(record))) => Ended::Record(of_thread, record),
                Ok(Ok(None)) => Ended::Stopped,
                Ok(Err(why)) => Ended::Failed(of_thread, why),
                Err(_) => Ended::Failed(of_thread, "a player or the rules panicked".to_owned()),
            };
            // Without a receiver the worker has ended.
            let _ = ended.send(told);
        };
        thread::Builder::new().name("game".to_owned()).spawn(play).map_err(|error| error.to_string())?;
        let (seen, progress, since) = (0, 1, Instant::now());
        Ok(Self { claim, controls, events, seen, since, progress, longest_move })
    }

    /// Stops it where it is.
    pub(crate) fn stop(&self) {
        self.controls.suspend();
    }

    /// A count that grows while something happens in the game, or whoever is to move has time left. A thread that hangs makes it
    /// stand still.
    pub(crate) fn progress(&mut self) -> u64 {
        let events = self.events.load(Ordering::Relaxed);
        if events > self.seen {
            (self.seen, self.since) = (events, Instant::now());
            self.progress += 1;
        } else if self.since.elapsed() < self.longest_move {
            self.progress += 1;
        }
        self.progress
    }
}

fn play(game: SingleGame) -> Result<Option<Vec<u8>>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(game.play()).map_err(|error| error.to_string())
}

/// How long a move may take by what was agreed, with room for our own delays.
fn longest_move(spec: &MatchSpec) -> Duration {
    spec.time.most_for(1).map_or(LONGEST_MOVE, |most| most.saturating_mul(2) + Duration::from_secs(5))
}
