//! Threads that play the games of a worker.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rookery_arena::SingleGame;
use rookery_live::{Signal, Stopping};
use rookery_referee::{Controls, MatchSpec};
use tokio::sync::mpsc::UnboundedSender;

use crate::JobId;
use crate::bots::Bots;
use crate::core::Claim;
use crate::message::Notification;

/// How long one move may take where nobody has a clock, before a game counts as stuck.
pub(crate) const LONGEST_MOVE: Duration = Duration::from_mins(5);

/// How long our own work may take for a move, beside the clock.
pub(crate) const DELAY: Duration = Duration::from_secs(5);

/// What came of a game.
pub(crate) enum Ended {
    Record(Claim<JobId>, Vec<u8>),
    Failed(Claim<JobId>, String),
    /// It was stopped from here.
    Stopped,
}

/// How long bots may take to be fetched, built and tried before their game begins.
pub(crate) const LONGEST_PREPARING: Duration = Duration::from_mins(10);

/// A game that is being played.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) claim: Claim<JobId>,
    stopping: Stopping,
    /// There once its bots are.
    handles: Arc<OnceLock<Handles>>,
    events: Arc<AtomicU64>,
    /// Whether its bots were there when it was last looked at.
    is_prepared: bool,
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
        notification: Notification,
        bots: &Arc<Bots>,
        ended: UnboundedSender<Ended>,
    ) -> Result<Self, String> {
        let new = Self {
            claim: claim.clone(),
            stopping: Stopping::new(Duration::ZERO),
            handles: Arc::default(),
            events: Arc::default(),
            is_prepared: false,
            seen: 0,
            since: Instant::now(),
            progress: 1,
            longest_move: longest_move(&notification.spec),
        };
        let own = (Arc::clone(&new.events), Arc::clone(&new.handles), new.stopping.clone());
        let bots = Arc::clone(bots);
        let play = move || {
            let played = catch_unwind(AssertUnwindSafe(|| {
                let (events, handles, stopping) = own;
                play(&claim, notification, &bots, events, &handles, &stopping)
            }));
            let told = match played {
                Ok(Ok(Some(record))) => Ended::Record(claim, record),
                Ok(Ok(None)) => Ended::Stopped,
                Ok(Err(why)) => Ended::Failed(claim, why),
                Err(_) => Ended::Failed(claim, "a player or the rules panicked".to_owned()),
            };
            // Without a receiver the worker has ended.
            let _ = ended.send(told);
        };
        thread::Builder::new().name("game".to_owned()).spawn(play).map_err(|error| error.to_string())?;
        Ok(new)
    }

    /// Its record so far; nothing while its bots are brought.
    pub(crate) fn lines(&self) -> Vec<u8> {
        let lines =
            self.handles.get().map(|handles| handles.lines.lock().unwrap_or_else(PoisonError::into_inner));
        lines.map(|lines| lines.clone()).unwrap_or_default()
    }

    /// Stops it where it is.
    pub(crate) fn stop(&self) {
        self.stopping.request(Signal::Terminate);
        if let Some(handles) = self.handles.get() {
            handles.controls.suspend();
        }
    }

    /// A count that grows while something happens in the game, or whoever is to move has time left. A thread that hangs makes it
    /// stand still.
    pub(crate) fn progress(&mut self) -> u64 {
        let events = self.events.load(Ordering::Relaxed);
        let is_prepared = self.handles.get().is_some();
        if is_prepared && !std::mem::replace(&mut self.is_prepared, is_prepared) {
            // The time that it took to bring the bots is not that of the first move.
            self.since = Instant::now();
        }
        if events > self.seen {
            (self.seen, self.since) = (events, Instant::now());
            self.progress += 1;
        } else if self.since.elapsed() < self.longest_move
            || !is_prepared && self.since.elapsed() < LONGEST_PREPARING
        {
            self.progress += 1;
        }
        self.progress
    }
}

/// What others hold of a game that runs.
#[derive(Debug)]
struct Handles {
    controls: Controls,
    /// Its record so far.
    lines: Arc<Mutex<Vec<u8>>>,
}

