//! Other machines, for whoever holds a tournament here.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rookery_arena::{Arrived, Elsewhere, Figure, Order};
use rookery_store::{Store, TournamentId};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};

use crate::broker::{Access, ensure_stream, is_connected};
use crate::core::Terms;
use crate::counted::{self, Shared};
use crate::server::{Event, Input, Server};
use crate::status::Status;
use crate::subjects::Subjects;
use crate::{ClusterError, JobId, PROTOCOL, RULES};

/// How many games are asked for at a time.
const ROOM: usize = 2048;
/// How long the broker may take at the start before we go on without it.
const FIRST_TRY: Duration = Duration::from_secs(2);

/// How other machines are coordinated.
#[derive(Clone, Debug)]
pub struct RemoteConfig {
    /// The broker.
    pub access: Access,
    /// Where everything is kept. Whoever may write there is the coordinator.
    pub store: Store,
    /// How long things may take.
    pub terms: Terms,
    /// Which version of the protocol is spoken.
    pub protocol: u32,
    /// Which rules the games are played by.
    pub rules: String,
    /// Which share of the games that follow from their seeds is played again by another worker, from 0 to 1.
    pub replay_share: f64,
    /// The speed that clocks are meant for, as workers measure it, where a tournament does not say; those of another speed scale
    /// the time of their games.
    pub scale_time: Option<u32>,
    /// Whether to begin although the broker is away, and go on when it is there.
    pub patient: bool,
    /// Whether games that were parked before are tried again when they are asked for: somebody has looked at them.
    pub retry_parked: bool,
}

impl RemoteConfig {
    /// The usual.
    pub fn new(access: Access, store: Store) -> Self {
        let (protocol, rules) = (PROTOCOL, RULES.to_owned());
        let (patient, retry_parked) = (false, false);
        let (terms, replay_share, scale_time) = (Terms::default(), 0.0, None);
        Self { access, store, terms, protocol, rules, replay_share, scale_time, patient, retry_parked }
    }
}

/// The coordinator of other machines: a thread of this process.
pub struct Remote {
    inputs: UnboundedSender<Input>,
    failure: watch::Receiver<Option<String>>,
    counted: Shared,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}

impl Remote {
    /// Reaches the broker, reads what the store has, and coordinates from now on.
    pub fn start(config: RemoteConfig) -> Result<Self, ClusterError> {
        let (inputs, orders) = unbounded_channel();
        let (tell, failure) = watch::channel(None);
        let (ready, begun) = oneshot::channel();
        // Its last handle must not be dropped where tasks run: closing a database blocks.
        let kept = config.store.clone();
        let counted = Shared::default();
        let of_thread = Shared::clone(&counted);
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = ready.send(Err(ClusterError::Wrong(error.to_string())));
                    return;
                }
            };
            runtime.block_on(async {
                let (server, incoming) = match begin(config, of_thread).await {
                    Ok(begun) => {
                        let _ = ready.send(Ok(()));
                        begun
                    }
                    Err(error) => {
                        let _ = ready.send(Err(error));
                        return;
                    }
                };
                if let Err(error) = server.run(incoming, orders).await {
                    tracing::error!(%error, "this coordinator has ended");
                    tell.send_replace(Some(error.to_string()));
                }
            });
            runtime.shutdown_background();
            drop(kept);
        };
        let thread = std::thread::Builder::new().name("coordinator".to_owned()).spawn(work);
        let thread = thread.map_err(|error| ClusterError::Wrong(error.to_string()))?;
        let ended = || ClusterError::Wrong("the coordinator did not start".to_owned());
        begun.blocking_recv().map_err(|_| ended())??;
        Ok(Self { inputs, failure, counted, thread: Mutex::new(Some(thread)) })
    }

    /// Waits until this coordinator cannot go on: why.
    pub async fn failed(&self) -> String {
        let mut failure = self.failure.clone();
        let Ok(found) = failure.wait_for(Option::is_some).await else { return std::future::pending().await };
        found.clone().unwrap_or_default()
    }

    /// How everything stands.
    pub async fn status(&self) -> Result<Status, ClusterError> {
        let (tell, told) = oneshot::channel();
        self.tell(Input::Status(tell));
        told.await.map_err(|_| has_ended())
    }

    /// Has parked games tried again, those that are named or all, because `actor` wants it: how many there were.
    pub async fn retry(&self, jobs: Vec<JobId>, actor: String) -> Result<u64, ClusterError> {
        let (tell, told) = oneshot::channel();
        self.tell(Input::Retry(jobs, actor, tell));
        told.await.map_err(|_| has_ended())
    }

    fn tell(&self, input: Input) {
        // Without a receiver the coordinator has failed, which whoever waits is told.
        let _ = self.inputs.send(input);
    }
}

fn has_ended() -> ClusterError {
    ClusterError::Wrong("this coordinator has ended; another server may be it in a moment".to_owned())
}

async fn begin(config: RemoteConfig, counted: Shared) -> Result<(Server, Receiver<Event>), ClusterError> {
    let client = config.access.connect("coordinator", config.patient).await?;
    if config.patient {
        // A broker that is there is reached before anybody hears that we coordinate.
        let begun = Instant::now();
        while !is_connected(&client) && begun.elapsed() < FIRST_TRY {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    let is_away = config.patient && !is_connected(&client);
    let away = ClusterError::Broker(format!("{}: the broker is away", config.access.address.shown()));
    let made = if is_away {
        Err(away)
    } else {
        ensure_stream(&client, Subjects::of(config.protocol), &config.rules).await
    };
    let is_ready = match made {
        Ok(()) => true,
        Err(error) if config.patient => {
            tracing::warn!(%error, "no games begin until the broker is ready");
            false
        }
        Err(error) => return Err(error),
    };
    Server::new(config, client, counted, is_ready).await
}

impl Elsewhere for Remote {
    fn room(&self) -> usize {
        ROOM
    }

    fn open(&self, tournament: TournamentId) -> UnboundedReceiver<Arrived> {
        let (sender, receiver) = unbounded_channel();
        self.tell(Input::Open(tournament, sender));
        receiver
    }

    fn play(&self, order: Order) {
        self.tell(Input::Order(Box::new(order)));
    }

    fn withdraw(&self, tournament: TournamentId) {
        self.tell(Input::Withdraw(tournament));
    }

    fn take_back(&self, tournament: TournamentId) {
        self.tell(Input::TakeBack(tournament));
    }

    fn close(&self, tournament: TournamentId) {
        self.tell(Input::Close(tournament));
    }

    fn counted(&self) -> Vec<Figure> {
        counted::read(&self.counted)
    }

    fn settle(&self, patience: Duration) -> Option<String> {
        let (tell, told) = oneshot::channel();
        self.tell(Input::Settle(tell));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        let settled = runtime.block_on(async { tokio::time::timeout(patience, told).await });
        let Ok(Ok(status)) = settled else {
            return Some("some replays did not end in time".to_owned());
        };
        status.words()
    }
}

impl Drop for Remote {
    /// What was decided is stored; workers go on by themselves until another coordinator is there.
    fn drop(&mut self) {
        self.tell(Input::Stop);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}
