//! Other machines, for whoever holds a tournament here.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use rookery_arena::{Arrived, Elsewhere, Order};
use rookery_store::{Store, TournamentId};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};

use crate::broker::{Access, ensure_stream};
use crate::core::Terms;
use crate::server::{Event, Input, Server};
use crate::{ClusterError, RULES};

/// How many games are asked for at a time.
const ROOM: usize = 2048;

/// How other machines are coordinated.
#[derive(Clone, Debug)]
pub struct RemoteConfig {
    /// The broker.
    pub access: Access,
    /// Where everything is kept. Whoever may write there is the coordinator.
    pub store: Store,
    /// How long things may take.
    pub terms: Terms,
    /// Which rules the games are played by.
    pub rules: String,
}

impl RemoteConfig {
    /// The usual.
    pub fn new(access: Access, store: Store) -> Self {
        Self { access, store, terms: Terms::default(), rules: RULES.to_owned() }
    }
}

/// The coordinator of other machines: a thread of this process.
pub struct Remote {
    inputs: UnboundedSender<Input>,
    failure: watch::Receiver<Option<String>>,
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
                let (server, incoming) = match begin(config).await {
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
        Ok(Self { inputs, failure, thread: Mutex::new(Some(thread)) })
    }

    /// Waits until this coordinator cannot go on: why.
    pub async fn failed(&self) -> String {
        let mut failure = self.failure.clone();
        let Ok(found) = failure.wait_for(Option::is_some).await else { return std::future::pending().await };
        found.clone().unwrap_or_default()
    }

    fn tell(&self, input: Input) {
        // Without a receiver the coordinator has failed, which whoever waits is told.
        let _ = self.inputs.send(input);
    }
}

async fn begin(config: RemoteConfig) -> Result<(Server, Receiver<Event>), ClusterError> {
    let client = config.access.connect("coordinator", false).await?;
    ensure_stream(&client, &config.rules).await?;
    Server::new(config, client).await
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

    fn close(&self, tournament: TournamentId) {
        self.tell(Input::Close(tournament));
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