/// Plays a game to its end: its record, or nothing if it was stopped.
fn play(
    claim: &Claim<JobId>,
    notification: Notification,
    bots: &Bots,
    events: Arc<AtomicU64>,
    handles: &OnceLock<Handles>,
    stopping: &Stopping,
) -> Result<Option<Vec<u8>>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let brought = match &notification.bots {
        None => None,
        Some(_) => Some(bots.bring(claim, &notification, &runtime, stopping)?),
    };
    let Notification { spec, until_proved, .. } = notification;
    runtime.block_on(async {
        let game = match &brought {
            None => SingleGame::new(spec, until_proved, events),
            Some(brought) => SingleGame::with_programs(spec, until_proved, events, &brought.programs).await,
        };
        let game = game.map_err(|error| error.to_string())?;
        let own = handles.get_or_init(|| Handles { controls: game.controls(), lines: game.lines() });
        // Whoever came too late for the controls is heard here.
        if stopping.is_requested() {
            own.controls.suspend();
        }
        game.play().await.map_err(|error| error.to_string())
    })
}

/// How long a move may take by what was agreed, with room for our own delays.
fn longest_move(spec: &MatchSpec) -> Duration {
    spec.time.most_for(1).map_or(LONGEST_MOVE, |most| most.saturating_mul(2) + DELAY)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use rookery_rules::Seed;
    use rookery_store::TournamentId;

    use super::*;

    fn spec(time: &str) -> MatchSpec {
        let spec = MatchSpec::new("hexapawn:rows=3,cols=3", ["first", "first"], Seed(1)).unwrap();
        MatchSpec { time: time.parse().unwrap(), ..spec }
    }

    /// A game whose thread does nothing any more, with a clock of a second a move.
    fn running() -> Running {
        let key = JobId { tournament: TournamentId::random(), pairing: 0, again: false };
        Running {
            claim: Claim { key, attempt: 1, fence: 1 },
            stopping: Stopping::new(Duration::ZERO),
            handles: Arc::default(),
            events: Arc::default(),
            is_prepared: false,
            seen: 0,
            since: Instant::now(),
            progress: 1,
            longest_move: longest_move(&spec("1s")),
        }
    }

    fn prepare(running: &Running) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let game = SingleGame::new(spec("1s"), false, Arc::default()).unwrap();
            running.handles.set(Handles { controls: game.controls(), lines: game.lines() }).unwrap();
        });
    }

    /// Lets time pass.
    fn pass(running: &mut Running, time: Duration) {
        running.since = running.since.checked_sub(time).expect("the machine runs for longer");
    }

    /// Whether it goes on, as far as anybody can tell.
    fn goes_on(running: &mut Running) -> bool {
        let before = running.progress;
        running.progress() > before
    }

    #[test]
    fn a_move_may_take_what_was_agreed_and_a_little_more() {
        let longest = |time: &str| longest_move(&spec(time)).as_secs();
        assert_eq!(longest("1s"), 7, "twice the time and five seconds for our own delays");
        assert_eq!(longest("1m"), 125);
        assert_eq!(longest("untimed"), 300, "nobody thinks for longer than five minutes about one move");
    }

    #[test]
    fn fault_q03_a_game_goes_on_while_there_is_time_left_and_a_thread_that_hangs_is_noticed() {
        let mut game = running();
        prepare(&game);
        assert!(goes_on(&mut game) && goes_on(&mut game), "whoever is to move has time left");
        pass(&mut game, Duration::from_secs(8));
        assert!(!goes_on(&mut game), "nobody could think for so long: it hangs");
        game.events.fetch_add(1, Ordering::Relaxed);
        assert!(goes_on(&mut game), "a move was made after all");
        pass(&mut game, Duration::from_secs(6));
        assert!(goes_on(&mut game), "and the next one has its time again");
    }

    #[test]
    fn bringing_bots_may_take_longer_than_a_move_and_is_none_of_its_time() {
        let mut game = running();
        pass(&mut game, Duration::from_secs(100));
        assert!(goes_on(&mut game), "a bot is built");
        prepare(&game);
        assert!(goes_on(&mut game), "its first move has the whole time");
        pass(&mut game, Duration::from_secs(8));
        assert!(!goes_on(&mut game));
        let mut stuck = running();
        pass(&mut stuck, LONGEST_PREPARING + Duration::from_secs(1));
        assert!(!goes_on(&mut stuck), "nor may that take for ever");
    }
}
