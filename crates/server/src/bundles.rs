//! Bundles that people upload: looked at, kept, and tried one after the other before they count.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use axum::http::StatusCode;
use rookery_arena::bots::{BundleError, Bundles, FoundBot, InUse, TakenIn};
use rookery_live::{Closing, Guest, Opened, Opening, Stopping, Wanted, open};
use rookery_referee::{Fault, Offence, SeatEntry, SeatSpec};
use rookery_store::{BundleFilter, BundleState, EntrantId, Page, Store, StoredBundle};
use rookery_wire::Protocols;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

use crate::bots::Bots;
use crate::http::ApiError;

/// Where bundles come in. A server without one takes none.
pub struct BundleDoor {
    bundles: Bundles,
    protocols: fn() -> Protocols,
    stopping: Stopping,
    /// Whoever is tried: one at a time, so that nobody's clock suffers from another's compiler.
    trying: Mutex<()>,
    /// Games with bundles at the same time: a program thinks on this machine, and its clock runs.
    playing: Arc<Semaphore>,
}

impl fmt::Debug for BundleDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BundleDoor").field("bundles", &self.bundles).finish_non_exhaustive()
    }
}

impl BundleDoor {
    /// With a cache and a sandbox; `protocols` are those of the games' originals.
    pub fn new(bundles: Bundles, protocols: fn() -> Protocols, stopping: Stopping) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let playing = Arc::new(Semaphore::new(cores));
        Self { bundles, protocols, stopping, trying: Mutex::default(), playing }
    }

    /// The protocols of the games' originals, for a match with bundles.
    pub(crate) fn protocols(&self) -> Protocols {
        (self.protocols)()
    }

    /// Waits until one more game with bundles may be played.
    pub(crate) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.playing).acquire_owned().await.ok()
    }

    /// The archive that somebody means, if it may be seated and plays this game: exactly it from here on, whatever is brought
    /// later. Blocks while it is unpacked, and built if it has to be.
    pub(crate) fn pin(
        &self,
        store: &Store,
        (name, sha256): (&str, Option<&str>),
        game: &str,
    ) -> Result<StoredBundle, ApiError> {
        let wrong = |message: String| ApiError::field("entrants", message);
        let found = store.find_bundle(name, sha256).map_err(|error| wrong(error.to_string()))?;
        if found.state != BundleState::Ready {
            let state = found.state.word();
            return Err(wrong(format!("bundle:{name} is {state}; expected one that is ready, see /bundles")));
        }
        let (bot, _in_use) = self.bundles.bring_from(store, &found, &self.stopping).map_err(refusal)?;
        if !bot.plays(game) {
            return Err(wrong(format!("bundle:{name} does not play {game}; leave it out")));
        }
        bot.protocol_in(game, &self.protocols()).map_err(|problem| wrong(problem.to_string()))?;
        Ok(found)
    }

    /// How they are confined, in a word.
    pub(crate) fn level(&self) -> String {
        self.bundles.sandbox().policy().level.to_string()
    }

    /// Starts the program of a seat that a bundle has; who cannot be started is absent.
    pub(crate) async fn seat(self: &Arc<Self>, store: &Store, game: &str, entry: &SeatEntry) -> Seated {
        let (door, at, wanted) = (Arc::clone(self), store.clone(), entry.player.clone());
        let brought = tokio::task::spawn_blocking(move || {
            let SeatSpec::Bundle { name, sha256 } = &wanted else {
                return Err(Fault::ours("it is no bundle"));
            };
            let found = at.find_bundle(name, sha256.as_deref());
            let found = found.map_err(|error| Fault::ours(error.to_string()))?;
            door.bundles.bring_from(&at, &found, &door.stopping).map_err(|error| {
                let note = error.to_string();
                if error.is_of_the_bundle() { Fault::new(Offence::NoShow, note) } else { Fault::ours(note) }
            })
        });
        let brought = brought.await.unwrap_or_else(|error| Err(Fault::ours(error.to_string())));
        match brought {
            Ok((bot, in_use)) => {
                self.start(game, entry, FoundBot { name: entry.name.clone(), ..bot }, in_use).await
            }
            Err(fault) => Seated::absent(fault),
        }
    }

    async fn start(&self, game: &str, entry: &SeatEntry, bot: FoundBot, in_use: InUse) -> Seated {
        let protocol = match bot.protocol_in(game, &self.protocols()) {
            Ok(protocol) => protocol,
            Err(problem) => return Seated::absent(Fault::new(Offence::NoShow, problem.to_string())),
        };
        let sandbox = self.bundles.sandbox();
        let opening = Opening {
            sandbox: Some(sandbox.clone()),
            places: Arc::new(HashMap::from([bot.place(sandbox)])),
            ..Opening::default()
        };
        let wanted = [Wanted { seat: &entry.player, name: &entry.name, protocol }];
        match open(&wanted, &opening, &mut |_, _| {}).await {
            Ok(Opened { mut guests, closing, .. }) => {
                let guest = guests.pop().unwrap_or_else(|| Guest::Absent(Fault::ours("nobody came")));
                Seated { guest, leaving: Some((closing, in_use)) }
            }
            Err(error) => Seated::absent(Fault::ours(error.to_string())),
        }
    }

    /// Keeps an archive of somebody, and sees to it that it is tried.
    pub(crate) async fn take_in(
        self: &Arc<Self>,
        store: &Store,
        bytes: Vec<u8>,
        (owner, bots): (EntrantId, Arc<Bots>),
    ) -> Result<StoredBundle, ApiError> {
        let (door, at) = (Arc::clone(self), store.clone());
        let taken = tokio::task::spawn_blocking(move || {
            let bundle = door.bundles.take_in(&at, bytes, Some(owner))?;
            if let Err(error) = bots.names.take(&at, &bundle.name, Some(owner)) {
                // Only its archive says what it is called; another has connected a bot of this name before.
                at.set_bundle_state(bundle.version, BundleState::Retired, &error.to_string())?;
                return Err(error.into());
            }
            Ok::<_, BundleError>(bundle)
        });
        let bundle = taken.await.map_err(|error| ApiError::ours(&error))?.map_err(refusal)?;
        if bundle.state == BundleState::Pending {
            tokio::spawn(Arc::clone(self).try_out(store.clone(), bundle.clone()));
        }
        Ok(bundle)
    }

    /// Tries those that were not tried when the server stopped.
    pub(crate) async fn try_pending(self: Arc<Self>, store: Store) {
        let filter = BundleFilter { name: None, state: Some(BundleState::Pending) };
        let at = store.clone();
        let pending =
            tokio::task::spawn_blocking(move || at.bundles(&filter, Page { before: None, limit: 1000 }))
                .await;
        match pending {
            Ok(Ok(pending)) => {
                for bundle in pending {
                    Arc::clone(&self).try_out(store.clone(), bundle).await;
                }
            }
            Ok(Err(error)) => tracing::error!(%error, "bundles cannot be listed"),
            Err(error) => tracing::error!(%error, "bundles cannot be listed"),
        }
    }

    async fn try_out(self: Arc<Self>, store: Store, bundle: StoredBundle) {
        let _turn = self.trying.lock().await;
        if self.stopping.is_requested() {
            return;
        }
        let (door, name) = (Arc::clone(&self), bundle.name.clone());
        let tried = tokio::task::spawn_blocking(move || {
            door.bundles.try_out(&store, bundle, &door.protocols, &door.stopping)
        });
        match tried.await {
            Ok(Ok(TakenIn { problem: None, .. })) => tracing::info!(name, "a bundle is ready"),
            Ok(Ok(TakenIn { problem: Some(_), .. })) => tracing::info!(name, "a bundle is failing"),
            // It stays pending, and is tried again at the next start.
            Ok(Err(error)) => tracing::error!(name, %error, "a bundle could not be tried"),
            Err(error) => tracing::error!(name, %error, "a bundle could not be tried"),
        }
    }
}

/// A bundle at a table.
pub(crate) struct Seated {
    /// Whoever sits there.
    pub(crate) guest: Guest,
    /// How its program ends in peace after the match; its files are kept until then.
    pub(crate) leaving: Option<(Closing, InUse)>,
}

impl Seated {
    fn absent(fault: Fault) -> Self {
        Self { guest: Guest::Absent(fault), leaving: None }
    }
}

/// What whoever brought a bundle is told.
fn refusal(error: BundleError) -> ApiError {
    match error {
        error @ (BundleError::Archive { .. } | BundleError::Bot(_)) => {
            ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_bundle", error.to_string())
        }
        BundleError::Store(error) => error.into(),
        error => ApiError::ours(&error),
    }
}
